"""Events as rows of typed columns and JSON, each sealed with a digest of itself and of the row before.

A database may not notice a changed byte on the disk or a missing row. A chain of digests does.
"""

import hashlib
import json
import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from regretless.errors import StoreDamaged
from regretless.study.journal import Event

__all__ = ["events_of", "from_json", "rows_of", "spec_digest", "to_json"]

_TAGGED, _TAG = "~", "$float"


def to_json(data: Any) -> str:
    r"""Compact JSON that reads back exactly: floats by their shortest exact decimals, other characters escaped.

    JSON has no infinities: text that needs them begins with ``~`` and writes ``{"$float": "inf"}``.

    >>> to_json({"zeta": 0.1, "row": "é"})
    '{"zeta":0.1,"row":"\\u00e9"}'
    """
    try:
        return json.dumps(data, separators=(",", ":"), allow_nan=False)
    except ValueError:
        return _TAGGED + json.dumps(_tagged(data), separators=(",", ":"), allow_nan=False)


def from_json(text: str) -> Any:
    """Parse what `to_json` wrote.

    >>> from_json(to_json([1.0, float("inf")]))
    [1.0, inf]
    """
    return json.loads(text[1:], object_hook=_untagged) if text.startswith(_TAGGED) else json.loads(text)


def spec_digest(name: str, time: float, author: str, spec: str) -> str:
    """The digest of a study's own row, where its chain of events begins."""
    return _digest("", name, repr(time), author, spec)


def rows_of(study: int, events: Iterable[Event], digest: str) -> list[dict[str, Any]]:
    """Rows to insert after the row with that digest."""
    rows = []
    for event in events:
        row = {
            "study": study,
            "seq": event.seq,
            "time": event.time,
            "author": event.author,
            "kind": str(event.kind),
            "number": event.number,
            "value": event.value,
            "data": to_json(event.data),
        }
        row["digest"] = digest = _seal(digest, tuple(row.values())[1:])
        rows.append(row)
    return rows


def events_of(rows: Iterable[Sequence[Any]], seq: int, digest: str, where: str) -> tuple[list[Event], str]:
    """The events of the rows after ``seq`` whose chain continues from ``digest``, and the last digest."""
    events = []
    for row in rows:
        seq += 1
        *content, sealed = row
        if content[0] != seq or sealed != _seal(digest, content):
            raise StoreDamaged(
                f"event {seq} of {where} is not as it was written: it was damaged or edited. Nothing was changed. "
                "Restore it from a backup."
            )
        digest = sealed
        _, time, author, kind, number, value, data = content
        events.append(Event(seq, time, author, kind, number, value, from_json(data)))
    return events, digest


def _seal(digest: str, content: Sequence[Any]) -> str:
    seq, time, author, kind, number, value, data = content
    return _digest(digest, str(seq), repr(time), author, kind, str(number), repr(value), data)


def _digest(*parts: str) -> str:
    text = "\x1f".join(map(str, parts))
    return hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=16).hexdigest()


def _tagged(data: Any) -> Any:
    if isinstance(data, float) and not math.isfinite(data):
        return {_TAG: repr(data)}
    if isinstance(data, Mapping):
        return {key: _tagged(value) for key, value in data.items()}
    if isinstance(data, list | tuple):
        return [_tagged(value) for value in data]
    return data


def _untagged(data: dict[str, Any]) -> Any:
    return float(data[_TAG]) if data.keys() == {_TAG} else data
