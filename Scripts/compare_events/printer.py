"""Turnout's events."""

from __future__ import annotations

import json
import subprocess
from typing import Any

from .rounds import Round


class PrinterFailed(Exception):
    """The program failed, or its output is not requests in JSON."""


def requests(binary: str, round_: Round) -> list[list[dict[str, Any]]]:
    """The requests of each call; one may carry several visitors."""
    finished = subprocess.run([binary], input=round_.steps, capture_output=True, text=True, encoding="utf-8")
    if finished.returncode != 0:
        raise PrinterFailed(f"event-printer ended with status {finished.returncode}: {finished.stderr.strip()}")
    result: list[list[dict[str, Any]]] = [[] for _ in round_.calls]
    try:
        for line in finished.stdout.split("\n"):
            if line:
                request = json.loads(line, object_pairs_hook=_members, parse_constant=_refused)
                result[request.pop("step") - 2].append(request)
    except (KeyError, ValueError) as error:
        raise PrinterFailed(f"event-printer printed no JSON: {error!r}") from error
    return result


def events(requests: list[dict[str, Any]]) -> list[dict[str, Any]]:
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
