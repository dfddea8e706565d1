"""Experiments, rollout rules and holdouts."""

from __future__ import annotations

from typing import Any

from .audiences import Audiences
from .dice import Dice
from .names import Names
from .variables import overrides

VARIATION_KEYS = ["on", "off", "control", "variation_1", "größer", "日本"]
# A feature rollout also serves a variation of another rule. Avoids that one having a key of its own variations: a
# whitelist entry naming that key then means different variations to the two sides.
RAMP_KEYS = ["ramp_on", "ramp_off"]

STATUSES = {"Running": 82, "Paused": 8, "Launched": 4, "Not started": 3, "Archived": 3}
HOLDOUT_STATUSES = {"Running": 85, "Draft": 5, "Concluded": 5, "Archived": 5}
# Only `fr`, a feature rollout, decides anything.
EXPERIMENT_TYPES = {"": 50, "ab": 20, "fr": 16, "mab": 4, "td": 4, "cmab": 2, "feature_rollout": 4}


class Rules:
    """Makes the rules of one datafile."""

    def __init__(self, dice: Dice, names: Names, audiences: Audiences, user_ids: list[str]) -> None:
        self._dice = dice
        self._names = names
        self._audiences = audiences
        self._user_ids = user_ids

    def experiment(self, variables: list[dict[str, Any]]) -> dict[str, Any]:
        kind = self._dice.weighted(EXPERIMENT_TYPES)
        keys = RAMP_KEYS if kind == "fr" else VARIATION_KEYS
        experiment = self._rule("experiment", keys, variables, everyone=0.4)
        experiment["status"] = self._dice.weighted(STATUSES)
        experiment["forcedVariations"] = self._whitelist(experiment)
        if kind:
            experiment["type"] = kind
        if self._dice.chance(0.05):
            # Avoids contextual bandits that let users in: Turnout does not predict in synchronous calls, Python does.
            # With no traffic both fall through, and both still honor a whitelist and a stored profile.
            experiment |= {"cmab": {"trafficAllocation": 0, "attributeIds": []}, "trafficAllocation": []}
        return experiment

    def rollout(self, variables: list[dict[str, Any]]) -> dict[str, Any]:
        """Zero to three targeted rules and an everyone-else rule; rarely nothing at all.

        Avoids bandits among rollout rules: Turnout buckets them like others, Python serves nothing.
        """
        shares = [0.15] * self._dice.number(0, 3) + [0.85]
        rules = [self._rule("rule", VARIATION_KEYS, variables, everyone) for everyone in shares]
        if self._dice.chance(0.04):
            rules = []
        for rule in rules:
            rule["status"] = self._dice.weighted(STATUSES)  # both sides ignore it
            rule["forcedVariations"] = self._whitelist(rule)  # and this
        return {"id": self._names.id(), "experiments": rules}

    def holdout(self, variables: list[dict[str, Any]], may_be_enabled: bool) -> dict[str, Any]:
        """Avoids enabled holdout variations where variables are read: Python answers null for each of them.

        Avoids `excludeTargetedDeliveries: true`, which Turnout does not know.
        """
        holdout = self._rule("holdout", VARIATION_KEYS[:2], variables, everyone=0.5)
        del holdout["layerId"]
        holdout["status"] = self._dice.weighted(HOLDOUT_STATUSES)
        for variation in holdout["variations"]:
            variation["featureEnabled"] = may_be_enabled and self._dice.chance(0.5)
        share = self._dice.weighted({800: 4, 3000: 3, 10000: 1, 0: 1})
        holdout["trafficAllocation"] = self.ranges([each["id"] for each in holdout["variations"]], share)
        return holdout | self._dice.pick([{}, {"excludeTargetedDeliveries": False}, {"futureField": {"a": 1}}])

    def ranges(self, entities: list[str], total: int | None = None) -> list[dict[str, Any]]:
        """Traffic for the entities in order, sometimes with holes, strangers or in disorder."""
        if total is None:
            total = self._dice.weighted({10000: 6, 5000: 2, self._dice.number(1, 9999): 2, 0: 0.4})
        entities = list(entities)
        if self._dice.chance(0.12):
            entities.insert(self._dice.number(0, len(entities)), self._dice.pick(["", "no such entity"]))
        if not entities or self._dice.chance(0.03):
            return []
        ends = sorted(self._dice.number(0, total) for _ in entities[1:]) + [total]
        ranges = [{"entityId": entity, "endOfRange": end} for entity, end in zip(entities, ends)]
        return self._dice.shuffled(ranges) if self._dice.chance(0.04) else ranges

    def _rule(self, stem: str, keys: list[str], variables: list[dict[str, Any]], everyone: float) -> dict[str, Any]:
        identifier = self._names.id()
        chosen = self._dice.shuffled(keys)[: self._dice.weighted({0: 0.2, 1: 4, 2: 5, 3: 2})]
        variations = [self._variation(key, variables) for key in chosen]
        return {
            "id": identifier,
            "key": identifier if stem == "rule" and self._dice.chance(0.5) else self._names.key(stem),
            # Avoids blank but not empty layer ids, which Python puts into events as they are.
            "layerId": self._dice.weighted({self._names.id(): 9, "": 1}),
            "variations": variations,
            "trafficAllocation": self.ranges([each["id"] for each in variations]),
        } | self._audiences.targeting(everyone)

    def _variation(self, key: str, variables: list[dict[str, Any]]) -> dict[str, Any]:
        variation: dict[str, Any] = {"id": self._names.id(), "key": key}
        enabled = self._dice.weighted({"true": 12, "false": 4, "null": 1, "absent": 1})
        if enabled != "absent":
            variation["featureEnabled"] = None if enabled == "null" else enabled == "true"
        if self._dice.chance(0.9):
            variation["variables"] = overrides(self._dice, variables)
        elif self._dice.chance(0.3):
            variation["variables"] = None
        return variation

    def _whitelist(self, rule: dict[str, Any]) -> dict[str, str]:
        if self._dice.chance(0.6):
            return {}
        keys = [each["key"] for each in rule["variations"]] + ["no such variation"]
        return {user: self._dice.pick(keys) for user in self._dice.some(self._user_ids, 3)}
