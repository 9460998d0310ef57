"""Open edges with values of records: those of numbers where they are these numbers; linear in time;
bits on ranks and after a restart between two; what does not fit is refused in one line.
"""

import re

import numpy as np
import pytest
import xarray as xr

import box
import fathom as fm
import open_seas

names = {  # of the Copernicus Marine Service: standard name, unit, value
    "thetao": ("sea_water_potential_temperature", "degrees_C", 12.0),
    "so": ("sea_water_salinity", "1e-3", 35.5),
    "uo": ("eastward_sea_water_velocity", "m s-1", 0.2),
    "vo": ("northward_sea_water_velocity", "m s-1", -0.1),
    "zos": ("sea_surface_height_above_geoid", "m", 0.3),
}
experiment = """
[grid]
type = "LatitudeLongitudeGrid"
nx = 8
ny = 7
longitude = [-12, -8]
latitude = [35, 38.5]
levels = { type = "ZLevels", nz = 3, depth = 300 }
[model]
type = "Ocean"
open_edges = { type = "OpenEdges", sides = ["west", "south"], data = "outside.nc" }
[state]
temperature = 12
salinity = 35
[simulation]
start = "2000-01-01"
time_step = "10min"
run = "6h"
surface = { type = "SurfaceForcing", stress_x = 0.05 }
"""


def outside(days=(0, 1, 2), west=347.0, growth=0.0, calendar="standard", only=tuple(names)):
    """A file of a region, longitudes from 0 to 360, depths that end above the deepest layer; all
    but the height grow by `growth` of their value a day.
    """
    longitude, latitude = np.arange(west, west + 6.5, 0.5), np.arange(34.0, 40, 0.5)
    dates = xr.date_range("2000-01-01", periods=max(days) + 1, calendar=calendar, use_cftime=True)
    coords = {
        "time": dates[list(days)],
        "depth": ("depth", [0.5, 50.0, 200.0], {"units": "m", "positive": "down"}),
        "latitude": ("latitude", latitude, {"units": "degrees_north"}),
        "longitude": ("longitude", longitude, {"units": "degrees_east"}),
    }
    data = xr.Dataset(coords=coords)
    for name in only:
        standard, units, value = names[name]
        dims = ("time", "latitude", "longitude") if name == "zos" else tuple(coords)
        said = {"standard_name": standard, "units": units}
        shape = [data.sizes[dim] for dim in dims]
        factor = 1 + growth * np.array(days).reshape(-1, *[1] * (len(dims) - 1))
        data[name] = dims, np.full(shape, value) * (1.0 if name == "zos" else factor), said
    return data


def region(data=None, **given):
    grid = fm.LatitudeLongitudeGrid(
        nx=8,
        ny=7,
        longitude=(-12, -8),
        latitude=(35, 38.5),
        levels=fm.ZLevels(nz=3, depth=300),
    )
    edges = fm.OpenEdges("all", data, **given)
    return fm.Ocean(grid, open_edges=edges).set(temperature=12.0, salinity=35.0)


def started(model, **how):
    return open_seas.start(model, "10min", start="2000-01-01 06:00", **how)


def test_records_of_numbers_are_these_numbers():
    given = {
        "temperature": 12.0,
        "salinity": 35.5,
        "eastward_velocity": 0.2,
        "northward_velocity": -0.1,
        "sea_surface_height": 0.3,
    }
    one, other = started(region(**given)), started(region(outside()))
    for sim in (one, other):
        sim.advance(20)
    for name in ("temperature", "salinity", "velocity_x", "sea_surface_height"):
        np.testing.assert_allclose(one.gather(name), other.gather(name), rtol=0, atol=1e-11)
    assert abs(one.gather("velocity_x")).max() > 0.1


