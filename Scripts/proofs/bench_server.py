"""Measures `turnout serve` under the load of wrk, and writes Benchmarks/SERVER.md (half an hour).

--seconds is the length of a row, --stored the number of events that the database has when the rate of processing is
measured, --minutes the length of the load after which memory is measured.
"""

import gzip
import http.client
import json
import os
import random
import resource
import select
import shutil
import socket
import statistics
import subprocess
import tempfile
import time
from pathlib import Path

import support
from support import ROOT, TURNOUT, Server, expect, wait

# The SDK keys of datafiles with 20 and with 100 flags, and of one with 415 kB.
FEW, MANY, LARGE = "Few", "Many", "Large"
FLAGS = {FEW: 20, MANY: 100, LARGE: 308}
STREAMS = 5_000

# What all loads do: they count, and print their result as JSON.
LOAD = """
local number = 0
function done(summary, latency, requests)
  local errors = summary.errors
  io.write(string.format('{"requests": %d, "microseconds": %d, "failed": %d, "p50": %d, "p99": %d}\\n',
    summary.requests, summary.duration, errors.connect + errors.read + errors.write + errors.status + errors.timeout,
    latency:percentile(50), latency:percentile(99)))
end
local function attributes()
  return string.format('"plan": "basic", "orders": %d, "app_version": "4.2", "country": "US", "logged_in": true',
    number % 20)
end
"""

DECIDE = LOAD + """
local headers = {["Content-Type"] = "application/json", ["X-Optimizely-SDK-Key"] = "Many"}
function request()
  number = number + 1
  local body = string.format('{"userId": "user %d", "userAttributes": {%s}}', number % USERS, attributes())
  return wrk.format("POST", "/v1/decide?keys=flag_42", headers, body)
end
"""

# Users who come again, and new ones, whose assignment is stored.
KNOWN, NEW = DECIDE.replace("USERS", "1000"), DECIDE.replace("USERS", "1e9")

EVALUATE = LOAD + """
local headers = {["Content-Type"] = "application/json", ["X-API-Key"] = "Few"}
function request()
  number = number + 1
  local body = string.format('{"context": {"targetingKey": "user %d", %s}}', number % 1000, attributes())
  return wrk.format("POST", "/ofrep/v1/evaluate/flags", headers, body)
end
"""

EVENTS = LOAD + """
local headers = {["Content-Type"] = "application/json"}
local run = SEED
local event = '{"entity_id": "300103", "key": "purchase", "uuid": "%08x-0000-4000-8000-%04x%08x", "timestamp": NOW, ' ..
  '"revenue": 100, "tags": {"revenue": 100}}'
function request()
  number = number + 1
  local events = {}
  for index = 1, 10 do events[index] = string.format(event, run, index, number) end
  local body = '{"account_id": "1", "project_id": "100300", "revision": "1", "client_name": "load", ' ..
    '"client_version": "1", "anonymize_ip": true, "enrich_decisions": true, "visitors": [{"visitor_id": "user ' ..
    (number % 100000) .. '", "attributes": [], "snapshots": [{"events": [' .. table.concat(events, ", ") .. "]}]}]}"
  return wrk.format("POST", "/v1/events", headers, body)
end
"""


def download(headers):
    pairs = ", ".join(f"[{json.dumps(name)}] = {json.dumps(value)}" for name, value in headers.items())
    return LOAD + f"""
function request() return wrk.format("GET", "/datafiles/{LARGE}.json", {{{pairs}}}) end
"""


def processor_seconds(server):
    """The processor time that the server has used."""
    fields = Path(f"/proc/{server.process.pid}/stat").read_text().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


class Load:
    """A run of wrk with one thread."""

    def __init__(self, server, script, seconds, connections=64, pause=0):
        if pause:
            script += f"\nfunction delay() return {pause} end\n"
        with tempfile.NamedTemporaryFile("w", suffix=".lua") as file:
            file.write(script)
            file.flush()
            before = processor_seconds(server)
            command = ["wrk", "-t1", f"-c{connections}", f"-d{seconds}s", "--timeout", "10s", "--latency",
                       "-s", file.name, server.address]
            output = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout
            used = processor_seconds(server) - before
        found = json.loads(output.splitlines()[-1])
        self.requests = found["requests"]
        expect(self.requests and not found["failed"], f"{found['failed']} of {self.requests} requests failed\n{output}")
        self.rate = self.requests / found["microseconds"] * 1e6
        self.processor = used / self.requests * 1e6
        self.p50, self.p99 = found["p50"] / 1e3, found["p99"] / 1e3

    def figures(self):
        return f"{self.rate:,.0f}/s", f"{self.processor:.1f} µs", f"{self.p50:.1f} ms", f"{self.p99:.1f} ms"


