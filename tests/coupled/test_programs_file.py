"""Files of several programs: what they say wrong is told in one line, with its place, before any
program is made.
"""

import pytest

import fathom as fm
from fathom.coupled.file import ProgramsFile
from fathom.run.experiment.toml import Document

text = """\
[programs]
sea = "sea.toml"

[simulation]
run = "2h"
"""
sea = """\
[grid]
type = "CartesianGrid"
nx = 6
ny = 5
extent = [1e5, 1e5]
levels = { type = "ZLevels", nz = 2, depth = 100 }

[model]
type = "Ocean"
coriolis = [1e-4, 0]

[simulation]
time_step = "1h"
"""


def programs(folder, old="", new="", settings=()):
    """The programs of the file with other words."""
    assert old in text
    (folder / "sea.toml").write_text(sea)
    document = Document(text.replace(old, new), str(folder / "all.toml"), settings)
    return ProgramsFile(document).programs(folder / "out")


@pytest.mark.parametrize(
    "old, new, message",
    [
        ('"sea.toml"', '"sea\\ntoml"', r"all.toml:2 \[programs\]: there is no file 'sea.ntoml'"),
        ('"sea.toml"', '"s\\u0000.toml"', r"\[programs\]: 's.x00.toml' is no name of a file"),
        ('"sea.toml"', f'"{"s" * 300}"', "is no name of a file: File name too long"),
        ('"sea.toml"', '{ file = "sea.toml", set = 5 }', "settings 5 must be a list of texts"),
        ('"sea.toml"', '{ file = "sea.toml", set = [5] }', "must be a list of texts"),
        ('"sea.toml"', '{ file = "sea.toml", set = "a.b=1" }', "must be a list of texts"),
        ("[programs]", "exchange = 5\n[programs]", r"write \[\[exchange\]\]"),
        ("[programs]", "parallel = 5\n[programs]", r"'parallel' is a section: write \[parallel\]"),
        ('run = "2h"', "restart = 5", r"all.toml:5 \[simulation\]: 5 is no path of a file"),
        ("[simulation]", "[[exchange]]\nfield = 5\n[simulation]", "must be PROGRAM.FIELD"),
    ],
)
def test_mistakes(old, new, message, tmp_path):
    with pytest.raises(fm.InputError, match=message):
        programs(tmp_path, old, new)


def test_an_ocean_is_no_atmosphere(tmp_path):
    """The two of a coupled system, changed over."""
    ocean = fm.Simulation(fm.Ocean(fm.CartesianGrid(nx=4, ny=4, extent=(1e5, 1e5),
                          levels=fm.ZLevels(nz=1, depth=10))), "1h")  # fmt: skip
    air = fm.Simulation(fm.SpectralAtmosphere(fm.GaussianGrid(5, levels=fm.SigmaLevels(3))), "1h")
    with pytest.raises(fm.InputError, match="ocean = SpectralAtmosphere is no Ocean"):
        fm.Coupled(ocean, air, directory=tmp_path)
