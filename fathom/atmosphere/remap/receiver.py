"""What a model of an area takes of the states of an outer one."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from fathom.atmosphere.physics.fields import AirFields
from fathom.atmosphere.remap.around_area import AroundArea, OnArea
from fathom.grids.levels import HybridLevels
from fathom.model.component import Array, Given


@dataclass(frozen=True)
class Receiver:
    """The columns of an area, and the fields that it takes on them.

    where : its columns, with their ground.
    levels : on which they are given.
    air : what the area carries.
    names : of what its `set` takes.
    compressible : whether it has the fields of compressible air.
    orography : returns its ground as it was given.
    lie_on : sets it.
    """

    where: OnArea | AroundArea
    levels: HybridLevels
    air: AirFields
    names: Sequence[str]
    compressible: bool
    orography: Callable[[], Given]
    lie_on: Callable[[Array], None]
