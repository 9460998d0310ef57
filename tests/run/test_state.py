"""simulation.state: fields of a running model as an xarray.Dataset, read and set between steps, on
any ranks.
"""

import json
import sys

import numpy as np
import pytest
import xarray as xr

import fathom as fm


def small(**how):
    """A closed sea with an island and a slope."""
    bottom = np.full((12, 20), 1000.0)
    bottom[4:7, 8:11] = 0
    bottom[:, 15:] = 350
    grid = fm.CartesianGrid(
        nx=20,
        ny=12,
        extent=(2e6, 1e6),
        levels=fm.ZLevels(thickness=[100, 200, 300, 400]),
        bathymetry=bottom,
    )
    ocean = fm.Ocean(grid, coriolis=(1e-4, 0.0)).set(
        temperature=lambda x, y, z: 10 - 5 * y / 1e6 - z / 200, salinity=35.0
    )
    return fm.Simulation(ocean, time_step="30min", **how)


def atmosphere(scheme):
    grid = fm.GaussianGrid(10, levels=fm.SigmaLevels(4))
    air = fm.SpectralAtmosphere(grid, physics=[fm.HeldSuarez()], scheme=scheme)
    return fm.Simulation(air, time_step="20min")


def test_what_is_read_is_what_the_model_has():
    sim = small()
    sim.advance(4)
    state, wet = sim.state, np.arange(4)[:, None, None] < np.asarray(sim.model.grid.wet_levels)
    assert isinstance(state, xr.Dataset)
    assert set(sim.model.prognostic) <= set(state.data_vars)
    temperature = state["temperature"]
    assert temperature.dims == ("depth", "y", "x") and temperature.attrs["units"] == "degC"
    assert temperature.attrs["standard_name"] == "sea_water_potential_temperature"
    np.testing.assert_array_equal(temperature.values[wet], sim.gather("temperature")[wet])
    assert np.isnan(temperature.values[~wet]).all()
    warm = temperature.isel(depth=0).where(temperature.y > 5e5).mean().item()
    assert warm == pytest.approx(np.nanmean(temperature.values[0, 6:]))
    assert state["velocity_x"].dims == ("depth", "y_corner", "x_corner")
    assert state["sea_surface_height"].dims == ("y", "x")
    assert str(state.time.values)[:16] == "2000-01-01T02:00"


def test_the_view_follows_the_model():
    sim = small()
    temperature = sim.state["temperature"]
    before = temperature.values
    sim.advance(2)
    assert not np.array_equal(before, temperature.values, equal_nan=True)
    np.testing.assert_array_equal(temperature.values, sim.state["temperature"].values)


def test_all_ways_of_setting():
    sim, wet = small(), None
    state = sim.state
    wet = np.isfinite(state["temperature"].values)
    state["temperature"] = 4.0
    assert (sim.gather("temperature")[wet] == 4).all()
    state["temperature"] += 1.5
    assert (sim.gather("temperature")[wet] == 5.5).all()
    state["temperature"][0] = 7.0
    state["temperature"][{"depth": 1}] = 6.0
    state["temperature"].loc[{"depth": slice(500, None), "y": slice(0, 4e5)}] = 1.0
    found = sim.gather("temperature")
    assert (found[0][wet[0]] == 7).all() and (found[1][wet[1]] == 6).all()
    assert (found[3, :4][wet[3, :4]] == 1).all() and (found[3, 6:][wet[3, 6:]] == 5.5).all()
    state["salinity"] = (state["temperature"].transpose("x", "depth", "y") * 0 + 33).drop_attrs()
    assert (sim.gather("salinity")[wet] == 33).all()
    state["sea_surface_height"] = xr.zeros_like(state["sea_surface_height"])
    assert (found[~wet] == 0).all()
    sim.advance(2)
    assert np.isfinite(state["temperature"].values[wet]).all()


def test_setting_what_is_there_changes_no_bit():
    one, other = small(), small()
    one.advance(3), other.advance(3)
    state = other.state
    for name in other.model.prognostic:
        state[name] = state[name]
        state[name] += 0.0
    one.advance(3), other.advance(3)
    assert one.checksum() == other.checksum()


def test_mistakes():
    sim = small()
    state = sim.state
    with pytest.raises(ValueError, match="did you mean 'temperature'"):
        state["temprature"] = 3.0
    with pytest.raises(ValueError, match=r"'salinity' is \(4, 12, 20\); given is \(3, 12, 20\)"):
        state["salinity"] = np.ones((3, 12, 20))
    with pytest.raises(ValueError, match="'salinity' is set to nan at"):
        state["salinity"] = np.nan
    with pytest.raises(ValueError, match="read-only"):
        state["salinity"].values[0] = 3
    own = state.copy(deep=True)
    own["speed"] = np.hypot(own["velocity_x"], own["velocity_y"])
    own["salinity"] *= 0
    assert "speed" not in state and float(state["salinity"].max()) == 35
    with pytest.raises(fm.Error, match="keep it in a variable"):
        small().state["salinity"].values


