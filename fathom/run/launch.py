"""Ranks: those of a launcher, or else started here; and one message for an error of all.

`fathom run --ranks 4` runs `mpiexec -n 4` on the same command. Under a site's mpiexec or srun the
ranks already exist.
"""

from __future__ import annotations

import ctypes
import errno
import os
import shutil
import signal
import subprocess
import sys
import time
import traceback
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from functools import partial
from importlib import metadata
from pathlib import Path
from typing import Any

from fathom.base import mpi
from fathom.base.failure import FileError, InputError, LaunchError, RunError, stopped_status
from fathom.base.shown import on_one_line
from fathom.run import lock, room, wishes

_launchers = (
    ("PMI_RANK", "PMI_SIZE"),
    ("PMIX_RANK", "OMPI_COMM_WORLD_SIZE"),
    ("OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE"),
    ("SLURM_PROCID", "SLURM_STEP_NUM_TASKS"),
)
_with_flags = ("ALLREDUCE", "BARRIER", "BCAST", "REDUCE")  # in shared memory, by MPICH
_of_disks = (errno.EIO, errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EROFS)


def launched(environment: Mapping[str, str] = os.environ) -> tuple[int, int] | None:
    """Returns (rank, ranks) where a launcher (MPICH, Open MPI, Slurm's srun) started this process,
    else None. A step of Slurm with one task may be a shell (`srun --pty bash`): None.
    """
    for rank, size in _launchers:
        if rank in environment and size in environment:
            found = int(environment[rank]), int(environment[size])
            return None if found == (0, 1) and rank == "SLURM_PROCID" else found
    return None


def mpiexec() -> str:
    """Returns the launcher of the MPI that Fathom runs on: the one of the mpich wheel, next to this
    Python.
    """
    try:
        files = metadata.files("mpich") or []
    except metadata.PackageNotFoundError:
        files = []
    for file in files:
        if file.name == "mpiexec":
            return str(Path(file.locate()).resolve())
    raise LaunchError(
        "there is no mpiexec of the mpich wheel here; start the ranks with the site's own: mpiexec"
        " -n N fathom run ..."
    )


def on_this_machine(environment: Mapping[str, str] = os.environ) -> list[str]:
    """Returns the options of mpiexec by which it starts ranks itself where Slurm's srun, which it
    would use in a job, is missing, or would wait for the resources of the step that it is in.
    """
    in_job = "SLURM_JOB_ID" in environment or "SLURM_JOBID" in environment
    in_step = "SLURM_STEP_ID" in environment or "SLURM_STEPID" in environment
    if not in_job or (shutil.which("srun", path=environment.get("PATH")) and not in_step):
        return []
    return ["-rmk", "user", "-launcher", "fork", "-hosts", "localhost"]


