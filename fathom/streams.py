"""Streams: fields of a running model into a store on their rhythm. Each chunk of the store has one owner, which collects it from the
blocks through a plan; chunks are fixed by the grid, so the bytes do not depend on ranks."""

from contextlib import contextmanager
from functools import partial
from pathlib import Path
from time import perf_counter

import numpy as np

from fathom import diagnostics, names, output
from fathom.clock import Period
from fathom.components import scheme
from fathom.gather import Gather


class Stream:
    """One store: `variables` by name every so often, as they are or averaged (mean=True), on the model's levels or on those of
    pressure `levels` [hPa]."""

    def __init__(self, simulation, path, variables, every, mean=False, dtype="float32", levels=None):
        self.simulation, self.path, self.mean, self.dtype = simulation, Path(path), bool(mean), dtype
        self.requested = [variables] if isinstance(variables, str) else list(variables)
        self.every = every
        if not self.requested:
            raise ValueError(f"output {path}: no variables; allowed: {', '.join(simulation.model.derived)}, or any field")
        self.levels = None if levels is None else [100.0 * float(p) for p in np.atleast_1d(levels)]
        if levels is not None and not hasattr(simulation.model, "at_pressure"):
            raise ValueError(f"output {path}: levels = {levels} are of pressure [hPa]; {type(simulation.model).__name__} has none")
        self.shared = output.writer(path).collective  # any rank may write its chunks; else one writes all. An unknown ending is an error now
        self.keep, self.sums, self.last, self.file = [], [], 0, None
        self.stalls = []  # [s] that each time kept this rank from computing

    # ---- before the run ------------------------------------------------------------------------------------------------------------

    def processes(self, known, precision):
        """What the sequence must do for this stream: running sums for means."""
        model = self.simulation.model
        self.variables = [diagnostics.find(name, model, known) for name in self.requested]
        if self.levels:
            layers = [(d.vertical or known[d.needs[0]]["vertical"]) == "layer" and not d.surface for _, d in self.variables]
            self.variables = [(name, model.at_pressure(name, d, self.levels) if layer else d) for (name, d), layer in zip(self.variables, layers)]
        land = getattr(model, "land_fraction", None)
        self.mapping = model.grid.mapping() | ({"pressure": self.levels} if self.levels else {}) | ({} if land is None else {"land_fraction": land})
        needs = sorted({(field, d.surface) for _, d in self.variables for field in d.needs})
        if not self.mean:
            self.keep = [field for field, _ in needs if f"{field}_after" not in known]
            return []
        for name, d in self.variables:
            if not d.linear:
                raise ValueError(f"output {self.path}: '{name}' is not linear, its mean does not follow from means; ask for the instantaneous one, or for its components")
        from fathom import mpi

        places = {f["name"]: f for e in mpi.core.catalogue() for f in e["fields"]}
        self.sums = [self._sum_name(field, surface) for field, surface in needs]
        return [self._sum(field, surface, known, places, precision) for field, surface in needs]

    def _sum(self, field, surface, known, places, precision):
        now = f"{field}_after" if f"{field}_after" in known else field
        place = places.get(field) or places["tracer"]
        flat = surface or place["vertical"] == "column"
        process = scheme("SurfaceTimeSum" if flat else "TimeSum").process(precision, phase="output", on={"value": now, "sum": self._sum_name(field, surface)}, label=f"TimeSum of {field}")
        process = process.at(now, place["horizontal"], place["vertical"], place["vector"])
        return process.at(self._sum_name(field, surface), place["horizontal"], "column" if flat else place["vertical"], place["vector"])

    def _sum_name(self, field, surface):
        return f"sum of {'surface ' if surface else ''}{field} for {self.path.name}"

    # ---- the store ------------------------------------------------------------------------------------------------------------------

    def open(self):
        """Create the store on root (after a restart: keep its times up to now), open it elsewhere."""
        s = self.simulation
        path = s.directory / self.path
        fields = {f["name"]: f for f in s.sequence.fields}
        self.places = {name: fields[d.needs[0]] for name, d in self.variables}
        self.levels_of = {name: f["levels"] for name, f in fields.items()}
        self.known_at_start = {name: f["state"] or not f["written"] for name, f in fields.items()}
        continued = s.restart_from is not None and path.exists()

        def create():
            if continued:
                self.file = output.append(path)
                self.file.truncate(int(np.sum(np.asarray(self.file.times) <= s.seconds + 1e-6)))
                return
            axis = output.TimeAxis(str(s.clock.start), s.clock.calendar, self.mean)
            specs = [self._specification(name, d) for name, d in self.variables]
            self.file = output.create(path, output.coordinates(self.mapping, specs), specs, s.model.grid.chunks, time=axis, overwrite=s.overwrite or s.restart_from is not None)

        s.on_root(create)
        if self.file is None:
            self.file = output.append(path) if output.writer(path).collective else None
        self.count = s.comm.bcast(len(self.file.times) if s.is_root else None)
        self.regions = s.comm.bcast({name: list(self.file.regions(self._alias(name))) for name, _ in self.variables} if s.is_root else None)
        ranks = s.comm.size if self.shared else 1
        gathers = {}  # variables of the same chunks share a plan
        self.gathers = {name: gathers.get(tuple(r)) or gathers.setdefault(tuple(r), Gather(s.comm, s.domain, r, [n % ranks for n in range(len(r))])) for name, r in self.regions.items()}
        self.last = self._interval_start() if self.sums and set(self.sums) <= s.restored else s.count

    def _interval_start(self):
        """The step at which the mean began that a restart has left half done."""
        s, start = self.simulation, 0.0
        while (due := s.clock.after(start, Period(self.every))) <= s.seconds + 1e-6:
            start = due
        return round(start / s.step)

    def _alias(self, name):
        return names.fields[name].alias if name in names.fields else name

    def _vertical(self, name, d):
        return "column" if d.surface else d.vertical or self.places[name]["vertical"]

    def _specification(self, name, d):
        """The variable in the store: as the table of names says; a field without an entry there as the sequence declares it."""
        place = (self.places[name]["horizontal"], self._vertical(name, d))
        return output.variable(name, self.mapping, dtype=self.dtype, mean=self.mean, place=place, units=self.places[name]["units"])

    # ---- an event -------------------------------------------------------------------------------------------------------------------

    def write_start(self):
        """The state before the first step; what only a step computes is missing there."""
        if not self.mean:
            self.write()

    def write(self):
        """One time of all variables: handed over to servers, or written here."""
        s, began = self.simulation, perf_counter()
        steps = s.count - self.last
        bounds = (self.last * s.step, s.seconds) if self.mean else None
        taken = s.servers is not None and s.servers.take(self, steps if self.mean else 1, bounds)
        if not taken:
            for name, d in self.variables:
                self._write_blocks(name, d, self.count, self._windows(name, d, steps))
            s.comm.barrier()
            if s.servers is not None:
                s.servers.wrote()
            else:
                s.on_root(lambda: self.file.extend(self.count, s.seconds if not self.mean else sum(bounds) / 2, bounds))
        if self.mean:
            for field, surface in sorted({(f, d.surface) for _, d in self.variables for f in d.needs}):
                s.sequence.zero(self._sum_name(field, surface))
        self.count += 1
        self.last = s.count
        self.stalls.append(perf_counter() - began)

    def _write_blocks(self, name, d, time, blocks):
        blocks = [block[0] for block in blocks] if self._vertical(name, d) == "column" else blocks
        for region, values in self.gathers[name](blocks):
            self._put(name, time, region, values)

    def _put(self, name, time, region, values):
        self.file.write(self._alias(name), time, region, self.simulation.model.grid.regular(values, region[0]).astype(self.dtype, copy=False))

    def bytes_here(self):
        """Of one time on this rank, as fields: what a slot of servers must hold."""
        fields = {f["name"]: f["levels"] for f in self.simulation.sequence.fields}
        needs = {(field, 1 if d.surface else fields[field]) for _, d in self.variables for field in d.needs}
        points = sum(ny * nx for _, _, ny, nx in self.simulation.domain.blocks)
        return self.simulation.sequence_bytes * points * sum(levels for _, levels in needs)

    def stored_bytes(self):
        """Of one time, before it is compressed."""
        size = np.dtype(self.dtype).itemsize
        return sum(size * sum((j1 - j0) * (i1 - i0) for j0, j1, i0, i1 in self.regions[name]) * self._levels_stored(name, d) for name, d in self.variables)

    def _levels_stored(self, name, d):
        return 1 if self._vertical(name, d) == "column" else len(self.levels) if self.levels else self.levels_of[d.needs[0]]

    def extend(self, event):
        """Makes a time visible; of a file that has one writer, this is that writer's business (work)."""
        if self.shared:
            self.file.extend(event.time, event.seconds, (event.begin, event.end) if self.mean else None)

    def reopen(self):
        """As the file now is, after others have written to it; for the rank that makes times visible."""
        self.leave()
        self.file = output.append(self.simulation.directory / self.path)

    def leave(self):
        if self.file is not None:
            self.file.close()
        self.file = None

    def _windows(self, name, d, steps):
        """Values of each block of this rank, (levels, ny, nx)."""
        sums = [self._sum_name(f, d.surface) for f in d.needs] if self.mean else None
        with self._early(d, self.simulation.count == 0) as unknown:
            blocks = diagnostics.windows(self.simulation, d, self.places[name], sums, steps if self.mean else 1)
        return [np.full_like(block, np.nan) for block in blocks] if unknown else blocks

    @contextmanager
    def _early(self, d, start):
        """Before the first step: whether something is needed that only a step computes."""
        unknown = start and not all(self.known_at_start[need] for need in d.needs)
        with np.errstate(all="ignore" if unknown else None):
            yield unknown

    # ---- with servers ---------------------------------------------------------------------------------------------------------------

    def prepare_items(self, number, per_set, sets):
        """What travels to a set of servers, (field, levels, regions) in `items`; which of them each variable is made of."""
        self.number, self.per_set, self.set = number, per_set, -1 if self.shared else number % sets
        self.items, self.made_of = [], {}
        for name, d in self.variables:
            regions = self.regions[name]
            self.made_of[name] = []
            for field in d.needs:
                source = self._sum_name(field, d.surface) if self.mean else field
                levels = 1 if d.surface else self.levels_of[source]
                item = (source, levels, regions)
                if item not in self.items:
                    self.items.append(item)
                self.made_of[name].append(self.items.index(item))

    def announcement(self):
        """What the servers must hear of it."""
        return {name: getattr(self, name) for name in ("number", "per_set", "set", "count", "regions", "items", "made_of", "places", "known_at_start")}

    def hear(self, announcement):
        """On a server: all that computing ranks know of the stream, and its file."""
        self.__dict__.update(announcement)
        position = self.simulation.roles.server % self.per_set
        self.file = output.append(self.simulation.directory / self.path) if self.shared or (position == 0 and self.set == self.simulation.roles.server // self.per_set) else None

    def owner(self, n):
        """The server of a set that gets the n-th region of a variable."""
        return n % self.per_set if self.shared else 0

    def parcel(self, precision):
        """The stream as the core describes it."""
        items = [(levels, [(i0, j0, i1 - i0, j1 - j0, self.owner(n)) for n, (j0, j1, i0, i1) in enumerate(regions)]) for _, levels, regions in self.items]
        return precision, items, self.set, self.count

    def work(self, event, arrays, position):
        """On a server: what is to be done for an event, pieces that do not depend on each other. arrays: of each item, of each region that is this server's."""
        if not self.shared:
            yield from [partial(self._write_alone, event, arrays)] * (position == 0)
            return
        for name, d in self.variables:
            own = [region for n, region in enumerate(self.regions[name]) if self.owner(n) == position]
            for n, region in enumerate(own):
                yield partial(self._write_region, name, d, event, region, [arrays[item][n] for item in self.made_of[name]])

    def _write_alone(self, event, arrays):
        for name, d in self.variables:
            for n, region in enumerate(self.regions[name]):
                self._write_region(name, d, event, region, [arrays[item][n] for item in self.made_of[name]])
        self.file.extend(event.time, event.seconds, (event.begin, event.end) if self.mean else None)

    def _write_region(self, name, d, event, region, arrays):
        j0, j1, i0, i1 = region
        window = (j0, i0, j1 - j0, i1 - i0)
        with self._early(d, event.seconds == 0) as unknown:
            values = diagnostics.of_window(self.simulation.model, d, self.places[name]["horizontal"], window, arrays, event.steps)
        if unknown:
            values = np.full_like(values, np.nan)
        self._put(name, event.time, region, values[0] if self._vertical(name, d) == "column" else values)

    def write_restored(self, event, fields):
        """On the computing ranks: an event that a server did not write, from what it had been sent (fields, of each block)."""
        for name, d in self.variables:
            with self._early(d, event.seconds == 0) as unknown:
                blocks = [diagnostics.of_window(self.simulation.model, d, self.places[name]["horizontal"], window, arrays, event.steps)
                          for window, *arrays in zip(self.simulation.domain.blocks, *(fields[item] for item in self.made_of[name]))]  # fmt: skip
            self._write_blocks(name, d, event.time, [np.full_like(block, np.nan) for block in blocks] if unknown else blocks)
        self.simulation.comm.barrier()

    def close(self):
        if self.file is not None:
            self.file.close()
        self.simulation.comm.barrier()
