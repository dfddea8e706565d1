"""Kills `turnout serve` while thousands of events a second arrive: each acknowledged event must be exported, once."""

import os
import random
import select
import socket
import threading
import time

import support
from support import expect

PLACEHOLDER = "00000000-0000-4000-8000-000000000000"


class Sender(threading.Thread):
    """Sends events over some connections until the server ends, each the next request after a response.

    Keeps the uuids of the events that were acknowledged. Each request has one event: as many acknowledgments as
    possible. Every tenth request is sent twice.
    """

    def __init__(self, port, connections):
        super().__init__(daemon=True)
        content = support.event_body([PLACEHOLDER], 0)
        head = "POST /v1/events HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: "
        # The uuid is exchanged in the bytes: to write the JSON of each request takes longer than the server needs.
        self.before, self.after = f"{head}{len(content)}\r\n\r\n{content}".encode().split(PLACEHOLDER.encode())
        self.acknowledged, self.responses, self.refusals = [], 0, []
        self.waiting = select.epoll()
        self.sockets = [socket.create_connection(("127.0.0.1", port)) for _ in range(connections)]
        self.sent = {}

    def run(self):
        """Ends when the server has closed all connections."""
        open_sockets = {connection.fileno(): connection for connection in self.sockets}
        for number, connection in open_sockets.items():
            connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            self.waiting.register(number, select.EPOLLIN)
            self.send(connection, number)
        while open_sockets:
            for number, _ in self.waiting.poll():
                connection = open_sockets[number]
                try:
                    if self.receive(connection, number):
                        continue
                except OSError:
                    pass
                # Closing also ends the wait for it.
                open_sockets.pop(number).close()

    def receive(self, connection, number):
        """Receives a response and sends the next request. Returns whether the connection can be used further."""
        response = connection.recv(4096)
        if not response:
            return False
        while b"\r\n\r\n" not in response:
            more = connection.recv(4096)
            if not more:
                return False
            response += more
        if not response.startswith(b"HTTP/1.1 204 "):
            self.refusals.append(response)
            return False
        self.responses += 1
        self.acknowledged.append(self.sent[number])
        self.send(connection, number, repeats=self.responses % 10 == 0)
        return True

    def send(self, connection, number, repeats=False):
        if not repeats:
            digits = os.urandom(16).hex()
            self.sent[number] = f"{digits[:8]}-{digits[8:12]}-4{digits[13:16]}-8{digits[17:20]}-{digits[20:]}"
        connection.sendall(self.before + self.sent[number].encode() + self.after)


def kill_under_load(server, connections):
    """Starts the server, kills it, and returns what was sent, with the rate of the responses before that."""
    server.start()
    sender = Sender(server.port, connections)
    sender.start()
    # The first request opens the log, and begins to repair what the kill before left.
    deadline = time.monotonic() + 30
    while sender.responses == 0 and time.monotonic() < deadline:
        time.sleep(0.001)
    before, begin = sender.responses, time.monotonic()
    time.sleep(random.uniform(0.2, 0.8))
    rate = (sender.responses - before) / (time.monotonic() - begin)
    if (status := server.process.poll()) is not None:
        sender.refusals.append(f"the server ended by itself with status {status}")
    server.kill()
    sender.join(60)
    return sender, rate


def main():
    arguments = support.options(__doc__, rounds=30, connections=64)
    acknowledged, rates, problems = set(), [], []
    with support.workspace() as folder:
        server = support.Server(folder)
        server.publish(1)
        for number in range(1, arguments.rounds + 1):
            sender, rate = kill_under_load(server, arguments.connections)
            print(f"round {number}: {rate:,.0f} requests/s, {sender.responses:,} acknowledged", flush=True)
            rates.append(rate)
            acknowledged.update(sender.acknowledged)
            if sender.refusals or not sender.responses or sender.is_alive():
                problems.append(f"round {number}: {sender.responses} responses, others: {sender.refusals}")
        with server.running():
            server.wait_until_processed()
        missing, twice = support.differences(acknowledged, server.exported())
    expect(
        not (missing or twice or problems),
        f"of {len(acknowledged)} acknowledged events {len(missing)} are missing, and {len(twice)} are there twice\n"
        + "\n".join([*problems, *server.messages]))
    print(
        f"{len(acknowledged):,} events acknowledged over HTTP in {arguments.rounds} rounds of kill -9 under "
        f"{min(rates):,.0f} to {max(rates):,.0f} requests/s, on average {sum(rates) / len(rates):,.0f}: "
        "all of them are there, once")


main()
