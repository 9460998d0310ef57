"""Layouts of the operator of the free surface: the same bits as whole-array arithmetic, and what
each moves.
"""

import numpy as np
import pytest

from fathom.base import mpi
from fathom.performance.bench import layouts


@pytest.mark.parametrize(
    "shape, part", [((17, 23), 0.5), ((40, 61), 0.8), ((6, 9), 1.0), ((30, 31), 0.2)]
)
def test_all_layouts_have_the_same_bits(shape, part):
    wet = (np.random.default_rng(3).random(shape) < part).astype(np.uint8)
    found = layouts.of_mask(wet, 2)
    assert found["same_bits"] and found["wet"] == wet.sum()
    assert found["chosen"] in layouts.layouts


def test_against_whole_arrays():
    """Of one wet row between land: the sum over its pairs, written out."""
    wet = np.zeros((3, 12), np.uint8)
    wet[1, [2, 3, 4, 7]] = 1  # a gap of two, which is stored
    one = mpi.core.MeasuredLayouts(wet)
    one.product("water")
    width = (12 + 16 + 7) // 8 * 8
    n = 2 * width + np.array([2, 3, 4, 7]) + 8

    def number(k):
        return 0.5 + (n + k) * 2654435761 % 1024 / 1024

    x, east = number(0), number(2) * [1, 1, 0, 0]
    expected = -8 * number(1) * x + east * [*x[1:], 0] + [0, *(east * x)[:2] * 0, 0]
    expected[1:] += east[:-1] * x[:-1]
    np.testing.assert_allclose(one.result("water"), expected, rtol=1e-15)


def test_water_alone_moves_as_much_less_as_there_is_land():
    """Two continents over half of the rows: no pads to speak of."""
    wet = np.ones((64, 256), np.uint8)
    wet[:, 32:96] = wet[:, 160:224] = 0
    found = layouts.of_mask(wet, 2)
    assert found["less_moved_than_rectangle"]["water"] == pytest.approx(0.5, abs=0.03)
    with pytest.raises(ValueError, match="no layout 'sea'; there are rectangle, cells, water"):
        mpi.core.MeasuredLayouts(wet).product("sea")
