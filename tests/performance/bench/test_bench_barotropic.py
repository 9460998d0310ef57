"""The benchmark of the barotropic solver on a small grid: its figures, its matrix of variants, and
the matrix that SciPy is given.
"""

import json

import numpy as np
import pytest

import box


def test_threads_against_one():
    """Pairs of the same solver, with two threads and with one; the bits are the same."""
    from fathom.base import mpi
    from fathom.performance.bench import solver_threads
    from fathom.performance.bench.barotropic import Case, Problem

    problem, case = Problem("48x32", mpi.world), Case(grid="48x32", threads=2, tolerance=1e-8)
    found = solver_threads.against_one(problem, case, 0.05)
    assert found["threads"] == 2 and found["solves"] >= 4 and found["seconds"] > 0
    assert 0 < found["processor"] < 4 and "2 threads against one" in solver_threads.text(found)
    assert solver_threads.against_one(problem, Case(), 0.05) == {}


@pytest.mark.parametrize("ranks", [1, pytest.param(2, marks=pytest.mark.long)])
def test_bench_barotropic(tmp_path, ranks):
    file = tmp_path / "b.json"
    options = (
        "--grid",
        "48x32",
        "--ranks",
        ranks,
        "--tolerance",
        "1e-8",
        "--repetitions",
        1,
        "--json",
        file,
    )
    status, out, err = box.fathom(
        "bench", "barotropic", *options, *(["--all"] if ranks == 1 else []), folder=tmp_path
    )
    assert (status, err) == (0, "") and "ns a wet point" in out
    figures = json.loads(file.read_text())
    assert {
        "ns_per_wet_point_per_iteration",
        "microseconds_per_iteration",
        "iterations",
        "wet_points",
        "solve_seconds",
        "reductions_per_iteration",
        "triad_bytes_per_second",
    } <= set(figures)
    assert set(figures["seconds_of_an_iteration"]) == {
        "operator",
        "preconditioner",
        "halo",
        "sum",
        "waiting",
        "other",
    }
    assert 1e6 * sum(figures["seconds_of_an_iteration"].values()) == pytest.approx(
        figures["microseconds_per_iteration"]
    )
    assert figures["ns_per_wet_point_per_iteration"] * figures["wet_points"] == pytest.approx(
        1e3 * figures["microseconds_per_iteration"]
    )
    assert (
        figures["residual"] <= 1e-8
        and 0.5 <= figures["reductions_per_iteration"] < 0.75
        and figures["peers"]["scipy"]["iterations"] > 0
    )
    assert bool(figures["product"]) == (ranks == 1)
    if ranks == 1:
        moved = figures["product"]["bytes_per_wet_point"]
        assert min(figures["product"]["ns_per_wet_point"].values()) > 0
        assert moved["compressed"] > 1.5 * moved["blocks"] > 0
        assert len(figures["variants"]) == 25
        for v in figures["variants"]:
            assert v["solution"] == pytest.approx(figures["solution"], rel=1e-6), (
                v["solver"],
                v["preconditioner"],
            )
        fewest = {
            v["solver"]: v["reductions_per_iteration"]
            for v in figures["variants"]
            if v["preconditioner"] == "diagonal"
        }
        assert fewest["pcsi"] < 0.25 < fewest["s-step"] < 0.5 < fewest["chrongear"] < fewest["pcg"]


def test_the_matrix_of_scipy_is_the_solvers():
    from fathom.base.mpi import MPI
    from fathom.performance.bench.barotropic import Case, Problem

    problem = Problem("40x26", MPI.COMM_SELF)
    x = np.random.default_rng(1).normal(size=problem.wet.shape) * problem.wet
    y = problem.scatter(x)
    problem.solver(Case(grid="40x26")).apply(problem.scatter(x), y)
    theirs = problem.matrix() @ x[problem.wet]
    ours = np.zeros_like(x)
    for (_, i0, j0, nx, ny, _), part in zip(problem.blocks, y):
        ours[j0 : j0 + ny, i0 : i0 + nx] = part[2:-2, 2:-2]
    assert np.abs(ours[problem.wet] - theirs).max() <= 1e-12 * np.abs(theirs).max()


def test_names(tmp_path):
    status, _, err = box.fathom(
        "bench",
        "barotropic",
        "--grid",
        "48x32",
        "--solver",
        "chrongaer",
        "--no-peers",
        folder=tmp_path,
    )
    assert status == 2 and "did you mean 'chrongear'" in err
    status, _, err = box.fathom("bench", "barotropic", "--grid", "4x32", folder=tmp_path)
    assert status == 2 and "at least 8x8 points" in err
