"""Kills processes while they track events, and checks that all acknowledged events arrive once."""

import argparse
import os
import random
import shutil
import subprocess
import sys
import tempfile
import time

from .wire import PROGRAM, Failure, Program, Server, clean_up, datafile, expect, leave_nothing_behind, lines, wait

EVENTS_PER_ROUND = 10_000
THREADS = 8
ENDINGS = 20


class Rounds:
    def __init__(self, seed):
        self.random = random.Random(seed)
        self.directory = tempfile.mkdtemp(prefix="turnout-kill-")
        self.server = Server()
        self.server.fail(0.2, seed)
        self.datafile = datafile(self.directory)
        self.log = os.path.join(self.directory, "log")
        self.acknowledged = []

    def close(self):
        clean_up(self.server, self.directory)

    # Rounds

    def one(self, number, processes=1):
        """Tracks in one or several processes, kills them, and lets others send the remaining events."""
        store = os.path.join(self.directory, f"store-{number}")
        written = [os.path.join(self.directory, f"acknowledged-{number}-{index}") for index in range(processes)]
        running = [
            Program(self.log, "track", store, self.server.address, self.datafile, path, f"{number}-{index}", THREADS,
                    EVENTS_PER_ROUND)
            for index, path in enumerate(written)
        ]  # fmt: skip
        for program, path in zip(running, written):
            self.kill_in_the_middle(program, path)
        # Some successors are killed too, ideally between a response and the removal of its events from the file.
        for _ in range(self.random.choice([0, 0, 1, 2])):
            successor = Program(self.log, "send", store, self.server.address)
            time.sleep(self.random.uniform(0.02, 0.3))
            successor.kill_unless_done()
        for successor in [Program(self.log, "send", store, self.server.address) for _ in range(processes)]:
            successor.finish("sending what is left")
        found = [line for path in written for line in lines(path)]
        self.acknowledged += found
        shutil.rmtree(store)
        return len(found)

    def kill_in_the_middle(self, program, path):
        # Wait for acknowledged events, not for a time, so that the kill is mid-run on a busy machine too.
        goal = self.random.randrange(1, EVENTS_PER_ROUND * 9 // 10) * 8
        size = lambda: os.path.exists(path) and os.path.getsize(path)
        wait("events to be acknowledged", lambda: program.process.poll() is not None or size() >= goal, step=0.001)
        time.sleep(self.random.uniform(0, 0.003))
        program.kill()

    def drop_in(self, number):
        """The same with the drop-in interface and its default of writing events to the file shortly afterwards."""
        home = os.path.join(self.directory, f"home-{number}")
        os.mkdir(home)
        environment = {"HOME": home, "PATH": os.environ["PATH"]}
        written = os.path.join(self.directory, f"drop-in-{number}")
        count = 1_000
        program = Program(self.log, "optimizely", self.server.address, self.datafile, written, f"drop-{number}", count,
                          env=environment)  # fmt: skip
        goal = self.random.randrange(300, 900)
        wait("events", lambda: len(lines(written)) >= goal or program.process.poll() is not None, step=0.001)
        program.kill()
        killed = time.monotonic() * 1_000
        acknowledged = [line.split() for line in lines(written)]
        # On a busy machine, a commit that is due after 10 ms may be late.
        safe = {user for user, moment in acknowledged if int(moment) < killed - 250}
        before = self.users()
        successor = Program(self.log, "optimizely", self.server.address, env=environment)
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
                home = os.path.join(self.directory, f"{interface}-{end}")
                folder = home if interface == "client" else os.path.join(home, "optimizely/durability")
                environment = {"HOME": home, "XDG_DATA_HOME": home, "PATH": os.environ["PATH"]}
                for _ in range(ENDINGS):
                    program = Program(self.log, "decide", interface, folder, end, env=environment)
                    program.finish(f"{interface} that ends by {end}")
                count = [PROGRAM, "decide", "count", folder, "return"]
                result = subprocess.run(count, env=environment, capture_output=True, text=True, check=True)
                found = result.stdout.split()
                expected = [str(5 * ENDINGS)] * 2
                expect(found == expected, f"{interface}, {end}: {found} of {expected} events and assignments stored")
        print(f"{ENDINGS} programs for each of 3 interfaces ended by exit, and by a return from main; nothing was lost")

    def users(self):
        return set(self.server.accepted()[1].values())

    # Result

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
        return f"{len(self.acknowledged)} acknowledged events arrived, each under one uuid; " \
            f"{repeated} more than once; beside them {unacknowledged} that were not acknowledged"  # fmt: skip


def main():
    parser = argparse.ArgumentParser(prog="kill-rounds", description=__doc__)
    parser.add_argument("--rounds", type=int, default=50)
    parser.add_argument("--seed", type=int, default=random.randrange(1 << 32))
    arguments = parser.parse_args()
    print(f"seed {arguments.seed}")
    leave_nothing_behind()
    rounds = Rounds(arguments.seed)
    try:
        rounds.endings()
        start = time.monotonic()
        for number in range(arguments.rounds):
            # Every fifth round runs two processes on one directory.
            rounds.one(number, processes=2 if number % 5 == 4 else 1)
            if number % 10 == 9:
                print(f"{number + 1} rounds, {time.monotonic() - start:.0f} s", flush=True)
        print(rounds.verdict(), flush=True)
        for number in range(max(1, arguments.rounds // 16)):
            rounds.drop_in(number)
        print(rounds.verdict())
    except Failure as failure:
        with open(rounds.log, encoding="utf-8") as log:
            print(*list(log)[-10:], sep="", file=sys.stderr)
        sys.exit(f"kill-rounds: {failure} (seed {arguments.seed})")
    finally:
        rounds.close()


if __name__ == "__main__":
    main()
