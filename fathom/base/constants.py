"""Physical constants, SI units, and defaults that schemes share, each with its home in a header of
the core: core/base/constants.hpp and core/base/usual.hpp, which say what they are. Their text is
read, so that the core, and with it MPI, need not be loaded.

    from fathom.base import constants

    constants.standard_gravity, constants.usual["eddy_diffusivity"]
"""

from __future__ import annotations

import re
from pathlib import Path

from fathom.base.failure import FileError
from fathom.base.near import near

_line = re.compile(r"^inline constexpr double (\w+) = ([^;]+);", re.MULTILINE)


def headers() -> Path:
    """Returns the folder with the headers of the core: in an installed package, or in the source
    tree.
    """
    package = Path(__file__).resolve().parents[1]
    for place in (package / "include", package.parent / "core"):
        if (place / "base" / "constants.hpp").is_file():
            return place
    raise FileError(f"the headers of Fathom's core are not next to {package}; install it again")


def read(header: str) -> dict[str, float]:
    """Returns name -> value of the constants of a header of the core. A value is a number, or a
    product of a number and a constant above it.
    """
    found: dict[str, float] = {}
    for name, value in _line.findall((headers() / header).read_text()):
        *factors, last = (part.strip() for part in value.split("*"))
        found[name] = found[last] if last in found else float(last)
        for factor in factors:
            found[name] = float(factor) * found[name]
    return found


of_nature = read("base/constants.hpp")
usual = read("base/usual.hpp")


def __getattr__(name: str) -> float:
    if name not in of_nature:
        raise AttributeError(f"no constant '{name}'{near(name, list(of_nature))}")
    return of_nature[name]
