"""Runs of a calibration: members of each iteration one after another, on all ranks.

What a member gave is written to OUT/iteration-N/member-N.json as soon as it ends; a calibration
that was stopped takes it from there.
"""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from fathom.assimilation.calibration import inversion
from fathom.assimilation.calibration.costs import variable
from fathom.assimilation.calibration.settings import Calibration
from fathom.base import mpi
from fathom.base.failure import InputError, RunError
from fathom.base.writing import whole

Array = np.ndarray


@dataclass
class Result:
    """Members of each iteration z (members, parameters), their equivalents G, mean misfits, parts
    of the data; runs that failed; equivalents of the last mean."""

    z: list[Array] = field(default_factory=list)
    G: list[Array] = field(default_factory=list)
    misfits: list[float] = field(default_factory=list)
    parts: list[float] = field(default_factory=list)
    failed: int = 0
    data: Array = field(default_factory=lambda: np.zeros(0))
    errors: Array = field(default_factory=lambda: np.zeros(0))
    sizes: list[int] = field(default_factory=list)  # numbers of each cost
    at_prior: Array = field(default_factory=lambda: np.zeros(0))  # of its median
    at_mean: Array = field(default_factory=lambda: np.zeros(0))  # of the posterior's


class Runs:
    """The runs of a calibration in a folder."""

    def __init__(self, calibration: Calibration, out: Path, say: Callable[[str], None]) -> None:
        self.calibration, self.out, self.say = calibration, out, say

    def equivalents(self, name: str, values: Sequence[float]) -> list[list[float]] | None:
        """Returns the numbers of each cost for a run with these parameters; None: it failed."""
        place = self.out / name
        kept = place.with_suffix(".json")
        asked = self.calibration.set(values)
        if kept.is_file():
            found = json.loads(kept.read_text())
            if found["settings"] == asked:
                given: list[list[float]] | None = found["equivalents"]
                return given
        made = self._run(place, values)
        mpi.world.barrier()  # all have read the output before it goes
        if mpi.is_root:
            with whole(kept) as new:
                new.write_text(json.dumps({"settings": asked, "equivalents": made}))
            if not self.calibration.settings.keep:
                shutil.rmtree(place, ignore_errors=True)
        mpi.world.barrier()  # the result is there for all
        return made

    def _run(self, place: Path, values: Sequence[float]) -> list[list[float]] | None:
        experiment = self.calibration.experiment(values)
        experiment.tables.get("simulation", {}).pop("checkpoint", None)
        try:
            simulation = experiment.simulation(place, overwrite=True)
            simulation.run(experiment.period, progress=None, report=False)
        except RunError as error:
            self.say(f"{place.name} failed: {error}")
            return None
        made: list[list[float]] | None = None
        said = ""
        if mpi.is_root:
            try:
                made = [cost.of_run(place).tolist() for cost in self.calibration.costs]
            except (ValueError, OSError, LookupError) as error:
                said = f"{type(error).__name__}: {error}"
        made, said = mpi.world.bcast((made, said))
        if said:
            raise InputError(f"{place}: {said}")
        return made

    def members(self, iteration: int, z: Array) -> tuple[Array, Array]:
        """Returns the members whose runs ended, and their equivalents."""
        kept, found = [], []
        for n, numbers in enumerate(z):
            values = [float(p.value(x)) for p, x in zip(self.calibration.priors, numbers)]
            made = self.equivalents(f"iteration-{iteration}/member-{n:02d}", values)
            if made is not None:
                kept.append(n)
                found.append(np.concatenate([np.asarray(x, float) for x in made]))
        least = z.shape[1] + 2
        if len(kept) < least:
            raise RunError(f"{len(kept)} of {len(z)} runs ended; an ensemble needs {least}")
        return z[kept], np.array(found)


def calibrate(calibration: Calibration, out: Path, say: Callable[[str], None]) -> Result:
    """Returns the posterior of the parameters as members."""
    settings, runs, result = calibration.settings, Runs(calibration, out, say), Result()
    z = inversion.first_members(len(calibration.priors), settings.members, settings.seed)
    first = runs.equivalents("prior", calibration.middle())
    if first is None:
        raise RunError("the run with the medians of the priors failed; the ranges are too wide")
    result.sizes = [len(x) for x in first]
    wanted = [cost.wanted(np.asarray(x)) for cost, x in zip(calibration.costs, first)]
    result.data = np.concatenate([data for data, _ in wanted])
    result.errors = np.concatenate([errors for _, errors in wanted])
    result.at_prior = np.concatenate([np.asarray(x, float) for x in first])
    left = 1.0
    for iteration in range(settings.iterations + 1):
        tried = len(z)
        z, G = runs.members(iteration, z)
        result.failed += tried - len(z)
        phi = inversion.misfits(G, result.data, result.errors)
        result.z.append(z)
        result.G.append(G)
        result.misfits.append(float(phi.mean()))
        say(f"iteration {iteration}: misfit {phi.mean():.4g}, {1 - left:.3g} of the data used")
        if left <= 0 or iteration == settings.iterations:
            break
        share = inversion.part(phi, len(result.data), left)
        result.parts.append(share)
        z, left = inversion.step(z, G, result.data, result.errors, share), left - share
    mean = [float(p.value(x)) for p, x in zip(calibration.priors, result.z[-1].mean(0))]
    last = runs.equivalents("posterior", mean)
    if last is not None:
        result.at_mean = np.concatenate([np.asarray(x, float) for x in last])
    return result


def by_gradient(calibration: Calibration, say: Callable[[str], None]) -> dict[str, Any]:
    """Returns what L-BFGS finds with the adjoint of an ocean: the parameters, misfits and why it
    ended. InputError: a cost is no `twin` of the state at the end of the run.
    """
    from fathom.assimilation import sea_parameters  # start-up time

    (cost, *more), priors = calibration.costs, calibration.priors
    if more or cost.kind != "twin":
        raise InputError('method = "gradient" takes one cost, of the kind "twin"')
    keys = [prior.key for prior in priors]

    def make(numbers: Any) -> Any:
        experiment = calibration.experiment([numbers[key] for key in keys])
        experiment.tables.pop("output", None)
        experiment.tables.get("simulation", {}).pop("checkpoint", None)
        return experiment.simulation(Path("."), overwrite=True)

    middle = dict(zip(keys, calibration.middle()))
    target = _state_at_end(cost.file, cost.variables, make(middle))
    weights = target.notnull() / np.asarray(cost.error, float) ** 2
    experiment = calibration.experiment(calibration.middle())
    found = sea_parameters.estimate(
        make,
        middle,
        target.fillna(0.0),
        weights,
        str(experiment.period),
        calibration.settings.iterations,
    )
    say(f"{found.runs} runs: {found.reason}")
    return {
        "parameters": {
            k: float(np.clip(found.numbers[k], p.least, p.most)) for k, p in zip(keys, priors)
        },
        "misfits": found.misfits,
        "reason": found.reason,
    }


def _state_at_end(file: str, names: Sequence[str], simulation: Any) -> Any:
    """Returns the last record of a store as a state of a simulation has it."""
    from fathom.output import open as open_store  # start-up time

    state = simulation.prepare().state
    with open_store(file) as store:
        last = store.isel(time=-1)
        found = {name: state[name].copy(data=variable(last, name).values) for name in names}
    return type(state)(found)
