"""Files of observations become a base: BUFR, text tables (CSV), NetCDF (Argo, along-track
altimetry) and METAR.

    made, accounts = collect(paths)           # on all ranks, each with its piece of the rows
    spread.write(made, "today.parquet", mpi.world)

Files are indexed first; their messages are distributed by bytes to the ranks, and there to threads.
The ranks sort the rows by their keys together, so the file is the same on any ranks, for any names
and order of the files. Damaged parts are counted and named; the rest is kept.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from fathom.assimilation.observations import (
    bufr,
    metar,
    netcdf,
    odb,
    reports,
    spread,
    tables,
    topography,
)
from fathom.assimilation.observations.base import Observations
from fathom.assimilation.observations.reasons import code
from fathom.assimilation.observations.variables import kinds
from fathom.base import mpi
from fathom.base.failure import InputError, MissingFileError
from fathom.base.home import at_home

most_named = 5  # damaged parts of a file that are reported by name


@dataclass
class Account:
    """The account of an import. `problems`: what is wrong -> how often; `named`: the first
    places.
    """

    file: str
    format: str
    parts: int = 0  # messages, lines, profiles
    reports: int = 0
    data: int = 0
    empty: int = 0  # parts without a variable of the database
    absurd: int = 0  # data that are kept with a reason: no number can be made of them
    problems: Counter[str] = field(default_factory=Counter)
    named: list[str] = field(default_factory=list)

    @property
    def damaged(self) -> int:
        """Returns how many parts could not be read."""
        return sum(self.problems.values())

    def add(self, problem: str, place: str) -> None:
        """Counts a problem at a place of a file."""
        self.problems[problem] += 1
        self.named.append(f"{place}: {problem}")

    def join(self, other: Account) -> None:
        """Adds what another rank has counted."""
        for name in ("parts", "reports", "data", "empty", "absurd"):
            setattr(self, name, getattr(self, name) + getattr(other, name))
        self.problems += other.problems
        self.named = [*self.named, *other.named][:most_named]


def collect(
    paths: Sequence[str | Path],
    threads: int = 1,
    comm: Any = None,
    mean_topography: str | Path | None = None,
    **options: Any,
) -> tuple[Observations, list[Account]]:
    """Returns this rank's piece of all observations of the files, in the order of their keys over
    the ranks; and, on rank 0, an account of each file. mean_topography: a file for anomalies of sea
    level (topography.py); options: of METAR (stations, month).

    FileNotFoundError; ValueError: a file of no known format, on all ranks.
    """
    comm = mpi.world if comm is None else comm
    parts, accounts = [], []
    for path in paths:
        made, account = _file(at_home(path), comm, threads, mean_topography, options)
        parts.append(made)
        accounts.append(account)
    own = spread.ordered(spread.joined([p.column for p in parts]), comm)
    gathered = comm.gather(accounts)
    for others in gathered[1:] if comm.rank == 0 else []:
        for account, other in zip(accounts, others):
            account.join(other)
    return own, accounts if comm.rank == 0 else []


def _file(
    path: Path, comm: Any, threads: int, mean_topography: Any, options: dict[str, Any]
) -> tuple[Observations, Account]:
    """Returns this rank's share of a file."""
    if not path.is_file():
        raise MissingFileError(f"{path}: no such file")
    data = path.read_bytes()
    format = format_of(data, path.name)
    account = Account(str(path), format)
    if format == "bufr":
        made = _bufr(data, comm, threads, account, mean_topography is not None)
    elif comm.rank:  # small files: one reads them
        made = Observations(value=[])
    else:
        read: Any = {
            "netcdf": netcdf.read, "metar": metar.read, "csv": tables.read, "odb": _odb
        }[format]  # fmt: skip
        own: dict[str, Any] = {
            "netcdf": {"anomalies": mean_topography is not None},
            "metar": options,
        }
        made = read(path, account, **own.get(format, {}))
    absurd = ~np.isfinite(made["value"]) | _nowhere(made)
    account.absurd += made.remove(absurd, code["damaged"])
    made = made.taken(np.isfinite(made["value"]))
    if mean_topography is not None and format in ("bufr", "netcdf"):
        topography.add(made, mean_topography)
    account.data, account.reports = len(made), len(np.unique(made["report"]))
    return made, account


