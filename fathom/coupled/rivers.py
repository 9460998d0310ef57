"""Rivers and icebergs: what runs off the land of an atmosphere, on its way to the cells of a sea.

    water S [kg] in each cell of land of 1/4 degree (fathom/grids/drainage.py), in a step dt

        out = S (1 - exp(-dt / tau)),   tau = length / 0.35 m s-1,   S the water before the step
        S'  = S - out + sum of `out` of the cells that flow here + what runs off here

    a mouth     `out` goes to the wet cells of the sea within 300 km (regrid/mouths.py)
    ice         calving from land south of 50 S goes evenly to the sea between 50 and 70 S, from
                other land at once to the cells around the nearest mouth

All is linear, with shares whose sum is 1: S, the sea and the land together keep every kilogram,
also negative ones, to round-off. `out` has the water before the step alone, so no order of cells
counts.

    water from the cell a of the air   runoff x land share x area, to the cells r of land in it,
        by their common areas; where there are none, to the nearest mouth

    rivers = fm.Rivers(air.model.grid, sea.model.grid)
    both = fm.Programs({"air": air, "rivers": rivers, "sea": sea})
    both.exchange("air.runoff", "rivers.runoff_flux", "6h", "mean")
    both.exchange("rivers.water_flux_into_sea_water_from_rivers", "sea.runoff_flux", "6h")
"""

from __future__ import annotations

from typing import Any

import numpy as np

from fathom.base import earth
from fathom.base.failure import InputError
from fathom.coupled.program import Program
from fathom.grids.drainage import Drainage, of_earth
from fathom.grids.grid import Grid
from fathom.grids.regrid.mouths import Plumes
from fathom.grids.regrid.overlap import Overlap

RUNOFF, CALVING, CALVING_HEAT = "runoff_flux", "calving_flux", "calving_heat_flux"
WATER = "water_flux_into_sea_water_from_rivers"
ICE = "water_flux_into_sea_water_from_icebergs"
ICE_HEAT = "heat_flux_into_sea_water_due_to_iceberg_thermodynamics"
STORE = "river_water"
fastest = 100.0  # of rivers [m s-1]
BAND = (-70.0, -50.0)  # where southern icebergs melt [degrees]


class Rivers(Program):
    """Carries runoff and calving [kg m-2 s-1, of land] from the grid of an atmosphere to that of an
    ocean; `river_water` is what is on its way [kg].

    Parameters
    ----------
    air, sea : grids of the atmosphere and of the ocean.
    time_step : "6h" or seconds; in one a river flows one cell, so with "1d" it takes 1.6 times as
        long as with short ones.
    land : share of land of the air's cells (ny, nx); None: what the sea's wet cells leave.
    speed : of the water in rivers [m s-1].
    start, calendar : as those of a Simulation.
    """

    def __init__(
        self,
        air: Any,
        sea: Any,
        time_step: str | float = "6h",
        land: Any = None,
        speed: float = 0.35,
        start: str = "2000-01-01",
        calendar: str = "standard",
    ) -> None:
        for name, grid in (("air", air), ("sea", sea)):
            if not isinstance(grid, Grid):
                raise InputError(f"{name} = {grid!r} is no grid")
        if not 0 < speed <= fastest:
            raise InputError(f"speed = {speed!r} m s-1; allowed: above 0, up to {fastest:g}")
        taken = {RUNOFF: "kg m-2 s-1", CALVING: "kg m-2 s-1", CALVING_HEAT: "W m-2"}
        given = {WATER: "kg m-2 s-1", ICE: "kg m-2 s-1", ICE_HEAT: "W m-2"}
        grids = dict.fromkeys(taken, air)
        super().__init__(sea, time_step, taken | given, start, calendar, grids)
        self.speed, self.ways = speed, of_earth()
        self.fields[STORE] = np.zeros(self.ways.cells.size)
        self.leaves = -np.expm1(-self.time_step * speed / self.ways.length)
        self.flows = _flows(self.ways, self.leaves)
        self.mouths = np.flatnonzero(self.ways.next < 0)
        share = land_share(air, sea) if land is None else _share(land, air)
        there = (np.asarray(air.wet_levels) > 0).ravel()
        self.land_area = np.where(there, share.ravel() * np.asarray(air.areas[0]).ravel(), 0.0)
        self.from_air = _shares(air, self.ways, self.mouths)
        self.plumes = Plumes.of(*self.ways.places(self.ways.sea[self.mouths]), _target(sea))
        self.icebergs = Icebergs(air, self.land_area, _target(sea))

    def advance(self) -> None:
        """Takes a step: what flows on, what runs off, what reaches the sea."""
        store = self[STORE]
        out = store * self.leaves
        comes = self.flows @ store
        runs_off = self[RUNOFF].ravel() * (self.land_area * self.time_step)
        comes += self.from_air @ runs_off
        store -= out
        store += comes
        self[WATER] = self.plumes(out[self.mouths] / self.time_step)
        self[ICE] = self.icebergs(self[CALVING])
        self[ICE_HEAT] = self.icebergs(self[CALVING_HEAT])

    def taken(self, seconds: float) -> dict[str, float]:
        """Returns water [kg] and heat [J] that it takes from the land in so many seconds."""
        amounts = {
            name: seconds * float((self[name].ravel() * self.land_area).sum())
            for name in (RUNOFF, CALVING, CALVING_HEAT)
        }
        water = amounts[RUNOFF] + amounts[CALVING]
        return {"water": water, "heat": amounts[CALVING_HEAT]}

    @property
    def stored(self) -> float:
        """Returns the water on its way [kg]."""
        return float(self[STORE].sum())


