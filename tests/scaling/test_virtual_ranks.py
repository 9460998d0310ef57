"""fathom scale: plans of virtual ranks against those of a run, a small ocean measured and
distributed to simulated ranks, mistakes.
"""

import json
import re
from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest

from fathom.performance.scaling import load, report, starting, threads, virtual
from fathom.performance.scaling.conditions import Conditions
from fathom.performance.scaling.cost import Cost
from fathom.performance.scaling.request import Request, noises, suppositions
from fathom.performance.scaling.run import run
from fathom.performance.scaling.writing import Writing, priced
from fathom.run import launch
from machines import here


@pytest.fixture(scope="module")
def ocean():
    from fathom.run.experiment.experiment import Experiment
    from fathom.run.experiment.toml import Document

    text = """
[grid]
type = "CartesianGrid"
nx = 48
ny = 32
extent = [1e6, 1e6]
levels = { type = "ZLevels", nz = 4, depth = 1000 }
[model]
type = "Ocean"
coriolis = [1e-4, 2e-11]
[state]
temperature = 10
salinity = 35
[simulation]
time_step = "10min"
surface = { type = "SurfaceForcing", stress_x = "0.1 * cos(2 * pi * y / 1e6)" }
"""
    return Experiment(Document(text))


@pytest.fixture(scope="module")
def cost(ocean, tmp_path_factory):
    from fathom.base.mpi import core
    from fathom.performance.scaling.cost import measure

    folder = tmp_path_factory.mktemp("scale")
    simulation = ocean.simulation(folder, True)
    found = measure(simulation, steps=6)
    solver = simulation.find(core.BarotropicSolve)
    assert found.halos == pytest.approx(solver.halos / solver.solves, rel=0.3)
    found.write(folder / "cost.json")
    again = Cost.read(folder / "cost.json")
    assert again.three == found.three and again.solver == found.solver
    return again


def test_layout_is_that_of_a_run(ocean):
    from fathom.base.mpi import core

    grid = ocean.grid
    place = virtual.layout(grid, 4, 2)
    d = core.decompose(
        core.Topology(48, 32, False, False),
        np.asarray(grid.wet_levels, np.int32).ravel().tolist(),
        4,
        halo=2,
    )
    assert place.text.startswith(d.describe()) and place.columns.sum() == np.count_nonzero(
        grid.wet_levels
    )
    messages = core.halo_plan(d, "center", 2, 1).messages
    assert (place.messages == messages[messages[:, 0] != messages[:, 1]]).all()
    with_neighbours = place.work + core.work_of_message * np.bincount(
        place.messages[:, 1], minlength=4
    )
    assert with_neighbours == pytest.approx(np.asarray(d.load), rel=1e-6)
    blocks = virtual.layout(grid, 24, 2, (8, 8))
    assert blocks.used == 24 and blocks.columns.tolist() == [64] * 24
    with pytest.raises(ValueError, match="30 ranks are more .* 24 of 8 x 8 points"):
        virtual.layout(grid, 30, 2, (8, 8))
    with pytest.raises(ValueError, match="1000 ranks are more than there are blocks"):
        virtual.layout(grid, 1000, 2)


def test_one_rank_takes_what_was_measured(cost, ocean):
    assert (
        0.5 * cost.seconds < cost.three + cost.two + cost.packing <= 1.02 * cost.seconds
        and cost.iterations >= 1
        and cost.sums >= 1
    )
    one = virtual.step(cost, virtual.layout(ocean.grid, 1, 2), Conditions(here, here))
    assert one.elapsed == pytest.approx(cost.three + cost.two + cost.packing, rel=1e-9)
    many = virtual.step(
        cost, virtual.layout(ocean.grid, 24, 2, (8, 8)), Conditions(load("cray-ex"), here)
    )
    assert (
        many.mean("baroclinic") < cost.three / 4
        and many.mean("solver sum") > 0
        and many.mean("solver halo", "moving") > 0
    )
    cheap = virtual.step(
        cost,
        virtual.layout(ocean.grid, 24, 2, (8, 8)),
        Conditions(load("cray-ex").but({"sum.hardware": 1e-6}), here, total="hardware"),
    )
    assert cheap.mean("solver sum", "moving") < many.mean("solver sum", "moving")


