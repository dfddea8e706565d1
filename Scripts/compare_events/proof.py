"""Tests the comparison itself: each part of Turnout's events is altered, and the comparison must report it."""

from __future__ import annotations

import copy
from typing import Any, Iterator

from compare_python.comparison import same

from . import printer, vendor
from .comparison import problems
from .fields import FieldChecks
from .known import KnownDifferences
from .rounds import OPTIMIZELY, Round

REPLACEMENTS: list[Any] = [None, "", "x", "7", True, False, 0, 7, -7.5, [], ["x"], {}, {"x": 1}]
REMOVED = object()

Path = tuple[Any, ...]


class Proof:
    """Alters each kind of place in each way once."""

    def __init__(self, binary: str) -> None:
        self._binary = binary
        self._tried: set[tuple[str, str]] = set()

    @property
    def tried(self) -> int:
        return len(self._tried)

    def overlooked(self, round_: Round) -> Iterator[str]:
        """Alters Turnout's events in a round, and returns the alterations that are not detected."""
        known = KnownDifferences()
        for call, requests, events in zip(round_.calls, printer.requests(self._binary, round_), vendor.events(round_)):
            if len(set(call.get("flags", []))) < len(call.get("flags", [])):
                continue  # The order of events of one flag is not significant.
            expected = list(known.amended(events, round_, call))
            for path in _paths(requests):
                place = ".".join("[]" if isinstance(step, int) else step for step in path)
                for change, value in _changes(path, _at(requests, path)):
                    without_order = round_.interface == OPTIMIZELY and change == "turned round"
                    if (place, change) in self._tried or without_order:
                        continue
                    self._tried.add((place, change))
                    if not problems(round_, _changed(requests, path, value), expected, FieldChecks()):
                        yield f"{place} {change}"


def _changed(requests: list[Any], path: Path, value: Any) -> list[Any]:
    falsified = copy.deepcopy(requests)
    if value is REMOVED:
        del _at(falsified, path[:-1])[path[-1]]
    else:
        _at(falsified, path[:-1])[path[-1]] = value
    return falsified


def _changes(path: Path, value: Any) -> Iterator[tuple[str, Any]]:
    yield "removed", REMOVED
    # A version may be any string except an empty one.
    is_version = path[-1] == "client_version"
    for replacement in REPLACEMENTS:
        if not same(value, replacement) and not (is_version and replacement in ("x", "7")):
            yield f"replaced by {replacement!r}", replacement
    if isinstance(value, dict):
        yield "one member more", value | {"a member more": 1}
    if isinstance(value, list):
        yield "one element more", [*value, "an element more"]
        if len(value) > 1:
            yield "turned round", value[::-1]
            yield "its first element twice", [*value, value[0]]
    if isinstance(value, str) and value and not is_version:
        yield "in other letters", value.swapcase() if value.swapcase() != value else value + " "
    if path[-1] in ("timestamp", "revenue"):
        yield "with a fraction", float(value)
    if path[-1] == "timestamp":
        yield "in seconds", value // 1000


def _paths(value: Any, path: Path = ()) -> Iterator[Path]:
    """All nested places, except those in tags, which are compared like other values."""
    if path:
        yield path
    if isinstance(value, dict) and path[-1] != "tags":
        for name, each in value.items():
            yield from _paths(each, (*path, name))
    if isinstance(value, list):
        for index, each in enumerate(value):
            yield from _paths(each, (*path, index))


def _at(value: Any, path: Path) -> Any:
    for step in path:
        value = value[step]
    return value
