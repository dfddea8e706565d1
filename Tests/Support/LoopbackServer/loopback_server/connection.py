"""A connection, which receives requests and sends responses, valid or not."""

import socket
import struct
import time

import control


class Request:
    def __init__(self, method, target, headers, body, connection, moment):
        self.method, self.target, self.headers, self.body = method, target, headers, body
        self.connection, self.time = connection, moment

    @property
    def path(self):
        return self.target.split("?", 1)[0]

    def header(self, name):
        """The value of a header; several values are joined."""
        values = [value for key, value in self.headers if key.lower() == name]
        return ", ".join(values) if values else None


class Connection:
    def __init__(self, channel, script, records):
        self.channel, self.script, self.records = channel, script, records
        self.number = None
        self.buffer = b""

    def run(self):
        try:
            while self.serve_one():
                pass
        except (OSError, ValueError):
            pass  # The peer has closed the connection, or does not use HTTP.
        finally:
            self.channel.close()
            if self.number is not None:
                self.records.connection_closed()

    def serve_one(self):
        """Responds to one request. Returns whether the connection can be reused."""
        request = self.read_request()
        if request is None:
            return False
        if request.path.startswith("/_control/"):
            status, body = control.run(request, self.script, self.records)
            self.channel.sendall(b"HTTP/1.1 %d Control\r\nContent-Length: %d\r\n\r\n" % (status, len(body)) + body)
            return True
        self.count_connection()
        request.connection = self.number
        self.records.received(request)
        reply = self.script.reply(request)
        if self.send(reply, request) and reply.is_success:
            self.records.accepted(request)
        return self.finish(reply)

    def count_connection(self):
        if self.number is None:
            self.number = self.records.connection_opened()

    # Reading

    def more(self):
        data = self.channel.recv(65536)
        self.buffer += data
        if self.buffer[:1] == b"\x16":
            raise ValueError("this is TLS")
        return bool(data)

    def take(self, count):
        while len(self.buffer) < count:
            # Reads large bodies in large pieces.
            data = self.channel.recv(max(65536, count - len(self.buffer)))
            if not data:
                raise ValueError("the request ends early")
            self.buffer += data
        data, self.buffer = self.buffer[:count], self.buffer[count:]
        return data

    def take_line(self):
        while (end := self.buffer.find(b"\r\n")) < 0:
            if not self.more():
                raise ValueError("the request ends early")
        return self.take(end + 2)[:-2]

    def read_request(self):
        while (end := self.buffer.find(b"\r\n\r\n")) < 0:
            if not self.more():
                return None
        moment = time.monotonic()
        head = self.take(end + 4)[:-4].decode("latin-1")
        line, *lines = head.split("\r\n")
        method, target, _ = line.split(" ", 2)
        headers = [(name, value.strip()) for name, _, value in (line.partition(":") for line in lines)]
        request = Request(method, target, headers, b"", None, moment)
        if (request.header("expect") or "").lower() == "100-continue":
            self.channel.sendall(b"HTTP/1.1 100 Continue\r\n\r\n")
        request.body = self.read_body(request)
        return request

    def read_body(self, request):
        if "chunked" not in (request.header("transfer-encoding") or ""):
            return self.take(int(request.header("content-length") or 0))
        body = b""
        while size := int(self.take_line().split(b";")[0], 16):
            body += self.take(size)
            self.take_line()
        while self.take_line():
            pass
        return body

    # Responding

    def send(self, reply, request):
        """Sends a reply. Returns whether all of it was sent."""
        if reply.delay:
            time.sleep(reply.delay)
        if reply.is_silent:
            return False
        if reply.pause:
            self.channel.sendall(reply.head(request))
            for piece in reply.pieces():
                self.channel.sendall(piece)
                time.sleep(reply.pause)
        else:
            head = reply.head(request)
            for piece in reply.pieces() if request.method != "HEAD" else []:
                self.channel.sendall(head + piece)
                head = b""
            if head:
                self.channel.sendall(head)
        return reply.stop_after is None

    def finish(self, reply):
        """Ends the reply. Returns whether the connection can be reused."""
        if reply.ending == "stall":
            # Until the peer closes the connection.
            while self.channel.recv(65536):
                pass
        elif reply.ending == "reset":
            self.channel.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        return reply.ending == "keep"
