"""Fills disks and makes them read-only under a running client: no event may be lost or sent twice.

Cases for which the user lacks permission are skipped with a message.
"""

import os
import re
import resource
import sqlite3
import sys

import support
from support import BUILD, Conversation, Program, Receiver, Skipped, expect, mount, permitted, wait

MAXIMUM = resource.RLIM_INFINITY


class Client(Conversation):
    """A client in a separate process that executes commands."""

    def __init__(self, case, **options):
        command = [BUILD / "durability", "obey", case.store, case.server.address, case.datafile]
        super().__init__(case.log, *command, **options)

    def track(self, count):
        """How many events are in the file, and how many only in memory. None may be lost."""
        durable, kept, lost = map(int, self.ask(f"track {count}").split())
        expect(lost == 0, f"{lost} of {count} events are lost")
        return durable, kept

    def decide(self, count):
        """The number of impressions. All decisions must be normal."""
        varied, impressions = map(int, self.ask(f"decide {count}").split())
        expect(varied == count, f"{count - varied} decisions have no variation")
        return impressions


class Case:
    """A server that does not accept anything yet, and a directory for files."""

    def __init__(self, directory):
        self.log, self.place = directory / "log", directory / "place"
        self.store = self.place / "store"
        self.place.mkdir()
        self.server = Receiver(self.log)
        self.server.refuse()
        self.datafile = support.quiet_datafile(directory)

    def send(self):
        """Sends what is left in the file, in another process."""
        program = Program(self.log, BUILD / "durability", "send", self.store, self.server.address)
        self.server.refuse(False)
        program.finish("sending")

    def expect_one_error(self):
        errors = re.findall(r"^\[turnout\] error: (.*)", self.log.read_text(encoding="utf-8"), re.M)
        expect(len(errors) == 1, f"{len(errors)} errors instead of one: {errors[:3]}")
        expect(f"{self.store}/turnout.sqlite" in errors[0], f"the file is not named: {errors[0]}")
        return errors[0].strip()

    def expect_arrived(self, count):
        """Checks that every event arrived exactly once, with a single uuid: no process was killed while sending."""
        wait(f"{count} events", lambda: len(self.server.accepted()[0]) >= count)
        counts, users = self.server.accepted()
        expect(len(counts) == count, f"{len(counts)} events instead of {count}")
        expect(max(counts.values()) == 1, "events were sent twice")
        expect(len(set(users.values())) == count, "events came under two uuids")

    def count_in_file(self):
        with sqlite3.connect(f"file:{self.store}/turnout.sqlite?mode=ro", uri=True) as connection:
            return connection.execute("SELECT count(*) FROM events").fetchone()[0]


# The cases


def full(case, make_room, **options):
    """Events stay in memory while there is no room, and move to the file afterwards; a successor sends them."""
    client = Client(case, **options)
    durable, kept = client.track(2_000)
    expect(durable > 10, f"only {durable} events are durable")
    expect(kept > 100, f"only {kept} events did not fit")
    count = 2_000 + client.decide(200)
    expect(client.track(10) == (0, 10), "events are said to be durable")
    count += 10
    expect(client.ask("count") == str(count), "events are missing")
    error = case.expect_one_error()
    make_room(client.process.pid)
    # Without any further calls.
    wait("events to move to the file", lambda: case.count_in_file() == count)
    expect(client.track(10) == (10, 0), "events are still not durable")
    client.kill()
    case.send()
    case.expect_arrived(count + 10)
    return f"{durable} events fitted; {error}"


def full_tmpfs(case):
    mount(case.place, "size=600k")
    return full(case, lambda _: permitted("mount", "-o", "remount,size=64m", case.place))


def full_delivering(case):
    """While there is no room, events are delivered from memory, and not again later."""
    mount(case.place, "size=600k")
    client = Client(case)
    _, kept = client.track(3_000)
    expect(kept > 100, f"only {kept} events did not fit")
    case.server.refuse(False)
    wait("everything to be delivered", lambda: client.ask("count") == "0")
    permitted("mount", "-o", "remount,size=64m", case.place)
    client.track(1)
    client.ask("synchronize")
    wait("everything to be delivered", lambda: client.ask("count") == "0")
    client.kill()
    case.send()
    case.expect_arrived(3_001)
    return f"{kept} of 3,000 events did not fit"


def limited_file(case):
    def limit():
        resource.setrlimit(resource.RLIMIT_FSIZE, (300_000, MAXIMUM))

    return full(
        case, lambda pid: resource.prlimit(pid, resource.RLIMIT_FSIZE, (MAXIMUM, MAXIMUM)), preexec_fn=limit)


def unwritable(case, earlier):
    """The client continues in memory: normal decisions, delivered events, and one error that names the file."""
    client = Client(case)
    expect(client.track(100) == (0, 100), "events are said to be durable")
    impressions = client.decide(100)
    error = case.expect_one_error()
    case.server.refuse(False)
    wait("everything to be delivered", lambda: client.ask("count") == "0")
    client.end()
    case.expect_arrived(100 + impressions + earlier)
    return error


def prepare(case):
    """Leaves an event in the file that cannot be sent yet."""
    client = Client(case)
    expect(client.track(1) == (1, 0), "no event is durable")
    client.kill()


def read_only_disk(case):
    mount(case.place, "size=4m")
    prepare(case)
    permitted("mount", "-o", "remount,ro", case.place)
    return unwritable(case, earlier=0)


def read_only_new(case):
    mount(case.place, "size=4m,ro")
    return unwritable(case, earlier=0)


def immutable_file(case):
    prepare(case)
    for path in case.store.iterdir():
        permitted("chattr", "+i", path)
    return unwritable(case, earlier=0)


def immutable_directory(case):
    case.store.mkdir()
    permitted("chattr", "+i", case.store)
    return unwritable(case, earlier=0)


def forbidden_directory(case):
    if os.geteuid() == 0:
        raise Skipped("permissions do not bind root")
    case.store.mkdir(0o500)
    return unwritable(case, earlier=0)


CASES = [
    full_tmpfs, full_delivering, limited_file, read_only_disk, read_only_new, immutable_file, immutable_directory,
    forbidden_directory,
]  # fmt: skip


def main():
    support.build("durability")
    for run_case in [case for case in CASES if len(sys.argv) < 2 or case.__name__ in sys.argv[1:]]:
        name = run_case.__name__.replace("_", " ")
        with support.workspace() as directory:
            try:
                print(f"{name}: {run_case(Case(directory))}", flush=True)
            except Skipped as reason:
                print(f"{name}: skipped, because this is not permitted here: {reason}", flush=True)


main()
