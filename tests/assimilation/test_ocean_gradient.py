"""The gradient of a number of the sea: against differences of whole runs, with any number of stored
states, on any ranks, and by `fathom sensitivity`.
"""

from math import comb

import numpy as np
import pytest

import sea_adjoints
import small_seas
from fathom.assimilation.checkpoints import forward_steps, reversal
from sea_adjoints import cost, smooth


@pytest.fixture(scope="module")
def found():
    return sea_adjoints.gradient()


@pytest.mark.parametrize(
    "name, size",
    [("temperature", 1e-2), ("salinity", 1e-3), ("velocity_x", 1e-3), ("sea_surface_height", 1e-2)],
)
def test_gradient_is_that_of_differences(found, name, size):
    """Of the cell in which a change of the start counts most, to 1e-4."""
    import fathom as fm

    values = np.nan_to_num(np.atleast_3d(found.dataset[name].values))
    if name == "sea_surface_height":
        values = np.nan_to_num(found.dataset[name].values)[None]
    at = np.unravel_index(np.abs(values).argmax(), values.shape)
    weights = None

    def after(change):
        nonlocal weights
        sim = smooth()
        weights = fm.Average("temperature", **cost).weights(sim.model.grid)["temperature"]
        for field in filter(sim.fields.has, (name, f"{name}_before")):
            whole = sim.gather(field)
            whole[at] += change
            sim.scatter(field, whole)
        sim.advance(6)
        return (sim.gather("temperature") * weights).sum()

    slope = (after(size) - after(-size)) / (2 * size)
    assert values[at] == pytest.approx(slope, rel=1e-4)


def test_bulk_fluxes_damp_what_the_surface_was():
    """Of the first layer under given air: the derivative of the fluxes is in the gradient, which is
    that of differences to 1e-3; without it a unit would last longer.
    """
    import fathom as fm

    top = fm.Average("temperature", longitude=200, latitude=5, depth=(0, 1))
    air = lambda: fm.BulkForcing("coads")
    found = fm.adjoint(smooth(air()), top, "12h", stored=4)
    weights = top.weights(small_seas.simulation(None).model.grid)["temperature"]
    at = np.unravel_index(weights.argmax(), weights.shape)

    def after(change):
        sim = smooth(air())
        for field in filter(sim.fields.has, ("temperature", "temperature_before")):
            whole = sim.gather(field)
            whole[at] += change
            sim.scatter(field, whole)
        sim.advance(12)
        return sim.gather("temperature")[at]

    slope = (after(0.05) - after(-0.05)) / 0.1
    frozen = fm.adjoint(smooth(air()), top, "12h", stored=4, freeze=["BulkForcing"])
    assert found.dataset.temperature.values[at] == pytest.approx(slope, rel=1e-3)
    assert frozen.dataset.temperature.values[at] > slope + 1e-3


def test_value_is_that_of_the_run(found):
    import fathom as fm

    sim = smooth()
    sim.advance(6)
    weights = fm.Average("temperature", **cost).weights(sim.model.grid)["temperature"]
    assert found.value == pytest.approx((sim.gather("temperature") * weights).sum(), rel=1e-12)
    assert found.units == "degC"
    assert found.dataset.temperature.attrs["units"] == "degC / degC"


def test_heat_that_is_given_warms_the_sea():
    """The mean temperature of the sea after six hours depends on the flux in each cell by what it
    brings, area x time / (rho c_p V), wherever it goes. What frozen processes write is there too.
    """
    import fathom as fm
    from fathom.base import earth

    follows = fm.FreeSurface(tolerance=1e-13, freshwater="volume")
    sim = small_seas.simulation(fm.SurfaceForcing(heat_flux=0.0), free_surface=follows).prepare()
    found = fm.adjoint(sim, fm.Average("temperature"), "6h")
    grid = sim.model.grid
    area = np.where(grid.wet_levels > 0, np.asarray(grid.horizontal.area_center), np.nan)
    volume = np.nansum(area * grid.depth())
    capacity = earth.SEA_WATER_DENSITY * earth.SEA_WATER_HEAT_CAPACITY
    ratio = found.dataset.surface_heat_flux.values / (area * 6 * 3600 / (capacity * volume))
    assert np.nanmax(np.abs(ratio - 1)) < 5e-3  # columns are some centimetres higher than at rest
    assert found.frozen == ["RichardsonMixing"]
    assert np.abs(found.dataset.vertical_diffusivity).max() > 0


def test_bits_with_any_number_of_stored_states(on_ranks):
    alone = sea_adjoints.bits_of_gradient()
    assert sea_adjoints.bits_of_gradient(1) == alone == sea_adjoints.bits_of_gradient(6)
    assert on_ranks(3, sea_adjoints, "bits_of_gradient") == alone


def test_the_simulation_goes_on_as_if_nothing_had_been_asked():
    import fathom as fm

    first, other = (smooth(fm.BulkForcing("coads")) for _ in range(2))
    fm.adjoint(first, fm.Average("temperature", **cost), "3h", stored=2)
    for sim in (first, other):
        sim.advance(2)
    assert first.count == other.count and first.checksum() == other.checksum()


def test_weights_of_your_own(found):
    """A DataArray, and a function of the state that returns one, are the average that they say."""
    import fathom as fm

    sim = smooth()
    average = fm.Average("temperature", **cost).weights(sim.model.grid)["temperature"]

    def weights(state):
        return (state.temperature * 0 + average).rename("temperature").assign_attrs(units="degC")

    one = fm.adjoint(sim, weights, "6h", stored=3)
    other = fm.adjoint(sim, weights(sim.state), "6h", stored=3)
    assert one.dataset.temperature.equals(other.dataset.temperature)
    np.testing.assert_array_equal(one.dataset.temperature, found.dataset.temperature)
    assert one.units == "degC" and one.value == found.value


