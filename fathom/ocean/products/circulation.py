"""The circulation in numbers: overturning, transports across latitudes and through passages, the
barotropic stream function.

With F what flows through the faces between cells (to the east, to the north) and b the band of
latitude in which a cell lies,

    D_n = sum of F over faces, + where b of the cell that it leaves is n, - where b of the cell that
    it enters is n
    transport across the latitude between bands n and n + 1 = D_0 + ... + D_n
        of a basin: over faces between two of its cells
    overturning(n, k) = the same, summed over layers from the surface down to interface k
        in density: over classes from the lightest down
    psi(j, i) = -(depth integral of F to the east, summed over rows 0 ... j)
so that the flow across a latitude is the flow through the faces of the model: no interpolation,
volume closed to round-off. Heat and salt flow with the mean of both sides of a face; fresh water is
-(S - S_0) / S_0 of the volume.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any
from weakref import WeakKeyDictionary

import numpy as np

from fathom import output
from fathom.base import earth
from fathom.grids.water import WaterGrid
from fathom.model.component import Array
from fathom.model.schemes import scheme
from fathom.ocean.products.diagnostics import Window, potential_density
from fathom.ocean.products.sections import eastern, faces, northern, passages
from fathom.output.diagnostics import Integral, rounded

if TYPE_CHECKING:
    from fathom.ocean.model import Ocean

heat_capacity = (
    earth.SEA_WATER_DENSITY * earth.SEA_WATER_HEAT_CAPACITY
)  # of a cubic metre of sea water [J m-3 K-1]
basins = ("global", "atlantic", "indo_pacific")
density_edges = np.concatenate(
    [np.arange(24.0, 35.0, 0.5), np.arange(35.0, 37.9, 0.1), [40.0]]
)  # of sigma_2 [kg m-3]
_volume, _content = (
    2.0**-12,
    2.0**-8,
)  # units in which contributions are counted [m3 s-1], [degC m3 s-1]


class Geometry:
    """Of a grid: `edges` (n) of its bands of latitude, `band` (ny, nx) of each cell, `inside` of
    each basin (ny, nx), parts of faces in each section; where the stream function is 0.
    """

    def __init__(self, grid: WaterGrid) -> None:
        h = grid.horizontal
        latitude, longitude = np.asarray(h.center_latitude), np.asarray(h.center_longitude)
        step = (
            np.abs(np.diff(latitude, axis=0)).max() if len(latitude) > 1 else 1.0
        )  # every band has a row
        step = max(1.0, np.ceil(step - 0.01)) if h.spherical else step
        low = np.floor(latitude.min() / step) * step
        self.edges = np.arange(low, latitude.max() + step, step)[1:]
        self.band = np.searchsorted(self.edges, latitude, side="right")
        atlantic = (
            is_atlantic(longitude, latitude) if h.spherical else np.zeros(latitude.shape, bool)
        )
        north = latitude > (-34 if h.spherical else -np.inf)
        self.inside = [np.ones(latitude.shape, bool), atlantic & north, ~atlantic & north]
        self.fold = np.ones(latitude.shape)
        if h.fold:
            self.fold[-1] = 0.5  # such a face is the northern one of two cells
        self.beside = [eastern(self.band, h), northern(self.band, h)]
        self.between = [[one & near(one, h) for near in (eastern, northern)] for one in self.inside]
        self.dry = np.asarray(grid.corner_levels) == 0
        around = ~self.dry | np.roll(~self.dry, 1, axis=0) | np.roll(~self.dry, 1, axis=1)
        self.sections = [
            faces(grid, line) if h.spherical else (np.zeros(latitude.shape),) * 2
            for line in passages.values()
        ]
        self.passable = [
            bool(((east != 0) & around).any() or ((north != 0) & around).any())
            for east, north in self.sections
        ]
        corner_latitude = np.asarray(h.corner_latitude)[1:, 1:]
        self.continents = (
            self.dry & (corner_latitude > 30) & (corner_latitude < 60)
            if h.spherical
            else np.zeros(latitude.shape, bool)
        )

    def across(self, window: Window, to_east: Array, to_north: Array, unit: float) -> Array:
        """Returns D of the faces of a block, (basins, levels, edges); to_east, to_north (levels,
        ny, nx).
        """
        j, i = slice(window[0], window[0] + window[2]), slice(window[1], window[1] + window[3])
        levels, size = len(to_east), len(self.edges) + 1
        found = np.zeros((len(basins), levels, size))
        here = self.band[j, i].ravel()
        for n, between in enumerate(self.between):
            for flow, there, face, weight in zip(
                (to_east, to_north), self.beside, between, (1.0, self.fold[j, i])
            ):
                near = there[j, i].ravel()
                counts = np.flatnonzero(face[j, i].ravel() & (near != here))
                parts = rounded(np.nan_to_num((flow * weight).reshape(levels, -1)[:, counts]), unit)
                for k in range(levels):
                    found[n, k] += np.bincount(here[counts], parts[k], size) - np.bincount(
                        near[counts], parts[k], size
                    )
        return found[..., :-1]


def is_atlantic(longitude: Any, latitude: Any) -> Array:
    """Returns where the Atlantic is with its seas and the Arctic: between America and Africa or
    Europe; from 66 N on everything.
    """
    west = np.interp(
        latitude,
        (-60, -55, -50, -34, -18, -5, 4, 7.5, 8.5, 9.1, 11, 15, 17.5, 20, 30, 66),
        (-69, -69, -72, -70, -68, -77, -77, -77.5, -79, -82, -85, -91, -95, -100, -110, -110),
    )
    east = np.interp(latitude, (-60, 0, 30, 30.1, 47, 47.1, 66), (20, 20, 30, 42, 42, 60, 60))
    x = (np.asarray(longitude) - 180) % 360 - 180
    return np.asarray(((x > west) & (x < east)) | (np.asarray(latitude) >= 66))


_geometries: WeakKeyDictionary[WaterGrid, Geometry] = (
    WeakKeyDictionary()
)  # of grids, whose `horizontal` is made again each time that it is asked for


def geometry(grid: WaterGrid) -> Geometry:
    """Returns the geometry of a grid, made once."""
    if grid not in _geometries:
        _geometries[grid] = Geometry(grid)
    return _geometries[grid]


# ---- parts of a block, and what becomes of their sum ---------------------------------------------


def _overturning(ocean: Ocean, window: Window, to_east: Array, to_north: Array) -> Array:
    """Returns what crosses each latitude in each layer."""
    return geometry(ocean.grid).across(window, to_east, to_north, _volume)


def _from_surface(ocean: Ocean, found: Array) -> Array:
    """Returns (basins, interfaces, edges) from D of layers."""
    across = np.cumsum(found, axis=2)
    return np.concatenate([np.zeros_like(across[:, :1]), np.cumsum(across, axis=1)], axis=1)


def _in_density(
    ocean: Ocean,
    window: Window,
    to_east: Array,
    to_north: Array,
    temperature: Array,
    salinity: Array,
) -> Array:
    """Returns what crosses each latitude in each class. Faces are in the class of the cell that
    they are the eastern or northern ones of.
    """
    sigma = potential_density(ocean, temperature, salinity, 2000.0) - 1000
    which = np.searchsorted(density_edges, np.nan_to_num(sigma, nan=0.0))

    def of_class(flow: Any, n: Any) -> Any:
        return np.where(which == n, flow, 0).sum(axis=0, keepdims=True)

    found = [
        geometry(ocean.grid).across(window, of_class(to_east, n), of_class(to_north, n), _volume)
        for n in range(len(density_edges))
    ]
    return np.concatenate(found, axis=1)


def _from_lightest(ocean: Ocean, found: Array) -> Array:
    """Returns (basins, classes, edges) from D of classes."""
    return np.cumsum(np.cumsum(found, axis=2), axis=1)


def _northward(ocean: Ocean, window: Window, to_east: Array, to_north: Array) -> Array:
    """Returns what crosses each latitude, (basins, edges)."""
    east, north = (np.nansum(flow, axis=0, keepdims=True) for flow in (to_east, to_north))
    return geometry(ocean.grid).across(window, east, north, _content)[:, 0]


def _heat(ocean: Ocean, found: Array) -> Array:
    """Returns the transport of heat [W], (basins, edges)."""
    return heat_capacity * np.cumsum(found, axis=1)


def _fresh_water(
    ocean: Ocean,
    window: Window,
    volume_east: Array,
    volume_north: Array,
    salt_east: Array,
    salt_north: Array,
) -> Array:
    """Returns the fresh water that crosses each latitude, (basins, edges)."""
    reference = scheme("SurfaceFluxes").all_parameters["reference_salinity"]
    flows = (
        volume - salt / reference
        for volume, salt in ((volume_east, salt_east), (volume_north, salt_north))
    )
    return _northward(ocean, window, *flows)


def _summed(ocean: Ocean, found: Array) -> Array:
    """Returns the sum from the southernmost edge."""
    return np.cumsum(found, axis=1)


def _through(unit: float, ocean: Ocean, window: Window, to_east: Array, to_north: Array) -> Array:
    """Returns what flows through each section, (sections)."""
    j, i = slice(window[0], window[0] + window[2]), slice(window[1], window[1] + window[3])
    east, north = (rounded(np.nansum(flow, axis=0), unit) for flow in (to_east, to_north))
    return np.array(
        [
            float((sign_east[j, i] * east).sum() + (sign_north[j, i] * north).sum())
            for sign_east, sign_north in geometry(ocean.grid).sections
        ]
    )


def _open(ocean: Ocean, found: Array) -> Array:
    """Returns NaN where a grid has no such passage."""
    return np.where(geometry(ocean.grid).passable, found, np.nan)


def _open_heat(ocean: Ocean, found: Array) -> Array:
    """Returns the transport of heat through sections [W]."""
    return heat_capacity * _open(ocean, found)


def _depth_integral(ocean: Ocean, window: Window, to_east: Array) -> Array:
    """Returns the flow to the east of all layers [m3 s-1], (ny, nx)."""
    whole = np.zeros(geometry(ocean.grid).band.shape)
    j, i = slice(window[0], window[0] + window[2]), slice(window[1], window[1] + window[3])
    whole[j, i] = rounded(np.nansum(to_east, axis=0), _volume)
    return whole


def _stream(ocean: Ocean, found: Array) -> Array:
    """Returns the stream function at corners; on a globe the land of the northern middle latitudes
    is 0, as on most maps.
    """
    psi, g = -np.cumsum(found, axis=0), geometry(ocean.grid)
    return np.where(
        g.dry, np.nan, psi - (np.median(psi[g.continents]) if g.continents.any() else 0.0)
    )


def transports(ocean: Ocean, u: Array, v: Array) -> tuple[Array, Array]:
    """Returns the volume through eastern and northern faces (nz, ny, nx) [m3 s-1] of the velocity
    at corners [m s-1], NaN or 0 on land; of the whole grid (docs/numerics.md, Volume).
    """
    h = ocean.grid.horizontal
    half = 0.5 * np.stack([ocean.grid.thickness(k, "corner") for k in range(len(u))])
    x, y = (
        half * np.nan_to_num(a) * np.asarray(length)
        for a, length in ((u, h.dy_corner), (v, h.dx_corner))
    )
    west = np.roll(y, 1, axis=2)
    if not h.periodic:
        west[:, :, 0] = 0
    return x + np.concatenate([np.zeros_like(x[:, :1]), x[:, :-1]], axis=1), y + west


def of_flow(ocean: Ocean, to_east: Array, to_north: Array) -> tuple[Array, Array]:
    """Returns overturning (basins, interfaces, edges), NaN in the ground, and barotropic stream
    function (ny, nx) of the transports of the whole grid [m3 s-1].
    """
    window, b = (0, 0, *to_east.shape[1:]), geometry(ocean.grid)
    overturning, levels = (
        _from_surface(ocean, _overturning(ocean, window, to_east, to_north)),
        np.asarray(ocean.grid.wet_levels),
    )
    for n, inside in enumerate(b.inside):
        deepest = np.zeros(len(b.edges) + 1, int)
        np.maximum.at(deepest, b.band[inside], levels[inside])
        bottom = np.minimum(deepest[:-1], deepest[1:])
        overturning[n] = np.where(
            (np.arange(overturning.shape[1])[:, None] <= bottom) & (bottom > 0),
            overturning[n],
            np.nan,
        )
    return overturning, _stream(ocean, _depth_integral(ocean, window, to_east))


_flow, _bolus = (
    ("transport_east", "transport_north"),
    ("bolus_transport_east", "bolus_transport_north"),
)


def _of_tracer(tracer: str) -> tuple[tuple[str, str], Any]:
    """Returns the fields of its flow, and how they are made."""
    needs = (f"{tracer}_transport_east", f"{tracer}_transport_north")
    on = (
        ("tracer", tracer),
        ("tracer_transport_east", needs[0]),
        ("tracer_transport_north", needs[1]),
    )
    return needs, (("TracerFlow", on),)


_temperature, _made_temperature = _of_tracer("temperature")
_salinity, _made_salinity = _of_tracer("salinity")
_latitudes = ("basin", "latitude")
integrals = {
    "meridional_overturning": Integral(
        _flow,
        ("basin", "depth_interface", "latitude"),
        "m3 s-1",
        "overturning stream function in depth",
        _overturning,
        _from_surface,
    ),
    "eddy_overturning": Integral(
        _bolus,
        ("basin", "depth_interface", "latitude"),
        "m3 s-1",
        "overturning stream function of the eddies",
        _overturning,
        _from_surface,
    ),
    "overturning_in_density": Integral(
        (*_flow, "temperature", "salinity"),
        ("basin", "density", "latitude"),
        "m3 s-1",
        "overturning stream function in potential density",
        _in_density,
        _from_lightest,
    ),
    "northward_heat_transport": Integral(
        _temperature,
        _latitudes,
        "W",
        "northward heat transport by the flow",
        _northward,
        _heat,
        _made_temperature,
        "northward_ocean_heat_transport",
    ),
    "northward_freshwater_transport": Integral(
        (*_flow, *_salinity),
        _latitudes,
        "m3 s-1",
        "northward transport of fresh water by the flow",
        _fresh_water,
        _summed,
        _made_salinity,
    ),
    "section_transport": Integral(
        _flow,
        ("section",),
        "m3 s-1",
        "volume transport through sections",
        partial(_through, _volume),
        _open,
        (),
        "ocean_volume_transport_across_line",
    ),
    "section_heat_transport": Integral(
        _temperature,
        ("section",),
        "W",
        "heat transport through sections by the flow",
        partial(_through, _content),
        _open_heat,
        _made_temperature,
    ),
    "barotropic_stream_function": Integral(
        _flow[:1],
        ("y_corner", "x_corner"),
        "m3 s-1",
        "barotropic stream function",
        _depth_integral,
        _stream,
        (),
        "ocean_barotropic_streamfunction",
    ),
}


def coordinates(ocean: Ocean) -> dict[str, Any]:
    """Returns the coordinates of all dimensions of integrals: name -> (dims, array, attributes)."""
    grid = ocean.grid
    interfaces = np.concatenate([[0.0], np.cumsum(np.asarray(grid.levels.weights))])

    def named(names: Any, what: Any) -> Any:
        return {
            "long_name": what,
            "flag_values": list(range(len(names))),
            "flag_meanings": " ".join(names),
        }

    degrees = grid.horizontal.spherical
    result = {
        "basin": (("basin",), np.arange(len(basins)), named(basins, "basin")),
        "section": (
            ("section",),
            np.arange(len(passages)),
            named(passages, "section"),
        ),
        "latitude": (
            ("latitude",),
            geometry(ocean.grid).edges,
            (
                {"standard_name": "latitude", "units": "degrees_north"}
                if degrees
                else {"long_name": "y", "units": "m"}
            ),
        ),
        "density": (
            ("density",),
            density_edges,
            {
                "long_name": (
                    "potential density at 2000 dbar less 1000 kg m-3, of which all lighter water is"
                    " counted"
                ),
                "units": "kg m-3",
                "positive": "down",
            },
        ),
        "depth_interface": (
            ("depth_interface",),
            interfaces,
            {"standard_name": "depth", "units": "m", "positive": "down", "axis": "Z"},
        ),
    }

    corners = output.coordinates(
        grid.mapping(), [output.VariableSpec("psi", ("time", "y_corner", "x_corner"))]
    )
    return result | {
        name: held
        for name, held in corners.items()
        if held[0] in (("y_corner", "x_corner"), ("y_corner",), ("x_corner",))
    }
