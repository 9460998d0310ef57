"""The command as a user runs it: exit statuses, one message, ranks, Ctrl-C, a killed rank."""

import os
import signal
import subprocess
import time
from pathlib import Path

import pytest

import box
from fathom.output.formats import restart
from fathom.run.launch import launched, mpiexec


def test_help_loads_nothing(tmp_path):
    code = (
        "import sys\nfrom fathom.commands.main import main\ntry: main(['--help'])\nexcept"
        " SystemExit: print(sorted({'numpy', 'mpi4py', 'xarray', 'matplotlib', 'rich'} &"
        " set(sys.modules)))"
    )
    done = subprocess.run(
        [*box.command()[:1], "-c", code], cwd=tmp_path, capture_output=True, text=True, timeout=60
    )
    assert done.stdout.strip().endswith("[]") and "Commands:" in done.stdout


def test_show(tmp_path):
    box.write(tmp_path)
    status, out, err = box.fathom("show", "box.toml", folder=tmp_path)
    assert (status, err) == (0, "")
    for part in (
        "Ocean at 2000-01-01",
        "├── grid      CartesianGrid 24×20×4",
        "⇄ ",
        "PressureGradient",
        "temperature [",
        "└── events    surface.zarr every 1d",
    ):
        assert part in out
    assert os.listdir(tmp_path) == ["box.toml"]  # nothing has run


def test_same_bits_on_two_ranks_and_under_a_launcher(tmp_path):
    box.write(tmp_path)
    one, two, launcher = (tmp_path / name for name in ("one", "two", "launcher"))
    common = ("run", "box.toml", "--no-report", "--out")
    status, out, err = box.fathom(*common, one, folder=tmp_path)
    assert (status, err) == (0, "") and "100%" in out
    assert box.fathom(*common, two, "--ranks", 2, folder=tmp_path)[0] == 0
    done = subprocess.run(
        [mpiexec(), "-n", "2", *box.command(*common, launcher, "--threads", 2)],
        cwd=tmp_path,
        env=box.environment(),
        capture_output=True,
        timeout=120,
    )
    assert done.returncode == 0
    found = [box.summary(folder) for folder in (one, two, launcher)]
    assert [(s["ranks"], s["threads"]) for s in found] == [(1, 1), (2, 1), (2, 2)]
    assert len({s["checksum"] for s in found}) == 1 and found[0]["steps"] == 48
    for told in found:
        days = told["steps"] * told["step"] / 86400
        assert abs(told["seconds_per_simulated_day"] * days / told["wall_seconds"] - 1) < 0.01
        assert told["nodes"] == 1 and told["node_hours"] * told["ranks"] * told["threads"] <= (
            told["core_hours"] * (1 + 1e-9)
        )
    assert {"resolved.toml", "restart.fathom", "summary.json", "surface.zarr"} <= set(
        os.listdir(two)
    )

    # the resolved file repeats the run; a finished run is not overwritten; a restart continues it
    assert (
        box.fathom("run", one / "resolved.toml", "--no-report", "--out", "again", folder=tmp_path)[
            0
        ]
        == 0
    )
    assert box.summary(tmp_path / "again")["checksum"] == found[0]["checksum"]
    status, _, err = box.fathom(*common, one, folder=tmp_path)
    assert status == 2 and "--overwrite" in err
    assert (
        box.fathom(
            *common, "more", "--restart", two / "restart.fathom", "--for", "1d", folder=tmp_path
        )[0]
        == 0
    )
    assert box.fathom(*common, "whole", "--for", "3d", folder=tmp_path)[0] == 0
    assert box.summary(tmp_path / "more")["checksum"] == box.summary(tmp_path / "whole")["checksum"]


@pytest.mark.parametrize("ranks", [1, 2])
def test_misspelt_parameter(tmp_path, ranks):
    box.write(tmp_path, **{"viscosity = 1e4": "viscosty = 1e4"})
    status, out, err = box.fathom("run", "box.toml", "--ranks", ranks, folder=tmp_path)
    assert (status, out) == (2, "")
    assert err.splitlines() == [
        "fathom: box.toml:16 [model.friction]: unknown LaplacianFriction parameter 'viscosty'; did"
        " you mean 'viscosity'?"
    ]


@pytest.mark.parametrize(
    "arguments, message",
    [
        (("run", "box.toml", "--rnks", "2"), "--ranks"),
        (("run", "bx.toml"), "did you mean 'box.toml'"),
        (("run", "box.toml", "--restart", "none.fathom"), "none.fathom"),
        (("run", "box.toml", "--ranks", "2", "--out", "/proc/run"), "/proc/run"),
        (("run", "box.toml", "--set", "parallel.ranks=none"), "must be a whole number"),
        (("plot", "none.zarr", "tos"), "does not exist"),
        (("bench", "ocean", "--grid", "x2"), "x1"),
    ],
)
def test_mistakes_end_with_2(tmp_path, arguments, message):
    box.write(tmp_path)
    status, _, err = box.fathom(*arguments, folder=tmp_path)
    assert status == 2 and err.count(message) == 1 and "Traceback" not in err


