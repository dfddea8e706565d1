"""Command line of the comparison; see `Scripts/compare-python`."""

from __future__ import annotations

import argparse
import os
import random
import sys
import tempfile
from pathlib import Path
from typing import Iterator

from . import reference, subject
from .comparison import mismatches
from .coverage import Coverage
from .report import Report
from .rounds import Round, random_round, stored_rounds

ROOT = Path(__file__).resolve().parents[2]
DISAGREEMENT, UNABLE = 1, 2


def parsed_arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="Scripts/compare-python", description="Compares turnout with optimizely-sdk.")
    parser.add_argument("--decisions", type=int, default=2000, metavar="N", help="compare at least N (default 2000)")
    parser.add_argument("--seed", type=int, default=random.randrange(2**31), metavar="S", help="default: a random one")
    parser.add_argument("--round", type=int, metavar="R", help="repeat this round of the seed and no other")
    parser.add_argument("--stored", type=Path, metavar="DIR",
                        help="compare the rounds in DIR, folders with datafile.json and users.ndjson")
    parser.add_argument("--keep", type=Path, default=ROOT / ".build/compare-python", metavar="DIR",
                        help="where the inputs of mismatches go (default .build/compare-python)")
    parser.add_argument("--without-turnout", action="store_true",
                        help="only run the reference, to see what the generator covers")
    return parser.parse_args()


def main() -> int:
    arguments = parsed_arguments()
    binary = os.environ.get("TURNOUT", str(ROOT / ".build/release/turnout"))
    if not arguments.without_turnout and not os.access(binary, os.X_OK):
        print(f"{binary} is missing: build it, or name another one in TURNOUT", file=sys.stderr)
        return UNABLE
    print(f"seed {arguments.seed}", flush=True)
    report = Report(arguments.seed, binary, arguments.keep, is_random=arguments.stored is None)
    coverage = Coverage()
    with tempfile.TemporaryDirectory() as scratch, coverage.counting_leaves():
        completed = run(arguments, binary, report, coverage, Path(scratch))
    if not completed:
        return UNABLE
    print(f"\n{coverage.table()}\n")
    if arguments.without_turnout:
        print(f"{coverage.decisions:,} decisions of the reference alone, seed {arguments.seed}")
        return 0
    report.end(coverage.decisions)
    return DISAGREEMENT if report.mismatches else 0


def run(arguments: argparse.Namespace, binary: str, report: Report, coverage: Coverage, scratch: Path) -> bool:
    """Runs rounds until enough decisions were compared; false if a side could not decide."""
    for round_ in rounds(arguments, coverage):
        try:
            theirs = reference.decide(round_, coverage)
            if not arguments.without_turnout:
                ours = subject.decide(binary, round_, scratch)
                replayed = subject.replay(binary, round_, theirs.log, scratch)
                for mismatch in mismatches(round_, ours, theirs) + replayed:
                    report.add(round_, mismatch)
        except (reference.ReferenceFailed, subject.CommandFailed) as failure:
            report.add_failure(round_, str(failure))
            return False
    return True


def rounds(arguments: argparse.Namespace, coverage: Coverage) -> Iterator[Round]:
    if arguments.stored is not None:
        yield from stored_rounds(arguments.stored)
    elif arguments.round is not None:
        yield random_round(arguments.seed, arguments.round)
    else:
        number = 1
        while coverage.decisions < arguments.decisions:
            yield random_round(arguments.seed, number)
            number += 1


if __name__ == "__main__":
    sys.exit(main())
