"""One round: a datafile and the calls for its users."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

from compare_python.attributes import AttributeValues
from compare_python.datafiles import Datafile, DatafileMaker
from compare_python.dice import Dice
from compare_python.names import Names
from compare_python.users import UserMaker, random_user_ids
from compare_python.versions import Versions

from .calls import Call, CallMaker

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
