"""The statements of a store, which are recognized by their text, and its table."""

import re

from messages import INT, TEXT, Error

NAME = r'"(\w+)"\."(\w+)"'
CREATION = (
    rf"CREATE TABLE {NAME} \( user_id text, experiment_id text, variation_id text, "
    r"PRIMARY KEY \(\(user_id\), experiment_id\) \);"
)
INSERTION = rf"INSERT INTO {NAME} \(user_id, experiment_id, variation_id\) VALUES \(\?, \?, \?\)"
USER, EXPERIMENT, VARIATION = ((name, TEXT) for name in ("user_id", "experiment_id", "variation_id"))
# The texts, with the markers and the columns of the result.
STATEMENTS = {
    "lookup": (rf"SELECT experiment_id, variation_id FROM {NAME} WHERE user_id = \?", [USER], [EXPERIMENT, VARIATION]),
    "write": (INSERTION, [USER, EXPERIMENT, VARIATION], []),
    "write that expires": (rf"{INSERTION} USING TTL \?", [USER, EXPERIMENT, VARIATION, ("[ttl]", INT)], []),
    "removal": (rf"DELETE FROM {NAME} WHERE user_id = \?", [USER], []),
    "users": (rf"SELECT DISTINCT user_id FROM {NAME}", [], [USER]),
}


def created(text):
    """The keyspace and the name of the table that a statement creates, after its comments."""
    lines = [line.strip() for line in text.splitlines() if not line.startswith("--")]
    return re.fullmatch(CREATION, " ".join(lines)).groups()


class Statement:
    """A prepared statement."""

    def __init__(self, text, tables):
        for self.kind, (pattern, self.markers, self.columns) in STATEMENTS.items():
            if match := re.fullmatch(pattern, text):
                break
        else:
            raise Error(0x2000, f"this server does not know the statement: {text}")
        self.name = match.groups()
        if self.name not in tables:
            raise Error(0x2200, f"unconfigured table {self.name[1]}")
        self.table = tables[self.name]
        self.is_write = not self.columns

    def write(self, values, timestamp, now):
        """Changes rows. The timestamp is in microseconds, and now is the second of the clock."""
        if not 0 < len(values[0]) <= 65_535:
            raise Error(0x2200, "the key of the partition is empty or too long")
        if self.kind == "removal":
            self.table.remove(values[0], timestamp)
        else:
            self.table.write(*values[:3], timestamp, *(now + int.from_bytes(life, "big") for life in values[3:]))

    def read(self, values, now):
        """All rows, in the order of their first column."""
        if self.kind == "users":
            return [(user,) for user in sorted(self.table.cells) if self.table.rows(user, now)]
        return [(experiment, cell[1]) for experiment, cell in self.table.rows(values[0], now)]


class Table:
    """Rows in memory. Of two changes the one with the later timestamp wins."""

    def __init__(self):
        # By user and experiment: the timestamp, the variation, and the second in which it expires.
        self.cells = {}
        # The timestamps, by user.
        self.removals = {}

    def write(self, user, experiment, variation, timestamp, expiry=None):
        cells = self.cells.setdefault(user, {})
        if experiment not in cells or timestamp >= cells[experiment][0]:
            cells[experiment] = timestamp, variation, expiry

    def remove(self, user, timestamp):
        self.removals[user] = max(timestamp, self.removals.get(user, timestamp))

    def rows(self, user, now):
        """The experiments and cells of a user."""
        removal = self.removals.get(user, -1)
        cells = sorted(self.cells.get(user, {}).items())
        return [(key, cell) for key, cell in cells if cell[0] > removal and (cell[2] is None or now < cell[2])]
