"""[calibration] of an experiment's file, read and checked.

[calibration]                        members, iterations, seed, method, keep
[calibration.parameters."a.b.c"]     a prior for each key of the file (priors.py)
[calibration.costs.NAME]             what is compared (costs.py)
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import MISSING, dataclass, field, fields
from pathlib import Path
from typing import Any

from fathom.assimilation.calibration.costs import Cost, costs_of
from fathom.assimilation.calibration.priors import Prior, prior_of
from fathom.base.failure import InputError
from fathom.base.near import unknown
from fathom.run.experiment import trust
from fathom.run.experiment.experiment import Experiment
from fathom.run.experiment.toml import Document

methods = ("ensemble", "gradient")


@dataclass
class Settings:
    """members : runs of an iteration.  iterations : at most.  seed : of the first members.
    method : "ensemble"; "gradient", of an ocean with an adjoint, from the middle of the priors.
    keep : whether the output of members stays on disk.
    experiment : another file that is calibrated, from where this one lies; "": this one.
    settings : on top of it, as --set takes them.
    """

    members: int = 10
    iterations: int = 10
    seed: int = 0
    method: str = "ensemble"
    keep: bool = False
    experiment: str = ""
    settings: list[str] = field(default_factory=list)


@dataclass
class Calibration:
    """A calibration: its file, settings of the command line, parameters, costs."""

    file: Path
    more: tuple[str, ...]
    settings: Settings
    priors: list[Prior]
    costs: list[Cost]

    def experiment(self, values: Iterable[float]) -> Experiment:
        """Returns the experiment with these values of the parameters."""
        return Experiment.read(self.file, [*self.more, *self.set(values)])

    def set(self, values: Iterable[float]) -> list[str]:
        """Returns values of the parameters as settings of a file."""
        return [f"{prior.key}={float(x)!r}" for prior, x in zip(self.priors, values)]

    def middle(self) -> list[float]:
        """Returns the medians of the priors."""
        return [float(prior.value(0.0)) for prior in self.priors]


# long: one line a mistake
def read(file: Path, more: Iterable[str] = ()) -> Calibration:
    """Returns the calibration of a file. InputError: it has none, or something in it is wrong."""
    more = tuple(more)
    document = Document.read(file, more)
    table = document.section("calibration")
    if not table:
        raise InputError(f"{file} has no [calibration]; docs/calibration.md describes it")
    plain = {name: x for name, x in table.items() if name not in ("parameters", "costs")}
    known = {f.name: [] if f.default is MISSING else f.default for f in fields(Settings)}
    for name, value in plain.items():
        if name not in known:
            all_ = (*known, "parameters", "costs")
            raise InputError(
                unknown(f"{document.place('calibration', name)}: key of [calibration]", name, all_)
            )
        if type(value) is not type(known[name]) or (type(value) is int and value < 0):
            raise InputError(
                f"{document.place('calibration', name)}: {name} = {value!r} must be like"
                f" {known[name]!r}"
            )
    settings = Settings(**plain)
    if settings.method not in methods:
        raise InputError(unknown("method of a calibration", settings.method, methods))
    at: Callable[..., tuple[str, ...]] = lambda *path: ("calibration", *path)
    given = _tables(document, table, "parameters")
    priors = [document.at(at("parameters"), prior_of, key, one) for key, one in given.items()]
    costs = document.at(
        at("costs"), costs_of, _tables(document, table, "costs"), Path(file).resolve().parent
    )
    trust.check(str(file), sorted({one.python for one in costs if one.python}))
    of_other = [text.strip() for text in settings.settings]
    path = document.beside(settings.experiment) if settings.experiment else Path(file)
    if settings.experiment:
        more = tuple(one for one in more if not one.strip().startswith("calibration."))
    made = Calibration(path, (*of_other, *more), settings, priors, costs)
    _check(made)
    return made


def _tables(document: Document, table: Any, name: str) -> dict[str, Any]:
    """Returns the tables of parameters or costs; of keys of a file written with dots, too."""
    found = table.get(name)
    if not isinstance(found, dict) or not found:
        raise InputError(
            f"{document.place('calibration')}: it needs [calibration.{name}.NAME] with their tables"
        )
    return found


def _check(made: Calibration) -> None:
    """Raises InputError before the first run: a parameter or an output that the file lacks."""
    for ends in ([p.least for p in made.priors], [p.most for p in made.priors]):
        made.experiment(ends).model  # noqa: B018  it is built
    tables = made.experiment(made.middle()).tables
    outputs = tables.get("output", {})
    for one in made.costs:
        if one.kind == "observed":
            of_run = tables.get("observations", {})
            if not of_run or of_run.get("path", "departures.parquet") != one.departures:
                raise InputError(
                    f"the cost {one.name} reads {one.departures}, which no [observations] of the"
                    " file writes: base, every, path"
                )
        if one.output and one.output not in outputs:
            raise InputError(unknown(f"output of the cost {one.name}:", one.output, outputs))
        if one.file and not Path(one.file).exists():
            raise InputError(f"the cost {one.name}: {one.file}: no such file")
