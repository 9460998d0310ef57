"""Stores: variables of a running model in time, at their interval. Each region of a store is
written by one writer from the fields there.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from fathom import names, output
from fathom.base import mpi, provenance, writing
from fathom.base.clock import Duration
from fathom.base.failure import InputError
from fathom.output import continued, diagnostics, files
from fathom.output.along import Along
from fathom.output.encoders import Encoders
from fathom.output.fit import Fit
from fathom.output.of_members import OfMembers
from fathom.output.places import Places, methods
from fathom.output.specification import Region
from fathom.output.statistics import Statistics, statistics
from fathom.output.streams import Item, Product, Stream

if TYPE_CHECKING:
    from fathom.output.host import Host

accumulated = {"W m-2": "J m-2", "m s-1": "m"}  # units of rates -> units of their sums
# CF names of rates -> names of their sums; others have none
amounts = {
    f"{water}_flux": f"{water}_amount"
    for water in (
        "precipitation",
        "convective_precipitation",
        "stratiform_precipitation",
        "snowfall",
    )
}
# attribute of rain in files, for a record at the start
nothing_fallen = "0 at the start of the run: nothing has fallen before the first step"


def falls(name: str) -> bool:
    """Returns whether a field or variable of that name is precipitation at the ground."""
    return "precipitation" in name or "snowfall" in name


class Store(Statistics, OfMembers, Along, Places, Stream):
    """One store: `variables` by name at an interval, as they are or their `statistic` over the
    interval, on the model's levels or on chosen ones, on its grid, on latitudes and longitudes in
    steps of `latlon_resolution` degrees, on another `grid`, or along a `section`, interpolated
    there or as means over cells; as it is, or its waves up to `spectral_truncation`."""

    travels = True  # to servers
    heard = (*Stream.heard, "places", "known_at_start", "target")

    file: Any = None  # open on this rank
    opened = False  # by a run of this simulation
    goes_on = False  # that of an earlier run, with what was under way
    kept_times = 0  # of it, which the restart has
    begun: int | None = None  # the step at which the interval of the restart began
    attributes: Mapping[str, str] = {}  # of the file
    span: tuple[float, float] | None = None  # within which it is written [s]; None: always
    least = 1  # variables of it
    told: Mapping[str, Any] = {}  # the request, by keyword

    def __init__(
        self,
        simulation: Host,
        path: str | Path,
        variables: str | Sequence[str],
        every: Duration,
        statistic: str | None = None,
        dtype: str = "float32",
        levels: Any = None,
        latlon_resolution: float | None = None,
        section: Any = None,
        area: Any = None,
        zonal: bool = False,
        grid: Any = None,
        spectral_truncation: int | None = None,
        regrid: str = "bilinear",
    ) -> None:
        super().__init__(simulation)
        path = Path(os.path.normpath(path))
        self.path, self.statistic, self.dtype, self.every = path, statistic, dtype, every
        if dtype not in ("float32", "float64"):
            allowed = ("float32", "float64")
            raise InputError(f"output {path}: {names.unknown('dtype', str(dtype), allowed)}")
        if statistic is not None and statistic not in statistics:
            raise InputError(f"output {path}: " + names.unknown("statistic", statistic, statistics))
        self.requested = [variables] if isinstance(variables, str) else list(variables)
        if len(self.requested) < self.least:
            raise InputError(
                f"output {path}: no variables; allowed: {', '.join(simulation.model.derived)}, or"
                " any field"
            )
        self.levels = self._chosen(levels)
        if not isinstance(zonal, bool):
            raise InputError(f"output {path}: zonal = {zonal!r}: allowed are true and false")
        if regrid not in methods:
            raise InputError(f"output {path}: {names.unknown('regrid', str(regrid), methods)}")
        self.zonal, self.conserves = zonal, regrid == "conservative"
        self.target: Any = self._place(latlon_resolution, grid, section, area)
        waves = spectral_truncation
        self.fit = None if waves is None else self._said(Fit, simulation.model.grid, waves)
        writer = output.writer(path)  # an unknown ending is an error now
        # any rank may write its chunks; else one writes all, which others may encode
        self.shared = self.in_order = writer.collective
        self.encoders = Encoders(self) if getattr(writer, "encodes", False) else None
        self.keep, self.sums, self.last, self.file = [], [], 0, None
        self.written: dict[int, list[int]] = {}  # calls of files that are closed
        self.beside = {}
        self.made: dict[str, diagnostics.Together] = {}  # by the fields made along the earth
        self.stepped = {}
        self.compression: str | None = None

    def compress(self, compression: str | None) -> None:
        """Sets the compression of files; None: the default of the format. ValueError: unknown."""
        allowed = getattr(output.writer(self.path), "compressions", ())
        if compression is not None and compression not in allowed:
            raise InputError(
                f"output {self.path}: " + names.unknown("compression", compression, allowed)
            )
        self.compression = compression

    # ---- the file --------------------------------------------------------------------------------

    @property
    def whole_path(self) -> Path:
        """Returns its path in the directory of the run."""
        return self.simulation.directory / self.path

    def open(self) -> None:
        """Creates the store on root (after a restart: keep its times up to now), opens it
        elsewhere.
        """
        s = self.simulation
        fields = self._find_places()
        self._open_file()
        self._find_target()
        if self.shared:
            self.reopen()
        elif self.dealt and not s.is_root:
            self.file = output.writer(self.whole_path).encoder(self.whole_path)
        self.count, regions = s.everyone.bcast(
            (
                len(self.file.times),
                {name: tuple(self.file.regions(self._alias(name))) for name in self.variables},
            )
            if s.is_root
            else None
        )
        if self.dealt and self.encoders is not None:
            regions = self.encoders.bands(regions)
        self._arrange(fields, regions)

    def _find_places(self) -> dict[str, Any]:
        """Finds where the fields lie that variables are made of, and which are known before the
        first step; returns all fields.
        """
        fields = {f["name"]: f for f in self.simulation.fields.fields}
        self.places = {
            name: fields[need if (need := d.needs[0]) not in self.made else self._made_name(need)]
            for name, d in self.variables.items()
        }
        known = {
            *self.simulation.at_start,
            *self.simulation.model.restart_extras,
            *(name for name, f in fields.items() if f["state"] or not f["written"]),
        }
        self.known_at_start = {
            name: known.issuperset(d.own_needs) for name, d in self.variables.items()
        }
        return fields

    def _open_file(self) -> None:
        """Opens the file on root, new or that of the run which is continued."""
        s = self.simulation

        def create() -> None:
            writing.refuse_link(f"output {self.path}", self.whole_path)
            there = self.whole_path.exists()
            if self.opened and there:
                self.reopen()
                return
            coordinates, specs, chunks = self._contents()
            contents = continued.contents(self, coordinates, specs)
            if s.goes_on_here and self.kept_times and there:
                self.reopen()
                continued.check(self, contents)
                self.file.truncate(self.kept_times)
                return
            axis = output.TimeAxis(
                str(s.clock.start), s.clock.calendar, bounds=self.statistic is not None
            )
            own = {"run": s.identity.id, "contents": json.dumps(contents)}
            self.file = output.create(
                self.whole_path,
                coordinates,
                specs,
                chunks,
                time=axis,
                attributes={**provenance.attributes(s), **own, **self.attributes},
                overwrite=continued.may_replace(self),
                **({} if self.compression is None else {"compression": self.compression}),
            )

        s.on_root(create)
        self.goes_on, self.opened = self.opened, True

    def _contents(
        self,
    ) -> tuple[dict[str, Any], list[output.VariableSpec], Mapping[str, int] | None]:
        """Returns coordinates, variables and chunks of a new file."""
        mapping = self._mapping()
        specs = [self._specification(name, mapping) for name in self.variables]
        return (
            output.coordinates(mapping, specs) | self.coordinates_of_members(),
            self.specifications_of_members(specs),
            self.simulation.model.grid.chunks if self.target is None else None,
        )

    def resume(self) -> None:
        """Continues the interval that is under way: that of the restart, or a new one."""
        s = self.simulation
        if self.goes_on:
            return
        if self.begun is not None and self.sums and set(self.sums) <= s.restored:
            self.last = self.begun
            return
        self.last = s.count
        self._begin_interval()

    def _arrange(
        self, fields: Mapping[str, Any], regions: Mapping[str, tuple[Region, ...]]
    ) -> None:
        """Arranges items and products: variables of the same first field go to the same writers;
        those with common input are one product.
        """
        self.items, self.products = [], []
        first: dict[tuple[Any, ...], int] = {}
        for together in self._groups(regions):
            members = self._made_of(together)
            surface, name = members[0].surface, together[0]
            needs = diagnostics.needs(members)
            shift = first.setdefault((needs[0], surface), len(first))
            items = []
            for need in needs:
                source = self._source(need, surface)
                item = Item(
                    source,
                    self._levels_of(need, surface, fields[source]["levels"]),
                    self._rectangles(name, regions[name]),
                    shift,
                )
                if item not in self.items:
                    self.items.append(item)
                items.append(self.items.index(item))
            self.products.append(Product(together, tuple(items), regions[name]))

    def _groups(self, regions: Mapping[str, tuple[Region, ...]]) -> list[tuple[str, ...]]:
        """Returns variables that are made together."""
        groups: dict[Any, list[str]] = {}
        for name, d in self.variables.items():
            key: Any = name if d.shared is None else (d.shared, d.vertical, regions[name])
            if d.shared is None and (other := self.beside.get(name, ("",))[0]) in self.variables:
                key = tuple(sorted((name, other)))
            groups.setdefault(key, []).append(name)
        return [tuple(group) for group in groups.values()]

    def _made_of(self, together: Sequence[str]) -> list[diagnostics.Diagnostic]:
        """Returns diagnostics of variables that are made together, and of the other components of
        winds.
        """
        others = (self.beside[name] for name in together if name in self.beside)
        found = {name: self.variables[name] for name in together}
        return list((found | {name: d for name, d in others if name not in found}).values())

    def _rectangles(self, name: str, regions: tuple[Region, ...]) -> tuple[Region, ...]:
        """Returns the parts of the model's grid that the regions need."""
        nx = self.simulation.model.grid.shape[2]
        if self.target is None:
            return regions
        return tuple(
            (*self.target.rows(self.places[name]["horizontal"], region), 0, nx)
            for region in regions
        )

    def _alias(self, name: str) -> str:
        return names.fields[name].alias if name in names.fields else name

    def _vertical(self, name: str) -> str:
        d = self.variables[name]
        return "column" if d.surface else d.vertical or self.places[name]["vertical"]

    def _specification(self, name: str, mapping: Mapping[str, Any]) -> output.VariableSpec:
        """Returns the variable in the store: as the table of names says; a field without an entry
        there as the sequence declares it.
        """
        place = (self.places[name]["horizontal"], self._vertical(name))
        accumulates = self.statistic == "accumulation"
        made = output.variable(
            name,
            mapping,
            dtype=self.dtype,
            statistic="sum" if accumulates else self.statistic,
            place=place,
            units=self.places[name]["units"],
        )
        attributes = dict(made.attributes)
        if accumulates:
            rate = str(attributes["units"])
            total = rate.removesuffix(" s-1") if rate.endswith(" s-1") else f"{rate} s"
            attributes["units"] = accumulated.get(rate, total)
            attributes.pop("units_metadata", None)
            of_rate = attributes.pop("standard_name", "")
            if of_rate in amounts:
                attributes["standard_name"] = amounts[of_rate]
        if falls(name) and self.statistic is None and self.known_at_start[name]:
            attributes["comment"] = nothing_fallen
        if self.conserves:
            sea = " where sea" if "sea_fraction" in mapping else ""
            over = attributes.get("cell_methods", "")
            attributes["cell_methods"] = f"{over} area: mean{sea}".strip()
        elif self.zonal:
            over = attributes.get("cell_methods", "")
            attributes["cell_methods"] = f"{over} longitude: mean".strip()
        return replace(made, attributes=attributes)

    def reopen(self) -> None:
        """Opens the file again, after others have written to it."""
        self.leave()
        self.file = output.append(self.whole_path)
        if self.shared:
            self.file.stage = self.simulation.delivery.stage
            if not self.simulation.serves:
                self.file.encode_with(int(self.simulation.parallel["threads"]))

    def visible_times(self) -> int:
        """Returns the number of times that a reader sees."""
        return len(self.file.times)

    def leave(self) -> None:
        if self.file is not None:
            self.file.close()
            self.written = files.merged([self.written, self.file.writes.counts])
        self.file = None

    @property
    def writes(self) -> dict[int, list[int]]:
        """Calls that this rank has made to write its file, by size (fathom.output.files)."""
        return files.merged(
            [self.written, self.file.writes.counts] if self.file else [self.written]
        )

    # ---- an event --------------------------------------------------------------------------------

    def send(
        self,
        steps: int = 1,
        seconds: float | None = None,
        bounds: tuple[float, float] = (0.0, 0.0),
        last: bool = False,
    ) -> None:
        self.make_along()
        super().send(steps, seconds, bounds, last)

    def begin(self, kept: Any) -> None:
        """Begins once the state is there; kept: the entry of this store in the restart."""

    def kept(self) -> Any:
        """Returns what a restart keeps of this store beside fields; all ranks call it."""

    def take(self, entry: Mapping[str, Any] | None) -> None:
        """Takes its entry in the restart from which the run begins; None: there is none."""
        held = entry or {}
        self.kept_times, self.begun = int(held.get("times", 0)), held.get("begun")
        self.begin(held.get("own"))

    def entry(self) -> dict[str, Any]:
        """Returns its entry in a restart; all ranks call it."""
        times = self.count if self.opened else self.kept_times
        begun = self.last if self.opened else self.begun
        return {"times": times, "begun": begun, "own": self.kept()}

    def within(self) -> bool:
        """Returns whether now, or all of the interval that ends now, is in the window of the
        output.
        """
        s = self.simulation
        begin = self.last * s.time_step if self.statistic else s.seconds
        return self.span is None or (
            self.span[0] <= begin + 1e-6 and s.seconds <= self.span[1] + 1e-6
        )

    def come(self) -> None:
        """Writes if inside the output window; otherwise starts the next averaging interval."""
        if self.within():
            self.write()
            return
        if self.statistic:
            self._begin_interval()
        self.last = self.simulation.count

    def write_start(self) -> None:
        """Writes the state before the first step, without what only a whole step computes."""
        if not self.statistic:
            self.send()

    def write(self) -> None:
        """Writes one time of all variables."""
        s = self.simulation
        if self.statistic:
            bounds = (self.last * s.time_step, s.seconds)
            self.send(
                s.count - self.last if self.statistic == "mean" else 1, sum(bounds) / 2, bounds
            )
            self._begin_interval()
        else:
            self.send()
        self.last = s.count

    def write_region(
        self, event: mpi.core.OutputEvent, product: Product, n: int, arrays: Sequence[np.ndarray]
    ) -> None:
        horizontal, grid = self.places[product.names[0]]["horizontal"], self.simulation.model.grid
        j0, j1, i0, i1 = self.items[product.items[0]].rectangles[n]
        dtype = (
            self.dtype if self.target is None and not grid.reduced else float
        )  # values that are still to be interpolated: as they are computed
        window, steps = (j0, i0, j1 - j0, i1 - i0), self.divisor(event.steps)
        with self._early(product.names, event.seconds) as unknown:
            made = self._made(product.names, horizontal, window, arrays, steps, dtype)
        for name in product.names:
            values = np.full_like(made[name], np.nan) if name in unknown else made[name]
            if self.target is None:
                values = grid.regular(values, j0)
            elif name in self.beside:
                pair = values, made[self.beside[name][0]]
                east, region = "eastward" in name, product.regions[n]
                pair = self.target.wind(horizontal, region, *(pair if east else pair[::-1]), j0)
                values = pair[0 if east else 1]
            else:
                values = self.target.bring(horizontal, product.regions[n], values, j0)
            values = values[0] if self._vertical(name) == "column" else values
            self._keep(name, event, product.regions[n], values.astype(self.dtype, copy=False))

    def _made(
        self,
        together: Sequence[str],
        horizontal: str,
        window: diagnostics.Window,
        arrays: Sequence[np.ndarray],
        steps: float,
        dtype: Any,
    ) -> dict[str, np.ndarray]:
        """Returns variables of a product, and the other components of its winds, in a window: name
        -> (levels, rows, points).
        """
        members = {name: self.variables[name] for name in together}
        for name in together:
            if name in self.beside:
                other, d = self.beside[name]
                members.setdefault(other, d)
        given = dict(zip(diagnostics.needs(members.values()), arrays))

        def make(some: Any) -> Any:
            return diagnostics.of_window(
                self.simulation.model,
                some,
                horizontal,
                window,
                [given[need] for need in diagnostics.needs(some)],
                steps,
                dtype,
            )

        if self.variables[together[0]].shared is not None:
            return dict(zip(members, make(list(members.values()))))
        return {name: make([d])[0] for name, d in members.items()}

    def _keep(
        self, name: str, event: mpi.core.OutputEvent, region: Region, values: np.ndarray
    ) -> None:
        """Writes a region of a variable, or keeps it until the others are there."""
        if self.dealt and self.encoders is not None:
            self.encoders.keep(name, region, values)
        else:
            self.file.write(self._alias(name), self.time_of(event), region, values)

    @property
    def dealt(self) -> bool:
        s = self.simulation
        return self.shared or (self.encoders is not None and not s.roles)

    def collect(self, event: mpi.core.OutputEvent) -> None:
        if self.dealt and self.encoders is not None:
            self.encoders.collect(event)

    @contextmanager
    def _early(self, names: Iterable[str], seconds: float) -> Iterator[set[str]]:
        """Yields the variables that are not known before the first step."""
        unknown = {name for name in names if seconds == 0 and not self.known_at_start[name]}
        with np.errstate(all="ignore" if unknown else None):
            yield unknown

    def extend(self, event: mpi.core.OutputEvent) -> None:
        self.file.extend(
            event.time, event.seconds, (event.begin, event.end) if self.statistic else None
        )

    def levels_sent(self) -> int:
        """Returns the number of levels that an event sends, also before the store is open."""
        fields = {f["name"]: f["levels"] for f in self.simulation.fields.fields}
        sent = {(need, d.surface) for d in self.everything for need in d.needs}
        return sum(
            self._levels_of(need, surface, fields[self._source(need, surface)])
            for need, surface in sent
        )

    def stored_bytes(self) -> int:
        """Returns bytes of one time, before it is compressed."""
        points = {
            name: sum((j1 - j0) * (i1 - i0) for j0, j1, i0, i1 in product.regions)
            for product in self.products
            for name in product.names
        }
        return np.dtype(self.dtype).itemsize * sum(
            points[name] * self._levels_stored(name) for name in self.variables
        )

    def _levels_stored(self, name: str) -> int:
        if self._vertical(name) == "column":
            return 1
        if self.levels is not None:
            return len(self.levels)
        return self.items[next(p for p in self.products if name in p.names).items[0]].levels

    # ---- with servers ----------------------------------------------------------------------------

    def hear(self, announcement: Mapping[str, Any]) -> None:
        super().hear(announcement)
        roles = self.simulation.roles
        if self.shared or roles.server == roles.per_set * self.set:
            self.reopen()
