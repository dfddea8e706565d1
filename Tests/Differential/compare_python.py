"""Compares the decisions of `turnout` and of the vendor's Python SDK, for random datafiles and users.

The two sides are known to differ in corner cases that are documented with the project. The generator avoids only those;
a comment that starts with "Avoids" marks each such place. A round depends only on the seed and its number.
"""

from __future__ import annotations

import copy
import json
import random
import shlex
import subprocess
import sys
from collections import Counter
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Iterable

import support
from datafiles import Datafile, DatafileMaker
from dice import Dice
from optimizely.helpers.enums import NotificationTypes
from optimizely.user_profile import UserProfileService
from reference import (
    DISAGREEMENT, OPTION_BY_NAME, UNABLE, RecordedEvents, SideFailed, context, same, silent_client,
)  # fmt: skip
from users import Profile, User, UserMaker, random_user_ids
from values import AttributeValues, Versions

# Avoids `enabledFlagsOnly`: it changes no decision, and what it hides cannot be compared.
OPTIONS = ["includeReasons", "excludeVariables", "ignoreUserProfileService", "disableDecisionEvent"]
COMPARED = ["variation", "rule", "enabled", "variables", "impression"]
# Enough to recognize a pattern.
SHOWN = 5


@dataclass(frozen=True)
class Round:
    """A datafile, its users, and the options of the calls."""

    number: int
    datafile: Datafile
    datafile_text: str
    users: list[User]
    profiles: dict[str, Profile] = field(default_factory=dict)
    options: list[str] = field(default_factory=list)

    def narrowed(self, user_id: str) -> Round:
        """The same round with a single user."""
        return replace(self, users=[user for user in self.users if user["user"] == user_id])

    def write(self, directory: Path) -> list[str]:
        """Writes the files that `turnout decide` reads, and returns its command line."""
        directory.mkdir(parents=True, exist_ok=True)
        lines = [json.dumps(user, ensure_ascii=False) + "\n" for user in self.users]
        (directory / "datafile.json").write_text(self.datafile_text, encoding="utf-8")
        (directory / "users.ndjson").write_text("".join(lines), encoding="utf-8")
        (directory / "profiles.json").write_text(json.dumps(self.profiles, ensure_ascii=False), encoding="utf-8")
        options = ["--options", ",".join(self.options)] if self.options else []
        return [
            str(support.TURNOUT), "decide", "--datafile", f"{directory}/datafile.json",
            "--users", f"{directory}/users.ndjson", "--profiles", f"{directory}/profiles.json", *options,
            "--effects", "--output", "ndjson",
        ]  # fmt: skip


@dataclass
class Outcome:
    """The decisions of one side for one round, as plain JSON."""

    # user -> flag -> the members named in COMPARED
    decisions: dict[str, dict[str, dict[str, Any]]] = field(default_factory=dict)
    # user -> experiment id -> variation id newly stored in the user's profile
    assignments: dict[str, dict[str, str]] = field(default_factory=dict)
    # what the reference told its listeners and sent as events, as lines of a log
    log: list[dict[str, Any]] = field(default_factory=list)


@dataclass(frozen=True)
class Mismatch:
    user: str
    flag: str | None
    """None for the stored assignments, which belong to all flags of the user together."""
    turnout: Any
    python: Any


def random_round(seed: int, number: int) -> Round:
    dice = Dice(f"{seed}/{number}")
    values = AttributeValues(dice, Versions(dice))
    options = dice.some(OPTIONS, 3) if dice.chance(0.3) else []
    user_ids = random_user_ids(dice, dice.number(8, 30))
    maker = DatafileMaker(dice, values, user_ids, may_enable_holdouts="excludeVariables" in options)
    datafile = maker.make()
    text = json.dumps(datafile, ensure_ascii=dice.chance(0.5), indent=dice.pick([None, 2]))
    users = UserMaker(dice, values, datafile)
    profiles = {identifier: profile for identifier in user_ids if (profile := users.profile(identifier)) is not None}
    return Round(number, datafile, text, [users.user(identifier) for identifier in user_ids], profiles, options)


# The vendor's side


class RecordedProfiles(UserProfileService):
    """A profile service that remembers what was stored without handing it out again."""

    def __init__(self, profiles: dict[str, Profile]) -> None:
        self._profiles = profiles
        self._saved: dict[str, Profile] = {}

    def lookup(self, user_id: str) -> Profile | None:  # type: ignore[override]  # the SDK expects None too
        return copy.deepcopy(self._profiles.get(user_id))

    def save(self, profile: Profile) -> None:
        self._saved[profile["user_id"]] = copy.deepcopy(profile)

    def assignments(self) -> dict[str, dict[str, str]]:
        """Per user, the entries that were not in the profile before."""
        return {user: self._additions(user, profile["experiment_bucket_map"]) for user, profile in self._saved.items()}

    def _additions(self, user: str, entries: dict[str, Any]) -> dict[str, str]:
        before = self._profiles.get(user, {}).get("experiment_bucket_map", {})
        return {key: entry["variation_id"] for key, entry in entries.items() if before.get(key) != entry}


def python_outcome(round_: Round) -> Outcome:
    outcome = Outcome()
    events, profiles = RecordedEvents(outcome.log), RecordedProfiles(round_.profiles)

    def record(kind: str, user_id: str, attributes: dict[str, Any], info: dict[str, Any]) -> None:
        line = {"type": kind, "user_id": user_id, "attributes": attributes, "decision_info": copy.deepcopy(info)}
        outcome.log.append(line)

    try:
        client = silent_client(round_.datafile_text, events, profiles)
        client.notification_center.add_notification_listener(NotificationTypes.DECISION, record)
        for user in round_.users:
            decisions = context(client, user).decide_all([OPTION_BY_NAME[name] for name in round_.options])
            sent = events.impressions()
            outcome.decisions[user["user"]] = {
                key: dict(zip(COMPARED, [
                    each.variation_key, each.rule_key, each.enabled, each.variables, sent.get(key)
                ])) for key, each in decisions.items()
            }  # fmt: skip
        client.close()
    except Exception as error:
        raise SideFailed(f"optimizely-sdk failed: {error!r}") from error
    outcome.assignments = profiles.assignments()
    return outcome


