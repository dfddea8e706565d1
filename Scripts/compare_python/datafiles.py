"""Random datafiles.

Avoids what only one side accepts: versions other than 4, missing or ill-typed members, unknown statuses, policies and
regions, experiment and rollout ids that lead nowhere.
"""

from __future__ import annotations

from typing import Any, Iterator

from .attributes import BUCKETING_ID, KIND_BY_ATTRIBUTE, AttributeValues
from .audiences import Audiences
from .dice import Dice
from .names import Names
from .rules import Rules
from .variables import random_variables

Datafile = dict[str, Any]


class DatafileMaker:
    """Builds one datafile, flag by flag; the parts refer to each other only by id."""

    def __init__(self, dice: Dice, values: AttributeValues, user_ids: list[str], may_enable_holdouts: bool) -> None:
        self._dice = dice
        self._names = Names(dice)
        self._audiences = Audiences(dice, self._names, values)
        self._rules = Rules(dice, self._names, self._audiences, user_ids)
        self._user_ids = user_ids
        self._may_enable_holdouts = may_enable_holdouts
        self._flags: list[dict[str, Any]] = []
        self._experiments: list[dict[str, Any]] = []
        self._rollouts: list[dict[str, Any]] = []

    def make(self) -> Datafile:
        for _ in range(self._dice.number(3, 8)):
            self._add_flag()
        self._share_rules_between_flags()
        self._whitelist_served_by_rollouts()
        groups = self._move_some_into_groups()
        return self._frame() | {
            "featureFlags": self._flags,
            "experiments": self._experiments,
            "groups": groups,
            "rollouts": self._rollouts,
            "typedAudiences": self._audiences.typed,
            "audiences": self._audiences.legacy,
        } | self._holdouts(groups)

    def _frame(self) -> Datafile:
        attributes = [*KIND_BY_ATTRIBUTE, BUCKETING_ID] if self._dice.chance(0.3) else KIND_BY_ATTRIBUTE
        frame: Datafile = {
            "version": "4", "projectId": "1", "accountId": "2", "revision": str(self._dice.number(1, 999)),
            "anonymizeIP": self._dice.chance(0.5),
            "attributes": [{"id": self._names.id(), "key": key} for key in attributes],
            "events": [{"id": self._names.id(), "key": "purchase", "experimentIds": []}],
        }
        frame |= self._dice.pick([{}, {"botFiltering": True}, {"botFiltering": False}])
        if self._dice.chance(0.75):
            frame["sendFlagDecisions"] = self._dice.chance(0.7)
        optional: list[Datafile] = [
            {}, {"region": "EU"}, {"region": "US"}, {"sdkKey": "k", "environmentKey": "e"}, {"futureField": [{}]},
        ]
        return frame | self._dice.pick(optional)

    def _add_flag(self) -> None:
        variables = random_variables(self._dice, self._names)
        experiments = [self._rules.experiment(variables) for _ in range(self._dice.weighted({0: 3, 1: 5, 2: 3, 3: 1}))]
        rollouts = [self._rules.rollout(variables)] if self._dice.chance(0.75) else []
        self._experiments += experiments
        self._rollouts += rollouts
        self._flags.append({
            "id": self._names.id(),
            "key": self._names.key("flag"),
            "experimentIds": [each["id"] for each in experiments],
            "rolloutId": rollouts[0]["id"] if rollouts else "",
            "variables": variables,
        })

    def _share_rules_between_flags(self) -> None:
        """Avoids one feature rollout in two flags: Python prepares the first flag before it sees the second."""
        shareable = [each["id"] for each in self._experiments if each.get("type") != "fr"]
        for flag in self._flags:
            strangers = [identifier for identifier in shareable if identifier not in flag["experimentIds"]]
            if strangers and self._dice.chance(0.25):
                flag["experimentIds"] = self._dice.shuffled([*flag["experimentIds"], self._dice.pick(strangers)])
            if self._rollouts and not flag["rolloutId"] and self._dice.chance(0.3):
                flag["rolloutId"] = self._dice.pick(self._rollouts)["id"]

    def _whitelist_served_by_rollouts(self) -> None:
        """A feature rollout may whitelist the variation that it takes from its flag's everyone-else rule."""
        for experiment, borrowed in feature_rollouts(self._flags, self._experiments, self._rollouts):
            if self._dice.chance(0.3):
                experiment["forcedVariations"] |= {user: borrowed["key"] for user in self._dice.some(self._user_ids, 2)}

    def _move_some_into_groups(self) -> list[dict[str, Any]]:
        groups = []
        for _ in range(self._dice.number(0, 2)):
            members = self._dice.some(self._experiments, 3)
            self._experiments = [each for each in self._experiments if each not in members]
            entities = [each["id"] for each in members]
            if self._experiments and self._dice.chance(0.1):
                entities.append(self._dice.pick(self._experiments)["id"])
            groups.append({
                "id": self._names.id(),
                "policy": self._dice.weighted({"random": 3, "overlapping": 1}),
                "experiments": members,
                "trafficAllocation": self._rules.ranges(entities),
            })
        return groups

    def _holdouts(self, groups: list[dict[str, Any]]) -> Datafile:
        def some(chance: float) -> list[dict[str, Any]]:
            count = self._dice.number(1, 2) if self._dice.chance(chance) else 0
            variables = [variable for flag in self._flags for variable in flag["variables"]]
            return [self._rules.holdout(variables, self._may_enable_holdouts) for _ in range(count)]

        containers = groups + self._rollouts
        rule_ids = [each["id"] for holder in containers for each in holder["experiments"]]
        rule_ids += [each["id"] for each in self._experiments]
        everywhere, local = some(0.35), some(0.5)
        for holdout in everywhere:
            if self._dice.chance(0.1):
                holdout["includedRules"] = rule_ids[:1]  # both sides ignore it here
        for holdout in local:
            scope = self._dice.weighted({"rules": 9, "none": 0.5, "absent": 0.5})
            if scope != "absent":
                holdout["includedRules"] = ["no such rule", *self._dice.some(rule_ids, 6)] if scope == "rules" else []
        holdouts = {"holdouts": everywhere, "localHoldouts": local}
        return {key: value for key, value in holdouts.items() if value or self._dice.chance(0.5)}


def feature_rollouts(
    flags: list[dict[str, Any]], experiments: list[dict[str, Any]], rollouts: list[dict[str, Any]]
) -> Iterator[tuple[dict[str, Any], dict[str, Any]]]:
    """Each experiment of type `fr` with its extra variation: the first one of its flag's last rollout rule."""
    experiment_by_id = {each["id"]: each for each in experiments}
    rules_by_rollout = {each["id"]: each["experiments"] for each in rollouts}
    for flag in flags:
        last = rules_by_rollout.get(flag["rolloutId"], [])[-1:]
        borrowed = [variation for rule in last for variation in rule["variations"]][:1]
        for identifier in flag["experimentIds"]:
            if borrowed and experiment_by_id[identifier].get("type") == "fr":
                yield experiment_by_id[identifier], borrowed[0]
