"""Ids and keys."""

from __future__ import annotations

from .dice import Dice


class Names:
    """Generates ids and keys that are unique within a datafile.

    Avoids the collision rules of the two sides, which differ: Python looks experiments, rollout rules and holdouts up
    in one common table of keys, and variable overrides in one common table of variation ids. Avoids names that are
    blank (Python refuses to bucket), that equal an operator (`and`, `or`, `not`), or that are two spellings of the
    same text (Swift compares é and e + accent as equal, Python as different): all non-ASCII text is composed. Avoids
    spaces at either end, which Turnout trims from rollout ids.
    """

    def __init__(self, dice: Dice) -> None:
        self._dice = dice
        self._count = 0

    def id(self) -> str:
        """Mostly digits, as the vendor assigns them; other ids reach events as null."""
        serial = self._next()
        if self._dice.chance(0.85):
            return str(self._dice.number(1000, 99_999_999) * 10_000 + serial)
        return self._dice.pick(["default-rollout-{}-7", "id_{}", "größe{}", "日本{}", "🙂{}", "id {}"]).format(serial)

    def key(self, stem: str) -> str:
        serial = self._next()
        if self._dice.chance(0.8):
            return f"{stem}_{serial}"
        return self._dice.pick(["{} {}", "{}é{}", "{}旗{}", "{}/\"{}\"", "{}.{}"]).format(stem, serial)

    def _next(self) -> int:
        self._count += 1
        return self._count
