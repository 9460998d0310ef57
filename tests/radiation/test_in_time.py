"""Gases, aerosols, ozone and the sun's irradiance of RRTMGP as numbers and as records in time."""

import numpy as np
import pytest
import xarray as xr

import fathom as fm
from fathom.atmosphere.radiation.ozone import OzoneRecords

FLUXES = ("outgoing_longwave", "toa_net_shortwave", "surface_net_shortwave")


def fluxes(start="2000-01-01", ozone="StandardOzone", **forcing):
    """Returns them after a step [W m-2], (ny, nx) each, and the simulation."""
    grid = fm.GaussianGrid(5, levels=fm.HybridLevels(6))
    physics = fm.BasicPhysics(radiation=fm.RRTMGP(**forcing), ozone=ozone)
    model = fm.SpectralAtmosphere(grid, physics=physics).set(
        air_temperature=lambda x, y, p: 210 + 80 * p / 1e5,
        specific_humidity=lambda x, y, p: 0.01 * (p / 1e5) ** 3,
    )
    sim = fm.Simulation(model, "1h", start=start)
    sim.advance(1)
    return [sim.gather(name)[0] for name in FLUXES], sim


def same(a, b):
    return all(np.array_equal(x, y) for x, y in zip(a, b))


def test_a_series_is_the_number_of_its_time():
    constant, _ = fluxes(carbon_dioxide=500.0)
    series, sim = fluxes(carbon_dioxide=[[1990, 300], [2010, 700]], start="2000-01-01")
    assert np.abs(constant[0] - series[0]).max() < 1e-3  # 2000 is the middle to half a day
    assert not same(constant, fluxes(carbon_dioxide=400.0)[0])
    assert "carbon_dioxide" in " ".join(sim.forcing.sources[0].describe())
    flat, _ = fluxes(methane=[[1990, 1850.0], [2010, 1850.0]])
    assert same(flat, fluxes()[0])


def test_a_file_as_of_input4mips(tmp_path):
    time = xr.date_range("1999-07-01", periods=3, freq="YS-JUL", use_cftime=True)
    data = xr.DataArray(
        np.array([[500.0, 1.0, 1.0]] * 3),
        {"time": time},
        ("time", "sector"),
        "mole_fraction_of_carbon_dioxide_in_air",
        {"units": "1.e-6"},
    )
    data.to_netcdf(tmp_path / "co2.nc")
    found, _ = fluxes(carbon_dioxide=str(tmp_path / "co2.nc"))
    assert np.abs(found[0] - fluxes(carbon_dioxide=500.0)[0][0]).max() < 1e-9


def test_volcanoes_by_latitude():
    """Aerosol in the north alone reflects there alone."""
    depth = xr.DataArray(
        [[0.0, 0.0, 0.2, 0.2]],
        {"time": np.array(["2000-01-01"], "datetime64[ns]"), "lat": [-60.0, -1.0, 1.0, 60.0]},
        ("time", "lat"),
        "saod",
        {"units": "1"},
    )
    depth["lat"].attrs["units"] = "degrees_north"
    clear, sim = fluxes()
    hazy, _ = fluxes(stratospheric=depth)
    _, latitude = sim.model.grid.coordinates()
    change = hazy[1] - clear[1]
    lit = (clear[1] > 100) & (latitude > 5)
    assert (change[lit] < -1).all() and (np.abs(change[latitude < -5]) < 1e-6).all()
    more, _ = fluxes(stratospheric=0.2)
    assert np.abs(more[1] - hazy[1])[latitude > 5].max() < 1e-6


@pytest.mark.parametrize("kind", ["dust", "sea_salt", "sulfate", "black_carbon", "organic_carbon"])
def test_aerosols_dim_the_ground(kind):
    clear, _ = fluxes()
    hazy, _ = fluxes(**{kind: 0.2})
    lit = clear[2] > 50
    assert (hazy[2] < clear[2] - 0.5)[lit].all()


def test_the_sun_in_time():
    plain, _ = fluxes()
    bright, _ = fluxes(solar_irradiance=[[1999, 1361 * 1.02], [2001, 1361 * 1.02]])
    assert bright[1] == pytest.approx(1.02 * plain[1])
    assert same([bright[0]], [plain[0]])


def test_ozone_on_levels_of_pressure():
    """A profile linear in ln p stays linear, in mass for mole."""
    levels = np.array([1e5, 3e4, 1e4, 1e3, 1e2])
    values = 1e-6 * (1 + np.log(1e5 / levels))
    ozone = xr.DataArray(
        np.broadcast_to(values[None, :, None], (1, 5, 3)),
        {
            "time": np.array(["2000-01-01"], "datetime64[ns]"),
            "plev": ("plev", levels, {"units": "Pa"}),
            "lat": ("lat", [-90.0, 0.0, 90.0], {"units": "degrees_north"}),
        },
        ("time", "plev", "lat"),
        "vmro3",
        {"units": "mol mol-1"},
    )
    grid = fm.GaussianGrid(5, levels=fm.HybridLevels(6))
    found = OzoneRecords(ozone, grid).read(0)["ozone"]
    edges = np.asarray(grid.levels.a) + 1e5 * np.asarray(grid.levels.b)
    middle = 0.5 * (edges[1:] + edges[:-1])
    expected = 1e-6 * (1 + np.log(1e5 / middle)) * 47.9982 / 28.964
    assert found[:, 0, 0] == pytest.approx(expected, rel=1e-6)
    assert np.ptp(found, axis=(1, 2)).max() < 1e-12
    _, sim = fluxes(ozone=None)
    with_ozone = fm.BasicPhysics(radiation=fm.RRTMGP(ozone=ozone))
    assert with_ozone.ozone is None and "OzoneInTime" not in repr(with_ozone)
    model = fm.SpectralAtmosphere(grid, physics=with_ozone)
    sim = fm.Simulation(model, "1h", start="2000-01-01").prepare()
    sim.advance(1)
    assert sim.gather("toa_net_shortwave").max() > 100


@pytest.mark.parametrize(
    "given, text",
    [
        ({"carbon_dioxide": "much"}, "carbon_dioxide"),
        ({"carbon_dioxide": [[2000, 1.0], [1990, 2.0]]}, "years do not increase"),
        ({"stratospheric": 200.0}, "stratospheric = 200.0 must lie"),
        ({"carbon_dioxide": True}, "carbon_dioxide = True"),
        ({"carbon_dioxide": [[2000, 4e-4], [2010, 4e-4]]}, "nowhere above"),
        ({"carbon_dioxide": [[1000, 280.0], [3000, 400.0]]}, "its years go from 1000 to 3000"),
        ({"solar_irradiance": 1.361}, "solar_irradiance = 1.361 must lie"),
        ({"methane": [[1990, "x"], [2010, 1900]]}, "'x' in its .year, value."),
        ({"sulphate": 0.1}, "sulfate"),
        ({"ozone": 0.1}, "ozone"),
    ],
)
def test_refusals(given, text):
    with pytest.raises((fm.InputError, ValueError), match=text):
        fluxes(**given)


def test_a_series_that_ends_early_is_refused(tmp_path):
    physics = fm.BasicPhysics(radiation=fm.RRTMGP(carbon_dioxide=[[1990, 300.0], [1995, 310.0]]))
    model = fm.SpectralAtmosphere(fm.GaussianGrid(5, levels=fm.HybridLevels(4)), physics=physics)
    sim = fm.Simulation(model, "1h", start="2005-01-01", directory=tmp_path)
    with pytest.raises(fm.InputError, match="records of carbon_dioxide are of"):
        sim.run("1h", report=False)
