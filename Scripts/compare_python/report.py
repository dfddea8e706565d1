"""Prints mismatches and keeps what is needed to see them again."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from .comparison import COMPARED, Mismatch, same
from .rounds import Round, command_line

# Enough to recognize a pattern; only the first mismatch of each flag in a round is reported.
SHOWN = 5


class Report:
    def __init__(self, seed: int, binary: str, keep: Path, is_random: bool = True) -> None:
        self._seed = seed
        self._binary = binary
        self._keep = keep
        self._is_random = is_random
        self._shown: set[tuple[int, str | None]] = set()
        self.mismatches = 0

    def add(self, round_: Round, mismatch: Mismatch) -> None:
        self.mismatches += 1
        if len(self._shown) == SHOWN or (round_.number, mismatch.flag) in self._shown:
            return
        self._shown.add((round_.number, mismatch.flag))
        place = "stored assignments" if mismatch.flag is None else f"flag {_text(mismatch.flag)}"
        directory = self._keep / f"{self._seed}-{round_.number}-{len(self._shown)}"
        command = self._keep_inputs(directory, round_, mismatch)
        print(f"\nMISMATCH  seed {self._seed}  round {round_.number}  user {_text(mismatch.user)}  {place}")
        for name, ours, theirs in _differences(mismatch):
            print(f"  {name}\n    turnout  {_text(ours)}\n    python   {_text(theirs)}")
        print(f"  datafile  {directory / 'datafile.json'}")
        print(f"  again     {command}", flush=True)
        if self._is_random:
            print(f"  or        Scripts/compare-python --seed {self._seed} --round {round_.number}", flush=True)

    def add_failure(self, round_: Round, reason: str) -> None:
        directory = self._keep / f"{self._seed}-{round_.number}"
        directory.mkdir(parents=True, exist_ok=True)
        command = command_line(self._binary, round_.write(directory))
        print(f"\nFAILED  seed {self._seed}  round {round_.number}\n  {reason}\n  again  {command}", flush=True)

    def end(self, compared: int) -> None:
        if self.mismatches > len(self._shown):
            print(f"{self.mismatches - len(self._shown):,} more mismatches are not shown.")
        print(f"{compared:,} decisions compared, seed {self._seed}: {self.mismatches:,} mismatches")

    def _keep_inputs(self, directory: Path, round_: Round, mismatch: Mismatch) -> str:
        directory.mkdir(parents=True, exist_ok=True)
        arguments = round_.narrowed(mismatch.user).write(directory)
        results = {"flag": mismatch.flag, "turnout": mismatch.turnout, "python": mismatch.python}
        text = json.dumps(results, ensure_ascii=False, indent=2)
        (directory / "results.json").write_text(text + "\n", encoding="utf-8")
        command = command_line(self._binary, arguments)
        (directory / "again.sh").write_text(command + "\n", encoding="utf-8")
        return command


def _differences(mismatch: Mismatch) -> list[tuple[str, Any, Any]]:
    ours, theirs = mismatch.turnout, mismatch.python
    if mismatch.flag is None or ours is None or theirs is None:
        return [("result", ours, theirs)]
    return [(name, ours[name], theirs[name]) for name in COMPARED if not same(ours[name], theirs[name])]


def _text(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)
