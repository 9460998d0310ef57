"""Who ends a run, and how soon: launchers, ranks that hear nothing, jobs of Slurm without srun."""

import os
import signal
import subprocess
import sys
import time

import pytest

from fathom.run import launch, lock, wishes

deaf = "import signal, time; signal.signal(signal.SIGTERM, signal.SIG_IGN)\nprint(1, flush=True)\n"


def child(code):
    """A process that has begun."""
    started = subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True)
    started.stdout.readline()
    return started


class Interrupted:
    """A process, while the user of its launcher interrupts at these calls of wait."""

    def __init__(self, process, *calls):
        self.process, self.calls, self.count = process, calls, 0

    def wait(self, seconds=None):
        self.count += 1
        if self.count in self.calls:
            raise KeyboardInterrupt
        return self.process.wait(seconds)

    def __getattr__(self, name):
        return getattr(self.process, name)


@pytest.fixture
def running(tmp_path):
    """The directory of a run that has begun."""
    held = lock.DirectoryLock()
    held.take(tmp_path)
    yield tmp_path
    held.release()


def test_a_run_that_has_not_begun_ends_at_once(tmp_path, monkeypatch):
    """As one whose ranks hang before they are there, in a directory of an earlier run."""
    (tmp_path / ".lock").touch()
    process, begin = child(deaf + "time.sleep(60)"), time.monotonic()
    monkeypatch.setattr(launch, "ending_time", 0.2)
    assert launch._wait(Interrupted(process, 1), tmp_path) == -signal.SIGINT
    assert process.poll() == -signal.SIGKILL and time.monotonic() - begin < 10
    assert not (tmp_path / wishes.stop).exists()


def test_the_second_interrupt_ends_at_once(running, monkeypatch):
    process = child(deaf + "time.sleep(60)")
    monkeypatch.setattr(launch, "ending_time", 0.2)
    assert launch._wait(Interrupted(process, 1, 2), running) == -signal.SIGINT
    assert process.poll() == -signal.SIGKILL


def test_ranks_that_do_not_answer(running, monkeypatch, capfd):
    process = child(deaf + "time.sleep(60)")
    monkeypatch.setattr(launch, "ending_time", 0.2)
    monkeypatch.setattr(launch, "answer_time", 0.5)
    assert launch._wait(Interrupted(process, 1), running) == -signal.SIGINT
    assert "the ranks do not answer" in capfd.readouterr().err


def test_a_restart_may_take_its_time(running, monkeypatch, capfd):
    """Once the request is taken."""
    take = f"import os\nwhile not os.path.exists(f := {str(running / wishes.stop)!r}): pass\n"
    process = child(deaf + take + "os.remove(f); time.sleep(2); raise SystemExit(3)")
    monkeypatch.setattr(launch, "answer_time", 1.0)
    assert launch._wait(Interrupted(process, 1), running) == 3
    assert "do not answer" not in capfd.readouterr().err


@pytest.mark.skipif(sys.platform != "linux", reason="Linux ends children with their parent")
def test_deaf_ranks_end_with_a_killed_launcher(tmp_path):
    """The command, mpiexec below it, and ranks that wait without an end."""
    ranks = tmp_path / "ranks.py"
    tell = f"import os; open({str(tmp_path)!r} + f'/{{os.getpid()}}.rank', 'w').close()\n"
    ranks.write_text(deaf + tell + "time.sleep(60)")
    code = (
        "import os, subprocess, sys\nfrom fathom.run import launch\nhere = os.getpid()\n"
        f"command = [launch.mpiexec(), '-n', '2', sys.executable, {str(ranks)!r}]\n"
        "subprocess.Popen(command, start_new_session=True, stdin=subprocess.DEVNULL,"
        " preexec_fn=lambda: launch._end_with(here)).wait()\n"
    )
    parent = subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.DEVNULL)
    while len(numbers := [int(file.stem) for file in tmp_path.glob("*.rank")]) < 2:
        time.sleep(0.05)
    parent.kill()
    parent.wait()
    end = time.monotonic() + 10
    while (left := [n for n in numbers if alive(n)]) and time.monotonic() < end:
        time.sleep(0.05)
    for number in left:
        os.kill(number, signal.SIGKILL)
    assert not left


def alive(number):
    """Whether a process runs; one that nobody has asked for its status does not."""
    try:
        with open(f"/proc/{number}/stat") as file:
            return file.read().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def test_second_signal_to_a_rank():
    heard = wishes.Wishes()
    heard.hear(wishes.stop)
    assert heard.take(wishes.stop)
    with pytest.raises(KeyboardInterrupt):
        heard.hear(wishes.stop)


def test_files_are_taken(tmp_path):
    asked = wishes.Wishes()
    for wish in (wishes.stop, wishes.restart):
        (tmp_path / wish).touch()
    asked.look(tmp_path)
    assert asked.take(wishes.stop) and asked.take(wishes.restart)
    assert not list(tmp_path.iterdir())


job = {"SLURM_JOB_ID": "7", "SLURM_PROCID": "0"}
shell = job | {"SLURM_STEP_ID": "0", "SLURM_STEP_NUM_TASKS": "1"}
tasks = job | {"SLURM_STEP_ID": "0", "SLURM_STEP_NUM_TASKS": "8", "SLURM_PROCID": "3"}


def test_jobs_of_slurm(tmp_path):
    """Ranks start here where srun is missing, and in a shell that is a step itself."""
    assert launch.launched(job) is None and launch.launched(shell) is None
    assert launch.launched(tasks) == (3, 8)
    assert launch.launched(shell | {"PMI_RANK": "0", "PMI_SIZE": "1"}) == (0, 1)
    (tmp_path / "srun").touch(mode=0o755)
    without, with_srun = {"PATH": os.devnull}, {"PATH": str(tmp_path)}
    here = ["-rmk", "user", "-launcher", "fork", "-hosts", "localhost"]
    assert launch.on_this_machine(without) == launch.on_this_machine(job | with_srun) == []
    assert launch.on_this_machine(job | without) == here
    assert launch.on_this_machine(shell | with_srun) == here
