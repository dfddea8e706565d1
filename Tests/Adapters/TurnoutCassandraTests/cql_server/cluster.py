"""The nodes and what they share."""

import asyncio
import socket
import ssl
import time

from connection import Connection
from messages import Error, integer, short, string, texts
from table import Table, created

RECEIVED_AND_REQUIRED = integer(1) + integer(2)
# The codes of errors, and what follows the consistency in those that have one.
FAULTS = {
    "unavailable": (0x1000, integer(2) + integer(1)),
    "writeTimeout": (0x1100, RECEIVED_AND_REQUIRED + string("SIMPLE")),
    "appliedWriteTimeout": (0x1100, RECEIVED_AND_REQUIRED + string("SIMPLE")),
    "readTimeout": (0x1200, RECEIVED_AND_REQUIRED + b"\1"),
    "readFailure": (0x1300, RECEIVED_AND_REQUIRED + integer(1) + b"\0"),
    "writeFailure": (0x1500, RECEIVED_AND_REQUIRED + integer(1) + string("SIMPLE")),
    "serverError": (0x0000, b""),
    "overloaded": (0x1001, b""),
    "bootstrapping": (0x1002, b""),
    "syntax": (0x2000, b""),
    "unauthorized": (0x2100, b""),
    "invalid": (0x2200, b""),
}


class Node:
    """A node, which keeps its port while it is down."""

    def __init__(self, cluster, number, data_center):
        self.cluster, self.number, self.data_center = cluster, number, data_center
        self.address = f"127.0.0.{number + 1}"
        self.is_running = asyncio.Event()
        self.is_running.set()
        self.delay = 0
        self.prepared = {}
        self.writers = set()
        self.listener = self.server = None
        self.reset_counts()

    def reset_counts(self):
        self.counts = {"reads": 0, "writes": 0, "preparations": 0}

    def bind(self):
        """Takes the port of the cluster. That is a free one of the first node."""
        self.listener = socket.socket()
        self.listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        self.listener.bind((self.address, self.cluster.port))
        self.cluster.port = self.listener.getsockname()[1]

    async def bring_up(self):
        self.server = await asyncio.start_server(
            self.serve, sock=self.listener, ssl=self.cluster.encryption, backlog=512
        )

    def take_down(self):
        self.server.close()
        for writer in self.writers:
            writer.transport.abort()
        self.bind()

    async def serve(self, reader, writer):
        self.writers.add(writer)
        # The node may have been taken down since the system accepted the connection.
        if self.server.is_serving():
            await Connection(self, writer).run(reader)
        self.writers.discard(writer)
        writer.close()


class Cluster:
    """Nodes with the same tables. Its functions are what tests can do; a node is a number from 0, or None for all."""

    def __init__(self, data_centers, replicas, user=None, password=None, certificate=None, key=None, authorities=None):
        self.port, self.clock_offset = 0, 0
        self.nodes = [Node(self, number, center) for number, center in enumerate(data_centers)]
        counts = [text for center in sorted(set(data_centers)) for text in (center, str(replicas))]
        strategy = texts("class", "org.apache.cassandra.locator.NetworkTopologyStrategy", *counts)
        self.replication = integer(1 + len(counts) // 2) + strategy
        self.credentials = user and f"\0{user}\0{password}".encode()
        self.encryption = certificate and ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        if certificate:
            self.encryption.load_cert_chain(certificate, key)
        if authorities:
            self.encryption.load_verify_locations(authorities)
            self.encryption.verify_mode = ssl.CERT_REQUIRED
        self.tables = {}
        # Each with the number of requests, and whether only writes meet it.
        self.faults = []

    @property
    def now(self):
        """Microseconds since 1970."""
        return time.time_ns() // 1_000 + self.clock_offset

    def met(self, consistency, is_write, change=lambda: None):
        """Makes a change, unless the next fault prevents that. Returns the fault, if there is no answer."""
        entry = next((entry for entry in self.faults if is_write or not entry["only_writes"]), {"fault": None})
        fault = entry["fault"]
        if fault is not None:
            entry["times"] -= 1
            self.faults = [entry for entry in self.faults if entry["times"] > 0]
        if fault in (None, "appliedWriteTimeout", "appliedSilence", "disconnection"):
            change()
        if fault in FAULTS:
            code, details = FAULTS[fault]
            raise Error(code, "a fault for tests, with s3cret texts", details and short(consistency) + details)
        return fault

    def chosen(self, node):
        return self.nodes if node is None else [self.nodes[node]]

    def create_table(self, statement):
        self.tables[created(statement)] = Table()

    def truncate(self):
        for table in self.tables.values():
            table.__init__()

    def insert(self, user, experiment, variation, timestamp):
        (table,) = self.tables.values()
        table.write(user.encode(), experiment.encode(), variation.encode(), timestamp)

    def rows(self, user):
        """The stored assignments of a user, with their times and the seconds that they have left."""
        (table,), now = self.tables.values(), self.now // 1_000_000
        return [
            {"experiment": key.decode(), "variation": value.decode(), "time": time, "life": expiry and expiry - now}
            for key, (time, value, expiry) in table.rows(user.encode(), now)
        ]

    def fail(self, fault, times, only_writes):
        self.faults.append({"fault": fault, "times": times, "only_writes": only_writes})

    def delay(self, seconds, node=None):
        """Delays all answers, except those to the driver's own queries."""
        for node in self.chosen(node):
            node.delay = seconds

    def remove_faults(self):
        self.faults = []
        self.delay(0)

    def take_down(self, node=None):
        """Closes the port and the connections."""
        for node in self.chosen(node):
            node.take_down()

    async def bring_up(self, node=None):
        for node in self.chosen(node):
            await node.bring_up()

    def pause(self):
        """From now on nothing is read and answered, as by a process that is stopped."""
        for node in self.nodes:
            node.is_running.clear()

    def resume(self):
        for node in self.nodes:
            node.is_running.set()

    def forget_prepared(self):
        for node in self.nodes:
            node.prepared = {}

    def advance_clock(self, seconds):
        self.clock_offset += seconds * 1_000_000

    def counts(self):
        return [node.counts for node in self.nodes]

    def reset_counts(self):
        for node in self.nodes:
            node.reset_counts()