def test_records_are_linear_in_time():
    """The salt that the first step brings in is that between two records."""
    sim = started(region(outside(growth=0.01)))
    sim.advance(1)
    carried = sim.gather("salinity_at_open_edge_previous"), sim.gather("salinity_at_open_edge_next")
    open_ = np.asarray(sim.model.cuts.cells) > 0
    assert np.allclose(carried[0][:, open_], 35.5) and np.allclose(carried[1][:, open_], 35.855)
    (outside_flow,) = (s for s in sim.forcing.sources if "open_edge_flow_given" in s.fields)
    whole = [outside_flow.read(n)["open_edge_flow_given"] for n in (0, 1)]
    R, height = np.asarray(sim.model.cuts.radiation), 0.3
    total = 0.75 * whole[0].sum() + 0.25 * whole[1].sum() - (R * height).sum()
    after = sim.gather("sea_surface_height")[0]
    assert sim.gather("open_edge_outflow").sum() == pytest.approx(total + (R * after).sum())


def bits(folder, blocks=None):
    sim = started(region(f"{folder}/*.nc"), parallel={"blocks": blocks})
    sim.advance(4)
    return {"checksum": sim.checksum()}


def test_ranks_and_a_restart_between_two_records(tmp_path, on_ranks):
    import cases

    whole = outside(growth=0.1)
    whole.isel(time=[0]).to_netcdf(tmp_path / "a.nc")
    whole.isel(time=[1, 2]).to_netcdf(tmp_path / "b.nc")
    alone = bits(str(tmp_path))
    assert on_ranks(3, __file__, "bits", f'folder="{tmp_path}"', "blocks=[5,4]") == alone

    def fresh():
        sim = started(region(f"{tmp_path}/*.nc"))
        sim.directory = tmp_path
        return sim

    cases.continued(fresh)


@pytest.mark.parametrize(
    "how, said",
    [
        ({"west": 350.0}, "longitudes from 350 to 356; the sea of the grid has .*lie outside"),
        ({"only": ("thetao",)}, "no value of salinity for water that enters; give salinity, or"),
        ({"days": (3, 4)}, "are of 2000-01-03 .*; the run is from 2000-01-01"),
        ({"calendar": "360_day", "days": (0, 40)}, ""),
    ],
    ids=["region", "variable", "time", "calendar"],
)
def test_what_does_not_fit_is_refused(tmp_path, how, said):
    outside(**how).to_netcdf(tmp_path / "outside.nc")
    (tmp_path / "case.toml").write_text(experiment)
    status, out, wrong = box.fathom("run", "case.toml", "--no-report", folder=tmp_path)
    if said:
        assert status in (1, 2) and len(wrong.splitlines()) == 1, (out, wrong)
        assert re.search(said, wrong), wrong
    else:
        assert status == 0, wrong


@pytest.mark.parametrize(
    "change, said",
    [
        ({"sides": "left"}, "'left'.*allowed: west, east, south, north"),
        ({"sides": [fm.OpenEdge("east", (60, 70))]}, "there is no water at it"),
        ({"temperature": None}, "no value of temperature for water that enters"),
        ({"tracers": {"die": 1.0}}, "die.*did you mean 'dye'"),
        ({"tracers": {}}, r"no value of dye for water that enters; give tracers = \{'dye'"),
        ({"velocity_x": 0.1, "eastward_velocity": 0.1}, "instead of"),
        ({"temperature": "outside"}, "no data set"),
        ({"inflow_time": "0s"}, "inflow_time = '0s'"),
    ],
)
def test_what_cannot_be_an_edge_is_refused(change, said):
    usual = {"sides": "all", "temperature": 10.0, "salinity": 35.0, "tracers": {"dye": 0.0}}
    grid = fm.LatitudeLongitudeGrid(
        nx=8, ny=7, longitude=(0, 4), latitude=(35, 38.5), levels=fm.ZLevels(nz=3, depth=300)
    )
    with pytest.raises(fm.Error, match=said):
        fm.Ocean(grid, tracers=["dye"], open_edges=fm.OpenEdges(**(usual | change)))


if __name__ == "__main__":
    from small_atmospheres import main

    main(globals())
