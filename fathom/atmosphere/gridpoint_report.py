"""What the report of a grid-point atmosphere draws: a slice along x through the middle of the
plane.
"""

from functools import partial

import numpy as np

from fathom.names import describe
from fathom.output.diagnostics import whole
from fathom.plots.style import unit_text

names = ("potential_temperature_deviation", "upward_air_velocity", "x_wind")


def fields(simulation):
    """The slice, on rank 0: x [km], heights [km] and values (levels, nx) by name."""
    model = simulation.model
    state = {name: whole(simulation, name) for name in names[:1]}
    state |= dict(simulation.gathered(names[1:]))
    if not simulation.is_root:
        return None
    row = model.grid.shape[1] // 2
    z = model.heights[:, row] / 1e3
    x = np.broadcast_to(model.grid.coordinates()[0][row] / 1e3, z.shape)
    return {name: (x, z, values[:, row]) for name, values in state.items()}


def pictures(state):
    """Sections of the report's page: title -> its pictures."""
    return {"Slice": [(name, partial(draw, name, *state[name])) for name in names]}


def draw(name, x, z, values):
    """Filled contours over height, the ground below."""
    from matplotlib.figure import Figure  # takes long to load

    about = describe(name)
    if len(values) < len(z):  # of layers
        z = (z[1:] + z[:-1]) / 2
        x = x[1:]
    most = float(np.abs(values).max()) or 1.0
    low, high = (values.min(), values.max()) if name == "x_wind" else (-most, most)
    figure = Figure(figsize=(8, 3.2), layout="constrained")
    axes = figure.subplots()
    filled = axes.contourf(
        x, z, values, np.linspace(low, high if high > low else low + 1, 25),
        cmap="RdBu_r" if name != "x_wind" else "viridis",
    )  # fmt: skip
    axes.fill_between(x[-1], z[-1], z[-1].min() - 0.01, color="0.4")
    axes.set(xlabel="x [km]", ylabel="height [km]", title=about.long_name)
    figure.colorbar(filled, label=unit_text(about.units))
    return figure
