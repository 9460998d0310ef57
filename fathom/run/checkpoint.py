"""The state of a simulation into a restart file and back, on any ranks. Each field of the state is
a separate stream, so that data in transfer never need more memory than the largest field."""

from __future__ import annotations

import glob
import warnings
from collections.abc import Iterable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from contextlib import nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from fathom.base import mpi, provenance
from fathom.base.failure import InputError, MissingFileError
from fathom.base.reading import once
from fathom.data.input import copies
from fathom.output import files
from fathom.output.formats import restart
from fathom.output.streams import Item, Product, Stream
from fathom.run import identity
from fathom.run.ensemble.ensemble import name_of_member, number_of_members
from fathom.run.lock import moved
from fathom.run.one_restart import complete
from fathom.run.series import Series

if TYPE_CHECKING:
    from fathom.grids.grid import Grid
    from fathom.run.simulation import Simulation


class Checkpoint:
    """Restarts of a simulation; `{date}` in the path becomes the date. keep: how many of them stay,
    the latest; None: all.
    """

    def __init__(self, simulation: Simulation, path: str | Path, keep: int | None = None) -> None:
        if keep is not None and not (type(keep) is int and keep > 0):
            raise InputError(f"checkpoint keep = {keep!r} must be a whole number from 1 on")
        if keep is not None and "{date}" not in str(path):
            raise InputError(
                f"checkpoint keep = {keep}: all restarts have the name {path}, and each replaces"
                " the one before; write {date} in it to keep several"
            )
        self.simulation, self.path, self.keep = simulation, path, keep
        self.parts: list[Part] = []
        self.present = False  # of an ensemble only the member in the fields
        self.calls = files.Writes()  # of this rank
        self.begun: tuple[int, restart.Begun | None] = -1, None  # open on this rank for writing

    def prepare(self, state: Iterable[str], present: bool = False) -> Self:
        """Makes streams for the fields of the state (names); present: of an ensemble only for the
        member in the fields. Returns the checkpoint.
        """
        ny, nx = np.shape(self.simulation.model.grid.wet_levels)
        fields = (
            self.simulation.fields.fields if self.simulation.sequence else []
        )  # servers are told the rest
        levels = {f["name"]: f["levels"] for f in fields}
        members, self.present = self.simulation.members, present
        every: Iterable[int | None] = [None]
        if members.several and not present:
            every = range(members.number)
        self.parts = [
            Part(self, name, levels.get(name), ny, nx, one) for one in every for name in state
        ]
        self.begun = -1, None
        return self

    @property
    def stalls(self) -> list[float]:
        """Returns [s] that each restart kept this rank from computing."""
        own = (part.stalls for part in self.parts if part.is_own)
        return [sum(each) for each in zip(*own)]

    @property
    def comm(self) -> mpi.MPI.Comm:
        """Returns the ranks that write it together."""
        return self.simulation.comm if self.present else self.simulation.everyone

    @property
    def writes(self) -> dict[int, list[int]]:
        """Calls that this rank has made to write restarts, by size (fathom.output.files)."""
        return self.calls.counts

    def at(self, seconds: float) -> Path:
        """Returns the path of its file at that time."""
        return self.simulation.directory / str(self.path).format(
            date=self.simulation.clock.date(seconds).strftime("%Y-%m-%d")
        )

    def write(self) -> None:
        """Writes the present state, sent to servers where there are any; the restart appears when
        all earlier output is visible.
        """
        self._create(self.parts[0].count)
        for part in self._own_parts():
            part.send(last=True)
        if (s := self.simulation).members.groups > 1:
            s.everyone.barrier()  # all members are on the disk
            s.on_root(lambda: self.finish(s.seconds))

    def write_here(self) -> Path:
        """Writes the present state, by the ranks that compute. Returns the path."""
        s, path = self.simulation, self._create(0)
        event = mpi.core.OutputEvent(0, 0, 1, s.seconds)
        for part in self._own_parts():
            part.write_here(event, lambda item: s.fields.windows(item.field))
        if s.delivery.stage is not None:
            s.delivery.stage.wait()
        self.comm.barrier()  # all parts are on the disk
        s.on_root(lambda: self.finish(s.seconds), self.comm)
        self.begun = -1, None
        return path

    def _own_parts(self) -> Iterator[Part]:
        """Yields the fields of each member of these ranks, whose state is in the fields then."""
        members = self.simulation.members
        for part in self.parts:
            if part.member is None:
                yield part
            elif part.is_own:
                members.take(part.member)
                yield part

    def finish(self, seconds: float) -> None:
        """Makes the restart of that time [s] visible, which is complete, and the oldest is deleted
        where there are more than `keep`.
        """
        path, (number, begun) = self.at(seconds), self.begun
        mine = begun is not None and begun.path == path  # not that of a later event
        restart.finish(path, begun if mine else None)
        self.begun = (number, None) if mine else self.begun
        if self.keep is not None:
            for path in self._earlier(seconds)[self.keep :]:
                path.unlink(missing_ok=True)

    def _earlier(self, seconds: float) -> list[Path]:
        """Returns whole files of this run up to that time, the latest first."""
        of = identity.of_restart(self.at(seconds))
        before, after = map(glob.escape, str(self.path).split("{date}", 1))
        after = after.replace("{date}", "*")
        found = []
        for path in self.simulation.directory.glob(before + "*-[0-9][0-9]-[0-9][0-9]" + after):
            try:
                with restart.read(path) as file:
                    its = identity.of_mapping(file.header.extra.get("run"))
                    if of is not None and its is not None and its.id == of.id:
                        found.append((file.header.seconds, path))
            except (OSError, ValueError):  # no restart
                continue
        return [path for when, path in sorted(found, reverse=True) if when <= seconds + 1e-6]

    def of_event(self, event: Any) -> restart.Begun:
        """Returns the restart of that event, open on this rank for writing."""
        number, begun = self.begun
        if number != event.time or begun is None:
            begun = restart.Begun(self.at(event.seconds))
            self.begun = event.time, begun
        return begun

    def _create(self, number: int) -> Path:
        """Begins the number-th on root. Returns its path."""
        s, path = self.simulation, self.at(self.simulation.seconds)
        if self.comm.bcast(
            self.comm.rank == 0 and restart.begun(path)
        ):  # an earlier one of that name may be under way
            s.settle()
        header = restart.Header(
            s.seconds,
            str(s.clock.start),
            s.clock.calendar,
            s.count,
            {8: "float64", 4: "float32"}[s.bytes_of_number],
            fingerprint(s),
            {
                "time_series": s.series.kept(),
                **({} if self.present else s.members.in_headers),
                "numerics": s.model.numerics,
                "geometry": s.model.geometry_id,
                "provenance": provenance.attributes(s),
                "run": (s.identity or s.begins_as).told,
                "stores": {str(store.path): store.entry() for store in s.outputs},
                **({"first_step": True} if 0 < s.count == s.anew else {}),
            },
        )

        def create() -> None:
            if s.lock.has_moved(s.directory):
                raise MissingFileError(moved(s.directory))
            path.parent.mkdir(parents=True, exist_ok=True)
            shapes = {part.field: part.shape for part in self.parts}
            places = _places(s.model.grid, s.bytes_of_number)
            shapes |= {name: np.shape(values) for name, values in places.items()}
            begun = restart.create(path, header, shapes)
            for name, values in places.items():
                begun.write_whole(name, values, self.calls)
            self.begun = number, begun

        s.on_root(create, self.comm)
        return path