class Icebergs:
    """Ice from the land of an atmosphere to a sea; land_area [m2] of the air's cells (cells,).

    target: latitude, longitude [degrees], area [m2] and wet of the sea's cells.
    """

    def __init__(self, air: Any, land_area: np.ndarray, target: tuple[np.ndarray, ...]) -> None:
        latitude, longitude = (np.asarray(x, float).ravel() for x in _places(air))
        self.land_area = land_area
        band = target[3] & (target[0] >= BAND[0]) & (target[0] <= BAND[1])
        self.band = band / max(float((band * target[2]).sum()), 1.0)  # [m-2]
        southern = (latitude < BAND[1]) & band.any()
        self.southern = np.flatnonzero(southern & (land_area > 0))
        self.others = np.flatnonzero(~southern & (land_area > 0))
        self.plumes = Plumes.of(latitude[self.others], longitude[self.others], target)

    def __call__(self, flux: np.ndarray) -> np.ndarray:
        """Returns the flux on the cells of the sea, of one on those of the air, of land: both of
        kg m-2 s-1 or W m-2.
        """
        amount = flux.ravel() * self.land_area
        result: np.ndarray = self.band * amount[self.southern].sum()
        result += self.plumes(amount[self.others])
        return result


def land_share(air: Any, sea: Any) -> np.ndarray:
    """Returns the share of each cell of the air (ny, nx) that wet cells of the sea leave."""
    common = Overlap.of(sea, air.mapping()).area
    wet = common @ (np.asarray(sea.wet_levels).ravel() > 0).astype(float)
    area = np.asarray(air.areas[0])
    result: np.ndarray = np.clip(1 - wet.reshape(area.shape) / area, 0, 1)
    return result


def _share(land: Any, air: Any) -> np.ndarray:
    """Returns a given share of land. InputError: another shape; beyond 0 and 1."""
    share, shape = np.asarray(land), np.shape(air.wet_levels)
    if share.dtype.kind not in "fiu":
        raise InputError(f"land holds {share.dtype}, no numbers; it is the share of land of a cell")
    if share.shape != shape:
        raise InputError(f"land has {share.shape} points, the air's grid {shape}")
    if not (share.min() >= 0 and share.max() <= 1):
        raise InputError(f"land lies in [{share.min():g}, {share.max():g}]; a share in [0, 1]")
    return share


def _shares(air: Any, ways: Drainage, mouths: np.ndarray) -> Any:
    """Returns the sparse matrix (cells of land, cells of the air) of shares of runoff; each column
    of the air has the sum 1.
    """
    from scipy.sparse import csr_array  # start-up time
    from scipy.spatial import cKDTree  # start-up time

    area = Overlap.of(air, _cells(ways)).area.tocsr()[ways.cells].tocoo()
    total = np.asarray(area.sum(0)).ravel()
    alone = np.flatnonzero(total == 0)  # the air's cells without land in these
    to, (row, column) = mouths[:0], area.coords
    if alone.size:
        y, x = (np.asarray(v, float).ravel()[alone] for v in _places(air))
        at = ways.places(ways.sea[mouths])
        tree = cKDTree(earth.unit_vectors(at[1], at[0]))
        to = mouths[tree.query(earth.unit_vectors(x, y))[1]]
    values = np.concatenate([area.data / total[column], np.ones(alone.size)])
    rows, columns = np.concatenate([row, to]), np.concatenate([column, alone])
    places = rows.astype(np.int32), columns.astype(np.int32)
    return csr_array((values, places), shape=area.shape)


def _flows(ways: Drainage, leaves: np.ndarray) -> Any:
    """Returns the sparse matrix (cells of land, cells of land) of the parts that flow from one to
    the next in a step.
    """
    from scipy.sparse import csr_array  # start-up time

    cells = np.flatnonzero(ways.next >= 0).astype(np.int32)  # indices of half the size
    places = ways.next[cells].astype(np.int32), cells
    return csr_array((leaves[cells], places), shape=(leaves.size, leaves.size))


def _cells(ways: Drainage) -> dict[str, np.ndarray]:
    """Returns the cells of rivers as a mapping for `Overlap`."""
    ny, nx = ways.latitude.size, ways.longitude.size
    west = ways.longitude[0] - 180 / nx
    return {
        "corner_latitude": np.linspace(-90, 90, ny + 1),
        "corner_longitude": west + np.arange(nx + 1) * (360 / nx),
    }


def _places(grid: Any) -> tuple[np.ndarray, np.ndarray]:
    """Returns latitude and longitude of the cells of a grid (ny, nx) [degrees]."""
    longitude, latitude = grid.places_on_earth("a river")
    return np.asarray(latitude), np.asarray(longitude)


def _target(sea: Any) -> tuple[np.ndarray, ...]:
    """Returns latitude, longitude [degrees], area [m2] and wet of the cells of a sea. InputError:
    it is no sea on the earth.
    """
    wet = np.asarray(sea.wet_levels) > 0
    if not (sea.horizontal.spherical and wet.any()):
        raise InputError(f"rivers need a sea on the earth that they end in; {sea!r} is none")
    return (*_places(sea), np.asarray(sea.areas[0]), wet)
