"""Random users: attributes, segments, forced decisions and stored profiles."""

from typing import Any

from datafiles import Datafile, feature_rollouts
from dice import Dice
from values import BUCKETING_ID, KIND_BY_ATTRIBUTE, SEGMENTS, AttributeValues

User = dict[str, Any]
Profile = dict[str, Any]

ID_FORMS = ["user{}", "user {}", "ユーザー{}", "größe-{}@example.com", "🙂{}", "{}", "{}/\"\\", " {} "]


def random_user_ids(dice: Dice, count: int) -> list[str]:
    """Different ids; now and then the empty one, which both sides accept."""
    ids = [dice.pick(ID_FORMS).format(dice.number(1, 999_999) * 1000 + serial) for serial in range(count)]
    return [*ids[1:], ""] if dice.chance(0.1) else ids


class UserMaker:
    """Makes the users and profiles that go with one datafile."""

    def __init__(self, dice: Dice, values: AttributeValues, datafile: Datafile) -> None:
        self._dice = dice
        self._values = values
        self._datafile = datafile
        grouped = [each for group in datafile["groups"] for each in group["experiments"]]
        self._experiments = {each["id"]: each for each in datafile["experiments"] + grouped}
        self._rollouts = {each["id"]: each["experiments"] for each in datafile["rollouts"]}
        borrowings = feature_rollouts(datafile["featureFlags"], [*self._experiments.values()], datafile["rollouts"])
        self._borrowed = {experiment["id"]: variation["id"] for experiment, variation in borrowings}

    def user(self, identifier: str) -> User:
        user: User = {"user": identifier}
        attributes = self._attributes()
        if attributes or self._dice.chance(0.5):
            user["attributes"] = attributes
        if self._dice.chance(0.6):
            user["segments"] = self._dice.some(SEGMENTS, 3)
        if self._dice.chance(0.25):
            user["forcedDecisions"] = self._forced_decisions()
        return user

    def profile(self, identifier: str) -> Profile | None:
        """Avoids malformed profiles, which Turnout starts afresh and Python partly uses."""
        if self._dice.chance(0.6) or not self._experiments:
            return None
        entries = {}
        for experiment in self._dice.some(self._experiments.values(), 4):
            ids = [each["id"] for each in experiment["variations"]] * 3 + ["no such variation"]
            ids += [self._borrowed[experiment["id"]]] * 2 if experiment["id"] in self._borrowed else []
            entries[experiment["id"]] = {"variation_id": self._dice.pick(ids)}
        if self._dice.chance(0.1):
            entries["no such experiment"] = {"variation_id": "1"}
        return {"user_id": identifier, "experiment_bucket_map": entries}

    def _attributes(self) -> dict[str, Any]:
        names = [name for name in KIND_BY_ATTRIBUTE if self._dice.chance(0.85)]
        attributes = {name: self._values.for_user(KIND_BY_ATTRIBUTE[name]) for name in names}
        if self._dice.chance(0.15):
            # Both sides ignore bucketing ids that are not text, and use the empty text.
            serial = self._dice.number(1, 9999)
            attributes[BUCKETING_ID] = self._dice.pick([f"bucket {serial}", f"bücket{serial}", "", 7, None])
        if self._dice.chance(0.1):
            attributes["unheard of"] = "x"
        return attributes

    def _forced_decisions(self) -> list[dict[str, str]]:
        """One to three entries for different places; now and then for a flag, rule or variation that does not exist."""
        forced: dict[tuple[str, str | None], str] = {}
        for _ in range(self._dice.number(1, 3)):
            flag = self._dice.pick(self._datafile["featureFlags"])
            rules = [self._experiments[identifier] for identifier in flag["experimentIds"]]
            rules += self._rollouts.get(flag["rolloutId"], [])
            flag_key = "no such flag" if self._dice.chance(0.04) else flag["key"]
            rule_key = self._dice.pick([each["key"] for each in rules] * 2 + ["no such rule"])
            variations = [each["key"] for rule in rules for each in rule["variations"]]
            place = (flag_key, None if self._dice.chance(0.4) else rule_key)
            forced[place] = self._dice.pick(variations * 2 + ["no such variation"])
        return [
            {"flag": flag, "variation": variation} | ({} if rule is None else {"rule": rule})
            for (flag, rule), variation in forced.items()
        ]