def _nowhere(made: Observations) -> np.ndarray:
    """Returns places that are not on Earth, times that are none or impossible."""
    first, last = (np.datetime64(f"{year}-01-01", "s").astype(int) for year in reports.years)
    with np.errstate(invalid="ignore"):
        here = (np.abs(made["latitude"]) <= 90) & np.isfinite(made["longitude"])
    time = made["time"]
    result: np.ndarray = ~here | (time == 0) | (time < first) | (time >= last)
    return result


def format_of(data: bytes, name: str) -> str:
    """Returns bufr, netcdf, odb, metar or csv, by what is in the file. ValueError where it is
    none."""
    if not data and not name.lower().endswith((".bufr", ".bfr")):
        raise InputError(f"{name} is empty")
    if data.startswith((b"CDF", b"\x89HDF")):
        return "netcdf"
    if data.startswith(odb.magic):
        return "odb"
    if data.startswith(b"BUFR") or b"BUFR" in data or name.lower().endswith((".bufr", ".bfr")):
        return "bufr"
    try:
        text = data[:65536].decode("utf-8", errors="strict" if len(data) < 65536 else "ignore")
    except UnicodeDecodeError:
        text = ""
    if metar.looks_like_it(text):
        return "metar"
    if "," in text.splitlines()[0] if text else False:
        return "csv"
    raise InputError(
        f"{name} is no file of observations that is known: BUFR, NetCDF, ODB-2, METAR or a table"
        " (CSV) with a header line"
    )


def _odb(path: Path, account: Account) -> Observations:
    made = odb.read(path)
    account.parts = len(np.unique(made["report"]))
    return made


def _bufr(data: bytes, comm: Any, threads: int, account: Account, anomalies: bool) -> Observations:
    mine = mpi.core.bufr_index(data, comm.rank, comm.size)
    if comm.rank == 0 and b"BUFR" not in data:
        account.add("no message in it", "the file")
    account.parts = len(mine)
    roles = reports.roles(mpi.core)
    parts = []
    for some in _pieces(mine):
        rows, problems = bufr.read(data, roles, some, threads)
        for message, problem in zip(some, problems):
            if problem:
                account.add(problem, f"message at byte {message.offset}")
        with_data = np.unique(rows["message"][np.unique(rows["report"])])
        account.empty += len(some) - len(with_data) - sum(map(bool, problems))
        parts.append(reports.observations(rows, data, some, anomalies))
    account.named = account.named[:most_named]
    return spread.joined([p.column for p in parts])


def _pieces(messages: Sequence[Any], most: int = 1 << 24) -> Iterator[Sequence[Any]]:
    """Yields messages of some megabytes at a time: rows take some hundred times their bits."""
    start, bytes_ = 0, 0
    for n, message in enumerate(messages):
        bytes_ += message.length
        if bytes_ > most:
            yield messages[start : n + 1]
            start, bytes_ = n + 1, 0
    if start < len(messages):
        yield messages[start:]


def counts(own: Observations, comm: Any) -> dict[str, int]:
    """Returns data of each kind on all ranks, which all call it."""
    of = sum(comm.allgather(np.bincount(own["kind"], minlength=len(kinds))))
    return {kind: int(n) for kind, n in zip(kinds, of) if n}


def summary(accounts: Sequence[Account], by_kind: Mapping[str, int]) -> list[str]:
    """Returns lines for people: files, what is damaged, counts by kind."""
    lines = []
    for a in accounts:
        lines.append(
            f"{a.file}: {a.format}, {a.parts} parts, {a.reports} reports, {a.data} data,"
            f" {a.damaged} parts damaged, {a.absurd} data without a place or time"
        )
        if a.empty:
            lines.append(f"    {a.empty} parts have no value of a variable of the base")
        lines += [f"    {count} × {problem}" for problem, count in sorted(a.problems.items())]
        lines += [f"    {place}" for place in a.named]
    lines += [f"{kind:14} {n:9} data" for kind, n in by_kind.items()]
    return lines


def figures(accounts: Sequence[Account], by_kind: Mapping[str, int]) -> dict[str, Any]:
    """Returns the account as numbers; reports count as often as they are in the files."""
    data = sum(by_kind.values())
    return {
        "data": data,
        "reports": sum(a.reports for a in accounts),
        "copies": sum(a.data for a in accounts) - data,
        "damaged": sum(a.damaged for a in accounts),
        "files": [
            {
                "file": a.file,
                "format": a.format,
                "parts": a.parts,
                "data": a.data,
                "empty": a.empty,
                "absurd": a.absurd,
                "problems": dict(sorted(a.problems.items())),
            }
            for a in accounts
        ],
    }
