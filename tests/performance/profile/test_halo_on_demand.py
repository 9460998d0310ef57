"""The points of a halo on demand, beside those of a halo that is as wide everywhere."""

from types import SimpleNamespace

import numpy as np

from fathom.performance.profile import run


def test_points_against_a_halo_everywhere():
    """Two bands of four rows of 16 points: two rows everywhere are 32 points for each rank; a rank
    that asked for 24 and one that asked for none save 62 %. One rank has no halo.
    """
    dynamics = SimpleNamespace(halo=(24,), rows_away=2)
    blocks = np.array([[0, 0, 0, 16, 4, 0], [1, 0, 4, 16, 4, 1]])
    simulation = SimpleNamespace(
        find=lambda process: dynamics,
        model=SimpleNamespace(grid=SimpleNamespace(sphere="round", points=[16] * 8)),
        comm=SimpleNamespace(size=2, allreduce=lambda value, op=None: value),
        domain=SimpleNamespace(decomposition=SimpleNamespace(blocks=blocks)),
    )
    found = run.halo_on_demand(simulation)
    assert found == {"points": 24.0, "everywhere": 64.0, "rows": 2.0}
    ((name, text),) = run._of_halo(found)
    assert name == "halo on demand"
    assert text == "24 points of all ranks, 38 % of a halo of 2 rows everywhere"
    simulation.comm.size = 1
    assert run.halo_on_demand(simulation) == {} and run._of_halo({}) == []
