"""Compares rounds, and counts what was compared."""

from __future__ import annotations

import json
from collections import Counter
from typing import Any, Iterator

from . import printer, vendor
from .differences import differences
from .fields import FieldChecks
from .known import KnownDifferences
from .rounds import CLIENT, OPTIMIZELY, Round

Request = dict[str, Any]
INTERFACE_NAMES = {CLIENT: "TurnoutClient", OPTIMIZELY: "Optimizely"}
CLIENT_NAMES = {CLIENT: "turnout", OPTIMIZELY: "swift-sdk"}


class Comparison:
    def __init__(self, binary: str) -> None:
        self._binary = binary
        self._fields = FieldChecks()
        self.known = KnownDifferences()
        self.counts: Counter[str] = Counter()
        self.events = self.calls = 0

    def problems(self, round_: Round) -> Iterator[tuple[int, str]]:
        """The problems in a round, with the numbers of the calls."""
        theirs, ours = vendor.events(round_), printer.requests(self._binary, round_)
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
    events, expected = printer.events(requests), [_sent_by(round_.interface, event) for event in expected]
    if round_.interface == OPTIMIZELY:
        events, expected = [*map(_unordered, events)], [*map(_unordered, expected)]
    if len(events) != len(expected):
        yield f"{len(events)} events, Python has {len(expected)}"
    for ours, theirs in zip(events, expected):
        yield from map(str, differences(ours, theirs))


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
