"""One round: a datafile, its users, and the options of the calls."""

from __future__ import annotations

import json
import shlex
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Iterator

from .attributes import AttributeValues
from .datafiles import Datafile, DatafileMaker
from .dice import Dice
from .users import Profile, User, UserMaker, random_user_ids
from .versions import Versions

# Avoids `enabledFlagsOnly`: it changes no decision, and what it hides cannot be compared.
OPTIONS = ["includeReasons", "excludeVariables", "ignoreUserProfileService", "disableDecisionEvent"]


@dataclass(frozen=True)
class Round:
    number: int
    datafile: Datafile
    datafile_text: str
    users: list[User]
    profiles: dict[str, Profile]
    options: list[str]

    @property
    def flag_keys(self) -> list[str]:
        return [flag["key"] for flag in self.datafile["featureFlags"]]

    def narrowed(self, user_id: str) -> Round:
        """The same round with a single user."""
        return replace(
            self,
            users=[user for user in self.users if user["user"] == user_id],
            profiles={key: profile for key, profile in self.profiles.items() if key == user_id},
        )

    def write(self, directory: Path) -> list[str]:
        """Writes the files `turnout decide` reads, and returns its arguments."""
        paths = {name: directory / name for name in ("datafile.json", "users.ndjson", "profiles.json")}
        lines = [json.dumps(user, ensure_ascii=False) + "\n" for user in self.users]
        paths["datafile.json"].write_text(self.datafile_text, encoding="utf-8")
        paths["users.ndjson"].write_text("".join(lines), encoding="utf-8")
        paths["profiles.json"].write_text(json.dumps(self.profiles, ensure_ascii=False), encoding="utf-8")
        options = ["--options", ",".join(self.options)] if self.options else []
        return [
            "decide", "--datafile", str(paths["datafile.json"]), "--users", str(paths["users.ndjson"]),
            "--profiles", str(paths["profiles.json"]), *options, "--effects", "--output", "ndjson",
        ]


def random_round(seed: int, number: int) -> Round:
    """The round depends only on the seed and its number, so it can be repeated individually."""
    dice = Dice(f"{seed}/{number}")
    values = AttributeValues(dice, Versions(dice))
    options = dice.some(OPTIONS, 3) if dice.chance(0.3) else []
    user_ids = random_user_ids(dice, dice.number(8, 30))
    maker = DatafileMaker(dice, values, user_ids, may_enable_holdouts="excludeVariables" in options)
    datafile = maker.make()
    text = json.dumps(datafile, ensure_ascii=dice.chance(0.5), indent=dice.pick([None, 2]))
    users = UserMaker(dice, values, datafile)
    profiles = {identifier: profile for identifier in user_ids if (profile := users.profile(identifier)) is not None}
    return Round(number, datafile, text, [users.user(identifier) for identifier in user_ids], profiles, options)


def stored_rounds(directory: Path) -> Iterator[Round]:
    """The rounds in numbered folders, each with a datafile and its users."""
    for folder in sorted(directory.iterdir(), key=lambda each: int(each.name)):
        text = (folder / "datafile.json").read_text(encoding="utf-8")
        lines = (folder / "users.ndjson").read_text(encoding="utf-8").split("\n")
        users = [json.loads(line) for line in lines if line]
        yield Round(int(folder.name), json.loads(text), text, users, profiles={}, options=[])


def command_line(binary: str, arguments: list[str]) -> str:
    return shlex.join([binary, *arguments])
