"""The benchmark of the atmosphere at its smallest: all figures, phases that add up, errors."""

import json

import pytest

import box


def test_bench_atmosphere(tmp_path):
    file = tmp_path / "b.json"
    status, out, err = box.fathom(
        "bench",
        "atmosphere",
        "--case",
        "physics-t31l8",
        "--steps",
        6,
        "--spin-up",
        2,
        "--json",
        file,
        folder=tmp_path,
    )
    assert (status, err) == (0, "") and "simulated days a day" in out
    figures = json.loads(file.read_text())
    assert {"transforms", "transpositions", "semi-Lagrangian", "physics", "semi-implicit"} <= set(
        figures["phases"]
    )
    assert (
        sum(figures["phases"].values()) == pytest.approx(figures["seconds_per_step"])
        and min(figures["phases"].values()) > -0.2 * figures["seconds_per_step"]
    )
    assert figures["simulated_days_per_day"] == pytest.approx(
        figures["step"] / figures["seconds_per_step"]
    )
    assert figures["interpolation"]["ratio"] == pytest.approx(
        figures["interpolation"]["single"] / figures["interpolation"]["interleaved"]
    )


def test_an_unknown_case_is_an_error(tmp_path):
    status, _, err = box.fathom("bench", "atmosphere", "--case", "held-suarez-t42", folder=tmp_path)
    assert status != 0 and "did you mean 'held-suarez-t42l24'" in err


@pytest.mark.long
def test_bench_limited_area(tmp_path):
    file = tmp_path / "b.json"
    options = ("--steps", 2, "--spin-up", 1, "--step", "1h", "--json", file)
    status, out, err = box.fathom("bench", "limited-area", *options, folder=tmp_path)
    assert (status, err) == (0, "") and "simulated days a day" in out
    figures = json.loads(file.read_text())
    assert figures["cells"] == 7680 * 31 and not figures["interpolation"]
    rates = {r["name"]: r for r in figures["rates"]}
    assert all(rates[n]["gflops"] > 0 for n in ("transforms", "semi-Lagrangian", "physics"))
