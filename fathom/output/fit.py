"""Spectral fit: a variable as the waves up to a truncation have it, on the model's own points.

    f' = S^-1 [n <= N] S f;    of winds S takes u cos(phi), v cos(phi), up to N + 1

It smooths what columns or physics have left at the scale of the grid; beside other targets it comes
first. Who writes a variable has all of it, so that the bits do not depend on ranks or servers.
"""

from dataclasses import replace
from functools import cached_property, partial
from typing import Any

import numpy as np

from fathom.failure import InputError
from fathom.output.diagnostics import Diagnostic


class Fit:
    """To a truncation on a Gaussian grid. ValueError: another grid, or waves that it has not."""

    def __init__(self, grid: Any, truncation: Any):
        most = getattr(grid, "truncation", None)
        if most is None or not hasattr(grid, "harmonics"):
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

    def of(self, name: str, diagnostic: Diagnostic) -> Diagnostic:
        """The variable of that name, fitted. ValueError: wind of a grid with another pole."""
        wind = "wind" in name and "ward" in name
        if wind and self.grid.angle is not None:
            raise InputError(
                f"fit = {self.truncation}: '{name}' as on earth is no smooth field about the pole"
                " of this grid; fit what has no direction"
            )
        made = partial(self._fitted, diagnostic.of, wind)
        return replace(diagnostic, of=made, whole=True)

    def _fitted(self, of, wind, *given):
        values = np.asarray(of(*given), float)
        if not wind:
            return self._transform.inverse(self._transform.direct(values))
        cosine = np.cos(np.deg2rad(self.grid.latitude))[:, None]
        image = self._of_wind.inverse(self._of_wind.direct(values * cosine))
        return np.ascontiguousarray(image / cosine)

    @cached_property
    def _transform(self):
        return self._up_to(self.truncation)

    @cached_property
    def _of_wind(self):
        return self._up_to(self.truncation + 1)

    def _up_to(self, truncation):
        from fathom.transform import SphericalHarmonics  # loads the core

        return SphericalHarmonics(truncation, self.grid.rows)
