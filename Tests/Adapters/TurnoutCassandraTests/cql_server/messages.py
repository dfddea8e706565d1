"""The parts of the messages of Cassandra's protocol, version 4."""

import struct

BOOLEAN, INT, UUID, TEXT, INET, TEXT_MAP, TEXT_SET = (
    struct.pack(f">{len(kind)}H", *kind)
    for kind in ([0x04], [0x09], [0x0C], [0x0D], [0x10], [0x21, 0x0D, 0x0D], [0x22, 0x0D])
)


class Error(Exception):
    """What a node answers instead of a result."""

    def __init__(self, code, message, details=b""):
        super().__init__(message)
        self.body = integer(code) + string(message) + details


class Reader:
    """Reads the values of a body one after the other."""

    def __init__(self, body):
        self.body, self.place = body, 0

    def take(self, count):
        self.place += count
        if self.place > len(self.body):
            raise Error(0x000A, "the message ends too early")
        return self.body[self.place - count : self.place]

    def short(self):
        return int.from_bytes(self.take(2), "big")

    def integer(self, size=4):
        return int.from_bytes(self.take(size), "big", signed=True)

    def string(self):
        return self.take(self.short()).decode()

    def value(self):
        """Bytes, or None."""
        size = self.integer()
        return None if size < 0 else self.take(size)

    def values(self):
        return [self.value() for _ in range(self.short())]


def short(number):
    return struct.pack(">H", number)


def integer(number):
    return struct.pack(">i", number)


def string(text):
    return short(len(text.encode())) + text.encode()


def value(data):
    return integer(-1) if data is None else integer(len(data)) + data


def texts(*values):
    """The value of a set of texts, or of a map, with the number of its entries before."""
    return b"".join(value(text.encode()) for text in values)


def specifications(table, columns):
    """The names and types of markers or columns of a table: a pair of keyspace and name."""
    return b"".join(map(string, table)) + b"".join(string(name) + kind for name, kind in columns)


def rows(table, columns, found, page=None):
    """The result with rows. The state of the page says where the next one begins."""
    metadata = integer(1 if page is None else 3) + integer(len(columns)) + (b"" if page is None else value(page))
    values = b"".join(value(data) for row in found for data in row)
    return integer(2) + metadata + specifications(table, columns) + integer(len(found)) + values
