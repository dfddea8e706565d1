"""What proofs share: options, waiting with a limit, processes and folders that end with them, servers on free ports."""

import argparse
import collections
import contextlib
import http.client
import json
import os
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
import urllib.request
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
BUILD = ROOT / ".build/all/debug"
# The program to prove.
TURNOUT = ROOT / os.environ.get("TURNOUT", ".build/release/turnout")
KEY, PROJECT = "ShopDemoSdkKey", "100300"


class Failure(SystemExit):
    """A failed expectation, whose text ends the proof."""


class Skipped(Exception):
    """The user lacks a permission."""


def expect(is_true, what):
    if not is_true:
        raise Failure(what)


def options(description, **defaults):
    """The options of a proof: one for each default, with its type."""
    name = Path(sys.argv[0]).stem.replace("_", "-")
    parser = argparse.ArgumentParser(f"Scripts/prove {name}", description=description)
    for name, value in defaults.items():
        kind = str if value is None else type(value)
        parser.add_argument(f"--{name}", type=kind, default=value, help="default: %(default)s")
    return parser.parse_args()


def build(product):
    subprocess.run([ROOT / "Scripts/swift-all", "build", "--quiet", "--product", product], check=True)


def wait(what, is_true, seconds=60, step=0.005):
    """Waits until a result is true, and returns it."""
    deadline = time.monotonic() + seconds
    while not (found := is_true()):
        expect(time.monotonic() < deadline, f"waited {seconds} seconds in vain for {what}")
        time.sleep(step)
    return found


def check(name, found, expected):
    """Reports a difference."""
    if found != expected:
        print(f"{name}: found {found!r}, expected {expected!r}", flush=True)
    return found == expected


def eventually(name, function, expected, seconds=20):
    """Waits until a function returns what is expected."""
    deadline = time.monotonic() + seconds
    while (found := function()) != expected and time.monotonic() < deadline:
        time.sleep(0.05)
    return check(name, found, expected)


def report(results, what):
    """Ends the proof with the number of checks that passed."""
    print(f"{sum(results)} of {len(results)} checks of {what} passed")
    sys.exit(not all(results))


# Processes and folders

started, mounted = [], []
# `finally` runs.
signal.signal(signal.SIGTERM, lambda *_: sys.exit(128 + signal.SIGTERM))


def start(*command, **options):
    """Starts a process that ends with the proof's folder."""
    started.append(subprocess.Popen([*map(str, command)], **options))
    return started[-1]


@contextlib.contextmanager
def workspace():
    """A temporary folder. After a failure, the end of its file `log` is printed."""
    directory = Path(tempfile.mkdtemp(prefix="turnout-"))
    try:
        yield directory
    except Failure:
        if (log := directory / "log").exists():
            print(*log.read_text(encoding="utf-8").splitlines()[-10:], sep="\n", file=sys.stderr)
        raise
    finally:
        for process in started:
            process.kill()
            process.wait()
        for place in mounted:
            subprocess.run(["umount", "--lazy", place], capture_output=True)
        started.clear()
        mounted.clear()
        subprocess.run(["chattr", "-R", "-i", directory], capture_output=True)
        shutil.rmtree(directory, ignore_errors=True)


def permitted(*command):
    """Runs a system command, which may be missing or forbidden."""
    try:
        subprocess.run(command, capture_output=True, text=True, check=True)
    except (FileNotFoundError, subprocess.CalledProcessError) as error:
        raise Skipped(f"{error} {getattr(error, 'stderr', '')}".strip()) from None


def mount(place, options):
    """Mounts a small disk."""
    place.mkdir(exist_ok=True)
    permitted("mount", "-t", "tmpfs", "-o", options, "turnout-test", place)
    mounted.append(place)