@pytest.mark.parametrize("scheme", ["semi-lagrangian", "eulerian"])
def test_a_warmer_atmosphere(scheme):
    """What follows from the temperature – its gradients, its coefficients – follows at once."""
    sim = atmosphere(scheme)
    sim.advance(2)
    for name in ("air_temperature", "air_temperature_before"):
        if name in sim.state:
            sim.state[name] += 3.0
    gone = sim.state["air_temperature"].mean().item()
    sim.advance(1)
    now = sim.state["air_temperature"].mean().item()
    assert now == pytest.approx(gone, abs=0.02)


def main():
    sim = small(parallel={"blocks": (5, 6)})
    sim.advance(2)
    state = sim.state
    state["temperature"] += 0.5
    state["salinity"].loc[{"depth": slice(0, 300)}] = 34.0
    sim.advance(3)
    mean = state["temperature"].mean().item()
    if sim.is_root:
        print(json.dumps({"sum": sim.checksum(), "mean": mean}))
    else:
        sim.checksum()


@pytest.mark.parametrize("ranks", [3, *(pytest.param(n, marks=pytest.mark.long) for n in (2, 4))])
def test_any_ranks(on_ranks, ranks):
    assert on_ranks(ranks, __file__) == on_ranks(1, __file__)


if __name__ == "__main__":
    sys.exit(main())


def square():
    """A sea of as many rows as columns, so that no shape tells which is which."""
    grid = fm.CartesianGrid(nx=6, ny=6, extent=(6e5, 6e5), levels=fm.ZLevels(nz=3, depth=300))
    ocean = fm.Ocean(grid, coriolis=(1e-4, 0.0))
    return fm.Simulation(ocean, time_step="30min")


@pytest.mark.parametrize(
    "seen",
    [
        lambda t: t.isel(y=slice(None, None, -1)),
        lambda t: t.isel(depth=[2, 0, 1], x=slice(None, None, -1)),
        lambda t: t.transpose("x", "y", "depth"),
        lambda t: t.drop_vars(["x", "y", "depth"]).transpose("y", "depth", "x"),
        lambda t: t.drop_vars(["x", "y", "depth"]).rename(x="lon", y="lat", depth="lev"),
        lambda t: (t + 273.15).assign_attrs(units="K"),
        lambda t: t.variable,
    ],
)
def test_what_an_array_says_of_itself_counts(seen):
    """The same field, said in other ways: the numbers are those of plain NumPy."""
    given = 10 + np.random.default_rng(1).random((3, 6, 6))
    state = square().state
    array = state["temperature"].copy(deep=True, data=given)
    array.attrs = {}
    said = seen(array)
    for put in (
        lambda s: s.__setitem__("temperature", said),
        lambda s: s.update({"temperature": said}),
        lambda s: s.__setitem__(["temperature"], {"temperature": said}),
        lambda s: setattr(s, "temperature", said),
    ):
        sim = square()
        put(sim.state)
        np.testing.assert_allclose(sim.gather("temperature"), given, rtol=0, atol=1e-12)
    if hasattr(said, "coords"):
        sim = square()
        sim.model.set(temperature=said)
        np.testing.assert_allclose(sim.state["temperature"], given, rtol=0, atol=1e-12)


def test_numbers_put_in_place_of_a_variables_are_the_models():
    sim = square()
    sim.state["temperature"].values = np.full((3, 6, 6), 5.0)
    assert sim.gather("temperature").mean() == 5
    row = sim.state["temperature"][0].copy(deep=True) * 0 + 280.15
    sim.state["temperature"][0] = row.assign_attrs(units="K")
    np.testing.assert_allclose(sim.gather("temperature")[0], 7.0)
    other = sim.state.assign(temperature=3.0)
    assert float(other["temperature"]) == 3 and sim.gather("temperature")[1].mean() == 5


@pytest.mark.parametrize(
    "given, said",
    [
        (lambda t: t.assign_coords(y=t.y + 3e4), "y of what is given, .* is not the model's"),
        (lambda t: t.isel(y=slice(0, 3)), "y of what is given, .* is not the model's"),
        (lambda t: t.drop_vars("x").rename(x="ensemble"), "dimension 'ensemble' of what is given"),
        (lambda t: t.assign_attrs(units="m s-1"), "temperature in 'degC'"),
        (lambda t: t.assign_attrs(standard_name="sea_water_salinity"), "is sea_water_salinity"),
        (lambda t: t.to_dataset(name="temperature"), "a Dataset; give one of its arrays"),
        (lambda t: np.ma.masked_greater(t.values, 0), "is set to nan"),
        (lambda t: t > 0, "neither a number"),
        (lambda t: True, "neither a number"),
        (lambda t: ("y", "x"), "give an array"),
    ],
)
def test_what_does_not_fit_is_refused(given, said):
    sim = square()
    with pytest.raises(fm.InputError, match=said):
        sim.state["temperature"] = given(sim.state["temperature"].copy(deep=True))
