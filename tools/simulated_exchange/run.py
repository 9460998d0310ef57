#!/usr/bin/env python3
"""The simulator's price of a halo and a sum against the same exchange and sum on ranks that SimGrid
simulates in one process (Debian: libsimgrid-dev).

    tools/simulated_exchange/run.py --ranks 256,1024,4096
        exit status 1 if a number arrived wrong

Both have the same network: a torus or a switch, latency and bandwidth of its links, the time of a
core for a message. Compared are the plans of virtual ranks, hops, stages of sums, and waiting.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np

from fathom.performance.scaling.clocks import Clocks
from fathom.performance.scaling.machine import Machine
from fathom.performance.scaling.network import shape_of

here, root = Path(__file__).parent, Path(__file__).resolve().parents[2]
sources = [
    here / "iterations_on_ranks.cpp",
    root / "core/machine/region.cpp",
    *sorted((root / "core/parallel").rglob("*.cpp")),
]
latency, bandwidth, overhead = 1e-6, 1e10, 5e-7  # of a link; bytes/s of it; of a core for a message
platform = """<?xml version='1.0'?>
<!DOCTYPE platform SYSTEM "https://simgrid.org/simgrid.dtd">
<platform version="4.1">
  <cluster id="nodes" {topology} prefix="n" suffix="" radical="0-{last}" speed="4Gf"
           bw="{bandwidth}Bps" lat="{latency}s" loopback_bw="20GBps" loopback_lat="0.2us"/>