class Program:
    """A process whose errors go to a file."""

    def __init__(self, log, *command, **options):
        self.log = log
        with open(log, "ab") as errors:
            # The program inherits ignored signals, such as the one for files that grow too large.
            options = {"stdin": subprocess.DEVNULL, "stdout": subprocess.DEVNULL, "restore_signals": False} | options
            self.process = start(*command, stderr=errors, **options)

    def kill(self):
        """Kills the program, which must still be running."""
        expect(self.process.poll() is None, f"ended by itself with {self.process.returncode}: {self.errors()}")
        self.process.kill()
        expect(self.process.wait() == -signal.SIGKILL, "was not killed")

    def kill_unless_done(self):
        """Kills the program, unless it has ended without an error."""
        self.process.kill()
        status = self.process.wait()
        expect(status in (0, -signal.SIGKILL), f"ended with {status}: {self.errors()}")

    def finish(self, what, seconds=60):
        """Waits until the program has ended without an error."""
        try:
            status = self.process.wait(seconds)
        except subprocess.TimeoutExpired:
            raise Failure(f"{what} does not end: {self.errors()}") from None
        expect(status == 0, f"{what} ends with {status}: {self.errors()}")

    def errors(self):
        """The last lines of the log."""
        return Path(self.log).read_text(encoding="utf-8").splitlines()[-3:]


class Conversation(Program):
    """A program that answers each line with a line, until its input ends."""

    def __init__(self, log, *command, **options):
        pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "text": True, "bufsize": 1}
        super().__init__(log, *command, **pipes, **options)

    def hear(self):
        answer = self.process.stdout.readline().strip()
        expect(answer, f"no answer, status {self.process.poll()}: {self.errors()}")
        return answer

    def ask(self, line):
        with contextlib.suppress(BrokenPipeError):
            self.process.stdin.write(line + "\n")
        return self.hear()

    def end(self):
        self.process.stdin.close()
        self.finish("the program")


# Servers


def free_port():
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return listener.getsockname()[1]


class Receiver(Conversation):
    """The tests' scriptable server, which receives events."""

    # Includes slow responses: a process killed while waiting for one has sent events that its successor sends again.
    FAILURES = [
        {"status": 500}, {"status": 503}, {"status": 429}, {"isSilent": True, "ending": "reset"},
        {"status": 204, "delay": 0.1},
    ]

    def __init__(self, log):
        script = ROOT / "Tests/Support/LoopbackServer/loopback_server"
        super().__init__(log, sys.executable, "-I", "-S", "-B", script)
        self.port = int(self.hear())
        self.address = f"http://127.0.0.1:{self.port}"
        self.control("count-events", isOn=True)

    def control(self, command, **arguments):
        content = json.dumps(arguments).encode()
        with urllib.request.urlopen(f"{self.address}/_control/{command}", content, timeout=60) as response:
            return json.load(response)

    def fail(self, fraction, seed):
        self.control("fail", path="/v1/events", fraction=fraction, seed=seed, replies=self.FAILURES)

    def refuse(self, is_refusing=True):
        """Responds only with 503, or as usual."""
        self.control("always", path="/v1/events", reply={"status": 503} if is_refusing else None)

    def accepted(self):
        """How often each event was accepted, by uuid, and its user."""
        expect(self.control("statistics")["unreadableBodies"] == 0, "unreadable request bodies")
        return self.control("accepted-events"), self.control("accepted-users")


def quiet_datafile(directory):
    """A datafile without the services that the receiver does not simulate, and without users who are held out."""
    content = json.loads((ROOT / "Examples/Shop/datafile.json").read_text(encoding="utf-8"))
    path = directory / "datafile.json"
    path.write_text(json.dumps(content | {"integrations": [], "holdouts": []}), encoding="utf-8")
    return path


