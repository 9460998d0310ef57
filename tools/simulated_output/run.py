#!/usr/bin/env python3
"""The protocol of output servers without a model: on ranks of a real MPI, or on thousands that
SimGrid simulates in one process (Debian: libsimgrid-dev).

tools/simulated_output/run.py --ranks 1024 --sets 4
    simulated; prints one object of JSON, exit status 1 if anything was lost
tools/simulated_output/run.py --ranks 4 --sets 1 --real        under mpiexec
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

root = Path(__file__).resolve().parents[2]
sys.path.append(str(root / "tools"))

from simulated_ranks import smpirun  # noqa: E402

sources = [
    Path(__file__).with_name("output_on_ranks.cpp"),
    *sorted((root / "core/output").glob("*.cpp")),
    *sorted((root / "core/parallel/ownership").glob("*.cpp")),
    *(root / f"core/parallel/halo/{name}.cpp" for name in ("packing", "plan")),
]
simulated = (
    "--cfg=contexts/stack-size:1024",
    "--cfg=smpi/allreduce:rdb",
    "--cfg=smpi/allgather:rdb",
    "--cfg=smpi/bcast:binomial_tree",
    "--cfg=smpi/barrier:ompi_recursivedoubling",
)


def compiler(real: bool) -> str | None:
    beside = Path(sys.prefix) / "bin" / "mpicxx"
    return (
        (str(beside) if beside.exists() else shutil.which("mpicxx"))
        if real
        else shutil.which("smpicxx")
    )


def build(folder: Path, real: bool) -> Path:
    """All sources as one unit, so that headers are read once."""
    program = folder / ("real" if real else "simulated")
    if not program.exists():
        unit = folder / "output_on_ranks.cpp"
        unit.write_text("".join(f'#include "{source}"\n' for source in sources))
        command = [str(compiler(real)), "-std=c++20", "-O1", "-w", "-fPIC", f"-I{root / 'core'}"]
        if subprocess.run([*command, str(unit), "-o", str(program)]).returncode:
            sys.exit("output_on_ranks does not compile")
    return program


def run(program: Path, folder: Path, case: argparse.Namespace) -> tuple[int, str]:
    """Exit status, and the output."""
    if case.real:
        command = [
            str(Path(compiler(True) or "").with_name("mpiexec")),
            "-n",
            str(case.ranks),
            str(program),
        ]
    else:
        command = [*smpirun(folder, case.ranks, *simulated), str(program)]
    numbers = (
        case.sets,
        case.per_set,
        case.slots or max(2, case.sets + 1),
        case.times,
        case.step,
        case.writing,
    )
    command += [*map(str, numbers), "wait" if case.wait else "synchronous"]
    with subprocess.Popen(
        command,
        stdout=subprocess.PIPE,
        text=True,
        env=os.environ | {"OMP_NUM_THREADS": "1"},
        start_new_session=True,
    ) as running:
        try:
            said, _ = running.communicate(timeout=case.limit)
        except subprocess.TimeoutExpired:
            os.killpg(running.pid, signal.SIGKILL)  # the launcher and its processes
            sys.exit(f"not done after {case.limit:g} s")
    return running.returncode, said


def main() -> int:
    ask = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    ask.add_argument("--ranks", type=int, default=256)
    ask.add_argument("--sets", type=int, default=2)
    ask.add_argument("--per-set", type=int, default=1)
    ask.add_argument("--slots", type=int, default=0, help="0: one more than sets, at least two")
    ask.add_argument("--times", type=int, default=6)
    ask.add_argument("--step", type=int, default=1000, help="microseconds between two times")
    ask.add_argument("--writing", type=int, default=100, help="microseconds of a rectangle")
    ask.add_argument(
        "--wait",
        action="store_true",
        help="for a slot; else the computing ranks write what finds none",
    )
    ask.add_argument("--real", action="store_true", help="under mpiexec, not simulated")
    ask.add_argument("--limit", type=float, default=None, help="seconds")
    ask.add_argument("--build", type=Path, help="folder that keeps the program")
    case = ask.parse_args()
    if not compiler(case.real):
        sys.exit(
            "no mpicxx"
            if case.real
            else "no smpicxx: SimGrid is not installed (Debian: libsimgrid-dev)"
        )
    with tempfile.TemporaryDirectory() as scratch:
        folder = case.build or Path(scratch)
        folder.mkdir(parents=True, exist_ok=True)
        program = build(folder, case.real)
        began = time.perf_counter()
        status, said = run(program, folder, case)
        seconds = time.perf_counter() - began
    lines = [line for line in said.splitlines() if line.startswith("{")]
    if not lines:
        sys.exit(f"the program ended with status {status}: {said}")
    print(
        json.dumps(
            json.loads(lines[-1])
            | {
                "seconds": round(seconds, 2),
                "megabytes": resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss // 1024,
            }
        )
    )
    return status


if __name__ == "__main__":
    sys.exit(main())