def test_a_device_is_as_long_at_work_on_few_columns_as_on_many(cost, ocean):
    cost = replace(cost, preconditioner="diagonal")
    place = virtual.layout(ocean.grid, 1, 2)
    own, here = float(place.columns[0]), load("cray-ex").but(noises["none"])

    def step(columns, launch, cache=1e9):
        values = {"device.columns": columns, "device.launch": launch, "node.cache": cache}
        clocks = virtual.step(cost, place, Conditions(here.but(values), here))
        return clocks.mean("baroclinic"), clocks.mean("solver")

    processes, solver = step(own, 0.0)
    assert processes == pytest.approx(cost.traffic / here["node.triad_of_core"])
    assert step(2 * own, 0.0) == pytest.approx((2 * processes, 2 * solver))
    launched = solver + 1e-6 * cost.iterations / 4
    assert step(own, 1e-6) == pytest.approx((processes, launched))
    here = here.but({"node.triad_of_core": 1e6})
    moved = 8 * virtual.solver_streams * own
    assert step(own, 0.0, cache=1.0)[1] == pytest.approx(cost.iterations * moved / 1e6)


def test_an_ocean_has_the_solver_of_a_device(ocean, tmp_path):
    file = tmp_path / "case.toml"
    file.write_text(ocean.document.text)
    request = Request(file, machine="nvidia-h200")
    assert request.on_device().what_if == {"solver": "pcsi", "preconditioner": "diagonal"}
    named = replace(request, what_if={"solver": "chrongear"}).on_device()
    assert named.what_if == {"solver": "chrongear", "preconditioner": "diagonal"}
    with pytest.raises(ValueError, match="pcsi with factorisation would stay on their processors"):
        replace(request, what_if={"preconditioner": "factorisation"}).on_device()


def test_report(cost, ocean, monkeypatch, tmp_path, capsys):
    file = tmp_path / "case.toml"
    file.write_text(ocean.document.text)

    def start(ranks, threads, arguments, directory):
        from pathlib import Path

        from fathom.performance.scaling.machine import write

        probe = Path(arguments[arguments.index("--probe") + 1])
        assert arguments[0] == "scale" and "model.free_surface.solver=chrongear" in arguments
        if "io_servers=1" in arguments or "io_servers=0" in arguments:
            Writing(1, 1e-3, 0.1, 0.2, 1e6, {"s.zarr": (600.0, 1.0)}).write(probe)
            return 0
        Cost(**{**cost.__dict__, "ranks": ranks, "seconds": cost.seconds / ranks}).write(probe)
        write(here, probe.with_suffix(".toml"))
        return 0

    monkeypatch.setattr(launch, "start", start)
    monkeypatch.setattr(launch, "launched", lambda: None)
    what_if = suppositions(("solver=chrongear,sum=node-shared", "network.latency=2e-6,block=8x8"))
    file.write_text(
        ocean.document.text + '[output."s.zarr"]\nvariables = ["temperature"]\nevery = "10min"'
    )
    what_if |= {"io_servers": "3"}
    request = Request(
        file,
        (1, 2),
        (4, 12, 24),
        "cray-ex",
        what_if,
        json=tmp_path / "f.json",
        picture=tmp_path / "f.png",
    )
    assert run(request, None) == 0
    said, found = capsys.readouterr().out, json.loads((tmp_path / "f.json").read_text())
    assert "3 servers" in said and all(
        s["output"]["with_servers"]["seconds"] > s["seconds"] for s in found["simulated"]
    )
    assert (
        "predicted" in said
        and "HPE Cray EX" in said
        and (tmp_path / "f.png").stat().st_size > 10000
    )
    assert (
        [s["ranks"] for s in found["simulated"]] == [4, 12, 24]
        and found["what_if"]["block"] == "8x8"
        and [c["ranks"] for c in found["checked"]] == [1, 2]
    )


def test_output_is_a_queue_of_servers():
    w = Writing(
        2,
        copy=1e-3,
        service=0.2,
        synchronous=0.5,
        bytes=1e8,
        stores={"often.zarr": (3600.0, 0.5), "rarely.zarr": (7200.0, 2.0)},
    )
    points = np.full(4, 100.0)
    slow = priced(
        w, points, 600.0, 0.1, 1, here, 1.0
    )  # 7 steps an event of 0.3 s on average, 0.6 s between two
    fast = priced(w, points, 600.0, 0.005, 1, here, 1.0)
    many = priced(w, points, 600.0, 0.005, 40, here, 1.0)
    assert slow["stall"] == pytest.approx(0.5e-3, rel=0.1) and slow["synchronous"] == pytest.approx(
        0.25
    )
    assert slow["with_servers"]["fallback"] == 0 and slow["with_servers"][
        "seconds"
    ] == pytest.approx(0.1 + 2.5 * slow["stall"] / 12, rel=0.02)
    assert slow["without_servers"]["seconds"] == pytest.approx(
        0.1 + (2 * 0.5 + 2.0) * 0.25 / 12, rel=0.02
    )
    assert (
        fast["with_servers"]["fallback"] > 0.3
        and many["with_servers"]["fallback"] == 0
        and many["with_servers"]["seconds"]
        < fast["with_servers"]["seconds"]
        < fast["without_servers"]["seconds"]
    )
    disk = priced(w, points, 600.0, 0.1, 1, here.but({"files.write": 1e8}), 1.0)
    assert disk["synchronous"] == disk["service"] == 1.0
    pairs = priced(w, points, 600.0, 0.005, 40, here, 1.0, sets=20)  # two servers share an event
    assert (
        pairs["service"] == pytest.approx(0.1)
        and pairs["stall"] > many["stall"]
        and pairs["with_servers"]["busy"] == pytest.approx(many["with_servers"]["busy"], rel=0.2)
    )


