"""Levels: where a column is cut."""

import numpy as np

from .arguments import choice, core, integer, number_of, reject, span


class ZLevels:
    """Levels of fixed depth.

    Parameters
    ----------
    number : int, default 40
    depth : float [m], default 5500. Depth of the last interface.
    surface : float [m], default 10 (at most depth / number). Thickness of the first layer; thickness grows smoothly downward.
    spacing : "stretched" (default) or "uniform".
    thickness : list of float [m]. The layers themselves, in place of all else.
    """

    def __init__(self, number=None, depth=None, surface=None, spacing=None, thickness=None, **unknown):
        reject(self, unknown)
        if thickness is not None:
            if (number, depth, surface, spacing) != (None,) * 4:
                raise ValueError("ZLevels takes either thickness, or number, depth, surface and spacing")
            self.vertical = core().levels_from_thickness([number_of("thickness", t, "m") for t in np.atleast_1d(np.asarray(thickness, object))])
            return
        number = integer("number", 40 if number is None else number)
        depth = number_of("depth", 5500 if depth is None else depth, "m")
        if choice("spacing", spacing or "stretched", ["stretched", "uniform"]) == "uniform":
            if surface is not None:
                raise ValueError(f"surface = {surface} m belongs to stretched levels; these are uniform")
            self.vertical = core().uniform_levels(number, depth)
        else:
            surface = min(10.0, depth / max(number, 1)) if surface is None else number_of("surface", surface, "m")
            self.vertical = core().stretched_levels(number, depth, surface)

    @property
    def number(self):
        return self.vertical.levels

    @property
    def middles(self):
        """Depth of the middle of each layer [m]."""
        return np.cumsum(self.weights) - self.weights / 2

    @property
    def weights(self):
        """Thickness [m]: what a layer counts for in means."""
        return np.asarray(self.vertical.thickness)

    def text(self, k):
        """Where layer k is, in words."""
        return f"{self.middles[k]:.0f} m"

    def __repr__(self):
        v = self.vertical
        return f"ZLevels({v.levels} of {span(v.thickness, 'm')}, to {v.depth:g} m)"
