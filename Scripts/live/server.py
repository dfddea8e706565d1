"""The server as a process, its datafile, its memory and its events."""

import collections
import json
import os
import signal
import subprocess
import sys
import threading
import time
import urllib.request
from pathlib import Path

KEY = "ShopDemoSdkKey"
PROJECT = "100300"
ROOT = Path(__file__).resolve().parents[2]
SHOP = ROOT / "Examples/Shop/datafile.json"


class Server:
    """`turnout serve` with the sample shop's datafile in a folder, or with other flags, and its data in a folder."""

    def __init__(self, program, folder):
        self.program = program
        self.datafiles, self.data = Path(folder) / "datafiles", Path(folder) / "data"
        self.datafiles.mkdir(parents=True, exist_ok=True)
        self.flags = self.datafiles
        self.process, self.port = None, 0
        self.messages = collections.deque(maxlen=50)
        self.shop = json.loads(SHOP.read_text())

    def publish(self, revision, key=KEY):
        """Replaces the datafile atomically."""
        temporary = self.datafiles / f".{key}"
        temporary.write_text(json.dumps({**self.shop, "revision": str(revision), "sdkKey": key}))
        os.replace(temporary, self.datafiles / f"{key}.json")

    def start(self, *options, port=0):
        """Starts the server, and waits until it listens."""
        self.process = subprocess.Popen(
            [self.program, "serve", "--flags", self.flags, "--data", self.data, "--port", str(port),
             "--log-format", "json", "--set", "shutdown.delay=0", *options],
            stderr=subprocess.PIPE, text=True,
        )
        for line in self.process.stderr:
            entry = json.loads(line)
            self.messages.append(line)
            if entry["message"] == "listening":
                self.port = entry["port"]
                # The pipe must not fill up.
                threading.Thread(target=self.messages.extend, args=[self.process.stderr], daemon=True).start()
                return self
        sys.exit("the server did not start: " + "".join(self.messages))

    def kill(self):
        self.process.kill()
        self.process.wait()

    def stop(self):
        """Stops the server as an operator does. Returns its exit status."""
        self.process.send_signal(signal.SIGTERM)
        return self.process.wait(60)

    @property
    def address(self):
        return f"http://127.0.0.1:{self.port}"

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
        deadline = time.monotonic() + seconds
        while json.loads(self.get("/status"))["events"]["unreadBytes"] > 0:
            if time.monotonic() > deadline:
                sys.exit("the received events were not processed")
            time.sleep(0.1)

    def exported(self, *options):
        """How often each event was exported, by uuid."""
        command = [self.program, "events", "export", "--data", self.data, *options]
        lines = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout.splitlines()
        return collections.Counter(json.loads(line)["uuid"].lower() for line in lines)


def differences(acknowledged, exported):
    """The acknowledged events that are missing, and the exported ones that are there several times."""
    missing = [uuid for uuid in acknowledged if uuid not in exported]
    return missing, [uuid for uuid, count in exported.items() if count > 1]
