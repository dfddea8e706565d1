"""Counts the branches that the rounds covered, to show how much "0 mismatches" means."""

from __future__ import annotations

from collections import Counter
from contextlib import contextmanager
from typing import Iterable, Iterator
from unittest import mock

from optimizely.decision.optimizely_decision import OptimizelyDecision
from optimizely.helpers.condition import CustomAttributeConditionEvaluator

from .datafiles import Datafile, feature_rollouts
from .rounds import Round

BRANCHES = [
    "forced for the flag", "forced for an experiment", "forced for a rollout rule",
    "global holdout", "local holdout",
    "experiment, whitelisted", "experiment, stored before", "experiment, bucketed",
    "feature rollout, its own variation", "feature rollout, borrowed variation",
    "rollout rule, targeted", "rollout rule, everyone else",
    "nothing",
]
# Events on the way to a decision, by fragments of the SDK's reasons for them.
ENCOUNTERS = {
    "an invalid forced decision": ["Invalid variation is mapped"],
    "an experiment or holdout that is not running": ["is not running"],
    "an audience that does not match": ["does not meet"],
    "an exclusive group with no place": ["is in no experiment", "is not in experiment"],
    "traffic with no variation": ["Bucketed into an empty traffic range"],
    "a bucketing id that is not text": ["Bucketing ID attribute is not a string"],
}
OUTCOME_NAMES = {True: "true", False: "false", None: "unknown"}


class Coverage:
    def __init__(self) -> None:
        self.decisions = 0
        self._branches: Counter[str] = Counter()
        self._encounters: Counter[str] = Counter()
        self._leaves: Counter[tuple[str, str]] = Counter()
        self._rules = RuleKinds({})

    def count(self, round_: Round, decisions: Iterable[OptimizelyDecision]) -> None:
        if self._rules.datafile is not round_.datafile:
            self._rules = RuleKinds(round_.datafile)
        for decision in decisions:
            reasons = " ".join(decision.reasons)
            self.decisions += 1
            self._branches[self._rules.branch(decision, reasons)] += 1
            self._encounters.update(
                name for name, fragments in ENCOUNTERS.items() if any(each in reasons for each in fragments)
            )

    @contextmanager
    def counting_leaves(self) -> Iterator[None]:
        """Records every evaluation of a single condition while the context is open."""
        original = CustomAttributeConditionEvaluator.evaluate

        def watched(evaluator: CustomAttributeConditionEvaluator, index: int) -> bool | None:
            result = original(evaluator, index)
            match = evaluator.condition_data[index][3] or "(no match)"
            known = match == "(no match)" or match in CustomAttributeConditionEvaluator.EVALUATORS_BY_MATCH_TYPE
            self._leaves[match if known else "(other match)", OUTCOME_NAMES[result]] += 1
            return result

        with mock.patch.object(CustomAttributeConditionEvaluator, "evaluate", watched):
            yield

    def table(self) -> str:
        lines = ["decided by"]
        lines += [f"  {self._branches[name]:>9,}  {name}" for name in BRANCHES]
        lines += ["on the way to a decision"]
        lines += [f"  {self._encounters[name]:>9,}  {name}" for name in ENCOUNTERS]
        lines += ["conditions          true      false    unknown"]
        for match in sorted({match for match, _ in self._leaves}):
            counts = "".join(f"{self._leaves[match, outcome]:>11,}" for outcome in OUTCOME_NAMES.values())
            lines.append(f"  {match:<11}{counts}")
        return "\n".join(lines)


class RuleKinds:
    """Determines from a decision which branch of one datafile produced it."""

    def __init__(self, datafile: Datafile) -> None:
        self.datafile = datafile
        groups, rollouts = datafile.get("groups", []), datafile.get("rollouts", [])
        experiments = datafile.get("experiments", []) + [each for group in groups for each in group["experiments"]]
        borrowings = list(feature_rollouts(datafile.get("featureFlags", []), experiments, rollouts))
        self._global = {each["key"] for each in datafile.get("holdouts", [])}
        self._local = {each["key"] for each in datafile.get("localHoldouts", [])}
        self._delivery = {rule["key"] for rollout in rollouts for rule in rollout["experiments"]}
        self._everyone_else = {rule["key"] for rollout in rollouts for rule in rollout["experiments"][-1:]}
        self._feature_rollouts = {each["key"] for each in experiments if each.get("type") == "fr"}
        self._borrowed = {(experiment["key"], variation["key"]) for experiment, variation in borrowings}

    def branch(self, decision: OptimizelyDecision, reasons: str) -> str:
        rule, variation = decision.rule_key, decision.variation_key
        if variation is None:
            return "nothing"
        if rule is None:
            return "forced for the flag"
        if rule in self._global:
            return "global holdout"
        if rule in self._local:
            return "local holdout"
        if f"Variation ({variation}) is mapped to flag ({decision.flag_key}), rule ({rule})" in reasons:
            return "forced for a rollout rule" if rule in self._delivery else "forced for an experiment"
        if rule in self._delivery:
            return f"rollout rule, {'everyone else' if rule in self._everyone_else else 'targeted'}"
        return self._experiment_branch(rule, variation, reasons)

    def _experiment_branch(self, rule: str, variation: str, reasons: str) -> str:
        if "is forced in variation" in reasons:
            return "experiment, whitelisted"
        if "Returning previously activated variation" in reasons:
            return "experiment, stored before"
        if rule not in self._feature_rollouts:
            return "experiment, bucketed"
        return f"feature rollout, {'borrowed' if (rule, variation) in self._borrowed else 'its own'} variation"
