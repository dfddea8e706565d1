"""Command line of the comparison; see `Scripts/compare-events`."""

from __future__ import annotations

import argparse
import json
import os
import random
import sys
from pathlib import Path

from compare_python.reference import ReferenceFailed

from .comparison import Comparison
from .printer import PrinterFailed
from .proof import Proof
from .rounds import Round, described, random_round

ROOT = Path(__file__).resolve().parents[2]
DISAGREEMENT, UNABLE = 1, 2
# Enough to recognize a pattern.
SHOWN = 8
# By this many rounds, all fields have occurred.
PROVING_ROUNDS = 5


def parsed_arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="Scripts/compare-events", description="Compares events with optimizely-sdk.")
    parser.add_argument("--events", type=int, default=4000, metavar="N", help="compare at least N (default 4000)")
    parser.add_argument("--seed", type=int, default=random.randrange(2**31), metavar="S", help="default: a random one")
    parser.add_argument("--round", type=int, metavar="R", help="repeat this round of the seed and no other")
    parser.add_argument("--keep", type=Path, default=ROOT / ".build/compare-events", metavar="DIR",
                        help="where the inputs of mismatches go (default .build/compare-events)")
    return parser.parse_args()


def main() -> int:
    arguments = parsed_arguments()
    binary = os.environ["EVENT_PRINTER"]
    print(f"seed {arguments.seed}", flush=True)
    comparison, proof = Comparison(binary), Proof(binary)
    number, found = arguments.round or 1, 0
    while arguments.round == number or (arguments.round is None and comparison.events < arguments.events):
        round_ = random_round(arguments.seed, number)
        try:
            for index, problem in comparison.problems(round_):
                found += 1
                if found <= SHOWN:
                    show(arguments, binary, round_, index, problem)
            if number <= PROVING_ROUNDS and not found:
                for falsification in proof.overlooked(round_):
                    found += 1
                    print(f"\nOVERLOOKED  seed {arguments.seed}  round {number}\n  {falsification}", flush=True)
        except (ReferenceFailed, PrinterFailed) as failure:
            print(f"\nFAILED  seed {arguments.seed}  round {number}\n  {failure}\n  input  {kept(arguments, round_)}")
            return UNABLE
        number += 1
    print("events")
    for name, count in sorted(comparison.counts.items()):
        print(f"  {count:>9,}  {name}")
    print(comparison.known.table())
    print(f"{proof.tried:,} falsified events tried, to see that they are noticed")
    print(f"{comparison.events:,} events of {comparison.calls:,} calls compared, seed {arguments.seed}: "
          f"{found:,} unknown differences")
    return DISAGREEMENT if found else 0


def show(arguments: argparse.Namespace, binary: str, round_: Round, index: int, problem: str) -> None:
    print(f"\nDIFFERENCE  seed {arguments.seed}  round {round_.number}  step {index + 2}")
    print(f"  {problem}\n  call      {json.dumps(described(round_.calls[index]), ensure_ascii=False)}")
    print(f"  again     {binary} < {kept(arguments, round_)}")
    print(f"  or        Scripts/compare-events --seed {arguments.seed} --round {round_.number}", flush=True)


def kept(arguments: argparse.Namespace, round_: Round) -> Path:
    """Writes the input of a round to a file."""
    arguments.keep.mkdir(parents=True, exist_ok=True)
    path = arguments.keep / f"{arguments.seed}-{round_.number}.ndjson"
    path.write_text(round_.steps, encoding="utf-8")
    return path


if __name__ == "__main__":
    sys.exit(main())
