"""Diagnostics from the fields of a grid-point atmosphere: output variables, numbers to watch.

Pressures, temperatures and heights of layers are the model's own; what lies between them and below
the ground is that of every atmosphere (`fathom.output.post.pressure_levels`, core/post/air.hpp).
"""

from collections.abc import Mapping
from functools import cached_property
from typing import Any

import numpy as np

from fathom.atmosphere.products import diagnostics
from fathom.base import mpi
from fathom.base.earth import STANDARD_GRAVITY
from fathom.base.moist_air import GAS_CONSTANT, VIRTUAL_FACTOR
from fathom.model.component import Series
from fathom.output.diagnostics import Diagnostic
from fathom.output.post.pressure_levels import Column

state = ("air_density", "air_potential_temperature")


def temperature(model: Any, density: Any, theta: Any) -> Any:
    """Returns temperature of layers [K], from densities and the potential temperatures of
    interfaces; that of dry air of this density where theta is virtual.
    """
    c = model.constants
    kappa, warm = c.gas_constant / c.heat_capacity, (theta[1:] + theta[:-1]) / 2
    return warm * (c.gas_constant * density * warm / c.pressure) ** (kappa / (1 - kappa))


def pressure(model: Any, density: Any, theta: Any) -> Any:
    """Returns the pressure of layers [Pa]."""
    return model.constants.gas_constant * density * temperature(model, density, theta)


def ground_pressure(constants: Any, half: Any, lowest: Any, theta: Any) -> Any:
    """Returns pressure at the ground, from that of the lowest layer, half of its thickness, and
    theta of interfaces, which is linear between them: c_p theta d(pi)/dz = -g.
    """
    c, kappa = constants, constants.gas_constant / constants.heat_capacity
    beside = 0.75 * theta[-1] + 0.25 * theta[-2]
    exner = (lowest / c.pressure) ** kappa + c.gravity * half / (c.heat_capacity * beside)
    return c.pressure * exner ** (1 / kappa)


def in_layers(tracer: Any) -> Any:
    """Returns a tracer in layers, from the interfaces above them; below the last one it does not
    change.
    """
    return (tracer + np.concatenate([tracer[1:], tracer[-1:]])) / 2


class State(diagnostics.State):
    """The columns of a window, as those of other atmospheres; tracers as layers have them."""

    def __init__(self, model: Any, window: Any, fields: Any, levels: Any = None) -> None:
        super().__init__(model, window, fields, levels)
        tracers = [name for name in model.tracers if name in fields]
        self.fields |= {name: in_layers(np.asarray(self.fields[name], float)) for name in tracers}

    def _at(self, name: str, pressures: Any) -> Any:
        """Returns what the base says; what lies on interfaces is that of layers between them."""
        values = self[name] if name == "potential_temperature_deviation" else self.given.get(name)
        if values is None or len(values) != self.model.grid.levels.nz + 1:
            return super()._at(name, pressures)
        values = np.asarray(self[name], float)
        return self.column.at((values[1:] + values[:-1]) / 2, pressures)

    @cached_property
    def column(self) -> Any:
        """Returns the column, with heights and T_v scaled to the gravity of geopotential height."""
        c = self.model.constants
        slope = c.gas_constant / c.gravity * STANDARD_GRAVITY / GAS_CONSTANT
        return Column.of_layers(
            (
                np.log(self["air_pressure"]),
                self["air_temperature"],
                slope * self["virtual_temperature"],
                self["geopotential"],
            ),
            (np.log(self["surface_air_pressure"][0]), self["surface_geopotential"][0]),
        )

    @property
    def above_ground(self) -> Any:
        """Returns columns from the ground up."""
        return self.column

    @property
    def rules(self) -> Any:
        """Returns how diagnostics follow, by name."""
        return super().rules | _rules

    @property
    def dynamical(self) -> Any:
        """Returns density and theta, (levels, points)."""
        return (np.asarray(self.fields[name], float) for name in state)

    @cached_property
    def heights(self) -> Any:
        """Returns heights of interfaces [m], (levels, points)."""
        z = part(self.model.heights, self.block)
        return z.reshape(len(z), -1)


