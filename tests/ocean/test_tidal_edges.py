"""Tides through open edges: a bay against its solution, files of constituents in all layouts,
harmonic analysis on ranks and after a restart; what cannot be is refused.
"""

import datetime

import netCDF4
import numpy as np
import pytest

import fathom as fm
import tidal_seas
from fathom.base.failure import InputError
from fathom.ocean import constituents
from fathom.ocean.edges.tide_files import maps


def waves(path, name="zos", time=-1):
    """A exp(-i g) of the first constituent of a store."""
    with fm.open(path) as data:
        last = data.isel(time=time, constituent=0)
        lag = np.radians(last[f"{name}_phase"].values.astype(float))
        return last[f"{name}_amplitude"].values.astype(float) * np.exp(-1j * lag)


def test_a_bay_swings_with_the_tide_at_its_mouth():
    """Amplitude and phase of the solution with friction, in a bay of more than a quarter of a
    wave: the error is of first order in the step, and what remains at a step of 0 is below 1 %.
    """
    found = []
    for step in (400.0, 800.0):
        sim, exact = tidal_seas.bay(step=step)
        sim.output(
            "tide.nc",
            "sea_surface_height",
            every="50h",
            harmonics={"constituents": "M2", "nodal": False},
        )
        sim.run("100h", report=False)
        found.append(waves(sim.directory / "tide.nc")[:, 1])
    most = abs(exact).max()
    assert most > 0.02  # twice the mouth
    fine, coarse = (abs(one - exact).max() / most for one in found)
    assert 1.6 < coarse / fine < 2.1
    assert abs(2 * found[0] - found[1] - exact).max() < 0.01 * most


def test_analysis_is_that_of_all_samples():
    """Least squares of the same samples in numpy; nodal corrections are in the numbers."""
    sim, _ = tidal_seas.bay(step=1200.0, rows=12, amplitude=0.02, depth=20.0)
    sim.output(
        "tide.nc", "sea_surface_height", every="20h", harmonics=["M2", "M4"], dtype="float64"
    )
    sim.output("all.nc", "sea_surface_height", every="20min", dtype="float64")
    sim.run("40h", report=False)
    with fm.open(sim.directory / "all.nc") as data:
        x = data.zos.values[61:]  # the second interval
    start = datetime.datetime.fromisoformat(tidal_seas.start)
    t, middle = 1200.0 * np.arange(61, 121), start + datetime.timedelta(hours=30)
    columns = [np.ones_like(t)]
    for name in ("M2", "M4"):
        angle = constituents.CONSTITUENTS[name].frequency * t + constituents.argument(name, start)
        columns += [np.cos(angle), np.sin(angle)]
    best = np.linalg.lstsq(np.array(columns).T, x.reshape(60, -1), rcond=None)[0]
    f, u = constituents.nodal("M2", middle)
    expected = (best[1] - 1j * best[2]) / f * np.exp(-1j * u)
    assert abs(waves(sim.directory / "tide.nc").ravel() - expected).max() < 1e-12


def test_tides_and_their_analysis_are_the_same_on_ranks_and_after_a_restart(on_ranks, tmp_path):
    once = tidal_seas.analysed(tmp_path / "one")
    assert once["times"] == 2
    assert once == tidal_seas.analysed(tmp_path / "half", stop="13h")
    folder = f'folder="{tmp_path / "three"}"'
    assert once == on_ranks(3, tidal_seas, "analysed", folder, "blocks=[2,5]")


def test_arguments_and_nodes_are_those_of_utide():
    """All eight of the potential, over a cycle of the nodes."""
    pytest.importorskip("utide")
    from utide._ut_constants import constit_index_dict
    from utide.harmonics import FUV

    allowed = {"M2": 0.005, "S2": 0.004, "K1": 0.003, "N2": 0.01, "K2": 0.01, "O1": 0.015}
    for year in (2001, 2006, 2012):
        date = datetime.datetime(year, 3, 7, 6)
        day = np.array([date.toordinal() + 0.25])
        for name in constituents.EQUILIBRIUM:
            f, u, v = FUV(day, day[0], [constit_index_dict[name]], 45.0, [0, 0, 0, 0])
            theirs = f.item() * np.exp(2j * np.pi * (u + v).item())
            mine = constituents.wave(name, date, True)
            assert abs(mine - theirs) < allowed.get(name, 0.035) * abs(theirs)


