"""Proves the engines for events: all have the same bytes of results, and faults under load lose and repeat nothing.

Each engine gets the same events in any order, twice, late and cut off from three servers; their results, weights of a
bandit and members of a segment must be those of a server with its own files. Then each engine and the server that
writes to it fail in many ways while a client decides and sends events. No decision fails, `/status` and `/metrics` say
the problem while it lasts, and all acknowledged events are in the engine in the end, once.
"""

import concurrent.futures
import contextlib
import http.client
import json
import os
import random
import select
import shutil
import signal
import socket
import socketserver
import subprocess
import sys
import threading
import time
import urllib.parse
import uuid
from pathlib import Path

import support
from support import ROOT, TURNOUT, Server, Skipped, expect, free_port

PROJECT = """
project: shop
environments: {production: {sdk_key: shop}}
events: [purchase, signup]
metrics: {soon: {event: signup, count: total, window: 1 days}}
segments: {public_key: shop, define: {buyers: {rule: {event: purchase, times: 2}}}}
flags:
  banner:
    variations: {off: {}, points: {}, gift: {}}
    rules: [{bandit: banner_bandit, split: [points, gift], metrics: [purchase.value]}]
    else: off
  checkout:
    variations: {off: {}, small: {}, big: {}}
    rules:
      - experiment: checkout_test
        split: {off: 34, small: 33, big: 33}
        metrics: [purchase.unique, purchase.revenue, purchase.value, signup.total, soon]
    else: off
"""
RESULTS, DAY = "/results/checkout_test", 86_400_000
UNREAD = 'turnout_event_log_unread_bytes{reader="writing to'
USER, PASSWORD, NODE = "turnout", "p&%s", socket.gethostname().encode()

# Engines


class ClickHouse:
    """Debian's server, in a folder with a small disk, if that is permitted."""

    name, address = "clickhouse", "http://{}:{}@127.0.0.1:{}"
    copy, drop = "CREATE TABLE kept ENGINE = Memory AS SELECT * FROM turnout_events", "DROP TABLE turnout_events"
    writes = "SELECT count() FROM system.processes WHERE query LIKE 'INSERT%'"

    def __init__(self, folder):
        self.folder, self.disk, self.port = folder / self.name, folder / f"{self.name} disk", free_port()
        self.folder.mkdir()
        self.forbidden = None
        try:
            support.mount(self.disk, "size=200m,mode=1777")
        except Skipped as reason:
            self.forbidden = reason
        self.prepare()
        self.start()

    def prepare(self):
        for name, content in {
            "config": f"""<logger><level>none</level></logger><listen_host>127.0.0.1</listen_host>
                <http_port>{self.port}</http_port><path>{self.disk}/data/</path><tmp_path>{self.disk}/tmp/</tmp_path>
                <users_config>{self.folder}/users.xml</users_config><default_profile>default</default_profile>
                <default_database>default</default_database><mark_cache_size>16777216</mark_cache_size>""",
            "users": f"""<profiles><default/></profiles><quotas><default/></quotas><users><{USER}>
                <password>p&amp;%s</password><networks><ip>127.0.0.1</ip></networks><profile>default</profile>
                <quota>default</quota></{USER}></users>""",
        }.items():
            (self.folder / f"{name}.xml").write_text(f"<yandex>{content}</yandex>")

    def command(self):
        return ["/usr/sbin/clickhouse-server", f"--config-file={self.folder}/config.xml"]

    def start(self):
        self.process = support.Program(self.folder / "log", *self.command()).process
        support.wait(f"{self.name} to start", self.answers, 30, step=0.05)

    def answers(self):
        if self.process.poll() is not None:
            # The processes of one that was killed still end.
            self.process = support.Program(self.folder / "log", *self.command()).process
        with contextlib.suppress(OSError, ValueError):
            return self.query("SELECT 1") == "1"

    def query(self, statement):
        headers = {"X-ClickHouse-User": USER, "X-ClickHouse-Key": PASSWORD}
        return post(self.port, "/?wait_end_of_query=1", statement, **headers).decode().strip()

    def set_up(self):
        subprocess.run(
            [TURNOUT, "engine", "setup", "--engine", self.url(self.port)], check=True, stderr=subprocess.DEVNULL)

    def url(self, port, password=PASSWORD):
        return self.address.format(USER, urllib.parse.quote(password), port)

    def signal(self, number):
        """Sends a signal to all its processes."""
        children = Path(f"/proc/{self.process.pid}/task/{self.process.pid}/children").read_text().split()
        for process in [self.process.pid, *map(int, children)]:
            with contextlib.suppress(ProcessLookupError):
                os.kill(process, number)

    def stop(self):
        # PostgreSQL then ends its connections.
        self.process.send_signal(signal.SIGINT)
        self.process.wait(30)


