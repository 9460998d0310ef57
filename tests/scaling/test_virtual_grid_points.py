"""fathom scale of the grid-point atmosphere: points, modes and messages of virtual ranks."""

from dataclasses import replace

import numpy as np
import pytest

import small_spheres
from fathom.base.mpi import core
from fathom.performance.scaling import grid_points, load
from fathom.performance.scaling.conditions import Conditions
from fathom.performance.scaling.cost import Measured

here = load("cray-ex").but({"node.cores": 2, "noise.frequency": 0.0})


def test_all_that_there_is_is_dealt_out():
    import fathom as fm

    grid = fm.LatitudeLongitudeGrid(48, 36, levels=fm.HeightLevels(nz=12))
    for ranks in (2, 5, 24):
        place = grid_points.layout(grid, ranks, 2)
        assert place.points.sum() == 48 * 36 and place.modes.sum() == 12
        assert np.count_nonzero(place.modes) == min(ranks, 12)  # others have no plane
        for_others = place.transposition[:, 2].sum()
        own = (place.points * place.modes).sum()
        assert for_others + own == 48 * 36 * 12
        assert set(place.halo[:, 1]) == set(range(ranks)) == set(place.messages[:, 1])
    with pytest.raises(ValueError, match="smallest possible"):
        grid_points.layout(grid, 1000)


def test_one_rank_takes_what_was_measured(tmp_path):
    sim = small_spheres.turning()
    cost = grid_points.measure(sim, steps=3)
    cost.write(tmp_path / "cost.json")
    read = Measured.read(tmp_path / "cost.json")
    assert replace(read, exchanges=cost.exchanges) == cost
    assert 0.5 * cost.seconds < cost.computing <= 1.05 * cost.seconds
    assert min(cost.columns, cost.two, cost.fourier, cost.packing) > 0
    solve = sim.find(core.HelmholtzSolve)
    assert cost.products == pytest.approx(solve.iterations / sim.count, rel=0.3)
    assert cost.transpositions == pytest.approx(2 * cost.products, rel=0.3)
    grid = sim.model.grid
    alone = grid_points.step(cost, grid_points.layout(grid, 1), Conditions(here, here))
    assert alone.elapsed == pytest.approx(cost.computing, rel=1e-9)
    cost = replace(cost, halos=4.0, sums=10.0, solver_sums=2 * cost.products)  # as on two ranks
    few, many = (
        grid_points.step(
            cost, grid_points.layout(grid, ranks, 2), Conditions(load("cray-ex"), here)
        )
        for ranks in (2, 16)
    )
    assert many.mean("columns") < few.mean("columns") / 4
    assert min(many.mean(r, "moving") for r in ("transposition", "solver sum", "sums")) > 0
