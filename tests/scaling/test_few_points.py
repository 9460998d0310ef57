"""Few points and few data of a processor: against loops counted strip by strip."""

import pytest

from fathom.performance.bench.vector_length import VectorMachine
from fathom.performance.scaling.studies.few_points import Minimisation, curve, points_of

machine = VectorMachine(register=256, start=20.0)


def cycles(columns, block=2046, register=256, start=20):
    """Of a loop, strip by strip."""
    total = 0
    while columns > 0:
        for_block = min(columns, block)
        columns -= for_block
        while for_block > 0:
            total += start + min(for_block, register)
            for_block -= register
    return total


@pytest.mark.parametrize("processors", [1, 3, 16, 200])
def test_work_is_that_of_strips(processors):
    of = Minimisation(7000, data=3000, datum=0.25)
    n, m = 7000 // processors, 3000 // processors
    by_hand = 7000 * cycles(n) / n + 0.25 * 3000 * cycles(m) / m
    assert of.work(machine, processors) == pytest.approx(by_hand)


def test_curve_and_crossing_with_and_without_data():
    """Loops over data, fewer than points, become short before those over points; the coarse grid
    crosses first; what data take of the work is five times as much to a point there."""
    for_t48, for_t107 = (Minimisation(points_of(t)) for t in (48, 107))
    assert for_t48.crossing(machine) < for_t107.crossing(machine)
    few = Minimisation(points_of(48), data=1000, datum=2.0)
    assert few.crossing(machine) < for_t48.crossing(machine)
    share = [Minimisation(points_of(t), 50000, 0.01).share_of_data for t in (48, 107)]
    assert share[0] / (1 - share[0]) == pytest.approx(
        share[1] / (1 - share[1]) * points_of(107) / points_of(48)
    )
    rows = curve(few, (1, 8, 64))
    assert rows[0]["excess"] == 0 < rows[1]["excess"] < rows[2]["excess"]
    assert rows[2]["data"] == 1000 / 64 and rows[2]["points"] == points_of(48) / 64
