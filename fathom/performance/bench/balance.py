"""The gain by sharing the columns of the physics among ranks: efficiency, the mean over the
largest of what ranks have to compute, before and after, by processor time; and expected, by columns
whose costs are the means over all ranks: what the assignment itself leaves, without interruptions
by other programs.

An aquaplanet under the sun of June after a spin-up: radiation by correlated k, which has short wave
where the sun shines, deep and shallow convection where they happen, and clouds of all kinds of
water. Each scheme is shared by itself, by the costs of its own columns. For simulated ranks the
measured costs of the columns are divided as the model would divide them.
"""

from __future__ import annotations

import tempfile
import time
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import click
import numpy as np

from fathom.base import machine, mpi
from fathom.base.failure import InputError
from fathom.base.near import near
from fathom.performance import load
from fathom.run.tree import Entry, tree

# scheme -> the field that is above 0 where the scheme is at work, for a share of active columns
active = {
    "RRTMGP": "cosine_zenith",
    "MassFluxConvection": "convective_precipitation",
    "ShallowMassFlux": "shallow_mass_flux",
    "GraupelMicrophysics": "stratiform_precipitation",
}
processes = tuple(active)

grids = {
    "spectral": """
[grid]
type = "GaussianGrid"
truncation = {truncation}
levels = {{ type = "HybridLevels", nz = {levels} }}
[model]
type = "SpectralAtmosphere"
""",
    "grid-point": """
[grid]
type = "LatitudeLongitudeGrid"
staggering = "C"
nx = {columns}
ny = {rows}
levels = {{ type = "HeightLevels", nz = {levels}, top = 30e3, decay = 2 }}
[model]
type = "GridPointAtmosphere"
deep = false
""",
}
text = """
precision = "{precision}"
[model.physics]
type = "BasicPhysics"
radiation_every = "{step}min"
radiation = "RRTMGP"
sunlight = {{ type = "Sunlight", fixed_season = 1 }}
convection = {{ type = "MassFluxConvection", shallow = 0 }}
shallow = "ShallowMassFlux"
condensation = "GraupelMicrophysics"
clouds = "PrognosticCloud"
drag = "none"
[state]
sea_surface_temperature = "273.15 + where(abs(latitude) < 60, 27 * (1 - sin(1.5 * \
radians(latitude))**2), 0)"
air_temperature = "maximum(200, (273.15 + 27 * cos(radians(latitude))**3 + \
sin(radians(3 * longitude)) * cos(radians(latitude))**3) * (pressure / 1e5)**0.19)"
specific_humidity = "0.014 * cos(radians(latitude))**4 * (pressure / 1e5)**3"
[simulation]
start = "2000-06-21"
time_step = "{step}min"
"""


@dataclass(frozen=True)
class Case:
    """The settings of the benchmark. The grid-point model has as many columns and rows as the grid
    of the truncation. spin_up: steps in which the cost of radiation is not counted; steps: measured
    steps; simulated: numbers of ranks to simulate. ValueError for impossible settings.
    """

    ranks: int = 2
    model: str = "spectral"
    truncation: int = 31
    levels: int = 20
    precision: str = "fp32"
    distribution: str = "auto"
    spin_up: int = 24
    steps: int = 6
    simulated: int = 32
    threshold: float = 0.05
    carrier: str = "messages"

    def __post_init__(self) -> None:
        if self.model not in grids:
            raise InputError(
                f"bench balance: model = '{self.model}'{near(self.model, grids) or ';'} allowed:"
                f" {', '.join(grids)}"
            )
        known = [name for name, _ in mpi.core.carriers()]
        if self.carrier not in known:
            raise InputError(f"no carrier '{self.carrier}'; allowed: {', '.join(known)}")
        if self.steps < 2 or self.simulated < 2 or self.spin_up < 2:
            raise InputError(
                f"steps = {self.steps}, spin_up = {self.spin_up}, simulated = {self.simulated}"
                " must be at least 2"
            )


def efficiency(loads: Any) -> float:
    """Returns mean over largest: the share of the ranks' time that is work; of steps, their
    mean."""
    return float(np.mean(np.mean(loads, -1) / np.max(loads, -1)))


