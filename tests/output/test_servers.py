"""I/O servers: the same bytes in every store with any writers, nothing lost when all are busy,
silent, killed or out of room.
"""

import filecmp
import os
import signal
import subprocess
import threading
import time
from contextlib import suppress

import numpy as np
import pytest

import box
from fathom import output

streams = (
    "--set",
    'output."all.zarr"={every="4h",variables=["temperature","speed","eastward_velocity",'
    '"sea_surface_height"]}',
    "--set",
    'output."mean.zarr"={every="12h",statistic="mean",variables=["temperature",'
    '"sea_surface_temperature"]}',
    "--set",
    'simulation.checkpoint="1d"',
    "--set",
    'output."one.nc"={variables=["sea_surface_temperature","sea_surface_height"],every="6h"}',
)


words = ("run", "box.toml", "--no-report", "--out")


def run(folder, name, *arguments, ranks=2, status=0):
    found, out, err = box.fathom(
        *words, name, "--ranks", ranks, *streams, *arguments, folder=folder
    )
    assert found == status, err
    return out + err


def run_well(folder, name, *arguments, ranks=2, servers=0):
    return box.done(*words, name, *streams, *arguments, folder=folder, ranks=ranks, servers=servers)


def same_stores(one, other):
    """All files of all stores, byte for byte; of NetCDF the values."""
    for store in sorted(p.name for p in one.iterdir() if p.suffix in (".zarr", ".nc")):
        if store.endswith(".nc"):
            with output.open(one / store) as a, output.open(other / store) as b:
                assert a.identical(b), store
            continue
        compared = [filecmp.dircmp(one / store, other / store)]
        while compared:
            c = compared.pop()
            assert not (c.left_only or c.right_only), (c.left, c.left_only, c.right_only)
            assert all(
                filecmp.cmp(os.path.join(c.left, f), os.path.join(c.right, f), shallow=False)
                for f in c.common_files
            ), c.left
            compared += c.subdirs.values()


@pytest.fixture(scope="module")
def without(tmp_path_factory):
    folder = tmp_path_factory.mktemp("servers")
    box.write(folder)
    run_well(folder, "without", ranks=1)
    return folder