class Report:
    """The rows of a table, which are also printed while they are measured."""

    def __init__(self):
        self.lines = ["| Work | Goal | Measured | Server's processor time each | Median | p99 |",
                      "| --- | --- | --- | --- | --- | --- |"]
        print("\n".join(self.lines), flush=True)

    def add(self, work, goal, *figures):
        row = [work, goal, *figures, *["–"] * (4 - len(figures))]
        self.lines.append("| " + " | ".join(row) + " |")
        print(self.lines[-1], flush=True)


PLANS = ["free", "basic", "premium", "business"]


def condition(name, match, value):
    return {"type": "custom_attribute", "name": name, "match": match, "value": value}


def audience(number):
    """Conditions on four attributes."""
    return {
        "id": f"9{number:04}", "name": f"audience_{number}",
        "conditions": [
            "and",
            ["or", condition("plan", "exact", PLANS[number % 4]), condition("orders", "gt", number % 40)],
            ["or", condition("app_version", "semver_ge", f"{number % 9}.2"), condition("country", "exact", "FI")],
        ],
    }


def variations(prefix, keys):
    return [{"id": f"{prefix}{index}", "key": key, "featureEnabled": True, "variables": []}
            for index, key in enumerate(keys)]


def rule(prefix, key, layer, audiences, keys, end):
    made = variations(prefix, keys)
    return {
        "id": prefix, "key": key, "status": "Running", "layerId": layer, "audienceIds": audiences,
        "forcedVariations": {}, "variations": made,
        "trafficAllocation": [{"entityId": variation["id"], "endOfRange": end * (index + 1) // len(made)}
                              for index, variation in enumerate(made)],
    }


def datafile(flags):
    """Each flag has an experiment for half of the members of an audience, and a rollout of two rules."""
    numbers = range(flags)
    experiments = [rule(f"1{n:04}", f"experiment_{n}", f"2{n:04}", [f"9{n % 50:04}"], ["control", "treatment"], 5000)
                   for n in numbers]
    rollouts = [
        {"id": f"3{n:04}", "experiments": [
            rule(f"4{n:04}", f"delivery_{n}", f"3{n:04}", [f"9{(n + 7) % 50:04}"], ["on"], 8000),
            rule(f"5{n:04}", f"default-rollout-{n}", f"3{n:04}", [], ["off"], 10000)]}
        for n in numbers
    ]
    features = [
        {"id": f"6{n:04}", "key": f"flag_{n}", "experimentIds": [f"1{n:04}"], "rolloutId": f"3{n:04}",
         "variables": [{"id": f"7{n:04}", "key": "steps", "type": "integer", "defaultValue": "3"},
                       {"id": f"8{n:04}", "key": "title", "type": "string", "defaultValue": "Pay"}]}
        for n in numbers
    ]
    attributes = ["plan", "orders", "app_version", "country", "logged_in"]
    return {
        "version": "4", "accountId": "100200", "projectId": "100300", "anonymizeIP": True, "botFiltering": False,
        "attributes": [{"id": f"{index}", "key": key} for index, key in enumerate(attributes)],
        "events": [{"id": "300103", "key": "purchase", "experimentIds": []}],
        "audiences": [], "typedAudiences": [audience(n) for n in range(50)], "groups": [],
        "experiments": experiments, "rollouts": rollouts, "featureFlags": features, "variables": [],
    }


def start(folder, keys=tuple(FLAGS), *options):
    server = Server(folder)
    for key in keys:
        server.shop = datafile(FLAGS[key])
        server.publish(1, key)
    return server.start(*options)


def first_answer():
    """The seconds from the start of a process with a large datafile to its first decision; the median of ten."""
    seconds = []
    for _ in range(10):
        with support.workspace() as folder:
            server, port = Server(folder), support.free_port()
            server.shop = datafile(308)
            server.publish(1, LARGE)
            begin = time.perf_counter()
            support.start(TURNOUT, "serve", "--datafiles", server.datafiles, "--data", server.data, "--port", port,
                          stderr=subprocess.DEVNULL)  # fmt: skip
            wait("a decision", lambda: decides(port), step=0.0005)
            seconds.append(time.perf_counter() - begin)
    return statistics.median(seconds)


def decides(port):
    headers = {"Content-Type": "application/json", "X-Optimizely-SDK-Key": LARGE}
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=10)
    try:
        connection.request("POST", "/v1/decide?keys=flag_7", '{"userId": "ada"}', headers)
        return connection.getresponse().status == 200
    except OSError:
        return False


