"""Checks the tests' server of Cassandra's protocol with a real driver."""

import contextlib
import subprocess
import sys
import tempfile
import time

from cql_drivers import Server, driver

SCHEMA = [
    "CREATE KEYSPACE shop WITH replication = {'class': 'NetworkTopologyStrategy', 'dc1': 3}",
    "CREATE KEYSPACE single WITH replication = {'class': 'SimpleStrategy', 'replication_factor': 1}",
    *(
        f"CREATE TABLE {keyspace}.profiles (user_id text, experiment_id text, variation_id text, seen timestamp, "
        "PRIMARY KEY ((user_id), experiment_id)) WITH comment = 'assignments'"
        for keyspace in ("shop", "single")
    ),
    "CREATE TABLE shop.numbers (a text, b bigint, c int, d blob, e int, PRIMARY KEY ((a, b), c)) "
    "WITH CLUSTERING ORDER BY (c DESC)",
]
WRITE = "INSERT INTO {}.profiles (user_id, experiment_id, variation_id) VALUES (?, ?, ?)"
TIMED = WRITE + " USING TTL ? AND TIMESTAMP ?"
READ = "SELECT experiment_id, variation_id FROM {}.profiles WHERE user_id = ?"
READ_TIMES = "SELECT writetime(variation_id), ttl(variation_id) FROM shop.profiles WHERE user_id = ?"


def check(name, found, expected):
    """Reports a check in a line."""
    is_right = found == expected
    print(f"  ok  {name}" if is_right else f"  FAILED  {name}: found {found!r}, expected {expected!r}")
    return is_right


def eventually(name, function, expected, seconds=20):
    """Waits until a function returns what is expected."""
    deadline = time.monotonic() + seconds
    while (found := function()) != expected and time.monotonic() < deadline:
        time.sleep(0.05)
    return check(name, found, expected)


