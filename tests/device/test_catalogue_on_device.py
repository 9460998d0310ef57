"""Every scheme has the same bits on a device: on a GPU where there is one, else on the processor in
the part of a device.
"""

import numpy as np
import pytest

from any_columns import inputs, levels, names, on_columns
from computers import computer
from fathom.base.mpi import core


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("name", names)
def test_same_bits_on_a_device(name, dtype):
    entry = on_columns(name)
    given = inputs(entry, dtype)
    process = core.process(name, {}, np.dtype(dtype).itemsize)
    here = core.run_column(process, given, levels)
    there = core.run_column(process, given, levels, computer())
    assert here and here.keys() == there.keys()
    for field in here:
        np.testing.assert_array_equal(here[field], there[field], err_msg=field)