def test_unstable_run_ends_with_1(tmp_path):
    box.write(tmp_path)
    status, _, err = box.fathom(
        "run",
        "box.toml",
        "--ranks",
        2,
        "--set",
        "simulation.time_step=1d",
        "--set",
        "simulation.beyond_stability=true",
        "--for",
        "60d",
        "--out",
        "r",
        "--no-report",
        "--set",
        "model.friction.viscosity=1e6",
        folder=tmp_path,
    )
    assert status == 1 and err.count("try a step of") == 1 and "Traceback" not in err
    assert (tmp_path / "r" / "last-state.fathom").exists()


def started(tmp_path, ranks):
    """A long run that has begun."""
    box.write(tmp_path)
    run = subprocess.Popen(
        box.command(
            "run",
            "box.toml",
            "--for",
            "2000y",
            "--out",
            "r",
            "--no-report",
            "--ranks",
            ranks,
            "--set",
            'output."surface.zarr".every=30d',
        ),
        cwd=tmp_path,
        env=box.environment(),
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    end = time.monotonic() + 60
    while (
        not (tmp_path / "r" / "surface.zarr").exists()
        and time.monotonic() < end
        and run.poll() is None
    ):
        time.sleep(0.1)
    time.sleep(0.5)
    assert run.poll() is None, run.communicate()[0]
    return run


@pytest.mark.parametrize("ranks", [pytest.param(1, marks=pytest.mark.long), 2])
def test_interrupted_run_writes_a_restart(tmp_path, ranks):
    run = started(tmp_path, ranks)
    run.send_signal(signal.SIGINT)
    out, _ = run.communicate(timeout=60)
    assert run.returncode == 3 and "--continue resumes the run" in out and "Traceback" not in out
    told = box.summary(tmp_path / "r")
    assert (tmp_path / "r" / "restart.fathom").exists() and told["steps"] > 0 and told["stopped"]


def test_ranks_without_a_run_end_at_once(tmp_path):
    """Ctrl-C leaves no unread request."""
    bench = subprocess.Popen(
        box.command("bench", "messages", "--repetitions", 10**9),
        cwd=tmp_path,
        env=box.environment(),
        stderr=subprocess.DEVNULL,
    )
    ranks, deadline = Path(f"/proc/{bench.pid}/task/{bench.pid}/children"), time.monotonic() + 60
    while not ranks.read_text() and time.monotonic() < deadline:
        time.sleep(0.05)
    bench.send_signal(signal.SIGINT)
    assert bench.wait(60) == 130
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("ranks", [pytest.param(1, marks=pytest.mark.long), 2])
def test_restart_on_request(tmp_path, ranks):
    """SIGUSR1 writes a restart, and the run continues; a file in its directory does the same."""
    run, now = started(tmp_path, ranks), tmp_path / "r" / "restart-now.fathom"
    run.send_signal(signal.SIGUSR1)
    await_file(now, run)
    with restart.read(now) as file:
        first = file.header.steps
    now.unlink()
    (tmp_path / "r" / ".restart").touch()
    await_file(now, run)
    with restart.read(now) as file:
        assert file.header.steps > first > 0
    run.send_signal(signal.SIGINT)
    run.communicate(timeout=60)
    told = box.summary(tmp_path / "r")
    assert told["stopped"] and told["steps"] > first and run.returncode == 3
    assert not (tmp_path / "r" / ".restart").exists()


def await_file(path, run):
    end = time.monotonic() + 60
    while not path.exists() and time.monotonic() < end:
        assert run.poll() is None, run.communicate()[0]
        time.sleep(0.05)
    assert path.exists()


def test_killed_rank_ends_all(tmp_path):
    run = started(tmp_path, 2)
    ranks = box.children(run.pid)
    assert len(ranks) == 2
    os.kill(ranks[-1], signal.SIGKILL)
    out, _ = run.communicate(timeout=60)
    assert run.returncode == 1 and "all ranks were ended" in out
    assert not any(alive(pid) for pid in ranks)


def alive(pid):
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True


def test_launchers_are_recognised():
    assert launched({}) is None
    assert launched({"PMI_RANK": "3", "PMI_SIZE": "8"}) == (3, 8)
    assert launched({"OMPI_COMM_WORLD_RANK": "0", "OMPI_COMM_WORLD_SIZE": "2"}) == (0, 2)
    assert launched({"SLURM_PROCID": "1", "SLURM_STEP_NUM_TASKS": "4"}) == (1, 4)
    assert (
        launched({"SLURM_PROCID": "0", "SLURM_NTASKS": "4"}) is None
    )  # a batch script, outside srun


def test_launcher_of_another_mpi_is_named(tmp_path):
    box.write(tmp_path)
    status, _, err = box.fathom(
        "show", "box.toml", folder=tmp_path, OMPI_COMM_WORLD_RANK="0", OMPI_COMM_WORLD_SIZE="2"
    )
    assert status == 2 and "different MPIs" in err
