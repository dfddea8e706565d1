"""The differences between two requests."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Iterator

from compare_python.comparison import same


class Missing:
    """Represents a missing value, as opposed to null."""

    def __repr__(self) -> str:
        return "(missing)"


MISSING = Missing()
BODY = ("body",)
EVENT = ("body", "visitors", 0, "snapshots", 0, "events", 0)
# Random or deliberately different values. `fields` checks Turnout's.
LEFT_OUT = {(*BODY, "client_version"), (*EVENT, "timestamp"), (*EVENT, "uuid")}


@dataclass(frozen=True)
class Difference:
    path: tuple[str | int, ...]
    ours: Any
    theirs: Any

    def __str__(self) -> str:
        field = ".".join(map(str, self.path))
        return f"{field}\n    turnout  {self.ours!r}\n    python   {self.theirs!r}"


def differences(ours: Any, theirs: Any, path: tuple[str | int, ...] = ()) -> Iterator[Difference]:
    """The smallest differing parts. The order of list elements is significant, that of members is not."""
    if path in LEFT_OUT:
        return
    if isinstance(ours, dict) and isinstance(theirs, dict):
        for name in sorted(set(ours) | set(theirs)):
            yield from differences(ours.get(name, MISSING), theirs.get(name, MISSING), (*path, name))
    elif isinstance(ours, list) and isinstance(theirs, list) and len(ours) == len(theirs):
        for index, each in enumerate(ours):
            yield from differences(each, theirs[index], (*path, index))
    elif ours is MISSING or theirs is MISSING or not same(ours, theirs):
        yield Difference(path, ours, theirs)
