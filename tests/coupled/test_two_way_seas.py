"""A region that gives its state back to the sea around it: volume and contents of both are kept,
an eddy that leaves is what it is in a run all of small cells, bits depend on no ranks and no
restart; grids that do not nest are refused in one line.
"""

import re

import numpy as np
import pytest

import fathom as fm
import two_way_seas as seas
from fathom.run.one_restart import complete

quiet = seas.quiet


def floor(x, y):
    """A hill at the northern edge of the region, and a coast through its north-east."""
    hill = 600 - 300 * np.exp(-((x - 280e3) ** 2 + (y - 260e3) ** 2) / 60e3**2)
    return np.where((x > 200e3) & (y > 280e3), 0.0, hill)


def drifts(programs, steps=50):
    """Relative changes of volume and contents of the sea outside and the region together."""
    programs.run("40min", **quiet)
    before = seas.total(programs)
    programs.run(f"{20 * steps}min", **quiet)
    after = seas.total(programs)
    return {name: abs(after[name] / before[name] - 1) for name in before}


stretched = {"free_surface": fm.FreeSurface(freshwater="volume")}
cut = {"depth": floor}
mixed = {"eddies": "GentMcWilliams", "diffusion": None, "tracer_advection": "QuickestAdvection"}


@pytest.mark.parametrize(
    "how",
    [
        {"finer": 3, "step": "400s"},
        {"outer_every": "40min"},
        {"outer": stretched | cut, "given": stretched, **cut},
        {"outer": mixed, "given": mixed},
    ],
    ids=["thirds", "two steps", "floor and surface", "eddies"],
)
def test_nothing_is_lost_where_an_eddy_crosses_the_edge(tmp_path, how):
    """To round-off. One way, the same eddy takes or leaves more than a millionth of the dye."""
    found = drifts(seas.both(tmp_path, **how))
    assert max(found.values()) < 1e-13, found


def test_one_way_something_is_lost(tmp_path):
    found = drifts(seas.both(tmp_path, nesting="one-way"))
    assert found["dye"] > 1e-6 and found["volume"] > 1e-9, found


def test_a_uniform_flow_stays(tmp_path, monkeypatch):
    """Through both edges of the region, as if it were not there."""
    monkeypatch.setattr(seas, "eddy", lambda x, y: 0 * x * y)
    both = seas.both(tmp_path, finer=3, step="400s")
    both.run("1d", **quiet)
    for name in ("basin", "inner"):
        u = both.members[name].program.gather("velocity_x")
        inside = u[:, 5:-6, :-1]  # walls have friction
        assert np.abs(inside - seas.drift).max() < 1e-5, name


def test_an_eddy_that_leaves_keeps_its_height(tmp_path):
    """Six days: the dye has 5 % less in the middle, one way 9 %; errors are less than half of
    those.
    """
    less, error = seas.eddy_that_leaves(6, tmp_path).values()
    assert less["two-way"] < 0.05 < 0.08 < less["one-way"], less
    for name, one_way in error["one-way"].items():
        assert error["two-way"][name] < 0.5 * one_way, error


@pytest.fixture(scope="module")
def alone(on_ranks):
    return on_ranks(1, seas.__file__, "bits")


def test_the_same_side_by_side(on_ranks, alone):
    assert on_ranks(2, seas.__file__, "bits", 'ranks={"basin": 1, "inner": 1}') == alone


@pytest.mark.long
@pytest.mark.parametrize("ranks", ["null", '{"basin": 2, "inner": 1}'], ids=["turn", "side"])
def test_the_same_on_ranks(on_ranks, alone, ranks):
    assert on_ranks(3, seas.__file__, "bits", f"ranks={ranks}") == alone


def test_a_restart_between(tmp_path):
    whole, first = seas.both(tmp_path / "whole"), seas.both(tmp_path / "first")
    whole.run("4h", **quiet)
    first.run("2h", **quiet)
    later = seas.both(tmp_path / "later").restore(complete(tmp_path / "first")[-1][1])
    later.run("2h", **quiet)
    for name in ("basin", "inner"):
        one, other = (p.members[name].program.checksum() for p in (whole, later))
        assert one == other, name


