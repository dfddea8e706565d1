"""The attributes that audiences test, and the values of users."""

from __future__ import annotations

from typing import Any

from .dice import Dice
from .versions import Versions

KIND_BY_ATTRIBUTE = {
    "country": "text",
    "plan": "text",
    "名前": "text",
    "age": "number",
    "score": "number",
    "größe": "number",
    "beta": "truth",
    "app version": "version",
}

SEGMENTS = ["vip", "loyal", "große Kunden", "segment-3"]

COMMON_TEXTS = ["US", "gold", "größe"]
RARE_TEXTS = ["us", "DE", "golden plan", "Ünïcödé", "日本語", "한국", "🙂", "a/b\"c\\d", "line\nbreak", "1", "true", ""]
NEEDLES = ["U", "us", "gold", "n p", "ö", "日", "🙂", "/b", "\n", "1", "zzz"]

# Avoids condition numbers beyond 2^53: Turnout compares them, Python answers "unknown".
LIMIT = 2**53
CONDITION_NUMBERS = [-1, -0.0, 0, 0.1, 1, 1.0, 1.5, 18, 25, 30, 99.99, 1e-7, -LIMIT, LIMIT - 1, LIMIT, float(LIMIT)]

# Avoids exactly 2^53 + 1 (and its negative), which Turnout rounds into the range, and NaN, which JSON cannot carry.
OUT_OF_RANGE = [LIMIT + 2, float(LIMIT + 2), -(LIMIT + 4), 2**60, 10**20, 1e300]

BUCKETING_ID = "$opt_bucketing_id"


class AttributeValues:
    """Values for one round."""

    def __init__(self, dice: Dice, versions: Versions) -> None:
        self._dice = dice
        self._versions = versions

    def for_condition(self, kind: str) -> Any:
        if kind == "number":
            return self._dice.pick(CONDITION_NUMBERS)
        if kind == "truth":
            return self._dice.chance(0.5)
        if kind == "version":
            return self._versions.target()
        return self._text()

    def for_user(self, kind: str) -> Any:
        """Mostly a value of the right kind; otherwise one that makes conditions unknown."""
        fate = self._dice.weighted({"right kind": 86, "other kind": 6, "null": 3, "out of range": 2, "structure": 3})
        if fate == "null":
            return None
        if fate == "out of range":
            return self._dice.pick(OUT_OF_RANGE)
        if fate == "structure":
            return self._dice.pick([[], [1, "x"], {}, {"k": 1}, [None, True]])
        if fate == "other kind":
            kind = self._dice.pick(["text", "number", "truth", "version"])
        return self._scalar(kind)

    def _scalar(self, kind: str) -> Any:
        if kind == "number":
            choice = self._dice.weighted({"shared": 3, "whole": 2, "fraction": 2})
            if choice == "shared":
                return self._dice.pick(CONDITION_NUMBERS)
            return self._dice.number(-3, 40) if choice == "whole" else self._dice.fraction(-3, 40)
        if kind == "truth":
            return self._dice.chance(0.5)
        if kind == "version":
            return self._versions.of_user()
        return self._text()

    def _text(self) -> str:
        return self._dice.pick(COMMON_TEXTS if self._dice.chance(0.6) else RARE_TEXTS)