class Chdb(ClickHouse):
    """The current ClickHouse behind a server of our own: its language and numbers, and not its HTTP."""

    name = "chdb"

    def command(self):
        return [sys.executable, ROOT / "Tests/Differential/chdb_server.py", self.port, self.folder]


class PostgreSQL(ClickHouse):
    """Debian's server, which does not run as root."""

    name, address = "postgresql", "postgresql://{}:{}@127.0.0.1:{}/postgres"
    copy, drop = "CREATE TABLE kept AS SELECT * FROM turnout_events", "DROP TABLE turnout_events CASCADE"
    writes = "SELECT count(*) FROM pg_stat_activity WHERE state = 'active' AND pid != pg_backend_pid()"

    def program(self, name, *arguments):
        user = ["setpriv", "--reuid=postgres", "--regid=postgres", "--clear-groups"] if os.geteuid() == 0 else []
        return [*user, f"/usr/lib/postgresql/15/bin/{name}", "-D", self.disk / "data", *arguments]

    def prepare(self):
        self.disk.mkdir(exist_ok=True)
        self.disk.chmod(0o1777)
        (self.disk / "password").write_text(PASSWORD)
        options = ["-U", USER, "-A", "scram-sha-256", "--pwfile", self.disk / "password", "--no-sync"]
        subprocess.run(self.program("initdb", *options), check=True, cwd="/", stdout=subprocess.DEVNULL)

    def command(self):
        settings = ["max_wal_size=64MB", "min_wal_size=32MB", "shared_buffers=32MB", "unix_socket_directories="]
        return self.program("postgres", "-p", self.port, *(part for each in settings for part in ("-c", each)))

    def query(self, statement):
        command = ["psql", "-Atqc", statement, self.url(self.port)]
        done = subprocess.run(command, capture_output=True, text=True)
        if done.returncode:
            raise ValueError(done.stderr)
        return done.stdout.strip()


# Events


