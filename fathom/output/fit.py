"""Spectral fit: a variable as the waves up to a truncation have it, on the model's own points.

    f' = S^-1 [n <= N] S f;    of winds S takes vorticity and divergence

It smooths the noise of columns or physics at the scale of the grid; with other targets it comes
first. Places without a value (a potential temperature that is not reached) stay without one. In the
sums they start midway between the least and the largest value, and are replaced ten times by the
value of the waves there. All ranks that compute make it together, before the output is sent, with
the same bits on any of them.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from fathom.base import mpi
from fathom.base.failure import InputError
from fathom.output.diagnostics import Blocks, Diagnostic, Together, of_blocks

if TYPE_CHECKING:
    from fathom.grids.transform.on_blocks import OnBlocks
    from fathom.output.host import Host


class Fit:
    """A fit to a truncation on a Gaussian grid. ValueError: another grid, or waves that it has
    not.
    """

    def __init__(self, grid: Any, truncation: Any) -> None:
        most = grid.truncation
        if most is None or grid.sphere is None:
            raise InputError(
                f"spectral_truncation = {truncation}: a spectral fit is of a Gaussian grid; this is"
                f" {type(grid).__name__}"
            )
        if not (type(truncation) is int and 1 <= truncation <= most):
            raise InputError(
                f"spectral_truncation = {truncation!r}: a whole number of waves is wanted, from 1"
                f" to {most}, the truncation of the model"
            )
        self.grid, self.truncation = grid, truncation

    def of(
        self, name: str, parts: dict[str, Diagnostic], levels: int, kept: str, units: str
    ) -> Diagnostic:
        """Returns the variable of that name, fitted; `parts`: itself, or both components of its
        wind; `levels`: how many it has; `kept` in fields of that vertical place. ValueError: wind
        of a grid with another pole.
        """
        if len(parts) == 2 and self.grid.angle is not None:
            raise InputError(
                f"spectral_truncation = {self.truncation}: '{name}' as on earth is not smooth"
                " about the pole of this grid; fit fields without direction"
            )
        height = self.grid.levels.nz
        room = {"column": 1, "layer": height, "interface": height + 1}[kept]
        fields = {
            part: tuple(f"waves of {part} from {k}" for k in range(0, levels, room))
            for part in parts
        }

        def fitted(simulation: Host, blocks: Blocks) -> dict[str, list[np.ndarray]]:
            values = [of_blocks(simulation, d, "center", blocks) for d in parts.values()]
            images = _fitted(simulation, self.truncation, values, levels)
            return {
                field: [v[k : k + room] for v in image]
                for part, image in zip(parts, images)
                for field, k in zip(fields[part], range(0, levels, room))
            }

        diagnostic = parts[name]
        before = [step for d in parts.values() for step in d.before]
        made = Together(
            tuple(dict.fromkeys(need for d in parts.values() for need in d.needs)),
            tuple(field for part in parts for field in fields[part]),
            fitted,
            kept,
            min(room, levels),
            units,
            surface=diagnostic.surface,
        )
        return Diagnostic(
            fields[name],
            lambda model, window, *parts: np.concatenate(parts)[:levels],
            linear=diagnostic.linear,
            vertical=kept,
            before=(*before, made),
        )


def _fitted(
    simulation: Host, truncation: int, values: list[list[np.ndarray]], levels: int
) -> list[list[np.ndarray]]:
    """Returns blocks of a field, or of both components of a wind, up to the truncation; missing
    where `values` are.
    """
    waves = _waves(simulation, truncation)
    missing = [[np.isnan(v) for v in part] for part in values]
    if not simulation.comm.allreduce(sum(int(m.sum()) for part in missing for m in part)):
        return _image(waves, values, levels)
    most = np.array([[_largest(part, levels, sign) for sign in (1, -1)] for part in values])
    simulation.comm.Allreduce(mpi.MPI.IN_PLACE, most, op=mpi.MPI.MAX)
    above, below = most[:, 0, :, None, None], -most[:, 1, :, None, None]
    image = [[middle] * len(part) for middle, part in zip((above + below) / 2, values)]
    for _ in range(11):
        filled = [list(map(np.where, *parts)) for parts in zip(missing, image, values)]
        image = _image(waves, filled, levels)
    return [[np.where(m, np.nan, v) for m, v in zip(*parts)] for parts in zip(missing, image)]


def _image(waves: OnBlocks, values: list[list[np.ndarray]], levels: int) -> list[list[np.ndarray]]:
    if len(values) == 1:
        return [waves.fitted(values[0], levels)]
    factor = waves.map_factor
    east, north = ([v / m for v, m in zip(part, factor)] for part in values)
    return [
        [v * m for v, m in zip(part, factor)] for part in waves.fitted_wind(east, north, levels)
    ]


def _largest(blocks: Sequence[np.ndarray], levels: int, sign: int) -> np.ndarray:
    """Returns the largest of sign times each level; very small on a rank without a value."""
    most = np.full(levels, -1e300)
    for v in blocks:
        of_block = (sign * v).reshape(levels, -1)
        most = np.fmax(most, np.fmax.reduce(of_block, axis=1, initial=-1e300))
    return most


def _waves(simulation: Host, truncation: int) -> OnBlocks:
    from fathom.grids.transform.on_blocks import OnBlocks  # loads the core

    return OnBlocks.of(simulation, truncation)
