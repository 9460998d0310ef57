"""From an analysis on levels of pressure to hybrid levels over the model's own hills."""

import numpy as np
import pytest

import fathom as fm
from fathom.atmosphere.remap import initial
from fathom.base import earth, moist_air
from fathom.data import atmosphere
from fathom.grids import hybrid
from fathom.grids.regrid import column, sphere
from fathom.grids.regrid.rows import Rows
from fathom.output.post import scores
from fathom.output.post.pressure_levels import Column

R, G, GAMMA = moist_air.GAS_CONSTANT, earth.STANDARD_GRAVITY, moist_air.LAPSE_RATE
ROWS = Rows.gaussian(64, "octahedral")
PRESSURES = np.array([20000.0, 30000, 50000, 70000, 85000])


@pytest.fixture(scope="module")
def gfs():
    return atmosphere.gfs()


@pytest.fixture(scope="module")
def ground(gfs):
    """Surface geopotential of the model: that of the analysis, a little smoother."""
    flat = 0.8 * gfs.surface_geopotential.values
    return ROWS.unpack(sphere.to_rows(flat, gfs.latitude.values, gfs.longitude.values, ROWS))


@pytest.fixture(scope="module")
def state(gfs, ground):
    return initial.initial_state(gfs, ROWS, hybrid.named("L31"), ground)


def test_fields_and_shapes(state):
    layers, surface = (31, *ROWS.shape), ROWS.shape
    assert {name: field.shape for name, field in state.items()} == {
        "air_temperature": layers,
        "eastward_wind": layers,
        "northward_wind": layers,
        "specific_humidity": layers,
        "log_surface_pressure": surface,
        "surface_geopotential": surface,
    }
    assert all(np.isfinite(field).all() for field in state.values())
    assert all((field[..., ~ROWS.used] == 0).all() for field in state.values())
    q = state["specific_humidity"][:, ROWS.used]
    assert 1e-6 <= q.min() and q.max() < 0.025


def test_heights_temperatures_and_winds_of_the_source_come_back(state, gfs):
    post = Column(state, hybrid.named("L31"), ROWS)
    weight = ROWS.area

    def source(name):
        return sphere.to_rows(
            gfs[name].sel(pressure=PRESSURES).values,
            gfs.latitude.values,
            gfs.longitude.values,
            ROWS,
            vector="wind" in name,
        )

    free = np.where(post.surface_pressure > PRESSURES[:, None] + 2e3, 1.0, np.nan)
    for field, name, limit in (
        (G * post.geopotential_height(PRESSURES), "geopotential", 4 * G),
        (post.air_temperature(PRESSURES), "air_temperature", 0.6),
        (post.at(state["eastward_wind"], PRESSURES), "eastward_wind", 0.8),
    ):
        error = scores.rms(ROWS.pack(field) * free, source(name), weight)
        assert (error < limit).all(), (name, error)
        assert (
            np.abs(scores.bias(ROWS.pack(field) * free, source(name), weight)) < 0.3 * limit
        ).all()


def test_mean_sea_level_pressure_is_that_of_the_source(state, gfs):
    post = Column(state, hybrid.named("L31"), ROWS)
    source = sphere.to_rows(
        gfs.air_pressure_at_mean_sea_level.values, gfs.latitude.values, gfs.longitude.values, ROWS
    )
    low = np.where(np.abs(post.surface_geopotential) < 200 * G, 1.0, np.nan)
    assert scores.rms(ROWS.pack(post.mean_sea_level_pressure()) * low, source, ROWS.area) < 60  # Pa


def standard(temperature=288.15):
    """A polytropic atmosphere of the standard lapse rate over flat land, as a data set."""
    import xarray

    pressure, latitude, longitude = (
        np.array([1e3, 5e3, 1e4, 2e4, 3e4, 4e4, 5e4, 6e4, 7e4, 8e4, 9e4, 1e5]),
        np.linspace(-90, 90, 19),
        np.arange(36) * 10.0,
    )
    T = temperature * (pressure / 101325) ** column.EXPONENT
    air = lambda values: (
        ("pressure", "latitude", "longitude"),
        np.broadcast_to(values[:, None, None], (12, 19, 36)).copy(),
    )
    zero = 0 * pressure
    flat = lambda value: (("latitude", "longitude"), np.full((19, 36), value))
    return xarray.Dataset(
        {
            "air_temperature": air(T),
            "eastward_wind": air(zero),
            "northward_wind": air(zero),
            "specific_humidity": air(zero),
            "geopotential": air(G / GAMMA * (temperature - T)),
            "surface_air_pressure": flat(101325.0),
            "surface_geopotential": flat(0.0),
        },
        {"pressure": pressure, "latitude": latitude, "longitude": longitude},
    )


