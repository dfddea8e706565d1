"""Kills a server while events arrive over HTTP, several times. Each acknowledged event must be exported, once."""

import argparse
import random
import sys
import tempfile
import time

from .load import Client, Events
from .server import Server, differences


def main():
    parser = argparse.ArgumentParser(prog="Scripts/kill-server", description=__doc__)
    parser.add_argument("--rounds", type=int, default=30, metavar="N", help="kill the server N times (default 30)")
    parser.add_argument("--clients", type=int, default=8, metavar="N", help="connections (default 8)")
    parser.add_argument("program")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        server = Server(arguments.program, folder)
        server.publish(1)
        # One event a request: as many acknowledgments as possible.
        events, seconds = Events(per_request=1), 0.0
        for _ in range(arguments.rounds):
            server.start()
            clients = [Client(server, events.step) for _ in range(arguments.clients)]
            for client in clients:
                client.start()
            # The first request opens the log, and begins to repair what the kill before left.
            known, deadline = len(events.acknowledged), time.monotonic() + 30
            while len(events.acknowledged) == known and time.monotonic() < deadline:
                time.sleep(0.01)
            pause = random.uniform(0.2, 0.8)
            time.sleep(pause)
            seconds += pause
            server.kill()
            for client in clients:
                client.stop()
        server.start()
        server.wait_until_processed()
        status = server.stop()
        acknowledged = set(events.acknowledged)
        missing, twice = differences(acknowledged, server.exported())
    if missing or twice or status != 0 or len(acknowledged) < arguments.rounds:
        sys.exit(
            f"kill-server: of {len(acknowledged)} acknowledged events {len(missing)} are missing, and {len(twice)} are "
            f"there twice; the last exit status was {status}\n" + "".join(server.messages))
    print(
        f"{len(acknowledged)} events acknowledged over HTTP in {arguments.rounds} rounds of kill -9, "
        f"{len(events.acknowledged) / seconds:.0f} requests a second: all of them are there, once")


main()
