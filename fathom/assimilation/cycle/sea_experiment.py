"""An experiment of cycles of an ocean: its TOML file, read and checked.

[sea]            an experiment of an ocean, and how its truth and its first state differ
[observations]   profiles, heights along tracks, surface temperatures, new places each time
[background]     standard deviations and lengths of background errors (assimilation/sea.py)
[assimilation]   methods, windows, minimisation, errors of the model
[inner]          a simpler ocean for the inner loops of 4D-Var, with longer steps
[ensemble]       of the method letkf
[cycle]          windows
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from fathom.assimilation.cycle.experiment import Cycle, tables_of
from fathom.assimilation.variational import methods
from fathom.base.clock import seconds_of
from fathom.base.failure import InputError
from fathom.base.near import near
from fathom.run.experiment.experiment import Experiment
from fathom.run.experiment.toml import Document

all_methods = (*methods, "letkf")


@dataclass
class SeaModel:
    """experiment: the file of an ocean, from where this one lies; settings: on top of it, as
    `--set` takes them; nature: more of those, of the truth alone; first_error: standard deviation
    of nature's anomaly of temperature [K]."""

    experiment: str = "ocean-3deg.toml"
    settings: list[Any] = field(default_factory=list)
    nature: list[Any] = field(default_factory=list)
    first_error: float = 0.9


@dataclass
class SeaObservations:
    """every: time between; profiles down to `depth` [m]; one cell of `track` along tracks of an
    altimeter, one of `surface` with a temperature of the surface; standard deviations of errors:
    temperature [K] and salinity [1e-3] of profiles, height [m], surface_temperature [K]."""

    every: str = "5d"
    profiles: int = 60
    depth: float = 1500.0
    track: int = 10
    surface: int = 5
    temperature: float = 0.2
    salinity: float = 0.04
    height: float = 0.03
    surface_temperature: float = 0.3
    seed: int = 3


@dataclass
class SeaErrors:
    """Standard deviations of temperature [K] in the thermocline and of the part of the height that
    density does not explain [m]; salinity: [1e-3] for each K; lengths along and across layers [m];
    samples: random vectors by which correlations are made one at no distance."""

    temperature: float = 0.6
    salinity: float = 0.12
    height: float = 0.02
    length: float = 6e5
    depth: float = 300.0
    samples: int = 200


@dataclass
class SeaAssimilation:
    """window: of 4d-var; analyses: windows of 3d-var and fgat. model_error: standard deviation of
    an error of the model in each `analyses`, as a part of that of the background; 0: none (strong
    constraint)."""

    methods: list[Any] = field(default_factory=lambda: ["3d-var", "4d-var"])
    window: str = "10d"
    analyses: str = "5d"
    iterations: int = 30
    outer: int = 1
    model_error: float = 0.0


@dataclass
class InnerSettings:
    """Settings of the ocean of the inner loops, as `--set` takes them, and its step; neither: the
    model itself. iterations: of 4d-var, each of which takes steps; 0: as [assimilation]. freeze:
    its processes whose results do not change with a perturbation."""

    settings: list[Any] = field(default_factory=list)
    step: str = ""
    iterations: int = 0
    freeze: list[Any] = field(default_factory=list)


@dataclass
class SeaEnsemble:
    """Of letkf: members; localisation: length [km] and depth [m] of half of its reach; relaxation:
    the share of the spread of before that is returned; model_error: standard deviation of a draw
    of B that each window adds, as a part of that of the background; seed of the draws."""

    members: int = 20
    length: float = 1000.0
    depth: float = 500.0
    relaxation: float = 0.5
    model_error: float = 0.0
    seed: int = 7


@dataclass
class SeaExperiment:
    sea: SeaModel
    observations: SeaObservations
    background: SeaErrors
    assimilation: SeaAssimilation
    inner: InnerSettings
    ensemble: SeaEnsemble
    cycle: Cycle
    path: Path = Path()

    def ocean(self, more: Iterable[str], directory: Path) -> Any:
        """Returns a simulation of the ocean with more settings; it writes nothing."""
        read = Experiment.read(self.path, [*self.sea.settings, *more])
        read.tables.pop("output", None)
        read.tables["simulation"].pop("checkpoint", None)
        return read.simulation(directory, overwrite=True)


def read(path: Path, settings: Iterable[str] = ()) -> SeaExperiment | None:
    """Returns the experiment of a file with [sea]; None of another file. OSError, ValueError: as
    those of the globe.
    """
    document = Document.read(path, settings)
    if "sea" not in document.tables:
        return None
    kinds: dict[str, Any] = {
        "sea": SeaModel,
        "observations": SeaObservations,
        "background": SeaErrors,
        "assimilation": SeaAssimilation,
        "inner": InnerSettings,
        "ensemble": SeaEnsemble,
        "cycle": Cycle,
    }
    made = tables_of(
        document, kinds, ("seed", "model_error", "first_error", "iterations", "relaxation")
    )
    for name in made["assimilation"].methods:
        if name not in all_methods:
            raise InputError(
                f"{document.place('assimilation', 'methods')}: method {name!r} of a sea"
                f"{near(str(name), all_methods)}; allowed are {', '.join(all_methods)}"
            )
    if (share := made["ensemble"].relaxation) > 1:
        raise InputError(
            f"{document.place('ensemble', 'relaxation')}: relaxation = {share!r} must lie between 0"
            " and 1"
        )
    e = SeaExperiment(**made, path=document.beside(made["sea"].experiment))
    of = e.assimilation
    _whole(document, "assimilation.window", of.window, "analyses", seconds_of(of.analyses, "a"))
    every = seconds_of(e.observations.every, "every")
    _whole(document, "assimilation.analyses", of.analyses, "observations.every", every)
    return e


def _whole(document: Document, key: str, span: str, what: str, of: float) -> int:
    """Returns how often `of` [s] lies in a span. InputError: no whole number."""
    ratio = seconds_of(span, key) / of
    if ratio < 1 or not np.isclose(ratio, round(ratio)):
        raise InputError(
            f"{document.place(*key.split('.'))}: {key.split('.')[-1]} = {span!r} is no multiple of"
            f" {what}, {of:g} s"
        )
    return round(ratio)
