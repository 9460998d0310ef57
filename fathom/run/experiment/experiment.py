"""Experiments: TOML files <-> objects. Keys are the Python keywords, `type` names the class.

experiment = Experiment.read("ocean.toml", ["model.friction.viscosity=2e3"])
experiment.simulation(directory="runs/ocean").run(experiment.period)
"""

from __future__ import annotations

import inspect
from collections.abc import Iterable, Mapping
from functools import cached_property, partial
from pathlib import Path
from typing import Any

import fathom
from fathom.base import mpi
from fathom.base.clock import Period
from fathom.base.failure import InputError
from fathom.base.home import at_home
from fathom.base.near import near_or_all
from fathom.base.reading import Readers
from fathom.base.renamed import no_such, tail
from fathom.grids.grid import Grid
from fathom.model import plugins, schemes
from fathom.model.component import AtSurface
from fathom.model.model import Model
from fathom.model.order import Insertion
from fathom.run import parallel
from fathom.run.ensemble.ensemble import Ensemble
from fathom.run.experiment import tables, trust
from fathom.run.experiment.expression import constants_of, interpret
from fathom.run.experiment.toml import Document, dumps
from fathom.run.experiment.written import refuse
from fathom.run.simulation import Simulation

sections = (
    "constants",
    "extensions",
    "grid",
    "model",
    "state",
    "simulation",
    "ensemble",
    "output",
    "observations",
    "parallel",
    "calibration",
    "not_written",
)
extension_keys = ("schemes", "python")
placing = ("before", "after", "instead_of", "on", "phase")  # of a process in a model's order
parallel_keys = ("ranks", *parallel.usual)
run_keys = (
    "run",
    "checkpoint",
    "restart",
    "python",
)  # of [simulation], other than the keywords of Simulation
kinds = {"grid": Grid, "model": Model, "surface": AtSurface}  # allowed values


