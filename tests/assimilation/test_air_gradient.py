"""The gradient of a number of the air: against differences of whole runs, with any number of stored
states, on any ranks, about full physics, and by `fathom sensitivity`.
"""

from pathlib import Path

import numpy as np
import pytest

import air_gradients
import fathom as fm
from air_gradients import box, gradient, simulation
from verb import fathom


@pytest.mark.parametrize("field", ["surface_air_pressure", "air_temperature"])
def test_gradient_is_that_of_differences(field):
    """Of the point of each field in which a change of the start counts most. A change at one point
    has waves that the grid cannot hold; what is left of it is what both have.
    """
    found, cost = gradient(field), fm.Average(field, **box)

    def after(name=None, at=None, change=0.0):
        sim = simulation().prepare()
        if name:
            whole = sim.gather(name)
            whole[at] += change
            sim.scatter(name, whole)
        sim.advance(12)
        ratio = sim.gather("log_pressure_ratio")
        values = 1e5 * np.exp(ratio) if field == "surface_air_pressure" else sim.gather(field)
        return (cost.weights(sim.model.grid)[field] * values).sum()

    assert found.value == pytest.approx(after(), rel=1e-13)
    for name, size, within in (
        ("air_temperature", 1e-2, 1e-6),
        ("eastward_wind", 1e-3, 1e-4),
        ("northward_wind", 1e-3, 1e-4),
        ("log_pressure_ratio", 1e-5, 1e-6),
    ):
        values = found.dataset[name].values
        values = values if values.ndim == 3 else values[None]
        at = np.unravel_index(np.abs(values).argmax(), values.shape)
        slope = (after(name, at, size) - after(name, at, -size)) / (2 * size)
        assert values[at] == pytest.approx(slope, rel=within), name


def test_more_air_everywhere_is_more_pressure():
    """All air heavier by a share is p_s heavier by it, up to what pressure does to the flow."""
    found = gradient()
    assert found.units == "Pa" and found.dataset.log_pressure_ratio.attrs["units"] == "Pa / 1"
    assert found.dataset.log_pressure_ratio.sum() == pytest.approx(found.value, rel=2e-3)


def test_bits_with_any_number_of_stored_states_and_ranks(on_ranks):
    alone = air_gradients.bits_of_gradient()
    assert air_gradients.bits_of_gradient(1) == alone == air_gradients.bits_of_gradient(12)
    assert on_ranks(3, air_gradients, "bits_of_gradient") == alone


def test_a_mean_over_the_last_steps():
    """Is the mean of the gradients of runs that end with each of them."""
    mean = gradient(mean="1h", run="2h")
    each = [gradient(run=run) for run in ("90min", "2h")]
    assert mean.value == pytest.approx(np.mean([one.value for one in each]), rel=1e-14)
    both = sum(one.dataset.air_temperature for one in each) / 2
    np.testing.assert_allclose(mean.dataset.air_temperature, both, atol=1e-13 * abs(both).max())


def test_full_physics_is_frozen():
    """The forecast goes on with its physics; the adjoint is that of the dynamics about it."""
    sim = fm.Simulation(
        fm.SpectralAtmosphere(
            fm.GaussianGrid(15, levels=fm.HybridLevels(8)),
            physics="BasicPhysics",
        ).set(
            air_temperature=lambda x, y, p: 280 - 40 * np.sin(np.deg2rad(y)) ** 2 + 0 * p,
            specific_humidity=0.003,
        ),
        "30min",
        start="2000-03-21",
        directory="moist",
        overwrite=True,
    )
    found = fm.adjoint(sim, fm.Average("virtual_temperature", **box, pressure=(7e4, 1e5)), "2h")
    assert {"Radiation", "BettsMiller"} < set(found.frozen)
    assert "SemiLagrangianTransport" not in found.frozen
    warmed = found.dataset.virtual_temperature
    assert warmed.sum() == pytest.approx(1, rel=0.05)  # a degree more everywhere stays a degree
    other = fm.Simulation(sim.model, "30min", start="2000-03-21", directory="m", overwrite=True)
    other.advance(4)
    weights = fm.Average("virtual_temperature", **box, pressure=(7e4, 1e5)).weights(sim.model.grid)
    now = other.gather("virtual_temperature")
    value = (now * weights["virtual_temperature"]).sum()
    assert found.value == pytest.approx(value, rel=1e-5)  # without the fixers of mass and energy


def test_the_command_writes_maps_and_a_table(tmp_path):
    small = ["grid.truncation=15", "grid.levels.nz=6", "simulation.time_step=30min"]
    settings = [f"--set={one}" for one in [*small, "model.scheme=semi-lagrangian"]]
    file = Path(__file__).parents[2] / "experiments" / "held-suarez-t42.toml"
    out = ["--cost", "pressure", "--run", "2h", "--out", str(tmp_path / "s")]
    status, said, errors = fathom("sensitivity", file, *settings, *out, folder=tmp_path)
    assert status == 0, errors
    assert "Average('surface_air_pressure'" in said
    names = {path.name for path in (tmp_path / "s").iterdir()}
    assert {"sensitivity.nc", "air_temperature.png", "log_pressure_ratio.png"} <= names


@pytest.mark.parametrize(
    "cost, says",
    [
        ("heat", "no average of field 'temperature'"),
        (fm.Average("virtual_temperature"), "no field 'virtual_temperature'; did you mean"),
        (fm.Average("air_temperature", pressure=(1.05e5, 1.1e5)), "no air is there"),
    ],
)
def test_numbers_of_something_else_are_refused(cost, says):
    with pytest.raises(fm.InputError, match=says):
        fm.adjoint(simulation(), cost, "1h")


def test_a_model_without_adjoint_is_refused():
    eulerian = fm.SpectralAtmosphere(fm.GaussianGrid(15, levels=fm.HybridLevels(6)))
    if eulerian.scheme != "eulerian":
        eulerian = fm.SpectralAtmosphere(
            fm.GaussianGrid(15, levels=fm.HybridLevels(6)), scheme="eulerian"
        )
    sim = fm.Simulation(eulerian.set(air_temperature=280.0), "10min", directory="e", overwrite=True)
    with pytest.raises(fm.InputError, match="has no adjoint; allowed are an Ocean"):
        fm.adjoint(sim, "pressure", "1h")
