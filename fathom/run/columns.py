"""Columns of a run for training: what a process of its step reads, and what it makes of it.

    with fm.export_columns(simulation, ["Radiation"], "columns.zarr", every="3h", columns=500):
        simulation.run("30d")
    xarray.open_zarr("columns.zarr", group="Radiation", consolidated=False)

One group a process, one row a column. A field that the process reads has its name, as one that it
writes; of a tendency the part that this process adds; of another field that it changes the value
before, and NAME_change. The columns of a record are drawn by chance from all of the globe, the same
ones on any ranks, and are written in the order of their places: the bytes depend on no layout.
"""

from __future__ import annotations

import shutil
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Self

import numpy as np

from fathom.base import provenance
from fathom.base.clock import Period
from fathom.base.configurable import explained
from fathom.base.failure import ExistingFileError, InputError
from fathom.base.near import unknown
from fathom.model import schemes
from fathom.model.schemes import PythonScheme, Use

shard_rows, chunk_rows = 16384, 1024  # columns of one file, and of one part of it to be read


@explained()
def export_columns(
    simulation: Any,
    processes: Sequence[str],
    out: str | Path,
    *,
    every: str | None = None,
    columns: int = 500,
    seed: int = 0,
    overwrite: bool = False,
) -> Export:
    """Returns what records columns of processes while a simulation runs, as a block of `with`.

    Parameters
    ----------
    processes : names in the step, as `fathom show` prints them; each computes single columns.
    out : a folder of Zarr, with one group a process.
    every : time between records; None: every step. For a process that runs less often a multiple of
        its interval.
    columns : in each record; all of the grid where it has fewer.
    seed : of the columns that are drawn.
    """
    return Export(simulation, processes, out, every, columns, seed, overwrite)


class Export:
    """Records of columns of some processes; they are on disk when the block of `with` ends."""

    def __init__(
        self, simulation: Any, processes: Sequence[str], out: str | Path, every: str | None,
        columns: int, seed: int, overwrite: bool,
    ) -> None:  # fmt: skip
        names = [processes] if isinstance(processes, str) else list(processes)
        if not names or columns < 1:
            raise InputError(f"columns = {columns!r} of processes {names}: at least one of each")
        if simulation.sequence is not None:
            raise InputError("columns of a run are asked for before it is prepared")
        self.out, self.simulation = Path(out), simulation
        if self.out.exists() and not overwrite and simulation.is_root:
            raise ExistingFileError(f"{out} exists; give overwrite=True, or --overwrite")
        model = simulation.model
        known = model.processes(simulation.time_step, simulation.surface)
        self.groups = [Group(self, _named(known, name), every) for name in names]
        wet = np.flatnonzero(np.asarray(model.grid.wet_levels).ravel() > 0)
        self.wet, self.columns, self.seed = wet, min(columns, len(wet)), seed
        for group in self.groups:
            group.insert(model)

    def __enter__(self) -> Self:
        if self.simulation.is_root:
            if self.out.exists():
                shutil.rmtree(self.out)
            self.out.mkdir(parents=True)
        return self

    def __exit__(self, *error: Any) -> None:
        for group in self.groups:
            group.close()

    def drawn(self, record: int) -> np.ndarray:
        """Returns the numbers of the cells of a record, in order."""
        random = np.random.default_rng((self.seed, record))
        return np.sort(random.choice(self.wet, self.columns, replace=False))