@pytest.mark.parametrize(
    "ranks, servers, settings",
    [
        pytest.param(1, 1, (), marks=pytest.mark.long),
        pytest.param(2, 1, (), marks=pytest.mark.long),
        pytest.param(3, 2, (), marks=pytest.mark.long),
        pytest.param(*(2, 2, ("parallel.io_sets=1", "parallel.threads=2")), marks=pytest.mark.long),
        (2, 1, ("parallel.io_slots=1", 'parallel.on_busy="wait"')),
        pytest.param(2, 3, ("parallel.io_slots=1",), marks=pytest.mark.long),
    ],
)
def test_same_bytes(without, ranks, servers, settings):
    name = f"{ranks}-{servers}-{len(settings)}"
    given = [part for s in settings for part in ("--set", s)]
    run_well(without, name, *given, ranks=ranks, servers=servers)
    same_stores(without / "without", without / name)
    dates = [p.name for p in (without / "without").glob("restart-*.fathom")]
    assert len(dates) == 2 and all(
        filecmp.cmp(without / "without" / date, without / name / date, shallow=False)
        for date in dates
    )
    told = box.summary(without / name)
    assert (
        told["checksum"] == box.summary(without / "without")["checksum"] and told["ranks"] == ranks
    )
    protocol, writes = told["output"]["servers"], told["output"]["writes"]
    assert all(
        calls * int(size) <= written < 2 * calls * int(size)
        for size, (calls, written) in writes.items()
    )
    assert sum(written for _, written in writes.values()) >= sum(
        f.stat().st_size for f in (without / name).rglob("*") if f.is_file() and ".zarr" in str(f)
    )
    stores, restarts = told["output"]["stores"], told["output"]["restarts"]["restart-{date}.fathom"]
    fields, rest = divmod(
        protocol["events"] + protocol["fallen_back"] - sum(s["times"] for s in stores.values()),
        restarts["times"],
    )
    assert rest == 0 and fields > 5  # of the state
    assert (
        sum(s["events"] for s in protocol["serving"])
        == protocol["events"] * (servers // protocol["sets"])
        and protocol["slots"] >= protocol["deepest"] >= 1
    )
    assert 'on_busy="wait"' not in "".join(settings) or protocol["fallen_back"] == 0


def test_a_run_goes_on_with_servers(without):
    run_well(without, "half", "--for", "30h", servers=1)
    more = ("--restart", "half/restart.fathom", "--for", "18h")
    run_well(without, "half", *more, ranks=1, servers=1)
    same_stores(without / "without", without / "half")


def test_show(without):
    status, out, err = box.fathom(
        "show", "box.toml", "--ranks", 2, "--io-servers", 1, folder=without
    )
    assert (status, err) == (0, "")
    told = (
        "1 for output (rank 2) in 1 set; 2 slots of at most 0.0 MB on each rank that computes;"
        " all in use: the computing ranks write"
    )
    assert told in " ".join(out.split())


@pytest.mark.parametrize(
    "arguments, message",
    [
        (
            ("--io-servers", "3", "--set", "parallel.io_sets=2"),
            "io_servers = 3 cannot be distributed evenly to io_sets = 2",
        ),
        (("--set", "parallel.io_server=1"), "did you mean 'io_servers'"),
        (("--set", "parallel.io_servers=-1"), "at least 0"),
        pytest.param(
            ("--io-servers", "1", "--set", "parallel.per_node=1"),
            "give one of them",
            marks=pytest.mark.long,
        ),
        pytest.param(
            ("--io-servers", "1", "--set", 'parallel.on_busy="sync"'),
            "allowed: synchronous, wait",
            marks=pytest.mark.long,
        ),
        pytest.param(
            ("--io-servers", "1", "--restart", "none.fathom"), "none.fathom", marks=pytest.mark.long
        ),
        (
            ("--io-servers", "1", "--set", 'output."x.zarr"={variables=["tmperature"],every="1d"}'),
            "did you mean 'temperature'",
        ),
    ],
)
def test_mistakes(without, arguments, message):
    said = run(without, "mistake", *arguments, ranks=1, status=2)
    assert said.count(message) == 1 and "Traceback" not in said
    *before, last = said.splitlines()  # memory is reported before a restart is read
    assert message in last and all(line.startswith("Ocean: ") for line in before)


def test_launcher_without_ranks_left(without):
    from fathom.run.launch import mpiexec

    done = subprocess.run(
        [mpiexec(), "-n", "2", *box.command("run", "box.toml", "--io-servers", 2, "--out", "none")],
        cwd=without,
        env=box.environment(),
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert (
        done.returncode == 2 and done.stderr.count("leave none to compute; allowed: at most 1") == 1
    )


@pytest.mark.long
def test_unstable_run_leaves_what_was_output(without):
    said = run(
        without,
        "unstable",
        "--io-servers",
        1,
        "--set",
        "simulation.time_step=1d",
        "--set",
        "simulation.beyond_stability=true",
        "--for",
        "60d",
        "--set",
        "model.friction.viscosity=1e6",
        "--set",
        'output."all.zarr".every="1d"',
        "--set",
        'output."mean.zarr".every="1d"',
        "--set",
        'output."one.nc".every="1d"',
        status=1,
    )
    assert said.count("try a step of") == 1 and "Traceback" not in said
    found = output.open(without / "unstable" / "all.zarr")
    assert found.time.size > 1 and np.isfinite(found.zos.values[:1]).any()


often = "12h"  # output of runs that end by a signal
begun = []


@pytest.fixture(autouse=True)
def nothing_is_left_running():
    """Also where a test fails half way."""
    yield
    while begun:
        process, ranks = begun.pop()
        for pid in (*ranks, process.pid) if process.poll() is None else ranks:
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)


def started(folder, name, *arguments, **environment):
    """A long run with servers that has begun; its process and the ranks, servers last."""
    command = box.command(
        "run",
        "box.toml",
        "--for",
        "2000y",
        "--no-report",
        "--out",
        name,
        "--ranks",
        2,
        "--set",
        f'output."surface.zarr".every="{often}"',
        *arguments,
    )
    process = subprocess.Popen(
        command,
        cwd=folder,
        env=box.environment() | environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    begun.append((process, []))
    await_times(process, folder / name, 4)
    begun[-1] = process, sorted(box.children(process.pid))
    return begun[-1]


def written(directory):
    return len(
        {file.name.split(".")[1] for file in (directory / "surface.zarr" / "tos").glob("c.*")}
    )


def await_times(process, directory, count):
    end = time.monotonic() + 60
    while process.poll() is None and time.monotonic() < end and written(directory) < count:
        time.sleep(0.05)
    if process.poll() is not None or written(directory) < count:
        begun.append((process, box.children(process.pid) if process.poll() is None else []))
        process.kill()
        pytest.fail(f"{written(directory)} of {count} times:\n{process.communicate()[0]}")


def said_until(process, text):
    """What the run says until a line with this text, or without a text until it ends; it is ended
    where that takes a minute.
    """
    late = threading.Timer(60, process.kill)
    late.start()
    said = []
    for line in process.stdout:
        said.append(line)
        if text and text in line:
            break
    late.cancel()
    return "".join(said)


def test_silent_server_is_named_and_the_run_goes_on(without):
    process, ranks = started(without, "silent", "--io-servers", 1, "--set", "parallel.io_silence=1")
    os.kill(ranks[-1], signal.SIGSTOP)
    out = said_until(process, "I/O servers of set 0 (rank 2) have been silent for 1 s")
    before = written(without / "silent")
    await_times(process, without / "silent", before + 4)  # more than memory holds
    process.send_signal(signal.SIGINT)
    out += said_until(process, None)
    assert (
        process.wait(60) == 3
        and "--continue resumes the run" in out
        and "I/O servers of set 0 (rank 2) have been silent for 1 s" in out
    ), out
    found = output.open(without / "silent" / "surface.zarr")
    assert (
        found.time.size > before and (np.diff(found.time.values) == np.timedelta64(12, "h")).all()
    )
    assert np.isfinite(found.tos.values).all()
    told = box.summary(without / "silent")["output"]["servers"]
    assert told["lost_sets"] == [0] and told["fallen_back"] > 0


@pytest.mark.long
def test_one_of_two_servers_falls_silent(without):
    process, ranks = started(
        without,
        "one-silent",
        "--io-servers",
        2,
        "--set",
        "parallel.io_silence=1",
        *(
            part
            for name in ("a.nc", "b.nc")
            for part in (
                "--set",
                f'output."{name}"={{variables=["sea_surface_temperature"],every="{often}"}}',
            )
        ),
    )
    os.kill(ranks[-1], signal.SIGSTOP)
    out = said_until(process, "have been silent for 1 s")
    before = written(without / "one-silent")
    await_times(process, without / "one-silent", before + 4)  # more than memory holds
    process.send_signal(signal.SIGINT)
    out += said_until(process, None)
    assert process.wait(60) == 3 and out.count("have been silent for 1 s") == 1, out
    for store in (
        "surface.zarr",
        "a.nc",
        "b.nc",
    ):  # each file belongs to one server, and one server stopped
        with output.open(without / "one-silent" / store) as found:
            assert (
                found.time.size > before
                and (np.diff(found.time.values) == np.timedelta64(12, "h")).all()
                and np.isfinite(found.tos.values).all()
            )


STUCK = """# files of a store that the third rank opens do not answer while there is "held"
import io, os, time
if os.environ.get("PMI_RANK") == "2":
    held = os.path.join(os.path.dirname(__file__), "held")
    def patient(opened):
        def opening(path, *arguments, **named):
            while "surface.zarr" in str(path) and os.path.exists(held):
                time.sleep(0.01)
            return opened(path, *arguments, **named)
        return opening
    os.open, io.open = patient(os.open), patient(io.open)
"""


@pytest.mark.long
def test_server_whose_file_does_not_open(without, tmp_path):
    """Before the first step: the run ends, with the rank, and does not wait for ever."""
    (tmp_path / "sitecustomize.py").write_text(STUCK)
    (tmp_path / "held").touch()
    told = {"PYTHONPATH": os.pathsep.join([str(tmp_path), os.environ.get("PYTHONPATH", "")])}
    words = ("run", "box.toml", "--no-report", "--ranks", 2, "--io-servers", 1, "--out", "no-file")
    silence = ("--set", "parallel.io_silence=1")
    status, _, err = box.fathom(*words, *silence, folder=without, **told)
    assert status == 1 and "Traceback" not in err
    assert "I/O servers (rank 2) have not opened their files in 1 s (io_silence)" in err


@pytest.mark.long
def test_server_that_waits_for_a_file_of_a_run(without, tmp_path):
    """It gives no sign of life: the others write what it has not, and the run goes on."""
    (tmp_path / "sitecustomize.py").write_text(STUCK)
    path = os.pathsep.join([str(tmp_path), os.environ.get("PYTHONPATH", "")])
    few = ("--io-servers", 1, "--set", "parallel.io_silence=1")
    process, _ = started(without, "stuck", *few, PYTHONPATH=path)
    (tmp_path / "held").touch()
    out = said_until(process, "I/O servers of set 0 (rank 2) have been silent for 1 s")
    await_times(process, without / "stuck", written(without / "stuck") + 4)
    process.send_signal(signal.SIGINT)
    out += said_until(process, None)
    assert process.wait(60) == 3, out
    with output.open(without / "stuck" / "surface.zarr") as found:
        assert (np.diff(found.time.values) == np.timedelta64(12, "h")).all()
        assert np.isfinite(found.tos.values).all()


@pytest.mark.parametrize("slots", [None, 1])
def test_stores_that_are_due_together(without, slots):
    """There is a slot for each, and with fewer each waits for the one before: at most the first of
    a time finds all slots in use.
    """
    more = [
        part
        for name in "abcd"
        for part in (
            "--set",
            f'output."{name}.zarr"={{variables=["sea_surface_height"],every="12h"}}',
        )
    ]
    more += ["--set", f"parallel.io_slots={slots}"] if slots else []
    words = ("run", "box.toml", "--no-report", "--out", f"together-{slots}")
    box.done(*words, *more, folder=without, servers=1)
    protocol = box.summary(without / f"together-{slots}")["output"]["servers"]
    assert protocol["slots"] == (slots or 5)
    assert not slots or protocol["fallen_back"] <= 5  # times, with four stores each


@pytest.mark.long
@pytest.mark.parametrize("number", [0, 1])
def test_output_on_the_staging_disk_of_a_silent_server(without, tmp_path, number):
    """It cannot be had: the run ends, and says so."""
    (tmp_path / "sitecustomize.py").write_text(HELD)
    name, held = f"staged-silent-{number}", tmp_path / "held"
    process, ranks = started(
        without,
        name,
        "--io-servers",
        2,
        "--set",
        "parallel.io_silence=1",
        "--set",
        f'parallel.staging="{tmp_path}"',
        PYTHONPATH=os.pathsep.join([str(tmp_path), os.environ.get("PYTHONPATH", "")]),
    )
    held.touch()
    end = time.monotonic() + 30
    while (
        min(len(list(folder.iterdir())) for folder in tmp_path.glob("fathom-*")) < 4
        and time.monotonic() < end
    ):
        time.sleep(0.01)
    os.kill(ranks[-1 - number], signal.SIGSTOP)  # the first set has the last rank
    held.unlink()
    out, _ = process.communicate(timeout=60)
    assert (
        process.returncode == 1
        and out.count(f"I/O servers of set {number} fell silent with output on their staging disks")
        == 1
        and "Traceback" not in out
    ), out
    found = output.open(without / name / "surface.zarr")
    assert (
        found.time.size >= 2
        and (np.diff(found.time.values) == np.timedelta64(12, "h")).all()
        and np.isfinite(found.tos.values).all()
    )


HELD = """# nothing that is staged leaves for its place while there is a file of that name
import os, threading, time
write, held = os.writev, os.path.join(os.path.dirname(__file__), "held")
def patient(*arguments):
    while threading.current_thread().name == "staging" and os.path.exists(held):
        time.sleep(0.01)
    return write(*arguments)
os.writev = patient
"""


def test_killed_server_ends_all_and_complete_times_are_kept(without):
    process, ranks = started(without, "killed", "--io-servers", 1)
    os.kill(ranks[-1], signal.SIGKILL)
    began = time.monotonic()
    out, _ = process.communicate(timeout=60)
    assert (
        process.returncode == 1 and "all ranks were ended" in out and time.monotonic() - began < 10
    )
    found = output.open(without / "killed" / "surface.zarr")
    assert found.time.size >= 2 and np.isfinite(found.tos.values).all()


@pytest.mark.long
@pytest.mark.parametrize("servers", [0, 1])
def test_a_killed_run_is_continued(without, tmp_path, servers):
    """No duplicates, no gaps, wherever it was killed: the stores of a run that nobody killed."""
    box.write(tmp_path)
    more = (
        "--io-servers",
        servers,
        "--set",
        f'output."surface.zarr".every="{often}"',
        "--set",
        'simulation.checkpoint="36h"',
        "--for",
        "300d",
        "--no-report",
    )
    process = subprocess.Popen(
        box.command("run", "box.toml", "--out", "run", "--ranks", 2, *more),
        cwd=tmp_path,
        env=box.environment(),
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    await_times(process, tmp_path / "run", 9)
    os.kill(sorted(box.children(process.pid))[0], signal.SIGKILL)
    assert process.wait(60) == 1
    killed = output.open(tmp_path / "run" / "surface.zarr").time.size
    length = ("--for", f"{12 * (killed + 4)}h")
    status, _, err = box.fathom(
        "run",
        "box.toml",
        "--out",
        "run",
        "--ranks",
        1,
        "--continue",
        *more,
        *length,
        folder=tmp_path,
    )
    assert status == 0, err
    assert (
        box.fathom(
            "run", "box.toml", "--out", "whole", "--ranks", 1, *more, *length, folder=tmp_path
        )[0]
        == 0
    )
    same_stores(tmp_path / "whole", tmp_path / "run")
    assert box.summary(tmp_path / "whole")["checksum"] == box.summary(tmp_path / "run")[
        "checksum"
    ] and box.summary(tmp_path / "run")["steps"] < 12 * (killed + 4)


def test_disk_full_on_a_server(without, tmp_path):
    (tmp_path / "sitecustomize.py").write_text(FULL)
    told = {"PYTHONPATH": os.pathsep.join([str(tmp_path), os.environ.get("PYTHONPATH", "")])}
    status, _, err = box.fathom(
        "run",
        "box.toml",
        "--no-report",
        "--out",
        "full",
        "--ranks",
        2,
        "--io-servers",
        1,
        "--set",
        'parallel.on_busy="wait"',
        "--set",
        'output."surface.zarr".every="4h"',
        folder=without,
        **told,
    )
    assert (
        status == 1
        and err.count("fathom: rank 2: disk full while") == 1
        and "complete times before this one are kept" in err
        and "Traceback" not in err
    )
    found = output.open(without / "full" / "surface.zarr")
    assert found.time.size >= 1 and np.isfinite(found.tos.values).all()


FULL = """# no room is left on the disk of the third rank after its fifth chunk
import errno, os
if os.environ.get("PMI_RANK") == "2":
    write, files = os.writev, set()
    def limited(descriptor, data):
        path = os.readlink(f"/proc/self/fd/{descriptor}")
        files.update({path} if "/tos/c." in path else ())
        if len(files) > 5:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        return write(descriptor, data)
    os.writev = limited
"""


@pytest.mark.parametrize("servers", [pytest.param(0, marks=pytest.mark.long), 1])
def test_output_through_a_staging_folder_is_the_same(without, servers):
    folder = without / "scratch"
    folder.mkdir(exist_ok=True)
    staged = ("--set", f'parallel.staging="{folder}"')
    run_well(without, f"staged-{servers}", *staged, servers=servers)
    same_stores(without / "without", without / f"staged-{servers}")
    assert all(
        filecmp.cmp(path, without / f"staged-{servers}" / path.name, shallow=False)
        for path in (without / "without").glob("restart-*.fathom")
    )
    assert not list(folder.iterdir())
    said = run(without, "mistake", "--set", 'parallel.staging="nowhere"', status=2)
    assert "staging = 'nowhere' must be a folder of this node" in said
