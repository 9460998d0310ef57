"""Streams: fields of a running model into a store on their rhythm. Each chunk of the store has one owner, which collects it from the
blocks through a plan; chunks are fixed by the grid, so the bytes do not depend on ranks."""

from pathlib import Path

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
        output.writer(path)  # an unknown ending is an error now
        self.keep, self.sums, self.last, self.file = [], [], 0, None

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

        s._on_root(create)
        if self.file is None:
            self.file = output.append(path) if output.writer(path).collective else None
        self.count = s.comm.bcast(len(self.file.times) if s.is_root else None)
        regions = s.comm.bcast({name: list(self.file.regions(self._alias(name))) for name, _ in self.variables} if s.is_root else None)
        ranks = s.comm.size if output.writer(self.path).collective else 1
        gathers = {}  # variables of the same chunks share a plan
        self.gathers = {name: gathers.get(tuple(r)) or gathers.setdefault(tuple(r), Gather(s.comm, s.domain, r, [n % ranks for n in range(len(r))])) for name, r in regions.items()}
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
        """One time of all variables."""
        s = self.simulation
        steps = s.count - self.last
        for name, d in self.variables:
            windows = self._windows(name, d, steps)
            for region, values in self.gathers[name](windows):
                self.file.write(self._alias(name), self.count, region, s.model.grid.regular(values, region[0]).astype(self.dtype, copy=False))
        s.comm.barrier()
        bounds = (self.last * s.step, s.seconds) if self.mean else None
        s._on_root(lambda: self.file.extend(self.count, s.seconds if not self.mean else sum(bounds) / 2, bounds))
        if self.mean:
            for field, surface in sorted({(f, d.surface) for _, d in self.variables for f in d.needs}):
                s.sequence.zero(self._sum_name(field, surface))
        self.count += 1
        self.last = s.count

    def _windows(self, name, d, steps):
        """Values of each block of this rank, (levels, ny, nx) or (ny, nx)."""
        sums = [self._sum_name(f, d.surface) for f in d.needs] if self.mean else None
        early = self.simulation.count == 0 and not all(self.known_at_start[need] for need in d.needs)
        with np.errstate(all="ignore" if early else None):
            blocks = diagnostics.windows(self.simulation, d, self.places[name], sums, steps if self.mean else 1)
        if early:
            blocks = [np.full_like(block, np.nan) for block in blocks]
        return [block[0] for block in blocks] if self._vertical(name, d) == "column" else blocks

    def close(self):
        if self.file is not None:
            self.file.close()
        self.simulation.comm.barrier()