class Group:
    """The columns of one process."""

    def __init__(self, export: Export, process: Any, every: str | None) -> None:
        self.export, self.name = export, process.name
        step = export.simulation.time_step
        self.every = max(1, round(Period(every).seconds / step)) if every else process.every
        if self.every % process.every:
            raise InputError(
                f"every = {every!r}: {self.name} runs every {process.every} steps; allowed are"
                f" multiples of {process.every * step:g} s"
            )
        self.before, self.after = _uses(process)
        self.profiles = {u.name for u in self.before if u.place.endswith("profile")}
        self.record, self.rows = 0, 0
        self.held: dict[str, list[np.ndarray]] = {}
        self.first: dict[str, np.ndarray] = {}
        self.arrays: dict[str, Any] | None = None

    def insert(self, model: Any) -> None:
        """Places what looks at the fields before and after the process."""
        seconds = f"{self.every * self.export.simulation.time_step:g}s"
        for word, uses, look in (
            ("before", self.before, self._look_before),
            ("after", self.after, self._look_after),
        ):
            label = f"columns {word} {self.name}"
            model.insert(_Look(look, uses, name=label, every=seconds), **{word: self.name})

    def _look_before(self, blocks: Any) -> None:
        self.first = self._here(blocks, self.before)

    def _look_after(self, blocks: Any) -> None:
        now = self._here(blocks, self.after)
        rows = {} if not self.first else {n: x for n, x in self.first.items() if not _is_sum(n)}
        for use in self.after:
            if use.name not in self.first:
                rows[use.name] = now[use.name]
            elif now[use.name].size or use.name in now:
                changed = now[use.name] - self.first[use.name]
                rows[use.name if _is_sum(use.name) else f"{use.name}_change"] = changed
        self._keep({name: x.astype(np.float32) for name, x in rows.items()})
        self.record += 1

    def _here(self, blocks: Any, uses: Sequence[Use]) -> dict[str, np.ndarray]:
        """Returns the drawn columns of this rank, {name: (columns, numbers)}, and their cells."""
        cells = self.export.simulation.handed.cells
        mine = np.isin(cells, self.export.drawn(self.record))
        found = {}
        for use in uses:
            if use.name in self.profiles:
                found[use.name] = np.array(blocks[0][use.name], float) if blocks else np.zeros(0)
                continue
            parts = [_columns(block[use.name]) for block in blocks]
            found[use.name] = np.concatenate(parts)[mine] if parts else np.zeros(0)
        self.cells = cells[mine]
        return found

    def _keep(self, rows: Mapping[str, np.ndarray]) -> None:
        """Brings the columns of a record to root, in the order of their cells."""
        s = self.export.simulation
        parts = s.comm.gather((self.cells, dict(rows)))
        if not s.is_root:
            return
        cells = np.concatenate([where for where, _ in parts])
        order = np.argsort(cells)
        fields = {"cell": cells[order], "record": np.full(len(cells), self.record)}
        for name in rows:
            if name not in self.profiles:
                there = [x[name] for where, x in parts if len(where)]
                fields[name] = np.concatenate(there)[order]
        for name, x in fields.items():
            self.held.setdefault(name, []).append(x)
        if sum(map(len, self.held["cell"])) >= shard_rows:
            self._write({n: x for n, x in rows.items() if n in self.profiles}, last=False)
        self.constant = {n: x for n, x in rows.items() if n in self.profiles}

    def close(self) -> None:
        """Writes what is left."""
        if self.export.simulation.is_root and self.held:
            self._write(self.constant, last=True)

    def _write(self, constant: Mapping[str, np.ndarray], last: bool) -> None:
        joined = {name: np.concatenate(parts) for name, parts in self.held.items()}
        count = len(joined["cell"])
        whole = count if last else count // shard_rows * shard_rows
        if self.arrays is None:
            self.arrays = self._made(joined, constant)
        for name, x in joined.items():
            array = self.arrays[name]
            array.resize((self.rows + whole, *x.shape[1:]))
            array[self.rows : self.rows + whole] = x[:whole]
        self.rows += whole
        self.held = {name: [x[whole:]] for name, x in joined.items()}

    def _made(
        self, rows: Mapping[str, np.ndarray], constant: Mapping[str, np.ndarray]
    ) -> dict[str, Any]:
        """Returns the arrays of the group, without a row."""
        import zarr  # start-up time

        root = zarr.open_group(str(self.export.out), mode="a")
        note = {"title": f"columns of {self.name}", "source": provenance.version()}
        group = root.create_group(self.name, attributes=note)
        uses = {use.name: use for use in (*self.before, *self.after)}
        made = {}
        for name, x in {**rows, **constant}.items():
            levels = x.shape[-1] if name in constant or x.ndim > 1 else 0
            along = (f"levels_{levels}",) if levels else ()
            once = name in constant
            array = group.create_array(
                name,
                shape=x.shape if once else (0, *x.shape[1:]),
                chunks=x.shape if once else (chunk_rows, *x.shape[1:]),
                shards=None if once else (shard_rows, *x.shape[1:]),
                dtype=x.dtype,
                dimension_names=along if once else ("column", *along),
                attributes=_attributes(uses.get(name.removesuffix("_change")), name, self),
            )
            if once:
                array[...] = x
            else:
                made[name] = array
        return made


class _Look(PythonScheme):
    """A look at all blocks of this rank together."""

    def _work(self, blocks: list[dict[str, Any]]) -> None:
        self.function(blocks)


def _named(known: Sequence[Any], name: str) -> Any:
    """Returns the process of that name. InputError: there is none, or not one alone."""
    found = [process for process in known if process.name == name]
    if not found:
        raise InputError(unknown("process", name, [process.name for process in known]))
    if len(found) > 1 or found[0].is_global:
        why = f"runs {len(found)} times in a step" if len(found) > 1 else "sees whole fields"
        raise InputError(f"{name} {why}; columns are exported of processes of single columns")
    return found[0]


def _uses(process: Any) -> tuple[list[Use], list[Use]]:
    """Returns the fields to look at before and after a process. InputError: it reads neighbours."""
    before, after = [], []
    for field in process.fields:
        profile = field["horizontal"] == "profile"
        if field["reach"] or not (profile or field["horizontal"] == "center"):
            raise InputError(
                f"{process.name} reads {field['name']} beside the centre of its column; columns are"
                " exported of processes of single columns"
            )
        place = "interface profile" if profile else f"center {field['vertical']}"
        use = schemes.reads(field["name"], place, field["units"])
        if field["access"] != "writes":
            before.append(use)
        if field["access"] != "reads":
            after.append(use)
    return before, after


def _is_sum(name: str) -> bool:
    """Returns whether several processes add to a field."""
    return name.endswith("_tendency")


def _columns(x: np.ndarray) -> np.ndarray:
    """Returns a field of a block, (levels, ny, nx) or (ny, nx), as rows: (columns, levels) or
    (columns).
    """
    return x.ravel() if x.ndim == 2 else np.moveaxis(x, 0, -1).reshape(-1, len(x))


def _attributes(use: Use | None, name: str, group: Group) -> dict[str, Any]:
    if use is None:
        return {"long_name": {"cell": "number of the grid point, row by row"}.get(name, name)}
    made = use.name in {u.name for u in group.after}
    changed = made and (use.name not in {u.name for u in group.before} or _is_sum(name))
    role = "output" if changed or name.endswith("_change") else "input"
    return {"units": use.units, "place": use.place, "role": role}
