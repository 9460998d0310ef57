"""CF coordinates of a model grid, and variables named and placed by the table of `fathom.names`.

    center (y, x) · corner (y_corner, x_corner) · east_face (y, x_corner) · north_face (y_corner, x)
    where one latitude serves a row and one longitude a column: (latitude, longitude)
    layer (depth) · interface (depth_interface), of hybrid levels (level) · (level_interface), of
    levels of height (height) · (height_interface), of chosen levels their coordinate · column: none

Corner (j, i), east face and north face (j, i) lie on the north and east side of cell (j, i).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np

from fathom.base.failure import InputError
from fathom.names import describe, get, known
from fathom.output.axes import with_axes, without_lost_terms
from fathom.output.specification import VariableSpec

dimensions = {
    "center": ("y", "x"),
    "corner": ("y_corner", "x_corner"),
    "east_face": ("y", "x_corner"),
    "north_face": ("y_corner", "x"),
}


def variable(
    name: str,
    grid: Mapping[str, Any] | None = None,
    *,
    dtype: str = "float32",
    statistic: str | None = None,
    place: tuple[str, str] | None = None,
    units: str = "",
) -> VariableSpec:
    """Returns the variable of an output for a field: as the table of `fathom.names` says; `place`
    (horizontal, vertical) and `units` are for those that are not in it; of a temperature they say
    whether it is in K or degC. grid: as `coordinates`
    takes it; by default cells on a sphere with levels of depth."""
    row = describe(name)
    horizontal, vertical = place or (row.horizontal, row.vertical)
    attributes = (
        dict(row.attributes)
        if known(name)
        else {"long_name": row.long_name, "units": units or row.units}
    )
    if {units, row.units} == {"K", "degC"}:  # the sea is in degC, its surface below air in K
        attributes["units"] = units
    dims, auxiliary, in_cells = _points(grid, horizontal)
    if auxiliary:
        attributes["coordinates"] = auxiliary
    if in_cells and horizontal == "center":
        attributes["cell_measures"] = "area: areacello"
    if _on_a_map(grid) and horizontal == "center":
        attributes["grid_mapping"] = "projection"
    if statistic:
        attributes["cell_methods"] = f"time: {statistic}"
    return VariableSpec(
        row.alias, ("time", *_levels(grid or {}, vertical), *dims), dtype, attributes
    )


def _points(grid: Mapping[str, Any] | None, horizontal: str) -> tuple[tuple[str, ...], str, bool]:
    """Returns the horizontal dimensions of a field at that place of a grid, the coordinates that
    are not among them, and whether it has the areas of cells.
    """
    if grid is None:
        return dimensions[horizontal], " ".join(_names(horizontal)), True
    if "station" in grid:
        return ("station",), "longitude latitude", False
    if "distance" in grid:
        return _along_section, "longitude latitude distance", False
    if _regular(grid):
        return ("latitude", "longitude"), "", True
    if "longitude" in grid:
        return dimensions[horizontal], " ".join(_names(horizontal)), True
    return dimensions[horizontal], "", True  # a plane


def _regular(grid: Mapping[str, Any]) -> bool:
    """Returns whether one latitude serves a whole row, one longitude a whole column."""
    return "longitude" in grid and np.ndim(grid["longitude"]) == 1


def _on_a_map(grid: Mapping[str, Any] | None) -> bool:
    """Returns whether its rows and columns are those of a map of the earth."""
    return grid is not None and "projection" in grid and np.ndim(grid["longitude"]) == 2


_along_section = ("section", "point")


def _levels(grid: Mapping[str, Any], vertical: str) -> tuple[str, ...]:
    """Returns the vertical dimension of a field."""
    if vertical == "column":
        return ()
    if "chosen_levels" in grid and vertical == "layer":
        return (grid["chosen_levels"].name,)
    name = "level" if "hybrid_a" in grid else "height" if "height_interfaces" in grid else "depth"
    return (name + ("_interface" if vertical == "interface" else ""),)


def coordinates(
    grid: Mapping[str, Any], variables: Iterable[VariableSpec]
) -> dict[str, tuple[Any, ...]]:
    """Returns coordinates, bounds, cell area and wet levels that these variables need: name ->
    (dims, array, attributes).

    grid: corner_longitude, corner_latitude (ny+1, nx+1) and longitude, latitude (ny, nx) [degrees],
    or all four one-dimensional, or corner_x, corner_y and x, y [m] of a rectangular plane, or
    longitude, latitude, distance [m] (sections, points), or of stations, by name, longitude and
    latitude; thickness (nz) [m], or hybrid_a [Pa] and hybrid_b (nz+1), or height_interfaces (nz+1)
    [m], or chosen_levels (fathom/grids/regrid/chosen.py); area (ny, nx) [m2], wet_levels and
    land_fraction (ny, nx), sea_fraction or covered_fraction (levels, ny, nx) where known,
    truncation of a Gaussian grid, bottom_thickness (ny, nx) [m] where bottom cells are cut,
    projection (fathom/grids/regrid/projections.py) of a limited area.
    """
    variables = list(variables)
    used = {dim for held in variables for dim in held.dims}
    points = {held.dims[-2:] for held in variables}
    result = _levels_of(grid, used)
    if "distance" in grid:
        return result | _section(grid)
    if "station" in grid:
        return result | _stations(grid)
    for place, dims in dimensions.items():
        if place == "center" or dims in points:
            result |= _horizontal(grid, place)
    result |= _of_cells(grid) | _of_map(grid) | _of_sphere(grid) | _covered(grid, used)
    result |= _of_depth(grid, result, variables)
    result = without_lost_terms(result, {held.name for held in variables})
    return with_axes(result, _counted(grid, used))


def _counted(grid: Mapping[str, Any], used: set[str]) -> dict[str, int]:
    """Returns sizes of the dimensions whose points only have a longitude and a latitude each."""
    if "corner_longitude" not in grid or _regular(grid):
        return {}
    ny, nx = (n - 1 for n in np.shape(grid["corner_longitude"]))
    sizes = {"y": ny, "x": nx, "y_corner": ny, "x_corner": nx}
    return {name: n for name, n in sizes.items() if name in used or not name.endswith("corner")}


def _of_map(grid: Mapping[str, Any]) -> dict[str, tuple[Any, ...]]:
    return _map(grid) if _on_a_map(grid) else {}


def _of_sphere(grid: Mapping[str, Any]) -> dict[str, tuple[Any, ...]]:
    """Returns the sphere on which a Gaussian grid is even, where that is not the earth as it is."""
    if "sphere" not in grid:
        return {}
    sphere = grid["sphere"]
    about = {
        "long_name": "sphere on which the rows are even, from the meridian towards the north pole",
        "stretching_factor": sphere.stretching,
        "pole_longitude": sphere.pole[0],
        "pole_latitude": sphere.pole[1],
        "truncation": int(grid["truncation"]),
    }
    return {"sphere": ((), np.int32(0), about)}


def _of_depth(
    grid: Mapping[str, Any], found: Mapping[str, tuple[Any, ...]], variables: list[VariableSpec]
) -> dict[str, tuple[Any, ...]]:
    cells = "depth" in found and "wet_levels" in grid and "chosen_levels" not in grid
    return _thickness(grid, variables) if cells else {}


def _map(grid: Mapping[str, Any]) -> dict[str, tuple[Any, ...]]:
    """Returns the grid mapping of CF, and where rows and columns are on the map: x and y [m], or
    longitude and latitude about its own pole.
    """
    projection = grid["projection"]
    x, y = projection.from_earth(grid["longitude"], grid["latitude"])
    turned = not projection.conformal
    result: dict[str, tuple[Any, ...]] = {
        "projection": ((), np.int32(0), dict(projection.attributes))
    }
    for name, values, rotated in (("x", x[0], "longitude"), ("y", y[:, 0], "latitude")):
        about = {"long_name": name, "axis": name.upper()}
        if turned:
            values = np.rad2deg(values / projection.radius)
            about |= {"standard_name": f"grid_{rotated}", "units": "degrees"}
        else:
            about |= {"standard_name": f"projection_{name}_coordinate", "units": "m"}
        result[name] = ((name,), values, about)
    return result


def _levels_of(grid: Mapping[str, Any], used: set[str]) -> dict[str, tuple[Any, ...]]:
    """Returns vertical coordinates of those dimensions."""
    result: dict[str, tuple[Any, ...]] = {}
    levels = grid.get("chosen_levels")
    if levels is not None and levels.name in used:
        result[levels.name] = ((levels.name,), levels.stored, levels.coordinate.attributes)
        used = used - {levels.name}
    result |= _depth(grid, used) if used & {"depth", "depth_interface"} else _hybrid(grid, used)
    return result | _heights(grid, used)


def _heights(grid: Mapping[str, Any], used: set[str]) -> dict[str, tuple[Any, ...]]:
    """Returns heights of layers and interfaces over flat ground [m], from the top down."""
    attributes = {"standard_name": "height", "units": "m", "positive": "up", "axis": "Z"}
    result: dict[str, tuple[Any, ...]] = {}
    if "height" in used:
        edges = np.asarray(grid["height_interfaces"], float)
        about = {"long_name": "height of the layer over flat ground", "bounds": "height_bounds"}
        result["height"] = (("height",), (edges[1:] + edges[:-1]) / 2, attributes | about)
        result["height_bounds"] = (
            ("height", "bounds"),
            np.stack([edges[:-1], edges[1:]], axis=1),
            {},
        )
    if "height_interface" in used:
        result["height_interface"] = (
            ("height_interface",),
            np.asarray(grid["height_interfaces"], float),
            attributes | {"long_name": "height of the interface over flat ground"},
        )
    return result


def _section(grid: Mapping[str, Any]) -> dict[str, tuple[Any, ...]]:
    """Returns points of a section, and their distance from its start [m]."""
    units = {"longitude": "degrees_east", "latitude": "degrees_north", "distance": "m"}
    return {
        name: (
            _along_section,
            np.asarray(grid[name], float),
            {"long_name": name, "units": unit} | ({} if unit == "m" else {"standard_name": name}),
        )
        for name, unit in units.items()
    }


def _stations(grid: Mapping[str, Any]) -> dict[str, tuple[Any, ...]]:
    """Returns names of stations (CF: flags), and where they are."""
    names = [str(name).replace(" ", "_") for name in grid["station"]]
    about = {
        "long_name": "mooring",
        "cf_role": "timeseries_id",
        "flag_values": list(range(len(names))),  # as long as the numbers of JSON, in Zarr
        "flag_meanings": " ".join(names),
    }
    return {"station": (("station",), np.arange(len(names)), about)} | {
        name: (
            ("station",),
            np.asarray(grid[name], float),
            {"standard_name": name, "long_name": name, "units": units},
        )
        for name, units in (("longitude", "degrees_east"), ("latitude", "degrees_north"))
    }


def _horizontal(grid: Mapping[str, Any], place: str) -> dict[str, tuple[Any, ...]]:
    """Returns where the points of that place are."""
    if _regular(grid):
        return _rows(grid)
    return _sphere(grid, place) if "corner_longitude" in grid else _plane(grid, place)


def _of_cells(grid: Mapping[str, Any]) -> dict[str, tuple[Any, ...]]:
    """Returns area, number of wet levels and share of land, of those that are known."""
    dims = ("latitude", "longitude") if _regular(grid) else dimensions["center"]
    rows = {
        key: get(name)
        for key, name in (
            ("area", "cell_area"),
            ("wet_levels", "wet_levels"),
            ("land_fraction", "land_fraction"),
        )
        if key in grid
    }
    about = _auxiliary(grid)
    return {
        row.alias: (dims, np.asarray(grid[key]), dict(row.attributes) | about)
        for key, row in rows.items()
    }


def _covered(grid: Mapping[str, Any], used: set[str]) -> dict[str, tuple[Any, ...]]:
    """Returns the part of new cells in those of the model: of each layer of the sea where there are
    layers.
    """
    result: dict[str, tuple[Any, ...]] = {}
    for name in ("sea_fraction", "covered_fraction"):
        if name in grid:
            part, row = np.asarray(grid[name]), get(name)
            layers = ("depth",) if len(part) > 1 and "depth" in used else ()
            dims = ("latitude", "longitude") if _regular(grid) else dimensions["center"]
            about = dict(row.attributes) | _auxiliary(grid)
            result[row.alias] = ((*layers, *dims), part if layers else part[0], about)
    return result


def _auxiliary(grid: Mapping[str, Any]) -> dict[str, str]:
    """Returns the attribute of what lies at centres: coordinates that are not its dimensions."""
    names = _points(grid, "center")[1]
    return {"coordinates": names} if names else {}


def _thickness(
    grid: Mapping[str, Any], variables: list[VariableSpec]
) -> dict[str, tuple[Any, ...]]:
    """Returns the thickness of cells, without the height of the sea surface: that of their layer,
    or where bottom cells are cut each its own, NaN in the ground. Nothing where it is one of the
    variables.
    """
    if get("cell_thickness").alias in {held.name for held in variables}:
        return {}
    dtype = np.result_type(np.float32, *(held.dtype for held in variables))
    row, layers = get("cell_thickness"), np.asarray(grid["thickness"], float)
    attributes = dict(row.attributes) | {
        "long_name": f"{row.long_name} with the sea surface at rest"
    }
    if "bottom_thickness" not in grid:
        return {row.alias: (("depth",), layers, attributes)}
    wet, bottom = np.asarray(grid["wet_levels"]), np.asarray(grid["bottom_thickness"])
    cells = np.empty((len(layers), *wet.shape), dtype)
    for k, layer in enumerate(layers):
        cells[k] = np.where(k + 1 < wet, layer, np.where(k + 1 == wet, bottom, np.nan))
    return {row.alias: (("depth", *dimensions["center"]), cells, attributes | _auxiliary(grid))}


def _names(place: str) -> tuple[str, str]:
    suffix = "" if place == "center" else f"_{place}"
    return f"longitude{suffix}", f"latitude{suffix}"


def _sphere(grid: Mapping[str, Any], place: str) -> dict[str, tuple[Any, ...]]:
    west_to_east, south_to_north = (
        np.asarray(grid[f"corner_{name}"], float) for name in ("longitude", "latitude")
    )
    after, before = slice(1, None), slice(None, -1)
    if place == "center":
        arrays = [np.asarray(grid[name], float) for name in ("longitude", "latitude")]
    elif place == "corner":
        arrays = [corner[after, after] for corner in (west_to_east, south_to_north)]
    else:
        other_end = (before, after) if place == "east_face" else (after, before)
        arrays = _middle(
            *((west_to_east[end], south_to_north[end]) for end in (other_end, (after, after)))
        )
    arrays[0] = _continuous(arrays[0])
    result: dict[str, tuple[Any, ...]] = {}
    for name, standard, units, array, corner in zip(
        _names(place),
        ("longitude", "latitude"),
        ("degrees_east", "degrees_north"),
        arrays,
        (west_to_east, south_to_north),
    ):
        attributes = {"standard_name": standard, "long_name": standard, "units": units}
        if place == "center":
            attributes["bounds"] = f"{name}_bounds"
            around = np.stack(
                [corner[:-1, :-1], corner[:-1, 1:], corner[1:, 1:], corner[1:, :-1]], axis=2
            )
            if standard == "longitude":  # on the same turn as the centre
                around = array[..., None] + (around - array[..., None] + 180) % 360 - 180
            result[f"{name}_bounds"] = (("y", "x", "vertex"), around, {})
        result[name] = (dimensions[place], array, attributes)
    return result


def _continuous(longitude: np.ndarray) -> np.ndarray:
    """Returns longitude without jumps along rows (so that simple plots have no streaks), its mean
    between 0 and 360.
    """
    longitude = longitude.copy()
    longitude[:, 0] = np.unwrap(longitude[:, 0], period=360)
    longitude = np.unwrap(longitude, period=360, axis=1)
    result: np.ndarray = longitude - 360 * np.floor(longitude.mean() / 360)
    return result


def _middle(
    first: tuple[np.ndarray, np.ndarray], second: tuple[np.ndarray, np.ndarray]
) -> list[np.ndarray]:
    """Returns half way on the great circle between two places."""
    x, y, z = (
        sum(part)
        for part in zip(
            *(
                (
                    np.cos(np.radians(b)) * np.cos(np.radians(a)),
                    np.cos(np.radians(b)) * np.sin(np.radians(a)),
                    np.sin(np.radians(b)),
                )
                for a, b in (first, second)
            )
        )
    )
    return [np.degrees(np.arctan2(y, x)), np.degrees(np.arctan2(z, np.hypot(x, y)))]


def _plane(grid: Mapping[str, Any], place: str) -> dict[str, tuple[Any, ...]]:
    """Returns one coordinate along each side: a rectangular plane has no more."""
    result: dict[str, tuple[Any, ...]] = {}
    for name, dim, along in (("x", dimensions[place][1], 1), ("y", dimensions[place][0], 0)):
        corner = np.asarray(grid[f"corner_{name}"], float)
        if np.ptp(corner, axis=1 - along).max() > 1e-9 * (np.ptp(corner) or 1.0):
            raise InputError(
                f"corner_{name} varies along both sides of the grid; a plane must be rectangular"
            )
        edges = np.take(corner, 0, axis=1 - along)
        values = 0.5 * (edges[1:] + edges[:-1]) if dim == name else edges[1:]
        result[dim] = (
            (dim,),
            values,
            {
                "standard_name": f"projection_{name}_coordinate",
                "long_name": name,
                "units": "m",
                "axis": name.upper(),
            },
        )
    return result


def _rows(grid: Mapping[str, Any]) -> dict[str, tuple[Any, ...]]:
    """Returns one coordinate along each side, with bounds."""
    result: dict[str, tuple[Any, ...]] = {}
    for name, units, axis in (
        ("latitude", "degrees_north", "Y"),
        ("longitude", "degrees_east", "X"),
    ):
        edges = np.asarray(grid[f"corner_{name}"], float)
        attributes: dict[str, Any] = {
            "standard_name": name,
            "long_name": name,
            "units": units,
            "axis": axis,
            "bounds": f"{name}_bounds",
        }
        if name == "latitude" and "truncation" in grid:
            attributes["truncation"] = int(grid["truncation"])
        result[name] = ((name,), np.asarray(grid[name], float), attributes)
        result[f"{name}_bounds"] = ((name, "bounds"), np.stack([edges[:-1], edges[1:]], axis=1), {})
    return result


def _hybrid(grid: Mapping[str, Any], used: set[str]) -> dict[str, tuple[Any, ...]]:
    """Returns p = ap + b ps; the coordinate itself is ap / p0 + b with p0 = 1000 hPa."""
    result: dict[str, tuple[Any, ...]] = {}
    for dim, suffix, what in (
        ("level", "", "hybrid level"),
        ("level_interface", "_interface", "hybrid interface"),
    ):
        if dim not in used:
            continue
        a, b = (np.asarray(grid[f"hybrid_{name}"], float) for name in "ab")
        terms = {"": a / 1e5 + b, "ap": a, "b": b}
        for name, values in terms.items():
            held, key = (
                (values if suffix else (values[1:] + values[:-1]) / 2),
                name + suffix if name else dim,
            )
            attributes = {
                "long_name": (what + {"ap": ": pressure part", "b": ": sigma part"}.get(name, "")),
                "units": "Pa" if name == "ap" else "1",
            }
            if not name:
                attributes |= {
                    "standard_name": "atmosphere_hybrid_sigma_pressure_coordinate",
                    "positive": "down",
                    "axis": "Z",
                    "formula_terms": f"ap: ap{suffix} b: b{suffix} ps: ps",
                    "computed_standard_name": "air_pressure",
                }
            if not suffix:
                attributes["bounds"] = f"{key}_bounds"
                result[f"{key}_bounds"] = (
                    ("level", "bounds"),
                    np.stack([values[:-1], values[1:]], axis=1),
                    {} if name else {"formula_terms": "ap: ap_bounds b: b_bounds ps: ps"},
                )
            result[key] = ((dim,), held, attributes)
    return result


def _depth(grid: Mapping[str, Any], used: set[str]) -> dict[str, tuple[Any, ...]]:
    interfaces = np.concatenate([[0.0], np.cumsum(np.asarray(grid["thickness"], float))])
    attributes = {"standard_name": "depth", "units": "m", "positive": "down", "axis": "Z"}
    result: dict[str, tuple[Any, ...]] = {}
    if "depth" in used:
        middle = (
            np.asarray(grid["depth"], float)
            if "depth" in grid
            else 0.5 * (interfaces[1:] + interfaces[:-1])
        )
        result["depth"] = (
            ("depth",),
            middle,
            {**attributes, "long_name": "depth of the layer", "bounds": "depth_bounds"},
        )
        result["depth_bounds"] = (
            ("depth", "bounds"),
            np.stack([interfaces[:-1], interfaces[1:]], axis=1),
            {},
        )
    if "depth_interface" in used:
        result["depth_interface"] = (
            ("depth_interface",),
            interfaces,
            {**attributes, "long_name": "depth of the interface"},
        )
    return result
