"""Conditions, audiences, and how rules refer to them."""

import json
from typing import Any, Callable

from dice import Dice, Names
from values import KIND_BY_ATTRIBUTE, NEEDLES, SEGMENTS, AttributeValues

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


UNKNOWN_AUDIENCE = "no such audience"


class Audiences:
    """Some audiences of each kind: only for use above a `not`, for use below a `not`, and never unknown.

    Avoids audiences whose conditions are empty or name other audiences (Python raises an error), and two audiences with
    the same id in one list (the sides keep different ones).
    """

    def __init__(self, dice: Dice, names: Names, values: AttributeValues) -> None:
        self._dice = dice
        self.typed: list[dict[str, Any]] = []
        self.legacy: list[dict[str, Any]] = []
        leaves = Leaves(dice, values)
        trees = Trees(dice, lambda negated: leaves.any(), leaves.definite, odd_operands=[["or"], ["not"]])
        definite_trees = Trees(dice, lambda negated: leaves.definite(), leaves.definite, odd_operands=[])

        self._free = [self._add(names, trees.grow(3)) for _ in range(dice.number(2, 6))]
        self._negatable = [self._add(names, trees.grow(2, negated=True)) for _ in range(dice.number(1, 3))]
        self._definite = [self._add(names, definite_trees.grow(1)) for _ in range(dice.number(1, 2))]
        self._references = Trees(
            dice, self._reference, lambda: dice.pick(self._definite), odd_operands=["and", "or", "not", ["or"], ["not"]]
        )

    def targeting(self, everyone: float) -> dict[str, Any]:
        """The two audience fields of a rule; `everyone` is the share of rules without any condition."""
        if self._dice.chance(everyone):
            return self._dice.pick([
                {"audienceIds": []},
                {"audienceIds": [], "audienceConditions": None},
                {"audienceIds": [self._reference(False)], "audienceConditions": []},
            ])
        if self._dice.chance(0.4):
            ids = [self._reference(False) for _ in range(self._dice.number(1, 3))]
            return {"audienceIds": ids} | self._dice.pick([{}, {"audienceConditions": None}])
        # Avoids attribute leaves here (Python cannot load them), and a lone operator as the whole condition.
        return {
            "audienceIds": [self._reference(False)] if self._dice.chance(0.3) else [],
            "audienceConditions": self._references.grow(2),
        }

    def _reference(self, negated: bool) -> str:
        if self._dice.chance(0.04):
            return UNKNOWN_AUDIENCE
        pool = self._negatable + self._definite
        return self._dice.pick(pool if negated else pool + self._free)

    def _add(self, names: Names, conditions: Condition) -> str:
        """Puts an audience into one of the two lists, sometimes with an ignored one of the same id in the other.

        Avoids text-encoded conditions in the typed list and plain ones in the legacy list, which Python cannot load.
        """
        audience = {"id": names.id(), "name": names.key("audience")}
        if self._dice.chance(0.6):
            self.typed.append(audience | {"conditions": conditions})
            if self._dice.chance(0.3):
                loser = '["or", {"type": "custom_attribute", "match": "exists", "name": "age"}]'
                self.legacy.append(audience | {"conditions": loser})
        else:
            text = json.dumps(conditions, ensure_ascii=self._dice.chance(0.5))
            self.legacy.append(audience | {"conditions": text})
        return audience["id"]