def wave_of(longitude, latitude):
    return (1 + latitude / 100) * np.exp(-1j * np.radians(40 + longitude))


def fes(path, longitude, latitude, amplitude, phase):
    with netCDF4.Dataset(path / "m2.nc", "w") as file:
        _axes(file, lat=latitude, lon=longitude)
        _put(file, "amplitude", ("lat", "lon"), 100 * amplitude, "cm")
        _put(file, "phase", ("lat", "lon"), phase, "degrees")


def tpxo(path, longitude, latitude, amplitude, phase):
    """Real and imaginary parts for (constituent, x, y), 0 on land; names of letters."""
    with netCDF4.Dataset(path / "h_tpxo.nc", "w") as file:
        _axes(file, nc=2, nct=4, nx=len(longitude), ny=len(latitude))
        con = file.createVariable("con", "S1", ("nc", "nct"))
        con[:] = np.array([list("m2  "), list("xx9 ")], "S1")
        there = np.meshgrid(longitude, latitude, indexing="ij")
        _put(file, "lon_z", ("nx", "ny"), there[0], "degree_east")
        _put(file, "lat_z", ("nx", "ny"), there[1], "degree_north")
        z = np.nan_to_num(amplitude * np.exp(-1j * np.radians(phase))).T
        _put(file, "hRe", ("nc", "nx", "ny"), np.stack([z.real, z.real]), "meter")
        _put(file, "hIm", ("nc", "nx", "ny"), np.stack([z.imag, z.imag]), "meter")


def own(path, longitude, latitude, amplitude, phase):
    import xarray

    dims, coords = ("time", "constituent", "latitude", "longitude"), {}
    coords |= {"constituent": ["M2"], "latitude": latitude, "longitude": longitude}
    xarray.Dataset(
        {
            "zos_amplitude": (dims, amplitude[None, None], {"units": "m"}),
            "zos_phase": (dims, phase[None, None], {"units": "degree"}),
        },
        coords,
    ).to_netcdf(path / "any.nc")


def _axes(file, **axes):
    for name, values in axes.items():
        size = values if np.ndim(values) == 0 else len(values)
        file.createDimension(name, size)
        if np.ndim(values):
            unit = {"lat": "degrees_north", "lon": "degrees_east"}[name]
            _put(file, name, (name,), values, unit)


def _put(file, name, dims, values, units):
    held = file.createVariable(name, "f8", dims, fill_value=1e20)
    held.units = units
    held[:] = np.ma.masked_invalid(values)


@pytest.mark.parametrize("layout", [fes, tpxo, own])
def test_files_of_constituents_say_what_they_have(layout, tmp_path):
    """In their units, orders and names; land is filled from around."""
    longitude, latitude = np.arange(340.0, 361.0), np.arange(40.0, 51.0)
    z = wave_of(*np.meshgrid(longitude, latitude))
    z[4:6, 8:10] = np.nan
    layout(tmp_path, longitude, latitude, abs(z), np.degrees(-np.angle(z)) % 360)
    (one,) = maps(tmp_path)
    assert (one.constituent, one.quantity) == ("M2", "sea_surface_height")
    places = np.array([42.25, 48.5]), np.array([-12.5, -3.25])
    expected = wave_of(places[1] + 360, places[0])
    np.testing.assert_allclose(one.at(*places), expected, rtol=1e-3)
    assert abs(one.at(np.array([44.5]), np.array([-11.5]))) == pytest.approx(1.445, abs=0.03)


