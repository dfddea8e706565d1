"""Rounds of events: a datafile, and calls for its users, with all options and tags of all types."""

import json
from dataclasses import dataclass
from typing import Any

from datafiles import Datafile, DatafileMaker
from dice import Dice, Names
from users import User, UserMaker, random_user_ids
from values import AttributeValues, Versions

Call = dict[str, Any]

OPTIONS = [
    "disableDecisionEvent", "enabledFlagsOnly", "excludeVariables", "ignoreUserProfileService", "includeReasons",
]
RESERVED = ["$opt_user_agent", "$opt_bot_filtering", "$opt_tier", "$opt_", "$opt_größe \"1\"", "$optional", "opt_x", ""]
# Values of reserved attributes: scalars of all types, and values that events cannot carry.
RESERVED_VALUES = ["Mozilla/5.0 (X11)", "", True, False, 0, -7, 2.5, -0.0, 2**53 + 2, 2**64 + 1, None, ["x"], {"k": 1}]

WHOLE = [0, 1, -1, 4250, -300, 2**31, 2**53 + 1, 2**63 - 1, -(2**63), 2**63, 10**20, -(2**64) - 1]
FRACTIONS = [0.0, -0.0, 12.5, -12.9, 0.99, -0.1, 1e-7, 99.99, 3.0, 2.0**53 + 2, 9.2e18, 1e19, -1e300]
NUMERIC_TEXTS = ["5", "-5", "3.5", " 7 ", "1e3", "1_000", ".5", "٣"]
TEXTS = ["", "shoes", "1,234", "nan", "inf", "-Infinity", "größe 日本 🙂", "\"\\\\/\b\f\n\r\t\x01\x7f\u2028", "true"]
SPECIAL_TAGS = ["revenue", "value"]
TAG_NAMES = [
    "category", "größe", "🙂", "", "a/\"b\\", "$opt_event_properties", "Revenue", "tags", "decisions", "timestamp",
    "uuid",
]


class CallMaker:
    """Makes calls for the users of one datafile."""

    def __init__(self, dice: Dice, datafile: Datafile) -> None:
        self._dice = dice
        self._flags = [flag["key"] for flag in datafile["featureFlags"]]
        self._events = [event["key"] for event in datafile["events"]]

    def some(self, user: User) -> list[Call]:
        """One to five calls for the same user."""
        if self._dice.chance(0.5):
            added = {name: self._dice.pick(RESERVED_VALUES) for name in self._dice.some(RESERVED, 4)}
            user = user | {"attributes": user.get("attributes", {}) | added}
        return [user | self._call() for _ in range(self._dice.number(1, 5))]

    def _call(self) -> Call:
        kind = self._dice.weighted({"track": 5, "decide": 3, "decideSome": 1, "decideAll": 1})
        if kind == "track":
            event = "no such event" if self._dice.chance(0.05) else self._dice.pick(self._events)
            return {"call": kind, "event": event} | ({} if self._dice.chance(0.15) else {"tags": self._tags()})
        call: Call = {"call": kind, "options": self._dice.some(OPTIONS, 2) if self._dice.chance(0.4) else []}
        if kind == "decide":
            call["flag"] = "no such flag" if self._dice.chance(0.03) else self._dice.pick(self._flags)
        if kind == "decideSome":
            chosen = self._dice.some(self._flags * 2, 4)
            call["flags"] = [*chosen, "no such flag"] if self._dice.chance(0.1) else chosen
        return call

    def _tags(self) -> dict[str, Any]:
        names = [name for name in SPECIAL_TAGS if self._dice.chance(0.6)] + self._dice.some(TAG_NAMES, 3)
        return {name: self._value(depth=0) for name in self._dice.shuffled(names)}

    def _value(self, depth: int) -> Any:
        kinds = {"whole": 5, "fraction": 4, "number as text": 2, "text": 4, "truth": 2, "null": 1, "deep": 0.05}
        nested = {"list": 2, "members": 2} if depth < 4 else {}
        kind = self._dice.weighted(kinds | nested)
        if kind == "list":
            return [self._value(depth + 1) for _ in range(self._dice.number(0, 4))]
        if kind == "members":
            names = self._dice.some([*SPECIAL_TAGS, *TAG_NAMES], 4)
            return {name: self._value(depth + 1) for name in names}
        if kind == "deep":
            return _nested(self._dice.number(20, 45))
        if kind == "truth":
            return self._dice.chance(0.5)
        if kind == "null":
            return None
        return self._dice.pick({
            "whole": WHOLE, "fraction": FRACTIONS, "number as text": NUMERIC_TEXTS, "text": TEXTS,
        }[kind])


def _nested(depth: int) -> Any:
    value: Any = "bottom"
    for level in range(depth):
        value = [value] if level % 2 else {"k": value}
    return value


CLIENT, OPTIMIZELY = INTERFACES = ["client", "optimizely"]
BLANK_LAYERS = [" ", "\t\n", "\u00a0"]


@dataclass(frozen=True)
class Round:
    number: int
    datafile: Datafile
    datafile_text: str
    interface: str
    """Of Turnout: its own, or the vendor's."""
    events_per_request: int
    calls: list[Call]

    @property
    def steps(self) -> str:
        """The input of the event printer, which counts its lines: the first call is number 2."""
        first = {
            "datafile": self.datafile_text, "eventsPerRequest": self.events_per_request, "interface": self.interface,
        }
        return "".join(json.dumps(line, allow_nan=False) + "\n" for line in [first, *self.calls])


def random_round(seed: int, number: int) -> Round:
    """The round depends only on the seed and its number, so it can be repeated individually."""
    dice = Dice(f"events/{seed}/{number}")
    values = AttributeValues(dice, Versions(dice))
    user_ids = random_user_ids(dice, dice.number(8, 20))
    datafile = DatafileMaker(dice, values, user_ids, may_enable_holdouts=True).make()
    _vary(datafile, dice)
    users, calls = UserMaker(dice, values, datafile), CallMaker(dice, datafile)
    made = [call for identifier in user_ids for call in calls.some(users.user(identifier))]
    text = json.dumps(datafile, ensure_ascii=dice.chance(0.5))
    return Round(number, datafile, text, INTERFACES[number % 2], dice.pick([1, 3, 10]), made)


def _vary(datafile: Datafile, dice: Dice) -> None:
    """Changes members that affect events but no decisions.

    Avoids regions in lower case, which Python takes for the ones it knows; Turnout takes US for all it does not know.
    """
    names = Names(dice)
    for member in ["accountId", "projectId", "revision"]:
        datafile[member] = dice.weighted({str(dice.number(1, 10**12)): 8, "": 0.3, "n\"º\\ 1": 1})
    datafile["events"] += [{"id": names.id(), "key": names.key("event"), "experimentIds": []} for _ in range(3)]
    if dice.chance(0.2):
        datafile["attributes"].append({"id": names.id(), "key": "$opt_tier"})
    holders = [datafile, *datafile["groups"], *datafile["rollouts"]]
    for rule in [rule for holder in holders for rule in holder["experiments"]]:
        if dice.chance(0.03):
            rule["layerId"] = dice.pick(BLANK_LAYERS)


def described(call: Call) -> dict[str, Any]:
    """A call without its user, for reports."""
    return {key: value for key, value in call.items() if key not in ("attributes", "segments", "forcedDecisions")}
