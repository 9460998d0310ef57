"""The benchmark on the smallest global grid: all its figures, also without a peer."""

import json

import pytest

import box


@pytest.mark.parametrize("ranks", [1, pytest.param(2, marks=pytest.mark.long)])
def test_bench(tmp_path, ranks):
    file = tmp_path / "b.json"
    status, out, err = box.fathom(
        "bench",
        "ocean",
        "--grid",
        "3deg",
        "--ranks",
        ranks,
        "--steps",
        2,
        "--spin-up",
        2,
        "--no-peers",
        "--json",
        file,
        folder=tmp_path,
    )
    assert (status, err) == (0, "") and "per step per million wet cells" in out
    figures = json.loads(file.read_text())
    assert {
        "seconds_per_step",
        "seconds_per_step_per_million_wet_cells",
        "wet_cells",
        "resident_megabytes",
        "fraction_of_bandwidth",
        "phases",
        "solver_iterations",
    } <= set(figures)
    assert {"baroclinic", "barotropic", "tracer"} <= set(figures["phases"])
    assert figures["seconds_per_step"] == pytest.approx(
        figures["seconds_per_step_per_million_wet_cells"] * figures["wet_cells"] / 1e6
    )
    # a step consists of processes and exchanges: timers miss only waiting and the cost of
    # the clock
    assert (
        0.5 * figures["seconds_per_step"]
        < sum(figures["phases"].values())
        < 1.1 * figures["seconds_per_step"]
    )
    assert figures["bytes_per_step"] > 8 * 10 * figures["wet_cells"]
