"""Additions to the benchmark of the ocean for a device: its own bandwidth, its power, the processor
of the same machine with all its cores, and what others have published.
"""

from __future__ import annotations

import json
import math
import os
import subprocess
import sys
import tempfile
from pathlib import Path
from statistics import mean
from typing import Any

from fathom import device
from fathom.performance.bench import veros

copied = 1 << 30  # bytes
patience = 600  # [s]
watched = 4.0  # seconds of steps while the power is read, of which the first half is not counted
year = 365.2425 * 86400  # [s]

published = [
    {
        "model": "Veros",
        "years_per_day": 1.3,
        "what": "global, 0.1°, fp32, 16 NVIDIA A100",
        "source": "Häfner et al. 2021, doi:10.1029/2021MS002717, abstract",
    },
    {
        "model": "Oceananigans",
        "years_per_day": 9.9,
        "what": "near-global, 10 km, 68 NVIDIA A100",
        "source": "Silvestri et al. 2023, arXiv:2309.06662, abstract",
    },
    {
        "model": "Oceananigans",
        "years_per_day": 10.0,
        "what": "near-global, 8 km, 64 NVIDIA A100",
        "source": "Silvestri et al. 2025, doi:10.1029/2024MS004465, abstract",
    },
]


def figures(simulation: Any, case: Any, seconds: float) -> dict[str, Any]:
    """seconds: of a step."""
    there = device.open(case.device)
    watts = power(simulation, seconds)
    spent = None if watts is None else watts * seconds
    return {
        "name": there.name,
        "cache_bytes": there.cache,
        "copy_bytes_per_second": there.copy_bandwidth(min(copied, there.free_memory // 4)),
        "watts": watts,
        "joules_per_step": spent,
        "kilowatt_hours_per_simulated_year": spent and spent * year / simulation.step / 3.6e6,
        "processor": processor(case, seconds) if case.peers else {},
        "published": published,
    }


def power(simulation: Any, seconds: float) -> float | None:
    """Watts of the device while steps are taken, as its driver says; None where it does not."""
    command = ["nvidia-smi", "--id=0", "--query-gpu=power.draw", "--format=csv,noheader,nounits"]
    try:
        reader = subprocess.Popen(
            [*command, "--loop-ms=100"],
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
        )
    except OSError:
        return None
    simulation.advance(max(math.ceil(watched / seconds), 1))
    reader.terminate()
    said, _ = reader.communicate()
    try:
        found = [float(line) for line in said.split()]
    except ValueError:
        return None
    return mean(found[len(found) // 2 :]) if found else None


def processor(case: Any, seconds: float) -> dict[str, Any]:
    """The case on a rank for each core, in separate processes."""
    cores = len(os.sched_getaffinity(0))
    with tempfile.TemporaryDirectory(prefix="fathom-bench-") as folder:
        file = Path(folder) / "processor.json"
        command = [sys.executable, "-P", "-m", "fathom", "bench", "ocean", "--no-peers"]
        for option in ("grid", "physics", "precision", "solver", "preconditioner", "step"):
            if (value := getattr(case, option)) is not None:
                command += [f"--{option}", value]
        command += ["--ranks", str(cores), "--steps", str(min(case.steps, 48)), "--json", str(file)]
        try:
            done = subprocess.run(
                command,
                env=veros.of_no_rank(),
                capture_output=True,
                text=True,
                timeout=patience,
            )
        except subprocess.TimeoutExpired:
            return {"message": f"no answer within {patience} s"}
        if done.returncode:
            last = (done.stderr.strip().splitlines() or ["no message"])[-1]
            return {"message": f"failed: {last[:160]}"}
        found = json.loads(file.read_text())
    return {
        "machine": found["machine"],
        "ranks": cores,
        "seconds_per_step": found["seconds_per_step"],
        "triad_bytes_per_second": found["triad_bytes_per_second"],
        "over_device": found["seconds_per_step"] / seconds,
    }
