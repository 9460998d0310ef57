"""What a changed atmosphere rests on: the orography and the fields of land and sea of another one,
at the points of this.

Land and sea are not mixed: a point takes the four points around it that are of its field's kind,
and where there is none the nearest that is. Temperatures of land move with the ground by the
standard lapse rate. What the user gives stays.
"""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np

from fathom.atmosphere.ground.boundary import boundary_fields, ozone
from fathom.atmosphere.remap.initial import standard_pressure
from fathom.base.earth import STANDARD_GRAVITY, unit_vectors
from fathom.base.moist_air import LAPSE_RATE
from fathom.grids.hybrid import interfaces_of
from fathom.grids.regrid import column
from fathom.grids.regrid.rows import points_of

kind_of = {  # all others are of land
    "land_fraction": "any",
    "orography_deviation": "any",
    "sea_surface_temperature": "sea",
    "sea_ice_fraction": "sea",
    "lake_depth": "sea",
    "lake_ice_amount": "sea",
    "ground_temperature": "own",
}
lifted = (
    "ground_temperature",
    "deep_ground_temperature",
    *(f"soil_temperature_{k}" for k in (1, 2, 3, 4)),
)


class Ground:
    """The ground of a ChangeOfGeometry."""

    def __init__(self, change: Any) -> None:
        self.change, self.given, self.model = change, change.given, change.model
        self.wholes: dict[str, np.ndarray] = {}

    def fields(self) -> dict[str, np.ndarray]:
        """Returns name -> (ny, nx), on all ranks: surface_geopotential where the model has none,
        and what its physics reads that nobody has given.
        """
        found = self._below()
        wanted = [n for n in self.model.boundary if n not in {*self.model.initial, *found}]
        ground = found.get("surface_geopotential")
        if ground is None and wanted:
            ground = self.model.surface_geopotential
        complete = self.given.complete
        if "ozone" in wanted and ("ozone" in self.given.boundary or not complete):
            found["ozone"] = self._ozone(ground)
        if flat := [n for n in wanted if self.given.has(n) and n in self.given.columns]:
            found |= self._of_kinds(flat, ground)
        return found if complete else found | self._of_day(wanted, found, ground)

    def _below(self) -> dict[str, Any]:
        """Returns the orography, where the model has none: that of A, or of the earth."""
        if not self.model.flat:
            return {}
        if self.given.has("surface_geopotential") or self.given.on_heights:
            whole = self._whole(self.change.along("surface_geopotential"))
            return {"surface_geopotential": whole}
        earth = self.model.earth_below()
        named = {"surface_geopotential", *self.model.boundary} - set(self.model.initial)
        return {n: values for n, values in earth.items() if n in named}

    def _of_day(self, names: Any, found: Any, ground: Any) -> dict[str, Any]:
        """Returns ground and sea that a file does not give: from the earth's climate on that day,
        as for any analysis.
        """
        names = [n for n in names if n not in found]
        if not names:
            return {}
        held = self.model.initial | found
        if "land_fraction" not in held:
            held |= {n: v for n, v in self.model.earth_below().items() if n in names}
        land = np.broadcast_to(held.get("land_fraction", 0.0), self.model.grid.wet_levels.shape)
        day = np.datetime64(self.given.date.replace(" ", "T"))
        held |= boundary_fields(self.model.grid, day, land, ground)
        return {n: held[n] for n in names if n in held}

    def _whole(self, values: Any) -> Any:
        """Returns (ny, nx) on all ranks, of values at own points."""
        simulation = self.change.simulation
        whole = simulation.assemble(self.change.own.blocks(values))
        return simulation.comm.bcast(None if whole is None else whole[0])

    def _of_kinds(self, names: Any, ground: Any) -> dict[str, np.ndarray]:
        """Returns fields of the surface, each from points of the same kind."""
        if self.change.same_points:
            return {name: self._whole(self.change.along(name)) for name in names}
        self.rows = points_of(self.given.grid)
        kinds = self._kinds("land_fraction" in names)
        found = {}
        for name in names:
            index, weight = kinds[kind_of.get(name, "land")]
            values = (weight * self._of_a(name)[index]).sum(1)
            if name in lifted:
                below = (weight * self._of_a("surface_geopotential")[index]).sum(1)
                fall = LAPSE_RATE / STANDARD_GRAVITY * (below - self._own(ground))
                values += np.where(self.ours > 0, fall, 0.0)
            found[name] = self._whole(values[None])
        return found

    def _kinds(self, land_too: Any) -> dict[str, Any]:
        """Returns kind -> points of A (P, 4) and their weights. Land and sea: where this has
        some."""
        own = self.change.own
        four = self.given.grid.interpolation(own.longitude, own.latitude)
        everything = four.index, four.weight.astype(float)
        used = self.rows.used.ravel()
        land = self._of_a("land_fraction") if self.given.has("land_fraction") else 0.0 * used
        given = self.model.initial.get("land_fraction", 0.0)
        self.ours = self._own(np.broadcast_to(given, self.model.grid.wet_levels.shape))
        if land_too:
            self.ours = (everything[1] * land[everything[0]]).sum(1)
        of_land, far_land = self._only(everything, used & (land > 0), self.ours > 0)
        of_sea, far_sea = self._only(everything, used & (land < 1), self.ours < 1)
        mostly = (self.ours > 0.5)[:, None]
        own = tuple(np.where(mostly, earth, sea) for earth, sea in zip(of_land, of_sea))
        self._tell(far_land + far_sea)
        return {"land": of_land, "sea": of_sea, "own": own, "any": everything}

    def _only(self, four: Any, mask: Any, wanted: Any) -> tuple[Any, ...]:
        """Returns the mean of those of the four points that the mask allows, else the nearest;
        counts how often, where wanted.
        """
        index, weight = four[0].copy(), four[1] * mask[four[0]]
        share = weight.sum(1)
        missed = share < 1e-3
        weight /= np.where(missed, 1.0, share)[:, None]
        weight[missed] = four[1][missed]
        wanted = missed & wanted
        if mask.any() and wanted.any():
            from scipy.spatial import cKDTree

            allowed = np.flatnonzero(mask)
            there = mask[self.rows.used.ravel()]
            vectors = unit_vectors(
                self.rows.point_longitude[there], self.rows.point_latitude[there]
            )
            own = self.change.own
            _, nearest = cKDTree(vectors).query(
                unit_vectors(own.longitude[wanted], own.latitude[wanted])
            )
            index[wanted], weight[wanted] = allowed[nearest][:, None], [1.0, 0.0, 0.0, 0.0]
        return (index, weight), int(wanted.sum())

    def _tell(self, far: Any) -> None:
        """Prints how many points had none of a kind next to them."""
        simulation = self.change.simulation
        if (all_of_them := simulation.comm.allreduce(far)) and simulation.is_root:
            warnings.warn(
                f"change of geometry: {all_of_them} points have land or sea where none was near;"
                " they take that of the nearest",
                stacklevel=2,
            )

    def _of_a(self, name: str) -> Any:
        """Returns a field of A's ground, all points row by row, on all ranks."""
        if name not in self.wholes:
            change, (ny, nx) = self.change, self.rows.shape
            comm = change.simulation.comm
            blocks = change.collected([(0, ny, 0, nx)] if comm.rank == 0 else [], name)
            self.wholes[name] = comm.bcast(
                next(iter(blocks.values())).ravel().astype(float) if blocks else None
            )
        return self.wholes[name]

    def _own(self, whole: Any) -> Any:
        """Returns (points) of a field (ny, nx)."""
        own = self.change.own
        return own.of(np.asarray(whole))

    def _ozone(self, ground: Any) -> Any:
        """Returns the climate of ozone at the pressures of a standard atmosphere over
        the ground.
        """
        grid = self.model.grid
        rows = points_of(grid)
        a, b = interfaces_of(grid.levels)
        surface = standard_pressure(rows.pack(ground))
        pressure = column.layer_pressure(column.interface_pressure(a, b, surface))
        return rows.unpack(ozone(rows.point_latitude, pressure))
