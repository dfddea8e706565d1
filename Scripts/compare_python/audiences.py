"""The audiences of a datafile, and how rules refer to them."""

from __future__ import annotations

import json
from typing import Any

from .attributes import AttributeValues
from .conditions import Condition, Leaves, Trees
from .dice import Dice
from .names import Names

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
