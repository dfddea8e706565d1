"""Clients over HTTP, which remember what was acknowledged."""

import http.client
import json
import threading
import time
import uuid

from .server import KEY, PROJECT

ERRORS = (OSError, http.client.HTTPException)
EVENTS_PER_REQUEST = 10


def body(identifiers, number):
    """A request with one event for each uuid."""
    snapshots = [
        {"events": [{"entity_id": "300103", "key": "purchase", "uuid": identifier, "timestamp": int(time.time() * 1000),
                     "revenue": 100, "tags": {"revenue": 100}}]}
        for identifier in identifiers
    ]
    return json.dumps({
        "account_id": "1", "project_id": PROJECT, "revision": "1", "client_name": "load", "client_version": "1",
        "anonymize_ip": True, "enrich_decisions": True,
        "visitors": [{"visitor_id": f"user {number}", "attributes": [], "snapshots": snapshots}],
    })


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
                    connection = http.client.HTTPConnection("127.0.0.1", self.server.port, timeout=30)
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
        content = body(identifiers, number % 1000)
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