class Lowest(State):
    """Below, the lowest layer of the physics, which is about the interface above the ground
    (core/atmosphere/gridpoint/physics.hpp): all that the exchange with the ground knows.
    """

    def __init__(self, model: Any, window: Any, fields: Any, levels: Any = None) -> None:
        super().__init__(model, window, fields, levels)
        c, z = model.constants, self.heights[-3:]
        middle = (z[1:] + z[:-1]) / 2
        exner = (self["air_pressure"][-2:] / c.pressure) ** (c.gas_constant / c.heat_capacity)
        up = (z[1] - middle[1]) / (middle[0] - middle[1])
        here = exner[1] + up * (exner[0] - exner[1])
        _, theta = self.dynamical
        factor = self["virtual_temperature"] / self["air_temperature"]
        surface = self["surface_air_pressure"]
        q = np.reshape(np.asarray(fields["specific_humidity"][-1], float), (1, -1))
        self.fields |= {
            "specific_humidity": q,
            "air_temperature": theta[-2:-1] * here / factor[-1:],
            "air_pressure": c.pressure * here[None] ** (c.heat_capacity / c.gas_constant),
            "geopotential": c.gravity * z[1:2],
            "surface_geopotential": c.gravity * z[2:],
            "surface_air_pressure": surface,
        } | {part: np.mean(self[part][-2:], 0, keepdims=True) for part in diagnostics.wind}


def _temperature(state: Any) -> Any:
    """Returns T = T_v / (1 + (1 / eps - 1) q - water)."""
    if not state.model.moist:
        return state["virtual_temperature"]
    heavy = sum(state[name] for name in state.model.water)
    return state["virtual_temperature"] / (1 + VIRTUAL_FACTOR * state["specific_humidity"] - heavy)


def _surface_pressure(state: Any) -> Any:
    z, (_, theta) = state.heights, state.dynamical
    half, lowest = (z[-2] - z[-1]) / 2, state["air_pressure"][-1]
    return ground_pressure(state.model.constants, half, lowest, theta)[None]


def _geopotential(state: Any) -> Any:
    z = state.heights
    return STANDARD_GRAVITY * state.model.rest.geopotential((z[1:] + z[:-1]) / 2)


def _deviation(state: Any) -> Any:
    _, theta = state.dynamical
    return theta - part(state.model.rest.state[2], state.block).reshape(theta.shape)


_rules = {
    "potential_temperature_deviation": _deviation,
    "virtual_temperature": lambda s: temperature(s.model, *s.dynamical),
    "air_temperature": _temperature,
    "air_pressure": lambda s: pressure(s.model, *s.dynamical),
    "surface_air_pressure": _surface_pressure,
    "geopotential": _geopotential,
    "geopotential_height": lambda s: s["geopotential"] / STANDARD_GRAVITY,
    "surface_geopotential": lambda s: STANDARD_GRAVITY * s.model.rest.geopotential(s.heights[-1:]),
}


def needed(model: Any) -> tuple[Any, ...]:
    """Returns the fields from which pressure and height of a column follow."""
    return (*state, *(["specific_humidity", *model.water] if model.moist else []))


def at_levels(model: Any, name: str, diagnostic: Any, levels: Any) -> Any:
    """Returns the Diagnostic of a variable of layers at chosen levels."""
    return diagnostics.at_levels(model, name, diagnostic, levels, needed(model), State)