class Shop:
    """Makes servers that have seen the experiment at the same time, and events of it."""

    def __init__(self, folder):
        self.folder, self.flags = folder, folder / "flags.yaml"
        self.flags.write_text(PROJECT)
        self.first = Server(folder / "first", self.flags)
        with self.first.running():
            support.wait("the experiment to be known", lambda: "checkout_test" in self.first.get("/results"))
            datafile = json.loads(self.first.get("/datafiles/shop.json"))
        self.project = datafile["projectId"]
        self.experiment, self.bandit = (
            next(each for each in datafile["experiments"] if each["key"] == key)
            for key in ("checkout_test", "banner_bandit"))

    def server(self, name):
        shutil.copytree(self.first.data, self.folder / name / "data")
        return Server(self.folder / name, self.flags)

    def body(self, visitors=None, client="shop"):
        """The body of a request with 20 purchases or with others, and the uuids of the purchases."""
        identifiers = [str(uuid.uuid4()) for _ in range(20)]
        body = json.loads(support.event_body(identifiers, random.randrange(500)))
        body |= {"project_id": self.project, "client_name": client}
        return json.dumps(body | ({"visitors": visitors} if visitors else {})), identifiers

    def exposure(self, experiment, arm, timestamp):
        decision = {"campaign_id": experiment["layerId"], "experiment_id": experiment["id"],
                    "variation_id": experiment["variations"][arm]["id"]}  # fmt: skip
        event = {"entity_id": decision["campaign_id"], "key": "campaign_activated", "timestamp": timestamp}
        return {"decisions": [decision], "events": [event | {"uuid": str(uuid.uuid4())}]}

    def visitor(self, number, now):
        """One event of a user. Some users cross, are bots or have strange names; some times are wrong."""
        name = [f"user {number}", f"o'ha\\ra\t{number}", f"\0ü\u2028 {number}"][number % 3]
        timestamp = 1 if random.random() < 0.03 else now - random.randrange(6 * DAY)
        attributes = {"plan": "staff"} if number % 50 == 7 else {"plan": number, "a\0": "\0"}
        if number % 40 == 1:
            attributes |= {"$opt_bot_filtering": True, "$opt_user_agent": "Googlebot"}
        if random.random() < 0.5:
            snapshot = self.exposure(self.experiment, (number + (random.random() < 0.01)) % 3, timestamp)
        elif random.random() < 0.5:
            snapshot = self.exposure(self.bandit, number % 2, timestamp)
        else:
            key = random.choice(["purchase", "signup"])
            event = {"entity_id": key, "key": key, "timestamp": timestamp, "uuid": str(uuid.uuid4())}
            if random.random() < 0.8:
                event |= {"revenue": random.randrange(-500, 9_000), "value": random.random(), "tags": {"é": "\0"}}
            snapshot = {"events": [event]}
        attributes = [
            {"entity_id": key, "key": key, "type": "custom", "value": value} for key, value in attributes.items()]
        return {"visitor_id": name, "attributes": attributes, "snapshots": [snapshot]}

    def send(self, visitors, servers):
        """Sends events to each of some servers in turn, and one request that is cut off."""
        for number, start in enumerate(range(0, len(visitors), 100)):
            # A user has one client.
            for client in ("shop", "lädchen"):
                chosen = [each for each in visitors[start:start + 100]
                          if (len(each["visitor_id"]) % 2 == 0) == (client == "shop")]  # fmt: skip
                post(servers[number % len(servers)].port, "/v1/events", self.body(chosen, client)[0])
        body, _ = self.body([self.visitor(number, 0) for number in range(100)])
        connection = servers[0].connect()
        connection.request("POST", "/v1/events", body[:10_000], {"Content-Length": "20000"})
        connection.close()


def post(port, path, body, connection=None, **headers):
    connection = connection or http.client.HTTPConnection("127.0.0.1", port, timeout=60)
    headers |= {"Content-Type": "application/json", "X-Optimizely-SDK-Key": "shop"}
    try:
        connection.request("POST", path, body, headers)
        response = connection.getresponse()
        content = response.read()
    except (OSError, http.client.HTTPException) as error:
        connection.close()
        raise ValueError(f"{path}: {error!r}") from None
    if response.status not in (200, 204):
        raise ValueError(f"{path}: status {response.status}: {content}")
    return content


def learned(shop, server, options):
    """The weights of the bandit at a server that starts again, and the users of a segment."""
    expect(server.stop() == 0, "a server does not end well")
    server.start(*options)
    support.wait("the weights", lambda: json.loads(server.get("/status"))["predictions"]["updated"])
    bandit = json.loads(server.get(f"/predict/{shop.bandit['id']}"))["variations"]
    query = 'query {customer(fs_user_id: "user %d") {audiences(subset: ["buyers"]) {edges {node {name state}}}}}'
    answers = [post(server.port, "/v3/graphql", json.dumps({"query": query % number}), **{"x-api-key": "shop"})
               for number in range(0, 300, 3)]  # fmt: skip
    return [each["weight"] for each in bandit], [b'"qualified"' in answer for answer in answers]


def status(server):
    return json.loads(server.get("/status"))["events"]["engine"]