def moved(by, **parts):
    """A region whose edges lie elsewhere."""
    x, y = (np.array(seas.lines(*one, 2)) for one in (seas.columns, seas.rows))
    grid = fm.CartesianGrid(x=list(x + by), y=list(y), levels=seas.levels())
    edges = fm.OpenEdges("all", outer="basin", nesting="two-way")
    return fm.Simulation(fm.Ocean(grid, open_edges=edges, **seas.parts(**parts)), "10min")


@pytest.mark.parametrize(
    "make, said",
    [
        (lambda: moved(3e3), "region ends at x = 83000, .* around it are at 80000"),
        (lambda: moved(-80e3), "the region reaches the end of the sea around it along x"),
        (lambda: moved(0.0, tracers=[]), "around has dye, and the region has not"),
        (lambda: seas.region(given=stretched), "fresh water is volume, in the sea around salt"),
        (lambda: seas.region(sides=["west"]), "the region ends at x = "),
        (lambda: seas.region(outer=None), 'OpenEdges nesting = "two-way" is for an outer that'),
        (lambda: seas.region(temperature=3.0), "gives all; given temperature"),
        (lambda: seas.region(nesting="both"), "nesting = 'both'; allowed: one-way, two-way"),
        (lambda: seas.region(depth=lambda x, y: 300.0 + 0 * x), "3 layers .* has fewer there"),
    ],
    ids=["faces", "end", "tracer", "surface", "wall", "store", "given", "word", "floor"],
)
def test_what_does_not_fit_is_refused(tmp_path, make, said):
    def run():
        inner = make()
        outer = seas.basin(periodic=False)
        fm.Programs({"basin": outer, "inner": inner}, tmp_path).run("20min", **quiet)

    with pytest.raises(fm.Error) as fault:
        run()
    assert re.search(said, str(fault.value)), fault.value
    assert len(str(fault.value).splitlines()) == 1


def test_levels_must_be_the_same(tmp_path, monkeypatch):
    inner = seas.region()
    monkeypatch.setattr(seas, "levels", lambda: fm.ZLevels(nz=4, depth=600))
    with pytest.raises(fm.Error, match="region has levels of 3 layers, 600 m, .* of 4 layers"):
        fm.Programs({"basin": seas.basin(), "inner": inner}, tmp_path)


def test_a_nest_on_the_earth_over_the_seam_of_longitudes(tmp_path):
    """Cells of 1.7 by 1 degrees in those of 5 by 2 around the earth; the region crosses 0 east."""
    levels = fm.ZLevels(nz=3, depth=1500)
    x, y = ([a - d / 2, b + d / 2] for a, b, d in ((-20, 25, 5 / 3), (30, 50, 1)))
    grids = {
        "basin": fm.LatitudeLongitudeGrid(
            nx=72, ny=24, longitude=(0, 360), latitude=(20, 68), levels=levels, bathymetry="flat"
        ),
        "inner": fm.LatitudeLongitudeGrid(
            nx=28, ny=21, longitude=x, latitude=y, levels=levels, bathymetry="flat"
        ),
    }

    def made(name, step):
        edges = fm.OpenEdges("all", outer="basin", nesting="two-way") if name == "inner" else None
        model = fm.Ocean(
            grids[name],
            open_edges=edges,
            physics="simple",
            tracers=["dye"],
            friction=fm.LaplacianFriction(viscosity=2e4),
        )
        model.set(
            temperature=lambda x, y, z: np.exp(-z / 500) * (15 + 5 * np.sin(np.deg2rad(4 * x))),
            salinity=35.0,
            dye=lambda x, y, z: 1 + np.sin(np.deg2rad(3 * x + y)),
            velocity_x=0.2,
        )
        return fm.Simulation(model, step, overwrite=True)

    both = fm.Programs({"basin": made("basin", "1h"), "inner": made("inner", "30min")}, tmp_path)
    nest = both.members["inner"].program.model.outer.nest
    both.run("1h", **quiet)
    first = seas.total(both, nest.centers.cells.flat)
    both.run("50h", **quiet)
    later = seas.total(both, nest.centers.cells.flat)
    assert {n: abs(later[n] / first[n] - 1) for n in first} == pytest.approx(
        dict.fromkeys(first, 0.0), abs=1e-13
    )
