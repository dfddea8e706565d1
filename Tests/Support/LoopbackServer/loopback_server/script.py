"""Selects the reply to a request.

In order of precedence: the next reply queued for its path, a random failure, the permanent reply for its path, a
datafile, the default. A path that ends in `*` matches all paths with that prefix; the longest match is used.
"""

import base64
import random
import threading
from collections import deque

from replies import Reply

NOT_FOUND = Reply({"status": 404})
ACCEPTED = Reply({"status": 204})
NEVER = Reply({"isSilent": True, "ending": "stall"})
PIECES = Reply({
    "headers": {"content-type": "text/plain"},
    "body": base64.b64encode(b"one two three four five six seven eight").decode(),
    "isChunked": True, "pieceSize": 4, "pause": 0.002,
})
OPEN = Reply({"body": base64.b64encode(b"open").decode(), "hasNoLength": True, "ending": "stall"})


class Failures:
    """Makes a fraction of the requests fail, selected by the seed."""

    def __init__(self, fraction, seed, replies):
        self.fraction, self.random, self.replies = fraction, random.Random(seed), replies

    def next(self):
        if self.random.random() >= self.fraction:
            return None
        return self.random.choice(self.replies)


class Datafile:
    def __init__(self, body, last_modified, etag):
        self.body, self.last_modified, self.etag = body, last_modified, etag

    def reply(self, request):
        headers = {"Content-Type": "application/json"}
        if self.last_modified:
            headers["Last-Modified"] = self.last_modified
        if self.etag:
            headers["ETag"] = self.etag
        status = 304 if self.is_known(request) else 200
        body = base64.b64encode(self.body).decode() if status == 200 else ""
        return Reply({"status": status, "headers": headers, "body": body})

    def is_known(self, request):
        """Whether the client has this version of the datafile. An entity tag takes precedence over a time."""
        tags, since = request.header("if-none-match"), request.header("if-modified-since")
        if tags is not None:
            return tags == "*" or self.etag in [tag.strip() for tag in tags.split(",")]
        if not since or not self.last_modified:
            return False
        return since == self.last_modified or is_later(since, self.last_modified)


def is_later(one, other):
    from email.utils import parsedate_to_datetime  # Slow to load, rarely needed.

    try:
        return parsedate_to_datetime(one) >= parsedate_to_datetime(other)
    except (TypeError, ValueError):
        return False


def matching(rules, path):
    """The rule for a path, or None."""
    if path in rules:
        return rules[path]
    keys = [key for key in rules if key.endswith("*") and path.startswith(key[:-1])]
    return rules[max(keys, key=len)] if keys else None


class Script:
    def __init__(self):
        self.lock = threading.Lock()
        self.forget()

    def forget(self):
        with self.lock:
            self.queues, self.failures, self.standing, self.datafiles = {}, {}, {}, {}

    def reply(self, request):
        with self.lock:
            reply = self.scripted(request.path)
            datafile = self.datafiles.get(request.path)
        if reply is None and datafile is not None and request.method == "GET":
            reply = datafile.reply(request)
        return reply or default(request)

    def scripted(self, path):
        if queue := matching({path: queue for path, queue in self.queues.items() if queue}, path):
            return queue.popleft()
        failures = matching(self.failures, path)
        return (failures.next() if failures else None) or matching(self.standing, path)

    def queue(self, path, reply, times):
        with self.lock:
            self.queues.setdefault(path, deque()).extend([reply] * times)

    def fail(self, path, fraction, seed, replies):
        with self.lock:
            self.failures[path] = Failures(fraction, seed, replies)

    def stand(self, path, reply):
        """Sets the permanent reply; None removes it."""
        with self.lock:
            self.standing[path] = reply
            if reply is None:
                del self.standing[path]

    def publish(self, path, datafile):
        with self.lock:
            self.datafiles[path] = datafile


def default(request):
    """The default reply; `EchoPeer` describes the first five."""
    *_, before, last = ["", *request.path.split("/")]
    if last == "echo":
        headers = {name: value for name, value in request.headers if name.lower().startswith("x-echo-")}
        headers["x-method"] = request.method
        return Reply({"headers": headers, "body": base64.b64encode(request.body).decode()})
    if before == "status" and last.isdigit():
        status = int(last)
        return Reply({"status": status, "headers": {"location": "/echo"} if 300 <= status < 400 else {}})
    if last == "never":
        return NEVER
    if last == "pieces":
        return PIECES
    if last == "open":
        return OPEN
    return ACCEPTED if last == "events" and request.method == "POST" else NOT_FOUND
