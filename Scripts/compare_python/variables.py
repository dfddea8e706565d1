"""Flag variables."""

from __future__ import annotations

from typing import Any

from .dice import Dice
from .names import Names

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
