"""Random spaces with constraints that a known point satisfies, and a check of points that shares no code with ours."""

import itertools
import math
import re

import numpy as np

from regretless.errors import InvalidInput
from regretless.spaces import Categorical, Float, Int, Mixed, Mixture, Ordinal

NOT_FOUND = []  # seeds of spaces that are not empty, in which no first point was found


def random_dimension(rng, when=None):
    kind = rng.integers(8)
    if kind in (0, 1):
        low = round(float(rng.uniform(-5, 5)), 2)
        return Float(low, low + round(float(rng.uniform(0.1, 20)), 2), when=when)
    if kind == 2:
        low = float(f"{10 ** rng.uniform(-4, 0):.2g}")
        return Float(low, low * float(rng.choice([10, 100, 1000])), log=True, when=when)
    if kind == 3:
        step = float(rng.choice([0.1, 0.25, 0.5, 2.0]))
        low = round(float(rng.integers(-4, 4)) * step, 2)
        return Float(low, round(low + step * int(rng.integers(1, 30)), 4), step=step, when=when)
    if kind == 4:
        low = int(rng.integers(-20, 20))
        step = int(rng.choice([1, 1, 2, 5]))
        return Int(low, low + step * int(rng.integers(1, 200)), step=None if step == 1 else step, when=when)
    if kind == 5:
        return Int(1, int(rng.choice([8, 64, 1000])), log=True, when=when)
    if kind == 6:
        levels = sorted(set(rng.integers(-10, 50, int(rng.integers(2, 7))).tolist()))
        return Ordinal(levels if len(levels) > 1 else [0, 1, 5], when=when)
    return Categorical([f"c{i}" for i in range(int(rng.integers(2, 5)))], when=when)


def random_product(rng):
    """A space without constraints: up to eight parameters, mixtures and conditions among them."""
    parts = {}
    size = int(rng.integers(1, 9))
    if size >= 3 and rng.random() < 0.35:
        names = [f"m{i}" for i in range(int(rng.integers(2, min(size, 6) + 1)))]
        total = float(rng.choice([1.0, 100.0, 2.5]))
        at_most = int(rng.integers(1, len(names) + 1)) if rng.random() < 0.5 else None
        step = float(rng.choice([0.05, 0.1, 0.25])) * total if rng.random() < 0.3 else None
        bounds = {}
        for name in names:
            low = 0.0 if step is not None or rng.random() < 0.7 else round(float(rng.uniform(0, 0.1)) * total, 3)
            bounds[name] = (low, total if step is not None else round(float(rng.uniform(0.4, 1.0)) * total, 3))
        if at_most is None or sum(sorted((h for _, h in bounds.values()), reverse=True)[:at_most]) >= total:
            parts["recipe"] = Mixture(bounds, total, at_most, step)
            size -= len(names)
    for i in range(max(size, 0 if parts else 1)):
        parents = [n for n, p in parts.items() if not isinstance(p, Mixture) and p.size is not None and p.size < 10]
        when = None
        if parents and rng.random() < 0.3:
            parent = str(rng.choice(parents))
            values = parts[parent].values()
            chosen = [values[j] for j in rng.choice(len(values), int(rng.integers(1, len(values) + 1)), replace=False)]
            when = {parent: chosen if len(chosen) > 1 else chosen[0]}
        parts[f"p{i}" if rng.random() < 0.8 else f"p{i} (%)"] = random_dimension(rng, when)
    return parts


def quoted(name):
    return f"`{name}`" if " " in name else name


