"""The tangent of the steps of an ocean."""

from itertools import pairwise

import numpy as np
import pytest

import fathom as fm
import small_seas
from fathom.assimilation.ocean_tangent import OceanTangent
from fathom.assimilation.ocean_trajectory import OceanForecasts
from fathom.base.mpi import core


@pytest.mark.parametrize("freshwater", ["salt", "volume"])
def test_a_forecast_depends_on_its_state_alone(freshwater):
    """Not on where the model was before: halos are those of the state that it is given."""
    surface = fm.FreeSurface(freshwater=freshwater)
    model = OceanForecasts(small_seas.simulation(fm.BulkForcing("coads"), free_surface=surface))
    state = model.vector()
    first = model.run(state, 3)
    assert np.abs(first - state).max() > 1e-3
    np.testing.assert_array_equal(model.run(state, 3), first)


def remainder(tangent, steps, size):
    """Of a change of that size: of each field, by the size of its tangent."""
    d, x = small_seas.change(tangent), tangent.vector(tangent.first)
    ahead = tangent.propagation(steps).apply(d)
    change = (tangent.run(x + size * d, steps) - tangent.run(x, steps)) / size - ahead
    parts, of = tangent.split(change), tangent.split(ahead)
    return max(np.linalg.norm(parts[n]) / np.linalg.norm(of[n]) for n in tangent.names)


@pytest.mark.parametrize("options", [{}, {"eddies": fm.GentMcWilliams(diffusivity=800)}])
def test_tangent_is_the_derivative(options):
    """Taylor's remainder falls tenfold with a tenth of the change, where that is too small to
    switch convection on or off.
    """
    tangent = small_seas.sea(**options)
    found = [remainder(tangent, 3, size) for size in (2e-4, 2e-5)]
    for larger, smaller in pairwise(found):
        assert 8 < larger / smaller < 12, found
    assert found[-1] < 3e-6, found


def test_upwind_away_from_turning_flow():
    """The tangent of |u| is that of the side where u is: changes that turn no flow around."""
    tangent = small_seas.sea(tracer_advection=fm.UpwindAdvection(), vertical_mixing=fm.KPP())
    assert remainder(tangent, 1, 1e-6) < 1e-6


steady = {
    "unforced": {},
    "forced": {"stress_eastward": lambda x, y: -0.1 * np.cos(np.deg2rad(3 * y)), "heat_flux": 20.0},
}


@pytest.mark.parametrize("forcing", steady)
def test_state_under_the_tangent_is_that_of_the_model(forcing):
    """Over 120 steps, bit for bit: alone, and together with a change; where the forcing does not
    change in time.
    """
    surface = fm.SurfaceForcing(**steady[forcing])
    model, start = (small_seas.simulation(surface=surface).prepare() for _ in range(2))
    model.advance(120)
    tangent = OceanTangent(start)
    expected = tangent.vector(model.fields)
    np.testing.assert_array_equal(tangent.run(tangent.vector(tangent.first), 120), expected)
    state, change = core.FieldSet(tangent.first), core.FieldSet(tangent.sequence)
    tangent.put(small_seas.change(tangent), change)
    for _ in range(120):
        tangent._weigh(state)
        tangent.sequence.advance_with(state, change)
    np.testing.assert_array_equal(tangent.vector(state), expected)
    assert abs(expected - tangent.vector(tangent.first)).max() > 0.1


def test_it_is_linear():
    tangent = small_seas.sea()
    M, a, b = tangent.propagation(2), *(small_seas.change(tangent, n) for n in (1, 2))
    both = M.apply(a - 3 * b)
    assert np.linalg.norm(both - (M.apply(a) - 3 * M.apply(b))) < 1e-9 * np.linalg.norm(both)


@pytest.mark.parametrize(
    "ranks, threads",
    [(2, 2), *(pytest.param(*n, marks=pytest.mark.long) for n in ((3, 2), (4, 1)))],
)
def test_same_bits_on_ranks_and_threads(on_ranks, ranks, threads):
    alone = on_ranks(1, small_seas, "bits")
    assert on_ranks(ranks, small_seas, "bits", threads=threads) == alone


def test_what_has_no_tangent_says_so():
    grid = fm.LatitudeLongitudeGrid(nx=8, ny=8, levels=fm.ZLevels(nz=2, depth=100))
    icy = fm.Simulation(
        fm.Ocean(grid, physics="simple", sea_ice=fm.SeaIce()), "1h", surface=fm.BulkForcing("coads")
    )
    with pytest.raises(fm.InputError, match="sea_ice = .* has no tangent"):
        OceanTangent(icy)
    tangent = OceanTangent(fm.Simulation(fm.Ocean(grid, physics="simple"), "1h"))
    with pytest.raises(fm.InputError, match="no adjoint yet"):
        tangent.propagation(1).adjoint(np.zeros(tangent.size))
