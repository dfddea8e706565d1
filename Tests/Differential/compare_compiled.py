"""Compares decisions from compiled projects: of `turnout`, and of the vendor's Python SDK.

The projects are random, of as many decisions as --decisions says. With --datafiles DIR, the datafiles of the
specification and those in DIR are imported and compiled instead, and the SDK decides both the original and the compiled
datafile, for as many users of each as --users says, up to --limit decisions for datafiles with many flags.
"""

import json
import os
import random
import subprocess
import sys
from pathlib import Path
from typing import Any, Iterator

import support
from compare_python import Round, compare
from datafiles import Datafile
from optimizely.decision.optimizely_decide_option import OptimizelyDecideOption
from reference import DISAGREEMENT, UNABLE, RecordedEvents, context, same, silent_client

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
        self._events = RecordedEvents()
        self._client = silent_client(text, self._events)

    def outcomes(self, user: dict[str, Any], keys: list[str]) -> dict[str, Any]:
        """What all flags decide, with their impressions, and the variations of the experiments with these keys."""
        options = [OptimizelyDecideOption.IGNORE_USER_PROFILE_SERVICE]
        decided = context(self._client, user).decide_all(options)
        sent = self._events.impressions()
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


def stored_round(folder: Path) -> Round:
    text = (folder / "datafile.json").read_text(encoding="utf-8")
    lines = (folder / "users.ndjson").read_text(encoding="utf-8").split("\n")
    return Round(int(folder.name), json.loads(text), text, [json.loads(line) for line in lines if line])


def compare_imports(folders: list[Path], users: int, limit: int, seed: int) -> int:
    total = mismatches = count = 0
    for folder in folders:
        name, decisions = (folder / "name.txt").read_text(encoding="utf-8"), 0
        try:
            for user, place, before, after in compared(folder, users, limit, seed):
                decisions += 1
                if not same(before, after):
                    mismatches += 1
                    if mismatches <= SHOWN:
                        print(f"MISMATCH {name}, {place}, {user}\n  original  {before}\n  compiled  {after}")
        except Exception as error:  # The SDK fails on some datafiles of the specification, with any error.
            print(f"the SDK cannot decide {name}: {error!r}")
        count += decisions > 0
        total += decisions
    print(f"{count} datafiles, up to {users:,} users each, {total:,} decisions compared: {mismatches:,} mismatches")
    return DISAGREEMENT if mismatches else UNABLE if count == 0 else 0


def main() -> int:
    arguments = support.options(
        __doc__, decisions=2000, datafiles="", users=10_000, limit=500_000, seed=random.randrange(2**15))  # fmt: skip
    print(f"seed {arguments.seed}", flush=True)
    test = "importedDatafilesAreWritten" if arguments.datafiles else "randomProjectsAreWritten"
    swift = support.ROOT / "Scripts/swift-all"
    with support.workspace() as written:
        environment = os.environ | {
            "TURNOUT_ROUNDS": str(written), "TURNOUT_ROUNDS_SEED": str(arguments.seed),
            "TURNOUT_ROUNDS_DECISIONS": str(arguments.decisions),
        }
        if arguments.datafiles:
            environment["TURNOUT_DATAFILES"] = str(Path(arguments.datafiles).resolve())
        subprocess.run([swift, "build", "--build-tests", "--quiet"], check=True)
        command = [swift, "test", "--skip-build", "--filter", f"CompiledRounds/{test}"]
        finished = subprocess.run(command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        folders = sorted(written.iterdir(), key=lambda each: (len(each.name), each.name))
        if finished.returncode or not folders:
            print(finished.stdout + "no project was compiled", file=sys.stderr)
            return UNABLE
        if arguments.datafiles:
            return compare_imports(folders, arguments.users, arguments.limit, arguments.seed)
        keep = support.ROOT / f".build/compare-compiled/{arguments.seed}"
        return compare(map(stored_round, folders), sys.maxsize, keep)


if __name__ == "__main__":
    sys.exit(main())