class Part(Stream):
    """One field of the state, written in bands of rows."""

    in_order = takes_turns = False

    def __init__(
        self,
        checkpoint: Checkpoint,
        field: str,
        levels: int | None,
        ny: int,
        nx: int,
        member: int | None = None,
    ) -> None:
        super().__init__(checkpoint.simulation)
        self.checkpoint, self.field, self.member = checkpoint, name_of_member(member, field), member
        self.shape = levels or 0, ny, nx  # no levels on servers, which are told the rest
        if levels:
            rows = restart.rows_of_a_band(self.shape, self.simulation.bytes_of_number)
            bands = tuple((j, min(j + rows, ny), 0, nx) for j in range(0, ny, rows))
            self.items, self.products = (
                [Item(field, levels, bands)],
                [Product((self.field,), (0,), bands)],
            )

    @property
    def is_own(self) -> bool:
        """Returns whether these ranks write it: they have its member."""
        return self.member is None or self.member in self.simulation.members.own

    def _show(self, event: Any) -> None:
        if self.simulation.members.groups == 1:  # else once all groups have written
            super()._show(event)

    def write_region(
        self, event: Any, product: Product, n: int, arrays: Sequence[np.ndarray]
    ) -> None:
        checkpoint = self.checkpoint
        checkpoint.of_event(event).write_band(
            self.field,
            product.regions[n][0],
            arrays[0],
            checkpoint.calls,
            checkpoint.simulation.delivery.stage,
        )

    def extend(self, event: Any) -> None:
        if self is self.checkpoint.parts[-1]:
            self.checkpoint.finish(event.seconds)

    @property
    def writes(self) -> Mapping[int, list[int]]:
        return self.checkpoint.writes if self is self.checkpoint.parts[0] else {}  # once