def random_constraints(space, rng):
    """Texts that one point of the space satisfies, and that point."""
    point = space.decode(space.sample(1, rng)[0])
    numeric = [n for n, v in point.items() if isinstance(v, int | float)]
    words = [n for n, v in point.items() if isinstance(v, str)]
    texts = []
    for _ in range(int(rng.integers(1, 5))):
        kind = rng.random()
        if words and (kind < 0.2 or not numeric):
            word = str(rng.choice(words))
            others = [c for c in space.dimensions[word].choices if c != point[word]]
            texts.append(
                f"{quoted(word)} != '{rng.choice(others)}'"
                if rng.random() < 0.5
                else f"{word_in(word, point, others[:1])}"
            )
            continue
        if not numeric:
            continue
        some = list(rng.choice(numeric, int(rng.integers(1, len(numeric) + 1)), replace=False))
        if kind < 0.35:
            texts.append(curved(some, point, rng))
            continue
        widths = [max(abs(kind_range(space.dimensions[n])), 1e-9) for n in some]
        coefficients = [round(float(rng.choice([1, -1, 1, 2, 0.5])), 3) for _ in some]
        if rng.random() < 0.3:
            coefficients = [float(f"{rng.normal() / w:.3g}") or 1.0 for w in widths]
        total = sum(c * point[n] for c, n in zip(coefficients, some, strict=True))
        left = " + ".join(
            f"{c!r}*{quoted(n)}" if c >= 0 else f"({c!r})*{quoted(n)}" for c, n in zip(coefficients, some, strict=True)
        )
        if kind < 0.5:
            texts.append(f"{left} == {total!r}")
        elif kind < 0.6:
            slack = abs(total) * 0.1 + 0.05
            texts.append(f"{total - slack!r} <= {left} <= {total + slack!r}")
        else:
            size = sum(abs(c) * w for c, w in zip(coefficients, widths, strict=True))
            slack = float(rng.choice([0.0, 0.01, 0.1, 0.3])) * size
            text = f"{left} <= {total + slack!r}" if rng.random() < 0.5 else f"{left} >= {total - slack!r}"
            if words and rng.random() < 0.3:
                word = str(rng.choice(words))
                other = rng.choice(space.dimensions[word].choices)
                text = f"{quoted(word)} == '{other}' or {text}"
            texts.append(text)
    return texts, point


def word_in(word, point, others):
    return f"{quoted(word)} in [{', '.join(repr(str(v)) for v in (point[word], *others))}]"


def kind_range(part):
    values = (part.low, part.high) if hasattr(part, "low") else (min(part.values()), max(part.values()))
    return values[1] - values[0]


def curved(some, point, rng):
    a, b = str(some[0]), str(some[-1])
    value = point[a] ** 2 + abs(point[b])
    return f"{quoted(a)}**2 + abs({quoted(b)}) <= {value * (1 + float(rng.uniform(0.01, 1))) + 0.01!r}"


