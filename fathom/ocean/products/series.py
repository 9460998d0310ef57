"""Contents of the sea and fluxes through its surface, by basin, each time that a run asks:

    heat_content   = rho0 c_p sum of T h A      [J],  above 0 degC
    salt_content   = rho0 1e-3 sum of S h A     [kg]
    surface_volume = sum of eta A               [m3], of the sea surface above rest
    heat_flux      = rho0 c_p sum of F_T A      [W],  restoring included
    salt_flux      = rho0 1e-3 sum of F_S A     [kg s-1], virtual salt of fresh water included
    freshwater_flux = sum of F A                [kg s-1]
    momentum_flux  = sum of tau_east A          [N],  eastward

and of the ice in each hemisphere ("global" of a plane)

    sea_ice_extent = sum of A where a >= 0.15,  sea_ice_area = sum of a A [m2],
    sea_ice_volume = sum of v A [m3]

with its extremes in all seas: thickness v / a where a >= 0.15, speed, surface temperature.

Fluxes are those of the last step (0 before the first), positive into the sea. Contributions are
rounded to a multiple of a power of two: such sums are exact, the same on any ranks.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import numpy as np

from fathom.base import earth, mpi
from fathom.model.component import Array, Series
from fathom.ocean.products.circulation import basins, geometry
from fathom.ocean.products.diagnostics import Window
from fathom.output.diagnostics import rounded

Columns = Iterable[tuple[Window, Array]]  # values (ny, nx) of each block

density = earth.SEA_WATER_DENSITY
heat_capacity = density * earth.SEA_WATER_HEAT_CAPACITY
# a flux or what is in a column: field, factor, units, least amount that counts [field m2 (m)]
fluxes = {
    "heat_flux": ("temperature_surface_flux", heat_capacity, "W", 2.0**-16),
    "salt_flux": ("salinity_surface_flux", 1e-3 * density, "kg s-1", 2.0**-16),
    "freshwater_flux": ("surface_freshwater_flux", 1.0, "kg s-1", 2.0**-16),
    "surface_volume": ("sea_surface_height", 1.0, "m3", 2.0**-2),
}
kept = (
    *(field for field, *_ in fluxes.values() if field != "sea_surface_height"),
    "surface_stress_x",
    "surface_stress_y",
)  # fields that have to stay readable between steps
contents = {
    "heat_content": ("temperature", heat_capacity, "J", 2.0**12),
    "salt_content": ("salinity", 1e-3 * density, "kg", 2.0**14),
}


def by_basin(simulation: Any) -> Series:
    """Returns series name -> (value, units); of a plane "global" alone. All ranks call it."""
    there = simulation.fields.has
    found = {}
    for name, (field, factor, units, unit) in fluxes.items():
        if there(field):
            columns = [(window, a[0]) for window, a in _blocks(simulation, field)]
            found[name] = (_summed(simulation, columns, unit), factor, units)
    for name, (field, factor, units, unit) in contents.items():
        whole = zip(simulation.domain.blocks, simulation.fields.column_contents(field))
        found[name] = (_summed(simulation, whole, unit), factor, units)
    if there("surface_stress_x") and there("surface_stress_y"):
        stress = _eastward_stress(simulation)
        found["momentum_flux"] = (_summed(simulation, stress, 2.0**-4, "corner"), 1.0, "N")
    grid = simulation.model.grid
    inside = geometry(grid).inside
    shown = [
        n for n in range(len(basins)) if n == 0 or (grid.horizontal.spherical and inside[n].any())
    ]
    return {
        f"{name}_{basins[n]}": (float(sums[n] * factor), units)
        for name, (sums, factor, units) in found.items()
        for n in shown
    } | _of_ice(simulation)


def _of_ice(simulation: Any) -> Series:
    """Returns extent, area and volume of sea ice by hemisphere: name -> (value, units); none
    without it.
    """
    if not simulation.model.sea_ice:
        return {}
    grid = simulation.model.grid
    if grid.horizontal.spherical:
        north = np.asarray(grid.coordinates("center")[1]) > 0
        parts = {"north": north, "south": ~north}
    else:
        parts = {"global": np.ones(np.shape(grid.wet_levels), bool)}
    inside = list(parts.values())

    def of(field: Any) -> Any:
        return [(window, a[0]) for window, a in _blocks(simulation, field)]

    area, volume = of("sea_ice_area"), of("sea_ice_volume")
    covered = [(window, np.where(a >= 0.15, 1.0, 0.0)) for window, a in area]
    found = {
        "sea_ice_extent": (_summed(simulation, covered, 2.0**-4, inside=inside), "m2"),
        "sea_ice_area": (_summed(simulation, area, 2.0**-4, inside=inside), "m2"),
        "sea_ice_volume": (_summed(simulation, volume, 2.0**-4, inside=inside), "m3"),
    }
    return {
        f"{name}_{part}": (float(value), units)
        for name, (sums, units) in found.items()
        for part, value in zip(parts, sums)
    } | _extremes_of_ice(simulation, area, volume)


def _extremes_of_ice(simulation: Any, area: Columns, volume: Columns) -> Series:
    """Returns series name -> (value, units)."""
    thick = [v / np.maximum(a, 0.15) * (a >= 0.15) for (_, a), (_, v) in zip(area, volume)]
    of = simulation.fields.windows
    speed = (
        [np.hypot(u, v) for u, v in zip(of("ice_velocity_x"), of("ice_velocity_y"))]
        if simulation.model.sea_ice.subcycles
        else []
    )
    thickest, fastest = (
        simulation.comm.allreduce(
            max((float(a.max()) for a in blocks), default=0.0), op=mpi.MPI.MAX
        )
        for blocks in (thick, speed)
    )
    surface = simulation.fields.extremes("ice_surface_temperature")
    return {
        "sea_ice_thickness_most": (thickest, "m"),
        "sea_ice_speed_most": (fastest, "m s-1"),
        "ice_surface_temperature_least": (surface["minimum"], "degC"),
        "ice_surface_temperature_most": (surface["maximum"], "degC"),
    }


def _blocks(simulation: Any, field: str) -> Iterator[tuple[Window, Array]]:
    """Returns each block of this rank with its values (levels, ny, nx)."""
    return zip(simulation.domain.blocks, simulation.fields.windows(field))


def _eastward_stress(simulation: Any) -> Columns:
    """Returns (window, stress) at corners, turned from the axes of the grid."""
    angle = np.asarray(simulation.model.grid.horizontal.angle_corner)
    for (window, x), (_, y) in zip(
        _blocks(simulation, "surface_stress_x"), _blocks(simulation, "surface_stress_y")
    ):
        turn = angle[_part(window)]
        yield window, np.cos(turn) * x[0] - np.sin(turn) * y[0]


def _part(window: Window) -> tuple[slice, slice]:
    """Returns the rows and columns of a block."""
    j, i, ny, nx = window
    return slice(j, j + ny), slice(i, i + nx)


def _summed(
    simulation: Any,
    columns: Columns,
    unit: float,
    where: str = "center",
    inside: Sequence[Array] | None = None,
) -> Array:
    """Returns the sums over the basins, or over other parts of the grid, of a quantity per area in
    the blocks of all ranks.
    """
    grid = simulation.model.grid
    area_center, area_corner = grid.areas
    area = np.where(
        np.asarray(grid.levels_at(where)) > 0,
        np.asarray(area_center if where == "center" else area_corner),
        0.0,
    )
    inside = geometry(grid).inside if inside is None else inside
    total = np.zeros(len(inside))
    for window, values in columns:
        part = _part(window)
        amount = rounded(np.where(area[part] > 0, values, 0.0) * area[part], unit)
        total += [amount[one[part]].sum() for one in inside]
    return np.asarray(simulation.comm.allreduce(total))
