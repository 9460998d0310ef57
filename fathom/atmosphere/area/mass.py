"""The mass of a limited area: what passes through its edges, and what the coupling adds. Nothing
keeps it (docs/limited-area.md); a run reports it.

    d<p_s>/dt = F + the rest,    F = d / A  sum over the edge of  n . sum_k v_k dp_k / m
    <p_s> = sum p_s a / A,       a = d^2 / m^2, A the sum of a, d the spacing of the map

v and dp of an edge between two points are the means of both, as a centred difference has them.
sum_k v_k dp_k is summed in each step (core/atmosphere/hydrostatic/budget.hpp, MassFlow); what
passes between two times is the trapezoidal rule over the steps:
    dt (F_0 / 2 + F_1 + ... + F_(n-1) + F_n / 2)
The rest of C + I is the effect of its relaxation. C has no relaxation: there the rest comes from
differences instead of waves, and from transport that is not in flux form.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from fathom.base import mpi

units = "Pa h-1"
SUMS = ("eastward_mass_flow", "northward_mass_flow")  # of a column, over steps


class Edges:
    """The edges of a box of points (first row, last row, first column, last column) of a
    WholeArea.
    """

    def __init__(self, grid: Any, box: tuple[int, int, int, int]) -> None:
        j0, j1, i0, i1 = box
        (columns, rows), self.box = grid.size, box
        inside = np.zeros((rows, columns))
        inside[j0 : j1 + 1, i0 : i1 + 1] = 1
        # of each point, its part along x and along y: half of each edge at the point
        self.along = [
            0.5 * (np.roll(inside, -1, axis) - np.roll(inside, 1, axis)) / grid.map_factor
            for axis in (1, 0)
        ]
        self.area = np.where(inside > 0, (grid.spacing / grid.map_factor) ** 2, 0.0)
        self.spacing = grid.spacing


def boxes(grid: Any) -> dict[str, tuple[int, int, int, int]]:
    """Returns C + I without its outermost points, beside which no columns are, and C, of a
    WholeArea.
    """
    (nx, ny), width = grid.points, grid.area.coupling
    whole = (1, ny - 2, 1, nx - 2)
    return {"area": whole} | (
        {"centre": (width, ny - 1 - width, width, nx - 1 - width)} if width else {}
    )


def seen(simulation: Any, edges: dict[str, Edges]) -> dict[str, tuple[float, str]]:
    """Returns mean surface pressure of each box, F at present, and what has passed through the
    edges since the start of the run; the same bits on any ranks, all of which call it.
    """
    if not edges:
        return {}
    levels, step = simulation.model.grid.levels, simulation.time_step
    terms: dict[str, list[Any]] = {name: [[], [], [], []] for name in edges}
    names = ("eastward_wind", "northward_wind", "log_pressure_ratio", *SUMS)
    for (j0, i0, ny, nx), *fields in zip(
        simulation.domain.blocks, *(simulation.fields.windows(name) for name in names)
    ):
        here = np.s_[j0 : j0 + ny, i0 : i0 + nx]
        u, v, ratio, east, north = (np.asarray(field, float) for field in fields)
        pressure = 1e5 * np.exp(ratio[0])
        through = np.zeros((2, ny, nx))
        for k in range(levels.nz):
            thickness = np.diff(levels.a)[k] + np.diff(levels.b)[k] * pressure
            through += thickness * np.stack([u[k], v[k]])
        for name, of in edges.items():
            x, y = (w[here] for w in of.along)
            found = (
                pressure * of.area[here],
                of.area[here],
                x * through[0] + y * through[1],
                x * east[0] + y * north[0],
            )
            for held, values in zip(terms[name], found):
                held.append(values.ravel())

    def exact(parts: Any) -> Any:
        return mpi.core.exact_sum(simulation.comm.py2f(), np.concatenate([np.empty(0), *parts]))

    result = {}
    for name, parts in terms.items():
        mass, area, flux, so_far = map(exact, parts)
        length = edges[name].spacing
        result[f"surface_pressure_of_{name}"] = (mass / area, "Pa")
        result[f"mass_into_{name}"] = (3600 * length * flux / area, units)
        passed = step * length * (so_far + 0.5 * flux) / area
        result[f"mass_through_edges_of_{name}"] = (passed, "Pa")
    return result


def account(series: Any, since: float) -> dict[str, dict[str, float]]:
    """Returns the account of mass from the time series of a run: {"area": {"stored",
    "through_edges", "rest"}} [Pa], between the first and the last look after `since` [s].
    """
    late = np.asarray(series.times, float) >= since - 1e-6
    found = {}
    for name in ("area", "centre"):
        if late.sum() < 2 or f"mass_through_edges_of_{name}" not in series.values:
            continue
        stored, passed = (
            float(np.diff(np.asarray(series.values[f"{of}_of_{name}"])[late][[0, -1]])[0])
            for of in ("surface_pressure", "mass_through_edges")
        )
        found[name] = {"stored": stored, "through_edges": passed, "rest": stored - passed}
    return found
