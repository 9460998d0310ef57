"""Diagnostics from the fields of the ocean: output variables by name, stream function, transport
through Drake Passage.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import TYPE_CHECKING, Any
from weakref import WeakKeyDictionary

import numpy as np

from fathom.base import mpi
from fathom.grids.regrid.points import vertical
from fathom.grids.water import WaterGrid
from fathom.model.component import Array, Series
from fathom.ocean.products.sections import corners, passages
from fathom.output.diagnostics import Diagnostic, rounded, same, weighted

if TYPE_CHECKING:
    from fathom.ocean.model import Ocean

Window = tuple[int, int, int, int]  # of a block in the grid: j0, i0, ny, nx


def _east(ocean: Ocean, window: Window) -> tuple[Array, Array]:
    """Returns the weights of both components in the eastward one."""
    cosine, sine = _turn(ocean, window)
    return cosine, -sine


def _north(ocean: Ocean, window: Window) -> tuple[Array, Array]:
    """Returns the weights of both components in the northward one."""
    cosine, sine = _turn(ocean, window)
    return sine, cosine


def _turn(ocean: Ocean, window: Window) -> Iterator[Array]:
    """Returns cosine and sine of the angle of the grid in a block."""
    j0, i0, ny, nx = window
    return (np.ascontiguousarray(part[j0 : j0 + ny, i0 : i0 + nx]) for part in ocean.grid.turn)


def _speed(ocean: Ocean, window: Window, u: Array, v: Array) -> Array:
    """Returns the speed."""
    return np.asarray(np.hypot(u, v))


def _through(side: str) -> Callable[[Ocean, Window, Array], Array]:
    """Returns a function that gives a velocity from the transport through the eastern or northern
    faces of cells, as high as they are with the sea surface at rest.
    """

    def of(ocean: Ocean, window: Window, transport: Array) -> Array:
        j0, i0, ny, nx = window
        part = (slice(j0, j0 + ny), slice(i0, i0 + nx))
        length = np.asarray(getattr(ocean.grid.horizontal, f"length_{side}_face"))[part]
        return np.stack(
            [
                flow / (length * ocean.grid.face_thickness(k, side)[part])
                for k, flow in enumerate(transport)
            ]
        )

    return of


def _upward(ocean: Ocean, window: Window, transport: Array) -> Array:
    """Returns the velocity from the transport up through the interfaces of a block."""
    j0, i0, ny, nx = window
    area = np.asarray(ocean.grid.areas[0])[j0 : j0 + ny, i0 : i0 + nx]
    return np.asarray(transport / area)


def potential_density(
    ocean: Ocean, temperature: Array, salinity: Array, pressure: float = 0.0
) -> Array:
    """Returns it [kg m-3] at a pressure [dbar], by the ocean's equation of state; arrays (levels,
    ny, nx).
    """
    levels = len(temperature)
    given = {
        "temperature": temperature,
        "salinity": salinity,
        "pressure_reference": np.full(levels, pressure),
        "thickness": np.ones(levels),
    }
    process = ocean.equation_of_state.process(8)
    found = mpi.core.run_column(
        process,
        {
            f["name"]: np.ascontiguousarray(given[f["name"]], float)
            for f in process.fields
            if f["access"] == "reads"
        },
        levels=levels,
    )
    usual = mpi.core.reference_density(pressure)
    reference = ocean.equation_of_state.all_parameters.get("reference_density", usual)
    return np.asarray(found["density_anomaly"] + reference)


def _mixed_layer_depth(ocean: Ocean, window: Window, temperature: Array, salinity: Array) -> Array:
    """Returns where potential density exceeds that at 10 m by 0.03 kg m-3 (de Boyer Montegut et al.
    2004), linear between the middles of layers; else the bottom [m].
    """
    j0, i0, ny, nx = window
    middles, bottoms = (
        np.asarray(ocean.grid.levels.middles),
        np.concatenate([[0.0], np.cumsum(ocean.grid.levels.weights)]),
    )
    water = np.asarray(ocean.grid.wet_levels)[j0 : j0 + ny, i0 : i0 + nx]
    rho = potential_density(ocean, temperature, salinity)
    k = min(int(np.searchsorted(middles, 10.0)), len(middles) - 1)
    weight = np.clip((10.0 - middles[k - 1]) / (middles[k] - middles[k - 1]), 0, 1) if k else 0.0
    at_10 = rho[k] * weight + rho[k - 1] * (1 - weight) if k else rho[0]
    excess = rho - at_10 - 0.03
    depth = bottoms[water]
    for n in range(len(middles) - 1, max(k, 1) - 1, -1):
        with np.errstate(invalid="ignore", divide="ignore"):
            within = np.clip(-excess[n - 1] / (excess[n] - excess[n - 1]), 0, 1)
            found = (n < water) & (excess[n] > 0)
        depth = np.where(found, middles[n - 1] + within * (middles[n] - middles[n - 1]), depth)
    return np.asarray(depth)[None]


_velocity = ("velocity_x", "velocity_y")
derived = {
    "sea_surface_temperature": Diagnostic(("temperature",), same, surface=True),
    "sea_surface_salinity": Diagnostic(("salinity",), same, surface=True),
    "eastward_velocity": Diagnostic(_velocity, weighted(_east)),
    "northward_velocity": Diagnostic(_velocity, weighted(_north)),
    "speed": Diagnostic(_velocity, _speed, linear=False),
    "surface_eastward_velocity": Diagnostic(_velocity, weighted(_east), surface=True),
    "surface_northward_velocity": Diagnostic(_velocity, weighted(_north), surface=True),
    "bolus_velocity_x": Diagnostic(("bolus_transport_east",), _through("east")),
    "bolus_velocity_y": Diagnostic(("bolus_transport_north",), _through("north")),
    "vertical_velocity": Diagnostic(("transport_up",), _upward),
    "mixed_layer_depth": Diagnostic(
        ("temperature", "salinity"), _mixed_layer_depth, linear=False, vertical="column"
    ),
    "surface_speed": Diagnostic(_velocity, _speed, surface=True, linear=False),
}


def at_depth(diagnostic: Diagnostic, depths: Array, horizontal: str) -> Diagnostic:
    """Returns the Diagnostic of a variable of layers at depths [m], linear between the middles of
    layers; constant from the first up to the surface; nothing below the middle of the last layer
    that has water.
    """

    def of(model: Ocean, window: Window, *arrays: Array) -> Array:
        j0, i0, ny, nx = window
        values = np.array(diagnostic.of(model, window, *arrays), float)
        water, middles = (
            model.grid.levels_at(horizontal)[j0 : j0 + ny, i0 : i0 + nx],
            np.asarray(model.grid.levels.middles),
        )
        for k in range(
            1, len(values)
        ):  # the last value of the water continues into the ground, for the interpolation
            np.copyto(values[k], values[k - 1], where=water <= k)
        return np.where(
            depths[:, None, None] <= middles[water - 1], vertical(values, middles, depths), np.nan
        )

    return replace(diagnostic, of=of, vertical="layer")


_drake: WeakKeyDictionary[WaterGrid, list[Any]] = WeakKeyDictionary()  # of grids


def drake_transport(simulation: Any) -> Series:
    """Returns the series of the volume transport through Drake Passage [m3 s-1]; none where the
    grid has no such passage.
    """
    grid = simulation.model.grid
    if grid not in _drake:
        _drake[grid] = list(zip(*corners(grid, passages["drake_passage"])))
    if not _drake[grid]:
        return {}
    total = 0.0
    for n, (j0, i0, ny, nx) in enumerate(simulation.domain.blocks):
        for j, i, *lengths in _drake[grid]:
            if j0 <= j < j0 + ny and i0 <= i < i0 + nx:
                u, v = (
                    simulation.fields.part(name, n, j - j0, i - i0, 1, 1)[:, 0, 0]
                    for name in ("velocity_x", "velocity_y")
                )
                flow = lengths[0] * u.astype(float) + lengths[1] * v
                total += float(rounded(np.dot(flow, grid.column(j, i, "corner")), 2.0**-12))
    return {"drake_transport": (simulation.comm.allreduce(total), "m3 s-1")}
