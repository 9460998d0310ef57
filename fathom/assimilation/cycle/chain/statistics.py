"""Covariances of background errors of a chain's model, from differences of forecasts over two days
and over one day for the same time, both from nature (or from the model's own run, where no nature
is observed): NMC (Parrish & Derber 1992). All parts of the balance and humidity are estimated.

    fathom background --nmc experiments/suite-t42.toml --out runs/suite-t42
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from fathom.assimilation.cycle.chain import forecasts, models
from fathom.assimilation.cycle.chain.minimisation import Analyser, vector_on
from fathom.assimilation.cycle.chain.models import State
from fathom.assimilation.cycle.chain.settings import Suite
from fathom.assimilation.cycle.chain.stages import Stages
from fathom.assimilation.estimation import estimated
from fathom.base import mpi
from fathom.base.clock import seconds_if_any

day = 86400.0
share = 1.0  # of these variances


def nmc(suite: Suite, out: Path, say: Any = lambda text: None) -> Path:
    """Returns the path of background.nc, made of samples a day apart, each kept as stages."""
    folder, samples = out.absolute() / "statistics", suite.background.samples
    stages = Stages(folder)
    truth = suite.nature.set if not suite.observations.base else []
    made = []
    for n in range(samples + 2):
        before = folder / f"day-{n - 1:02d}.fathom" if n else None
        length = day if n else seconds_if_any(suite.chain.spin_up, "spin_up") or day
        legs = [(length, folder / f"day-{n:02d}.fathom")]
        run = partial(forecasts.run, suite, folder / "nature", before, legs, {}, truth)
        stages.run(f"day-{n:02d}", partial(_done, run))
        if n < 2:
            continue
        pair = {days: folder / f"sample-{n:02d}-{days}.fathom" for days in (2, 1)}
        for days, end in pair.items():
            given = folder / f"day-{n - days:02d}.fathom"
            run = partial(_forecast, suite, folder / "forecast", given, days * day, end)
            stages.run(f"sample-{n:02d}-{days}", partial(_done, run))
        made.append(tuple(pair.values()))
        say(f"background: sample {n - 1} of {samples}")
    path = out.absolute() / "background.nc"
    if mpi.is_root:
        _estimate(suite, made, path)
    mpi.world.barrier()  # the file is there for all
    return path


def _done(run: Callable[[], object]) -> None:
    """Does it, with nothing to tell."""
    run()


def _forecast(suite: Suite, folder: Path, given: Path, seconds: float, end: Path) -> None:
    """Runs the model from a state of nature, brought to its grid."""
    date = models.date_of(given)
    s = models.simulation(suite, folder, date, None, [f'state={{analysis="{given}"}}'])
    models.prepared(s).run(f"{seconds:.0f}s", progress=None, report=False)
    s.write_restart(end)


def _estimate(suite: Suite, pairs: list[tuple[Path, ...]], path: Path) -> None:
    """Writes covariances of the differences of pairs of restarts."""
    analyser = Analyser(suite, State(pairs[0][0]))
    differences, full = [], []
    for pair in pairs:
        two, one = (vector_on(analyser, State(p)) for p in pair)
        differences.append(two - one)
        full.append(analyser.saturation(one))
    errors = estimated(
        differences, analyser.space.transform, analyser.space.levels, divergence=True,
        saturation=np.mean(full, axis=0),
    )  # fmt: skip
    errors.scaled(share).write(str(path))
