"""The server that receives events, and the program that sends them."""

import http.client
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import time

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
PROGRAM = os.environ.get("DURABILITY", os.path.join(ROOT, ".build/all/debug/durability"))
EVENTS = "/v1/events"
# Includes slow responses: a process killed while waiting for one has sent events that its successor sends again.
FAILURES = [
    {"status": 500},
    {"status": 503},
    {"status": 429},
    {"isSilent": True, "ending": "reset"},
    {"status": 204, "delay": 0.1},
]


class Failure(Exception):
    """A failed expectation."""


def expect(is_true, what):
    if not is_true:
        raise Failure(what)


def wait(what, is_true, seconds=60, step=0.005):
    """Waits until a result is true, and returns it."""
    deadline = time.monotonic() + seconds
    while not (found := is_true()):
        expect(time.monotonic() < deadline, f"waited {seconds} seconds in vain for {what}")
        time.sleep(step)
    return found


class Server:
    """The tests' scriptable server, which ends with this process."""

    def __init__(self):
        script = os.path.join(ROOT, "Tests/Support/LoopbackServer/loopback_server")
        self.process = subprocess.Popen(
            [sys.executable, "-I", "-S", "-B", script], stdin=subprocess.PIPE, stdout=subprocess.PIPE
        )
        self.port = int(self.process.stdout.readline())
        self.address = f"http://127.0.0.1:{self.port}"
        self.control("count-events", isOn=True)

    def control(self, command, **arguments):
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=60)
        connection.request("POST", f"/_control/{command}", json.dumps(arguments))
        response = connection.getresponse()
        body = response.read()
        connection.close()
        expect(response.status == 200, f"{command}: {body!r}")
        return json.loads(body)

    def fail(self, fraction, seed):
        self.control("fail", path=EVENTS, fraction=fraction, seed=seed, replies=FAILURES)

    def refuse(self, is_refusing=True):
        """Responds only with 503, or as usual."""
        self.control("always", path=EVENTS, reply={"status": 503} if is_refusing else None)

    def accepted(self):
        """How often each event was accepted, by uuid, and its user."""
        expect(self.control("statistics")["unreadableBodies"] == 0, "unreadable request bodies")
        return self.control("accepted-events"), self.control("accepted-users")


class Program:
    """A run of the program. Its log goes to a file."""

    started = []

    def __init__(self, log, *arguments, **options):
        self.log = log
        with open(log, "ab") as errors:
            # The program inherits ignored signals, such as the one for files that grow too large.
            options = {"stdin": subprocess.DEVNULL, "stdout": subprocess.DEVNULL, "restore_signals": False} | options
            self.process = subprocess.Popen([PROGRAM, *map(str, arguments)], stderr=errors, **options)
        Program.started.append(self.process)

    def kill(self):
        """Kills the program, which must still be running."""
        expect(self.process.poll() is None, f"ended by itself with {self.process.returncode}: {self.errors()[-3:]}")
        self.process.kill()
        expect(self.process.wait() == -signal.SIGKILL, "was not killed")

    def kill_unless_done(self):
        """Kills the program, unless it has ended without an error."""
        self.process.kill()
        status = self.process.wait()
        expect(status in (0, -signal.SIGKILL), f"ended with {status}: {self.errors()[-3:]}")

    def finish(self, what, seconds=60):
        try:
            status = self.process.wait(seconds)
        except subprocess.TimeoutExpired:
            self.process.kill()
            raise Failure(f"{what} does not end: {self.errors()[-3:]}") from None
        expect(status == 0, f"{what} ends with {status}: {self.errors()[-3:]}")

    def errors(self, level=""):
        """The lines of the log, or only those of a level."""
        with open(self.log, encoding="utf-8") as lines:
            return [line.rstrip("\n") for line in lines if not level or line.startswith(f"[turnout] {level}: ")]


def clean_up(server, directory):
    """Removes a directory, after ending all processes that may write to it."""
    for process in [*Program.started, server.process]:
        process.kill()
        process.wait()
    Program.started.clear()
    shutil.rmtree(directory, ignore_errors=True)


def leave_nothing_behind():
    """Makes `finally` blocks run on SIGTERM."""
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(128 + signal.SIGTERM))


def datafile(directory):
    """A datafile without the services that these tests do not simulate, and without users who are held out."""
    with open(os.path.join(ROOT, "Examples/Shop/datafile.json"), encoding="utf-8") as file:
        content = json.load(file)
    content["integrations"] = []
    content["holdouts"] = []
    path = os.path.join(directory, "datafile.json")
    with open(path, "w", encoding="utf-8") as file:
        json.dump(content, file)
    return path


def lines(path):
    """The complete lines of a file, which need not exist."""
    try:
        with open(path, encoding="utf-8") as file:
            return re.findall(r"(.*)\n", file.read())
    except FileNotFoundError:
        return []
