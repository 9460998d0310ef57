"""Places of the numbers of a store: on the model's grid and levels, or on others."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np

from fathom.base.failure import InputError
from fathom.grids.regrid import overlap, targets, windows
from fathom.grids.regrid.chosen import chosen

if TYPE_CHECKING:
    from fathom.grids.regrid.chosen import ChosenLevels
    from fathom.grids.regrid.targets import Target
    from fathom.output.host import Host

Made = TypeVar("Made")

methods = ("bilinear", "conservative")  # of regridding


class Places:
    """The part of a Store that knows its place."""

    simulation: Host
    path: Path
    levels: ChosenLevels | None
    zonal: bool
    conserves: bool  # regrids conservatively
    target: Any
    places: dict[str, Any]
    beside: dict[str, Any]

    def _said(self, make: Callable[..., Made], *given: Any) -> Made:
        """Calls `make`; a ValueError of it names the output."""
        try:
            return make(*given)
        except ValueError as error:
            raise InputError(f"output {self.path}: {error}") from None

    def _place(
        self, latlon_resolution: float | None, grid: Any, section: Any, area: Any
    ) -> Target | None:
        """Returns the target of the store; None: the model's own grid. ValueError: settings that
        exclude each other.
        """
        if section is not None:
            other = {
                "latlon_resolution": latlon_resolution,
                "grid": grid,
                "area": area,
                "zonal": self.zonal or None,
            }
            self._one_place(section, {k: value for k, value in other.items() if value is not None})
            return targets.section(section)
        if grid is not None and latlon_resolution is not None:
            self._one_place(latlon_resolution, {"grid": grid}, "latlon_resolution")
        target = None if latlon_resolution is None else targets.regular(latlon_resolution)
        if grid is not None:
            target = self._said(targets.of_grid, grid)
        if self.conserves:
            target = self._of_cells(target)
        if area is None and not self.zonal:
            # of a limited area: without its extension
            return target or self.simulation.model.grid.window
        return self._said(self._part, target, area)

    def _of_cells(self, target: Target | None) -> Target:
        """Returns the target, to take means over its cells."""
        if target is None:
            raise InputError(
                f"output {self.path}: regrid = 'conservative' goes with latlon_resolution = 1, or"
                " another grid: these say what the new cells are"
            )
        self._said(overlap.check, self.simulation.model.grid, target.mapping)
        target.conservative = True
        return target

    def _part(self, target: Target | None, area: Any) -> Target:
        """Returns an area of a target, or of the model's own grid (None), and its means along
        circles.
        """
        own = self.simulation.model.grid.mapping() if target is None else target.mapping
        if self.zonal and "longitude" not in own:
            raise InputError("zonal = true is along latitudes of the earth; the grid is a plane")
        if area is not None or target is None:
            cut = windows.window(own, area or windows.globe)
            target = cut if target is None else cut.without_grid()
            target.conservative = self.conserves
        if not self.zonal:
            return target
        means = windows.ZonalMean(target)
        return means.as_cells() if self.conserves else means

    def _one_place(self, section: Any, other: Mapping[str, Any], what: str = "section") -> None:
        for name, value in other.items():
            if name == "grid":  # a grid prints as several lines
                value = value["type"] if isinstance(value, dict) else type(value).__name__
            raise InputError(
                f"output {self.path}: {what} = {section} and {name} = {value} are two places;"
                " give one of them, and another output the other"
            )

    def _chosen(self, levels: Any) -> ChosenLevels | None:
        """Returns chosen levels; None: those of the model."""
        if levels is None:
            return None
        model = self.simulation.model
        if not model.level_coordinates:
            raise InputError(
                f"output {self.path}: levels = {levels} are of pressure or depth;"
                f" {type(model).__name__} has none"
            )
        return self._said(chosen, levels, model.level_coordinates)

    def _mapping(self) -> dict[str, Any]:
        """Returns coordinates, as `output.coordinates` takes them."""
        model = self.simulation.model
        own = model.grid.mapping()
        levels = {} if self.levels is None else self.levels.mapping
        land = model.land_fraction
        if self.target is not None:
            # of a limited area without its extension
            inside = land is not None and isinstance(self.target, windows.Inside)
            kept: dict[str, Any] = (
                {name: own[name] for name in targets.vertical if name in own}
                | levels
                | self.target.mapping
                | ({"land_fraction": self.target.cut(land)} if inside else {})
                | self._covered()
            )
            return kept
        result: dict[str, Any] = own | levels | ({} if land is None else {"land_fraction": land})
        return result

    def _covered(self) -> dict[str, np.ndarray]:
        """Returns the part of cells that the model covers, on each of its levels."""
        if not self.conserves:
            return {}
        part = self.target.covered(self.simulation.model.grid)
        if "wet_levels" in self.simulation.model.grid.mapping():
            return {"sea_fraction": part} if self.levels is None else {"sea_fraction": part[:1]}
        return {} if np.abs(part - 1).max() < 1e-2 else {"covered_fraction": part}

    def _find_target(self) -> None:
        """Makes the target's interpolations, on all ranks."""
        s = self.simulation

        def find() -> None:
            for horizontal in {place["horizontal"] for place in self.places.values()}:
                self.target.find(s.model.grid, horizontal)
            for horizontal in {self.places[name]["horizontal"] for name in self.beside}:
                self.target.find_turn(s.model.grid, horizontal)

        if self.target is not None:
            s.on_root(find)
            self.target = s.everyone.bcast(self.target)