class Experiment:
    """The experiment that a TOML file describes. Every error is a ValueError or OSError that says
    the line, what is allowed and what is near.
    """

    def __init__(self, document: Document) -> None:
        self.document, self.tables = document, document.tables
        self._at, self._known = document.at, document.check_key
        for name in self.tables:
            self._known(name, sections, "section", name)
            document.section(name)
        refuse(document)
        self._load_extensions()
        for name, table in self._section("output").items():
            if not isinstance(table, Mapping):
                raise InputError(
                    f"{document.place('output', name)}: output {name!r} = {table!r} must be a"
                    f' table, as [output."{name}"] with variables and every'
                )
        for key in self._section("parallel"):
            self._known(key, parallel_keys, "[parallel] key", "parallel", key)
        ranks = self._section("parallel").get("ranks", 1)
        if not (type(ranks) is int and 0 < ranks <= most_ranks):
            raise InputError(
                f"{document.place('parallel', 'ranks')}: ranks = {ranks!r} must be a whole number"
                f" from 1 to {most_ranks}"
            )
        self._check_run()
        blocks = self._section("parallel").get("blocks", [1, 1])
        if not (
            isinstance(blocks, list)
            and len(blocks) == 2
            and all(type(n) is int and n > 0 for n in blocks)
        ):
            raise InputError(
                f"{document.place('parallel', 'blocks')}: blocks = {blocks!r} must be two whole"
                " numbers, points along x and y"
            )

    @classmethod
    def read(cls, path: str | Path, settings: Iterable[str] = ()) -> Experiment:
        """Returns the experiment of a file, with settings "a.b.c=value" on top."""
        return cls(Document.read(path, settings))

    def _check_run(self) -> None:
        """Checks that the length of the run is a length of time; a file has no functions."""
        if (named := self._section("simulation").get("python", "none")) != "none":
            raise InputError(
                f"{self.document.place('simulation', 'python')}: python = {named!r}: a file cannot"
                ' name functions; allowed is "none"'
            )
        if "run" in self._section("simulation"):
            self._at(("simulation", "run"), Period, self.tables["simulation"]["run"], "run")

    def _load_extensions(self) -> None:
        """Loads the user's own parts: headers with schemes, files of Python that register formats,
        data sets or diagnostics.
        """
        given = self._section("extensions")
        for key, files in given.items():
            self._known(key, extension_keys, "[extensions] key", "extensions", key)
            if not (isinstance(files, list) and all(isinstance(f, str) for f in files)):
                place = self.document.place("extensions", key)
                raise InputError(f'{place}: {key} = {files!r}: a list of files, ["own.hpp"]')
        trust.check(self.document.name, self.document.own_code())
        self.own_schemes = [
            name
            for file in given.get("schemes", ())
            for name in self._at(("extensions", "schemes"), plugins.load, file)
        ]
        for file in given.get("python", ()):
            self._at(("extensions", "python"), plugins.load_python, file)

    # ---- objects ---------------------------------------------------------------------------------

    @cached_property
    def constants(self) -> dict[str, float]:
        """Returns the numbers of [constants], by name."""
        found: dict[str, float] = self._at(("constants",), constants_of, self._section("constants"))
        return found

    @cached_property
    def grid(self) -> Any:
        """Returns the grid of [grid]."""
        return self._build(self._section("grid"), ("grid",), kind="grid")

    @cached_property
    def model(self) -> Any:
        """Returns the model with its grid and its state set."""
        model = self.without_state()
        for name, value in self._section("state").items():
            self._at(
                ("state", name), partial(model.set, **{name: self._build(value, ("state", name))})
            )
        self._place_own(model)
        return model

    def without_state(self) -> Any:
        """Returns the model with its grid."""
        return self._build(self._section("model"), ("model",), kind="model", first=self.grid)

    def _place_own(self, model: Any) -> None:
        """Inserts the user's schemes with a default place, which the file does not place."""
        placed = [type(one.process).__name__ for one in model.extra_processes]
        for name in self.own_schemes:
            own = schemes.scheme(name)
            if own.stands and name not in placed:
                self._at(("extensions", "schemes"), model.insert, own)

    @cached_property
    def surface(self) -> Any:
        """Returns the forcing that [simulation] surface names; None: none is named."""
        given = self._section("simulation").get("surface")
        path = ("simulation", "surface")
        made = None if given is None else self._build(given, path, kind="surface")
        if made is not None and not tables.ours(made):
            raise InputError(
                f"{self.document.place(*path)}: surface = {given!r} must be one of"
                f" {', '.join(_classes('surface'))}, or a table with `type`"
            )
        return made

    @cached_property
    def ensemble(self) -> Ensemble | None:
        """Returns the ensemble of [ensemble]; None: there is none."""
        table = self._section("ensemble")
        for key in table:
            self._known(
                key,
                tables.parameters(Ensemble),
                "[ensemble] key",
                "ensemble",
                key,
                owner="Ensemble",
            )
        if table and "members" not in table:
            raise InputError(f"{self.document.place('ensemble')}: [ensemble] needs members = 20")
        made: Ensemble | None = self._at(("ensemble",), Ensemble, **table) if table else None
        return made

    def _of_member(self, member: int) -> tuple[Any, Any]:
        """Returns model and surface of a member of the ensemble, with its parameters, on the same
        grid.
        """
        drawn = self.ensemble.drawn(member) if self.ensemble else {}
        changed = [f"{path}={value!r}" for path, value in drawn.items()]
        other = type(self)(self.document.changed(changed))
        other.__dict__["grid"] = self.grid
        return other.model, other.surface

    @property
    def period(self) -> Any:
        """Returns the length of the run: [simulation] run."""
        if "run" not in self._section("simulation"):
            raise InputError(
                f'{self.document.place("simulation")}: how long shall it run? Write run = "30d" in'
                " [simulation], or give --for 30d"
            )
        return self._at(("simulation", "run"), Period, self._section("simulation")["run"], "run")

    def _check_simulation(self, given: Mapping[str, Any]) -> None:
        """Raises InputError: keys of [simulation] that are unknown or missing."""
        for key in given:
            self._known(
                key,
                (*tables.parameters(Simulation, skip=("model", *_of_the_run)), *run_keys),
                "[simulation] key",
                "simulation",
                key,
                owner="Simulation",
            )
        if "time_step" not in given:
            raise InputError(
                f'{self.document.place("simulation")}: [simulation] needs time_step = "1h"'
            )

    def simulation(
        self,
        directory: str | Path = ".",
        overwrite: bool = False,
        restart: str | Path | None = None,
    ) -> Any:
        """Returns the Simulation with its outputs, checkpoints and restart; all ranks build it, a
        few read.
        """
        given = self._section("simulation")
        self._check_simulation(given)
        spread = {k: v for k, v in self._section("parallel").items() if k != "ranks"}
        with self.readers():
            keywords = {k: v for k, v in given.items() if k not in run_keys} | {
                "surface": self.surface
            }
            simulation = self._at(
                ("simulation",),
                Simulation,
                self.model,
                **keywords,
                directory=directory,
                overwrite=overwrite,
                parallel=spread,
                ensemble=self.ensemble,
                configuration=self._kept(),
            )
        if self.ensemble is not None and self.ensemble.parameters:
            simulation.members.made = self._of_member
        simulation.stretch.run = given.get("run")
        simulation.source = str(Path(self.document.name).resolve())
        for name, table in self._section("output").items():
            for key in table:
                self._known(
                    key,
                    tables.parameters(simulation.output, skip=("path",)),
                    f"key of output '{name}'",
                    "output",
                    name,
                    key,
                    owner="Simulation.output",
                )
            if isinstance(table.get("grid"), Mapping):
                path = ("output", name, "grid")
                table = {**table, "grid": self._build(table["grid"], path, kind="grid")}
            self._at(("output", name), simulation.output, name, **table)
        self._observe(simulation)
        if "checkpoint" in given:
            self._checkpoint(simulation, given["checkpoint"])
        if restart := restart or given.get("restart"):
            simulation.restore(restart)
        return simulation

    def _observe(self, simulation: Any) -> None:
        """Requests departures inside the run: the keywords of Simulation.observe."""
        if table := self._section("observations"):
            for key in table:
                keys = tables.parameters(simulation.observe)
                self._known(key, keys, "[observations] key", "observations", key)
            self._at(("observations",), simulation.observe, **table)

    def _checkpoint(self, simulation: Any, given: Any) -> None:
        """Requests restarts at an interval: the interval, or a table with the keywords of
        Simulation.checkpoint; or a list of these.
        """
        path, known = ("simulation", "checkpoint"), tables.parameters(simulation.checkpoint)
        for one in given if isinstance(given, list) else [given]:
            table = one if isinstance(one, Mapping) else {"every": one}
            for key in table:
                self._known(key, known, "checkpoint key", *path, key)
            self._at(path, simulation.checkpoint, **table)

    def readers(self) -> Any:
        """Returns the ranks that read files, of all that build this experiment."""
        spread = self._at(
            ("parallel",),
            parallel.checked,
            {k: v for k, v in self._section("parallel").items() if k != "ranks"},
        )
        return Readers(mpi.world, spread["readers"])

    def _build(
        self,
        value: Any,
        path: tuple[str, ...],
        kind: str = "",
        first: Any = None,
        default: Any = None,
    ) -> Any:
        """Returns the object for a value: a class by its name or a table with `type`, an
        expression, nothing ("none"), or the value itself.
        """
        if value == "none":
            return None
        if isinstance(value, str) and (kind or tables.class_named(value)):
            value = {"type": value}
        if isinstance(value, str) and tables.ours(default):
            return value  # no class: its owner knows which are allowed
        if isinstance(value, str):
            return self._at(path, interpret, value, self.constants)
        if isinstance(value, list):
            return [self._build(item, path) for item in value]
        return (
            self._object(value, path, kind, first, default) if isinstance(value, Mapping) else value
        )

    def _object(
        self, table: Mapping[str, Any], path: tuple[str, ...], kind: str, first: Any, default: Any
    ) -> Any:
        """Returns the object of a table; without `type`, one of the class of the default. `first`
        is the argument before the keywords.
        """
        if "is" in table:
            raise InputError(f"{self.document.place(*path, 'is')}: {no_such('a table', 'is', ())}")
        usual = default is not None and type(default).__name__
        cls = self._class(table.get("type", usual), path, kind)
        where = {key: table[key] for key in placing if key in table}
        if where and issubclass(cls, (schemes.Scheme, schemes.PythonScheme)):
            own = {k: v for k, v in table.items() if k not in where}
            process = self._object(own, path, kind, first, default)
            return self._at(path, partial(Insertion, process), **where)
        arguments = [] if first is None else [first]
        defaults = cls(*arguments) if arguments else None
        keywords = {
            key: self._argument(cls, defaults, key, value, path)
            for key, value in table.items()
            if key != "type"
        }
        return self._at(path, cls, *arguments, **keywords)

    def _argument(
        self, cls: type, defaults: Any, key: str, value: Any, path: tuple[str, ...]
    ) -> Any:
        """Returns the value that a key of a table gives to its class."""
        self._known(
            key, tables.keys(cls), f"{cls.__name__} parameter", *path, key, owner=cls.__name__
        )
        if key in getattr(cls, "mappings", ()) and _is_plain_table(value):
            return {n: self._build(item, (*path, key, n)) for n, item in value.items()}
        if key in getattr(cls, "experiments", ()) and str(value).endswith(".toml"):
            file = self.document.beside(value)
            return self._at((*path, key), lambda: type(self).read(file).simulation())
        return self._build(value, (*path, key), default=getattr(defaults, key, None))

    def _class(self, name: Any, path: tuple[str, ...], kind: str) -> type:
        place = self.document.place(*path, "type")
        if not name or not isinstance(name, str):
            fault = "is missing" if name is False else f"= {name!r} is no name of a class"
            raise InputError(f"{place}: `type` {fault}; allowed: {', '.join(_classes(kind))}")
        found = tables.class_named(name)
        if found is None or (kind and not _is_of(kind, name)):
            allowed = _classes(kind)
            raise InputError(
                f"{place}: unknown class '{name}'{tail('', name) or near_or_all(name, allowed)}"
            )
        return found

    def _section(self, name: str) -> Mapping[str, Any]:
        section: Mapping[str, Any] = self.tables.get(name, {})
        return section

    # ---- text ------------------------------------------------------------------------------------

    def resolved(self) -> str:
        """Returns the TOML text of this experiment with every default written out; reading it gives
        the same experiment.
        """
        return str(self.simulation().experiment)

    def _kept(self) -> str:
        """Returns the constants and the extensions, whose files have absolute paths, as text."""
        own = self._section("extensions")
        files = {k: [str(at_home(f).resolve()) for f in own[k]] for k in own}
        return dumps({"constants": self.constants, "extensions": files})


most_ranks = 1 << 20  # of MPI
_of_the_run = ("directory", "overwrite", "parallel", "ensemble", "configuration")


def _classes(kind: str = "") -> list[str]:
    """Returns names of the classes that a file may name there, or of all."""
    found = [
        name
        for name in fathom.public
        if inspect.isclass(getattr(fathom, name))
        and (_is_of(kind, name) if kind else name not in tables.no_parts)
    ]
    return found if kind else [*found, *schemes.schemes()]


def _is_of(kind: str, name: str) -> bool:
    """Returns whether a class of that name may stand there; no other class is imported for it."""
    return name in fathom.public and issubclass(getattr(fathom, name), kinds[kind])


def _is_plain_table(value: Any) -> bool:
    return isinstance(value, Mapping) and not {"type", "is"} & value.keys()
