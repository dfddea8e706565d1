"""The intended differences: the changes that turn one of Python's events into the expected one.

The result must equal Turnout's event in every field, so these changes cannot hide other differences, and an
intended difference that disappears is reported. Where the sides differ, either Turnout follows the vendor's Swift
client, or both vendor clients have a defect.
"""

import copy
import math
from collections import Counter
from dataclasses import dataclass
from typing import Any, Callable, Iterator

from event_rounds import Call, Round
from reference import same

BOT_FILTERING = "$opt_bot_filtering"
DEPTH_LIMIT = 32


@dataclass(frozen=True)
class Case:
    """One of Python's events, and its origin."""

    round: Round
    call: Call
    body: dict[str, Any]

    @property
    def visitor(self) -> dict[str, Any]:
        return self.body["visitors"][0]

    @property
    def event(self) -> dict[str, Any]:
        return self.visitor["snapshots"][0]["events"][0]

    @property
    def decisions(self) -> list[dict[str, Any]]:
        return self.visitor["snapshots"][0].get("decisions", [])

    def tag(self, name: str) -> Any:
        return self.call.get("tags", {}).get(name)


def region(case: Case) -> None:
    case.body["region"] = case.round.datafile.get("region", "US")


def no_tags(case: Case) -> None:
    if "tags" not in case.call:
        case.event["tags"] = {}


def blank_layer(case: Case) -> None:
    for decision in case.decisions:
        if decision["campaign_id"].isspace():
            decision["campaign_id"] = case.event["entity_id"] = decision["experiment_id"]


def fraction_of_revenue(case: Case) -> None:
    tag = case.tag("revenue")
    if type(tag) is float and abs(tag) < 2**63:
        case.event["revenue"] = math.trunc(tag)


def revenue_beyond_64_bits(case: Case) -> None:
    tag = case.tag("revenue")
    if type(tag) is int and not -(2**63) <= tag < 2**63:
        del case.event["revenue"]


def value_in_words(case: Case) -> None:
    if type(case.tag("value")) is str:
        case.event.pop("value", None)


def exact_value(case: Case) -> None:
    tag = case.tag("value")
    if type(tag) is int and -(2**63) <= tag < 2**63:
        case.event["value"] = tag


def large_attributes(case: Case) -> None:
    ids = {attribute["key"]: attribute["id"] for attribute in case.round.datafile["attributes"]}
    given = case.call.get("attributes", {})
    large = {
        key: {"entity_id": ids.get(key, key), "key": key, "type": "custom", "value": _in_64_bits(value)}
        for key, value in given.items()
        if type(value) in (int, float) and abs(value) > 2**53 and (key in ids or key.startswith("$opt_"))
    }
    entries, last = case.visitor["attributes"], _projects_word(case)
    sent = {entry["key"]: entry for entry in (entries[:-1] if last else entries)} | large
    case.visitor["attributes"] = [sent[key] for key in given if key in sent] + last


def _projects_word(case: Case) -> list[dict[str, Any]]:
    return case.visitor["attributes"][-1:] if "botFiltering" in case.round.datafile else []


def tags_by(rule: Callable[[Any], Any]) -> Callable[[Case], None]:
    def amend(case: Case) -> None:
        if not case.decisions:
            case.event["tags"] = rule(case.event["tags"])

    return amend


def _without_nulls(value: Any) -> Any:
    if isinstance(value, list):
        return [_without_nulls(each) for each in value if each is not None]
    if isinstance(value, dict):
        return {name: _without_nulls(each) for name, each in value.items() if each is not None}
    return value


def _in_64_bits(value: Any) -> Any:
    if isinstance(value, list):
        return [_in_64_bits(each) for each in value]
    if isinstance(value, dict):
        return {name: _in_64_bits(each) for name, each in value.items()}
    return float(value) if type(value) is int and not -(2**63) <= value < 2**63 else value


def _shallow(value: Any, room: int = DEPTH_LIMIT) -> Any:
    """The tags count as one level."""
    if isinstance(value, list):
        return [_shallow(each, room - 1) for each in value if room > 0 or not isinstance(each, (list, dict))]
    if isinstance(value, dict):
        kept = {name: each for name, each in value.items() if room > 0 or not isinstance(each, (list, dict))}
        return {name: _shallow(each, room - 1) for name, each in kept.items()}
    return value


@dataclass(frozen=True)
class Known:
    name: str
    reason: str
    amend: Callable[[Case], None]


# In the order in which they are applied.
KNOWN = [
    Known("region", "the Swift client names the region in its events; Python only sends them there", region),
    Known("no tags", "the Swift client writes {} if there are none; Python leaves the field out", no_tags),
    Known("blank layer", "the Swift client takes the rule's id instead; Python only if it is empty", blank_layer),
    Known("fraction of revenue", "the Swift client drops the fraction; Python the revenue", fraction_of_revenue),
    Known("revenue beyond 64 bits", "it fits no Swift integer; Python has larger ones", revenue_beyond_64_bits),
    Known("value in words", "the Swift client takes numbers only; Python texts that look like one", value_in_words),
    Known("exact value", "whole numbers stay as they are; Python rounds them to doubles", exact_value),
    Known("large attributes", "the Swift client has no limit; Python leaves out numbers beyond 2^53", large_attributes),
    Known("null tags", "the Swift client leaves out what has no value, at all depths", tags_by(_without_nulls)),
    Known("tags beyond 64 bits", "they become doubles; Python has larger whole numbers", tags_by(_in_64_bits)),
    Known("deep tags", "what lies deeper than 32 levels is left out", tags_by(_shallow)),
]


class KnownDifferences:
    """Counts how often each difference occurred."""

    def __init__(self) -> None:
        self._counts: Counter[str] = Counter()

    def amended(self, requests: list[dict[str, Any]], round_: Round, call: Call) -> Iterator[dict[str, Any]]:
        """Python's events for a call, corrected by the known differences."""
        for request in copy.deepcopy(requests):
            case = Case(round_, call, request["body"])
            for known in KNOWN:
                before = copy.deepcopy(case.body)
                known.amend(case)
                self._counts[known.name] += not same(before, case.body)
            yield request

    def table(self) -> str:
        rows = [f"  {self._counts[known.name]:>9,}  {known.name + ':':<24}{known.reason}" for known in KNOWN]
        return "\n".join(["known differences", *rows])
