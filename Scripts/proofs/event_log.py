"""Kills a process that appends events to a server's log, and fills its disk: no acknowledged event may be lost.

Each acknowledged body must be processed, once. On a full or read-only disk, bodies are refused; everything must work
again when the disk is repaired. Needs root for the small disk; that part is skipped without.
"""

import collections
import fnmatch
import random
import re
import subprocess
import time

import support
from support import BUILD, Conversation, Program, Skipped, expect, mount

PROGRAM = BUILD / "event-log"


def kill(directory, rounds):
    data, acknowledged = directory / "data", directory / "acknowledged"
    for number in range(rounds):
        with open(acknowledged, "ab") as output:
            program = Program(directory / "log", PROGRAM, "append", data, f"round{number}", stdout=output)
        # Long enough to open the log and to append for a while, and different each time.
        time.sleep(random.uniform(0.3, 0.9))
        program.kill()
    processed = subprocess.run([PROGRAM, "process", data], stdout=subprocess.PIPE, text=True, check=True).stdout
    counts = collections.Counter(processed.split("\n"))
    # The last line of a round may be incomplete; a torn line can look like a shorter id, which was acknowledged.
    wanted = re.findall(r"^round\d+-\d+-\d+$", acknowledged.read_text(), re.M)
    missing = sum(id not in counts for id in wanted)
    twice = sum(count > 1 for id, count in counts.items() if id)
    expect(len(wanted) >= rounds, f"only {len(wanted)} bodies were acknowledged")
    expect(not missing and not twice, f"of {len(wanted)} acknowledged events {missing} are missing, {twice} twice")
    print(f"{len(wanted)} events acknowledged in {rounds} rounds of kill -9: all of them are there, once", flush=True)


class Log:
    """A process with a log of events on a small disk."""

    def __init__(self, directory):
        self.directory, self.disk = directory, directory / "disk"
        self.acknowledged = self.processed = 0
        mount(self.disk, "size=6m")
        self.start()

    def start(self):
        self.program = Conversation(self.directory / "log", PROGRAM, "obey", self.disk / "data")

    def remount(self, options):
        subprocess.run(["mount", "-o", f"remount,{options}", self.disk], check=True)

    def append(self, count):
        """How many bodies were refused."""
        acknowledged, refused = map(int, self.program.ask(f"append {count}").split())
        self.acknowledged += acknowledged
        return refused

    def process(self):
        answer = self.program.ask("process")
        if " events, " in answer:
            self.processed += int(answer.split()[0])

    def answers(self, line, pattern):
        expect(fnmatch.fnmatchcase(answer := self.program.ask(line), pattern), f"{line}: {answer}")


def full(log):
    """Bodies are refused at some point, and the program continues."""
    expect(log.append(100) == 0, "some of the first 100 were refused")
    log.process()
    expect(log.append(2000) > 0, "the disk did not become full")
    log.answers("problem", "*No space left*")
    log.process()
    log.remount("size=64m")
    expect(log.append(10) == 0, "refused although there is room again")
    log.answers("problem", "none")
    log.process()


def long_list(log):
    """A list that does not fit leaves the earlier one, and takes no room."""
    log.answers("list 1", "1 added")
    log.remount("size=12m")
    log.answers("list 400000", "*disk is full*")
    rest = log.disk / "data/segments.sqlite-wal"
    expect(not rest.exists() or rest.stat().st_size < 1_000_000, "a list that did not fit takes room")
    log.answers("list 2", "1 added")
    log.remount("size=64m")


def read_only(log):
    """A read-only disk at the start of the program, which open files would prevent later."""
    log.program.end()
    log.remount("ro")
    log.start()
    expect(log.append(10) == 10, "acknowledged on a read-only disk")
    log.answers("problem", "*Read-only*")
    log.remount("rw")
    expect(log.append(10) == 0, "refused although the disk can be written again")


def fill(directory):
    log = Log(directory)
    for case in (full, long_list, read_only):
        case(log)
    log.process()
    expect(log.processed == log.acknowledged * 10, f"{log.processed} events of {log.acknowledged * 10} processed")
    log.program.end()
    print(f"{log.acknowledged} requests acknowledged around a full and a read-only disk: all events are there, once")


def main():
    arguments = support.options(__doc__, rounds=30)
    support.build("event-log")
    with support.workspace() as directory:
        kill(directory, arguments.rounds)
        try:
            fill(directory)
        except Skipped as reason:
            print(f"skipped, because no disk can be mounted: {reason}")


main()
