"""Compares datafiles with those that their imported projects compile to, both decided by the vendor's SDK.

    Scripts/vendor-python -m compare_python.imports DIR --users N --limit N --seed S

DIR has a folder for each datafile, with original.json and compiled.json. See `Scripts/compare-compiled --datafiles`.
"""

from __future__ import annotations

import argparse
import json
import random
import sys
from pathlib import Path
from typing import Any, Iterator

from optimizely.decision.optimizely_decide_option import OptimizelyDecideOption

from .comparison import same
from .reference import RecordedImpressions, context, silent_client

Datafile = dict[str, Any]
DISAGREEMENT, UNABLE = 1, 2
SHOWN = 5


class Users:
    """Random users whose attributes have values that conditions compare with, values near them, or others."""

    def __init__(self, datafile: Datafile, dice: random.Random) -> None:
        self._dice = dice
        self._values: dict[str, list[Any]] = {each["key"]: [] for each in datafile["attributes"]}
        self._segments: list[str] = []
        for audience in [*datafile.get("audiences", []), *datafile.get("typedAudiences", [])]:
            self._collect(_parsed(audience["conditions"]))
        self._allowed = sorted({user for rule in experiments(datafile) for user in rule.get("forcedVariations") or {}})

    def next(self, number: int) -> dict[str, Any]:
        identifier = self._allowed[number] if number < len(self._allowed) else f"user {number}"
        names = [name for name in self._values if self._dice.random() < 0.8]
        user = {"user": identifier, "attributes": {name: self._value(self._values[name]) for name in names}}
        if self._dice.random() < 0.1:
            user["attributes"]["$opt_bucketing_id"] = f"bucket {self._dice.randrange(1000)}"
        if self._segments:
            user["segments"] = [each for each in self._segments if self._dice.random() < 0.5]
        return user

    def _collect(self, condition: Any) -> None:
        if isinstance(condition, list):
            for each in condition:
                self._collect(each)
        elif isinstance(condition, dict):
            if condition.get("match") == "qualified":
                self._segments.append(str(condition.get("value")))
            else:
                self._values.setdefault(str(condition.get("name")), []).append(condition.get("value"))

    def _value(self, values: list[Any]) -> Any:
        if not values or self._dice.random() < 0.1:
            return self._dice.choice(["x", 3, 0.5, True, None, "2.0.1"])
        value = self._dice.choice(values)
        if isinstance(value, (int, float)) and not isinstance(value, bool):
            return value + self._dice.choice([-1, 0, 0, 1, 0.5])
        if isinstance(value, str):
            return self._dice.choice([value, value, value + "a", value[:-1], value + ".1"])
        return value


def experiments(datafile: Datafile) -> list[dict[str, Any]]:
    grouped = [each for group in datafile["groups"] for each in group["experiments"]]
    return datafile["experiments"] + grouped


def _parsed(condition: Any) -> Any:
    return json.loads(condition) if isinstance(condition, str) else condition


class Client:
    def __init__(self, text: str) -> None:
        self._impressions = RecordedImpressions([])
        self._client = silent_client(text, self._impressions)

    def outcomes(self, user: dict[str, Any], keys: list[str]) -> dict[str, Any]:
        """What all flags decide, with their impressions, and the variations of the experiments with these keys."""
        options = [OptimizelyDecideOption.IGNORE_USER_PROFILE_SERVICE]
        decided = context(self._client, user).decide_all(options)
        sent = self._impressions.taken()
        outcomes: dict[str, Any] = {
            f"flag {key}": [each.variation_key, each.rule_key, each.enabled, each.variables, sent.get(key)]
            for key, each in decided.items()
        }
        for key in keys:
            outcomes[f"experiment {key}"] = self._client.get_variation(key, user["user"], user["attributes"])
        return outcomes


def compared(folder: Path, users: int, limit: int, seed: int) -> Iterator[tuple[str, str, Any, Any]]:
    """All outcomes of both datafiles: user, what is decided, and both results."""
    texts = [(folder / f"{name}.json").read_text(encoding="utf-8") for name in ("original", "compiled")]
    datafile = json.loads(texts[0])
    keys = sorted({each["key"] for each in experiments(datafile)})
    original, compiled = Client(texts[0]), Client(texts[1])
    maker = Users(datafile, random.Random(f"{seed}/{folder.name}"))
    decisions = 0
    for number in range(users):
        if decisions >= limit:
            return
        user = maker.next(number)
        before, after = original.outcomes(user, keys), compiled.outcomes(user, keys)
        decisions += len(before | after)
        for name in before | after:
            yield json.dumps(user, ensure_ascii=False), name, before.get(name), after.get(name)


def main() -> int:
    parser = argparse.ArgumentParser(prog="compare_python.imports")
    parser.add_argument("directory", type=Path)
    parser.add_argument("--users", type=int, default=1000)
    parser.add_argument("--limit", type=int, default=500_000, help="decisions of a datafile, for those with many flags")
    parser.add_argument("--seed", type=int, required=True)
    arguments = parser.parse_args()
    total = mismatches = count = 0
    rejected: list[str] = []
    for folder in sorted(arguments.directory.iterdir()):
        name = (folder / "name.txt").read_text(encoding="utf-8")
        decisions = 0
        try:
            outcomes = compared(folder, arguments.users, arguments.limit, arguments.seed)
            for user, place, before, after in outcomes:
                decisions += 1
                if not same(before, after):
                    mismatches += 1
                    if mismatches <= SHOWN:
                        print(f"MISMATCH {name}, {place}, {user}")
                        print(f"  original  {before}\n  compiled  {after}", flush=True)
        except Exception as error:  # The SDK fails on some datafiles of the specification, with any error.
            rejected.append(f"{name}: {error!r}")
        count += decisions > 0
        total += decisions
    for each in rejected:
        print(f"the SDK cannot decide {each}")
    print(
        f"{count} datafiles, up to {arguments.users:,} users each, {total:,} decisions compared, "
        f"seed {arguments.seed}: {mismatches:,} mismatches, {len(rejected)} datafiles that the SDK cannot decide"
    )
    return DISAGREEMENT if mismatches else UNABLE if count == 0 else 0


if __name__ == "__main__":
    sys.exit(main())