def _places(grid: Grid, size: int) -> dict[str, np.ndarray]:
    """Returns longitudes and latitudes of the centres of cells, of a plane x and y, as fields of
    numbers of `size` bytes.
    """
    mapping = grid.mapping()
    names = next((names for names in restart.places if set(names) <= set(mapping)), ())
    found = [np.asarray(mapping[name]) for name in names]
    if found and found[0].ndim == 1:  # a row has one latitude
        found = list(np.meshgrid(*found))
    return {name: a[None].astype(f"f{size}") for name, a in zip(names, found)}


def fingerprint(simulation: Simulation) -> dict[str, dict[str, Any]]:
    """Returns the numbers in which the grid of a restart must agree."""
    return restart.fingerprint(**simulation.model.grid.identity)


def _check_clock(path: Path, header: restart.Header, simulation: Simulation) -> None:
    """Raises ValueError: a run with another start or calendar would continue at another time, one
    with another step at a time that is no number of these steps.
    """
    s = simulation
    if abs(header.seconds - s.seconds) > 1e-6:
        _take_other_step(path, header, s)
    if (header.start, header.calendar) != (str(s.clock.start), s.clock.calendar):
        raise InputError(
            f"{path} is of a run from {header.start} in the calendar {header.calendar!r}; this one"
            f" is from {s.clock.start} in {s.clock.calendar!r}: set start = '{header.start}' and"
            f" calendar = '{header.calendar}'"
        )


def read_state(simulation: Simulation, path: Path, member: int | None = None) -> dict[str, Any]:
    """Returns fields, steps and series from a restart file of the same grid, of a member of an
    ensemble or of a run without one; returns its data of stores. ValueError where it does not fit,
    a warning where it was written with other numerics.
    """
    s, state, taken = simulation, simulation.fields.state, simulation.handed.taken
    sums = {name for store in s.outputs for name in store.sums}
    sums |= set(s.handed.sums)  # of means: another run's restart need not have them
    begins = s.model.may_begin()
    needed = [name for name in state if name not in sums | begins]
    files: list[restart.Restart] = []
    first = name_of_member(member, "")

    def head() -> tuple[restart.Header, tuple[str, ...]]:
        fields = [first + name for name in needed]
        with restart.read(path, grid=fingerprint(s), fields=fields) as file:
            own = [name for name in file.names if number_of_members(name) == member]
            return file.header, tuple(name.removeprefix(first) for name in own)

    def field(name: str) -> np.ndarray:
        if not files:
            files.append(restart.read(here))
        return np.ascontiguousarray(files[0][first + name])

    header, names = s.readers.share(head)
    s.count, s.anew = header.steps, header.steps if header.extra.get("first_step") else 0
    _check_clock(path, header, s)
    s.restored = {*state, *taken, *_made_by_steps(s)} & set(names)
    several = s.parallel["staging"] is not None and len(s.readers.ranks) > 1
    try:
        with (
            copies.of(path, s.comm, s.parallel["staging"], keep=False)
            if several
            else nullcontext(path)
        ) as here:
            for name, values in s.readers.each(sorted(s.restored), field, str(path)):
                whole = _of_water(s, name, values.astype(float, copy=False))
                s.fields.set(name, whole, nearest_outside=name in taken)
    finally:
        for file in files:
            file.close()
    if missing := (begins & {*state}) - {*names}:
        s.model.begin(s, missing)
    series = header.extra.get("time_series", {})
    s.series = Series(**header.extra.get("members", {}).get(str(member), series))
    if s.is_root:
        _warn_of_new(path, missing)
        _warn_of_others(path, [*names], {*state, *s.in_restarts})
        _warn_of_numerics(path, header.extra.get("numerics"), s.model.numerics)
    s.fields.count = s.count
    stores: dict[str, Any] = header.extra.get("stores", {})
    return stores


