"""Each number has one home: what Python reads in headers is what the core was compiled with, and no
constant is written again.
"""

import re
from pathlib import Path

import pytest

from fathom.base import constants, earth, moist_air
from fathom.base.mpi import core

root = Path(__file__).parents[2]
elsewhere = {
    "fathom/assimilation/observations/reports.py": "an equation of its docstring",
    "fathom/performance/bench/radiation.py": "a profile as it was published",
}
spelt = {  # as people write them: of constants, and of what they are
    r"9\.80616|9\.80665": "gravity",
    r"287\.(?:0597|06|05|04)": "gas constant of dry air",
    r"1004\.7(?:0895)?": "heat capacity of dry air",
    r"461\.525?": "gas constant of vapour",
    r"2\.50(?:08|1)?e6|2\.5e6": "heat of evaporation",
    r"3\.337e5": "heat of fusion",
    r"5\.67(?:0374419)?e-8": "of Stefan and Boltzmann",
    r"273\.1[56](?! \+)": "melting and triple point",
    r"6371220|7\.292123516990375e-5": "the earth",
    r"6\.62607015e-34|1\.380649e-23|6\.02214076e23": "quanta and molecules",
}


def test_python_reads_what_was_compiled():
    assert core.constants == constants.of_nature
    assert core.usual == constants.usual
    assert earth.RADIUS == core.constants["earth_radius"] == 6371220
    assert moist_air.RATIO == pytest.approx(0.622, abs=1e-4)


def test_two_gravities():
    """That of the equations, and that of geopotential height, have a name each."""
    assert (earth.GRAVITY, earth.STANDARD_GRAVITY) == (9.80616, 9.80665)
    assert not hasattr(moist_air, "GRAVITY")
    with pytest.raises(AttributeError, match="no constant 'gravty'.*gravity"):
        _ = constants.gravty


def test_no_second_home():
    """One constant that is written out again gives its place, and what it is."""
    any_of = re.compile(rf"(?<![\d.])(?:{'|'.join(f'({number})' for number in spelt)})(?!\d)")
    found = []
    for file in [*(root / "core").rglob("*.[ch]pp"), *(root / "fathom").rglob("*.py")]:
        name = str(file.relative_to(root))
        comment = "#" if file.suffix == ".py" else "//"
        if name in ("core/base/constants.hpp", *elsewhere):
            continue
        for n, line in enumerate(file.read_text().splitlines(), 1):
            if (there := any_of.search(line)) and comment not in line[: there.start()]:
                number = list(spelt)[there.lastindex - 1]
                found.append(f"{name}:{n}: {there[0]}, {spelt[number]}")
    assert not found, "their home is core/base/constants.hpp:\n" + "\n".join(found)
