"""Ranks that stand ready and run one script after another: their start takes longer than most
scripts of tests do.

Each rank waits at a socket for a script and its arguments, runs it as the launcher of MPI would,
and answers with its exit status. A rank that fails ends all of them; the next script gets new ones.
"""

import atexit
import contextlib
import ctypes
import gc
import json
import os
import runpy
import selectors
import socket
import subprocess
import sys
import tempfile
import time
import traceback
from pathlib import Path

from as_it_was import as_it_was

most_scripts = 40  # that one set of ranks runs
most_sets = 4  # that stand ready at the same time


class StandingRanks:
    """The ranks of one launcher, as many as are asked for."""

    def __init__(self, launcher, ranks):
        self.folder = tempfile.TemporaryDirectory(prefix="fathom-ranks-")
        self.place, self.scripts = Path(self.folder.name), 0
        self.started = socket.socket(socket.AF_UNIX)
        self.started.bind(str(self.place / "socket"))
        self.started.listen(ranks)
        self.started.settimeout(60)
        with open(self.place / "said", "w") as said:
            self.process = subprocess.Popen(
                [*launcher, sys.executable, __file__, str(self.place)],
                stdin=subprocess.DEVNULL,
                stdout=said,
                stderr=subprocess.STDOUT,
                env=os.environ | {"GOMP_SPINCOUNT": "0", "OPENBLAS_NUM_THREADS": "1"},  # crowded
            )
        self.ranks = [self.started.accept()[0] for _ in range(ranks)]

    def run(self, threads, script, arguments, timeout):
        """Returns whether all ranks ran it to its end, the output of rank 0, what ranks said of
        errors.
        """
        self.scripts += 1
        job = {"script": script, "arguments": arguments, "threads": threads}
        job["number"] = self.scripts
        for rank in self.ranks:
            rank.sendall(json.dumps(job).encode() + b"\n")
        good = self._answers(time.monotonic() + timeout)
        asked = f"out-{self.scripts}-0", f"errors-{self.scripts}-*"
        texts = ["".join(self._texts(pattern)) for pattern in asked]
        if not good:
            self.end()
            texts[1] += "".join(self._texts("said"))
        return good, *texts

    def _answers(self, end):
        """Whether all ranks answer that they have ended well. An error of one may keep others
        waiting for it.
        """
        with selectors.DefaultSelector() as waiting:
            for rank in self.ranks:
                waiting.register(rank, selectors.EVENT_READ)
            while waiting.get_map():
                ready = waiting.select(max(0, end - time.monotonic()))
                for key, _ in ready:
                    if key.fileobj.recv(1) != b"0":
                        end = min(end, time.monotonic() + 1)
                        ready = []
                        break
                    waiting.unregister(key.fileobj)
                if not ready:
                    return False
        return True

    def _texts(self, pattern):
        return [file.read_text(errors="replace") for file in sorted(self.place.glob(pattern))]

    def end(self):
        for rank in (*self.ranks, self.started):
            rank.close()
        self.process.terminate()
        with contextlib.suppress(subprocess.TimeoutExpired):
            self.process.wait(10)
        self.process.kill()
        self.process.wait()


class Sets:
    """The sets of ranks that stand ready, those that were used last."""

    def __init__(self):
        self.sets = {}

    def run(self, ranks, script, arguments, threads=1, timeout=240):
        """Runs a script on ranks; returns whether all came to its end, output, errors."""
        key = ranks if sys.platform == "linux" else (ranks, threads)
        one = self.sets.pop(key, None)
        if one is not None and (one.scripts >= most_scripts or one.process.poll() is not None):
            one.end()
            one = None
        while len(self.sets) >= most_sets:
            self.sets.pop(next(iter(self.sets))).end()
        launcher = [Path(sys.prefix) / "bin" / "mpiexec", "-n", str(ranks)] if ranks > 1 else []
        one = one or StandingRanks(launcher, ranks)
        found = one.run(threads, str(script), arguments, timeout)
        if found[0]:
            self.sets[key] = one
        else:
            one.folder.cleanup()
        return found

    def end(self):
        for one in self.sets.values():
            one.end()


standing = Sets()
atexit.register(standing.end)


# ---- in a rank -----------------------------------------------------------------------------------


def run_here(script, arguments, threads):
    """Runs a script in this process as if it were started; returns its exit status."""
    if sys.platform == "linux":  # OMP_NUM_THREADS is read when the core is loaded, later no more
        ctypes.CDLL("libgomp.so.1").omp_set_num_threads(threads)
    environment = os.environ | {"OMP_NUM_THREADS": str(threads)}
    try:
        with as_it_was(Path.cwd(), environment, [script, *arguments]):
            runpy.run_path(script, run_name="__main__")
    except SystemExit as end:
        return end.code if isinstance(end.code, int) else int(end.code is not None)
    except BaseException:
        traceback.print_exc()
        return 1
    return 0


@contextlib.contextmanager
def _into(*files):
    """Output and errors of this process go to files."""
    kept = [os.dup(1), os.dup(2)]
    for number, file in enumerate(files, 1):
        with open(file, "wb") as opened:
            os.dup2(opened.fileno(), number)
    try:
        yield
    finally:
        for number, (stream, usual) in enumerate(zip((sys.stdout, sys.stderr), kept), 1):
            stream.flush()
            os.dup2(usual, number)
            os.close(usual)


def main(place):
    asked = socket.socket(socket.AF_UNIX)
    asked.connect(str(place / "socket"))
    rank = os.environ.get("PMI_RANK", "0")
    for line in asked.makefile():
        job = json.loads(line)
        files = [place / f"{kind}-{job['number']}-{rank}" for kind in ("out", "errors")]
        with _into(*files):
            status = run_here(job["script"], job["arguments"], job["threads"])
        gc.collect()  # at the same time on all ranks, as windows of MPI need
        asked.sendall(b"1" if status else b"0")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
