"""Version texts."""

from __future__ import annotations

from .dice import Dice

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