def _of_water(simulation: Simulation, name: str, whole: np.ndarray) -> np.ndarray:
    """Returns a field (levels, ny, nx) without what steps leave within the ground on the row that
    is joined to itself: its other half has none of it.
    """
    places = {f["name"]: (f["horizontal"], f["vertical"]) for f in simulation.fields.fields}
    if places.get(name) != ("corner", "layer") or not simulation.model.grid.horizontal.fold:
        return whole
    there = np.arange(len(whole))[:, None] < np.asarray(simulation.model.grid.corner_levels)[-1]
    found = whole.copy()
    found[:, -1] = np.where(there, found[:, -1], 0.0)
    return found


def _made_by_steps(simulation: Simulation) -> set[str]:
    """Returns fields of a restart that steps make of the state: an area inside reads them before
    the first step.
    """
    written = {f["name"] for f in simulation.fields.fields if f["written"]}
    return {n for n in simulation.in_restarts if n in written or n in simulation.model.prognostic}


def _take_other_step(path: Path, header: restart.Header, simulation: Simulation) -> None:
    """Counts the steps of the present length since the start; the next one knows no step before.
    InputError: their number is not whole, or the model needs the step before.
    """
    s, before = simulation, header.seconds / max(header.steps, 1)
    text = f"{path} was written with a step of {before:g} s; this run has {s.time_step:g} s"
    if not s.model.takes_other_steps:
        raise InputError(f"{text}, and a {type(s.model).__name__} needs the step before")
    count = round(header.seconds / s.time_step)
    if abs(count * s.time_step - header.seconds) > 1e-6:
        raise InputError(
            f"{text}, of which its time, {header.seconds:g} s after the start, is no whole number"
        )
    s.count = s.anew = count
    if s.is_root:
        warnings.warn(text, stacklevel=3)


def _warn_of_new(path: Path, missing: AbstractSet[str]) -> None:
    """Warns where fields begin anew in a run that continues."""
    new = sorted(name for name in missing if name.removesuffix("_before") not in missing - {name})
    if new:
        begin = "it begins" if len(new) == 1 else "they begin"
        warnings.warn(f"{path} lacks {', '.join(new)}: {begin} at the initial value", stacklevel=3)


def _warn_of_others(path: Path, held: Iterable[str], own: set[str]) -> None:
    """Warns where a restart holds fields that the model lacks, as tracers of another one."""
    places = {name for pair in restart.places for name in pair}
    # time levels go with their field; sums of outputs have blanks in their names
    other = [
        name
        for name in held
        if name not in own | places
        and " " not in name
        and not any(name == f"{field}_before" for field in held)
    ]
    if other:
        warnings.warn(
            f"{path} holds {', '.join(other)}, which this model lacks: left out", stacklevel=3
        )


def _warn_of_numerics(path: Path, before: Mapping[str, Any] | None, now: Mapping[str, Any]) -> None:
    """Warns where a run continues with other numerics than those that wrote its restart."""
    if before is None or before == now:
        return
    other = [
        f"{name} = {value!r}, then {before.get(name)!r}"
        for name, value in now.items()
        if value != before.get(name)
    ]
    warnings.warn(
        f"{path} was written by a run with other numerics: {'; '.join(other)}", stacklevel=3
    )


@once
def latest(directory: Path) -> Path | None:
    """Returns the latest complete restart of the run in a directory, a file or a folder of several
    programs, or None; those of other runs, damaged ones, and states of runs that failed, do not
    count. ValueError: there are some, and all are damaged.
    """
    found, damaged = complete(directory), []
    for path in sorted(directory.glob("*.fathom")):
        if path.name in identity.no_part:
            continue
        try:
            with restart.read(path) as file:
                of = identity.of_mapping(file.header.extra.get("run"))
                found.append((file.header.seconds, path, of.id if of else ""))
        except ValueError as error:
            damaged.append(error)
    if damaged and not found:
        raise InputError(
            f"{directory} has no complete restart to continue from: {'; '.join(map(str, damaged))}."
            " --overwrite starts again"
        )
    for fault in damaged:
        warnings.warn(str(fault), stacklevel=2)
    return max(identity.own_of(directory, found), default=(0.0, None))[1]