class Checks:
    """A connected driver and its server."""

    def __init__(self, cls, server):
        self.driver, self.server = cls, server
        self.client = cls(server.port, keyspace="shop", user="ada", password="secret")
        self.write, self.timed, self.read, self.times = (
            self.client.prepare(text.format("shop")) for text in (WRITE, TIMED, READ, READ_TIMES)
        )

    def rows(self, statement, *values):
        """The rows of the only page."""
        return [row for page in self.client.run(statement, values) for row in page]

    def outcome(self, statement, *values, consistency=None):
        """The rows, or the kind of the error."""
        try:
            return [row for page in self.client.run(statement, values, consistency=consistency) for row in page]
        except Exception as error:  # The drivers have no common one.
            return self.driver.kind(error)

    def variation(self, user):
        """The variation of a user, without the driver."""
        return self.server(f"run SELECT variation_id FROM shop.profiles WHERE user_id = '{user}'")

    def start(self):
        """What a driver learns when it connects."""

        def connected():
            return [self.server.counts(node)["connections"] > 0 for node in range(3)]

        def prepared():
            # A driver prepares on the nodes that it knows; it may learn of the last one a moment after it connects.
            before = [self.server.counts(node)["preparations"] for node in range(3)]
            self.client.prepare(f"SELECT * FROM profiles WHERE user_id = '{time.monotonic_ns()}'")
            return [self.server.counts(node)["preparations"] > before[node] for node in range(3)]

        yield eventually("discovers three nodes", connected, [True] * 3)
        yield eventually("prepares on all nodes", prepared, [True] * 3)
        yield check("versions", self.client.versions(), (4, "3.11.17"))
        yield check("keys of a table", self.client.keys("shop", "profiles"), (["user_id"], ["experiment_id"]))
        yield check("keys of two columns", self.client.keys("shop", "numbers"), (["a", "b"], ["c"]))
        self.server("run CREATE TABLE shop.later (a text PRIMARY KEY, b int)")
        yield eventually("a new table is announced", lambda: self.client.keys("shop", "later"), (["a"], []))

    def values(self):
        """Writes and reads."""
        self.rows(self.write, "ada", "e1", "v1")
        yield check("write and read", self.rows(self.read, "ada"), [("e1", "v1")])
        yield check("no rows", self.rows(self.read, "unknown"), [])
        self.client.batch([(self.write, ("mary", f"e{n}", f"v{n}")) for n in range(5)])
        yield check("unlogged batch", self.rows(self.read, "mary"), [(f"e{n}", f"v{n}") for n in range(5)])
        self.client.batch([(self.write, (user, "e1", "v1")) for user in ("grace", "joan")], is_logged=True)
        yield check("logged batch", self.rows(self.read, "grace") + self.rows(self.read, "joan"), [("e1", "v1")] * 2)
        self.rows("DELETE FROM shop.profiles WHERE user_id = 'mary' AND experiment_id = 'e3'")
        yield check("deleted row", len(self.rows(self.read, "mary")), 4)
        self.rows("DELETE FROM shop.profiles WHERE user_id = 'mary'")
        yield check("deleted partition", self.rows(self.read, "mary"), [])
        insert = self.client.prepare("INSERT INTO numbers (a, b, c, d, e) VALUES (?, ?, ?, ?, ?)")
        for number in (1, -2, 3):
            self.rows(insert, "x", 1 << 40, number, b"\x00\xff", None)
        found = self.rows("SELECT * FROM numbers WHERE a = 'x' AND b = 1099511627776 AND c < 3")
        yield check("types, null, order", found, [("x", 1 << 40, c, b"\x00\xff", None) for c in (1, -2)])
        several = self.client.prepare("SELECT user_id FROM profiles WHERE user_id IN ?")
        yield check("a list of keys", len(self.rows(several, ["ada", "grace", "none"])), 2)

    def timestamps(self):
        """Client timestamps and times to live."""
        self.rows(self.timed, "tim", "e1", "new", 0, 2_000)
        self.rows(self.timed, "tim", "e1", "old", 0, 1_000)
        yield check("the newest write wins", self.rows(self.read, "tim"), [("e1", "new")])
        yield check("timestamp of a cell", self.rows(self.times, "tim"), [(2_000, None)])
        for page in self.client.run(self.write, ("tom", "e1", "v"), timestamp=3_000):
            yield check("a change has no rows", page, [])
        found = self.rows(self.times, "tom")
        yield check("timestamp of the message", found[0][0] == 3_000 or found[0][0] > 10**15, True)
        self.rows(self.timed, "tam", "e1", "v", 60, int(time.time() * 1e6))
        yield check("time to live", self.rows(self.times, "tam")[0][1] in (59, 60), True)
        self.server("advance 61")
        yield check("expired", self.rows(self.read, "tam"), [])
        self.server("advance -61")

    def paging(self):
        """A scan of 5,000 rows."""
        for number in range(5_000):
            self.server(
                "run INSERT INTO single.profiles (user_id, experiment_id, variation_id) "
                f"VALUES ('user-{number // 2}', 'e{number % 2}', 'v')"
            )
        pages = list(self.client.run("SELECT user_id, experiment_id FROM single.profiles", page_size=100))
        yield check("50 pages of 100 rows", [len(page) for page in pages], [100] * 50)
        yield check("each row once", len({row for page in pages for row in page}), 5_000)
        users = self.rows("SELECT DISTINCT user_id FROM single.profiles")
        yield check("distinct keys", len(users), 2_500)
        limited = list(self.client.run("SELECT user_id FROM single.profiles LIMIT 250", page_size=100))
        yield check("a limit over pages", [len(page) for page in limited], [100, 100, 50])

    def routing(self):
        """Requests go to the node with the partition."""
        read = self.client.prepare(READ.format("single"))
        expected = [0, 0, 0]
        self.server("reset")
        for number in range(300):
            expected[int(self.server(f"replicas single user-{number}"))] += 1
            self.rows(read, f"user-{number}")
        yield check("routes by token", [self.server.counts(node)["reads"] for node in range(3)], expected)
        yield check("all nodes have partitions", min(expected) > 50, True)

    def errors(self):
        """Errors that the driver reports."""
        faults = {
            "write-timeout": "write timeout",
            "write-failure": "write failure",
            "unauthorized": "unauthorized",
            "invalid": "invalid",
            "unconfigured": "invalid",
            "syntax": "syntax",
        }
        for fault, kind in faults.items():
            self.server(f"fail {fault} 1 writes")
            yield check(fault, self.outcome(self.write, "eve", "e1", fault), kind)
            yield check(f"{fault}: not there", self.variation("eve"), "[]")
        self.server("fail applied-write-timeout 1 writes")
        yield check("applied write timeout", self.outcome(self.write, "eve", "e1", "v"), "write timeout")
        yield check("applied write timeout: there", self.rows(self.read, "eve"), [("e1", "v")])
        for fault, kind in {"read-timeout": "read timeout", "read-failure": "read failure"}.items():
            self.server(f"fail {fault} 10 reads")
            yield check(fault, self.outcome(self.read, "ada"), kind)
            self.server("heal")
        self.server("fail unavailable 1")
        yield check("unavailable once: asks the next node", self.outcome(self.read, "ada"), [("e1", "v1")])
        self.server("fail unavailable 10")
        yield check("unavailable", self.outcome(self.read, "ada"), "unavailable")
        self.server("heal")
        yield check("syntax of a statement", self.outcome("SELECT FROM"), "syntax")
        yield check("unknown table", self.outcome("SELECT * FROM shop.nothing"), "invalid")
        self.server("fail bootstrapping 1")
        yield check("bootstrapping once: asks the next node", self.outcome(self.read, "ada"), [("e1", "v1")])
        self.server("fail overloaded 1")
        yield check("overloaded", self.outcome(self.read, "ada"), self.driver.overloaded or [("e1", "v1")])

    def preparations(self):
        """Nodes that have forgotten statements."""
        self.server("forget")
        yield check("prepares again", self.outcome(self.read, "ada"), [("e1", "v1")])
        self.server("forget")
        self.client.batch([(self.write, ("ada", "e1", "v1"))])
        yield check("prepares again for a batch", self.outcome(self.read, "ada"), [("e1", "v1")])

    def times_out(self):
        """A slow ring against the driver's own limit."""
        with contextlib.closing(self.driver(self.server.port, "shop", "ada", "secret", timeout=0.3)) as client:
            write = client.prepare(WRITE.format("shop"))
            for fault in ("delay 1000", "fail applied-silence 1"):
                self.server(fault)
                start = time.monotonic()
                try:
                    found = list(client.run(write, ("zoe", "e1", fault)))
                except Exception as error:  # The drivers have no common one.
                    found = self.driver.kind(error)
                yield check(f"{fault}: times out", found, "timed out")
                yield check(f"{fault}: in time", 0.25 < time.monotonic() - start < 0.9, True)
                self.server("heal")
                yield check(f"{fault}: the write is there", fault in self.variation("zoe"), True)

            read = client.prepare(READ.format("single"))

            def outcomes():
                found = set()
                for user in range(20):
                    try:
                        found.add(str(list(client.run(read, (f"unknown-{user}",)))))
                    except Exception as error:  # The drivers have no common one.
                        found.add(self.driver.kind(error))
                return found

            self.server("pause 1")
            yield check("a node that answers nothing", outcomes(), {"[[]]", "timed out"})
            self.server("resume 1")
            yield eventually("it answers again", outcomes, {"[[]]"})

    def nodes(self):
        """Nodes that end and come back."""
        self.server("down 1")
        found = [self.outcome(self.read, "ada") for _ in range(30)]
        yield check("one node down", found, [[("e1", "v1")]] * 30)
        yield check("one node down: not all", self.outcome(self.read, "ada", consistency="ALL"), "unavailable")
        self.server("down 2")
        # After this answer the driver tries the next node, unless it has noticed that it is down.
        found = self.outcome(self.read, "ada")
        yield check("two nodes down: no quorum", found in ("unavailable", "no host") or found, True)
        yield check("two nodes down: one", self.outcome(self.read, "ada", consistency="ONE"), [("e1", "v1")])
        self.server("up 1")
        self.server("up 2")
        self.server("reset")

        def returned():
            for user in range(30):
                self.outcome(self.read, f"user-{user}")
            return all(self.server.counts(node)["reads"] > 0 for node in range(3))

        yield eventually("nodes that are up are used again", returned, True)
        self.server("down 0")
        found = [self.outcome(self.read, "ada") for _ in range(30)]
        yield check("the node of the first connection down", found, [[("e1", "v1")]] * 30)
        self.server("up 0")
        self.server("reset")
        yield eventually("it is used again", returned, True)
        self.server("fail disconnection 1 reads")
        self.outcome(self.read, "ada")
        yield eventually("a broken connection is replaced", lambda: self.outcome(self.read, "ada"), [("e1", "v1")])

    def all(self):
        """The results of all checks."""
        groups = [self.start, self.values, self.timestamps, self.paging, self.routing, self.errors]
        for group in [*groups, self.preparations, self.times_out, self.nodes]:
            yield from group()