def with_numbers(diffusivity=1e-4, viscosity=2e5):
    """A simulation at its start, with these numbers of its model."""
    import fathom as fm

    mixing = fm.ConstantMixing(
        viscosity=1e-3, diffusivity=diffusivity, convective_diffusivity=diffusivity
    )
    friction = fm.LaplacianFriction(viscosity=viscosity)
    return small_seas.simulation(None, vertical_mixing=mixing, friction=friction)


def test_derivative_by_a_number_of_the_model():
    """Is that of differences of whole runs, to 1e-4, also of a process that is frozen."""
    import fathom as fm
    from fathom.assimilation.sea_parameters import models_around

    numbers = {"diffusivity": 1e-4, "viscosity": 2e5}
    average = fm.Average("temperature", longitude=(150, 250), latitude=(-10, 20), depth=(0, 400))
    around = models_around(lambda given: with_numbers(**given), numbers)
    by = fm.adjoint(with_numbers(), average, "12h", parameters=around).parameters
    weights = average.weights(with_numbers().model.grid)["temperature"]

    def after(**changed):
        sim = with_numbers(**changed).prepare()
        sim.advance(12)
        return (sim.gather("temperature") * weights).sum()

    for name, value in numbers.items():
        more, less = (after(**{name: value * (1 + s)}) for s in (0.01, -0.01))
        assert by[name] == pytest.approx((more - less) / (0.02 * value), rel=1e-4), name


@pytest.mark.long
def test_numbers_are_found_from_a_state():
    """Diffusivity and viscosity of a twin, from its state after a day."""
    from fathom.assimilation.sea_parameters import estimate

    truth = with_numbers(2e-4, 1e5).prepare()
    truth.advance(24)
    state = truth.state[["temperature", "velocity_x"]].load()
    sizes = {"temperature": 1e-3, "velocity_x": 1e-4}
    weights = (state * 0 + 1).map(lambda values: values / sizes[values.name] ** 2)
    start = {"diffusivity": 1e-4, "viscosity": 2e5}
    found = estimate(lambda given: with_numbers(**given), start, state, weights, "1d")
    assert found.misfits[-1] < 1e-3 * found.misfits[0]
    assert found.numbers["diffusivity"] == pytest.approx(2e-4, rel=0.03)
    assert found.numbers["viscosity"] == pytest.approx(1e5, rel=0.03)


def test_what_grows_most_grows_so():
    """The first perturbation grows by its singular value in the tangent, more than others do."""
    from fathom.assimilation.sea_vectors import optimal

    sim = small_seas.simulation(None).prepare()
    found, made = optimal(sim, "6h", number=2)
    first = made.isel(vector=0)
    assert found.values[0] >= found.values[1] > 0
    volume = np.asarray(sim.model.grid.horizontal.area_center) * np.asarray(
        sim.model.grid.levels.weights
    ).reshape(-1, 1, 1)

    def energy(when):
        T, S, height = (
            first[f"{when}_{n}"].fillna(0.0).values
            for n in ("temperature", "salinity", "sea_surface_height")
        )
        wet = np.isfinite(first.initial_temperature.values)
        inside = np.where(wet, volume, 0.0)
        area = inside[0] / inside[0].sum()
        return (inside / inside.sum() * (T**2 + 16 * S**2)).sum() + (100 * area * height**2).sum()

    assert energy("initial") == pytest.approx(1.0, rel=0.05)  # areas are those of sea.distances
    assert energy("final") / energy("initial") == pytest.approx(found.values[0] ** 2, rel=0.05)


@pytest.mark.parametrize("steps, stored", [(1, 1), (10, 3), (100, 5), (292, 8)])
def test_reversal_takes_the_least_steps(steps, stored):
    """Griewank & Walther (2000): r L - C(s + r, r - 1) besides one with each adjoint; and each
    action has the state that it needs.
    """
    at, there, reversed_ = 0, set(), []
    for what, step in reversal(steps, stored):
        if what == "store":
            assert at == step
            there.add(step)
        elif what == "restore":
            assert step in there
            at = step
        elif what == "drop":
            there.remove(step)
        else:
            assert at == step
            at += 1
            if what == "reverse":
                reversed_.append(step)
        assert len(there) <= stored
    assert reversed_ == list(range(steps))[::-1]
    r = next(r for r in range(steps + 1) if comb(stored + r, stored) >= steps)
    least = r * steps - comb(stored + r, r - 1) if r else 0
    assert forward_steps(steps, stored) == steps + least


@pytest.mark.parametrize(
    "given, message",
    [
        ("overturn", "did you mean 'overturning'"),
        ("Average('temperatur')", "did you mean 'temperature'"),
        ("Average('temperature', depth=(9000, 9500))", "no sea is there"),
        ("Transport(26, -30)", "one of longitude and latitude is a number"),
        ("Average(", "cannot be read"),
    ],
)
def test_costs_that_are_none(given, message):
    import fathom as fm

    with pytest.raises(fm.InputError, match=message):
        fm.adjoint(small_seas.simulation(None), given, "2h")


def test_other_mistakes():
    import fathom as fm

    sim = small_seas.simulation(None)
    average = fm.Average("temperature")
    for arguments, message in (
        ((3.0, "2h"), "gives no number of the state"),
        ((average, "90min"), "no whole number of steps"),
        ((average, "2h", "3h"), "longer than run"),
        ((average, "2h", None, None, None, ["KPPP"]), "no process 'KPPP'"),
    ):
        with pytest.raises(fm.InputError, match=message):
            fm.adjoint(sim, *arguments)
