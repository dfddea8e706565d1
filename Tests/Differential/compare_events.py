"""Makes the same calls with Turnout and the vendor's Python SDK, and compares their events field by field.

`event_rounds` makes the calls. `event_fields` knows the fields of an event, and `event_differences` which differences
are intended, and why; all others fail. At the end, each part of Turnout's events is altered, which must be noticed.
"""

import copy
import json
import random
import subprocess
import sys
from collections import Counter
from pathlib import Path
from typing import Any, Iterator

import support
from event_differences import KnownDifferences
from event_fields import FieldChecks
from event_rounds import CLIENT, OPTIMIZELY, Call, Round, described, random_round
from optimizely.optimizely_user_context import OptimizelyUserContext
from reference import (
    DISAGREEMENT, OPTION_BY_NAME, UNABLE, RecordedEvents, SideFailed, context, same, silent_client,
)  # fmt: skip

PRINTER = support.ROOT / ".build/programs/debug/event-printer"
# Enough to recognize a pattern.
SHOWN = 8
# By this many rounds, all fields have occurred.
PROVING_ROUNDS = 5

# The two sides


def python_events(round_: Round) -> list[list[dict[str, Any]]]:
    """The events of each call, as requests with one visitor."""
    recorded = RecordedEvents()
    try:
        client = silent_client(round_.datafile_text, recorded)
        result = []
        for call in round_.calls:
            _make(call, context(client, call))
            result.append(recorded.taken())
        client.close()
    except Exception as error:
        raise SideFailed(f"optimizely-sdk failed: {error!r}") from error
    return result


def _make(call: Call, user: OptimizelyUserContext) -> None:
    if call["call"] == "track":
        return user.track_event(call["event"], copy.deepcopy(call.get("tags")))
    options: list[Any] = [OPTION_BY_NAME[name] for name in call["options"]]
    if call["call"] == "decide":
        user.decide(call["flag"], options)
    elif call["call"] == "decideSome":
        user.decide_for_keys(call["flags"], options)
    else:
        user.decide_all(options)


def turnout_requests(round_: Round) -> list[list[dict[str, Any]]]:
    """The requests of each call; one may carry several visitors."""
    finished = subprocess.run([PRINTER], input=round_.steps, capture_output=True, text=True, encoding="utf-8")
    if finished.returncode != 0:
        raise SideFailed(f"event-printer ended with status {finished.returncode}: {finished.stderr.strip()}")
    result: list[list[dict[str, Any]]] = [[] for _ in round_.calls]
    try:
        for line in finished.stdout.split("\n"):
            if line:
                request = json.loads(line, object_pairs_hook=_members, parse_constant=_refused)
                result[request.pop("step") - 2].append(request)
    except (KeyError, ValueError) as error:
        raise SideFailed(f"event-printer printed no JSON: {error!r}") from error
    return result