def encrypted(cls, binary):
    """Connections with TLS."""
    with tempfile.TemporaryDirectory() as folder:
        for name in ("server", "other"):
            command = "openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 2 -subj /CN=localhost"
            files = ["-keyout", f"{folder}/{name}.key", "-out", f"{folder}/{name}.pem"]
            names = ["-addext", "subjectAltName=DNS:localhost,IP:127.0.0.1,IP:127.0.0.2,IP:127.0.0.3"]
            subprocess.run([*command.split(), *files, *names], check=True, stderr=subprocess.DEVNULL)
        server = Server(binary, "--certificate", f"{folder}/server.pem", "--key", f"{folder}/server.key")
        for statement in SCHEMA:
            server(f"run {statement}")
        client = cls(server.port, keyspace="shop", authority=f"{folder}/server.pem")
        write, read = client.prepare(WRITE.format("shop")), client.prepare(READ.format("shop"))
        for user in range(300):
            list(client.run(write, (f"user-{user}", "e1", "v" * 1_000)))
        found = [next(client.run(read, (f"user-{user}",))) for user in range(300)]
        yield check("TLS: write and read", found, [[("e1", "v" * 1_000)]] * 300)
        counts = [server.counts(node)["reads"] > 0 for node in range(3)]
        yield check("TLS: with all nodes", counts, [True] * 3)
        client.close()
        for name, authority in {"another authority": f"{folder}/other.pem", "no TLS": None}.items():
            try:
                cls(server.port, authority=authority, timeout=2).close()
                yield check(f"TLS: {name}", "connected", "refused")
            except Exception:  # The drivers have no common one.
                yield check(f"TLS: {name}", "refused", "refused")
        server.stop()


def main():
    cls = driver(sys.argv[1])
    print(f"{sys.argv[1]}:")
    server = Server(sys.argv[2], "--user", "ada", "--password", "secret")
    for statement in SCHEMA:
        server(f"run {statement}")
    results = []
    try:
        cls(server.port, user="ada", password="wrong")
        results.append(check("wrong password", "connected", "bad credentials"))
    except Exception as error:  # The drivers have no common one.
        results.append(check("wrong password", cls.kind(error), "bad credentials"))
    checks = Checks(cls, server)
    results += checks.all()
    checks.client.close()
    results += encrypted(cls, sys.argv[2])
    results.append(check("the server ends with its input", server.stop(), 0))
    print(f"{sum(results)} of {len(results)} checks passed with {sys.argv[1]}")
    return 0 if all(results) else 1


if __name__ == "__main__":
    sys.exit(main())
