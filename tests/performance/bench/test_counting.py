"""Kernels that count what they compute: the same bits, and numbers that can be checked by hand."""

import pytest

from fathom.base.mpi import core
from fathom.performance.bench.atmosphere import Case
from fathom.performance.work import declared_bytes


@pytest.mark.parametrize("precision", ["fp32", "fp64"])
def test_counting_changes_no_bit_and_counts_right(precision):
    runs = [Case("physics-t31l8", precision=precision).simulation().prepare() for _ in range(2)]
    runs[1].sequence.counting = True
    for run in runs:
        run.sequence.reset_timings()
        run.advance(1)
    assert runs[0].checksum() == runs[1].checksum()
    counted = {t["process"]: t["operations"] for t in runs[1].sequence.timings if "operations" in t}
    assert (
        not any("operations" in t for t in runs[0].sequence.timings)
        and "SpectralStep" not in counted
    )
    columns, cells = 64 * 32, 64 * 32 * 8
    assert counted["LogSurfacePressure"] == columns  # a sum
    assert counted["TemperatureOfMoistAir"] == 3 * cells  # a fused multiply-add, a division
    assert counted["Radiation"] > 1000 * columns
    size = 8 if precision == "fp64" else 4
    moved = declared_bytes(runs[0], runs[0].model.processes(runs[0].time_step, None), size)
    assert (
        moved["TemperatureOfMoistAir"] == 3 * cells * size
        and moved["LogSurfacePressure"] == 2 * columns * size
    )
    assert moved["TracerPhysics of specific_humidity"] == 3 * cells * size  # one is updated


def test_what_the_spectral_step_says_of_itself():
    run = Case("held-suarez-t42l24").simulation().prepare()
    run.advance(2)
    before = run.find(core.SpectralProcess).spent
    run.advance(2)
    spent = {
        name: tuple((b - a) / 2 for a, b in zip(before[name], after))
        for name, after in run.find(core.SpectralProcess).spent.items()
    }
    assert set(spent) == {
        "legendre",
        "fourier",
        "transpositions",
        "packing",
        "departure",
        "interpolation",
        "semi_implicit",
        "diffusion",
    }
    assert all(
        seconds > 0 and bytes_ > 0
        for name, (seconds, _, bytes_) in spent.items()
        if name != "transpositions"
    ) and spent["transpositions"] == (0, 0, 0)
    levels, rows, points, waves = 24, 64, 128, 43 * 44 // 2
    fields = (
        3 * levels + 1 + 5 * levels + 2
    )  # wind, T, pi there; wind, D, T, pi and the northward gradients of two back
    assert spent["legendre"][1] == pytest.approx(
        fields * 4 * waves * rows / 2, rel=0.25
    )  # by parity half of 2 numbers, multiply and add
    assert spent["fourier"][1] == pytest.approx(
        (3 * levels + 1 + 6 * levels + 3) * rows * 2.5 * points * 7
    )
    assert spent["semi_implicit"][1] == 2 * waves * (8 * levels**2 + 37 * levels + 4)
    assert spent["diffusion"][1] == 2 * waves * 6 * levels
    cells = levels * rows * points
    assert (
        spent["packing"][2] == cells * (7 + 8) * 4 and spent["interpolation"][2] == cells * 11 * 4
    )
