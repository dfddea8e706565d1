"""The subject of the comparison: the `turnout` command."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from typing import Any

from .comparison import COMPARED, Outcome
from .rounds import Round


class CommandFailed(Exception):
    """The command could not decide, or answered something that is not its documented output."""


def decide(binary: str, round_: Round, scratch: Path) -> Outcome:
    """Decides a whole round in one process."""
    arguments = round_.write(scratch)
    finished = subprocess.run([binary, *arguments], capture_output=True, text=True, encoding="utf-8")
    if finished.returncode != 0:
        raise CommandFailed(f"turnout ended with status {finished.returncode}: {finished.stderr.strip()}")
    try:
        # Not splitlines(), which also splits at separators that may stand inside JSON strings.
        return _outcome([json.loads(line) for line in finished.stdout.split("\n") if line])
    except (KeyError, TypeError, ValueError) as error:
        raise CommandFailed(f"turnout's output is not as documented: {error!r}") from error


def _outcome(lines: list[dict[str, Any]]) -> Outcome:
    outcome = Outcome()
    for line in lines:
        user, flag, effects = line["user"], line["flag"], line["effects"]
        flat = line | {"impression": effects["impression"]}
        outcome.decisions.setdefault(user, {})[flag] = {name: flat[name] for name in COMPARED}
        if assignment := effects["assignment"]:
            stored = outcome.assignments.setdefault(user, {})
            stored[assignment["experiment_id"]] = assignment["variation_id"]
    return outcome
