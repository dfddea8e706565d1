"""Records requests and connections, and counts accepted events."""

import json
import threading
import time


def events(body):
    """The uuids of the events in a body, each with its user if there is one. Raises if the body is invalid."""
    for visitor in json.loads(body)["visitors"]:
        for snapshot in visitor["snapshots"]:
            for event in snapshot["events"]:
                yield event["uuid"], visitor.get("visitor_id")


class Records:
    def __init__(self):
        self.lock = threading.Lock()
        self.start = time.monotonic()
        self.requests = []
        self.request_count = 0
        self.connections = 0
        self.open_connections = 0
        # For long runs: counts accepted events instead of recording requests.
        self.counts_events = False
        self.accepted_events = {}
        self.users = {}
        self.unreadable_bodies = 0

    def received(self, request):
        with self.lock:
            self.request_count += 1
            if not (self.counts_events and request.path.endswith("/events")):
                self.requests.append(request)

    def accepted(self, request):
        """Counts the events of a request with a 2xx response."""
        if not self.counts_events or not request.path.endswith("/events"):
            return
        try:
            accepted = list(events(request.body))
        except (ValueError, KeyError, TypeError):
            with self.lock:
                self.unreadable_bodies += 1
            return
        with self.lock:
            for id, user in accepted:
                self.accepted_events[id] = self.accepted_events.get(id, 0) + 1
                self.users[id] = user

    def connection_opened(self):
        with self.lock:
            self.connections += 1
            self.open_connections += 1
            return self.connections

    def connection_closed(self):
        with self.lock:
            self.open_connections -= 1

    def forget(self):
        with self.lock:
            self.requests = []
            self.request_count = 0
            self.accepted_events = {}
            self.users = {}
            self.unreadable_bodies = 0
