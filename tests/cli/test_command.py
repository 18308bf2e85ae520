"""Values reach a program as they are, whatever they hold; a command that could change them is refused."""

import subprocess
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from regretless.cli._command import check_command, check_program, words
from regretless.errors import InvalidInput

ECHO = ["printf", "%s\\0"]  # what it was given, each with a zero byte behind it
LINE = "printf '%s\\0'"
values = st.one_of(
    st.text(st.characters(codec="utf-8", exclude_characters="\0"), max_size=30),
    st.sampled_from(["{b}", "{a}", "$(touch hacked)", "`id`", "'", '"', "a\nb", "-rf", "--", "", " ", "\\", "${IFS}"]),
    st.lists(st.sampled_from(["{b}", "{a}", "'", '"', "$(", ")", "`", ";", "\n", "\\", "-", "& ", "é"])).map("".join),
)  # fmt: skip


def printed(command, params):
    done = subprocess.run(words(command, params), capture_output=True, check=True)
    return done.stdout.decode().split("\0")[:-1]


@settings(max_examples=150, deadline=None)
@given(a=values, b=values, c=st.one_of(st.floats(allow_nan=False), st.integers(), st.booleans(), st.none()))
def test_values_arrive_as_they_are(a, b, c):
    params = {"a": a, "b": b, "c c": c}
    wanted = [a, f"--x={b}", f"{a}{b}", str(c)]
    as_list = check_command([*ECHO, "{a}", "--x={b}", "{a}{b}", "{c c}"], list(params))
    assert printed(as_list, params) == wanted
    as_line = check_command(f"{LINE} {{a}} --x={{b}} {{a}}{{b}} {{c c}}", list(params))
    assert printed(as_line, params) == wanted


def test_more_values_than_a_shell_has_digits_for():
    params = {f"p{i}": f"v {i}" for i in range(12)}
    line = LINE + "".join(f" {{{name}}}" for name in params)
    assert printed(check_command(line, list(params)), params) == list(params.values())


def test_the_shell_may_use_its_own_arguments_as_it_likes():
    line = f"set -- other; f() {{ {LINE} {{x}}; }}; f 1 2 | cat"
    assert printed(check_command(line, ["x"]), {"x": "mine"}) == ["mine"]


def test_other_braces_are_left_alone():
    command = check_command([*ECHO, '{"x": {x}}', "{print $1}", "{}", "{{x}}", "${x}"], ["x"])
    assert printed(command, {"x": 3}) == ['{"x": 3}', "{print $1}", "{}", "{3}", "$3"]
    assert check_command("prog {x} | awk '{print}'", ["x"])


NASTY = "$(echo_pwned);'\"`"
PARTS = ["a", "'", '"', "\\", "$", " ", "$(printf %s ", ")", "`printf %s ", "`", "$((", "))", "<<E", "\n", "#", "$'"]
parts = st.lists(st.sampled_from(PARTS), max_size=6).map("".join)


@settings(max_examples=300, deadline=None)
@given(before=parts, after=parts)
def test_a_line_that_is_accepted_hands_the_value_on(before, after):
    """Against the shell itself: where it can read an accepted line, the value is in what is printed."""
    line = f"printf '%s\\n' {before}{{x}}{after}"
    try:
        command = check_command(line, ["x"])
    except InvalidInput:
        return
    done = subprocess.run(words(command, {"x": NASTY}), capture_output=True, text=True, check=False)
    assert "pwned: not found" not in done.stderr
    unbalanced = "`" in before and ")" in before  # dash drops what follows such a bracket, and says nothing
    if done.returncode == 0 and not done.stderr and "\n" not in before and not unbalanced:
        assert NASTY in done.stdout, line


@pytest.mark.parametrize(
    "line",
    [
        "prog '{x}'",
        'prog "{x}"',
        'prog "--x={x}"',
        "prog --y='a {x} b'",
        'sh -c "prog {x}"',
        'prog "$(echo "{x}")"',
        'prog "`echo "{x}"`"',
        "cat <<END\n{x}\nEND",
        "prog ${x}",
        "prog \\{x}",
        "echo $(( {x} + 1 ))",
        "prog a # {x}",
    ],
)
def test_a_place_where_the_shell_would_change_the_value_is_refused(line):
    with pytest.raises(InvalidInput, match=r"\{x\} stands in quotes.*as a list"):
        check_command(line, ["x"])


@pytest.mark.parametrize(
    "line",
    [
        "prog {x}",
        "prog --x={x} 'a b' \"c\" | tail -1",
        'echo "it\'s" {x}',
        "y=$(prog {x}); echo $y",
        "# don't\nprog {x}",
        "x={x}; echo $((x + 1))",
        "prog a#b {x}",
    ],
)
def test_a_place_that_is_a_word_of_its_own_is_fine(line):
    assert check_command(line, ["x"]) == line


@pytest.mark.parametrize(
    ("command", "says"),
    [
        ([], "list of texts"),
        ([""], "list of texts"),
        (["prog", 3], "list of texts"),
        ([["prog"]], "list of texts"),
        (["prog\0"], "list of texts"),
        ("", "list of texts"),
        ("  ", "list of texts"),
        (7, "list of texts"),
        (["prog", "{rat}"], r"no such parameter.*Did you mean 'rate'"),
        (["prog", "--rate={rat}"], r"does not use \{rate\}.*Did you mean 'rat'"),
        ("prog", r"does not use \{rate\}"),
        (["prog", "{rate}", "{mode}"], r"placeholder \{mode\}, but there is no such parameter; there are 'rate'"),
        ("prog {rate} --mode {mode} | tail", r"placeholder \{mode\}, but there is no such parameter"),
    ],
)
def test_commands_that_are_none(command, says):
    with pytest.raises(InvalidInput, match=f"(?s){says}"):
        check_command(command, ["rate"])


def test_what_does_not_vary_needs_no_place():
    assert check_command(["prog", "{x}"], ["x", "k"], {"k"}) == ("prog", "{x}")


@pytest.mark.parametrize(
    ("command", "says"),
    [
        (["./missing", "{x}"], "is not there"),
        (["./plain", "{x}"], "may not be executed"),
        (["./folder", "{x}"], "is not there"),
        (["no-such-program-anywhere", "{x}"], "on the PATH"),
        ("./missing {x}", "is not there"),
        ("A=1 ./plain {x}", "may not be executed"),
        ("no-such-program-anywhere {x} | tail -1", "knows no command"),
        ("sh score.sh {x} |", "cannot read"),
        ("if true; then echo {x}; fi", None),
        ("cd folder && ../plain {x}", None),
        (["./script", "{x}"], None),
        ("./script {x}", None),
        (["{x}", "a"], None),
        (["echo", "{x}"], None),
    ],
)
def test_programs_are_looked_for_before_anything_runs(tmp_path, command, says):
    (tmp_path / "plain").write_text("echo 1\n")
    (tmp_path / "folder").mkdir()
    (tmp_path / "script").write_text("#!/bin/sh\necho 1\n")
    (tmp_path / "script").chmod(0o755)
    checked = check_command(command, ["x"])
    if says is None:
        check_program(checked, ["x"], tmp_path)
        return
    with pytest.raises(InvalidInput, match=says):
        check_program(checked, ["x"], tmp_path)


def test_a_path_is_seen_from_the_folder_of_the_file(tmp_path, monkeypatch):
    (tmp_path / "script").write_text("#!/bin/sh\necho 1\n")
    (tmp_path / "script").chmod(0o755)
    monkeypatch.chdir(Path("/"))
    check_program(("./script",), [], tmp_path)