def test_tides_of_a_file_reach_the_edges(tmp_path):
    """Heights and transports of TPXO become those of the cells at the edge."""
    longitude, latitude = np.arange(340.0, 361.0), np.arange(40.0, 51.0)
    z = wave_of(*np.meshgrid(longitude, latitude))
    with netCDF4.Dataset(tmp_path / "m2_all.nc", "w") as file:
        _axes(file, lat=latitude, lon=longitude)
        for name, factor, unit in (
            ("ha", 1, "m"),
            ("ua", 1e4 * 100, "cm^2/s"),
            ("va", 0, "cm^2/s"),
        ):
            _put(file, name, ("lat", "lon"), factor * abs(z), unit)
            _put(file, name[0] + "p", ("lat", "lon"), np.degrees(-np.angle(z)), "degrees")
    grid = fm.LatitudeLongitudeGrid(
        nx=6, ny=5, longitude=(-16, -10), latitude=(42, 47), levels=fm.ZLevels(nz=2, depth=200)
    )
    edges = fm.OpenEdges("west", temperature=10, salinity=35, tides=tmp_path / "m2_all.nc")
    model = fm.Ocean(grid, open_edges=edges)
    (part,) = [one for one in model.components if type(one).__name__ == "Edges"]
    found = part.fixed_fields()
    x, y = (np.asarray(a)[:, 0] for a in grid.coordinates())
    expected = wave_of(x + 360, y)
    height = found["tidal_height_M2_cosine"] - 1j * found["tidal_height_M2_sine"]
    np.testing.assert_allclose(height[:, 0], expected, rtol=1e-3)
    flow = found["tidal_flow_M2_cosine"] - 1j * found["tidal_flow_M2_sine"]
    length = np.asarray(model.cuts.length_x)[:, 0]
    np.testing.assert_allclose(flow[:, 0], length * 100 * expected, rtol=1e-3)
    assert not flow[:, 1:].any()


def refused(**given):
    return fm.OpenEdges("west", temperature=10.0, salinity=35.0, **given)


def test_what_cannot_be_is_refused(tmp_path):
    grid = fm.LatitudeLongitudeGrid(
        nx=6, ny=5, longitude=(-16, -10), latitude=(42, 47), levels=fm.ZLevels(nz=2, depth=200)
    )
    with pytest.raises(InputError, match="no constituent 'M3'; allowed: "):
        fm.BoundaryTides(sea_surface_height={"M3": (1, 0)})
    with pytest.raises(InputError, match="of M2 = 1.0: wanted are amplitude and phase"):
        fm.BoundaryTides(sea_surface_height={"M2": 1.0})
    with pytest.raises(InputError, match=r"heights alone.*flow='clamped'"):
        fm.Ocean(
            grid, open_edges=refused(tides=fm.BoundaryTides(sea_surface_height={"M2": (1, 0)}))
        )
    with netCDF4.Dataset(tmp_path / "tide.nc", "w") as file:
        _axes(file, lat=np.arange(3.0), lon=np.arange(3.0))
        _put(file, "amplitude", ("lat", "lon"), np.ones((3, 3)), "cm")
        _put(file, "phase", ("lat", "lon"), np.ones((3, 3)), "degrees")
    with pytest.raises(InputError, match="says of which constituent it is; known: M2, S2"):
        fm.Ocean(grid, open_edges=refused(tides=tmp_path / "tide.nc"))
    (tmp_path / "tide.nc").rename(tmp_path / "k1.nc")
    tides = fm.BoundaryTides(tmp_path / "k1.nc", eastward_velocity={"K1": (1, 0)})
    with pytest.raises(InputError, match=r"k1.nc: amplitude.*latitudes from 0 to 2"):
        fm.Ocean(grid, open_edges=refused(tides=tides))
    sim, _ = tidal_seas.bay(rows=8)
    with pytest.raises(InputError, match=r"every = '5d' is too short for harmonics of M2 and S2"):
        sim.output("t.nc", "sea_surface_height", every="5d", harmonics=["M2", "S2"])
    with pytest.raises(InputError, match="harmonics are of fields of columns"):
        sim.output("t.nc", "temperature", every="5d", harmonics=["M2"])


def test_the_tide_turns_round_a_point_without_tide():
    """A gulf on the turning earth (Taylor 1921, with friction): amplitude and phase come nearer to
    the solution with the width of cells, and least of them is where it is there.
    """
    errors = []
    for columns, rows, cell in ((16, 27, 24e3), (31, 53, 12.4e3)):
        sim, exact = tidal_seas.gulf(columns, rows, cell, step=600.0)
        how = {"constituents": ["M2"], "nodal": False}
        sim.output("tide.nc", "sea_surface_height", every="25h", harmonics=how)
        sim.run("75h", report=False)
        found = waves(sim.directory / "tide.nc")
        errors.append(np.sqrt((abs(found - exact) ** 2).sum() / (abs(exact) ** 2).sum()))
        places = [np.unravel_index(abs(one).argmin(), one.shape) for one in (found, exact)]
        assert np.hypot(*np.subtract(*places)) * cell < 40e3
    assert errors[1] < 0.2
    assert errors[1] < 0.7 * errors[0]