def measure_requests(server, report, seconds):
    decide = Load(server, KNOWN, seconds)
    report.add("`POST /v1/decide?keys=…`, 5 attributes, 100 flags, 1,000 users", "≥ 30,000/s, ≤ 20 µs",
               *decide.figures())
    # Each connection sends a request, and then pauses.
    connections = 64
    pause = max(1, round(connections / (decide.rate / 2) * 1e3))
    report.add("the same at half that load", "p99 ≤ 5 ms",
               *Load(server, KNOWN, seconds, connections, pause).figures())
    report.add("the same, each user for the first time", "–", *Load(server, NEW, seconds).figures())
    report.add("OFREP, all of 20 flags", "≥ 10,000/s", *Load(server, EVALUATE, seconds).figures())
    connection = server.connect()
    connection.request("GET", f"/datafiles/{LARGE}.json", headers={"Accept-Encoding": "gzip"})
    response = connection.getresponse()
    size, tag = len(gzip.decompress(response.read())), response.headers["ETag"]
    report.add("datafile, 304", "≥ 100,000/s", *Load(server, download({"If-None-Match": tag}), seconds).figures())
    report.add(f"datafile of {size / 1e3:.0f} kB, 200 with gzip", "≥ 10,000/s",
               *Load(server, download({"Accept-Encoding": "gzip"}), seconds).figures())


def measure_redis(report, seconds):
    """The decisions of `measure_requests`, with the assignments in Redis on this machine."""
    with support.workspace() as folder:
        port = support.free_port()
        # The package of the tools has the server under another name.
        program = shutil.which("redis-server") or shutil.which("redis-check-rdb")
        support.start("redis-server", "--port", port, "--bind", "127.0.0.1", "--save", "", "--dir", folder,
                      executable=program, stdout=subprocess.DEVNULL)  # fmt: skip
        wait("Redis", lambda: is_open(port))
        server = start(folder, [MANY], "--profiles", f"redis://127.0.0.1:{port}")
        report.add("decisions with assignments in Redis, 1,000 users", "≤ 2 × those in SQLite",
                   *Load(server, KNOWN, seconds).figures())
        report.add("the same, each user for the first time", "≤ 60 µs", *Load(server, NEW, seconds).figures())


def is_open(port):
    try:
        socket.create_connection(("127.0.0.1", port)).close()
        return True
    except OSError:
        return False


def measure_events(server, report, seconds, stored):
    def send(seconds):
        script = EVENTS.replace("SEED", str(time.monotonic_ns() % 2**31)).replace("NOW", str(int(time.time() * 1000)))
        return Load(server, script, seconds)

    def processed():
        return server.metric("turnout_events_processed_total")

    load = send(seconds)
    report.add("`POST /v1/events` of 10 events, in the file before 204", "≥ 15,000/s", *load.figures())
    server.wait_until_processed(3600)
    while processed() < stored:
        send(min(30, max(1, int((stored - processed()) / load.rate / 10))))
        server.wait_until_processed(3600)
    found = processed()
    send(seconds)
    begin, before, used = time.monotonic(), processed(), processor_seconds(server)
    server.wait_until_processed(3600)
    elapsed, count = time.monotonic() - begin, processed() - before
    report.add(f"processing of events, {found / 1e6:.1f} million in the database", "≥ 30,000/s",
               f"{count / elapsed:,.0f}/s", f"{(processor_seconds(server) - used) / count * 1e6:.1f} µs")
    busy = server.memory()
    time.sleep(10)
    report.add("memory then, and after ten idle seconds", "–",
               f"{busy / 1e6:.0f} MB, {server.memory() / 1e6:.0f} MB")


def measure_streams(server, report):
    """Opens idle streams, then publishes a datafile. Measures memory, and when the change has reached all."""
    # The server returns memory when it has nothing to do.
    time.sleep(10)
    before = server.memory()
    sockets = []
    for _ in range(STREAMS):
        connection = socket.create_connection(("127.0.0.1", server.port))
        connection.sendall(f"GET /datafiles/{FEW}/changes HTTP/1.1\r\nHost: localhost\r\n\r\n".encode())
        sockets.append(connection)
    time.sleep(3)
    for connection in sockets:
        connection.setblocking(False)
        connection.recv(1 << 16)
    memory = server.memory() - before
    waiting = select.epoll()
    for connection in sockets:
        waiting.register(connection, select.EPOLLIN | select.EPOLLONESHOT)
    server.shop = datafile(20)
    begin = time.perf_counter()
    server.publish(2, FEW)
    reached, first = 0, None
    while reached < STREAMS:
        found = waiting.poll(10)
        expect(found, f"the change reached {reached} of {STREAMS} streams")
        first = first or time.perf_counter()
        reached += len(found)
    last = time.perf_counter()
    for connection in sockets:
        connection.close()
    report.add(f"{STREAMS:,} idle streams", "≤ 100 MB", f"{memory / 1e6:.0f} MB")
    report.add("a new datafile reaches all of them", "≤ 500 ms",
               f"{(last - begin) * 1e3:.0f} ms after the file changed, {(last - first) * 1e3:.0f} ms after the first")


