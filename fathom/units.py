"""Units as files write them ("K", "mm/day", "kg m**-2 s-1"), and what numbers in one are in
another.

factor, offset = conversion("K", "degC")
    # 1, -273.15: number in degC = factor * number in K + offset
"""

from __future__ import annotations

import re

from fathom.failure import InputError
from fathom.names import near

# symbol -> factor and powers of (m, s, kg, K)
_symbols = {
    "1": (1.0, (0, 0, 0, 0)),
    "%": (1e-2, (0, 0, 0, 0)),
    "m": (1.0, (1, 0, 0, 0)),
    "km": (1e3, (1, 0, 0, 0)),
    "cm": (1e-2, (1, 0, 0, 0)),
    "mm": (1e-3, (1, 0, 0, 0)),
    "s": (1.0, (0, 1, 0, 0)),
    "h": (3600.0, (0, 1, 0, 0)),
    "d": (86400.0, (0, 1, 0, 0)),
    "yr": (31556926.0, (0, 1, 0, 0)),
    "knot": (1852 / 3600, (1, -1, 0, 0)),
    "kg": (1.0, (0, 0, 1, 0)),
    "g": (1e-3, (0, 0, 1, 0)),
    "mg": (1e-6, (0, 0, 1, 0)),
    "K": (1.0, (0, 0, 0, 1)),
    "degC": (1.0, (0, 0, 0, 1)),
    "Pa": (1.0, (-1, -2, 1, 0)),
    "hPa": (1e2, (-1, -2, 1, 0)),
    "kPa": (1e3, (-1, -2, 1, 0)),
    "mbar": (1e2, (-1, -2, 1, 0)),
    "bar": (1e5, (-1, -2, 1, 0)),
    "N": (1.0, (1, -2, 1, 0)),
    "J": (1.0, (2, -2, 1, 0)),
    "W": (1.0, (2, -3, 1, 0)),
    "dyn": (1e-5, (1, -2, 1, 0)),
}
_words = {  # other ways to write a symbol, in whatever letters
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
    "dyn": "dynes?",
}
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
_part = re.compile(
    r"\s*([/*.·]?)\s*(\d+(?:\.\d*)?(?:[eE][-+]?\d+)?|[A-Za-z_°%]+)"
    r"(?:\s*(?:\*\*|\^)\s*([-+]?\d\d?)(?!\d)|([-+]?\d\d?)(?!\d))?"
)
_fresh_water = 1000.0  # [kg m-3]


def conversion(given: str, wanted: str) -> tuple[float, float]:
    """(factor, offset) from one unit to another. ValueError: a unit that is not known, or one that
    measures something else.
    """
    given = _in_symbols(given)
    if given == wanted or (wanted == "1e-3" and given in _practical_salinity):
        return 1.0, 0.0
    (factor, powers), (unit, aim) = _parsed(given), _parsed(wanted)
    if powers == (1, -1, 0, 0) and aim == (-2, -1, 1, 0):  # a depth of water for its mass
        factor, powers = factor * _fresh_water, aim
    if powers != aim:
        raise InputError(f"'{given}' has not the dimension of '{wanted}'")
    from_celsius, to_celsius = (273.15 * (text == "degC") for text in (given, wanted))
    return factor / unit, (from_celsius - to_celsius) / unit


def _in_symbols(text: str) -> str:
    """The same without braces, and with symbols for words."""
    text = re.sub("[{}]", "", text.strip())
    for symbol, ways in _words.items():
        text = re.sub(rf"(?i)(?<![a-z])(?:{ways})(?![a-z])", symbol, text)
    return text


def _parsed(text: str) -> tuple[float, tuple[int, ...]]:
    """Factor to SI, and powers of (m, s, kg, K)."""
    factor, place = 1.0, 0
    powers: tuple[int, ...] = (0, 0, 0, 0)
    while place < len(text):
        match = _part.match(text, place)
        symbol = match[2] if match else ""
        if not match or not (symbol in _symbols or (symbol[0].isdigit() and float(symbol) > 0)):
            raise InputError(
                f"'{text}' is not a unit that is known here{near(symbol or text, _symbols)}"
            )
        unit, of = _symbols.get(symbol) or (float(symbol), (0, 0, 0, 0))
        power = int(match[3] or match[4] or 1) * (-1 if match[1] == "/" else 1)
        factor, powers, place = (
            factor * unit**power,
            tuple(a + power * b for a, b in zip(powers, of)),
            match.end(),
        )
    return factor, powers
