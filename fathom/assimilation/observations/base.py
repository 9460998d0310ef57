"""The base of observations: one row a datum, a number with its unit. It is a table in memory
(`Observations`) and a Parquet file on disk; SQL is the language of questions.

A datum is known by `report` and `datum`. The report's number is made from the bytes of the
message, the datum's from its place in the report. Ranks, names and the order of files do not
matter. A missing value is NaN in memory and null in the file, never a number.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np

from fathom.assimilation.observations import parquet, variables
from fathom.assimilation.observations.reasons import reasons
from fathom.base.failure import InputError, MissingFileError
from fathom.base.home import at_home
from fathom.base.near import near, unknown

needed = "pip install pyarrow duckdb"

# name -> type in memory, unit, meaning
columns: dict[str, tuple[str, str, str]] = {
    "report": ("i8", "1", "the report, from its bytes"),
    "datum": ("i4", "1", "the datum's place in the report"),
    "kind": ("i2", "1", "kind of report: a text in the file"),
    "station": ("U16", "1", "station, ship, aircraft or satellite"),
    "time": ("i8", "s", "since 1970-01-01"),
    "longitude": ("f8", "degrees", "-180 to 180"),
    "latitude": ("f8", "degrees", ""),
    "height": ("f8", "m", "of the station, or of the datum where it has its own height"),
    "pressure": ("f8", "Pa", "of the datum; of sea water: null"),
    "depth": ("f8", "m", "of the datum in the sea"),
    "instrument": ("i4", "1", "of a satellite: its number in WMO's Common Code Table C-8; 0: none"),
    "channel": ("i4", "1", "of a radiometer, in the instrument's own count; 0: none"),
    "zenith": ("f8", "degrees", "of the satellite, seen from the place"),
    "variable": ("i2", "1", "what is observed: a text in the file"),
    "value": ("f8", "of the variable", "what was observed"),
    "error": ("f8", "of the variable", "standard deviation as given"),
    "error_inflated": ("f8", "of the variable", "with what representativeness adds"),
    "error_final": ("f8", "of the variable", "as the analysis uses it"),
    "background_departure": ("f8", "of the variable", "observation minus background"),
    "analysis_departure": ("f8", "of the variable", "observation minus analysis"),
    "background_error": ("f8", "of the variable", "standard deviation at the datum"),
    "bias": ("f8", "of the variable", "of the observation; departures are without it"),
    "weight": ("f8", "1", "of variational quality control"),
    "reason": ("i2", "1", "why it is not used; 0: it is"),
    "slot": ("i4", "1", "slot of the window; -1: none"),
}
texts = {"kind": variables.kinds, "variable": variables.names}
order = ("kind", "time", "report", "datum")
usual = {"instrument": 0, "channel": 0, "reason": 0, "slot": -1, "weight": 1.0, "station": ""}


class Observations:
    """Columns of equal length, NumPy arrays: `observations["value"]`."""

    def __init__(self, **given: Any) -> None:
        for name in given:
            if name not in columns:
                raise InputError(unknown("column", name, columns))
        if "value" not in given:
            raise InputError("observations need a column 'value'")
        count = len(given["value"])
        self.column: dict[str, np.ndarray] = {}
        for name, (kind, _, _) in columns.items():
            values = given.get(name, usual.get(name, np.nan if kind == "f8" else 0))
            values = np.broadcast_to(np.asarray(values), (count,))
            if name in texts and values.dtype.kind == "U":
                values = codes(name, values)
            self.column[name] = np.array(values, kind)

    @staticmethod
    def of(column: dict[str, np.ndarray]) -> Observations:
        """Returns all columns as they are, without a copy."""
        made = object.__new__(Observations)
        made.column = column
        return made

    def __len__(self) -> int:
        return len(self.column["value"])

    def __getitem__(self, name: str) -> np.ndarray:
        return self.column[name]

    def __setitem__(self, name: str, values: Any) -> None:
        self.column[name][:] = values

    def taken(self, which: np.ndarray) -> Observations:
        """Returns the data of a mask or of indices."""
        return Observations.of({name: values[which] for name, values in self.column.items()})

    def sorted(self) -> Observations:
        """Returns the data in the order of a file: by kind, time, report and datum."""
        return self.taken(np.lexsort([self[name] for name in reversed(order)]))

    def kind_is(self, name: str) -> np.ndarray:
        """Returns which data are of this kind of report (n)."""
        result: np.ndarray = self["kind"] == codes("kind", np.array([name]))[0]
        return result

    def variable_is(self, name: str) -> np.ndarray:
        """Returns which data are of this variable (n)."""
        result: np.ndarray = self["variable"] == codes("variable", np.array([name]))[0]
        return result

    @property
    def used(self) -> np.ndarray:
        """Returns which data no check has rejected (n)."""
        result: np.ndarray = self["reason"] == 0
        return result

    def remove(self, which: np.ndarray, reason: int) -> int:
        """Marks the data of a mask as not used, for a reason; a datum that was removed
        before keeps its first reason. Returns how many were removed now.
        """
        now = np.asarray(which, bool) & self.used
        self["reason"][now] = reason
        return int(now.sum())


def codes(name: str, values: np.ndarray) -> np.ndarray:
    """Returns numbers of texts of a column; ValueError where one is not known."""
    table = {text: n for n, text in enumerate(texts[name])}
    kinds, inverse = np.unique(values, return_inverse=True)
    if wrong := [k for k in kinds if k not in table]:
        raise InputError(unknown(name, str(wrong[0]), table))
    return np.array([table[str(k)] for k in kinds], "i2")[inverse]


def together(parts: Iterable[Observations]) -> Observations:
    """Returns all rows, in the order of a file; the same rows given twice are there once."""
    parts = list(parts)
    if not parts:
        return Observations(value=[])
    whole = {name: np.concatenate([p[name] for p in parts]) for name in columns}
    return without_copies(Observations(**whole).sorted())


def without_copies(placed: Observations) -> Observations:
    """Returns rows in order, each only once."""
    same = np.ones(len(placed), bool)
    for name in order:
        same[1:] &= placed[name][1:] == placed[name][:-1]
    same[:1] = False
    return placed.taken(~same) if same.any() else placed


def pyarrow() -> Any:
    """Returns the module. InputError: it is not installed."""
    try:
        import pyarrow
        import pyarrow.parquet
    except ImportError:
        raise InputError(f"files of observations need pyarrow: {needed}") from None
    pyarrow.array([])  # now it looks for pandas, not at the first column
    return pyarrow


def write(observations: Observations, path: str | Path) -> None:
    """Writes a Parquet file (zstd) in the order of the columns above; it appears when it is
    whole.
    """
    bounds, numbers = parquet.dealt(len(observations), parquet.alone)
    write_groups(observations, bounds, numbers, path, parquet.alone)


def write_groups(
    own: Observations, bounds: np.ndarray, numbers: Sequence[int], path: str | Path, comm: Any
) -> None:
    """Writes one file of the rows of all ranks, each with its own groups of rows: those between
    `bounds` are the groups `numbers` of the file.
    """
    pyarrow()

    def part(first: int, end: int) -> Observations:
        return Observations.of({n: v[first:end] for n, v in own.column.items()})

    groups = [as_table(part(first, end)) for first, end in pairwise(bounds)]
    schema = groups[0].schema if groups else as_table(part(0, 0)).schema
    parquet.write(Path(path), groups, numbers, schema, comm)


def as_table(observations: Observations) -> Any:
    """Returns the data as a table of Arrow, with texts for codes and nulls for what is missing."""
    pa = pyarrow()
    made = {}
    for name, (kind, _, _) in columns.items():
        values = observations[name]
        if name in texts:
            made[name] = pa.DictionaryArray.from_arrays(pa.array(values), list(texts[name]))
        elif name == "station":
            made[name] = pa.array(values).dictionary_encode()
        else:
            made[name] = pa.array(values, mask=np.isnan(values) if kind == "f8" else None)
    fields = [
        pa.field(name, made[name].type, metadata={"units": unit, "is": text})
        for name, (_, unit, text) in columns.items()
    ]
    schema = pa.schema(fields, metadata={parquet.marked: "1"})
    return pa.Table.from_arrays(list(made.values()), schema=schema)


def read(path: str | Path, where: str = "", comm: Any = parquet.alone) -> Observations:
    """Returns observations of a file, those of an SQL clause. On ranks, those of the groups of rows
    that are dealt to this one. FileNotFoundError; ValueError.
    """
    if where:
        return from_table(query(f"SELECT * FROM observations WHERE {where}", path))
    path, arrow = at_home(path), pyarrow()
    if not path.is_file():
        raise missing(path)
    try:
        with arrow.parquet.ParquetFile(path) as file:
            return from_table(_groups(file, path, comm))
    except InputError:
        raise
    except (arrow.ArrowException, OSError, ValueError) as error:
        parquet.check(path)
        raise InputError(f"{path} is not a file of observations: {_first(error)}") from None


def _groups(file: Any, path: Path, comm: Any) -> Any:
    """Returns rows of a file that are this rank's, as they were written; one whose groups are other
    ones than here is read whole by each.
    """
    if comm.size == 1:
        parquet.check(path)
        return file.read()
    ends = np.cumsum([file.metadata.row_group(n).num_rows for n in range(file.num_row_groups)])
    bounds, numbers = parquet.dealt(file.metadata.num_rows, comm)
    if np.array_equal(ends, bounds[1:]):
        parquet.check(path, numbers)
        return file.read_row_groups(list(numbers))
    parquet.check(path)
    table = file.read()
    slices = [table.slice(bounds[n], bounds[n + 1] - bounds[n]) for n in numbers]
    return pyarrow().concat_tables([table.slice(0, 0), *slices])


def missing(path: Path) -> MissingFileError:
    """Returns the error of a base that is not there."""
    return MissingFileError(f"{path}: no such file; fathom observations import makes one")


def from_table(table: Any) -> Observations:
    """Reads a table of Arrow with the columns above, or some of them."""
    given = {}
    for name in table.column_names:
        if name not in columns:
            continue
        column = table[name].unify_dictionaries().combine_chunks()
        is_text = name in texts or name == "station"
        given[name] = _texts(name, column) if is_text else column.to_numpy(zero_copy_only=False)
    if len(given) < len(columns):
        return Observations(**given)
    own = {  # a copy only where it must be one
        name: np.require(given[name], kind, "W") for name, (kind, _, _) in columns.items()
    }
    return Observations.of(own)


def _texts(name: str, column: Any) -> np.ndarray:
    """Returns numbers of a column of texts; of stations the texts themselves, "" for null."""
    coded = column if hasattr(column, "indices") else column.dictionary_encode()
    words = np.array([*coded.dictionary.to_pylist(), ""], "U")
    at = coded.indices.fill_null(len(words) - 1).to_numpy(zero_copy_only=False)
    if name == "station":
        return np.asarray(words[at])
    used, table = np.unique(at), np.zeros(len(words), "i2")
    table[used] = codes(name, words[used])
    return np.asarray(table[at])


def query(sql: str, path: str | Path) -> Any:
    """Returns the answer to an SQL question of a file's table `observations`, a table of Arrow.

    FileNotFoundError; ValueError with what the database says of the question.
    """
    try:
        import duckdb
    except ImportError:
        raise InputError(f"questions to observations need duckdb: {needed}") from None
    path = at_home(path)
    if not path.is_file():
        raise missing(path)
    parquet.check(path)
    with duckdb.connect(config={"preserve_insertion_order": True}) as base:
        try:
            base.execute(
                "CREATE VIEW observations AS SELECT * FROM read_parquet("
                + "'" + str(path).replace("'", "''") + "')"
            )  # fmt: skip
        except duckdb.Error as error:
            raise InputError(f"{path} is not a file of observations: {_first(error)}") from None
        held = {row[0] for row in base.sql("DESCRIBE observations").fetchall()}
        if lost := [name for name in columns if name not in held]:
            raise InputError(
                f"{path} is not a file of observations: it has no column {', '.join(lost[:3])}"
            )
        try:
            return base.sql(sql).to_arrow_table()
        except duckdb.Error as error:
            hint = column_meant(str(error))
            raise InputError(f"{sql!r} cannot be answered: {_first(error)}{hint}") from None


def _first(error: Exception) -> str:
    return str(error).splitlines()[0]


def column_meant(text: str) -> str:
    """Returns the nearest known column to an unknown name."""
    import re  # only for errors

    found = re.search(r'column "([^"]+)" not found', text)
    return near(found[1], columns) if found else ""


def by_kind_and_reason(observations: Observations) -> Mapping[tuple[str, str, str], int]:
    """Returns counts: (kind, variable, reason) -> data."""
    key = np.stack([observations[n].astype(int) for n in ("kind", "variable", "reason")])
    found, counts = np.unique(key, axis=1, return_counts=True)
    return {
        (variables.kinds[k], variables.names[v], reasons.get(r, (f"reason {r}", ""))[0]): int(n)
        for (k, v, r), n in zip(found.T, counts)
    }