def derived(model: Any) -> Mapping[str, Any]:
    """Returns output variables: name -> Diagnostic."""
    column, wind = needed(model), diagnostics.wind

    def of(name: str, needs: Any, vertical: str = "layer", linear: bool = False) -> Any:
        return diagnostics.of_state(name, needs, vertical, linear, State)

    layers = (
        "air_temperature",
        "air_pressure",
        "geopotential",
        "geopotential_height",
        "potential_temperature",
        *(["virtual_temperature", "relative_humidity"] if model.moist else []),
    )
    table = {name: of(name, column) for name in layers}
    for name in (
        "surface_air_pressure",
        "air_pressure_at_mean_sea_level",
        "surface_geopotential",
    ):
        table[name] = of(name, column, "column")
    if model.area:  # wind of the state is along the axes
        table |= {name: of(name, wind, linear=True) for name in wind}
    table["wind_speed"] = of("wind_speed", wind)
    table["potential_temperature_deviation"] = Diagnostic(
        ("air_potential_temperature",),
        lambda model, window, theta: theta - part(model.rest.state[2], window),
        vertical="interface",
    )
    result: Mapping[str, Any] = (
        table | diagnostics.falling(model) | _near_ground(model, column, wind)
    )
    return result


def _near_ground(model: Any, column: Any, wind: Any) -> Any:
    return diagnostics.near_ground(model, (*column, *wind), Lowest) if model.moist else {}


def part(values: Any, window: Any) -> Any:
    """Returns the part of a field in a window (j0, i0, ny, nx) of the grid."""
    j0, i0, ny, nx = window
    return values[..., j0 : j0 + ny, i0 : i0 + nx]


def watch(simulation: Any) -> tuple[Series, str]:
    """Returns present numbers: name -> (value, units), and words for the line of progress."""
    e = simulation.fields.extremes
    u, v = (e(name) for name in ("eastward_wind", "northward_wind"))
    w, theta = (e(name) for name in ("upward_air_velocity", "air_potential_temperature"))

    def most(*all: Any) -> Any:
        return max(abs(one[end]) for one in all for end in ("minimum", "maximum"))

    solve = simulation.find(mpi.core.HelmholtzSolve)
    each = solve.iterations / max(solve.solves, 1)
    return {
        "maximum_wind": (most(u, v), "m s-1"),
        "maximum_upward_velocity": (most(w), "m s-1"),
        "solver_iterations": (each, "1"),
    }, (
        f"|u| ≤ {most(u, v):.1f}  |w| ≤ {most(w):.3g} m/s"
        f"  theta [{theta['minimum']:.1f}, {theta['maximum']:.1f}] K"
    )


def condition(simulation: Any) -> str:
    """Returns what the state of a run that went bad shows, in words: the fastest winds, and how
    many cells they cross in a step; how much colder air lies over warm air. All ranks call it.
    """
    model, found = simulation.model, []
    h, z = model.grid.horizontal, model.heights

    def depth(k: Any, j: Any, i: Any) -> Any:
        return np.diff(-z[max(k - 1, 0) : k + 2, j, i]).min()

    spacing = {
        "x_wind": lambda k, j, i: np.asarray(h.dx_east_face)[j, i],
        "y_wind": lambda k, j, i: np.asarray(h.dy_north_face)[j, i],
        "upward_air_velocity": depth,
    }
    for name in filter(simulation.fields.has, spacing):
        e = simulation.fields.extremes(name)
        end = max(("minimum", "maximum"), key=lambda end: abs(e[end]))
        k, j, i = e[f"at_{end}"] if e["finite"] else e["not_finite"]
        if not e["finite"]:
            found.append(f"{name} is not a number at {model.grid.place(j, i, k)}")
            continue
        cells = abs(e[end]) * simulation.time_step / spacing[name](k, j, i)
        found.append(
            f"{name} is {e[end]:.3g} m s-1 at {model.grid.place(j, i, k)}: {cells:.2g} cells a step"
        )
    theta, text = simulation.gather("air_potential_temperature"), ""
    if simulation.is_root and np.isfinite(theta).all():
        falls = theta[1:] - theta[:-1]
        k, j, i = (int(n) for n in np.unravel_index(falls.argmax(), falls.shape))
        text = f"potential temperature falls by {falls[k, j, i]:.3g} K through the layer of "
        text = text + model.grid.place(j, i, k) if falls[k, j, i] > 0 else ""
    found.append(simulation.comm.bcast(text))
    return "; ".join(filter(None, found))