def cores() -> int:
    """Returns the number of cores that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def threads_of_environment() -> int:
    """Returns OMP_NUM_THREADS, of a list its first number; 1 where it is empty or not set."""
    given = os.environ.get("OMP_NUM_THREADS", "").strip()
    first = given.partition(",")[0].strip() or "1"
    if not first.isdecimal() or int(first) < 1:
        raise InputError(f"OMP_NUM_THREADS = '{given}' must be a whole number, at least 1")
    return int(first)


def ranks_environment(ranks: int, threads: int) -> dict[str, str]:
    """Returns variables of the environment that ranks and their threads need before the core is
    loaded.

    A rank that waits on a crowded machine sleeps (core/parallel/waiting): where there are more
    ranks and threads than cores, or other programs have them. A thread that waits spins
    for some 20 microseconds, then sleeps: on a shared core the default of some milliseconds makes
    steps hundreds of times slower. Where there are more threads than cores it sleeps at once.
    Variables that are already set stay.
    """
    local = int(
        next(
            (
                os.environ[name]
                for name in ("MPI_LOCALNRANKS", "OMPI_COMM_WORLD_LOCAL_SIZE")
                if name in os.environ
            ),
            ranks,
        )
    )
    crowded = local * threads > cores()  # all ranks of a node must say the same of it
    crowded = crowded or (ranks > 1 and launched() is None and busy(ranks * threads))
    waiting = (
        {"OMP_WAIT_POLICY": "passive"} if local * threads > cores() else {"GOMP_SPINCOUNT": "1000"}
    )
    waiting = {
        name: value
        for name, value in waiting.items()
        if not os.environ.keys() & {"OMP_WAIT_POLICY", "GOMP_SPINCOUNT"}
    }
    return {
        "OMP_NUM_THREADS": str(threads),
        "OPENBLAS_NUM_THREADS": os.environ.get("OPENBLAS_NUM_THREADS", "1"),
        **sleeping_ranks(crowded),
        **waiting,
    }


def busy(more: int) -> bool:
    """Returns whether the programs that run now and `more` threads have more threads than the
    machine has processors: the least of three looks, since most programs run for a moment only.
    """
    found = []
    for _ in range(3):
        try:
            running = Path("/proc/loadavg").read_text().split()[3].partition("/")[0]
        except OSError:  # not Linux
            return False
        found.append(int(running) - 1)  # this one
        time.sleep(2e-3)
    return min(found) + more > (os.cpu_count() or 1)


def sleeping_ranks(crowded: bool) -> dict[str, str]:
    """Returns LD_PRELOAD with the library by which ranks that wait on a crowded machine sleep.
    crowded: and FATHOM_SLEEP, how long [µs], with the algorithms of MPICH for sums within a node
    that yield (those with flags in shared memory spin without an end). Nothing where there is no
    such library: on macOS, in a core that finds its own faults.
    """
    library = Path(__file__).parent.parent / "_waiting.so"
    if not library.exists() or os.environ.get("FATHOM_SANITIZED"):
        return {}
    before = os.environ.get("LD_PRELOAD", "")
    known = str(library) in before.split(":")
    loaded = {"LD_PRELOAD": before if known else ":".join(filter(None, [str(library), before]))}
    yielding = {f"MPIR_CVAR_{sum}_POSIX_INTRA_ALGORITHM": "mpir" for sum in _with_flags}
    yielding = {name: os.environ.get(name, algorithm) for name, algorithm in yielding.items()}
    return loaded | ({"FATHOM_SLEEP": "50"} | yielding if crowded else {})


def start(ranks: int, threads: int, arguments: Sequence[str], directory: Path | None) -> int:
    """Runs `fathom <arguments>` on that many ranks. Returns its exit status. directory: of the run.
    There Ctrl-C asks for a restart and a clean end, twice ends at once; SIGUSR1 asks for a restart.
    None: the command is no run; Ctrl-C ends at once.
    """
    environment = (
        os.environ
        | ranks_environment(ranks, threads)
        | {
            "PYTHONUNBUFFERED": "1",
            "FATHOM_TERMINAL": _terminal(),
        }
    )
    command = [
        mpiexec(),
        *on_this_machine(),
        "-n",
        str(ranks),
        sys.executable,
        "-P",
        "-m",
        "fathom",
        *arguments,
    ]  # -P: not from the sources, if they are the current directory
    # Ctrl-C counts also where a shell's background job was told to ignore it
    asks = {number: signal.signal(number, _interrupt) for number in (signal.SIGTERM, signal.SIGINT)}
    if hasattr(signal, "SIGUSR1"):  # not on Windows
        if signal.getsignal(signal.SIGHUP) == signal.SIG_DFL:  # nohup ignores it
            asks[signal.SIGHUP] = signal.signal(signal.SIGHUP, _interrupt)
        asks[signal.SIGUSR1] = signal.signal(
            signal.SIGUSR1, lambda *_: _ask(directory, wishes.restart)
        )
    # its own session: Ctrl-C reaches this process only, which asks the ranks to end by the
    # stop file
    child = subprocess.Popen(
        command,
        env=environment,
        stdin=subprocess.DEVNULL,
        start_new_session=True,
        preexec_fn=partial(_end_with, os.getpid()),
    )
    try:
        return _status(_wait(child, directory))
    finally:
        for number, before in asks.items():
            signal.signal(number, before)
        if child.poll() is None:
            child.kill()
        if directory is not None and directory.is_dir():
            wishes.forget(directory)  # asked for after its last look


answer_time = 30.0  # [s] in which the ranks take a request to end, or are ended
ending_time = 3.0  # [s] in which a launcher ends by itself


def _wait(child: subprocess.Popen[bytes], directory: Path | None) -> int:
    """Returns the status of a launcher. The first interrupt asks a run that has begun to end; a
    second one ends it at once, as does a run that does not take the request.
    """
    late = float("inf")
    while True:
        try:
            return child.wait(1.0 if late < float("inf") else None)
        except subprocess.TimeoutExpired:
            if directory is None or not (directory / wishes.stop).exists():
                late = float("inf")  # taken: the restart may be long
            elif time.monotonic() > late:
                print("fathom: the ranks do not answer; they are ended", file=sys.stderr)
                return _end(child)
            else:
                continue
            directory = None
        except KeyboardInterrupt:
            if directory is None or late < float("inf") or not lock.held(directory):
                return _end(child)
            late = time.monotonic() + answer_time
            _ask(directory, wishes.stop)
            with suppress(OSError):  # the terminal may be closed
                print(wishes.ending, file=sys.stderr)


def _end(child: subprocess.Popen[bytes]) -> int:
    """Ends a launcher, and with it the ranks, within seconds: those that wait for others hear no
    signal. Returns the status of an interrupt.
    """
    child.terminate()
    try:
        child.wait(ending_time)
    except (subprocess.TimeoutExpired, KeyboardInterrupt):
        child.kill()  # its ranks end with it
        child.wait()
    return -signal.SIGINT


def _ask(directory: Path | None, wish: str) -> None:
    """Writes a file of the run in that directory, once it has begun."""
    if directory is not None and directory.is_dir():
        (directory / wish).touch()


def _status(code: int) -> int:
    """Returns exit status from that of a launcher: ours, or 1 with a message where a rank was
    killed.
    """
    if code in (0, 1, 2, stopped_status):
        return code
    if code == -signal.SIGINT:
        return 130
    number = code - 128 if code > 128 else abs(code)
    try:
        how = f"signal {number}, {signal.Signals(number).name}"
    except ValueError:
        how = f"status {code}"
    print(f"fathom: a rank was ended ({how}); all ranks were ended", file=sys.stderr)
    return 1


def _interrupt(*_: Any) -> None:
    raise KeyboardInterrupt


def _terminal() -> str:
    try:
        return (
            str(os.get_terminal_size(sys.stdout.fileno()).columns) if sys.stdout.isatty() else "0"
        )
    except (OSError, ValueError):
        return "0"


def _end_with(parent: int) -> None:
    """Has ranks, on Linux, not outlive the command that started them, however it ends: not even
    those that wait for each other and hear no other signal.
    """
    if sys.platform == "linux":
        set_signal_of_parents_death = 1
        ctypes.CDLL(None).prctl(set_signal_of_parents_death, signal.SIGKILL)
        if os.getppid() != parent:  # it has ended before it could be watched
            os.kill(os.getpid(), signal.SIGKILL)


class Ranks:
    """The ranks of a command: with it, an error on all is printed once, and an error on one ends
    all.

    with Ranks() as ranks: ...
    """

    def __enter__(self) -> Ranks:

        expected = launched()
        if expected and expected[1] != mpi.world.size:
            raise LaunchError(
                f"the launcher started {expected[1]} ranks, but MPI sees {mpi.world.size}: launcher"
                " and library belong to different MPIs. Use the mpiexec of the mpich wheel (fathom"
                " run --ranks N), or build Fathom with the site's MPI (MPI_HOME=prefix pip"
                " install .)"
            )
        self.comm = mpi.world.Dup()
        return self

    def __exit__(self, kind: Any, error: BaseException | None, trace: Any) -> bool:
        if error is None or self.comm.size == 1:
            return False
        if getattr(error, "left", False) or mpi.everywhere(self.comm):
            return False  # all ranks leave by themselves; rank 0 speaks
        if isinstance(error, SystemExit):
            words = f"rank {self.comm.rank} left by sys.exit({error.code!r}); all ranks were ended"
            print(f"fathom: {words}", file=sys.stderr)
        report(error, f"rank {self.comm.rank}: ")
        mpi.end_all(self.comm, status_of(error))
        return True


def distribute(ranks: int, threads: int, directory: Path | None, act: Callable[[], int]) -> int:
    """Runs it here where the ranks exist, else start them with this command; returns the exit
    status. directory: of a run, as `start` takes it.
    """
    here = launched()
    if here is None and ranks > 1:
        room.for_ranks(ranks, cores())
        return start(ranks, threads, sys.argv[1:], directory)
    if here and ranks not in (1, here[1]):
        raise InputError(f"{ranks} ranks are asked for, but the launcher started {here[1]}")
    os.environ |= ranks_environment(ranks, threads)
    with Ranks():
        return act()
    return 1  # an error that ended all


def status_of(error: BaseException) -> int:
    """Returns 2: the user's mistake, a damaged file too; 130: interrupted; 1: everything else."""
    if isinstance(error, SystemExit):
        return error.code if isinstance(error.code, int) else 1
    if isinstance(error, KeyboardInterrupt):
        return 130
    if isinstance(error, OSError) and error.errno in _of_disks:
        return 1
    no_name = isinstance(error, OSError) and error.errno in (errno.ENAMETOOLONG, errno.ELOOP)
    mistakes = (
        ValueError,
        LaunchError,
        FileError,
        FileNotFoundError,
        FileExistsError,
        PermissionError,
        IsADirectoryError,
        NotADirectoryError,
    )
    return 2 if no_name or isinstance(error, mistakes) else 1


def report(error: BaseException, who: str = "") -> None:
    """Prints an error: one message for an error of Fathom, with a traceback for others (or if
    FATHOM_DEBUG is set).
    """
    if isinstance(error, (SystemExit, KeyboardInterrupt)):
        return
    expected = status_of(error) == 2 or isinstance(error, (RunError, OSError, MemoryError))
    if not expected or os.environ.get("FATHOM_DEBUG"):
        traceback.print_exception(error)
    else:
        text = (
            f"{error.filename}: {error.strerror}"
            if isinstance(error, OSError) and error.filename
            else getattr(error, "strerror", None) or str(error)
        )
        if isinstance(error, MemoryError):
            text = f"out of memory: {text or 'no more could be had'}"
        print(f"fathom: {who}{on_one_line(text)}", file=sys.stderr)
