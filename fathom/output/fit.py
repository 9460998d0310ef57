"""Spectral fit: a variable as the waves up to a truncation have it, on the model's own points.

    f' = S^-1 [n <= N] S f;    of winds S takes u cos(phi), v cos(phi), up to N + 1

It smooths what columns or physics have left at the scale of the grid; with other targets it comes
first. All ranks that compute make it together, before the output is sent, with the same bits on any
of them.
"""

from typing import Any

import numpy as np

from fathom.failure import InputError
from fathom.output.diagnostics import Diagnostic, Together, of_blocks


class Fit:
    """To a truncation on a Gaussian grid. ValueError: another grid, or waves that it has not."""

    def __init__(self, grid: Any, truncation: Any):
        most = getattr(grid, "truncation", None)
        if most is None or not hasattr(grid, "rows"):
            raise InputError(
                f"fit = {truncation}: a spectral fit is of a Gaussian grid; this is"
                f" {type(grid).__name__}"
            )
        if not (type(truncation) is int and 1 <= truncation <= most):
            raise InputError(
                f"fit = {truncation!r}: a whole number of waves is wanted, from 1 to {most}, the"
                " truncation of the model"
            )
        self.grid, self.truncation = grid, truncation

    def of(
        self, name: str, diagnostic: Diagnostic, levels: int, kept: str, units: str
    ) -> Diagnostic:
        """The variable of that name, fitted; `levels`: how many it has; `kept` in fields of that
        vertical place. ValueError: wind of a grid with another pole.
        """
        wind = "wind" in name and "ward" in name
        if wind and self.grid.angle is not None:
            raise InputError(
                f"fit = {self.truncation}: '{name}' as on earth is not smooth about the pole of"
                " this grid; fit fields without direction"
            )
        height = self.grid.levels.number
        room = {"column": 1, "layer": height, "interface": height + 1}[kept]
        fields = tuple(f"waves of {name} from {k}" for k in range(0, levels, room))

        def fitted(simulation, blocks):
            values = of_blocks(simulation, diagnostic, "center", blocks)
            values = (self._of_wind if wind else self._image)(simulation, values, levels)
            return {
                field: [v[k : k + room] for v in values]
                for field, k in zip(fields, range(0, levels, room))
            }

        made = Together(
            diagnostic.needs,
            fields,
            fitted,
            kept,
            min(room, levels),
            units,
            surface=diagnostic.surface,
        )
        return Diagnostic(
            fields,
            lambda model, window, *parts: np.concatenate(parts)[:levels],
            linear=diagnostic.linear,
            vertical=kept,
            before=(*diagnostic.before, made),
        )

    def _image(self, simulation, values, levels):
        return _waves(simulation, self.truncation).fitted(values, levels)

    def _of_wind(self, simulation, values, levels):
        waves = _waves(simulation, self.truncation + 1)
        cosine = waves.cosine
        image = waves.fitted([v * c for v, c in zip(values, cosine)], levels)
        return [v / c for v, c in zip(image, cosine)]


def _waves(simulation, truncation):
    from fathom.transform.on_blocks import OnBlocks  # loads the core

    return OnBlocks.of(simulation, truncation)
