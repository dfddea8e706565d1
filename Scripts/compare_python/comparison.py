"""What a side decided, and where two sides differ."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import Any

from .rounds import Round

COMPARED = ["variation", "rule", "enabled", "variables", "impression"]


@dataclass
class Outcome:
    """The decisions of one side for one round, as plain JSON."""

    # user -> flag -> the members named in COMPARED
    decisions: dict[str, dict[str, dict[str, Any]]] = field(default_factory=dict)
    # user -> experiment id -> variation id newly stored in the user's profile
    assignments: dict[str, dict[str, str]] = field(default_factory=dict)
    # what the reference told its listeners and sent as events, as lines of a log
    log: list[dict[str, Any]] = field(default_factory=list)


@dataclass(frozen=True)
class Mismatch:
    user: str
    flag: str | None
    """None for the stored assignments, which belong to all flags of the user together."""
    turnout: Any
    python: Any


def mismatches(round_: Round, turnout: Outcome, python: Outcome) -> list[Mismatch]:
    found = []
    for user in (each["user"] for each in round_.users):
        ours, theirs = turnout.decisions.get(user, {}), python.decisions.get(user, {})
        for flag in sorted(set(round_.flag_keys) | set(ours) | set(theirs)):
            if not same(ours.get(flag), theirs.get(flag)):
                found.append(Mismatch(user, flag, ours.get(flag), theirs.get(flag)))
        stored = turnout.assignments.get(user, {}), python.assignments.get(user, {})
        if not same(*stored):
            found.append(Mismatch(user, None, *stored))
    return found


def same(left: Any, right: Any) -> bool:
    """Equal as JSON: 1 and 1.0 are the same number, true and 1 are different values."""
    return _canonical(left) == _canonical(right)


def _canonical(value: Any) -> str:
    return json.dumps(_with_plain_numbers(value), sort_keys=True)


def _with_plain_numbers(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _with_plain_numbers(each) for key, each in value.items()}
    if isinstance(value, list):
        return [_with_plain_numbers(each) for each in value]
    if isinstance(value, float) and value.is_integer():
        return int(value)
    return value
