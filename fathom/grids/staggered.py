"""Grids of one name for water and for air: what is in their cells follows from the staggering.

CartesianGrid(64, 64, extent=(1e6, 1e6))                  # "B": water, velocities on corners
CartesianGrid(64, extent=1e6, staggering="C")             # air, velocities on faces
CartesianGrid(64, levels=HeightLevels(nz=40), extent=1e6) # the same: HeightLevels are of "C"
"""

from __future__ import annotations

import inspect
from collections.abc import Mapping
from typing import Any, ClassVar, Literal, Self

from fathom.base.failure import InputError
from fathom.grids.arguments import choice
from fathom.grids.grid import Grid

Staggering = Literal["A", "B", "C"]


class Staggered(Grid):
    """A grid with an argument `staggering`: calling it makes a grid of the subclass for this one.

    A direct subclass has the public name and all arguments; its own subclasses say which
    staggering they are for, and build:

        class CartesianGrid(Staggered): ...
        class OnCorners(WaterGrid, CartesianGrid, staggering="B"): ...

    `only`: arguments that one staggering has alone, {name: staggering}.
    """

    _build: Any  # makes the grid of its arguments
    kinds: ClassVar[dict[str, type[Staggered]]] = {}
    only: ClassVar[Mapping[str, str]] = {}

    def __init_subclass__(cls, staggering: Staggering | None = None, **more: Any) -> None:
        """Enters the subclass for a staggering; to users it has the public name."""
        super().__init_subclass__(**more)
        if staggering is None:
            cls.kinds = {}
            return
        public = next(base for base in cls.__bases__ if issubclass(base, Staggered))
        cls.staggering, cls.__name__ = staggering, public.__name__
        cls.kinds[staggering] = cls

    def __new__(cls, *given: Any, **named: Any) -> Self:
        """Makes a grid of the subclass for the staggering. InputError: there is none."""
        kind: Any = cls
        if cls not in cls.kinds.values():
            asked = named.get("staggering")
            asked = cls._fitting(named.get("levels")) if asked is None else asked
            kind = cls.kinds[choice("staggering", asked, list(cls.kinds))]
        made: Self = super().__new__(kind, *given, **named)
        return made

    @classmethod
    def _fitting(cls, levels: Any) -> str:
        """Returns the staggering that has levels of this kind; "B" where none has."""
        fit = (name for name, kind in cls.kinds.items() if isinstance(levels, kind.levels_of))
        return next(fit, "B")

    def _own(self, **given: Any) -> dict[str, Any]:
        """Returns the arguments that this staggering has. InputError: another one has one that is
        not its default.
        """
        usual = inspect.signature(type(self).__init__).parameters
        for name, value in given.items():
            default = usual[name].default
            if not _is_usual(value, default) and self.only[name] != self.staggering:
                raise InputError(
                    f"{name} is for staggering = {self.only[name]!r}; this {type(self).__name__}"
                    f" has {self.staggering!r}"
                )
        return {name: value for name, value in given.items() if self.only[name] == self.staggering}


def _is_usual(value: Any, default: Any) -> bool:
    """Returns whether an argument is its default, as such or as a file gives it."""
    if isinstance(default, tuple):
        return isinstance(value, (list, tuple)) and tuple(value) == default
    return value is default or (isinstance(value, (int, float, str)) and value == default)
