"""Compares rounds, and counts what was compared."""

from __future__ import annotations

from collections import Counter
from typing import Any, Iterator

from . import printer, vendor
from .differences import differences
from .fields import FieldChecks
from .known import KnownDifferences
from .rounds import Round

Request = dict[str, Any]


class Comparison:
    def __init__(self, binary: str) -> None:
        self._binary = binary
        self._fields = FieldChecks()
        self.known = KnownDifferences()
        self.counts: Counter[str] = Counter()
        self.events = self.calls = 0

    def problems(self, round_: Round) -> Iterator[tuple[int, str]]:
        """What is wrong in a round, with the numbers of the calls."""
        theirs, ours = vendor.events(round_), printer.requests(self._binary, round_)
        for index, (call, requests, events) in enumerate(zip(round_.calls, ours, theirs)):
            expected = list(self.known.amended(events, round_, call))
            yield from ((index, problem) for problem in problems(round_, requests, expected, self._fields))
            self._count(requests, expected)

    def _count(self, requests: list[Request], events: list[Request]) -> None:
        self.calls += 1
        self.events += len(events)
        self.counts["calls without an event"] += not events
        self.counts["requests with several events"] += len(requests) < len(events)
        self.counts.update(_kind(event) for event in events)


def problems(round_: Round, ours: list[Request], expected: list[Request], fields: FieldChecks) -> list[str]:
    """What is wrong with the requests of a call: fields first, as wrong ones cannot be compared."""
    found = [problem for request in ours for problem in fields.problems(request)]
    return found or [*_disagreements(round_, ours, expected)]


def _disagreements(round_: Round, requests: list[Request], expected: list[Request]) -> Iterator[str]:
    if any(len(each["body"]["visitors"]) > round_.events_per_request for each in requests):
        yield f"a request has more than {round_.events_per_request} events"
    events = printer.events(requests)
    if len(events) != len(expected):
        yield f"{len(events)} events, Python has {len(expected)}"
    for ours, theirs in zip(events, expected):
        yield from map(str, differences(ours, theirs))


def _kind(event: Request) -> str:
    decisions = event["body"]["visitors"][0]["snapshots"][0].get("decisions")
    return f"impressions, {decisions[0]['metadata']['rule_type']}" if decisions else "conversions"
