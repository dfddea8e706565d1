"""Repeatable randomness, ids and keys."""

import random
from typing import Iterable, Mapping, Sequence, TypeVar

Item = TypeVar("Item")


class Dice:
    """Random values that depend only on the seed text, on every platform."""

    def __init__(self, seed: str) -> None:
        self._random = random.Random(seed)

    def chance(self, probability: float) -> bool:
        return self._random.random() < probability

    def number(self, low: int, high: int) -> int:
        """A whole number from `low` to `high`, both included."""
        return self._random.randint(low, high)

    def fraction(self, low: float, high: float) -> float:
        return round(self._random.uniform(low, high), 3)

    def pick(self, items: Sequence[Item]) -> Item:
        return self._random.choice(items)

    def weighted(self, weights: Mapping[Item, float]) -> Item:
        return self._random.choices(list(weights), weights=list(weights.values()))[0]

    def some(self, items: Iterable[Item], at_most: int) -> list[Item]:
        """Zero to `at_most` different items, in random order."""
        pool = list(items)
        return self._random.sample(pool, min(len(pool), self.number(0, at_most)))

    def shuffled(self, items: Iterable[Item]) -> list[Item]:
        pool = list(items)
        self._random.shuffle(pool)
        return pool


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
