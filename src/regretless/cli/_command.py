"""A command with placeholders for parameters: how values reach a program as they are, with and without a shell."""

import os
import re
import shlex
import shutil
import subprocess
from collections.abc import Collection, Mapping, Sequence
from pathlib import Path
from typing import Any

from regretless.errors import InvalidInput
from regretless.spaces.scalars import did_you_mean, listed, show

__all__ = ["Command", "check_command", "check_program", "words"]

#: A list of words, or a line for the shell.
Command = str | tuple[str, ...]

_SHELL = "/bin/sh"
_HERE = "A program in the folder of the file is called with ./ in front."
_OPAQUE = re.compile(r"<<|\$\(\(|\$'")  # what follows is read by rules of its own


def words(command: Command, params: Mapping[str, Any]) -> list[str]:
    r"""What to run. Placeholders are filled in one pass, so a value that looks like one stays as it is.

    In a line for the shell a placeholder becomes a variable, and the values are handed over beside the line: they are
    never read as code.

    >>> words(("prog", "--x={x}", "{y}"), {"x": "{y}", "y": -1})
    ['prog', '--x={y}', '-1']
    >>> words("prog {x} | tail", {"x": "$(rm *)"})
    ['/bin/sh', '-c', 'regretless_1=${1}\nprog "${regretless_1}" | tail', 'sh', '$(rm *)']
    """
    texts = {f"{{{name}}}": str(value) for name, value in params.items()}
    places = _places(params)
    if not isinstance(command, str):
        return [places.sub(lambda place: texts[place[0]], word) for word in command]
    variables = {place: f"regretless_{i}" for i, place in enumerate(texts, 1)}
    given = " ".join(f"{variable}=${{{i}}}" for i, variable in enumerate(variables.values(), 1))
    line = places.sub(lambda place: f'"${{{variables[place[0]]}}}"', command)
    return [_SHELL, "-c", f"{given}\n{line}", "sh", *texts.values()]


def check_command(command: Any, names: Sequence[str], optional: Collection[str] = ()) -> Command:
    """The command, if every parameter has its placeholder in it and every placeholder is safe."""
    if isinstance(command, list):
        if not command or not all(isinstance(word, str) and "\0" not in word for word in command) or not command[0]:
            raise InvalidInput(
                f'command must be a list of texts, such as ["./simulate", "--rate", "{{rate}}"], got {show(command)}.'
            )
        checked: Command = tuple(command)
    elif isinstance(command, str) and command.strip() and "\0" not in command:
        checked = command
        _check_line(command, _places(names))
    else:
        raise InvalidInput(
            'command must be a list of texts, such as ["./simulate", "--rate", "{rate}"], or a line for the shell, '
            f"got {show(command)}."
        )
    for word in _unknown_places(checked, names):
        raise InvalidInput(
            f"the command has a placeholder {word}, but there is no such parameter; there are {listed(names)}."
            f"{did_you_mean(word[1:-1], names)}"
        )
    text = checked if isinstance(checked, str) else " ".join(checked)
    for name in names:
        if f"{{{name}}}" not in text and name not in optional:
            hint = did_you_mean(name, re.findall(r"\{([^{}]+)\}", text))
            raise InvalidInput(f"the command does not use {{{name}}}. Every parameter needs a placeholder in it.{hint}")
    return checked


def _unknown_places(command: Command, names: Sequence[str]) -> list[str]:
    """Words that are a name in braces, and nothing else, but of no parameter."""
    if isinstance(command, str):
        plain = _unquoted(command)
        found = [place[0] for place in re.finditer(r"(?<!\S)\{\w+\}(?!\S)", command) if place.start() in plain]
    else:
        found = [word for word in command if re.fullmatch(r"\{\w+\}", word)]
    return [word for word in found if word[1:-1] not in names]


def check_program(command: Command, names: Sequence[str], folder: Path) -> None:
    """Refuse, before anything is run, a program that is not there or may not be run."""
    if isinstance(command, str):
        word = _checked_by_shell(words(command, dict.fromkeys(names, "")), command)
    else:
        word = command[0]
    if word is None or _places(names).search(word):
        return
    if os.sep in word:  # as the program is started in the folder of the file
        path = folder / word
        if not path.is_file():
            raise InvalidInput(f"the program {show(word)} is not there, seen from the folder {show(str(folder))}.")
        if not os.access(path, os.X_OK):
            raise InvalidInput(f"the program {show(word)} may not be executed. Allow it with chmod +x.")
    elif isinstance(command, str):
        found = subprocess.run([_SHELL, "-c", 'command -v -- "$1"', "sh", word], capture_output=True, check=False)
        if found.returncode:
            raise InvalidInput(f"the shell knows no command {show(word)}. {_HERE}")
    elif shutil.which(word) is None:
        raise InvalidInput(f"there is no program {show(word)} on the PATH. {_HERE}")


def _places(names: Collection[str]) -> re.Pattern[str]:
    """Finds {name} for each of the names; other braces are left alone."""
    return re.compile("|".join(re.escape(f"{{{name}}}") for name in names) or "(?!)")


def _check_line(line: str, places: re.Pattern[str]) -> None:
    """Refuse a placeholder that the shell would not take for one word: in quotes, here-documents, after a dollar."""
    if not Path(_SHELL).exists():
        raise InvalidInput(f'a command as one line needs {_SHELL}. Write a list: command = ["prog", "--x", "{{x}}"].')
    found = {match.start(): match[0] for match in places.finditer(line)}
    for start in found.keys() - _unquoted(line):
        raise InvalidInput(
            f"the placeholder {found[start]} stands in quotes, after a backslash or a dollar, in a here-document or in "
            f"$((...)), where the shell would change the value. Write it without quotes: it is one word, whatever it "
            f'holds; or write the command as a list: command = ["prog", "--x", "{found[start]}"].'
        )


def _unquoted(line: str) -> set[int]:
    """Positions at which a shell reads plain words. Where that is hard to tell, they are left out."""
    plain: set[int] = set()
    quote, i = "", 0
    while i < len(line):
        character = line[i]
        if quote == '"' and (character == "`" or line.startswith("$(", i)):
            break  # quotes within quotes from here on
        if not quote and _OPAQUE.match(line, i):
            break
        if quote == "'":
            quote = "" if character == "'" else quote
        elif character == "\\":
            i += 1
        elif character == quote:
            quote = ""
        elif not quote and character in "'\"":
            quote = character
        elif not quote and character == "#" and (i == 0 or line[i - 1] in " \t\n;&|(`"):
            i = line.find("\n", i) if "\n" in line[i:] else len(line)
        elif not quote and not (i and line[i - 1] == "$"):
            plain.add(i)
        i += 1
    return plain


def _checked_by_shell(filled: list[str], line: str) -> str | None:
    """The first word of a line that the shell can read, if it is a plain one."""
    read = subprocess.run([_SHELL, "-n", *filled[1:]], capture_output=True, text=True, errors="replace", check=False)
    if read.returncode:
        raise InvalidInput(f"the shell cannot read the command: {read.stderr.strip()}")
    try:
        split = shlex.split(line, comments=True)
    except ValueError:  # quoted in a way that only a shell understands
        return None
    first = next((word for word in split if not re.fullmatch(r"\w+=.*", word, re.DOTALL)), "")
    return first if re.fullmatch(r"[\w./+-]+", first) else None
