"""The subject of the comparison: the `turnout` command."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from typing import Any

from .comparison import COMPARED, Mismatch, Outcome
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


def replay(binary: str, round_: Round, log: list[dict[str, Any]], scratch: Path) -> list[Mismatch]:
    """Decides again what the reference told its listeners and sent; `decide` has written the files."""
    if not log:
        return []
    path = scratch / "log.ndjson"
    path.write_text("".join(json.dumps(line) + "\n" for line in log), encoding="utf-8")
    arguments = ["replay", path, "--datafile", scratch / "datafile.json", "--users", scratch / "users.ndjson"]
    if "ignoreUserProfileService" not in round_.options:
        arguments += ["--profiles", scratch / "profiles.json"]
    finished = subprocess.run(
        [binary, *map(str, arguments), "--all", "--output", "json"], capture_output=True, text=True, encoding="utf-8"
    )
    if finished.returncode not in (0, 3):
        raise CommandFailed(f"turnout replay ended with status {finished.returncode}: {finished.stderr.strip()}")
    report = json.loads(finished.stdout)
    if report["unknownLines"] or report["notComparable"] or report["decided"] < len(log):
        raise CommandFailed(f"turnout replay does not read the log: {report}")
    return [
        Mismatch(
            line["user"], line["flag"], {"replay": {part["part"]: part["now"] for part in line["parts"]}},
            {part["part"]: part["log"] for part in line["parts"]})
        for line in report["differences"]
    ]


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
