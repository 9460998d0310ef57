"""The work of processes that is known without timing: the bytes of their declarations, and the
parts of the spectral step that count their operations.
"""

from __future__ import annotations

from typing import Any

# of the spectral step: name, key in `SpectralProcess.spent`
parts = {
    "Legendre transform": "legendre",
    "Fourier transform": "fourier",
    "semi-implicit solve": "semi_implicit",
    "horizontal diffusion": "diffusion",
    "halo packing": "packing",
}
# of a profile: name of a region -> keys of what is done in it. Waves of an area are transformed
# along columns, not by Legendre polynomials
of_regions = {
    "Legendre transform": ("legendre",),
    "Fourier transform of columns": ("legendre",),
    "Fourier transform": ("fourier",),
    "semi-implicit solve and diffusion": ("semi_implicit", "diffusion"),
    "halo packing": ("packing",),
    "departure points": ("departure",),
    "interpolation": ("interpolation",),
}


def declared_bytes(run: Any, processes: list[Any], bytes_: int) -> dict[str, float]:
    """Returns the bytes of each column process on this rank: every field of its columns that it
    reads or writes, once; those it updates twice.
    """
    points = sum(b[2] * b[3] for b in run.domain.blocks)
    held = {f["name"]: f["levels"] for f in run.fields.fields}
    return {
        p.name: (
            float(
                sum(
                    points * held[f["name"]] * (2 if f["access"] == "updates" else 1)
                    for f in p.fields
                    if f["horizontal"] not in ("none", "profile")  # one for all columns
                )
            )
            * bytes_
        )
        for p in processes
    }


def steps_of_a_cycle(simulation: Any) -> int:
    """Returns after how many steps all processes have run, radiation too."""
    listed = simulation.model.processes(simulation.time_step, simulation.surface)
    return max((p.every for p in listed), default=1)