def test_threads_follow_their_speed_up(cost, ocean):
    """Measured with two threads: the speed-up by two, by four, and ranks of a node."""
    many = replace(
        cost, threads=2, three=cost.three / 1.8, two=cost.two / 1.5, packing=cost.packing / 1.2
    )
    machine = here.but({"node.cores": 8, **threads.speedups(cost, many)})
    assert (
        threads.with_threads(cost, machine, 2).three == pytest.approx(many.three)
        and threads.with_threads(cost, machine, 1).two == cost.two
    )
    four = threads.with_threads(cost, machine, 4)
    serial = 2 / 1.8 - 1
    assert four.three == pytest.approx(
        cost.three * (serial + (1 - serial) / 4)
    ) and threads.with_threads(four, machine, 2).two == pytest.approx(many.two)
    seen = threads.for_ranks_of(machine, 4)
    assert seen["node.cores"] == 2 and seen["node.triad_of_core"] == machine["node.triad_of_core"]
    place = virtual.layout(ocean.grid, 4, 2)
    whole, halves = (
        virtual.step(cost, place, Conditions(machine, here)).elapsed,
        virtual.step(many, place, Conditions(threads.for_ranks_of(machine, 2), here)).elapsed,
    )
    assert halves < whole
    with pytest.raises(ValueError, match="threads=9: a node of .* has 8 cores"):
        threads.for_ranks_of(machine, 9)
    with pytest.raises(ValueError, match="does not say threads.number"):
        threads.with_threads(cost, here, 2)


def test_verdict_finds_crossing_and_end():
    made = [
        {
            "ranks": p,
            "years_a_day": y,
            "efficiency": e,
            "phases": {"baroclinic": 1.0, "barotropic": b},
            "corners": [
                {"seconds": 1 / y, "phases": {"baroclinic": 1.0, "barotropic": f * b}}
                for f in (1.0, 0.5, 2.0)
            ],
        }
        for p, y, e, b in ((10, 10, 1, 0.5), (100, 50, 0.5, 1.0), (1000, 40, 0.04, 2.0))
    ]
    lines = report.verdict({"simulated": made})
    assert any(
        "100 ranks on each works" in line or "fastest of these on 100" in line for line in lines
    ) and any(
        "barotropic: longer than baroclinic from some 100 (10 to 1000) ranks" in line
        for line in lines
    )


@pytest.mark.parametrize(
    "arguments, message",
    [
        (["--ranks", "1,x"], "must be numbers of ranks"),
        (["--simulate", "0"], "must be numbers of ranks"),
        (["--machine", "cray-xe7"], "no machine 'cray-xe7'; did you mean 'cray-xe6'"),
        (["--what-if", "solvr=pcsi"], "unknown 'solvr'; did you mean 'solver'"),
        (["--what-if", "solver"], "expected name=value"),
        (["--what-if", "sum=alreduce"], "did you mean 'allreduce'"),
        (["--what-if", "sum=hardware"], "has no sum.hardware; allowed: --machine blue-gene-l or"),
        (["--what-if", "exchange=put-flag"], "did you mean 'put-flags'"),
        (["--what-if", "block=8"], "is not WIDTHxHEIGHT"),
        (["--what-if", "threads=0"], "is not a number of threads"),
        (["--what-if", "io_servers=3,io_sets=2"], "3 servers cannot be dealt out evenly to 2 sets"),
        (["--what-if", "io_servers=two"], "is not a number of servers"),
        (["--what-if", "readers=two"], "readers=two: allowed: all, a number, or 0: one a node"),
        (["--what-if", "io_servers=2"], "has no [output] that servers could write"),
        (["--machine", "cray-ex", "--what-if", "network.latensy=1"], "did you mean 'latency'"),
        (["--machine", "cray-ex", "--what-if", "noise=loud"], "allowed: none, synchronised, loose"),
    ],
)
def test_mistakes_of_scale(arguments, message, capsys, tmp_path):
    from fathom.commands.main import main

    (tmp_path / "case.toml").write_text("")
    with pytest.raises(SystemExit) as done:
        main(["scale", str(tmp_path / "case.toml"), *arguments])
    said = capsys.readouterr().err
    assert done.value.code == 2 and message in said and "Traceback" not in said


