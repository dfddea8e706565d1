"""Checks the tests' server of Cassandra's protocol with a real driver, and the statements of the store."""

import contextlib
import json
import subprocess
import sys
import tempfile

import support
from cql_drivers import CppDriver, PythonDriver
from support import check

SERVER = support.ROOT / "Tests/Adapters/TurnoutCassandraTests/cql_server"
TABLE = '"shop"."turnout_assignments"'
COLUMNS = "user_id text, experiment_id text, variation_id text, PRIMARY KEY ((user_id), experiment_id)"
WRITE = f"INSERT INTO {TABLE} (user_id, experiment_id, variation_id) VALUES (?, ?, ?)"


class Server:
    """A cluster of three nodes with the table of a store."""

    def __init__(self, **options):
        options = {"data_centers": ["dc1"] * 3, "replicas": 1, **options}
        command = [sys.executable, "-I", "-S", "-B", SERVER, json.dumps(options)]
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, bufsize=1)
        self.port = int(self.process.stdout.readline())
        self("create_table", f"CREATE TABLE {TABLE} ( {COLUMNS} );")

    def __call__(self, *command):
        self.process.stdin.write(json.dumps(command) + "\n")
        return json.loads(self.process.stdout.readline())

    def close(self):
        self.process.stdin.close()
        self.process.wait(10)


class Checks:
    """A connected driver, and the statements of the store."""

    def __init__(self, driver, server):
        self.driver, self.server = driver, server
        self.write, self.brief, self.lookup, self.removal, self.users = map(
            driver.prepare,
            [
                WRITE,
                f"{WRITE} USING TTL ?",
                f"SELECT experiment_id, variation_id FROM {TABLE} WHERE user_id = ?",
                f"DELETE FROM {TABLE} WHERE user_id = ?",
                f"SELECT DISTINCT user_id FROM {TABLE}",
            ],
        )

    def rows(self, statement, *values):
        """The rows of all pages, or the kind of the error."""
        try:
            return [row for page in self.driver.pages(statement, values) for row in page]
        except Exception as error:  # The drivers have no common one.
            return type(error).__name__.removeprefix("CassErrorServer")

    def statements(self):
        yield check("a change has no rows", self.rows(self.write, "ada", "e1", "v1"), [])
        yield check("lookup", self.rows(self.lookup, "ada"), [("e1", "v1")])
        yield check("no rows", self.rows(self.lookup, "unknown"), [])
        self.driver.batch([(self.write, ("mary", f"e{number}", "v")) for number in range(250)])
        pages = [len(page) for page in self.driver.pages(self.lookup, ["mary"])]
        yield check("a batch, and pages of a user", pages, [100, 100, 50])
        self.rows(self.removal, "mary")
        yield check("removal", self.rows(self.lookup, "mary"), [])
        self.server("insert", "ada", "e1", "old", 1_000)
        self.server("insert", "ada", "e2", "new", 1 << 60)
        self.rows(self.write, "ada", "e2", "v2")
        yield check("the later write wins", self.rows(self.lookup, "ada"), [("e1", "v1"), ("e2", "new")])
        self.rows(self.brief, "tam", "e1", "v1", 60)
        yield check("time to live", self.rows(self.lookup, "tam"), [("e1", "v1")])
        self.server("advance_clock", 61)
        yield check("expired", self.rows(self.lookup, "tam"), [])
        for number in range(300):
            self.rows(self.write, f"user-{number:03}", "e1", "v1")
        pages = list(self.driver.pages(self.users, []))
        yield check("pages of users", [len(page) for page in pages], [100, 100, 100, 1])
        yield check("each user once", len({row for page in pages for row in page}), 301)

    def nodes(self):
        used = set()
        for number in range(30):
            self.server("reset_counts")
            for _ in range(3):
                self.rows(self.lookup, f"user-{number:03}")
            used.add(tuple(counts["reads"] for counts in self.server("counts")))
        yield check("each user has a node", used, {(3, 0, 0), (0, 3, 0), (0, 0, 3)})
        self.server("take_down", 1)
        found = [self.rows(self.lookup, f"user-{number:03}") for number in range(30)]
        yield check("a node is down", found, [[("e1", "v1")]] * 30)
        self.server("bring_up", 1)
        self.server("forget_prepared")
        yield check("prepares again", self.rows(self.lookup, "user-000"), [("e1", "v1")])
        self.server("forget_prepared")
        self.driver.batch([(self.write, ("ada", "e1", "v3"))])
        yield check("prepares again for a batch", self.rows(self.lookup, "ada")[0], ("e1", "v3"))

    def errors(self):
        for fault in ("writeTimeout", "writeFailure", "unauthorized"):
            self.server("fail", fault, 1, True)
            yield check(fault, self.rows(self.write, "eve", "e1", "v").lower(), fault.lower())
            yield check(f"{fault}: not there", self.server("rows", "eve"), [])
        self.server("fail", "appliedWriteTimeout", 1, True)
        yield check("applied", self.rows(self.write, "eve", "e1", "v"), "WriteTimeout")
        yield check("applied: there", len(self.server("rows", "eve")), 1)
        for fault in ("readTimeout", "readFailure", "unavailable"):
            self.server("fail", fault, 10, False)
            yield check(fault, self.rows(self.lookup, "ada").lower(), fault.lower())
            self.server("remove_faults")


def credentials(driver):
    with contextlib.closing(Server(user="ada", password="secret")) as server:
        try:
            driver(server.port, user="ada", password="wrong").close()
            yield check("a wrong password", "connected", "refused")
        except Exception:  # The drivers have no common one.
            yield check("a wrong password", "refused", "refused")
        with contextlib.closing(driver(server.port, user="ada", password="secret")) as client:
            checks = Checks(client, server)
            for group in (checks.statements, checks.nodes, checks.errors):
                yield from group()


def encryption(driver):
    with tempfile.TemporaryDirectory() as folder:
        key, certificate = f"{folder}/key.pem", f"{folder}/certificate.pem"
        command = "openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 2 -subj /CN=localhost"
        names = "subjectAltName=DNS:localhost,IP:127.0.0.1,IP:127.0.0.2,IP:127.0.0.3"
        files = ["-keyout", key, "-out", certificate, "-addext", names]
        subprocess.run([*command.split(), *files], check=True, stderr=subprocess.DEVNULL)
        with contextlib.closing(Server(certificate=certificate, key=key)) as server:
            with contextlib.closing(driver(server.port, authority=certificate)) as client:
                checks = Checks(client, server)
                checks.rows(checks.write, "ada", "e1", "v" * 100_000)
                yield check("TLS", checks.rows(checks.lookup, "ada"), [("e1", "v" * 100_000)])


def main():
    """Each driver is in an environment of its own, in which this program runs again."""
    drivers = {"acsylla": CppDriver, "cassandra-driver": PythonDriver}
    if len(sys.argv) > 1:
        driver = drivers[sys.argv[1]]
        support.report([*credentials(driver), *encryption(driver)], sys.argv[1])
        return
    for name in drivers:
        python = support.ROOT / f".build/{name}/bin/python"
        support.expect(python.exists(), f"{name} is not installed: run Scripts/setup")
        subprocess.run([python, "-W", "ignore", __file__, name], check=True)


if __name__ == "__main__":
    main()
