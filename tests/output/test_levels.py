"""Output on chosen levels of the column: pressure, altitude, height above the ground, potential
temperature."""

import numpy as np
import pytest

import fathom as fm
from fathom import output
from fathom.grids.regrid import chosen
from small_atmospheres import held_suarez

known = (
    chosen.pressure,
    chosen.altitude,
    chosen.height,
    chosen.potential_temperature,
    chosen.hybrid(fm.HybridLevels),
)
variables = ["air_temperature", "geopotential_height", "potential_temperature", "air_pressure"]


@pytest.fixture(scope="module")
def stores(tmp_path_factory):
    """An hour of waves over a mountain of 1 km, on each kind of level."""
    folder = tmp_path_factory.mktemp("levels")
    simulation = held_suarez(21, 12, step="1800s", mountain=1000)
    simulation.directory = folder
    for name, levels in {
        "pressure": [900, 700, 500, 300],
        "altitude": {"altitude": [5000, 0, 12000]},
        "height": {"height": [20, 3000]},
        "theta": {"potential_temperature": [330, 150]},
        "vortex": {"potential_vorticity": [1, 2]},
        "own": None,
        "hybrid": {"hybrid": simulation.model.grid.levels},
        "other": {"hybrid": "L19"},
    }.items():
        simulation.output(f"{name}.nc", variables, every="1h", levels=levels)
    simulation.output("turning.nc", ["potential_vorticity", "vorticity"], every="1h")
    low = ["air_temperature", "eastward_wind"]
    simulation.output("other.grib2", low, every="1h", levels={"hybrid": "L19"})
    simulation.output(
        "low.grib2", low, every="1h", levels={"altitude": [500.0]}, latlon_resolution=10
    )
    simulation.run("1h", report=False)
    ground = simulation.gather("surface_geopotential")[0] / 9.80665
    return {file.stem: output.open(file).isel(time=-1).load() for file in folder.glob("*.nc")} | {
        "ground": ground,
        "folder": folder,
    }


def test_altitude_is_geopotential_height(stores):
    held = stores["altitude"]
    assert held.altitude.attrs["standard_name"] == "altitude"
    assert held.altitude.values.tolist() == [5000, 0, 12000]
    for n, altitude in enumerate(held.altitude.values):  # below the mountain too
        assert np.abs(held.zg[n] - altitude).max() < 0.05
    assert (held.pfull[1] > held.pfull[0]).all() and (held.pfull[0] > held.pfull[2]).all()


def test_height_is_above_the_ground(stores):
    held = stores["height"]
    for n, height in enumerate(held.height.values):
        assert np.abs(held.zg[n].values - stores["ground"] - height).max() < 0.05


def test_levels_agree_with_each_other(stores):
    """The pressure at 5 km, looked up in heights on levels of pressure: what a straight line in
    ln p leaves between 700 and 500 hPa."""
    by_pressure, by_altitude = stores["pressure"], stores["altitude"]
    x = np.log(100 * by_pressure.pressure.values)
    z = by_pressure.zg.values
    lower, upper = 1, 2  # 700 and 500 hPa: 5 km lies between
    part = (5000 - z[lower]) / (z[upper] - z[lower])
    inside = (part > 0.05) & (part < 0.95)
    expected = np.exp(x[lower] + part * (x[upper] - x[lower]))
    found = by_altitude.pfull[0].values
    assert inside.mean() > 0.5
    assert np.abs(found / expected - 1)[inside].max() < 5e-3


def test_potential_temperature(stores):
    """On its own levels it has their values, within the difference of a cubic and a line; where a
    column does not reach it there is no value."""
    held = stores["theta"]
    assert np.abs(held.theta[0] - 330).max() < 1.5
    assert held.ta[1].isnull().all() and held.theta[0].notnull().all()
    expected = held.ta[0] * (1e5 / held.pfull[0]) ** (2 / 7)
    assert np.allclose(held.theta[0], expected, rtol=1e-5)


def test_potential_vorticity(stores):
    """Linear in ln p between layers, it is what was asked for, where a column reaches it."""
    held, whole = stores["vortex"], stores["turning"]
    northern = whole.pv.values * np.sign(whole.latitude.values)[:, None]
    x, x_layers = np.log(held.pfull.values), np.log(stores["own"].pfull.values)
    found = held.pfull.notnull().values
    assert found[1, np.abs(whole.latitude.values) > 30].all() and not found.all()
    for n, wanted in enumerate((1e-6, 2e-6)):
        for j, i in np.argwhere(found[n])[::7]:
            value = np.interp(x[n, j, i], x_layers[:, j, i], northern[:, j, i])
            assert abs(value - wanted) < 1e-3 * wanted
    assert (x[1] < x[0])[found.all(0)].all()  # the stronger wind is higher
    assert np.abs(whole.rv.mean("longitude")).max() < 1e-4


def test_hybrid_levels_of_another_model(stores):
    """Its own are its own; others have their coefficients in the file, and lie where these say."""
    own, same, other = (stores[name] for name in ("own", "hybrid", "other"))
    assert np.allclose(same.ta, own.ta, rtol=2e-6) and np.allclose(same.pfull, own.pfull)
    assert other.sizes["level"] == 19 and same.sizes["level"] == own.sizes["level"]
    a, b = other.ap_bounds.values, other.b_bounds.values
    surface = own.pfull.values[-1].max() * 1.2
    assert (other.pfull.values < a[:, 1, None, None] + b[:, 1, None, None] * surface).all()
    x, x_own = np.log(other.pfull.values), np.log(own.pfull.values)
    straight = np.interp(x[9, 5, 7], x_own[:, 5, 7], own.ta.values[:, 5, 7])
    assert abs(other.ta.values[9, 5, 7] - straight) < 1


def test_grib_has_the_other_levels(stores):
    import eccodes

    with open(stores["folder"] / "other.grib2", "rb") as file:
        message = eccodes.codes_grib_new_from_file(file)
    assert eccodes.codes_get_long(message, "typeOfFirstFixedSurface") == 105
    assert len(eccodes.codes_get_array(message, "pv")) == 2 * 20
    eccodes.codes_release(message)


def test_grib_says_which_surface(stores):
    import eccodes

    with open(stores["folder"] / "low.grib2", "rb") as file:
        message = eccodes.codes_grib_new_from_file(file)
    assert eccodes.codes_get_long(message, "typeOfFirstFixedSurface") == 102
    assert eccodes.codes_get_double(message, "level") == 500
    eccodes.codes_release(message)
    back = output.open(stores["folder"] / "low.grib2")
    assert back.ta.dims[1] == "altitude" and float(back.altitude[0]) == 500


@pytest.mark.parametrize(
    "levels, words",
    [
        ({"altitud": [1]}, "did you mean 'altitude'"),
        ({"altitude": [1], "height": [2]}, "of 2 coordinates"),
        ([-5], r"pressure \[hPa\], 0 or more"),
        ([85000], r"pressure \[hPa\], 0 or more, at most 2000"),
        ([], "pressure"),
        ({"height": ["low"]}, r"height \[m\]"),
        ({"potential_temperature": [np.nan]}, "potential_temperature"),
        ({"hybrid": "L18"}, "no set of levels 'L18'"),
        ({"hybrid": {"numbr": 18}}, "numbr"),
    ],
)
def test_what_levels_cannot_be(levels, words):
    with pytest.raises(ValueError, match=words):
        chosen.chosen(levels, known)
