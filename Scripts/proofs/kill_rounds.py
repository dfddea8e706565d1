"""Kills processes while they record 10,000 events, which must all arrive, each with one uuid.

Every fifth request fails, and every fifth round runs two processes on one directory; the next process sends what is
left by itself. First, processes exit while libcurl is being initialized, which must not crash.
"""

import os
import random
import re
import shutil
import subprocess
import time

import support
from support import BUILD, Program, Receiver, expect, wait

PROGRAM = BUILD / "durability"
EVENTS_PER_ROUND = 10_000
THREADS = 8
ENDINGS = 20


def lines(path):
    """The complete lines of a file, which need not exist."""
    return re.findall(r"(.*)\n", path.read_text(encoding="utf-8")) if path.exists() else []


class Rounds:
    def __init__(self, directory, seed):
        self.random = random.Random(seed)
        self.directory = directory
        self.log = directory / "log"
        self.server = Receiver(self.log)
        self.server.fail(0.2, seed)
        self.datafile = support.quiet_datafile(directory)
        self.acknowledged = []

    def program(self, *arguments, **options):
        return Program(self.log, PROGRAM, *arguments, **options)

    def one(self, number, processes=1):
        """Tracks in one or several processes, kills them, and lets others send the remaining events."""
        store = self.directory / f"store-{number}"
        written = [self.directory / f"acknowledged-{number}-{index}" for index in range(processes)]
        running = [
            self.program("track", store, self.server.address, self.datafile, path, f"{number}-{index}", THREADS,
                         EVENTS_PER_ROUND)
            for index, path in enumerate(written)
        ]  # fmt: skip
        for program, path in zip(running, written):
            self.kill_in_the_middle(program, path)
        # Some successors are killed too, ideally between a response and the removal of its events from the file.
        for _ in range(self.random.choice([0, 0, 1, 2])):
            successor = self.program("send", store, self.server.address)
            time.sleep(self.random.uniform(0.02, 0.3))
            successor.kill_unless_done()
        for successor in [self.program("send", store, self.server.address) for _ in range(processes)]:
            successor.finish("sending what is left")
        self.acknowledged += [line for path in written for line in lines(path)]
        shutil.rmtree(store)

    def kill_in_the_middle(self, program, path):
        # Wait for acknowledged events, not for a time, so that the kill is mid-run on a busy machine too.
        goal = self.random.randrange(1, EVENTS_PER_ROUND * 9 // 10) * 8
        size = lambda: path.exists() and path.stat().st_size
        wait("events to be acknowledged", lambda: program.process.poll() is not None or size() >= goal, step=0.001)
        time.sleep(self.random.uniform(0, 0.003))
        program.kill()

    def drop_in(self, number):
        """The same with the drop-in interface and its default of writing events to the file shortly afterwards."""
        home = self.directory / f"home-{number}"
        home.mkdir()
        environment = {"HOME": str(home), "PATH": os.environ["PATH"]}
        written = self.directory / f"drop-in-{number}"
        program = self.program("optimizely", self.server.address, self.datafile, written, f"drop-{number}", 1_000,
                               env=environment)  # fmt: skip
        goal = self.random.randrange(300, 900)
        wait("events", lambda: len(lines(written)) >= goal or program.process.poll() is not None, step=0.001)
        program.kill()
        killed = time.monotonic() * 1_000
        acknowledged = [line.split() for line in lines(written)]
        # On a busy machine, a commit that is due after 10 ms may be late.
        safe = {user for user, moment in acknowledged if int(moment) < killed - 250}
        before = self.users()
        successor = self.program("optimizely", self.server.address, env=environment)
        wait("what the killed program left", lambda: safe <= self.users())
        left = len(safe - before)
        time.sleep(0.3)
        successor.kill()
        arrived = self.users()
        lost = [killed - int(moment) for user, moment in acknowledged if user not in arrived]
        print(
            f"drop-in: killed after {len(acknowledged)} events, {left} left, all of those arrived without a call; "
            f"lost: {len(lost)}, the oldest {max(lost, default=0):.0f} ms old",
            flush=True,
        )

    def endings(self):
        """Five decisions, and the end of the program: nothing may be lost when `main` returns or `exit` is called."""
        for interface in ["client", "optimizely", "objective-c"]:
            for end in ["exit", "return"]:
                home = self.directory / f"{interface}-{end}"
                folder = home if interface == "client" else home / "optimizely/durability"
                environment = {"HOME": str(home), "XDG_DATA_HOME": str(home), "PATH": os.environ["PATH"]}
                for _ in range(ENDINGS):
                    program = self.program("decide", interface, folder, end, env=environment)
                    program.finish(f"{interface} that ends by {end}")
                count = [PROGRAM, "decide", "count", folder, "return"]
                result = subprocess.run(count, env=environment, capture_output=True, text=True, check=True)
                found, expected = result.stdout.split(), [str(5 * ENDINGS)] * 2
                expect(found == expected, f"{interface}, {end}: {found} of {expected} events and assignments stored")
        print(f"{ENDINGS} programs for each of 3 interfaces ended by exit, and by a return from main; nothing was lost")

    def users(self):
        return set(self.server.accepted()[1].values())

    def verdict(self):
        counts, users = self.server.accepted()
        ids = {}
        for id, user in users.items():
            ids.setdefault(user, []).append(id)
        missing = [user for user in self.acknowledged if user not in ids]
        expect(not missing, f"{len(missing)} acknowledged events never arrived: {missing[:5]}")
        twice = [user for user, found in ids.items() if len(found) > 1]
        expect(not twice, f"{len(twice)} events arrived under two uuids: {twice[:5]}")
        unacknowledged = len(set(ids) - set(self.acknowledged))
        repeated = sum(count > 1 for count in counts.values())
        print(
            f"{len(self.acknowledged)} acknowledged events arrived, each under one uuid; {repeated} more than once; "
            f"beside them {unacknowledged} that were not acknowledged",
            flush=True,
        )


def main():
    arguments = support.options(__doc__, rounds=50, seed=random.randrange(1 << 32))
    support.build("durability")
    support.build("early-end")
    for run in range(200):
        status = subprocess.run([BUILD / "early-end", str(run % 25)]).returncode
        expect(status == 0, f"a process that ended after {run % 25} ms ended with {status}")
    print(f"200 processes ended well during their first request\nseed {arguments.seed}", flush=True)
    with support.workspace() as directory:
        rounds = Rounds(directory, arguments.seed)
        rounds.endings()
        for number in range(arguments.rounds):
            # Every fifth round runs two processes on one directory.
            rounds.one(number, processes=2 if number % 5 == 4 else 1)
        rounds.verdict()
        for number in range(max(1, arguments.rounds // 16)):
            rounds.drop_in(number)
        rounds.verdict()


if __name__ == "__main__":
    main()
