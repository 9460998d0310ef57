"""Output of a model on a device has the bits that it has without, and only what is asked for
travels: the first levels of fields, or the columns of moorings.
"""

import sys
from pathlib import Path

import numpy as np
import pytest

import cases
import computers
import fathom as fm
from computers import computer
from fathom import output

surface = ["sea_surface_temperature", "sea_surface_height"]


def sea(folder=".", device=None, servers=0):
    model = cases.stirred(cases.box(free_surface=computers.surface()))
    parallel = {"device": device, "io_servers": servers} if device else {"io_servers": servers}
    return fm.Simulation(model, "30min", directory=folder, parallel=parallel)


def written(folder, device=None, servers=0):
    """Two hours of a surface and of all levels."""
    s = sea(folder, device, servers)
    s.output("surface.zarr", surface, every="1h")
    s.output("all.zarr", ["temperature"], every="1h")
    s.run("2h", report=False)


def test_only_the_levels_asked_for_travel():
    plain, there = sea().prepare(), sea(device=computers.name).prepare()
    plain.advance(2), there.advance(2)
    whole = plain.fields.windows("temperature")[0]
    rows, points = np.array([3, 20, 5]), np.array([7, 30, 0])
    before = computer().travelled
    (first,) = there.fields.windows("temperature", 2)
    travelled = computer().travelled - before
    np.testing.assert_array_equal(first, whole[:2])
    there.fields.windows("salinity", 2)  # the list of points is there already
    assert computer().travelled - before - travelled == first.nbytes < travelled
    before = computer().travelled
    columns = there.fields.columns("temperature", rows, points, len(whole))
    assert computer().travelled - before == 2 * columns.nbytes  # addresses, numbers
    np.testing.assert_array_equal(columns, whole[:, rows, points])
    np.testing.assert_array_equal(
        columns, plain.fields.columns("temperature", rows, points, len(whole))
    )
    np.testing.assert_array_equal(there.fields.windows("temperature")[0], whole)
    with pytest.raises(ValueError, match="asked for 99"):
        there.fields.windows("temperature", 99)


def test_the_same_output(on_ranks, tmp_path):
    """By the rank itself, and by a server that gets what was packed on the device."""
    written(tmp_path / "plain")
    written(tmp_path / "alone", computers.name)
    on_ranks(2, __file__, tmp_path / "served", computers.name)
    for name in ("surface.zarr", "all.zarr"):
        plain, *others = (
            output.open(tmp_path / run / name).load() for run in ("plain", "alone", "served")
        )
        assert plain.time.size == 3 and all(other.equals(plain) for other in others)


if __name__ == "__main__":
    written(Path(sys.argv[1]), sys.argv[2], 1)
    print("null")
