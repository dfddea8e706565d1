"""Fills disks and makes them read-only under a running client, and checks that no event is lost or sent twice.

Cases for which the user lacks permission are skipped with a message.
"""

import os
import resource
import sqlite3
import subprocess
import sys
import tempfile

from .wire import Failure, Program, Server, clean_up, datafile, expect, leave_nothing_behind, wait

MAXIMUM = resource.RLIM_INFINITY


class Skipped(Exception):
    """The user lacks a permission."""


def run(*command):
    """Runs a system command, which may be missing or forbidden."""
    try:
        done = subprocess.run(command, capture_output=True, text=True)
    except FileNotFoundError as error:
        raise Skipped(str(error)) from None
    if done.returncode != 0:
        raise Skipped(f"{' '.join(command)}: {done.stderr.strip()}")


class Obedient:
    """A client in a separate process that executes commands."""

    def __init__(self, case, store, **options):
        self.program = Program(case.log, "obey", store, case.server.address, case.datafile,
                               stdin=subprocess.PIPE, stdout=subprocess.PIPE, **options)  # fmt: skip

    def ask(self, line):
        pipes = self.program.process
        try:
            pipes.stdin.write(line.encode() + b"\n")
            pipes.stdin.flush()
            response = pipes.stdout.readline().decode().strip()
        except BrokenPipeError:
            response = ""
        expect(response, f"no response to {line}, status {pipes.poll()}: {self.program.errors()[-3:]}")
        return response

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

    def finish(self):
        self.program.process.stdin.close()
        self.program.finish("the client")


class Case:
    """A server that does not accept anything yet, and a directory for files."""

    def __init__(self):
        self.server = Server()
        self.server.refuse()
        self.directory = tempfile.mkdtemp(prefix="turnout-disk-")
        self.mounts = []
        self.datafile = datafile(self.directory)
        self.log = os.path.join(self.directory, "log")
        self.place = os.path.join(self.directory, "place")
        os.mkdir(self.place)
        self.store = os.path.join(self.place, "store")

    def mount(self, options):
        run("mount", "-t", "tmpfs", "-o", options, "turnout-test", self.place)
        self.mounts.append(self.place)

    def close(self):
        for place in self.mounts:
            subprocess.run(["umount", "--lazy", place], capture_output=True)
        subprocess.run(["chattr", "-R", "-i", self.directory], capture_output=True)
        clean_up(self.server, self.directory)

    def errors(self):
        with open(self.log, encoding="utf-8") as lines:
            return [line for line in lines if line.startswith("[turnout] error: ")]

    def expect_one_error(self):
        errors = self.errors()
        expect(len(errors) == 1, f"{len(errors)} errors instead of one: {errors[:3]}")
        expect(os.path.join(self.store, "turnout.sqlite") in errors[0], f"the file is not named: {errors[0]}")
        return errors[0].removeprefix("[turnout] error: ").strip()

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
    client = Obedient(case, case.store, **options)
    durable, kept = client.track(2_000)
    expect(durable > 10, f"only {durable} events are durable")
    expect(kept > 100, f"only {kept} events did not fit")
    count = 2_000 + client.decide(200)
    expect(client.track(10) == (0, 10), "events are said to be durable")
    count += 10
    expect(client.ask("count") == str(count), "events are missing")
    error = case.expect_one_error()
    make_room(client.program.process.pid)
    # Without any further calls.
    wait("events to move to the file", lambda: case.count_in_file() == count)
    expect(client.track(10) == (10, 0), "events are still not durable")
    client.program.kill()
    successor = Program(case.log, "send", case.store, case.server.address)
    case.server.refuse(False)
    successor.finish("sending")
    case.expect_arrived(count + 10)
    return f"{durable} events fitted; {error}"


def full_tmpfs(case):
    case.mount("size=600k")
    return full(case, lambda _: run("mount", "-o", "remount,size=64m", case.place))


def full_delivering(case):
    """While there is no room, events are delivered from memory, and not again later."""
    case.mount("size=600k")
    client = Obedient(case, case.store)
    _, kept = client.track(3_000)
    expect(kept > 100, f"only {kept} events did not fit")
    case.server.refuse(False)
    wait("everything to be delivered", lambda: client.ask("count") == "0")
    run("mount", "-o", "remount,size=64m", case.place)
    expect(wait("a durable event", lambda: client.track(1), seconds=10) is not None, "")
    client.ask("synchronize")
    wait("everything to be delivered", lambda: client.ask("count") == "0")
    client.program.kill()
    Program(case.log, "send", case.store, case.server.address).finish("sending")
    case.expect_arrived(3_001)
    return f"{kept} of 3,000 events did not fit"


def limited_file(case):
    def limit():
        resource.setrlimit(resource.RLIMIT_FSIZE, (300_000, MAXIMUM))

    return full(
        case, lambda pid: resource.prlimit(pid, resource.RLIMIT_FSIZE, (MAXIMUM, MAXIMUM)), preexec_fn=limit)


def unwritable(case, earlier):
    """The client continues in memory: normal decisions, delivered events, and one error that names the file."""
    client = Obedient(case, case.store)
    expect(client.track(100) == (0, 100), "events are said to be durable")
    impressions = client.decide(100)
    error = case.expect_one_error()
    case.server.refuse(False)
    wait("everything to be delivered", lambda: client.ask("count") == "0")
    client.finish()
    case.expect_arrived(100 + impressions + earlier)
    return error


def prepare(case):
    """Leaves an event in the file that cannot be sent yet."""
    client = Obedient(case, case.store)
    expect(client.track(1) == (1, 0), "no event is durable")
    client.program.kill()


def read_only_disk(case):
    case.mount("size=4m")
    prepare(case)
    run("mount", "-o", "remount,ro", case.place)
    return unwritable(case, earlier=0)


def read_only_new(case):
    case.mount("size=4m,ro")
    return unwritable(case, earlier=0)


def immutable_file(case):
    prepare(case)
    for name in os.listdir(case.store):
        run("chattr", "+i", os.path.join(case.store, name))
    return unwritable(case, earlier=0)


def immutable_directory(case):
    os.mkdir(case.store)
    run("chattr", "+i", case.store)
    return unwritable(case, earlier=0)


def forbidden_directory(case):
    if os.geteuid() == 0:
        raise Skipped("permissions do not bind root")
    os.mkdir(case.store, 0o500)
    return unwritable(case, earlier=0)


CASES = [
    full_tmpfs, full_delivering, limited_file, read_only_disk, read_only_new, immutable_file, immutable_directory,
    forbidden_directory,
]  # fmt: skip


def main():
    leave_nothing_behind()
    for run_case in [case for case in CASES if len(sys.argv) < 2 or case.__name__ in sys.argv[1:]]:
        name = run_case.__name__.replace("_", " ")
        case = Case()
        try:
            print(f"{name}: {run_case(case)}", flush=True)
        except Skipped as reason:
            print(f"{name}: skipped, because this is not permitted here: {reason}", flush=True)
        except Failure as failure:
            with open(case.log, encoding="utf-8") as log:
                print(*list(log)[-10:], sep="", file=sys.stderr)
            sys.exit(f"disk-faults: {name}: {failure}")
        finally:
            case.close()


if __name__ == "__main__":
    main()
