"""The mass of a limited area: what passes through its edges, and what the coupling adds. Nothing
keeps it (docs/limited-area.md); a run reports it.

    d<p_s>/dt = F + the rest,    F = d / A  sum over the edge of  n . sum_k v_k dp_k / m
    <p_s> = sum p_s a / A,       a = d^2 / m^2, A the sum of a, d the spacing of the map

v and dp of an edge between two points are the means of both, as a centred difference has them. The
rest of C + I is what its relaxation adds; that of C, in which there is none, what looks that are
apart and differences instead of waves leave.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from fathom import mpi

units = "Pa h-1"


class Edges:
    """Of a box of points (first row, last row, first column, last column) of a WholeArea."""

    def __init__(self, grid: Any, box: tuple[int, int, int, int]):
        j0, j1, i0, i1 = box
        (columns, rows), self.box = grid.size, box
        inside = np.zeros((rows, columns))
        inside[j0 : j1 + 1, i0 : i1 + 1] = 1
        # of each point, what it adds along x and along y: half of each edge that it lies beside
        self.along = [
            0.5 * (np.roll(inside, -1, axis) - np.roll(inside, 1, axis)) / grid.map_factor
            for axis in (1, 0)
        ]
        self.area = np.where(inside > 0, (grid.spacing / grid.map_factor) ** 2, 0.0)
        self.spacing = grid.spacing


def boxes(grid: Any) -> dict[str, tuple[int, int, int, int]]:
    """C + I, and C, of a WholeArea."""
    (nx, ny), width = grid.points, grid.area.coupling
    whole = (0, ny - 1, 0, nx - 1)
    return {"area": whole} | (
        {"centre": (width, ny - 1 - width, width, nx - 1 - width)} if width else {}
    )


def seen(simulation: Any, edges: dict[str, Edges]) -> dict[str, tuple[float, str]]:
    """Mean surface pressure of each box, and F, at present; the same bits on any ranks, all of
    which call it.
    """
    levels = simulation.model.grid.levels
    terms: dict[str, list] = {name: [[], [], []] for name in edges}
    names = ("eastward_wind", "northward_wind", "log_pressure_ratio")
    for (j0, i0, ny, nx), *fields in zip(
        simulation.domain.blocks, *(simulation.fields.windows(name) for name in names)
    ):
        here = np.s_[j0 : j0 + ny, i0 : i0 + nx]
        u, v, ratio = (np.asarray(field, float) for field in fields)
        pressure = 1e5 * np.exp(ratio[0])
        through = np.zeros((2, ny, nx))
        for k in range(levels.number):
            thickness = np.diff(levels.a)[k] + np.diff(levels.b)[k] * pressure
            through += thickness * np.stack([u[k], v[k]])
        for name, of in edges.items():
            x, y = (w[here] for w in of.along)
            found = pressure * of.area[here], of.area[here], x * through[0] + y * through[1]
            for held, values in zip(terms[name], found):
                held.append(values.ravel())
    exact = lambda parts: mpi.core.exact_sum(
        simulation.comm.py2f(), np.concatenate([np.empty(0), *parts])
    )
    result = {}
    for name, parts in terms.items():
        mass, area, flux = map(exact, parts)
        result[f"surface_pressure_of_{name}"] = (mass / area, "Pa")
        result[f"mass_into_{name}"] = (3600 * edges[name].spacing * flux / area, units)
    return result


def account(series: Any, since: float) -> dict[str, dict[str, float]]:
    """From the time series of a run: {"area": {"stored", "through_edges", "rest"}} [Pa] of the
    looks after `since` [s].
    """
    times = np.asarray(series.times, float)
    found = {}
    for name in ("area", "centre"):
        if (into := series.values.get(f"mass_into_{name}")) is None:
            continue
        pressure = np.asarray(series.values[f"surface_pressure_of_{name}"], float)
        late = times >= since - 1e-6
        if late.sum() < 2:
            continue
        passed = float(np.trapezoid(np.asarray(into, float)[late], times[late]) / 3600)
        stored = float(pressure[late][-1] - pressure[late][0])
        found[name] = {"stored": stored, "through_edges": passed, "rest": stored - passed}
    return found
