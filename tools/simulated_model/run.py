#!/usr/bin/env python3
"""Whole models on hundreds of ranks that SimGrid simulates in one process (Debian: libsimgrid-dev):
an experiment on one rank and on many, a few steps; the state must have the same bits.

    tools/simulated_model/run.py experiments/baroclinic-channel.toml --ranks 1,256 --set grid.nx=96
        exit status 1 if a state has other bits

The core is compiled once more, into build/simulated, against SimGrid's MPI; its messages are
simulated one by one. All ranks share one interpreter of Python (3.11 or 3.12): a rank that enters
the message library lets the others run, and the state of the interpreter is restored when it
returns.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import sysconfig
import tempfile
import time
from pathlib import Path

here, root = Path(__file__).parent, Path(__file__).resolve().parents[2]
sys.path.append(str(root / "tools"))

from simulated_ranks import smpirun  # noqa: E402

build = root / "build" / "simulated"
header = Path("/usr/include/smpi/smpi.h")
simulated = (
    "--cfg=contexts/stack-size:4096",
    "--cfg=smpi/coll-selector:mpich",
    # sends that are waited for: SimGrid keeps all others, and searches them for each message
    "--cfg=smpi/send-is-detached-thresh:0",
)


def _letting_others_run(target: Path) -> None:
    """Calls of the core into the message library as C: Python's lock and its current thread are
    saved, and the next rank runs.
    """
    used = {
        name
        for file in (root / "core").rglob("*.[ch]pp")
        for name in re.findall(r"\bMPI_[A-Z][a-z_0-9]+(?=\()", file.read_text())
    }
    text = re.sub(r"\s+", " ", header.read_text())
    lines = ['#include "alltoallv.h"']
    for kind, name, given in re.findall(
        r"MPI_CALL\( ?XBT_PUBLIC (\w+), (MPI_\w+), \((.*?)\) ?\);", text
    ):
        if name not in used or name == "MPI_Alltoallv":
            continue
        names = (
            [] if given.strip() in ("", "void") else re.findall(r"(\w+)(?:\[\d*\])*(?:,|$)", given)
        )
        call = f"{kind} got = P{name}({', '.join(names)});"
        lines += [f"{kind} {name}({given}) {{ Away a = away(); {call} back(a); return got; }}"]
    target.write_text("\n".join(lines) + "\n", encoding="utf-8")


def _run(*command: object) -> None:
    subprocess.run(list(map(str, command)), check=True)


def made(jobs: int) -> Path:
    """The program of a rank, with a copy of Fathom next to it whose core calls SimGrid."""
    build.mkdir(parents=True, exist_ok=True)
    python = f"-I{sysconfig.get_paths()['include']}"
    calls, archive = build / "calls.c", build / "libcalls.a"
    _letting_others_run(calls)
    _run(
        *(
            "cc",
            "-O1",
            "-fPIC",
            f"-I{here}",
            "-I/usr/include/smpi",
            python,
            "-c",
            calls,
            "-o",
            build / "calls.o",
        )
    )
    archive.unlink(missing_ok=True)
    _run("ar", "rcs", archive, build / "calls.o")
    library = subprocess.run(
        ["c++", "-print-file-name=libsimgrid.so"], capture_output=True, text=True, check=True
    ).stdout.strip()
    bin_ = Path(sys.executable).parent
    _run(
        *(bin_ / "cmake", "-G", "Ninja", f"-DCMAKE_MAKE_PROGRAM={bin_ / 'ninja'}"),
        *("-S", root, "-B", build),
        *(f"-DPython_EXECUTABLE={sys.executable}", "-DCMAKE_BUILD_TYPE=Release"),
        f"-DMPI_LIBRARY=-Wl,-Bsymbolic;-Wl,--whole-archive,{archive},--no-whole-archive;{library}",
        f"-DMPI_INCLUDE={header.parent}",
    )  # fmt: skip
    for core in build.glob("_core*.so"):
        core.unlink()  # ninja does not see that the calls have changed
    _run(bin_ / "ninja", "-C", build, f"-j{jobs}")
    package = build / "python" / "fathom"
    package.mkdir(parents=True, exist_ok=True)
    for file in (root / "fathom").iterdir():
        link = package / file.name
        if file.name != "_core.so" and not link.exists():
            link.symlink_to(file)
    core = next(build.glob("_core*.so"))
    for source, name in ((core, core.name), (build / "built.py", "built.py")):
        (package / name).unlink(missing_ok=True)
        (package / name).symlink_to(source)
    program = build / "rank"
    lib, version = sysconfig.get_config_var("LIBDIR"), sysconfig.get_config_var("LDVERSION")
    _run(
        *("smpicc", "-O1", "-w", "-fPIC", python, here / "rank.c", "-o", program),
        *(f"-L{lib}", f"-Wl,-rpath,{lib}", f"-lpython{version}", "-ldl"),
    )
    return program


def on_ranks(program: Path, ranks: int, case: argparse.Namespace, folder: Path) -> dict:
    command = [
        # one rank a node: SimGrid shares a node's link anew among its messages whenever one ends
        *smpirun(folder, ranks, *simulated, per_node=1, links=case.links),
        str(program),
        *(str(case.experiment.resolve()), str(case.steps), *case.settings),
    ]
    path = [str(here), str(build / "python"), sysconfig.get_paths()["purelib"]]
    began = time.perf_counter()
    with subprocess.Popen(
        command,
        stdout=subprocess.PIPE,
        text=True,
        cwd=folder,
        env=os.environ
        | {"OMP_NUM_THREADS": "1", "PYTHONHOME": sys.base_prefix}
        | {"PYTHONPATH": os.pathsep.join(path)},
        start_new_session=True,
    ) as running:
        try:
            said, _ = running.communicate(timeout=case.limit)
        except subprocess.TimeoutExpired:
            os.killpg(running.pid, signal.SIGKILL)  # the launcher and its processes
            sys.exit(f"{ranks} ranks: not done after {case.limit:g} s")
    lines = [line for line in said.splitlines() if line.startswith("{")]
    if not lines:
        sys.exit(f"{ranks} ranks ended with status {running.returncode}: {said[-2000:]}")
    return json.loads(lines[-1]) | {"seconds": round(time.perf_counter() - began, 1)}


def main() -> int:
    ask = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    ask.add_argument("experiment", type=Path)
    ask.add_argument("--ranks", default="1,256")
    ask.add_argument("--steps", type=int, default=2)
    ask.add_argument("--set", action="append", default=[], dest="settings")
    ask.add_argument(
        "--without-links",
        action="store_false",
        dest="links",
        help="a network in which every message takes the same time: simulated much faster",
    )
    ask.add_argument("--limit", type=float, default=1800, help="seconds of one run")
    ask.add_argument("--jobs", type=int, default=2, help="of the compiler")
    case = ask.parse_args()
    if not shutil.which("smpicxx"):
        sys.exit("no smpicxx: SimGrid is not installed (Debian: libsimgrid-dev)")
    program = made(case.jobs)
    found = []
    with tempfile.TemporaryDirectory() as name:
        for ranks in map(int, case.ranks.split(",")):
            found.append(on_ranks(program, ranks, case, Path(name)))
            print(json.dumps(found[-1]), flush=True)
    return 0 if len({one["checksum"] for one in found}) == 1 else 1


if __name__ == "__main__":
    sys.exit(main())
