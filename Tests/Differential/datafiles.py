"""Random datafiles: experiments, rollout rules, holdouts, groups.

Avoids what only one side accepts: versions other than 4, missing or ill-typed members, unknown statuses, policies and
regions, experiment and rollout ids that lead nowhere.
"""

from typing import Any, Iterator

from audiences import Audiences
from dice import Dice, Names
from values import BUCKETING_ID, KIND_BY_ATTRIBUTE, AttributeValues, overrides, random_variables

Datafile = dict[str, Any]

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
