"""Audience conditions: leaves and trees."""

from __future__ import annotations

from typing import Any, Callable

from .attributes import KIND_BY_ATTRIBUTE, NEEDLES, SEGMENTS, AttributeValues
from .dice import Dice

Condition = Any
COMPARISONS = ["gt", "ge", "lt", "le"]
VERSION_COMPARISONS = ["semver_eq", "semver_gt", "semver_ge", "semver_lt", "semver_le"]
MATCH_WEIGHTS = {
    "exact": 26, "no match": 8, "exists": 8, "substring": 12, "compare": 18, "semver": 14, "qualified": 9, "odd": 5,
}


class Leaves:
    """Conditions on one attribute or one segment."""

    def __init__(self, dice: Dice, values: AttributeValues) -> None:
        self._dice = dice
        self._values = values

    def any(self) -> dict[str, Any]:
        match = self._dice.weighted(MATCH_WEIGHTS)
        if match == "substring":
            # Avoids the empty needle, which Foundation never finds and Python always finds.
            return self._leaf(match, self._attribute("text"), self._dice.pick(NEEDLES))
        if match == "compare":
            value = self._value("number", otherwise=["25", True, None, [1]])
            return self._leaf(self._dice.pick(COMPARISONS), self._attribute("number"), value)
        if match == "semver":
            # Avoids numbers as version targets: Turnout turns them into text, Python answers "unknown".
            value = self._value("version", otherwise=[True, None])
            return self._leaf(self._dice.pick(VERSION_COMPARISONS), self._attribute("version"), value)
        if match == "odd":
            return self._odd()
        if match in ("exists", "qualified"):
            return self._qualified(self._dice.pick([7, None])) if self._dice.chance(0.03) else self.definite()
        return self._exact(has_match=match == "exact")

    def definite(self) -> dict[str, Any]:
        """A leaf that is true or false for every user, never unknown.

        Avoids leaves without a name: Turnout calls them unknown, Python does not.
        """
        if self._dice.chance(0.5):
            return self._qualified(self._dice.pick(SEGMENTS))
        return {"type": "custom_attribute", "match": "exists", "name": self._attribute("text", strictly=False)}

    def _exact(self, has_match: bool) -> dict[str, Any]:
        # Avoids lists and objects as expected values: Turnout compares them deeply, Python does not.
        name = self._attribute("text", strictly=False)
        value = self._value(KIND_BY_ATTRIBUTE[name], otherwise=["25", 25, True, False, None])
        leaf = self._leaf("exact", name, value)
        if not has_match:
            leaf["match"] = None
            if self._dice.chance(0.7):
                del leaf["match"]
        return leaf

    def _odd(self) -> dict[str, Any]:
        """Leaves that both sides evaluate to "unknown"."""
        leaf = self._exact(has_match=True)
        change = self._dice.pick(["unknown match", "unknown type", "no type", "no name", "no value"])
        if change == "unknown match":
            leaf["match"] = self._dice.pick(["regex", "Exact", ""])
        elif change == "unknown type":
            leaf["type"] = self._dice.pick(["custom_dimension", "Custom_attribute"])
        else:
            del leaf[change.removeprefix("no ")]
        return leaf

    def _leaf(self, match: str, name: str, value: Any) -> dict[str, Any]:
        kind = "third_party_dimension" if self._dice.chance(0.1) else "custom_attribute"
        leaf = {"type": kind, "match": match, "name": name, "value": value}
        return leaf | {"futureField": [1]} if self._dice.chance(0.05) else leaf

    def _qualified(self, segment: Any) -> dict[str, Any]:
        return {"type": "third_party_dimension", "match": "qualified", "name": "odp.audiences", "value": segment}

    def _attribute(self, kind: str, strictly: bool = True) -> str:
        fitting = [name for name, its_kind in KIND_BY_ATTRIBUTE.items() if its_kind == kind]
        return self._dice.pick(fitting if strictly and self._dice.chance(0.9) else list(KIND_BY_ATTRIBUTE))

    def _value(self, kind: str, otherwise: list[Any]) -> Any:
        return self._dice.pick(otherwise) if self._dice.chance(0.08) else self._values.for_condition(kind)


class Trees:
    """Nested `and`, `or` and `not`.

    Avoids shapes on which the sides differ: `["and"]` without operands, empty lists inside a tree, a list as first item
    of a list, and, below a `not`, an `and` in which an unknown operand comes before a false one (Turnout stops at the
    first unknown). For the last, `leaf(True)` must give a leaf that is allowed below a `not`, and `definite()` must
    give one that is never unknown.
    """

    def __init__(
        self, dice: Dice, leaf: Callable[[bool], Condition], definite: Callable[[], Condition],
        odd_operands: list[Condition],
    ) -> None:
        self._dice = dice
        self._leaf = leaf
        self._definite = definite
        self._odd_operands = odd_operands

    def grow(self, depth: int, negated: bool = False) -> Condition:
        if depth == 0 or self._dice.chance(0.3):
            return self._leaf(negated)
        operator = self._dice.weighted({"and": 3, "or": 3, "not": 2, "implicit or": 1})
        if operator == "not":
            ignored = [self._leaf(True)] if self._dice.chance(0.1) else []
            return ["not", self.grow(depth - 1, negated=True), *ignored]
        operands = self._operands(operator, depth - 1, negated)
        return operands if operator == "implicit or" else [operator, *operands]

    def _operands(self, operator: str, depth: int, negated: bool) -> list[Condition]:
        count = self._dice.number(1, 3)
        if operator == "and" and negated:
            return [self._definite() for _ in range(count - 1)] + [self.grow(depth, negated)]
        first = self._leaf(negated) if operator == "implicit or" else self.grow(depth, negated)
        rest = [self.grow(depth, negated) for _ in range(count - 1)]
        if self._odd_operands and self._dice.chance(0.1):
            rest.append(self._dice.pick(self._odd_operands))
        return [first, *rest]
