"""Overflows of dense water through channels that the grid does not resolve (docs/physics.md): their
places and their processes.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from fathom.base import earth, mpi
from fathom.base.configurable import Configurable
from fathom.base.failure import InputError
from fathom.grids.arguments import number_of
from fathom.grids.water import WaterGrid
from fathom.model.component import Field
from fathom.model.order import Order
from fathom.model.schemes import Scheme
from fathom.ocean.components.component import OceanComponent, Tendency
from fathom.ocean.region import in_box

Range = tuple[float, float]
Region = tuple[Range, Range, Range]  # of longitude, latitude [degrees], or x, y [m]; depth [m]
Place = tuple[float, float, float]  # longitude, latitude [degrees], or x, y [m]; depth [m]
Wall = tuple[Sequence[Range], float]  # (longitude, latitude) along it, and its top [m]
Cell = tuple[int, int, int]  # k, j, i


class Overflow(Configurable):
    """Dense water over a sill, its entrainment where the shelf breaks, and its product in the deep
    (Danabasoglu, Large & Briegleb 2010).

    A region is ((west, east), (south, north), (top, bottom)) in degrees and metres of depth, or in
    metres on a plane; a place is (longitude, latitude, depth), and stands for the nearest column
    that is wet there and not taken.

    Parameters
    ----------
    name : str.
    inflow, source, entrainment : regions whose mean temperature and salinity decide: the water
        above the sill on the open side, behind it, and at the break.
    from_source, from_entrainment : lists of places where water leaves.
    products : list of lists of places, from the shallowest to the deepest: product water goes to
        the deepest that is lighter.
    width, thickness : of the source water in the channel, upstream above the sill [m].
    walls : list of (line, depth), lines of (longitude, latitude): the sea floor is raised to the
        depth [m], that of the top of the flow over the sill, so that the grid carries what is above
        it and no water is counted twice.
    distance, slope, drag : from the sill to the break [m], slope of the bottom and its drag
        coefficient there [1].
    latitude : of the sill [degrees], for the Coriolis parameter; or coriolis [s-1] itself.
    """

    def __init__(
        self,
        name: str,
        *,
        inflow: Region,
        source: Region,
        entrainment: Region,
        from_source: Sequence[Place],
        from_entrainment: Sequence[Place],
        products: Sequence[Sequence[Place]],
        width: float,
        thickness: float,
        distance: float,
        slope: float,
        drag: float = 3e-3,
        latitude: float | None = None,
        coriolis: float | None = None,
        walls: Sequence[Wall] = (),
    ) -> None:
        self.name, self.walls = str(name), list(walls)
        self.written = {"latitude": latitude, "coriolis": coriolis}
        if (latitude is None) == (coriolis is None):
            raise InputError(f"Overflow {name}: give either latitude or coriolis")
        self.coriolis = (
            number_of("coriolis", coriolis, "s-1")
            if latitude is None
            else 2 * earth.ROTATION * np.sin(np.deg2rad(number_of("latitude", latitude, "degrees")))
        )
        self.shape = {
            "width": width,
            "thickness": thickness,
            "distance": distance,
            "slope": slope,
            "drag": drag,
        }
        for key, value in self.shape.items():
            if not number_of(f"Overflow {name}: {key}", value, "m or 1") > 0:
                raise InputError(f"Overflow {name}: {key} = {value} must be positive")
        if not abs(self.coriolis) > 1e-6:
            raise InputError(
                f"Overflow {name}: f = {self.coriolis:.3g} s-1; rotating hydraulics need a place"
                " away from the equator"
            )
        self.regions = {"inflow": inflow, "source": source, "entrainment": entrainment}
        self.outlets = {"from_source": from_source, "from_entrainment": from_entrainment}
        self.products = list(products)

    def __repr__(self) -> str:
        return f"Overflow({self.name!r})"

    def on(self, grid: WaterGrid, taken: list[tuple[int, int]]) -> dict[str, Any]:
        """Returns the core's description on a grid. `taken`: columns that have an outlet; it
        grows.
        """
        places = {key: self._places(grid, key, given, taken) for key, given in self.outlets.items()}
        products = [
            self._places(grid, f"products[{n}]", given, taken)
            for n, given in enumerate(self.products)
        ]

        def pressure(cells: Any) -> Any:
            return (
                float(np.mean([grid.levels.middles[k] for k, _, _ in cells]))
                * earth.SEA_WATER_DENSITY
                * earth.GRAVITY
                / 1e4
            )

        return {
            "shape": [
                self.coriolis,
                *(
                    float(self.shape[key])
                    for key in ("width", "thickness", "distance", "slope", "drag")
                ),
            ],
            "sill_pressure": pressure(places["from_source"]),
            "break_pressure": pressure(places["from_entrainment"]),
            **{key: self._cells(grid, key, region) for key, region in self.regions.items()},
            **places,
            "products": [(pressure(cells), cells) for cells in products],
        }

    def _cells(self, grid: WaterGrid, key: str, region: Region) -> list[Cell]:
        """Returns the wet cells of a region."""
        (west, east), (south, north), (top, bottom) = region
        x, y = grid.coordinates()
        inside = in_box(x, y, ((west, east), (south, north)), grid.horizontal.spherical)
        layers = [k for k, depth in enumerate(grid.levels.middles) if top <= depth <= bottom]
        cells = [
            (k, int(j), int(i))
            for k in layers
            for j, i in np.argwhere(inside & (grid.wet_levels > k))
        ]
        if not cells:
            raise InputError(
                f"Overflow {self.name}: no wet cell of this grid lies in its region {key}, {region}"
            )
        return cells

    def _places(
        self, grid: WaterGrid, key: str, places: Sequence[Place], taken: list[tuple[int, int]]
    ) -> list[Cell]:
        """Returns the cells nearest to places, in columns that are free."""
        x, y = grid.coordinates()
        points = earth.unit_vectors(x, y) if grid.horizontal.spherical else np.stack([x, y], -1)
        cells = []
        for a, b, depth in places:
            k = int(np.searchsorted(np.cumsum(grid.levels.weights), depth, side="right"))
            free = np.asarray(grid.wet_levels) > k
            for j, i in taken:
                free[j, i] = False
            if not free.any():
                raise InputError(
                    f"Overflow {self.name}: no free column of this grid reaches {depth} m for {key}"
                )
            place = (
                earth.unit_vectors(np.array(a, float), np.array(b, float))
                if grid.horizontal.spherical
                else np.array([a, b], float)
            )
            distance = np.where(free, ((points - place) ** 2).sum(-1), np.inf)
            j, i = (int(n) for n in np.unravel_index(distance.argmin(), free.shape))
            taken.append((j, i))
            cells.append((k, j, i))
        if not cells:
            raise InputError(f"Overflow {self.name}: {key} has no place")
        return cells


class DenmarkStrait(Overflow):
    """The overflow of Denmark Strait; each parameter of Overflow may be changed."""

    def __init__(
        self,
        name: str = "Denmark Strait",
        *,
        latitude: float | None = 66,
        coriolis: float | None = None,
        width: float = 60e3,
        thickness: float = 400,
        distance: float = 120e3,
        slope: float = 0.04,
        drag: float = 3e-3,
        inflow: Region = ((-33, -27), (62.5, 65.5), (350, 700)),
        source: Region = ((-26, -16), (67, 69.5), (350, 700)),
        entrainment: Region = ((-33, -26), (62.5, 65.5), (800, 1300)),
        from_source: Sequence[Place] = ((-24, 67.5, 550), (-22, 68, 550)),
        from_entrainment: Sequence[Place] = ((-29, 65, 1000), (-31, 64, 1000)),
        products: Sequence[Sequence[Place]] = (
            ((-28.5, 63.3, 1500),),
            ((-30, 63, 1900),),
            ((-32, 62.5, 2300),),
            ((-34, 62, 2600),),
            ((-36, 60.5, 3000),),
        ),
        walls: Sequence[Wall] = ((((-33, 68), (-24, 65.4)), 363),),
    ) -> None:
        super().__init__(
            **{key: value for key, value in locals().items() if key not in ("self", "__class__")}
        )


class FaroeBankChannel(Overflow):
    """The overflow of the Faroe Bank Channel; each parameter of Overflow may be changed."""

    def __init__(
        self,
        name: str = "Faroe Bank Channel",
        *,
        latitude: float | None = 61.5,
        coriolis: float | None = None,
        width: float = 20e3,
        thickness: float = 300,
        distance: float = 120e3,
        slope: float = 0.03,
        drag: float = 3e-3,
        inflow: Region = ((-16, -9), (58.5, 61), (600, 1000)),
        source: Region = ((-6, 2), (62, 65), (600, 1000)),
        entrainment: Region = ((-20, -10), (58.5, 62), (1000, 1600)),
        from_source: Sequence[Place] = ((-4, 62.5, 850), (-3, 63, 850)),
        from_entrainment: Sequence[Place] = ((-13, 60.5, 1200), (-14.5, 61, 1200)),
        products: Sequence[Sequence[Place]] = (
            ((-16, 61, 1500),),
            ((-18, 60.5, 1900),),
            ((-20, 60, 2300),),
            ((-22, 59, 2600),),
            ((-24, 57, 3000),),
        ),
        walls: Sequence[Wall] = (
            (((-7, 62.2), (-8.6, 61.2), (-8, 60.6), (-6.5, 60), (-4.5, 59)), 640),
        ),
    ) -> None:
        super().__init__(
            **{key: value for key, value in locals().items() if key not in ("self", "__class__")}
        )


class RossSea(Overflow):
    """The overflow of the shelf of the Ross Sea; each parameter of Overflow may be changed."""

    def __init__(
        self,
        name: str = "Ross Sea",
        *,
        latitude: float | None = -75,
        coriolis: float | None = None,
        width: float = 100e3,
        thickness: float = 400,
        distance: float = 150e3,
        slope: float = 0.032,
        drag: float = 3e-3,
        inflow: Region = ((178, 190), (-75.5, -73), (400, 700)),
        source: Region = ((174, 188), (-78, -76), (300, 700)),
        entrainment: Region = ((172, 184), (-73.5, -70.5), (900, 1400)),
        from_source: Sequence[Place] = ((176, -76.5, 400), (180, -76.5, 400)),
        from_entrainment: Sequence[Place] = ((178, -73, 1100), (180, -73, 1100)),
        products: Sequence[Sequence[Place]] = (
            ((178, -72.5, 1700),),
            ((178, -72, 2100),),
            ((178, -71.5, 2500),),
            ((178, -70.5, 3000),),
            ((178, -69.5, 3600),),
        ),
        walls: Sequence[Wall] = (),
    ) -> None:
        super().__init__(
            **{key: value for key, value in locals().items() if key not in ("self", "__class__")}
        )


class WeddellSea(Overflow):
    """The overflow of the shelf of the Weddell Sea; each parameter of Overflow may be changed."""

    def __init__(
        self,
        name: str = "Weddell Sea",
        *,
        latitude: float | None = -75,
        coriolis: float | None = None,
        width: float = 100e3,
        thickness: float = 300,
        distance: float = 150e3,
        slope: float = 0.032,
        drag: float = 3e-3,
        inflow: Region = ((-37, -30), (-74.5, -72.5), (400, 800)),
        source: Region = ((-42, -30), (-78, -75.5), (300, 800)),
        entrainment: Region = ((-42, -36), (-74, -72.5), (900, 1400)),
        from_source: Sequence[Place] = ((-34, -76, 400), (-36, -76, 400)),
        from_entrainment: Sequence[Place] = ((-38, -74, 1100), (-40, -73.5, 1100)),
        products: Sequence[Sequence[Place]] = (
            ((-40, -73.5, 1700),),
            ((-41, -73, 2100),),
            ((-42, -72, 2500),),
            ((-44, -71, 3000),),
            ((-45, -69, 3800),),
        ),
        walls: Sequence[Wall] = (),
    ) -> None:
        super().__init__(
            **{key: value for key, value in locals().items() if key not in ("self", "__class__")}
        )


def listed(given: Iterable[Overflow] | None) -> list[Overflow]:
    """Returns the user's overflows. InputError: something else is among them."""
    found = [] if given is None or isinstance(given, str) else list(given)
    if isinstance(given, str) or any(not isinstance(one, Overflow) for one in found):
        raise InputError(f"overflows = {given!r} must be a list of Overflow")
    return found