# The side of `turnout`


def run_turnout(command: list[str], allowed: tuple[int, ...]) -> str:
    finished = subprocess.run(command, capture_output=True, text=True, encoding="utf-8")
    if finished.returncode not in allowed:
        raise SideFailed(f"{shlex.join(command)} ended with status {finished.returncode}: {finished.stderr.strip()}")
    return finished.stdout


def turnout_outcome(round_: Round, scratch: Path) -> Outcome:
    """Decides a whole round in one process."""
    outcome = Outcome()
    # Not splitlines(), which also splits at separators that may stand inside JSON strings.
    for line in map(json.loads, run_turnout(round_.write(scratch), (0,)).split("\n")[:-1]):
        user, effects = line["user"], line["effects"]
        flat = line | {"impression": effects["impression"]}
        outcome.decisions.setdefault(user, {})[line["flag"]] = {name: flat[name] for name in COMPARED}
        if assignment := effects["assignment"]:
            outcome.assignments.setdefault(user, {})[assignment["experiment_id"]] = assignment["variation_id"]
    return outcome


def replayed(round_: Round, log: list[dict[str, Any]], scratch: Path) -> list[Mismatch]:
    """Decides again what the reference told its listeners and sent; `turnout_outcome` has written the files."""
    if not log:
        return []
    path = scratch / "log.ndjson"
    path.write_text("".join(json.dumps(line) + "\n" for line in log), encoding="utf-8")
    command = ["replay", path, "--datafile", scratch / "datafile.json", "--users", scratch / "users.ndjson"]
    if "ignoreUserProfileService" not in round_.options:
        command += ["--profiles", scratch / "profiles.json"]
    report = json.loads(run_turnout([*map(str, [support.TURNOUT, *command])] + ["--all", "--output", "json"], (0, 3)))
    if report["unknownLines"] or report["notComparable"] or report["decided"] < len(log):
        raise SideFailed(f"turnout replay does not read the log: {report}")
    return [
        Mismatch(
            line["user"], line["flag"], {"replay": {part["part"]: part["now"] for part in line["parts"]}},
            {part["part"]: part["log"] for part in line["parts"]})
        for line in report["differences"]
    ]


# The comparison


def mismatches(round_: Round, turnout: Outcome, python: Outcome) -> Iterable[Mismatch]:
    keys = {flag["key"] for flag in round_.datafile["featureFlags"]}
    for user in (each["user"] for each in round_.users):
        ours, theirs = turnout.decisions.get(user, {}), python.decisions.get(user, {})
        for flag in sorted(keys | set(ours) | set(theirs)):
            if not same(ours.get(flag), theirs.get(flag)):
                yield Mismatch(user, flag, ours.get(flag), theirs.get(flag))
        stored = turnout.assignments.get(user, {}), python.assignments.get(user, {})
        if not same(*stored):
            yield Mismatch(user, None, *stored)


def show(mismatch: Mismatch, round_: Round, directory: Path) -> None:
    """Prints a mismatch, and keeps what is needed to see it again."""
    place = "stored assignments" if mismatch.flag is None else f"flag {mismatch.flag!r}"
    print(f"\nMISMATCH  round {round_.number}  user {mismatch.user!r}  {place}\n  turnout  {mismatch.turnout}")
    print(f"  python   {mismatch.python}\n  again    {shlex.join(round_.narrowed(mismatch.user).write(directory))}")


def kinds(outcome: Outcome) -> Iterable[str]:
    """What sort of rule made each decision, as its impression says."""
    for decisions in outcome.decisions.values():
        for decision in decisions.values():
            impression = decision["impression"]
            yield impression["metadata"]["rule_type"] or "no rule" if impression else "no impression"


def compare(rounds: Iterable[Round], decisions: int, keep: Path) -> int:
    """Compares rounds until enough decisions were compared, and returns the exit status."""
    found, counts = 0, Counter()
    with support.workspace() as scratch:
        for round_ in rounds:
            try:
                theirs, ours = python_outcome(round_), turnout_outcome(round_, scratch)
                problems = [*mismatches(round_, ours, theirs), *replayed(round_, theirs.log, scratch)]
            except SideFailed as failure:
                print(f"\nFAILED  round {round_.number}\n  {failure}\n  again  {shlex.join(round_.write(keep))}")
                return UNABLE
            for mismatch in problems:
                found += 1
                if found <= SHOWN:
                    show(mismatch, round_, keep / f"{round_.number}-{found}")
            counts.update(kinds(theirs))
            if counts.total() >= decisions:
                break
    print("decided by " + ", ".join(f"{name}: {count:,}" for name, count in counts.most_common()))
    print(f"{counts.total():,} decisions compared: {found:,} mismatches")
    return DISAGREEMENT if found else 0


def main() -> int:
    arguments = support.options(__doc__, decisions=2000, seed=random.randrange(2**31), round=0)
    print(f"seed {arguments.seed}; to repeat a round: --seed {arguments.seed} --round NUMBER", flush=True)
    numbers = [arguments.round] if arguments.round else range(1, sys.maxsize)
    rounds = (random_round(arguments.seed, number) for number in numbers)
    return compare(rounds, arguments.decisions, support.ROOT / f".build/compare-python/{arguments.seed}")


if __name__ == "__main__":
    sys.exit(main())