@pytest.mark.parametrize("height", [-200.0, 0.0, 1500.0, 4000.0])
def test_surface_pressure_over_another_ground_is_exact(height, monkeypatch):
    monkeypatch.setattr(initial, "LEAST_HUMIDITY", 0.0)
    rows = Rows.gaussian(8)
    state = initial.initial_state(
        standard(), rows, hybrid.named("L60"), np.full(rows.shape, G * height)
    )
    exact = 101325 * (1 - GAMMA * height / 288.15) ** (1 / column.EXPONENT)
    np.testing.assert_allclose(np.exp(state["log_surface_pressure"]), exact, rtol=2e-6)
    pressure = column.layer_pressure(
        column.interface_pressure(*hybrid.named("L60"), np.exp(state["log_surface_pressure"]))
    )
    low = pressure > 3e4
    np.testing.assert_allclose(
        state["air_temperature"][low],
        (288.15 * (pressure / 101325) ** column.EXPONENT)[low],
        atol=0.2,
    )


def test_relative_humidity_is_conserved(gfs, ground, state):
    """A layer is as near to saturation as the analysis is at its pressure, however its temperature
    was adjusted.
    """
    levels = hybrid.named("L31")
    pressure = column.layer_pressure(
        column.interface_pressure(*levels, np.exp(ROWS.pack(state["log_surface_pressure"])))
    )
    relative = moist_air.relative_humidity(
        ROWS.pack(state["specific_humidity"]), ROWS.pack(state["air_temperature"]), pressure
    )
    here = sphere.to_rows(
        gfs.relative_humidity.values, gfs.latitude.values, gfs.longitude.values, ROWS, order=1
    )
    expected = column.Between(np.log(gfs.pressure.values)[:, None], np.log(pressure)).linear(here)
    ground_there = sphere.to_rows(
        gfs.surface_air_pressure.values, gfs.latitude.values, gfs.longitude.values, ROWS, order=1
    )
    inside = (
        (pressure > 1.5e4)
        & (pressure < 0.8 * ground_there)
        & (ROWS.pack(state["specific_humidity"]) > 1.1e-6)
    )
    np.testing.assert_allclose(relative[inside], expected[inside], atol=1e-6)


def test_a_set_that_ends_in_the_troposphere_is_given_a_balanced_stratosphere(gfs):
    """Above the cut the extension stays near the truth, and its wind is that of its heights."""
    cut = gfs.sel(pressure=slice(3e4, None))
    whole = atmosphere.extended(cut)
    np.testing.assert_array_equal(whole.pressure, gfs.pressure)
    np.testing.assert_array_equal(
        whole.air_temperature.sel(pressure=slice(3e4, None)), cut.air_temperature
    )
    error = lambda name, p: float(
        np.sqrt(
            ((whole[name] - gfs[name]).sel(pressure=p) ** 2)
            .weighted(np.cos(np.deg2rad(gfs.latitude)))
            .mean()
        )
    )
    assert (
        error("geopotential", 2e4) / G < 60
        and error("air_temperature", 2e4) < 5
        and error("eastward_wind", 2e4) < 9
    )

    def imbalance(data):
        """rms of the wind less the geostrophic one at 100 hPa, 30-70 N."""
        phi, coriolis = (
            data.geopotential.sel(pressure=1e4),
            2 * 7.292e-5 * np.sin(np.deg2rad(data.latitude)),
        )
        geostrophic = -phi.differentiate("latitude") * 180 / np.pi / 6.371e6 / coriolis
        return float(
            np.sqrt(
                (
                    (geostrophic - data.eastward_wind.sel(pressure=1e4)).sel(latitude=slice(30, 70))
                    ** 2
                ).mean()
            )
        )

    assert imbalance(whole) < 2.5 * imbalance(gfs), (imbalance(whole), imbalance(gfs))


def test_errors_say_what_is_missing(gfs, ground):
    with pytest.raises(ValueError, match="has no geopotential"):
        initial.initial_state(gfs.drop_vars("geopotential"), ROWS, hybrid.named("L19"), ground)
    with pytest.raises(ValueError, match=r"holds 2 times: choose one"):
        initial.initial_state(
            gfs.drop_vars("time").expand_dims(time=2), ROWS, hybrid.named("L19"), ground
        )
    with pytest.raises(ValueError, match="does not fit a grid of 64 rows"):
        initial.initial_state(gfs, ROWS, hybrid.named("L19"), ground[1:])
    with pytest.raises(ValueError, match="from the top down"):
        initial.initial_state(gfs, ROWS, ([0, 1], [1, 0]), ground)
    with pytest.raises(fm.Error, match="has latitude and points"):
        initial.initial_state(gfs, "T42", hybrid.named("L19"), ground)