def raised(grid: WaterGrid, overflows: Sequence[Overflow]) -> WaterGrid:
    """Returns the grid behind the walls of the overflows."""
    walls = [wall for one in overflows for wall in one.walls]
    return grid.behind(walls) if walls else grid


class Overflows(OceanComponent):
    """Dense water that overflows carry from cell to cell.

    Parameters
    ----------
    grid : of water, with the walls of the overflows.
    overflows : at least one.
    tracers : the fields that they carry.
    equation_of_state : decides which water is dense.
    """

    def __init__(
        self,
        grid: WaterGrid,
        overflows: Sequence[Overflow],
        tracers: Sequence[Field],
        equation_of_state: Scheme,
    ) -> None:
        self.grid, self.overflows = grid, overflows
        self.tracers, self.equation_of_state = tracers, equation_of_state

    def processes(self, phase: str, do: Order) -> None:
        """Adds their transports at the start of a step, and their volume."""
        if phase == "overflows":
            taken: list[tuple[int, int]] = []
            do(
                mpi.core.Overflows(
                    [overflow.on(self.grid, taken) for overflow in self.overflows],
                    list(self.grid.levels.weights),
                    [(tracer.name, tracer.units) for tracer in self.tracers],
                    self.equation_of_state.name,
                    self.equation_of_state.parameters,
                )
            )
        if phase == "divergence":
            do("OverflowConvergence")
        if phase == "transport":
            do("OverflowVolume")

    def add_to(self, tracer: Field, add: Tendency) -> None:
        """Adds what they bring to their outlets, and take from their sources."""
        add("OverflowContent", term="overflows")
