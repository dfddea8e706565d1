"""Measures the tests' server of Cassandra's protocol with a client that sends prepared messages, many at a time."""

import os
import socket
import struct
import sys
import time

from cql_drivers import Server

USERS = 10_000
SECONDS = 2


class Client:
    """A connection of version 4 of the protocol."""

    def __init__(self, port):
        self.socket = socket.create_connection(("127.0.0.1", port))
        self.call(0x01, struct.pack(">H", 1) + self.text("CQL_VERSION", ">H") + self.text("3.0.0", ">H"))

    @staticmethod
    def text(value, size):
        return struct.pack(size, len(value)) + value.encode()

    @staticmethod
    def message(opcode, body, stream=0):
        return struct.pack(">BBhBI", 4, 0, stream, opcode, len(body)) + body

    def receive(self, count):
        """Exactly this many bytes."""
        data = bytearray()
        while len(data) < count:
            data += self.socket.recv(count - len(data))
        return bytes(data)

    def answer(self):
        """The opcode and the body of the next answer."""
        header = self.receive(9)
        return header[4], self.receive(struct.unpack(">I", header[5:])[0])

    def call(self, opcode, body):
        self.socket.sendall(self.message(opcode, body))
        return self.answer()

    def prepare(self, text):
        """The id of a statement, as bytes after their length."""
        _, body = self.call(0x09, self.text(text, ">I"))
        return body[4 : 6 + struct.unpack(">H", body[4:6])[0]]

    def execution(self, statement, values, stream):
        """The message that runs a statement with LOCAL_QUORUM and without metadata."""
        bound = b"".join(struct.pack(">i", len(value)) + value for value in values)
        return self.message(0x0A, statement + struct.pack(">HBH", 6, 3, len(values)) + bound, stream)


def processor(process):
    """The seconds that a process has used of the processor."""
    with open(f"/proc/{process.pid}/stat", encoding="ascii") as file:
        fields = file.read().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def measure(name, server, client, make, depth):
    """Sends blocks of messages, each when the block before is answered."""
    blocks = [b"".join(make(first + i, i) for i in range(depth)) for first in range(0, USERS, depth)]
    client.socket.sendall(blocks[0])
    # The answers of all blocks have the same sizes.
    size = sum(9 + len(client.answer()[1]) for _ in range(depth))
    start, used, count = time.monotonic(), processor(server.process), 0
    while time.monotonic() - start < SECONDS:
        for block in blocks:
            client.socket.sendall(block)
            client.receive(size)
            count += depth
    elapsed, used = time.monotonic() - start, processor(server.process) - used
    print(
        f"{name}, {depth} at a time: {count / elapsed:,.0f} a second, "
        f"{count / max(0.01, used):,.0f} for each second of the server's processor"
    )


def main():
    server = Server(sys.argv[1])
    server("run CREATE KEYSPACE shop WITH replication = {'class': 'SimpleStrategy', 'replication_factor': 3}")
    columns = "user text, experiment text, variation text"
    server(f"run CREATE TABLE shop.profiles ({columns}, PRIMARY KEY (user, experiment))")
    client = Client(server.port)
    write = client.prepare("INSERT INTO shop.profiles (user, experiment, variation) VALUES (?, ?, ?) USING TIMESTAMP ?")
    read = client.prepare("SELECT experiment, variation, writetime(variation) FROM shop.profiles WHERE user = ?")

    def writing(user, stream):
        values = [b"user-%06d" % user, b"experiment", b"variation", struct.pack(">q", user)]
        return client.execution(write, values, stream)

    def reading(user, stream):
        return client.execution(read, [b"user-%06d" % user], stream)

    measure("writes", server, client, writing, 200)
    for depth in (1, 10, 200):
        measure("reads", server, client, reading, depth)
    server.stop()


if __name__ == "__main__":
    main()
