"""The tangent of the steps of an ocean."""

from itertools import pairwise

import numpy as np
import pytest

import fathom as fm
import small_seas
from fathom.assimilation.ocean_tangent import OceanTangent


def remainder(tangent, steps, size):
    """Of a change of that size: of each field, by the size of its tangent."""
    d, x = small_seas.change(tangent), tangent.vector(tangent.first)
    ahead = tangent.propagation(steps).apply(d)
    change = (tangent.run(x + size * d, steps) - tangent.run(x, steps)) / size - ahead
    parts, of = tangent.split(change), tangent.split(ahead)
    return max(np.linalg.norm(parts[n]) / np.linalg.norm(of[n]) for n in tangent.names)


@pytest.mark.parametrize("options", [{}, {"eddies": fm.GentMcWilliams(diffusivity=800)}])
def test_tangent_is_the_derivative(options):
    """Taylor's remainder falls tenfold with a tenth of the change."""
    tangent = small_seas.sea(**options)
    found = [remainder(tangent, 3, size) for size in (1e-3, 1e-4, 1e-5)]
    for larger, smaller in pairwise(found):
        assert 8 < larger / smaller < 12, found
    assert found[-1] < 2e-6, found


def test_upwind_away_from_turning_flow():
    """The tangent of |u| is that of the side where u is: changes that turn no flow around."""
    tangent = small_seas.sea(tracer_advection=fm.UpwindAdvection(), vertical_mixing=fm.KPP())
    assert remainder(tangent, 1, 1e-6) < 1e-6


def test_it_is_linear():
    tangent = small_seas.sea()
    M, a, b = tangent.propagation(2), *(small_seas.change(tangent, n) for n in (1, 2))
    both = M.apply(a - 3 * b)
    assert np.linalg.norm(both - (M.apply(a) - 3 * M.apply(b))) < 1e-9 * np.linalg.norm(both)


def test_same_bits_on_ranks_and_threads(on_ranks):
    alone = on_ranks(1, small_seas, "bits")
    for ranks, threads in ((2, 2), (4, 1)):
        assert on_ranks(ranks, small_seas, "bits", threads=threads) == alone


def test_what_has_no_tangent_says_so():
    grid = fm.LatitudeLongitudeGrid(nx=8, ny=8, levels=fm.ZLevels(number=2, depth=100))
    icy = fm.Simulation(fm.Ocean(grid, sea_ice=fm.SeaIce()), "1h", surface=fm.BulkForcing("coads"))
    with pytest.raises(fm.InputError, match="sea_ice = .* has no tangent"):
        OceanTangent(icy)
    tangent = OceanTangent(fm.Simulation(fm.Ocean(grid), "1h"))
    with pytest.raises(fm.InputError, match="no adjoint yet"):
        tangent.propagation(1).adjoint(np.zeros(tangent.size))
