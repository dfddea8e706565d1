"""Runs `turnout serve` under mixed load for minutes: memory must stay flat, and no event may be lost or repeated.

The load: decisions, evaluations, events, downloads, streams, clients that come and go, and a new datafile each second.
"""

import http.client
import json
import statistics
import threading
import time
import uuid

import support
from support import KEY, event_body, expect

ERRORS = (OSError, http.client.HTTPException)
EVENTS_PER_REQUEST = 10
# Beyond the noise of the allocator.
TOLERANCE = 1.10, 6 << 20
# The caches fill first: users, texts, and 32 MiB of SQLite's pages, which takes two minutes.
WARM_UP = 0.5


class Client(threading.Thread):
    """Repeats a step over one connection until it is told to stop. A broken connection is opened again."""

    def __init__(self, server, step, pause=0.0, reconnects_after=None):
        super().__init__(daemon=True)
        self.server, self.step, self.pause, self.reconnects_after = server, step, pause, reconnects_after
        self.ends = threading.Event()
        self.count, self.failures = 0, 0

    def run(self):
        connection = None
        while not self.ends.is_set():
            try:
                if connection is None:
                    connection = self.server.connect()
                self.step(connection, self.count)
                self.count += 1
                if self.reconnects_after and self.count % self.reconnects_after == 0:
                    connection.close()
                    connection = None
            except ERRORS:
                self.failures += 1
                connection = None
                self.ends.wait(0.01)
            if self.pause:
                self.ends.wait(self.pause)

    def stop(self):
        self.ends.set()
        self.join(60)


class Events:
    """Sends events. Keeps the uuids of those that were acknowledged; some requests are sent twice."""

    def __init__(self):
        self.acknowledged, self.lock = [], threading.Lock()

    def step(self, connection, number):
        identifiers = [str(uuid.uuid4()) for _ in range(EVENTS_PER_REQUEST)]
        content = event_body(identifiers, number % 1000)
        for _ in range(2 if number % 10 == 0 else 1):
            connection.request("POST", "/v1/events", content, {"Content-Type": "application/json"})
            response = connection.getresponse()
            response.read()
            if response.status != 204:
                raise http.client.HTTPException(f"status {response.status}")
            with self.lock:
                self.acknowledged += identifiers


def decide(connection, number):
    """A decision over the Agent's interface."""
    attributes = {"country": "US", "orders": number % 20}
    content = json.dumps({"userId": f"user {number % 5000}", "userAttributes": attributes})
    headers = {"Content-Type": "application/json", "X-Optimizely-SDK-Key": KEY}
    request(connection, "POST", "/v1/decide?keys=checkout_redesign", content, headers)


def evaluate(connection, number):
    """All flags over OpenFeature's protocol."""
    content = json.dumps({"context": {"targetingKey": f"user {number % 5000}", "country": "US"}})
    headers = {"Content-Type": "application/json", "X-API-Key": KEY}
    request(connection, "POST", "/ofrep/v1/evaluate/flags", content, headers)


def download(connection, number):
    """The datafile, conditionally."""
    tag = getattr(connection, "tag", None)
    response = request(connection, "GET", f"/datafiles/{KEY}.json", None, {"If-None-Match": tag} if tag else {})
    connection.tag = response.headers["ETag"]


def listen(connection, number):
    """A stream of changes, of which a few events are read."""
    connection.request("GET", f"/datafiles/{KEY}/changes")
    response = connection.getresponse()
    for _ in range(20):
        response.readline()
    connection.close()


def request(connection, method, path, content, headers):
    connection.request(method, path, content, headers)
    response = connection.getresponse()
    response.read()
    if response.status not in (200, 304):
        raise http.client.HTTPException(f"status {response.status}")
    return response


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
        expect(server.process.poll() is None, "the server ended\n" + "".join(server.messages))
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
    arguments = support.options(__doc__, seconds=300, pause=0.02)
    with support.workspace() as folder:
        server = support.Server(folder)
        events, memory, failures = soak(server, max(10, arguments.seconds), arguments.pause)
        server.wait_until_processed()
        status = server.stop()
        acknowledged = set(events.acknowledged)
        missing, twice = support.differences(acknowledged, server.exported("--kind", "conversion"))
    print(f"{len(acknowledged)} events acknowledged: {len(missing)} missing, {len(twice)} twice", flush=True)
    problems = {
        "the memory grows": not is_flat(memory), "events are missing": missing, "events are there twice": twice,
        "requests failed": failures, f"the exit status was {status}": status, "no events": not acknowledged,
    }
    found = [problem for problem, is_true in problems.items() if is_true]
    expect(not found, ", ".join(found) + "\n" + "".join(server.messages))


main()
