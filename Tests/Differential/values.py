"""Versions, values of attributes, and variables of flags."""

from typing import Any

from dice import Dice, Names

COMMON_CORES = ["2.1", "2.1.3"]
RARE_CORES = ["1", "2", "2.0", "02.01", "3.7", "1.9.9", "2.1.0", "2.1.10", "3.7.1"]
FULL_CORES = ["2.1.3", "2.1.3", "2.1.0", "3.7.1"]
MALFORMED = ["", "2.", "2..1", "2.x", "v2", "1.2.3.4", "2 .1", "2.1.3 ", "two"]

TEXT_SUFFIXES = ["-alpha", "-beta", "-beta.1", "-beta.10", "-rc2", "-beta+b7", "--b"]
NUMBER_SUFFIXES = ["-1", "-2", "-10", "-010"]
BUILDS = ["+build", "+build-beta", "+b.7"]


class Versions:
    """Version texts of one round.

    Avoids, for targets and users alike:

    - empty suffixes (`2.1-`), a leading dash (`-2.1-b`), parts above 64 bits and digits outside ASCII;
    - a target's text suffix meeting a user's number, on which Python raises an error: targets with a suffix always
      have three numbers before it, and a round uses either text suffixes or number suffixes in its targets, the latter
      being the only rounds whose users may have number suffixes;
    - targets with build metadata but no prerelease (`2.1.3+build`), which Python ranks below shorter versions.
    """

    def __init__(self, dice: Dice) -> None:
        self._dice = dice
        self._has_number_suffixes = dice.chance(0.4)

    def target(self) -> str:
        form = self._dice.weighted({"plain": 60, "suffixed": 35, "malformed": 5})
        if form == "malformed":
            return self._dice.pick(MALFORMED)
        if form == "plain":
            return self._core()
        suffixes = NUMBER_SUFFIXES if self._has_number_suffixes else TEXT_SUFFIXES
        return self._dice.pick(FULL_CORES) + self._dice.pick(suffixes)

    def of_user(self) -> str:
        form = self._dice.weighted({"plain": 55, "suffixed": 37, "malformed": 8})
        if form == "malformed":
            return self._dice.pick(MALFORMED)
        if form == "plain":
            return self._core()
        suffixes = TEXT_SUFFIXES + BUILDS + (NUMBER_SUFFIXES if self._has_number_suffixes else [])
        return self._core() + self._dice.pick(suffixes)

    def _core(self) -> str:
        return self._dice.pick(COMMON_CORES if self._dice.chance(0.5) else RARE_CORES)


KIND_BY_ATTRIBUTE = {
    "country": "text",
    "plan": "text",
    "名前": "text",
    "age": "number",
    "score": "number",
    "größe": "number",
    "beta": "truth",
    "app version": "version",
}

SEGMENTS = ["vip", "loyal", "große Kunden", "segment-3"]

COMMON_TEXTS = ["US", "gold", "größe"]
RARE_TEXTS = ["us", "DE", "golden plan", "Ünïcödé", "日本語", "한국", "🙂", "a/b\"c\\d", "line\nbreak", "1", "true", ""]
NEEDLES = ["U", "us", "gold", "n p", "ö", "日", "🙂", "/b", "\n", "1", "zzz"]

# Avoids condition numbers beyond 2^53: Turnout compares them, Python answers "unknown".
LIMIT = 2**53
CONDITION_NUMBERS = [-1, -0.0, 0, 0.1, 1, 1.0, 1.5, 18, 25, 30, 99.99, 1e-7, -LIMIT, LIMIT - 1, LIMIT, float(LIMIT)]

# Avoids exactly 2^53 + 1 (and its negative), which Turnout rounds into the range, and NaN, which JSON cannot carry.
OUT_OF_RANGE = [LIMIT + 2, float(LIMIT + 2), -(LIMIT + 4), 2**60, 10**20, 1e300]

BUCKETING_ID = "$opt_bucketing_id"