# A flag that is on or off.
PROJECT = """
project: shop
environments: {{production: {{sdk_key: shop}}}}
flags:
  offer: {{variations: {{on: {{}}}}, rules: [{{delivery: offer_all, serve: on, traffic: {percentage}%}}], else: off}}
"""


def measure_change(report, changes=20):
    """Replaces a project file. Measures when a stream of changes tells it, and when a decision is another."""
    headers = {"Content-Type": "application/json", "X-Optimizely-SDK-Key": "shop"}
    told, decided = [], []
    with support.workspace() as folder:
        server = Server(folder, folder / "flags.yaml")
        server.flags.write_text(PROJECT.format(percentage=0))
        server.start()
        stream, connection = server.connect(), server.connect()
        stream.request("GET", "/datafiles/shop/changes")
        lines = stream.getresponse()

        def is_enabled():
            connection.request("POST", "/v1/decide?keys=offer", '{"userId": "ada"}', headers)
            return json.load(connection.getresponse())["enabled"]

        # The first event has only an id.
        read_to(lines, b"id:")
        for number in range(changes):
            # At any time since the server looked at the file.
            time.sleep(random.uniform(0.1, 0.3))
            temporary = folder / "next.yaml"
            temporary.write_text(PROJECT.format(percentage=0 if number % 2 else 100))
            begin = time.perf_counter()
            os.replace(temporary, server.flags)
            read_to(lines, b"data:")
            told.append(time.perf_counter() - begin)
            wait("another decision", lambda: is_enabled() == (number % 2 == 0), seconds=10, step=0)
            decided.append(time.perf_counter() - begin)
    report.add(f"a changed project file, median of {changes}", "≤ 100 ms",
               f"{statistics.median(told) * 1e3:.0f} ms to the message of a stream, "
               f"{statistics.median(decided) * 1e3:.0f} ms to another decision; at most {max(decided) * 1e3:.0f} ms")


def read_to(lines, beginning):
    """Reads the lines of a stream up to one with this beginning."""
    while not (line := lines.readline()).startswith(beginning):
        expect(line, "the stream of changes ended")


def measure_memory(report, minutes):
    """Memory of a server with one datafile after a load of decisions, and in its middle."""
    seconds = max(1, int(minutes * 30))
    with support.workspace() as folder:
        server = start(folder, [MANY])
        # New users fill the cache of assignments.
        Load(server, NEW, min(10, seconds))
        Load(server, KNOWN, seconds)
        middle = server.memory()
        Load(server, KNOWN, seconds)
        report.add(f"memory, 100 flags, after {minutes:g} minutes of decisions", "flat, ≤ 60 MB",
                   f"{server.memory() / 1e6:.1f} MB; {middle / 1e6:.1f} MB in the middle")


def heading(seconds):
    version = subprocess.run([TURNOUT, "--version"], check=True, stdout=subprocess.PIPE, text=True).stdout.strip()
    processor = next((line.split(":", 1)[1].strip() for line in open("/proc/cpuinfo", encoding="utf-8")
                      if line.startswith("model name")), "unknown processor")
    return f"""# Measurements of the server

`Scripts/prove bench-server` wrote this file. The load is wrk with one thread and 64 connections on the same machine, so
both share the processors; the server's own processor time for a request is given beside. Each row takes {seconds} s.
The speed of shared machines varies by a factor of two.

For comparison, as their makers report it on other machines: the vendor's Agent publishes no figure; Unleash Edge
answers 39,000 requests/s with 5 flags and 6,900/s with 350 on one processor; flagd evaluates a flag in its own process
in 10 µs.

{version}, {os.cpu_count()} × {processor}, {time.strftime("%Y-%m-%d")}.

"""


def main():
    arguments = support.options(__doc__, seconds=10, stored=1e7, minutes=10.0)
    # 5,000 streams are 10,000 files, of the server and of the clients.
    resource.setrlimit(resource.RLIMIT_NOFILE, (20_000, 20_000))
    report = Report()
    report.add("start to the first decision, datafile of 415 kB", "≤ 50 ms", f"{first_answer() * 1e3:.0f} ms")
    measure_change(report)
    measure_memory(report, arguments.minutes)
    measure_redis(report, arguments.seconds)
    with support.workspace() as folder:
        server = start(folder)
        measure_requests(server, report, arguments.seconds)
        report.add("memory after these requests", "–", f"{server.memory() / 1e6:.1f} MB")
        measure_streams(server, report)
        measure_events(server, report, arguments.seconds, arguments.stored)
    text = heading(arguments.seconds) + "\n".join(report.lines) + "\n"
    (ROOT / "Benchmarks/SERVER.md").write_text(text, encoding="utf-8")


main()
