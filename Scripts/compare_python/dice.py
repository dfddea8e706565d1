"""Repeatable randomness."""

from __future__ import annotations

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
