"""Readers: every data file is opened by them alone, the bits are the same with any readers, a read
error is the same on all ranks.
"""

from pathlib import Path

import numpy as np
import pytest

import box
from fathom.base import mpi, reading
from fathom.grids import LatitudeLongitudeGrid
from fathom.run import parallel

here = Path(__file__).parent
megabyte = 1 << 20


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("reading")
    LatitudeLongitudeGrid(nx=24, ny=16, latitude=[-70, 60]).to_netcdf(folder / "grid.nc")
    np.savetxt(folder / "levels.txt", [100, 400, 1000, 2000])
    return folder


@pytest.fixture(scope="module")
def alone(folder, on_ranks):
    return on_ranks(1, here / "reading_on_ranks.py", folder)


all_files = {
    "sills.toml",
    "restart.fathom",
    "grid.nc",
    "levels.txt",
    "levitus.nc",
    "topography.nc",
    "surface-climatology.nc",
    "surface-fluxes.nc",
    "gfs-2011-10-11.nc",
    "land.nc",
}


@pytest.mark.skipif(not Path("/proc/thread-self/io").exists(), reason="Linux counts")
def test_bytes_are_counted_by_file(tmp_path, monkeypatch):
    """By a function of a file, and by the thread of a list; modules imported meanwhile are none."""
    data, module = tmp_path / "data.bin", tmp_path / "large_module.py"
    data.write_bytes(bytes(megabyte))
    module.write_text("x = 1\n" + "# no data\n" * 10000, encoding="utf-8")
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setattr(reading, "files", {})

    @reading.once
    def load(path):
        import large_module

        return path.read_bytes()[large_module.x :]

    readers = reading.Readers(mpi.world)
    with readers:
        load(data), load(data)
    list(readers.each([1, 2, 3], lambda n: data.read_bytes()[:n], "three"))
    (one, by_function), (other, of_list) = reading.files.items()
    assert one.startswith(str(data)) and one.endswith("load)") and other == "three"
    assert (by_function["reads"], by_function["bytes"]) == (2, 2 * megabyte)
    assert (of_list["reads"], of_list["bytes"]) == (3, 3 * megabyte)
    assert by_function["seconds"] > 0 and of_list["seconds"] > 0


def test_one_reads_for_all(folder, alone, on_ranks):
    """Two that compute, of which one reads, and an I/O server, which reads nothing."""
    assert set(alone["files"]) == all_files
    found = on_ranks(
        3, here / "reading_on_ranks.py", folder, "parallel.readers=1", "parallel.io_servers=1"
    )
    assert found["files"] == {name: [0] for name in all_files}
    computing, last, serving = found["bits"].pop(
        "failure"
    )  # a record that cannot be read ends the run where it is needed
    assert (
        computing == last
        and computing[0] == 2
        and "the forcing of 02-01 00:00 cannot be read" in computing[1]
        and "february.nc" in computing[1]
    )
    assert serving == [0, "the computing ranks ended with an error"]
    for name, told in found["bits"].items():
        assert told["checksum"] == alone["bits"][name]["checksum"] and told["input"]["readers"] == [
            0
        ]
    assert (
        found["bits"]["ocean"]["input"]["seconds"]["reading ahead"] > 0
        and "waiting for records" in found["bits"]["ocean"]["regions"]
    )


