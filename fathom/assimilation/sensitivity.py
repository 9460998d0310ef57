"""The sensitivities of a number of the sea or the air as files, maps and a table, of
`fathom sensitivity`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import xarray as xr

from fathom import plots
from fathom.assimilation.adjoint_of_model import Gradient, adjoint
from fathom.assimilation.sea_vectors import optimal
from fathom.base import mpi
from fathom.base.clock import Period
from fathom.grids.gaussian import GaussianGrid


def of(
    simulation: Any,
    cost: Any,
    run: str,
    mean: str | None = None,
    spin_up: str | None = None,
    stored: int | None = None,
    directory: Path | None = None,
    freeze: Sequence[str] = (),
    parameters: Mapping[str, tuple[Any, Any, float]] | None = None,
) -> Gradient:
    """Returns the gradient of a number after a run, which begins after `spin_up`; the other
    parameters are those of `adjoint`.
    """
    _spun_up(simulation, spin_up)
    return adjoint(simulation, cost, run, mean, stored, directory, freeze, parameters)


def _spun_up(simulation: Any, spin_up: str | None) -> None:
    simulation.prepare()
    if spin_up is not None:
        simulation.advance(round(Period(spin_up, "spin-up").seconds / simulation.time_step))


def write_optimal(
    simulation: Any,
    run: str,
    spin_up: str | None,
    number: int,
    freeze: Sequence[str],
    directory: Path,
) -> list[str]:
    """Writes optimal.nc and a map of the first perturbation at the start; returns a table."""
    _spun_up(simulation, spin_up)
    found, dataset = optimal(simulation, run, number, freeze)
    if mpi.is_root:
        directory.mkdir(parents=True, exist_ok=True)
        dataset.to_netcdf(directory / "optimal.nc")
        raster = plots.Raster(plots.mesh_of(simulation.model.grid.mapping()))
        first = dataset.initial_temperature.isel(vector=0)
        shown = first.isel(layer=int(np.abs(first).max(("y", "x")).argmax("layer"))).values
        plots.map(
            shown,
            raster,
            title="Temperature that grows most, in its strongest layer",
            units="degC",
            colours="balance",
            limits=_limits(shown),
            path=directory / "optimal.png",
        )
    grown = ", ".join(f"{value:.3f}" for value in found.values)
    return [
        f"amplitudes grow in {run} by {grown}",
        f"{found.applications} runs of the tangent and of the adjoint",
    ]


def figures(found: Gradient) -> dict[str, Any]:
    """Returns the number and, of each field, what one unit more everywhere would change, what one
    unit more or less in each cell could change at most, and the place of the largest value.
    """
    rows = {}
    for name, values in found.dataset.data_vars.items():
        there = values.where(np.isfinite(values), 0.0)
        size = np.abs(there.values)
        at = np.unravel_index(int(size.argmax()), size.shape)
        rows[str(name)] = {
            "everywhere": float(there.sum()),
            "at most": float(size.sum()),
            "largest": float(there.values[at]),
            "longitude": (float(found.dataset.longitude.values[at[-2:]]) + 180) % 360 - 180,
            "latitude": float(found.dataset.latitude.values[at[-2:]]),
            "units": values.attrs["units"],
        }
    return {
        "value": found.value,
        "units": found.units,
        "forward steps": found.forward_steps,
        "frozen": found.frozen,
        "parameters": found.parameters,
        "fields": rows,
    }


def table(found: Gradient) -> list[str]:
    """Returns the figures as lines."""
    told = figures(found)
    lines = [
        f"{found.dataset.attrs['cost']}: {found.value:.6g} {found.units}",
        f"{'one unit more of':28} {'everywhere':>12} {'+- at most':>12}  largest",
    ]
    for name, row in told["fields"].items():
        place = f"{row['largest']:.3g} at {row['latitude']:.1f} N, {row['longitude']:.1f} E"
        lines.append(
            f"{name:28} {row['everywhere']:12.4g} {row['at most']:12.4g}  {place}  [{row['units']}]"
        )
    lines += [
        f"one unit more of {name}: {by:.4g} {found.units}" for name, by in found.parameters.items()
    ]
    lines.append(f"frozen: {', '.join(found.frozen) or 'nothing'}")
    lines.append(f"{found.forward_steps:.2f} forward steps for each step of the run")
    return lines


def write(found: Gradient, grid: Any, directory: Path) -> list[str]:
    """Writes sensitivity.nc, sensitivity.txt and a map of each field; returns the table."""
    directory.mkdir(parents=True, exist_ok=True)
    found.dataset.to_netcdf(directory / "sensitivity.nc")
    raster = plots.Raster(plots.mesh_of(grid.mapping()))
    for name, values in found.dataset.data_vars.items():
        shown = _a_square_metre(values, found.dataset.cell_area).values
        if isinstance(grid, GaussianGrid):
            shown = grid.regular(shown[None])[0]
        if np.nanmax(np.abs(shown), initial=0) > 0:
            plots.map(
                shown,
                raster,
                title=f"By {name}, {values.attrs['when']}",
                units=f"{values.attrs['units']} / m2",
                colours="balance",
                limits=_limits(shown),
                path=directory / f"{name}.png",
            )
    lines = table(found)
    (directory / "sensitivity.txt").write_text("\n".join(lines) + "\n")
    return lines


def _a_square_metre(values: xr.DataArray, area: xr.DataArray) -> xr.DataArray:
    """Returns the sum over a column for each area of the cell: cells of all sizes in one map."""
    dims = [d for d in values.dims if d not in ("y", "x")]
    there = area.where(area > 0)
    return values.sum(dims, min_count=1) / there if dims else values / there


def _limits(values: np.ndarray) -> tuple[float, float]:
    """Returns limits around 0 that a few cells may exceed."""
    most = float(np.nanpercentile(np.abs(values), 99.5)) or float(np.nanmax(np.abs(values)))
    return -most, most
