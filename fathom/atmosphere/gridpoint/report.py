"""Pictures in the report of a grid-point atmosphere: of a plane a slice along x through its middle;
of the sphere maps near the ground and zonal means over height.
"""

from collections.abc import Mapping
from functools import partial
from typing import Any

import numpy as np

import fathom.plots as plots
from fathom.names import describe
from fathom.output.diagnostics import whole
from fathom.plots.colours import colour_map
from fathom.plots.style import new_panels, range_of, signed, unit_text

of_slice = ("potential_temperature_deviation", "upward_air_velocity", "x_wind")


of_sphere = ("surface_air_pressure", "air_temperature", "eastward_wind", "northward_wind")


def fields(simulation: Any) -> Any:
    """Returns the argument of `pictures`, on rank 0; all ranks call it."""
    return (_sphere if simulation.model.sphere else _slice)(simulation)


def _sphere(simulation: Any) -> Any:
    state = {name: whole(simulation, name) for name in of_sphere}
    return state if simulation.is_root else None


def _slice(simulation: Any) -> dict[str, Any] | None:
    """Returns the slice, on rank 0: x [km], heights [km] and values (levels, nx) by name."""
    model = simulation.model
    state = {name: whole(simulation, name) for name in of_slice[:1]}
    state |= dict(simulation.gathered(of_slice[1:]))
    if not simulation.is_root:
        return None
    row = model.grid.shape[1] // 2
    z = model.heights[:, row] / 1e3
    x = np.broadcast_to(model.grid.coordinates()[0][row] / 1e3, z.shape)
    return {name: (x, z, values[:, row]) for name, values in state.items()}


def pictures(grid: Any, state: Any) -> Mapping[str, Any]:
    """Returns sections of the report's page: title -> its pictures."""
    if "surface_air_pressure" not in state:
        return {"Slice": [(name, partial(draw, name, *state[name])) for name in of_slice]}
    grid, heights = grid.mapping(), grid.levels.interfaces / 1e3
    latitude = np.asarray(grid["corner_latitude"])
    if latitude.ndim == 2:  # of an area on a turned grid: those of a row, in the mean
        latitude = latitude.mean(-1)
    return {
        "Near the ground": [
            (name, partial(plots.map, state[name][-1], grid, name=name)) for name in of_sphere
        ],
        "Zonal means": [
            (f"zonal_{name}", partial(draw_mean, name, latitude, heights, state[name].mean(-1)))
            for name in of_sphere[1:3]
        ],
    }


def draw_mean(name: str, latitude: Any, heights: Any, values: Any) -> Any:
    """Returns cells over latitude and the height of levels over flat ground."""
    about = describe(name)
    figure, axes = new_panels(1, 1, 8, 3.2)
    colours = signed(about.colours, values, False)
    low, high = range_of(values, None, colours)
    shown = axes.pcolormesh(
        latitude, heights, values, cmap=colour_map(colours), vmin=low, vmax=high
    )
    axes.set(xlabel="latitude [degrees]", ylabel="height [km]", title=f"{about.long_name}, mean")
    figure.colorbar(shown, label=unit_text(about.units))
    return figure


def draw(name: str, x: Any, z: Any, values: Any) -> Any:
    """Returns filled contours over height, the ground below."""
    about = describe(name)
    if len(values) < len(z):  # of layers
        z = (z[1:] + z[:-1]) / 2
        x = x[1:]
    colours = signed(about.colours if name == "x_wind" else "balance", values, False)
    low, high = range_of(values, None, colours)
    figure, axes = new_panels(1, 1, 8, 3.2)
    filled = axes.contourf(
        x, z, values, np.linspace(low, high, 25), cmap=colour_map(colours), extend="both"
    )
    axes.fill_between(x[-1], z[-1], z[-1].min() - 0.01, color="0.4")
    axes.set(xlabel="x [km]", ylabel="height [km]", title=about.long_name)
    figure.colorbar(filled, label=unit_text(about.units))
    return figure
