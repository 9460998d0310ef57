"""fathom scale of spectral models: rows, waves and transpositions of virtual ranks, a small
atmosphere measured and distributed to simulated ranks.
"""

from dataclasses import replace

import numpy as np
import pytest

from fathom.performance.scaling import helpers, load, spectral
from fathom.performance.scaling.conditions import Conditions
from fathom.performance.scaling.cost import Measured
from machines import here


@pytest.fixture(scope="module")
def atmosphere():
    import fathom as fm

    model = fm.SpectralAtmosphere(fm.GaussianGrid(21, levels=fm.HybridLevels("L8")))
    model.set(air_temperature=280.0)
    return fm.Simulation(model, time_step="20min", overwrite=True)


@pytest.mark.parametrize("reduced", [False, "classical"])
def test_all_that_there_is_is_dealt_out(reduced):
    import fathom as fm

    grid = fm.GaussianGrid(42, reduced=reduced)
    whole = spectral.layout(grid, 1)
    for ranks in (2, 5, 16) if reduced else (2, 5, 16, 64):
        place = spectral.layout(grid, ranks, 2)
        for name in ("points", "row_points", "sums_of_waves", "coefficients"):
            assert getattr(place, name).sum() == getattr(whole, name).sum(), name
        assert whole.points.sum() == sum(grid.points) and whole.coefficients.sum() == 43 * 44 / 2
        assert (
            place.entries.sum()
            == whole.entries.sum()
            > 2 * place.transposition[:, 2].sum()
            > 0.8 * (1 - 1 / min(ranks, 22)) * whole.entries.sum()
        )
        assert len(np.unique(place.transposition[:, 0])) == min(ranks, 22)  # pairs of waves
        assert (len(place.gathering) > 0) == (grid.distribution(ranks) == "square")
        assert (
            len(place.halo)
            and (place.halo[:, 0] != place.halo[:, 1]).all()
            and set(place.halo[:, 1]) == set(range(ranks))
        )


def test_regions_of_equal_area_are_priced():
    import fathom as fm

    grid = fm.GaussianGrid(42, reduced="classical")
    whole, place = spectral.layout(grid, 1), spectral.layout(grid, 16, 2, None, "equal-area")
    assert place.points.sum() == whole.points.sum() and place.points.min() > 0
    assert place.points.max() < 1.5 * place.points.mean() and len(place.gathering)


def test_halos_reach_as_far_as_trajectories():
    import fathom as fm

    grid = fm.GaussianGrid(42)  # 64 rows of 128 points
    near, far = (spectral.layout(grid, 4, reach).halo for reach in (1, 3))
    assert near[:, 2].tolist() == [128] * 6 and far[:, 2].tolist() == [3 * 128] * 6
    square = spectral.layout(grid, 64, 1).halo
    assert np.bincount(square[:, 1]).min() >= 3 and 4 * 128 < square[:, 2].sum() / 64 * 8


def test_one_rank_takes_what_was_measured(atmosphere, tmp_path):
    cost = spectral.measure(atmosphere, steps=6)
    cost.write(tmp_path / "cost.json")
    assert Measured.read(tmp_path / "cost.json") == cost
    assert (
        cost.seconds / 3 < cost.computing < 3 * cost.seconds  # each has a clock of its own
        and cost.sums >= 2
        and min(cost.legendre, cost.fourier, cost.waves) > 0
    )
    grid = atmosphere.model.grid
    assert spectral.step(
        cost, spectral.layout(grid, 1), Conditions(here, here)
    ).elapsed == pytest.approx(cost.computing, rel=1e-9)
    cost.entry, cost.halos = 5000.0, 2.0  # as of several ranks
    few, many = (
        spectral.step(cost, spectral.layout(grid, ranks, 3), Conditions(load("cray-ex"), here))
        for ranks in (2, 16)
    )
    assert (
        many.mean("columns") < few.mean("columns") / 4
        and many.mean("transposition", "moving") > 0
        and many.mean("sums") > 0
    )
    with pytest.raises(ValueError, match="whole rows or squares"):
        spectral.layout(grid, 4, 0, (8, 8))


def test_radiation_on_ranks_of_its_own():
    """Helpers that are quick enough take radiation out of the step; one that is not is waited for,
    as long as it takes."""
    import fathom as fm

    physics = fm.BasicPhysics(radiation_every="1h", drag=None)
    grid = fm.GaussianGrid(21, levels=fm.HybridLevels("L8"))
    model = fm.SpectralAtmosphere(grid, physics=physics)
    model.set(air_temperature=280.0)
    cost = spectral.measure(fm.Simulation(model, time_step="20min"), steps=6)
    assert 0 < cost.radiation < cost.columns and cost.period == 3
    assert cost.stepping().computing == pytest.approx(cost.computing - cost.radiation)
    assert cost.column > 8 * 8 * 8  # at least eight profiles
    dear = replace(cost, radiation=cost.radiation + 1.0, columns=cost.columns + 1.0)
    step = spectral.step(dear.stepping(), spectral.layout(grid, 2), Conditions(here, here)).elapsed
    one, two = (helpers.waits(dear, grid, h, here, here, step) for h in (1, 2))
    assert one == pytest.approx(dear.radiation - step, rel=0.01)
    assert dear.radiation / 2 - step < two < 0.65 * one  # two share a memory
    assert helpers.waits(replace(cost, radiation=1e-9), grid, 1, here, here, step) == 0


def test_rows_of_a_limited_area():
    """C + I + E of 40 x 36 points: waves as the model keeps them, half a column for a point of E;
    what was measured is predicted.
    """
    import fathom as fm

    area = fm.LimitedAreaGrid(
        points=(30, 27), extension=(10, 9), centre=(8, 50), resolution=20e3, coupling=4,
        levels=fm.HybridLevels("L8"),
    )  # fmt: skip
    model = fm.LimitedAreaAtmosphere(area)
    model.set(air_temperature=280.0)
    cost = spectral.measure(fm.Simulation(model, time_step="2min", overwrite=True), steps=4)
    rows = spectral.rows_of(model)
    whole = spectral.layout(rows, 1)
    assert min(cost.legendre, cost.fourier, cost.waves) > 0
    assert spectral.step(cost, whole, Conditions(here, here)).elapsed == pytest.approx(
        cost.computing, rel=1e-9
    )
    waves = len(model.grid.area.bi_fourier(truncation=model.truncation).m)
    assert whole.coefficients.sum() == waves + model.truncation[1]  # of m = 0 one half is kept
    of_extension = -rows.work[-1, -1] / 8
    assert whole.points.sum() == pytest.approx(30 * 27 + of_extension * (40 * 36 - 30 * 27))
    for ranks in (2, 5):
        place = spectral.layout(rows, ranks, 2)
        assert place.points.sum() == pytest.approx(whole.points.sum())
        assert place.coefficients.sum() == whole.coefficients.sum()
        assert place.entries.sum() == whole.entries.sum()
        neighbours = np.sort(place.halo[:, 0])  # the area does not go round
        assert len(place.halo) == 2 * (ranks - 1) and neighbours[0] == 0
    assert "LimitedAreaGrid" in repr(rows)


def test_what_has_no_transform_is_refused():
    import fathom as fm

    with pytest.raises(ValueError, match="supported are"):
        spectral.measure(
            fm.Simulation(
                fm.Ocean(
                    fm.CartesianGrid(
                        nx=8, ny=8, extent=(1e5, 1e5), levels=fm.ZLevels(nz=2, depth=100)
                    )
                ),
                time_step="1min",
            )
        )