</platform>
"""
simulated = (
    "--cfg=smpi/simulate-computation:no --cfg=contexts/stack-size:1024 --cfg=contexts/factory:raw"
    " --cfg=contexts/guard-size:0 -no-privatize --log=root.thres:error --cfg=smpi/allreduce:rdb"
    " --cfg=smpi/barrier:ompi_recursivedoubling --cfg=smpi/bcast:binomial_tree"
    " --cfg=network/crosstraffic:no --cfg=network/model:CM02 --cfg=network/latency-factor:1"
    f" --cfg=network/bandwidth-factor:1 --cfg=network/weight-S:0 --cfg=smpi/os:0:{overhead}:0"
    f" --cfg=smpi/or:0:{overhead}:0 --cfg=smpi/ois:0:{overhead}:0"
).split()


def build(folder: Path) -> Path:
    program = folder / "iterations"
    if not program.exists():
        objects = [folder / f"{source.stem}.o" for source in sources]
        command = [
            *filter(None, [shutil.which("ccache")]),
            "smpicxx",
            "-std=c++20",
            "-O1",
            "-w",
            "-fPIC",
            f"-I{root / 'core'}",
        ]
        running = [
            subprocess.Popen([*command, "-c", str(source), "-o", str(made)])
            for source, made in zip(sources, objects)
        ]
        failed = [p.wait() for p in running]  # waits for all of them
        if any(failed):
            sys.exit("iterations_on_ranks does not compile")
        subprocess.run(["smpicxx", *map(str, objects), "-o", str(program)], check=True)
    return program


def grid_of(ranks: int) -> tuple[int, int, int, int, int]:
    """Columns, rows, width and height of a block, halo: as many blocks with water as ranks, or a
    few more.
    """
    side = int(np.ceil(np.sqrt(ranks)))
    worlds = [
        (
            columns * rows
            - sum(i % 7 == 3 and j % 5 == 2 for j in range(rows) for i in range(columns)),
            columns,
            rows,
        )
        for rows in range(side - 3, side + 4)
        for columns in range(side - 3, side + 4)
    ]
    _, columns, rows = min(w for w in worlds if w[0] >= ranks)
    return 12 * columns, 8 * rows, 12, 8, 2


def on_simulated_ranks(
    program: Path, folder: Path, ranks: int, topology: str, way: str, iterations: int, limit: float
) -> dict:
    shape = shape_of(ranks, 3)
    text = (
        f'topology="TORUS" topo_parameters="{",".join(map(str, shape))}"'
        if topology == "torus"
        else ""
    )
    (folder / "platform.xml").write_text(
        platform.format(
            topology=text,
            last=int(np.prod(shape)) - 1 if text else ranks - 1,
            bandwidth=bandwidth,
            latency=latency / (1 if text else 2),
        ),
        encoding="utf-8",
    )
    (folder / "hosts").write_text("".join(f"n{rank}\n" for rank in range(ranks)), encoding="utf-8")
    command = [
        "smpirun",
        *simulated,
        "-np",
        str(ranks),
        "-hostfile",
        str(folder / "hosts"),
        "-platform",
        str(folder / "platform.xml"),
        str(program),
        *map(str, (*grid_of(ranks), iterations, way)),
    ]
    done = subprocess.run(
        command,
        capture_output=True,
        text=True,
        timeout=limit,
        env=os.environ | {"OMP_NUM_THREADS": "1"},
    )
    lines = [line for line in done.stdout.splitlines() if line.startswith("{")]
    if not lines:
        raise SystemExit(done.stderr[-2000:] or "it said nothing")
    return json.loads(lines[-1])


def priced(ranks: int, topology: str, way: str) -> dict:
    """The same iteration by the simulator."""
    from fathom.base.mpi import core

    machine = Machine(
        "both",
        {
            "node.cores": 1,
            "network.topology": "torus" if topology == "torus" else "crossbar",
            "network.latency": latency,
            "network.hop": latency,
            "network.overhead": overhead,
            "network.gap": 0.0,
            "network.bandwidth": bandwidth,
            "network.dimensions": 3,
            "sum.algorithm": "recursive-doubling",
        },
    )
    nx, ny, width, height, halo = grid_of(ranks)
    i, j = np.meshgrid(np.arange(nx) // width, np.arange(ny) // height)
    wet = np.where((i % 7 == 3) & (j % 5 == 2), 0, 1).astype(np.int32)
    d = core.decompose(
        core.Topology(nx, ny, True, False),
        wet.ravel(),
        ranks,
        width,
        height,
        distribution="space-filling",
        halo=halo,
    )
    m = core.halo_plan(d, "center", halo, halo).messages
    m = m[m[:, 0] != m[:, 1]]
    t = Clocks(machine, ranks)
    t.exchange(t.messages(m[:, 0], m[:, 1], 8 * m[:, 2]), "halo")
    t.sum(3, "sum", way)
    return {"messages": len(m), "seconds": t.elapsed, "halo": t.mean("halo"), "sum": t.mean("sum")}


def main() -> int:
    ask = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    ask.add_argument("--ranks", default="64,256,1024")
    ask.add_argument("--topologies", default="switch,torus")
    ask.add_argument("--sums", default="allreduce,recursive-doubling,tree")
    ask.add_argument("--iterations", type=int, default=5)
    ask.add_argument("--limit", type=float, default=550, help="seconds of one simulation")
    ask.add_argument("--json", type=Path)
    given = ask.parse_args()
    if not shutil.which("smpicxx"):
        sys.exit("no smpicxx: SimGrid is not installed (Debian: libsimgrid-dev)")
    found, right = [], True
    with tempfile.TemporaryDirectory() as name:
        program = build(Path(name))
        print(
            f"{'ranks':>7} {'network':<8} {'sum':<20}{'simulated':>12}{'priced':>12}{'ratio':>8}  "
            " messages"
        )
        for ranks in map(int, given.ranks.split(",")):
            for topology in given.topologies.split(","):
                for way in given.sums.split(","):
                    real = on_simulated_ranks(
                        program, Path(name), ranks, topology, way, given.iterations, given.limit
                    )
                    price = priced(ranks, topology, way)
                    right = right and real["right"] and real["messages"] == price["messages"]
                    found.append(
                        {
                            "ranks": ranks,
                            "topology": topology,
                            "sum": way,
                            "simulated": real,
                            "priced": price,
                        }
                    )
                    print(
                        f"{ranks:>7} {topology:<8} {way:<20}{1e6 * real['seconds']:9.2f}"
                        f" us{1e6 * price['seconds']:9.2f}"
                        f" us{price['seconds'] / real['seconds']:8.2f}   {real['messages']:.0f}"
                        + (
                            ""
                            if real["right"] and real["messages"] == price["messages"]
                            else f" WRONG (priced {price['messages']})"
                        ),
                        flush=True,
                    )
    if given.json:
        given.json.write_text(json.dumps(found, indent=1) + "\n", encoding="utf-8")
    return 0 if right else 1


if __name__ == "__main__":
    sys.exit(main())
