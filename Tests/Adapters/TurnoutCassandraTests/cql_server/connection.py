"""A connection of a driver to a node: its messages and their answers."""

import asyncio
import contextlib
import hashlib
import struct

from messages import Error, Reader, integer, rows, short, specifications, string, value
from system import answered
from table import Statement

HEADER = struct.Struct(">BBhBi")
ERROR, STARTUP, READY, AUTHENTICATE, OPTIONS, SUPPORTED, QUERY, RESULT = 0, 1, 2, 3, 5, 6, 7, 8
PREPARE, EXECUTE, REGISTER, BATCH, AUTH_RESPONSE, AUTH_SUCCESS = 9, 10, 11, 13, 15, 16
ON_ROWS = (PREPARE, EXECUTE, BATCH)
VOID, NO_COLUMNS = integer(1), integer(4) + integer(0)


class Parameters:
    """What follows the statements of a message."""

    def __init__(self, reader, is_batch=False):
        self.consistency = reader.short()
        flags = reader.take(1)[0]
        self.values = reader.values() if flags & 0x01 and not is_batch else []
        self.page_size = reader.integer() if flags & 0x04 else 5_000
        self.page = reader.value() if flags & 0x08 else None
        if flags & 0x10:
            reader.short()
        self.timestamp = reader.integer(8) if flags & 0x20 else None


class Connection:
    """Answers one message after the other, or later if the node has a delay."""

    def __init__(self, node, writer):
        self.node, self.cluster, self.writer = node, node.cluster, writer
        self.is_ready = False

    async def run(self, reader):
        with contextlib.suppress(asyncio.IncompleteReadError, ConnectionError):
            while not self.writer.is_closing():
                version, _, stream, opcode, size = HEADER.unpack(await reader.readexactly(HEADER.size))
                body = await reader.readexactly(size)
                await self.node.is_running.wait()
                self.answer(version, stream, opcode, Reader(body))

    def answer(self, version, stream, opcode, reader):
        fault = None
        try:
            if version != 4:
                raise Error(0x000A, f"Invalid or unsupported protocol version ({version})")
            kind, body, fault = self.result(opcode, reader)
        except Error as error:
            kind, body = ERROR, error.body
        message = HEADER.pack(0x84, 0, stream, kind, len(body)) + body
        if fault == "disconnection":
            self.writer.write(message[: len(message) // 2])
            self.writer.close()
        elif fault is None and self.node.delay and opcode in ON_ROWS:
            asyncio.get_running_loop().call_later(self.node.delay, self.writer.write, message)
        elif fault is None:
            self.writer.write(message)

    def result(self, opcode, reader):
        """The kind of the answer, its body, and what keeps it from the driver."""
        if opcode == OPTIONS:
            supported = string("COMPRESSION") + short(0) + string("CQL_VERSION") + short(1) + string("3.4.4")
            return SUPPORTED, short(2) + supported, None
        if opcode == STARTUP:
            self.is_ready = self.cluster.credentials is None
            return (READY, b"", None) if self.is_ready else (AUTHENTICATE, string("PasswordAuthenticator"), None)
        if opcode == AUTH_RESPONSE:
            if reader.value() != self.cluster.credentials:
                raise Error(0x0100, "the user name or the password is wrong")
            self.is_ready = True
            return AUTH_SUCCESS, value(None), None
        if not self.is_ready:
            raise Error(0x000A, "the connection is not ready")
        if opcode == REGISTER:
            return READY, b"", None
        if opcode == QUERY:
            text = reader.take(reader.integer()).decode()
            return RESULT, answered(text, self.node), None
        if opcode == PREPARE:
            return RESULT, self.prepare(reader.take(reader.integer()).decode()), None
        return RESULT, *(self.execute(reader) if opcode == EXECUTE else self.run_batch(reader))

    def prepare(self, text):
        self.node.counts["preparations"] += 1
        key, statement = hashlib.md5(text.encode()).digest(), Statement(text, self.cluster.tables)
        self.node.prepared[key] = statement
        # The first marker is the key of the partition.
        places = integer(1) + short(0) if statement.markers else integer(0)
        markers = integer(1) + integer(len(statement.markers)) + places
        markers += specifications(statement.name, statement.markers)
        columns = integer(1) + integer(len(statement.columns)) + specifications(statement.name, statement.columns)
        return integer(4) + short(len(key)) + key + markers + (columns if statement.columns else NO_COLUMNS)

    def prepared(self, reader):
        key = reader.take(reader.short())
        if key not in self.node.prepared:
            raise Error(0x2500, "the statement is not prepared on this node", short(len(key)) + key)
        return self.node.prepared[key]

    def execute(self, reader):
        statement = self.prepared(reader)
        parameters = Parameters(reader)
        if statement.is_write:
            return self.write([(statement, parameters.values)], parameters)
        self.node.counts["reads"] += 1
        fault = self.cluster.met(parameters.consistency, is_write=False)
        found = statement.read(parameters.values, self.cluster.now // 1_000_000)
        found = [row for row in found if parameters.page is None or row[0] > parameters.page]
        page = found[: parameters.page_size]
        state = page[-1][0] if len(found) > len(page) else None
        return rows(statement.name, statement.columns, page, state), fault

    def run_batch(self, reader):
        reader.take(1)
        changes = []
        for _ in range(reader.short()):
            if reader.take(1) == b"\0":
                raise Error(0x2200, "this server runs batches of prepared statements")
            changes.append((self.prepared(reader), reader.values()))
        return self.write(changes, Parameters(reader, is_batch=True))

    def write(self, changes, parameters):
        self.node.counts["writes"] += 1
        now = self.cluster.now

        def apply():
            for statement, values in changes:
                statement.write(values, parameters.timestamp or now, now // 1_000_000)

        return VOID, self.cluster.met(parameters.consistency, is_write=True, change=apply)