class Server:
    """`turnout serve` with the sample shop's datafile in a folder, or with other flags, and its data in a folder."""

    def __init__(self, folder, flags=None):
        self.datafiles, self.data = Path(folder) / "datafiles", Path(folder) / "data"
        self.datafiles.mkdir(parents=True, exist_ok=True)
        self.flags = flags or self.datafiles
        self.source = ["--flags", self.flags]
        self.process, self.port = None, 0
        self.messages = collections.deque(maxlen=50)
        self.shop = json.loads((ROOT / "Examples/Shop/datafile.json").read_text())

    def publish(self, revision, key=KEY):
        """Replaces the datafile atomically."""
        temporary = self.datafiles / f".{key}"
        temporary.write_text(json.dumps({**self.shop, "revision": str(revision), "sdkKey": key}))
        os.replace(temporary, self.datafiles / f"{key}.json")

    def start(self, *options, port=0):
        """Starts the server, and waits until it listens."""
        self.process = start(
            TURNOUT, "serve", *self.source, "--data", self.data, "--port", port, "--log-format", "json",
            "--set", "shutdown.delay=0", *options, stderr=subprocess.PIPE, text=True)  # fmt: skip
        for line in self.process.stderr:
            entry = json.loads(line)
            self.messages.append(line)
            if entry["message"] == "listening":
                self.port = entry["port"]
                self.address = f"http://127.0.0.1:{self.port}"
                # The pipe must not fill up.
                threading.Thread(target=self.messages.extend, args=[self.process.stderr], daemon=True).start()
                return self
        raise Failure("the server did not start: " + "".join(self.messages))

    @contextlib.contextmanager
    def running(self, *options, port=0):
        """Runs the server, whose exit status must be 0."""
        yield self.start(*options, port=port)
        expect(self.stop() == 0, "the server does not end well: " + "".join(self.messages))

    def kill(self):
        self.process.kill()
        self.process.wait()

    def stop(self):
        """Stops the server as an operator does. Returns its exit status."""
        self.process.terminate()
        return self.process.wait(60)

    def connect(self):
        return http.client.HTTPConnection("127.0.0.1", self.port, timeout=30)

    def get(self, path):
        with urllib.request.urlopen(self.address + path, timeout=30) as response:
            return response.read().decode()

    def metric(self, name):
        """The sum of a metric's values with this beginning."""
        lines = [line for line in self.get("/metrics").splitlines() if line.startswith(name)]
        return sum(float(line.rsplit(" ", 1)[1]) for line in lines)

    def memory(self):
        """The resident memory in bytes."""
        pages = Path(f"/proc/{self.process.pid}/statm").read_text().split()[1]
        return int(pages) * os.sysconf("SC_PAGE_SIZE")

    def wait_until_processed(self, seconds=120):
        """Waits until all received events are in the database."""
        is_processed = lambda: json.loads(self.get("/status"))["events"]["unreadBytes"] == 0
        wait("events to be processed", is_processed, seconds, step=0.1)

    def exported(self, *options):
        """How often each event was exported, by uuid."""
        command = [TURNOUT, "events", "export", "--data", self.data, *options]
        lines = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout.splitlines()
        return collections.Counter(json.loads(line)["uuid"].lower() for line in lines)


def differences(acknowledged, exported):
    """The acknowledged events that are missing, and the exported ones that are there several times."""
    missing = [uuid for uuid in acknowledged if uuid not in exported]
    return missing, [uuid for uuid, count in exported.items() if count > 1]


def event_body(identifiers, number):
    """The body of a request with one event for each uuid."""
    event = {"entity_id": "300103", "key": "purchase", "timestamp": int(time.time() * 1000), "revenue": 100,
             "tags": {"revenue": 100}}
    return json.dumps({
        "account_id": "1", "project_id": PROJECT, "revision": "1", "client_name": "load", "client_version": "1",
        "anonymize_ip": True, "enrich_decisions": True, "visitors": [{
            "visitor_id": f"user {number}", "attributes": [],
            "snapshots": [{"events": [event | {"uuid": identifier}]} for identifier in identifiers]}],
    })