def damaged(folder):
    content = (folder / "grid.nc").read_bytes()
    (folder / "truncated.nc").write_bytes(content[: len(content) // 2])
    (folder / "depth.txt").write_text("1 2\n3 x\n")


@pytest.mark.parametrize(
    "setting, message",
    [
        pytest.param(
            'grid={type="CurvilinearGrid",file="truncated.nc"}',
            "is not a readable NetCDF-4 file",
            marks=pytest.mark.long,
        ),
        ('grid.bathymetry="depth.txt"', "depth.txt, line 2: 'x' is not a number"),
    ],
)
def test_errors_are_said_once(folder, setting, message):
    box.write(folder)
    damaged(folder)
    status, out, err = box.fathom("run", "box.toml", "--ranks", 3, "--set", setting, folder=folder)
    assert status in (1, 2) and not out and err.count("\n") == 1 and message in err, err


@pytest.mark.parametrize("given", ["al", -1, 1.5, True])
def test_a_number_of_readers(given):
    assert (
        parallel.checked({"readers": "all"})["readers"] == "all"
        and parallel.checked({"readers": 3})["readers"] == 3
    )
    with pytest.raises(ValueError, match="readers = "):
        parallel.checked({"readers": given})


def test_every_node_has_one_before_any_has_two():
    places = [(0, 0), (1, 0), (0, 2), (1, 2), (2, 2), (0, 5)]  # nodes of ranks 0-1, 2-4, 5
    assert reading.in_turn(places) == [0, 2, 5]
    assert reading.in_turn(places, 4) == [0, 2, 5, 1] and reading.in_turn(places, 99) == [
        0,
        2,
        5,
        1,
        3,
        4,
    ]


def test_primitives_on_ranks(on_ranks, tmp_path):
    """Lists in order with any readers; errors of any kind on all; ranks that do not read the same
    notice.
    """
    script = tmp_path / "primitives.py"
    script.write_text("""
import json, threading
import numpy as np
from fathom.base import mpi, reading
comm, told = mpi.world, {}
readers = reading.Readers(comm, 2)
calls = []

@reading.once
def one(n):
    calls.append(n)
    return {
        "big": np.arange(n, dtype=float).reshape(-1, 2).T,
        "small": [np.float32(0.1)],
        "none": np.empty((0, 3)),
    }

@reading.once
def outer(n):
    return one(n)

class Odd(ValueError):
    def __init__(self, a, b):
        super().__init__(f"odd {a} {b}")

@reading.once
def bad():
    raise Odd(1, 2)

with readers:
    a, b = one(200000), outer(4)
told["same"] = (
    comm.allreduce(a["big"].sum()) == comm.size * a["big"].sum()
    and a["big"].shape == (2, 100000)
    and b["none"].shape == (0, 3)
    and a["big"].flags.f_contiguous
)
told["alone"] = one(2)["big"].tolist()
told["calls"] = comm.gather(calls)
with readers:
    try:
        bad()
    except ValueError as error:
        told["errors"] = comm.gather(str(error))

def load(name):
    if name == 7:
        raise OSError("seven")
    return np.full(50000, name), threading.current_thread() is threading.main_thread()

told["list"] = [
    (name, int(values[0]), main) for name, (values, main) in readers.each(list(range(5)), load)
]
try:
    list(readers.each([5, 6, 7, 8], load))
except OSError as error:
    told["seven"] = comm.gather(str(error))
ahead = reading.Ahead(
    readers, lambda month: {"a": np.full(3, month), "b": np.full((1 << 26) // 8, month)}
)
told["months"] = [[(name, float(v[0])) for name, v in ahead.items(m, [m + 1])] for m in range(3)]
told["held"] = comm.gather(sorted(ahead.held))
told["owners"] = comm.allgather(ahead.owners == {3: readers.owner(3)})
with readers:
    try:
        (one if comm.rank else outer)(2)
        mismatch = ""
    except RuntimeError as error:
        mismatch = str(error)
told["mismatch"] = comm.gather("do not read the same" in mismatch)
before = reading.seconds["reading"]
with reading.Readers(comm, "all"):
    one(2)
told["counted"] = comm.gather(reading.seconds["reading"] > before)
if mpi.is_root:
    print(json.dumps(told))
""")
    told = on_ranks(3, script)
    assert (
        told["same"]
        and told["alone"] == [[0.0], [1.0]]
        and told["calls"] == [[200000, 4, 2], [2], [2]]
    )
    assert told["errors"] == ["odd 1 2"] * 3 and told["seven"] == ["seven"] * 3
    assert told["list"] == [[n, n, False] for n in range(5)]
    assert (
        told["months"] == [[["a", m], ["b", m]] for m in range(3)]
        and told["held"] == [[], [3], []]
        and all(told["owners"])
    )
    assert told["mismatch"] == [False, True, True] and told["counted"] == [True] * 3
