"""The pictures of an ocean for the report: surface maps, stream function, zonal means."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import partial
from typing import Any

import numpy as np

import fathom.plots as plots
from fathom import names
from fathom.model.component import Array
from fathom.ocean.products import circulation

Pictures = Iterator[tuple[str, Callable[[], Any]]]


def fields(simulation: Any) -> dict[str, Any] | None:
    """Returns the state on rank 0, land NaN, with true eastward and northward velocity and the
    stream function; all ranks call it.
    """
    model = simulation.model
    gathered = {name: simulation.gather(name) for name in (*model.prognostic, *model.report_fields)}
    if not simulation.is_root:
        return None
    wet, corner = model.grid.wet_levels, model.grid.corner_levels
    k = np.arange(model.grid.levels.nz)[:, None, None]
    angle = np.asarray(model.grid.horizontal.angle_corner)
    u, v = (np.where(k < corner, gathered.pop(f"velocity_{a}"), np.nan) for a in "xy")
    state: dict[str, Any] = {
        name: np.where(k < wet, a, np.nan) if a.shape[0] > 1 else np.where(wet > 0, a[0], np.nan)
        for name, a in gathered.items()
    }
    overturning, state["barotropic_stream_function"] = circulation.of_flow(
        model, *circulation.transports(model, u, v)
    )
    state["overturning"] = (
        {
            name: (circulation.geometry(model.grid).edges, overturning[n])
            for name, n in (("Atlantic", 1), ("Global", 0))
        }
        if model.grid.horizontal.spherical
        else {}
    )
    state["tracks"] = {
        store.path.stem: store.tracks()
        for store in simulation.outputs
        if hasattr(store, "tracks") and store.count
    }
    state["eastward_velocity"], state["northward_velocity"] = (
        u * np.cos(angle) - v * np.sin(angle),
        u * np.sin(angle) + v * np.cos(angle),
    )
    return state


def pictures(grid: Mapping[str, Any], state: Mapping[str, Any]) -> dict[str, Pictures]:
    """Returns sections of the report.

    grid: as `mapping` of a grid of water.
    state: temperature [degC], salinity (nz, ny, nx); eastward_velocity, northward_velocity (nz, ny,
    nx) [m s-1] at the corner north-east
      of each cell; sea_surface_height (ny, nx) [m] at centres; barotropic_stream_function (ny, nx)
      [m3 s-1] at corners; overturning, basin -> (latitudes (n), stream function (nz + 1, n) [m3
      s-1], NaN in the ground); tracks, name -> places (times, drifters) along both axes, times
      [days]. Values on land do not matter. Other fields (ny, nx) or (nz, ny, nx) at centres get a
      map. What is missing is left out.
    """
    return {
        "Surface": _maps(grid, state),
        "Sections": _sections(grid, state),
        "Overturning": _overturning(grid, state),
    }


def _maps(grid: Mapping[str, Any], state: Mapping[str, Any]) -> Pictures:
    raster = plots.Raster(plots.mesh_of(grid))
    levels = _levels(grid, raster.mesh.shape)
    wet = levels > 0

    def surface(name: str) -> Array:
        return np.where(wet, _first_level(state[name]), np.nan)

    for name, drawn in (
        ("temperature", "sea_surface_temperature"),
        ("salinity", "sea_surface_salinity"),
        ("sea_surface_height",) * 2,
    ):
        if name in state:
            yield drawn, partial(plots.map, surface(name), raster, name=drawn)
    if {"eastward_velocity", "northward_velocity"} <= set(state):
        speed = np.hypot(
            _first_level(state["eastward_velocity"]), _first_level(state["northward_velocity"])
        )
        speed = _to_centers(speed, levels, raster.mesh.cyclic)
        yield "surface_speed", partial(plots.map, speed, raster, name="surface_speed")
    if "barotropic_stream_function" in state:
        transport = _to_centers(
            np.asarray(state["barotropic_stream_function"], float), levels, raster.mesh.cyclic
        )
        yield "barotropic_stream_function", partial(plots.stream_function, transport, raster)
    for name, (x, y, days) in state.get("tracks", {}).items():
        yield (
            f"tracks of {name}",
            partial(plots.tracks, x, y, days, wet, raster, title=name[:1].upper() + name[1:]),
        )
    for name in sorted(set(map(str, state)) - _known):
        if np.shape(state[name])[-2:] == raster.mesh.shape:
            most = float(np.nanmax(surface(name), initial=0.0))
            localised = (
                {}
                if names.known(name) or not most > 0
                else {"limits": (0.0, most), "colours": "deep"}
            )  # a dye fills a few cells
            yield name, partial(plots.map, surface(name), raster, name=name, **localised)


_known = {
    "temperature",
    "salinity",
    "sea_surface_height",
    "eastward_velocity",
    "northward_velocity",
    "velocity_x",
    "velocity_y",
    "barotropic_stream_function",
    "overturning",
    "tracks",
    "longitude",
    "latitude",
}


def _sections(grid: Mapping[str, Any], state: Mapping[str, Any]) -> Pictures:
    if "thickness" not in grid:
        return
    interfaces = np.concatenate([[0.0], np.cumsum(np.asarray(grid["thickness"], float))])
    spherical = "latitude" in grid
    across = np.asarray(grid["latitude"] if spherical else grid["y"], float)
    across, label = (across, "latitude") if spherical else (across * 1e-3, "y [km]")
    area = np.asarray(grid["area"]) if "area" in grid else np.ones(across.shape)
    wet = np.arange(len(interfaces) - 1)[:, None, None] < _levels(grid, across.shape)
    for name in ("temperature", "salinity"):
        if name in state and np.ndim(state[name]) == 3:
            values, edges = plots.zonal_mean(
                np.where(wet, np.asarray(state[name]), np.nan), across, area
            )
            limits = _middle(values) if name == "salinity" else None
            mean = "zonal mean" if spherical else "mean along x"
            yield (
                name,
                partial(
                    plots.section,
                    values,
                    edges,
                    interfaces,
                    name=name,
                    label=label,
                    limits=limits,
                    title=f"{name.capitalize()}, {mean}",
                ),
            )


def _overturning(grid: Mapping[str, Any], state: Mapping[str, Any]) -> Pictures:
    mesh = plots.mesh_of(grid)
    closed = not mesh.is_global or bool((_levels(grid, mesh.shape) > 0).all())
    for basin, (latitudes, psi) in state.get("overturning", {}).items():
        if not np.isfinite(psi).any() or (closed and basin != "Global"):
            continue  # a closed basin, or a globe without land, has no Atlantic
        interfaces = np.concatenate([[0.0], np.cumsum(np.asarray(grid["thickness"], float))])
        within = (psi[1:, 1:] + psi[:-1, 1:] + psi[1:, :-1] + psi[:-1, :-1]) / 4
        top = max(5.0, float(np.ceil(np.nanpercentile(np.abs(within), 98) / 5e6) * 5))  # [Sv]
        yield (
            f"overturning {basin}",
            partial(
                plots.section,
                within,
                latitudes,
                interfaces,
                name="meridional_overturning",
                limits=(-top, top),
                title="Overturning, clockwise positive"
                if closed
                else f"{basin} overturning, clockwise positive",
            ),
        )


def _levels(grid: Mapping[str, Any], shape: tuple[int, int]) -> Array:
    return np.asarray(grid["wet_levels"]) if "wet_levels" in grid else np.ones(shape, int)


def _first_level(field: Any) -> Array:
    values = np.asarray(field, float)
    return values[0] if values.ndim == 3 else values


def _to_centers(field: Array, levels: Array, cyclic: bool) -> Array:
    """Returns mean of the wet corners around each cell, NaN where there is none. A corner is wet if
    its four cells are.
    """
    east = np.roll(levels, -1, axis=1)
    if not cyclic:
        east[:, -1] = 0
    both = np.minimum(levels, east)
    north = np.vstack([both[1:], np.zeros_like(both[:1])])
    weight = ((np.minimum(both, north) > 0) & np.isfinite(field)).astype(float)
    total = _four(weight, cyclic)
    found: Array = np.divide(
        _four(np.where(weight > 0, field, 0.0), cyclic),
        total,
        out=np.full(field.shape, np.nan),
        where=(total > 0) & (levels > 0),
    )
    return found


def _four(field: Array, cyclic: bool) -> Array:
    """Returns sum over the corners of each cell; corner (j, i) lies north-east of cell (j, i)."""
    west = np.roll(field, 1, axis=1)
    if not cyclic:
        west[:, 0] = 0
    both = field + west
    return np.asarray(both + np.vstack([np.zeros_like(both[:1]), both[:-1]]))


def _middle(values: Array) -> tuple[float, float] | None:
    """Returns rounded ends that hold 94 % of the values."""
    if not np.isfinite(values).any():
        return None
    low, high = np.nanpercentile(values, (3, 97))
    return (np.floor(low * 10) / 10, np.ceil(high * 10) / 10) if high - low > 0.1 else None
