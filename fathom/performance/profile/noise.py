"""Interruptions put into the steps of a run, and what they cost: those of ranks at moments of their
own, and those of all ranks at once. An operating system that interrupts each core by itself delays
each sum over ranks by the slowest; one that interrupts all at once costs only the time it takes.

Petrini, Kerbyson & Pakin 2003, doi:10.1145/1048935.1050204, section 4.
"""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import Any

import numpy as np

from fathom.base import mpi
from fathom.base.failure import InputError
from fathom.performance import pairs

rounds = 12
kinds = {"none": None, "at once": True, "loose": False}


@dataclass(frozen=True)
class Noise:
    """Interruptions: so many a second [1/s], each so long [s]."""

    frequency: float
    duration: float

    @classmethod
    def read(cls, text: str) -> Noise:
        """Returns it from words such as "1000,25us"; InputError: they are none."""
        number, _, length = text.partition(",")
        units = {"us": 1e-6, "µs": 1e-6, "ms": 1e-3, "s": 1.0}
        unit = next((u for u in units if length.strip().endswith(u)), None)
        try:
            if unit is None:
                raise ValueError
            made = cls(float(number), float(length.strip().removesuffix(unit)) * units[unit])
        except ValueError:
            raise InputError(
                f"noise '{text}': a frequency and a length, such as 1000,25us (units us, ms, s)"
            ) from None
        if not (made.frequency > 0 and 0 < made.share < 0.5):
            raise InputError(f"noise '{text}' takes {100 * made.share:g} % of the time; at most 50")
        return made

    @property
    def share(self) -> float:
        """Returns the part of the time that interruptions take."""
        return self.frequency * self.duration


def cost(s: Any, noise: Noise, seconds: float = 0.5) -> dict[str, Any]:
    """Returns what each kind of interruptions costs: seconds of a step over those without, its
    error, and interruptions counted; a few steps of each kind in turn, all ranks together.
    """
    steps = _steps(s, seconds)
    took: dict[str, list[float]] = {kind: [] for kind in kinds}
    counts = dict.fromkeys(kinds, 0)
    for n in range(rounds):
        for kind in list(kinds) if n % 2 else reversed(kinds):
            seconds_taken, count = _timed(s, noise, kinds[kind], steps)
            took[kind].append(seconds_taken)
            counts[kind] += count
    quiet = np.array(took["none"])
    found = {}
    for kind in ("at once", "loose"):
        ratio, error = pairs.middle(np.array(took[kind]) / quiet)
        found[kind] = {"ratio": ratio, "error": error, "interruptions": counts[kind]}
    return {"frequency": noise.frequency, "duration": noise.duration, "share": noise.share} | found


def _steps(s: Any, seconds: float) -> int:
    """Returns how many steps take so long; the same on all ranks."""
    took, _ = _timed(s, None, None, 1)
    return int(s.comm.bcast(max(1, round(seconds / max(took, 1e-9)))))


def _timed(s: Any, noise: Noise | None, together: bool | None, steps: int) -> tuple[float, int]:
    """Returns seconds of so many steps of the slowest rank, and interruptions of this one."""
    s.comm.barrier()
    began = time.perf_counter()
    count = 0
    if noise is None or together is None:
        s.advance(steps)
    else:
        source = mpi.core.Interruptions(noise.frequency, noise.duration, together)
        before = source.count
        s.advance(steps)
        count = source.count - before
        del source
    took = time.perf_counter() - began
    return float(s.comm.allreduce(took, op=mpi.MPI.MAX)), count


def say(found: dict[str, Any]) -> str:
    """Returns it in a line."""
    parts = [
        f"{kind} {found[kind]['ratio']:.3f} ± {found[kind]['error']:.3f}"
        for kind in ("at once", "loose")
    ]
    return (
        f"{found['frequency']:g} a second of {1e6 * found['duration']:g} µs,"
        f" {100 * found['share']:.1f} % of the time: a step takes {', '.join(parts)} times as long"
    )