def single_visitors(requests: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Splits requests into ones with a single visitor."""
    return [
        request | {"body": request["body"] | {"visitors": [visitor]}}
        for request in requests for visitor in request["body"]["visitors"]
    ]


def _members(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    members = dict(pairs)
    if len(members) < len(pairs):
        raise ValueError(f"an object has a name twice: {[name for name, _ in pairs]}")
    return members


def _refused(constant: str) -> Any:
    raise ValueError(f"{constant} is no JSON")


# The comparison


# A missing value, as opposed to null.
MISSING = ...
EVENT = ("body", "visitors", 0, "snapshots", 0, "events", 0)
# Random or deliberately different values. `event_fields` checks Turnout's.
LEFT_OUT = {("body", "client_version"), (*EVENT, "timestamp"), (*EVENT, "uuid")}


def differences(ours: Any, theirs: Any, path: tuple[str | int, ...] = ()) -> Iterator[str]:
    """The smallest differing parts. The order of list elements is significant, that of members is not."""
    if path in LEFT_OUT:
        return
    if isinstance(ours, dict) and isinstance(theirs, dict):
        for name in sorted(set(ours) | set(theirs)):
            yield from differences(ours.get(name, MISSING), theirs.get(name, MISSING), (*path, name))
    elif isinstance(ours, list) and isinstance(theirs, list) and len(ours) == len(theirs):
        for index, each in enumerate(ours):
            yield from differences(each, theirs[index], (*path, index))
    elif ours is MISSING or theirs is MISSING or not same(ours, theirs):
        yield f"{'.'.join(map(str, path))}\n    turnout  {ours!r}\n    python   {theirs!r}"


Request = dict[str, Any]
INTERFACE_NAMES = {CLIENT: "TurnoutClient", OPTIMIZELY: "Optimizely"}
CLIENT_NAMES = {CLIENT: "turnout", OPTIMIZELY: "swift-sdk"}


class Comparison:
    def __init__(self) -> None:
        self._fields = FieldChecks()
        self.known = KnownDifferences()
        self.counts: Counter[str] = Counter()
        self.events = self.calls = 0

    def problems(self, round_: Round) -> Iterator[tuple[int, str]]:
        """The problems in a round, with the numbers of the calls."""
        theirs, ours = python_events(round_), turnout_requests(round_)
        for index, (call, requests, events) in enumerate(zip(round_.calls, ours, theirs)):
            expected = list(self.known.amended(events, round_, call))
            yield from ((index, problem) for problem in problems(round_, requests, expected, self._fields))
            self._count(round_, requests, expected)

    def _count(self, round_: Round, requests: list[Request], events: list[Request]) -> None:
        self.calls += 1
        self.events += len(events)
        self.counts["calls without an event"] += not events
        self.counts["requests with several events"] += len(requests) < len(events)
        self.counts.update(f"{_kind(event)}, {INTERFACE_NAMES[round_.interface]}" for event in events)


def problems(round_: Round, ours: list[Request], expected: list[Request], fields: FieldChecks) -> list[str]:
    """The problems of a call's requests: fields first, since invalid ones cannot be compared."""
    found = [problem for request in ours for problem in fields.problems(request)]
    return found or [*_disagreements(round_, ours, expected)]


def _disagreements(round_: Round, requests: list[Request], expected: list[Request]) -> Iterator[str]:
    if any(len(each["body"]["visitors"]) > round_.events_per_request for each in requests):
        yield f"a request has more than {round_.events_per_request} events"
    events, expected = single_visitors(requests), [_sent_by(round_.interface, event) for event in expected]
    if round_.interface == OPTIMIZELY:
        events, expected = [*map(_unordered, events)], [*map(_unordered, expected)]
    if len(events) != len(expected):
        yield f"{len(events)} events, Python has {len(expected)}"
    for ours, theirs in zip(events, expected):
        yield from differences(ours, theirs)


def _sent_by(interface: str, event: Request) -> Request:
    """Python's event with the client's name, and the parts of the request that the interface exposes."""
    names = ("method", "headers", "url") if interface == CLIENT else ("url",)
    return {name: event[name] for name in names} | {"body": event["body"] | {"client_name": CLIENT_NAMES[interface]}}


def _unordered(event: Request) -> Request:
    """The vendor's interface takes attributes as a dictionary, which is unordered."""
    visitors = [
        visitor | {"attributes": sorted(visitor["attributes"], key=lambda entry: json.dumps(entry, sort_keys=True))}
        for visitor in event["body"]["visitors"]
    ]
    return event | {"body": event["body"] | {"visitors": visitors}}


def _kind(event: Request) -> str:
    decisions = event["body"]["visitors"][0]["snapshots"][0].get("decisions")
    return f"impressions, {decisions[0]['metadata']['rule_type']}" if decisions else "conversions"


# The proof of the comparison

REPLACEMENTS: list[Any] = [None, "", "x", "7", True, False, 0, 7, -7.5, [], ["x"], {}, {"x": 1}]
REMOVED = object()

Place = tuple[Any, ...]


class Proof:
    """Alters each kind of place in each way once."""

    def __init__(self) -> None:
        self.tried: set[tuple[str, str]] = set()

    def overlooked(self, round_: Round) -> Iterator[str]:
        """Alters Turnout's events in a round, and returns the alterations that are not detected."""
        known = KnownDifferences()
        for call, requests, events in zip(round_.calls, turnout_requests(round_), python_events(round_)):
            if len(set(call.get("flags", []))) < len(call.get("flags", [])):
                continue  # The order of events of one flag is not significant.
            expected = list(known.amended(events, round_, call))
            for path in _paths(requests):
                place = ".".join("[]" if isinstance(step, int) else step for step in path)
                for change, value in _changes(path, _at(requests, path)):
                    without_order = round_.interface == OPTIMIZELY and change == "turned round"
                    if (place, change) in self.tried or without_order:
                        continue
                    self.tried.add((place, change))
                    if not problems(round_, _changed(requests, path, value), expected, FieldChecks()):
                        yield f"{place} {change}"


def _changed(requests: list[Any], path: Place, value: Any) -> list[Any]:
    falsified = copy.deepcopy(requests)
    if value is REMOVED:
        del _at(falsified, path[:-1])[path[-1]]
    else:
        _at(falsified, path[:-1])[path[-1]] = value
    return falsified


def _changes(path: Place, value: Any) -> Iterator[tuple[str, Any]]:
    yield "removed", REMOVED
    # A version may be any string except an empty one.
    is_version = path[-1] == "client_version"
    for replacement in REPLACEMENTS:
        if not same(value, replacement) and not (is_version and replacement in ("x", "7")):
            yield f"replaced by {replacement!r}", replacement
    if isinstance(value, dict):
        yield "one member more", value | {"a member more": 1}
    if isinstance(value, list):
        yield "one element more", [*value, "an element more"]
        if len(value) > 1:
            yield "turned round", value[::-1]
            yield "its first element twice", [*value, value[0]]
    if isinstance(value, str) and value and not is_version:
        yield "in other letters", value.swapcase() if value.swapcase() != value else value + " "
    if path[-1] in ("timestamp", "revenue"):
        yield "with a fraction", float(value)
    if path[-1] == "timestamp":
        yield "in seconds", value // 1000


def _paths(value: Any, path: Place = ()) -> Iterator[Place]:
    """All nested places, except those in tags, which are compared like other values."""
    if path:
        yield path
    if isinstance(value, dict) and path[-1] != "tags":
        for name, each in value.items():
            yield from _paths(each, (*path, name))
    if isinstance(value, list):
        for index, each in enumerate(value):
            yield from _paths(each, (*path, index))


def _at(value: Any, path: Place) -> Any:
    for step in path:
        value = value[step]
    return value


def main() -> int:
    arguments = support.options(__doc__, events=4000, seed=random.randrange(2**31), round=0)
    print(f"seed {arguments.seed}; to repeat a round: --seed {arguments.seed} --round NUMBER", flush=True)
    package = ["--package-path", "Tests/Support/EventPrinter", "--scratch-path", ".build/programs"]
    subprocess.run(["Scripts/swift-build", "--quiet", *package], cwd=support.ROOT, check=True)
    comparison, proof = Comparison(), Proof()
    number, found = arguments.round or 1, 0
    while number == arguments.round or (not arguments.round and comparison.events < arguments.events):
        round_ = random_round(arguments.seed, number)
        try:
            for index, problem in comparison.problems(round_):
                found += 1
                if found <= SHOWN:
                    show(arguments.seed, round_, index, problem)
            if number <= PROVING_ROUNDS and not found:
                for falsification in proof.overlooked(round_):
                    found += 1
                    print(f"\nOVERLOOKED  round {number}\n  {falsification}", flush=True)
        except SideFailed as failure:
            print(f"\nFAILED  round {number}\n  {failure}\n  input  {kept(arguments.seed, round_)}")
            return UNABLE
        number += 1
    print("events")
    for name, count in sorted(comparison.counts.items()):
        print(f"  {count:>9,}  {name}")
    print(comparison.known.table())
    print(f"{len(proof.tried):,} falsified events tried, to see that they are noticed")
    print(f"{comparison.events:,} events of {comparison.calls:,} calls compared: {found:,} unknown differences")
    return DISAGREEMENT if found else 0


def show(seed: int, round_: Round, index: int, problem: str) -> None:
    print(f"\nDIFFERENCE  round {round_.number}  step {index + 2}\n  {problem}")
    print(f"  call      {json.dumps(described(round_.calls[index]), ensure_ascii=False)}")
    print(f"  again     {PRINTER} < {kept(seed, round_)}", flush=True)


def kept(seed: int, round_: Round) -> Path:
    """Writes the input of a round to a file."""
    path = support.ROOT / f".build/compare-events/{seed}-{round_.number}.ndjson"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(round_.steps, encoding="utf-8")
    return path


if __name__ == "__main__":
    sys.exit(main())
