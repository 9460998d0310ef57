"""Veros compared with Fathom: seconds per step of its ACC set-up at a comparable size, measured in
its own process.

    python -m fathom.performance.bench.veros 1        # on one core; prints one JSON object

Lean: its own advection, friction, diffusion and mixing with the closures for eddies and turbulent
energy switched off. Veros counts all cells of its box; so do the figures here.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from importlib.util import find_spec
from typing import Any

shape = (120, 144, 40)  # nx, ny, nz
patience = 600  # [s]


def measured(threads: int = 1) -> dict[str, Any]:
    """Returns the figures of a run in another process: seconds per step per million cells; a
    message where there are none.
    """
    if find_spec("veros") is None:
        return {"message": "not installed (pip install 'veros[jax]')"}
    environment = of_no_rank() | {"VEROS_LOGLEVEL": "error", "OMP_NUM_THREADS": str(threads)}
    try:
        done = subprocess.run(
            [sys.executable, "-P", "-m", "fathom.performance.bench.veros", str(threads)],
            env=environment,
            capture_output=True,
            text=True,
            timeout=patience,
        )
        result: dict[str, Any] = json.loads(done.stdout.strip().splitlines()[-1])
        return result
    except subprocess.TimeoutExpired:
        return {"message": f"no answer within {patience} s"}
    except (OSError, ValueError, IndexError):
        last = (done.stderr.strip().splitlines() or ["no message"])[-1]
        return {"message": f"failed: {last[:160]}"}


def of_no_rank() -> dict[str, str]:
    """Returns the environment of a process that is not a rank of ours."""
    return {
        name: value
        for name, value in os.environ.items()
        if not name.startswith(("PMI", "OMPI", "HYDI", "MPI_"))
    }


def run(steps: int = 12, spin_up: int = 3) -> dict[str, Any]:
    """Returns time Veros here: on JAX if that is installed, otherwise on NumPy."""
    from veros import runtime_settings

    backend = "jax" if find_spec("jax") else "numpy"
    runtime_settings.backend = backend
    from veros import veros_routine
    from veros.core.operators import at, update
    from veros.core.operators import numpy as npx
    from veros.setups.acc.acc import ACCSetup

    class Lean(ACCSetup):  # type: ignore[misc]  # Veros has no types
        @veros_routine  # type: ignore[untyped-decorator]
        def set_parameter(self, state: Any) -> None:
            super().set_parameter(state)
            with state.settings.unlock():
                settings = state.settings
                settings.nx, settings.ny, settings.nz = shape
                settings.dt_mom, settings.dt_tracer = 1200.0, 1200.0
                settings.enable_neutral_diffusion = settings.enable_skew_diffusion = (
                    settings.enable_tke
                ) = settings.enable_eke = False
                settings.enable_hor_diffusion, settings.K_h = True, 1000.0
                settings.A_h, settings.kappaM_0, settings.kappaH_0 = 1e4, 1e-3, 1e-4

        @veros_routine  # type: ignore[untyped-decorator]
        def set_grid(self, state: Any) -> None:
            vs = state.variables
            thickness = npx.linspace(20.0, 180.0, shape[2])  # 4000 m
            vs.dxt, vs.dyt = update(vs.dxt, at[...], 0.5), update(vs.dyt, at[...], 0.5)
            vs.dzt = update(vs.dzt, at[...], thickness[::-1])

        @veros_routine  # type: ignore[untyped-decorator]
        def set_diagnostics(self, state: Any) -> None:
            state.diagnostics.clear()

    model = Lean()
    model.setup()
    for _ in range(spin_up):
        model.step(model.state)
    began = time.perf_counter()
    for _ in range(steps):
        model.step(model.state)
    float(model.state.variables.temp.sum())  # the result has been computed
    seconds, cells = (time.perf_counter() - began) / steps, shape[0] * shape[1] * shape[2]
    import veros

    return {
        "seconds_per_step": seconds,
        "cells": cells,
        "seconds_per_step_per_million_cells": seconds / cells * 1e6,
        "what": (
            f"Veros {veros.__version__} on {backend}, ACC {shape[0]}×{shape[1]}×{shape[2]}, lean,"
            " fp64, every cell counted"
        ),
    }


if __name__ == "__main__":
    if len(sys.argv) > 1 and hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(
            0, sorted(os.sched_getaffinity(0))[: int(sys.argv[1])]
        )  # JAX would take them all
    print(json.dumps(run()))