class AttributeValues:
    """Values for one round."""

    def __init__(self, dice: Dice, versions: Versions) -> None:
        self._dice = dice
        self._versions = versions

    def for_condition(self, kind: str) -> Any:
        if kind == "number":
            return self._dice.pick(CONDITION_NUMBERS)
        if kind == "truth":
            return self._dice.chance(0.5)
        if kind == "version":
            return self._versions.target()
        return self._text()

    def for_user(self, kind: str) -> Any:
        """Mostly a value of the right kind; otherwise one that makes conditions unknown."""
        fate = self._dice.weighted({"right kind": 86, "other kind": 6, "null": 3, "out of range": 2, "structure": 3})
        if fate == "null":
            return None
        if fate == "out of range":
            return self._dice.pick(OUT_OF_RANGE)
        if fate == "structure":
            return self._dice.pick([[], [1, "x"], {}, {"k": 1}, [None, True]])
        if fate == "other kind":
            kind = self._dice.pick(["text", "number", "truth", "version"])
        return self._scalar(kind)

    def _scalar(self, kind: str) -> Any:
        if kind == "number":
            choice = self._dice.weighted({"shared": 3, "whole": 2, "fraction": 2})
            if choice == "shared":
                return self._dice.pick(CONDITION_NUMBERS)
            return self._dice.number(-3, 40) if choice == "whole" else self._dice.fraction(-3, 40)
        if kind == "truth":
            return self._dice.chance(0.5)
        if kind == "version":
            return self._versions.of_user()
        return self._text()

    def _text(self) -> str:
        return self._dice.pick(COMMON_TEXTS if self._dice.chance(0.6) else RARE_TEXTS)


# Avoids texts that only one side can read: spaces or `_` in numbers, hexadecimal, infinite and NaN doubles, booleans
# other than true/false, JSON that is not an object. `color` stands for a type added later: both sides keep the text.
TEXTS_BY_TYPE = {
    "string": ["", "plain", "größe 日本 🙂", "with \"quotes\" and \\", "5", "true"],
    "integer": ["0", "5", "-5", "+5", "007", "-0", "9223372036854775807", "-9223372036854775808"],
    "double": ["0", "1.5", "-2.25", "5.", ".5", "1e3", "1E-3", "+0.1", "-0", "123456789.125"],
    "boolean": ["true", "false"],
    "json": [
        "{}", ' {"a": 1} ', '{"a":{"b":[1,2.5,"x",true,null]}}', '{"größe":"日本","e":"\\u00e9"}', '{"n":1.0,"e":1e3}',
    ],
    "color": ["", "red"],
}


def random_variables(dice: Dice, names: Names) -> list[dict[str, Any]]:
    return [_variable(dice, names) for _ in range(dice.weighted({0: 2, 1: 2, 2: 2, 4: 2}))]


def overrides(dice: Dice, variables: list[dict[str, Any]]) -> list[dict[str, str]]:
    """What a variation says about its flag's variables; sometimes for a variable that does not exist."""
    values = [{"id": each["id"], "value": _text(dice, each)} for each in variables if dice.chance(0.6)]
    return [*values, {"id": "no such variable", "value": "?"}] if dice.chance(0.05) else values


def _variable(dice: Dice, names: Names) -> dict[str, Any]:
    kind = dice.weighted({"string": 3, "integer": 3, "double": 3, "boolean": 2, "json": 3, "color": 0.3})
    # Avoids a missing or null default: Turnout reads it as empty text, Python rejects the datafile or answers null.
    variable = {"id": names.id(), "key": names.key("variable"), "type": kind}
    variable["defaultValue"] = _text(dice, variable)
    if kind == "json" and dice.chance(0.6):
        variable |= {"type": "string", "subType": "json"}
    return variable


def _text(dice: Dice, variable: dict[str, Any]) -> str:
    return dice.pick(TEXTS_BY_TYPE[variable.get("subType", variable["type"])])