def compare(shop, kinds, count):
    """Compares the results of all engines with those of a server's own files."""
    options = ["--set", "results.exclude=bots,user:user 3,plan=staff", "--set", "access.local_management=true"]
    now = int(time.time() * 1000)
    visitors = [shop.visitor(random.randrange(count // 6), now) for _ in range(count)]
    with (alone := shop.server("alone")).running(*options):
        shop.send(visitors, [alone])
        alone.wait_until_processed()
        expected = alone.get(RESULTS)
        known = learned(shop, alone, options)
    expect(known[0][0] != known[0][1] and len(set(known[1])) == 2, f"the server has learned nothing: {known}")
    left_out = {each["reason"] for each in json.loads(expected)["leftOut"]}
    expect(left_out >= {"crossed", "bots", "excluded", "correctedTime"}, f"left out are {left_out}")
    for kind in kinds:
        engine = kind(shop.folder)
        engine.set_up()
        servers = [shop.server(f"{engine.name} {number}") for number in range(3)]
        own = [*options, "--set", f"events.engine={engine.url(engine.port)}"]
        with contextlib.ExitStack() as stack:
            stack.callback(engine.stop)
            for each in servers:
                stack.enter_context(each.running(*own))
            shop.send(random.sample(visitors * 2, 2 * count), servers)
            for each in servers:
                support.wait(f"{engine.name} to have all", lambda each=each: status(each)["unreadBytes"] == 0)
            for each in servers:
                # Results are kept for a moment.
                support.wait(f"the results in {engine.name}", lambda each=each: each.get(RESULTS) == expected, 20)
                expect(learned(shop, each, own) == known, f"{engine.name} gives other weights or segments")
        print(f"{engine.name}: {count:,} events twice by three servers: the same {len(expected):,} bytes, weights "
              f"{known[0]} and {sum(known[1])} users of a segment", flush=True)  # fmt: skip


# Faults


class Load(threading.Thread):
    """Decides and sends events, some twice, and remembers what was acknowledged, what failed, and how long it took."""

    def __init__(self, shop, port):
        super().__init__(daemon=True)
        self.shop, self.port, self.connection = shop, port, http.client.HTTPConnection("127.0.0.1", port, timeout=30)
        self.acknowledged, self.failures, self.waits = set(), [], []
        self.may_fail, self.ends, self.pause = False, False, threading.Lock()

    def run(self):
        while not self.ends:
            with self.pause:
                try:
                    self.step()
                except ValueError as error:
                    if not self.may_fail:
                        self.failures.append(error)
            time.sleep(0.01)

    def step(self):
        begin, user = time.monotonic(), json.dumps({"userId": f"user {random.randrange(500)}"})
        content = post(self.port, "/v1/decide?keys=checkout", user, self.connection)
        self.waits.append(time.monotonic() - begin)
        if json.loads(content)["variationKey"] not in ("off", "small", "big"):
            raise ValueError(f"decided {content}")
        body, identifiers = self.shop.body()
        for _ in range(random.choice([1, 1, 1, 2])):
            post(self.port, "/v1/events", body, self.connection)
        self.acknowledged.update(identifiers)


class Proxy(socketserver.ThreadingTCPServer):
    """Passes connections on to an engine, until it has had so many bytes, or then a mark."""

    daemon_threads = True

    def __init__(self, target):
        super().__init__(("127.0.0.1", 0), None)
        self.target, self.port, self.open, self.rest = target, self.server_address[1], set(), sys.maxsize
        self.mark = b""
        threading.Thread(target=self.serve_forever, daemon=True).start()

    def finish_request(self, client, _):
        self.open.add(client)
        with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", self.target)) as server:
            while self.rest > 0 and all(self.passes(each, client, server) for each in self.readable(client, server)):
                pass
        self.open.remove(client)

    def readable(self, *sockets):
        return select.select(sockets, [], [], 0.01)[0]

    def passes(self, source, client, server):
        data = source.recv(65_536)
        if source is client:
            end = data.find(self.mark, self.rest)
            self.rest = 0 if end >= 0 else max(1, self.rest - len(data))
            data = data[: end + len(self.mark)] if end >= 0 else data
        (server if source is client else client).sendall(data)
        return len(data)


class Faults:
    """An engine, a server that writes to it through a proxy, and a client of the server."""

    def __init__(self, shop, kind, freeze):
        self.freeze, self.engine = freeze, kind(shop.folder / "faults")
        self.engine.set_up()
        self.proxy, self.server = Proxy(self.engine.port), shop.server(f"faults/{kind.name} server")
        self.server.port = free_port()
        self.start()
        self.load = Load(shop, self.server.port)

    def start(self, **password):
        url = self.engine.url(self.proxy.port, **password)
        self.server.start("--set", f"events.engine={url}", port=self.server.port)

    def restart(self, end, **password):
        self.load.may_fail = True
        end()
        self.start(**password)
        self.load.may_fail = False

    def wait(self, what, is_true):
        return support.wait(f"{self.engine.name}: {what}", is_true, self.freeze + 90, step=0.02)

    def disconnect(self):
        self.proxy.rest = 0
        self.wait("the end of connections", lambda: not self.proxy.open)
        self.wait("the end of statements", lambda: self.engine.query(self.engine.writes) == "0")

    def expect_problem(self, words=""):
        """Waits until the server says a problem with some words, and counts what it could not write."""
        problem = lambda: status(self.server)["problem"]
        self.wait(f"a problem with '{words}'", lambda: (said := problem()) and words in said.lower())
        for metric in ("turnout_engine_failures_total", UNREAD):
            expect(self.server.metric(metric) > 0, f"{self.engine.name}: {metric} is 0")

    def expect_all(self):
        """Waits until the server says no problem and has written all, and compares it with what was acknowledged."""
        self.wait("all events", lambda: status(self.server)["unreadBytes"] == 0)
        self.wait("no problem", lambda: status(self.server)["problem"] is None)
        expect(self.server.metric(UNREAD) == 0, f"{self.engine.name}: the metric has unread bytes")
        rows, stored = [], set(self.engine.query("SELECT DISTINCT uuid FROM turnout_events").split())
        missing = self.load.acknowledged - stored
        expect(not missing, f"{self.engine.name}: {len(missing)} of {len(self.load.acknowledged)} events are lost")
        for view in ("turnout_exposures", "turnout_conversions"):
            rows.append(int(self.engine.query(f"SELECT count(*) FROM {view}")))
        expect(sum(rows) == len(stored), f"{self.engine.name}: {len(stored)} events are {rows} rows")

    @contextlib.contextmanager
    def phase(self, fault):
        load, begin = self.load, time.monotonic()
        decided, acknowledged = len(load.waits), len(load.acknowledged)
        yield
        self.wait("decisions", lambda: len(load.waits) > decided + 20)
        with load.pause:
            self.expect_all()
        waits = load.waits[decided:]
        expect(not load.failures, f"{self.engine.name}: {fault}: {load.failures[:3]}")
        print(f"{self.engine.name:<12}{fault:<18}{len(waits):>10}{1000 * max(waits):>12.0f}"
              f"{len(load.acknowledged) - acknowledged:>9}{time.monotonic() - begin:>9.0f}", flush=True)  # fmt: skip

    def run(self):
        try:
            self.prove()
        finally:
            self.engine.stop()

    def prove(self):
        self.load.start()
        for fault in (self.dropped_table, self.older_schema, self.wrong_password, self.full_disk, self.killed_engine,
                      self.frozen_engine, self.killed_server, self.cut_connection):  # fmt: skip
            with self.phase(fault.__name__.replace("_", " ")):
                fault()
        self.load.ends = True
        self.load.join()
        self.server.wait_until_processed()
        own = [TURNOUT, "results", "checkout_test", "--data", self.server.data, "--output", "json"]
        result = subprocess.run(own, check=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        # Where a folder may lack events, its results say so.
        expected = json.loads(result.stdout)
        expect("of its server" in expected.pop("note") and result.stderr, "nothing says what the folder lacks")
        self.wait("the results of its files", lambda: json.loads(self.server.get(RESULTS)) == expected)
        expect(self.server.stop() == 0, "the server does not end well")

    def dropped_table(self):
        self.wait("events", lambda: status(self.server)["written"] > 1_000)
        self.disconnect()
        self.engine.query(self.engine.copy)
        self.engine.query(self.engine.drop)
        self.proxy.rest = sys.maxsize
        self.expect_problem("turnout engine setup")
        self.engine.set_up()
        self.engine.query("INSERT INTO turnout_events SELECT * FROM kept")
        self.engine.query("DROP TABLE kept")

    def older_schema(self):
        self.disconnect()
        self.expect_problem()
        self.engine.query("TRUNCATE TABLE turnout_schema")
        self.engine.query("INSERT INTO turnout_schema SELECT 0, now()")
        self.proxy.rest = sys.maxsize
        self.expect_problem("version 0")
        self.engine.set_up()

    def wrong_password(self):
        self.restart(self.server.stop, password="wrong")
        self.expect_problem("password")
        self.restart(self.server.stop)

    def full_disk(self):
        if self.engine.forbidden:
            return print(f"{self.engine.name}: no full disk: this is not permitted here: {self.engine.forbidden}")
        filler = self.engine.disk / "filler"
        with open(filler, "wb", buffering=0) as file, contextlib.suppress(OSError):
            while file.write(bytes(65_536)):
                pass
        self.expect_problem("space")
        filler.unlink()
        self.wait("the engine", self.engine.answers)

    def killed_engine(self):
        self.engine.process.kill()
        self.engine.process.wait()
        self.expect_problem()
        self.engine.start()

    def frozen_engine(self):
        begin, unread = time.monotonic(), status(self.server)["unreadBytes"]
        self.engine.signal(signal.SIGSTOP)
        try:
            # The server waits a minute for an answer.
            if self.freeze > 60:
                self.expect_problem()
            self.wait("time to pass", lambda: time.monotonic() > begin + self.freeze)
            expect(status(self.server)["unreadBytes"] > unread, "nothing waits for a frozen engine")
        finally:
            self.engine.signal(signal.SIGCONT)

    def killed_server(self):
        self.restart(self.server.kill)

    def cut_connection(self):
        """Cuts what is written at each tenth of its bytes, and after a row's last column: nothing may be stored."""
        count = lambda: self.engine.query("SELECT count(DISTINCT event) FROM turnout_events")
        for tenth in range(11):
            self.disconnect()
            self.wait("events to wait", lambda: status(self.server)["unreadBytes"] > 200_000)
            if tenth == 0:
                with self.load.pause:
                    self.proxy.rest = sys.maxsize
                    self.wait("all events", lambda: status(self.server)["unreadBytes"] == 0)
                    size = sys.maxsize - self.proxy.rest
                continue
            before = count()
            self.proxy.rest, self.proxy.mark = (size * tenth // 10, b"") if tenth < 10 else (size // 2, NODE)
            self.wait("the cut", lambda: self.proxy.rest == 0)
            self.disconnect()
            expect(count() == before, f"{self.engine.name}: a part of a body was stored")
            self.proxy.rest, self.proxy.mark = sys.maxsize, b""
            self.wait("no problem", lambda: status(self.server)["problem"] is None)


def main():
    arguments = support.options(__doc__, engine="", events=4_000, freeze=10, seed=1)
    random.seed(arguments.seed)
    kinds = [each for each in (ClickHouse, Chdb, PostgreSQL) if arguments.engine in ("", each.name)]
    expect(kinds, "no such engine")
    with support.workspace() as folder:
        # For PostgreSQL's user.
        folder.chmod(0o711)
        shop = Shop(folder)
        compare(shop, kinds, arguments.events)
        (folder / "faults").mkdir()
        print(f"{'engine':<12}{'fault':<18}{'decisions':>10}{'longest ms':>12}{'events':>9}{'seconds':>9}")
        # Side by side: they mostly wait.
        with concurrent.futures.ThreadPoolExecutor() as pool:
            runs = [pool.submit(Faults(shop, each, arguments.freeze).run) for each in kinds if each != Chdb]
            for each in runs:
                each.result()


main()
