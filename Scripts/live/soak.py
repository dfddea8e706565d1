"""Runs a server for minutes under mixed load: decisions, evaluations, events, downloads, streams, clients that come and
go, and a new datafile each second. Its memory must stay flat; no event may be lost or be there twice."""

import argparse
import statistics
import sys
import tempfile
import time

from .load import Client, Events, decide, download, evaluate, listen
from .server import Server, differences

# Beyond the noise of the allocator.
TOLERANCE = 1.10, 6 << 20
# The caches fill first: users, texts, and 32 MiB of SQLite's pages, which takes two minutes.
WARM_UP = 0.5


def clients(server, events, pause):
    """Clients of all kinds. Those that reconnect come and go."""
    return [
        Client(server, events.step, pause),
        Client(server, events.step, pause, reconnects_after=7),
        Client(server, decide, pause),
        Client(server, decide, pause, reconnects_after=13),
        Client(server, evaluate, pause),
        Client(server, evaluate, pause, reconnects_after=5),
        Client(server, download, pause),
        *[Client(server, listen, pause) for _ in range(4)],
    ]


def soak(server, seconds, pause):
    """Returns the events and the memory each second."""
    events, memory = Events(), []
    server.publish(1)
    server.start()
    running = clients(server, events, pause)
    for client in running:
        client.start()
    end = time.monotonic() + seconds
    revision = 1
    while time.monotonic() < end:
        time.sleep(1)
        revision += 1
        server.publish(revision)
        memory.append(server.memory())
        if server.process.poll() is not None:
            sys.exit("soak-server: the server ended\n" + "".join(server.messages))
    for client in running:
        client.stop()
    failures = sum(client.failures for client in running)
    print(f"{sum(client.count for client in running)} requests, {failures} failed; {revision} datafiles", flush=True)
    return events, memory, failures


def is_flat(memory):
    """Whether the memory of the last quarter is that of the quarter before."""
    rest = memory[int(len(memory) * WARM_UP):]
    half = len(rest) // 2
    before, after = statistics.median(rest[:half]), statistics.median(rest[half:])
    start, most = memory[0], max(memory)
    figures = [f"{size / 2**20:.1f} MB" for size in (start, before, after, most)]
    print("memory after the start {}, then {}, at the end {}, at most {}".format(*figures), flush=True)
    return after <= max(before * TOLERANCE[0], before + TOLERANCE[1])


def main():
    parser = argparse.ArgumentParser(prog="Scripts/soak-server", description=__doc__)
    parser.add_argument("--seconds", type=int, default=300, metavar="S", help="default 300")
    parser.add_argument("--pause", type=float, default=0.02, metavar="S", help="of each client (default 0.02)")
    parser.add_argument("program")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        server = Server(arguments.program, folder)
        events, memory, failures = soak(server, max(10, arguments.seconds), arguments.pause)
        server.wait_until_processed()
        status = server.stop()
        acknowledged = set(events.acknowledged)
        missing, twice = differences(acknowledged, server.exported("--kind", "conversion"))
    print(f"{len(acknowledged)} events acknowledged: {len(missing)} missing, {len(twice)} twice", flush=True)
    problems = {
        "the memory grows": not is_flat(memory), "events are missing": missing, "events are there twice": twice,
        "requests failed": failures, f"the exit status was {status}": status, "no events": not acknowledged,
    }
    found = [problem for problem, is_true in problems.items() if is_true]
    if found:
        sys.exit("soak-server: " + ", ".join(found) + "\n" + "".join(server.messages))


main()
