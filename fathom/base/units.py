"""Units as files write them ("K", "mm/day", "kg m**-2 s-1"), and conversion between them by UDUNITS
(cf_units), which CF requires. Unit names of other centres are first replaced by its symbols.

factor, offset = conversion("K", "degC")
    # 1, -273.15: number in degC = factor * number in K + offset
"""

from __future__ import annotations

import contextlib
import re
from functools import cache
from typing import Any

from fathom.base.failure import InputError
from fathom.base.near import near

_words = {  # other ways to write a symbol, in upper or lower case
    "degC": r"deg(ree)?s?[ _]?c(elsius)?|celsius|°c|^c$",
    "K": r"(deg(ree)?s?[ _]?)?kelvins?|deg(ree)?s?[ _]?k",
    "%": "percent(age)?",
    "1": r"fraction|^\(?0 ?- ?1\)?$",
    "m": "met(er|re)s?",
    "s": "sec(ond)?s?",
    "h": "hrs?|hours?",
    "d": "days?",
    "yr": "years?",
    "knot": "knots|kts?",
    "Pa": "pascals?",
    "mbar": "millibars?|mb",
    "W": "watts?",
    "N": "newtons?",
    "J": "joules?",
    "dyne": "dyn(es?)?",
}
_remarks = r"\bof water( equivalent)?\b|\bwater( equivalent)?\b"  # no part of a unit
known = [*_words, "km", "cm", "mm", "kg", "g", "hPa", "m s-1", "kg m-2 s-1", "W m-2"]  # some
_practical_salinity = (
    "psu",
    "PSU",
    "pss",
    "PSS-78",
    "g kg-1",
    "g/kg",
    "1e-3",
    "0.001",
    "10^-3",
    "1",
)  # all the same number
_fresh_water = 1000.0  # [kg m-3]


@cache
def conversion(given: str, wanted: str) -> tuple[float, float]:
    """Returns (factor, offset) from one unit to another. ValueError: an unknown unit, or units of
    different quantities.
    """
    given = _in_symbols(given)
    if given == wanted or (wanted == "1e-3" and given in _practical_salinity):
        return 1.0, 0.0
    unit, aim = _unit(given), _unit(wanted)
    if unit.is_convertible(_unit("m s-1")) and aim.is_convertible(_unit("kg m-2 s-1")):
        unit = unit * _unit(f"{_fresh_water} kg m-3")  # a depth of water for its mass
    if not unit.is_convertible(aim):
        raise InputError(f"'{given}' has not the dimension of '{wanted}'")
    offset = float(unit.convert(0.0, aim))
    if offset == 0:
        return float(unit.convert(1.0, aim)), 0.0
    factor = (float(unit.convert(_large, aim)) - offset) / _large
    return (1.0 if abs(factor - 1) < 1e-13 else factor), offset


_large = 2.0**20  # the offset's round-off is small next to it


def _in_symbols(text: str) -> str:
    """Returns the unit without braces and remarks, and with symbols for words."""
    text = re.sub(_remarks, "", re.sub("[{}]", "", text)).strip()
    for symbol, ways in _words.items():
        text = re.sub(rf"(?i)(?<![a-z])(?:{ways})(?![a-z])", symbol, text)
    return text


@cache
def _unit(text: str) -> Any:
    """Returns the unit of UDUNITS."""
    import cf_units  # start-up time

    with contextlib.suppress(ValueError), cf_units.suppress_errors():
        if not (unit := cf_units.Unit(text)).is_unknown():
            return unit
    raise InputError(f"'{text}' is not a unit that is known here{near(text, known)}")
