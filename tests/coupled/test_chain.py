"""A globe, an area and one within it as programs of a TOML file: the bits of one within the other,
in turn and side by side, killed and continued; what is refused, and what `fathom show` tells.
"""

import json
import subprocess
import sys
from pathlib import Path

import pytest

import chain
from fathom.coupled.file import ProgramsFile

script = chain.__file__
names = ("globe", "aladin", "arome")
sides = 'ranks={"globe": 1, "aladin": 1, "arome": 1}'


@pytest.fixture(scope="module")
def alone(on_ranks):
    return on_ranks(1, script, "bits")


def test_as_one_file_inside_the_other(on_ranks, alone):
    assert on_ranks(1, script, "one_inside_the_other") == alone


@pytest.mark.long
def test_in_turn_on_two_ranks(on_ranks, alone):
    assert on_ranks(2, script, "bits", "named=false") == alone


@pytest.mark.long
def test_side_by_side_in_pieces(on_ranks, alone):
    assert on_ranks(3, script, "bits", sides, 'lengths=["15min", "15min"]') == alone


def test_side_by_side_killed_and_continued(on_ranks, alone, tmp_path):
    """Each program on a rank of its own, from a restart that one process has written."""
    where = f"folder={json.dumps(str(tmp_path))}"
    killed = subprocess.run([sys.executable, script, "killed", where], check=False)
    assert killed.returncode == 9
    assert on_ranks(3, script, "resumed", where, sides) == alone | {"began": 900}


def test_an_area_that_starts_later(tmp_path):
    """The programs around it go ahead to its start, with the bits that they have without it."""
    programs = chain.made(tmp_path, start="2000-01-01 00:15:00")
    assert {name: m.late for name, m in programs.members.items()}["arome"] == 900
    found = chain.run(programs, "30min")
    assert programs.members["arome"].program.count == 6
    assert str(programs.members["arome"].program.date) == found["date"] == "2000-01-01 00:30:00"


def test_the_record_of_all_runs_again(on_ranks, alone, tmp_path):
    where = f"folder={json.dumps(str(tmp_path))}"
    assert on_ranks(1, script, "bits", where, 'lengths=["15min"]')["date"] == "2000-01-01 00:15:00"
    record = ProgramsFile.read(tmp_path / "run" / "resolved.toml")
    assert str(record.period) == "900s" and [*record.given] == ["globe", "aladin", "arome"]
    lines = record.programs(tmp_path / "again").describe()
    grid = r"LimitedAreaGrid"
    assert lines[3].startswith("globe -> aladin: boundaries every 900 s, from GaussianGrid")
    assert lines[4].startswith(f"aladin -> arome: boundaries every 300 s, from {grid}")


@pytest.mark.parametrize(
    "how, message",
    [
        ({"inner": "7min"}, "outer_every = 7 min is no whole number of steps of aladin, 5 min"),
        ({"start": "2000-01-01 00:10:00"}, "arome starts 10 min after .* no whole number of 15"),
        ({"start": "1999-12-31"}, "start = 1999-12-31 .* outer model aladin starts later, at 2000"),
        ({"more": 'again = "globe.toml"\nextra = 3'}, "extra = 3 must be a file, or a table"),
        ({"ranks": {"globe": 1, "aladin": 1}}, "ranks are given to globe, aladin, not to arome"),
        ({"ranks": {n: 1 for n in names}}, "are 3; this run has 1"),
        ({"ranks": {n: [0] for n in names}}, "rank 0 is given twice: to globe .* and to aladin"),
    ],
)
def test_what_does_not_fit(tmp_path, how, message):
    with pytest.raises(ValueError, match=message):
        chain.made(tmp_path, **how)


def test_outer_models_that_are_not_there(tmp_path):
    file = Path(chain.files(tmp_path))
    file.write_text(file.read_text().replace('aladin = "aladin.toml"\n', ""))
    with pytest.raises(ValueError, match="arome: unknown outer model 'aladin'"):
        ProgramsFile.read(file).programs(tmp_path / "run")
    alone = ProgramsFile.read(chain.files(tmp_path)).experiment("aladin").simulation(tmp_path)
    with pytest.raises(ValueError, match="no such file, and no program of that name runs with"):
        alone.run("15min", progress=False, report=False)