def thin(some, point, rng):
    """A curved set around a point, down to a thousandth of the formula's size in width."""
    a, b, c = (str(name) for name in (some[0], some[-1], some[len(some) // 2]))
    x, y, z = (float(point[name]) for name in (a, b, c))
    formulas = [
        (f"{quoted(a)}**2 + {quoted(b)}**2", x**2 + y**2),
        (f"{quoted(a)}*{quoted(b)}", x * y),
        (f"{quoted(a)}**2 - {quoted(b)}*{quoted(c)}", x**2 - y * z),
        (f"exp({quoted(a)}/{abs(x) + 1!r}) + {quoted(b)}", math.exp(x / (abs(x) + 1)) + y),
        (f"sqrt(abs({quoted(a)})) - abs({quoted(b)})", math.sqrt(abs(x)) - abs(y)),
        (f"{quoted(a)}*{quoted(b)}*{quoted(c)} + {quoted(a)}", x * y * z + x),
    ]
    formula, value = formulas[rng.integers(len(formulas))]
    slack = float(10 ** -rng.uniform(0.5, 3.5)) * (abs(value) + 1e-3)
    low, high = value - slack * float(rng.uniform(0.1, 1)), value + slack * float(rng.uniform(0.1, 1))
    kind = rng.random()
    if kind < 0.5:
        return f"{low!r} <= {formula} <= {high!r}"
    return f"{formula} <= {high!r}" if kind < 0.75 else f"{formula} >= {low!r}"


def thin_space(seed):
    """A product space, texts of which up to three are thin and curved, and a point that satisfies them."""
    rng = np.random.default_rng([46, seed])
    while True:
        parts = random_product(rng)
        try:
            plain = Mixed(parts)
        except InvalidInput:
            continue  # amounts that no support reaches
        texts, point = random_constraints(plain, rng)
        numeric = [name for name, value in point.items() if isinstance(value, int | float)]
        if numeric:
            for _ in range(int(rng.integers(1, 4))):
                size = int(rng.integers(1, min(len(numeric), 3) + 1))
                texts.append(thin(list(rng.choice(numeric, size, replace=False)), point, rng))
            return parts, texts, point


def random_space(seed):
    """A space with constraints, the texts, and a point that satisfies them."""
    rng = np.random.default_rng([17, seed])
    while True:
        parts = random_product(rng)
        try:
            plain = Mixed(parts)
        except InvalidInput as error:
            if "mixture" not in str(error):
                raise
            continue  # amounts that no support reaches
        texts, point = random_constraints(plain, rng)
        try:
            return Mixed(parts, constraints=texts), parts, texts, point, rng
        except InvalidInput as error:  # the search for a first point is a heuristic where constraints are curved
            if "no point was found" not in str(error) or not any("**" in text for text in texts):
                raise
            NOT_FOUND.append(seed)


def misses(params, parts, texts):
    """What a point violates, by Python's own arithmetic; names become arguments."""
    found = []
    for text in texts:
        plain, names = text, {}
        for i, name in enumerate(sorted(every_name(parts), key=len, reverse=True)):
            if quoted(name) in plain:
                plain = plain.replace(quoted(name), f"v{i}_")
                names[f"v{i}_"] = name
        used = {alias: name for alias, name in names.items() if alias in plain}
        if any(name not in params for name in used.values()):
            continue
        values = {alias: params[name] for alias, name in used.items()}
        if not holds(plain, values, {alias: largest(parts, name) for alias, name in used.items()}):
            found.append((text, values))
    for mixture in (m for m in parts.values() if isinstance(m, Mixture)):
        amounts = [params[name] for name in mixture.names]
        if abs(sum(amounts) - mixture.total) > 1e-8 * mixture.total:
            found.append((mixture, amounts))
        present = [a for a in amounts if a > 0]
        lows = [low for low, a in zip(mixture.lows, amounts, strict=True) if a > 0]
        if mixture.at_most is not None and (
            len(present) > mixture.at_most
            or any(a < low - 2e-9 * mixture.total for a, low in zip(present, lows, strict=True))
        ):
            found.append((mixture, amounts))
    return found


def every_name(parts):
    for name, part in parts.items():
        yield from part.names if isinstance(part, Mixture) else [name]


def holds(text, values, sizes):
    """Every comparison with a slack of 1e-9 of the largest sizes that its terms can have, as documented."""
    if " or " in text:
        return any(holds(part, values, sizes) for part in text.split(" or "))
    if "'" in text:
        return bool(eval(text, {}, values))
    terms = re.findall(r"\(?(-?[\d.]+(?:e-?\d+)?)\)?\*(v\d+_)", text)
    sides = re.split("<=|>=|==", text)
    slack = 1e-9 * (max(abs(float(side)) for side in sides if is_float(side)) + 1e-6)
    if "**" in text:
        slack += 1e-9 * sum(v * v + abs(v) for v in values.values())
    slack += 1e-9 * sum(abs(float(c)) * sizes[alias] for c, alias in terms)
    slack *= 1.0 + 1e-6
    if "==" in text:
        left, right = text.split("==")
        return abs(eval(left, {"abs": abs}, values) - float(right)) <= slack
    if ">=" in text:
        left, right = text.split(">=")
        return eval(left, {"abs": abs}, values) >= float(right) - slack
    sides = [eval(side, {"abs": abs}, values) for side in text.split("<=")]
    return all(a <= b + slack for a, b in itertools.pairwise(sides))


def largest(parts, name):
    """The largest size of a number."""
    for key, part in parts.items():
        if isinstance(part, Mixture) and name in part.names:
            return part.total
        if key == name and hasattr(part, "low"):
            return max(abs(part.low), abs(part.high))
        if key == name and not isinstance(part, Categorical):
            return max(map(abs, part.values()))
    return 0.0


def is_float(text):
    try:
        return math.isfinite(float(text))
    except ValueError:
        return False