def measure(case: Case, pictures: Path | None = None) -> dict[str, Any] | None:
    """Returns the figures, on rank 0, None elsewhere; pictures: a folder for maps."""
    from fathom.run.experiment.experiment import Experiment  # start-up time: loads the models
    from fathom.run.experiment.toml import Document  # the same

    rows = 3 * (case.truncation + 1) // 2
    how = asdict(case) | {"step": 40, "columns": 2 * rows, "rows": rows}
    if case.model == "grid-point":
        how["step"] = 20
    experiment = Experiment(Document((grids[case.model] + text).format(**how), "balance.toml"))
    with tempfile.TemporaryDirectory() as folder:
        simulation = experiment.simulation(directory=folder)
        simulation.parallel |= {
            "balance": list(processes),
            "distribution": case.distribution,
            "carrier": case.carrier,
            "balance_threshold": case.threshold,
        }
        simulation.prepare()
        simulation.advance(case.spin_up)
        seconds: dict[str, Any] = {name: ([], [], [], []) for name in processes}
        wall = []
        for _ in range(case.steps):
            simulation.comm.barrier()
            began = time.perf_counter()
            simulation.advance(1)
            wall.append(time.perf_counter() - began)
            for name, balanced in simulation.balanced.items():
                of_rank = balanced.own_seconds, balanced.seconds, balanced.expected, balanced.sent
                for kept, mine in zip(seconds[name], of_rank):
                    kept.append(simulation.comm.gather(mine))
        costs = {name: _map_of(simulation, b) for name, b in simulation.balanced.items()}
        at_work = {name: _at_work(simulation, field) for name, field in active.items()}
        levels = np.asarray(simulation.model.grid.wet_levels)
        owners = _owners(simulation.domain.decomposition, levels.shape)
        grid = simulation.model.grid.mapping()
        simulation.rest()
    if not simulation.is_root:
        return None
    if pictures is not None:
        _draw(pictures, costs, at_work, owners, grid)
    figures = _figures(case, seconds, costs, levels)
    for name, columns in at_work.items():
        figures["processes"][name]["active_columns"] = float(columns[levels > 0].mean())
    return figures | {"seconds_per_step": float(np.median(wall))}


def _owners(decomposition: Any, shape: tuple[int, ...]) -> Any:
    """Returns the rank of each column."""
    owners = np.full(shape, -1)
    for _, i0, j0, width, height, owner in np.asarray(decomposition.blocks):
        owners[j0 : j0 + height, i0 : i0 + width] = owner
    return owners


def _at_work(simulation: Any, field: str) -> Any:
    """Returns where a field is above 0 on any level (ny, nx), on rank 0."""
    found = simulation.gather(field)
    return None if found is None else (np.asarray(found) > 0).any(0)


def _draw(folder: Path, costs: Any, at_work: Any, owners: Any, grid: Any) -> None:
    """Maps of each scheme: cost of columns, where it is at work, work of ranks; and the work of
    ranks in all of them.
    """
    from fathom import plots  # start-up time: loads matplotlib

    folder.mkdir(parents=True, exist_ok=True)
    for name, seconds in costs.items():
        plots.map(
            seconds * 1e6,
            grid,
            title=f"{name}: processor time of a column",
            units="µs",
            path=folder / f"cost-{name}.png",
        )
        plots.map(
            at_work[name].astype(float),
            grid,
            title=f"{name}: columns at work ({active[name]} above 0)",
            units="1",
            path=folder / f"active-{name}.png",
        )
        work = seconds if seconds.any() else np.ones_like(seconds)
        _draw_ranks(folder / f"work-of-ranks-{name}.png", name, work, owners, grid)
    _draw_ranks(folder / "work-of-ranks.png", "all", sum(costs.values()), owners, grid)


def _draw_ranks(path: Path, name: str, work: Any, owners: Any, grid: Any) -> None:
    from fathom import plots  # start-up time: loads matplotlib

    loads = np.bincount(owners.ravel(), work.ravel())
    plots.map(
        loads[owners] / loads.mean(),
        grid,
        title=f"{name}: work of the rank of each column over the mean",
        units="1",
        path=path,
    )


