"""Several programs in a TOML file, each of which is an experiment of its own.

    [programs]
    globe = "globe.toml"                       # beside this file
    aladin = { file = "aladin.toml", ranks = 2, set = ["model.outer=globe"] }

    [[exchange]]                               # the keywords of Programs.exchange
    field = "globe.sea_turbulent_flux"
    ...

    [simulation]
    run = "1d"
    checkpoint = { every = "6h", keep = 2 }    # restarts of all

An area whose file names the file of another program as its outer model has that program.

    [coupled]                                  # atmosphere and ocean as one system: fm.Coupled
    every = "3h"

Without an ocean the air lies over the SlabOcean that its file has as surface.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from fathom.atmosphere.ground.sea import SlabOcean
from fathom.base import mpi
from fathom.base.clock import Period
from fathom.base.configurable import Configurable
from fathom.base.failure import InputError
from fathom.base.reading import Readers
from fathom.coupled.programs import Programs
from fathom.coupled.system import Coupled, names
from fathom.run.experiment.experiment import Experiment
from fathom.run.experiment.tables import parameters
from fathom.run.experiment.toml import Document
from fathom.run.experiment.written import refuse

sections = ("programs", "coupled", "exchange", "simulation", "parallel", "not_written")
keys = {
    "program": ("file", "ranks", "set"),
    "simulation": ("run", "checkpoint", "restart"),
    "coupled": ("every", "order", "budget", "rivers"),
    "parallel": ("ranks", "threads"),  # of the whole run; those of a program are in its file
}
outer_keys: Sequence[Sequence[str]] = (
    ("outer",),
    ("outer_model",),
    ("open_edges", "outer"),
)  # of [model]


class ProgramsFile(Configurable):
    """The programs that a TOML file describes. Errors are as those of `Experiment`."""

    def __init__(self, document: Document) -> None:
        self.document, self.tables = document, document.tables
        for name in self.tables:
            self.document.check_key(name, sections, "section", name)
        for section in ("simulation", "coupled", "parallel"):
            for key in self.document.section(section):
                self.document.check_key(key, keys[section], f"[{section}] key", section, key)
        refuse(document)
        given = self.tables["programs"]
        if not (isinstance(given, Mapping) and given):
            raise InputError(f"{document.place('programs')}: [programs] has NAME = FILE")
        self.given = {name: self._program(name, one) for name, one in given.items()}
        self.files = {name: self._beside(name, one["file"]) for name, one in self.given.items()}

    @classmethod
    def read(cls, path: str | Path, settings: Iterable[str] = ()) -> ProgramsFile:
        """Returns the programs of a file, with settings "a.b.c=value" on top."""
        return cls(Document.read(path, settings))

    def _program(self, name: str, given: Any) -> dict[str, Any]:
        """Returns the table of a program."""
        table = {"file": given} if isinstance(given, str) else given
        if isinstance(table, Mapping) and "type" in table:  # a setting of a program that is a file
            table = {"file": table["type"], **{k: v for k, v in table.items() if k != "type"}}
        place = self.document.place("programs", name)
        if not (isinstance(table, Mapping) and isinstance(table.get("file"), str)):
            raise InputError(f"{place}: {name} = {given!r} must be a file, or a table with `file`")
        for key in table:
            self.document.check_key(key, keys["program"], "key of a program", "programs", name, key)
        return dict(table)

    def _beside(self, name: str, file: str) -> Path:
        """Returns a file that this one names: from where this one lies, else from here."""
        found: Path = self.document.at(("programs", name), self.document.beside, file)
        if not found.is_file():
            raise InputError(f"{self.document.place('programs', name)}: there is no file {file!r}")
        return found

    # ---- objects ---------------------------------------------------------------------------------

    def experiment(self, name: str) -> Experiment:
        """Returns the experiment of a program."""
        file, settings = self.files[name], self.given[name].get("set", [])
        document = Document.read(file, settings)
        for key in outer_keys:
            tables, last = ["model", *key[:-1]], key[-1]
            table: Any = document.tables
            for part in tables:
                table = table.get(part, {}) if isinstance(table, Mapping) else {}
            outer = str(table.get(last, "")) if isinstance(table, Mapping) else ""
            others = {str(path): other for other, path in self.files.items() if other != name}
            if outer.endswith(".toml"):
                beside = (file.parent / outer).resolve()
                if (other := others.get(str(beside))) is not None:
                    document = Document.read(file, [*settings, f'model.{".".join(key)}="{other}"'])
        document.section("not_written").pop("simulation.taken", None)  # it is given here
        return Experiment(document)

    @property
    def period(self) -> Period:
        """Returns the length of the run: [simulation] run."""
        given = self.document.section("simulation")
        if "run" not in given:
            raise InputError(
                f'{self.document.place("simulation")}: how long shall they run? Write run = "30d"'
                " in [simulation], or give --for 30d"
            )
        return Period(given["run"], "run")

    @property
    def ranks(self) -> dict[str, Any] | None:
        """Returns the ranks of programs side by side; None: in turn. InputError: some have none."""
        found = {name: one["ranks"] for name, one in self.given.items() if "ranks" in one}
        if found and len(found) < len(self.given):
            without = ", ".join(name for name in self.given if name not in found)
            place = self.document.place("programs")
            raise InputError(f"{place}: ranks are given to {', '.join(found)}, not to {without}")
        return found or None

    def readers(self) -> Readers:
        """Returns the ranks that read files which are of all programs."""
        return Readers(mpi.world)

    def _under_one_clock(self, made: dict[str, Any], directory: str | Path) -> Programs:
        """Returns the programs without exchanges of fields; coupled where the file says so."""
        if "coupled" not in self.tables:
            plain: Programs = self.document.at(("programs",), Programs, made, directory, self.ranks)
            return plain
        slab = made["atmosphere"].surface if "atmosphere" in made else None
        needed = names[:1] if isinstance(slab, SlabOcean) else names
        if missing := [name for name in needed if name not in made]:
            raise InputError(
                f"{self.document.place('coupled')}: [coupled] needs [programs] {missing[0]} = FILE"
            )
        air, sea = made.pop("atmosphere"), made.pop("ocean", slab)
        how = {"directory": directory, "ranks": self.ranks, "programs": made}
        how |= self.tables["coupled"]
        found: Programs = self.document.at(("coupled",), Coupled, air, sea, **how)
        return found

    def _exchanges(self) -> list[dict[str, Any]]:
        """Returns the tables of [[exchange]]. InputError: they are none, or have unknown keys."""
        given, place = self.tables.get("exchange", []), self.document.place("exchange")
        if not (isinstance(given, list) and all(isinstance(one, dict) for one in given)):
            raise InputError(f"{place}: 'exchange' is a list of tables: write [[exchange]]")
        known = parameters(Programs.exchange, skip=("self", "by", "change"))
        for table in given:
            for key in table:
                self.document.check_key(key, known, "[[exchange]] key", "exchange", key)
            for key in ("field", "to"):
                if not isinstance(table.get(key), (str, list)):
                    raise InputError(f"{place}: {key} = {table.get(key)!r} must be PROGRAM.FIELD")
        return given

    def programs(
        self,
        directory: str | Path = ".",
        overwrite: bool = False,
        restart: str | Path | None = None,
    ) -> Programs:
        """Returns the programs, with exchanges, checkpoints and restart."""
        made = {n: self.experiment(n).simulation(overwrite=overwrite) for n in self.given}
        programs = self._under_one_clock(made, directory)
        for table in self._exchanges():
            pair = {k: tuple(v) for k, v in table.items() if isinstance(v, list)}
            self.document.at(("exchange",), programs.exchange, **{**table, **pair})
        given = self.document.section("simulation")
        if "checkpoint" in given:
            one = given["checkpoint"]
            how = one if isinstance(one, Mapping) else {"every": one}
            self.document.at(("simulation", "checkpoint"), programs.checkpoint, **how)
        if (begin := given.get("restart") if restart is None else restart) is not None:
            self.document.at(("simulation", "restart"), programs.restore, begin)
        return programs
