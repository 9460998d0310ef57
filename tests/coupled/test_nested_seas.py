"""A region of an ocean inside one that runs with it, or has run: it stays near that one, has the
same bits on any ranks and after a restart; what does not fit is refused in one line.
"""

import re

import numpy as np
import pytest

import box
import fathom as fm
import nested_seas
from fathom.run.one_restart import complete

quiet = {"progress": False, "report": False}


def near(whole, inner):
    """Asserts that inside, two cells from the edge on, the region is what the basin is there."""
    for name, share in (("temperature", 1e-3), ("velocity_x", 0.02), ("dye", 1e-3)):
        rest = nested_seas.differences(whole, inner, name)
        spread = whole.gather(name)[:, slice(*nested_seas.rows), slice(*nested_seas.columns)].std()
        assert rest[2:].max() < share * spread, (name, rest / spread)


def test_hours_in_a_box_cut_out_of_a_run(tmp_path):
    """Inside the basin that runs with it, and from the store of one that has run."""
    whole = nested_seas.basin()
    inner = nested_seas.region(whole, directory=tmp_path / "with")
    whole.output("edges.nc", box_of_output, every="1h", dtype="float64")
    inner.run("6h", **quiet)
    assert whole.seconds == inner.seconds == 21600
    near(whole, inner)
    later = nested_seas.region(str(tmp_path / "with" / "outer"), directory=tmp_path / "later")
    later.run("6h", **quiet)
    near(whole, later)


box_of_output = ["temperature", "salinity", "dye", "velocity_x", "velocity_y", "sea_surface_height"]


def test_a_finer_region_with_other_levels_starts_as_the_sea_around(tmp_path):
    whole = nested_seas.basin()
    inner = nested_seas.region(whole, finer=3, nz=6, step="10min", directory=tmp_path)
    inner.together.run("20min", **quiet)
    x, y = inner.model.grid.coordinates()
    first = np.stack([nested_seas.warmth(x, y, z) for z in inner.model.grid.levels.middles])
    # linear between cells of 50 km and layers of 250 m
    assert np.abs(inner.gather("temperature") - first)[1:-1].max() < 1.0
    assert inner.gather("salinity") == pytest.approx(35.0, abs=1e-10)
    assert np.abs(inner.gather("dye") - x / 1e6).max() < 1e-3


@pytest.fixture(scope="module")
def alone(on_ranks):
    return on_ranks(1, nested_seas.__file__, "bits")


def test_the_same_side_by_side(on_ranks, alone):
    assert on_ranks(2, nested_seas.__file__, "bits", 'ranks={"basin": 1, "inner": 1}') == alone


@pytest.mark.long
@pytest.mark.parametrize("ranks", ["null", '{"basin": 2, "inner": 1}'], ids=["turn", "side"])
def test_the_same_on_ranks(on_ranks, alone, ranks):
    assert on_ranks(3, nested_seas.__file__, "bits", f"ranks={ranks}") == alone


def test_a_restart_between(tmp_path):
    def both(folder):
        whole, inner = nested_seas.basin(), nested_seas.region("basin", outer_every="40min")
        return fm.Programs({"basin": whole, "inner": inner}, tmp_path / folder)

    whole, first = both("whole"), both("first")
    whole.run("160min", **quiet)
    first.run("80min", **quiet)
    later = both("later").restore(complete(tmp_path / "first")[-1][1])
    later.run("80min", **quiet)
    for name in ("basin", "inner"):
        one, other = (p.members[name].program.checksum() for p in (whole, later))
        assert one == other, name


def test_files_name_each_other(tmp_path):
    """The file of a region names that of the sea around, alone and in [programs]."""
    levels = 'levels = { type = "ZLevels", nz = 3, depth = 300 }'
    state = "[state]\ntemperature = 12\nsalinity = 35\n"
    end = '[simulation]\ntime_step = "20min"\nrun = "1h"\n'
    (tmp_path / "sea.toml").write_text(
        '[grid]\ntype = "LatitudeLongitudeGrid"\nnx = 12\nny = 10\nlongitude = [0, 12]\n'
        f'latitude = [30, 40]\n{levels}\n[model]\ntype = "Ocean"\n{state}{end}'
    )
    (tmp_path / "region.toml").write_text(
        '[grid]\ntype = "LatitudeLongitudeGrid"\nnx = 9\nny = 9\nlongitude = [3, 7.5]\n'
        f'latitude = [33, 37.5]\n{levels}\n[model]\ntype = "Ocean"\n'
        'open_edges = { type = "OpenEdges", sides = "all", outer = "sea.toml" }\n'
        f'[state]\nanalysis = "outer"\n{end}'
    )
    (tmp_path / "both.toml").write_text(
        '[programs]\nsea = "sea.toml"\nregion = "region.toml"\n[simulation]\nrun = "1h"\n'
    )
    for file, told in (("region", "area/outer"), ("both", "region")):
        status, out, wrong = box.fathom(
            "run", f"{file}.toml", "--out", file, "--no-report", folder=tmp_path
        )
        assert status == 0, wrong
        names = {str(path.relative_to(tmp_path / file)) for path in (tmp_path / file).rglob("*")}
        assert any(told.split("/")[0] in name for name in names) or "outer" in names, names
    status, out, _ = box.fathom("show", "both.toml", folder=tmp_path)
    assert "sea -> region: boundaries every 1200 s" in out


def stored(folder, days=1):
    """A small store of a basin."""
    whole = nested_seas.basin(dye=False)
    whole.directory = folder
    whole.output("sea.nc", [n for n in box_of_output if n != "dye"], every="1h")
    whole.run("2h", **quiet)
    return str(folder)


@pytest.mark.parametrize(
    "how, said",
    [
        ({"west": -2}, "the region leaves the sea around it, .* cells of its edges, as at x -75"),
        ({"land": True}, "the region meets land of the sea around it, .* as at x 325"),
        ({"dye": False}, r"the sea around has no dye; give tracers = \{'dye': ...\}"),
        ({"every": "30min"}, "outer_every = 30 min is no whole number of steps of outer, 20 min"),
        ({"outer": "nobody"}, "outer = 'nobody': there is no such file, and no program"),
        ({"outer": "no/such"}, "open_edges outer = 'no/such': there is no such file or folder"),
        ({"outer": 3}, "open_edges outer = 3: allowed are a store"),
        ({"outer": "stored"}, "no store there has all .* in time: sea.nc lacks dye"),
    ],
    ids=["leaves", "land", "tracer", "every", "name", "file", "kind", "variable"],
)
def test_what_does_not_fit_is_refused(tmp_path, how, said):
    how = dict(how)
    around = {name: how.pop(name) for name in ("land", "dye") if name in how}
    every, outer = how.pop("every", None), how.pop("outer", None)
    if outer == "stored":
        outer = stored(tmp_path)

    def run():
        sea = nested_seas.basin(**around) if outer is None else outer
        how_ = how | {"directory": tmp_path / "run", "outer_every": every}
        nested_seas.region(sea, **how_).run("1h", **quiet)

    with pytest.raises(fm.Error) as fault:
        run()
    assert re.search(said, str(fault.value)), fault.value
    assert len(str(fault.value).splitlines()) == 1


def test_a_start_without_a_sea_around_is_refused():
    grid = fm.CartesianGrid(nx=6, ny=6, levels=fm.ZLevels(nz=2, depth=100))
    with pytest.raises(fm.Error, match="allowed is 'outer', of a region whose open_edges"):
        fm.Ocean(grid, coriolis=(0, 0)).set(analysis="outer")