def _map_of(simulation: Any, balanced: Any) -> Any:
    """Returns seconds of each column of the globe in the last call, on rank 0."""
    parts = simulation.comm.gather(balanced.costs(simulation.fields))
    if not simulation.is_root:
        return None
    seconds = np.zeros(np.shape(simulation.model.grid.wet_levels))
    for part in parts:
        rows = np.reshape(part, (-1, 3))
        seconds[rows[:, 1].astype(int), rows[:, 0].astype(int)] = rows[:, 2]
    return seconds


def _figures(case: Case, seconds: Any, costs: Any, levels: Any) -> dict[str, Any]:
    """Returns the figures of each process and of their sum: before and after, on the real ranks
    (mean over the measured steps) and on simulated ones.
    """
    figures: dict[str, Any] = {"case": asdict(case), "machine": machine.name(), "processes": {}}
    totals: dict[str, Any] = {}
    for name in processes:
        own, done, load, sent = (np.array(kept) for kept in seconds[name])
        loads = _on_ranks(costs[name], levels, case)
        parts = {
            "efficiency_before": own,
            "efficiency_after": done,
            "expected_before": load,
            "expected_after": load - sent.sum(2) + sent.sum(1),
            "simulated_before": loads,
            "simulated_after": _balanced(loads, case.threshold),
        }
        for key, part in parts.items():
            totals[key] = totals.get(key, 0) + part
        figures["processes"][name] = {key: efficiency(part) for key, part in parts.items()} | {
            "seconds_before": own.mean(0).tolist(),
            "seconds_after": done.mean(0).tolist(),
        }
    for when in ("before", "after"):
        figures[f"efficiency_{when}"] = efficiency(totals[f"efficiency_{when}"])
        figures[f"efficiency_{when}_expected"] = efficiency(totals[f"expected_{when}"])
        figures[f"efficiency_{when}_simulated"] = efficiency(totals[f"simulated_{when}"])
    return figures


def _on_ranks(costs: Any, levels: Any, case: Case) -> Any:
    """Returns the cost of these columns on each of the supposed ranks."""
    ny, nx = levels.shape
    wet = np.ascontiguousarray(levels, np.int32).ravel().tolist()
    topology = mpi.core.Topology(nx, ny, True, False)
    d = mpi.core.decompose(topology, wet, case.simulated, distribution="square", halo=0)
    loads = np.zeros(case.simulated)
    for _, i0, j0, width, height, owner in np.asarray(d.blocks):
        if owner >= 0:
            loads[owner] += costs[j0 : j0 + height, i0 : i0 + width].sum()
    return loads


def _balanced(loads: Any, threshold: float) -> Any:
    """Returns the cost on each rank after the ranks have shared columns."""
    after = np.array(loads)
    for giver, taker, amount in mpi.core.transfers(list(loads), threshold):
        after[giver] -= amount
        after[taker] += amount
    return after


def present(figures: dict[str, Any] | None, file: Path | None = None) -> int:
    """Print the figures of `measure`, and write them as JSON. Returns the exit status 0."""
    if figures is None:
        return 0
    load.leave(figures, file)
    case = figures["case"]

    def line(one: dict[str, Any]) -> str:
        return (
            f"{one['efficiency_before']:.2f} -> {one['efficiency_after']:.2f},"
            f" expected {one['expected_before']:.2f} -> {one['expected_after']:.2f};"
            f" {case['simulated']} ranks, priced:"
            f" {one['simulated_before']:.2f} -> {one['simulated_after']:.2f}"
            + (f"; {share:.0%} of the columns" if (share := one.get("active_columns")) else "")
        )

    entries: list[Entry] = [(name, line(one)) for name, one in figures["processes"].items()]
    total = dict(figures)
    for when in ("before", "after"):
        for kind in ("expected", "simulated"):
            total[f"{kind}_{when}"] = figures[f"efficiency_{when}_{kind}"]
    click.echo(
        tree(
            f"efficiency of columns on {case['ranks']} ranks, {case['model']} atmosphere,"
            f" T{case['truncation']}, {case['levels']} levels, {figures['machine']}",
            [
                *entries,
                ("together", line(total)),
                (f"a step, columns by {case['carrier']}", f"{figures['seconds_per_step']:.3f} s"),
            ],
        )
    )
    return 0
