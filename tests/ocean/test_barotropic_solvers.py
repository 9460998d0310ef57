"""The ocean with other solvers of its free surface: the same sea to the tolerance, the choice in
the resolved file and in the restart.
"""

import numpy as np
import pytest

import cases


@pytest.fixture(scope="module")
def usual():
    return height()


def height(**options):
    import fathom as fm

    sim = cases.simulate(
        cases.stirred(cases.box(free_surface=fm.FreeSurface(tolerance=1e-12, **options))),
        surface=cases.wind(),
    )
    sim.advance(4)
    return sim, np.array(sim.gather("sea_surface_height"))


@pytest.mark.parametrize(
    "options",
    [
        {"solver": "pcsi", "preconditioner": "diagonal"},
        {"solver": "s-step", "preconditioner": "evp", "steps": 3},
        {"solver": "pipelined", "preconditioner": "polynomial"},
        {"solver": "chrongear", "precision": "fp64", "preconditioner": "diagonal"},
        {"reproducible": False},
    ],
)
def test_same_sea(usual, options):
    from fathom.base import mpi, regions

    regions.begin(mpi.world)
    sim, eta = height(**options)
    assert np.abs(eta - usual[1]).max() <= 1e-9 * np.abs(usual[1]).max()
    assert sum(region["seconds"] for region in regions.mine() if region["region"] == "operator") > 0
    for name, value in options.items():
        assert getattr(sim.model.free_surface, name) == value


def test_default(usual):
    surface = usual[0].model.free_surface
    assert (surface.solver, surface.preconditioner, surface.precision) == (
        "pcg",
        "factorisation",
        "mixed",
    )


def test_names():
    import fathom as fm

    with pytest.raises(ValueError, match="no solver 'pcsy'.*did you mean 'pcsi'"):
        fm.FreeSurface(solver="pcsy")
    for given, message in (
        ({"sum": "alreduce"}, "no sum 'alreduce'; did you mean 'allreduce'.* allowed: allreduce"),
        ({"exchange": "pigeon"}, "no exchange 'pigeon'; allowed: packed"),
    ):
        with pytest.raises(ValueError, match=message):
            fm.Simulation(cases.box(), time_step="1h", parallel=given)
    for given, message in (
        ({"steps": 5}, "steps = 5"),
        ({"reproducible": "no"}, "reproducible = 'no' must be true or false"),
        ({"maximum_iterations": 0}, "maximum_iterations = 0 must be at least 1"),
        ({"tolerance": "small"}, "tolerance = 'small' must be a number"),
    ):
        with pytest.raises(ValueError, match=message):
            fm.FreeSurface(**given)


def test_the_restart_knows_the_solver(tmp_path):
    import fathom as fm

    def sim(**options):
        model = cases.box(free_surface=fm.FreeSurface(**options))
        return lambda **more: fm.Simulation(
            model,
            time_step="1800s",
            surface=cases.wind(),
            start="2000-01-01",
            directory=tmp_path,
            overwrite=True,
            **more,
        )

    first = sim(solver="pcsi", preconditioner="diagonal")().prepare()
    first.advance(2)
    path = first.write_restart("restart.fathom")
    again = sim(preconditioner="diagonal")()
    again.restore(path)
    with pytest.warns(UserWarning, match="other numerics: solver = 'chrongear', then 'pcsi'"):
        again.prepare()