def test_machine_command(capsys, tmp_path):
    from fathom.commands.main import main

    for arguments, text in (
        (["machine", "--list"], "k-computer"),
        (["machine", "cray-x1"], "four multi-streaming processors"),
    ):
        with pytest.raises(SystemExit) as done:
            main(arguments)
        assert done.value.code == 0 and text in capsys.readouterr().out
    from fathom.base import mpi
    from fathom.performance.scaling import here as measuring
    from fathom.performance.scaling import machine

    found = measuring.measure(mpi.world, 0.06)
    assert (
        found["node.triad_of_core"] > 1e8
        and found["node.multiply_add"] > 1e8
        and found["noise.frequency"] >= 0
    )
    machine.write(found, tmp_path / "here.toml")
    assert machine.load(tmp_path / "here.toml").values == found.values


def test_many_ranks_all_have_water():
    """Above 1024 ranks each has water, and the fullest little more than the mean."""
    y, x = np.mgrid[0:400, 0:600]
    land = ((x - 150) ** 2 + (y - 200) ** 2 < 70**2) | ((x - 420) ** 2 / 3 + (y - 120) ** 2 < 60**2)
    depth = (20 + 20 * np.sin(x / 40) * np.cos(y / 30)).astype(np.int32).clip(1)
    horizontal = SimpleNamespace(nx=600, ny=400, periodic=True, fold=False)
    grid = SimpleNamespace(horizontal=horizontal, wet_levels=np.where(land, 0, depth))
    place = virtual.layout(grid, 1500, 2)
    assert place.used == 1500 and place.columns.min() > 0
    assert place.columns.sum() == (~land).sum()
    assert place.work.max() < 1.15 * place.work.mean()
    assert re.search(r"imbalance 1\.\d+ with messages, 1\.[01]\d+ without$", place.text)


def test_readers_share_lists_and_the_disk():
    """A file of numbers that all need is read once; lists are shared; a slow disk decides."""
    machine = here.but({"node.cores": 8, "network.bandwidth": 1e9})
    read = starting.Reading(whole=1.0, lists=8.0, bytes=1e9)
    found = starting.priced(read, 4, 64, machine, 2.0)
    assert found == pytest.approx(
        {"one": 2 * 9 + 2, "one a node": 2 * 2 + 2, "all": 2 * 9, "4": 2 * 3 + 2}
    )
    slow = starting.priced(read, "all", 64, machine.but({"files.server": 1e9}), 2.0)
    assert slow["all"] == pytest.approx(64) and slow["one a node"] == found["one a node"]
    assert starting.priced(read, 0, 1, machine, 1.0)["one"] == 9


def test_writers_take_longer_where_they_are_few():
    """One a node writes as long as so many ranks need, and after all bytes have come to it."""
    machine = here.but({"node.cores": 8, "network.bandwidth": 1e9})
    w = Writing(2, copy=0.0, service=0.0, synchronous=1.0, bytes=1e9, stores={"a": (3600.0, 1.0)})

    def seconds(writers):
        found = priced(w, np.ones(64), 600.0, 0.1, 0, machine, 1.0, writers=writers)
        return found["synchronous"]

    assert seconds(None) == pytest.approx(2 / 64)
    assert seconds(8) == pytest.approx(2 / 8 + 1e9 / 8 / 1e9)


def test_table_of_output_says_who_writes():
    """Without servers there are no columns of servers."""
    output = {"step": 0.1, "stall": 1e-3, "service": 2.0, "without_servers": {"seconds": 0.2}}
    output["with_servers"] = {"seconds": 0.11, "fallback": 0.0, "busy": 0.5}
    found = {"simulated": [{"ranks": 64, "output": output}]}
    table = lambda **supposed: report._output(found | {"what_if": supposed})
    head, row, about = table(io_servers="0", writers="0")
    assert head.split() == ["ranks", "no", "output", "one", "a", "node", "writes"]
    assert row.split() == ["64", "100.000", "200.000"] and "server" not in about
    head, row, about = table(io_servers="2")
    assert "all ranks write" in head and "2 servers" in head and "110.000" in row.split()
    assert about.endswith("busy for 2 s")
