"""The state of a simulation into a restart file and back, on any ranks."""

import warnings

import numpy as np

from fathom.output import restart


def fingerprint(simulation):
    """What the grid of a restart must agree in."""
    return restart.fingerprint(**simulation.model.grid.identity)


def read(simulation, path):
    """Fields, steps and series from a restart file of the same grid. ValueError where it does not fit, a warning where it was written with other numerics."""
    s, state = simulation, simulation.sequence.state
    sums = {name for stream in s.outputs for name in stream.sums}  # of means: another run's restart need not have them
    with restart.read(path, grid=fingerprint(s), fields=[name for name in state if name not in sums]) as file:
        s.count = file.header.steps
        if abs(file.header.seconds - s.seconds) > 1e-6:
            raise ValueError(f"{path} was written with a step of {file.header.seconds / file.header.steps:g} s; this run has {s.step:g} s")
        s.restored = set(state) & set(file.names)
        for name in s.restored:
            s.sequence.set(name, np.ascontiguousarray(file[name], float))
        s.series = {k: tuple(v) for k, v in file.header.extra.get("series", {}).items()}
        before, now = file.header.extra.get("numerics"), getattr(s.model, "numerics", {})
    if before is not None and before != now and s.is_root:
        other = [f"{name} = {value!r}, then {before.get(name)!r}" for name, value in now.items() if value != before.get(name)]
        warnings.warn(f"{path} was written by a run with other numerics: {'; '.join(other)}")
    s.sequence.count = s.count


def latest(directory):
    """The whole restart of a run directory that has got furthest, or None; damaged ones, and states of runs that failed, do not count."""
    found = []
    for path in sorted(directory.glob("*.fathom")):
        if path.name == "last-state.fathom":
            continue
        try:
            with restart.read(path) as file:
                found.append((file.header.seconds, path))
        except ValueError as error:
            warnings.warn(str(error))
    return max(found, default=(0.0, None))[1]


def write(simulation, path):
    """The whole state in one file; all ranks call it."""
    s = simulation
    if s.servers is not None:
        s.servers.drain()
    fields = s.gathered(s.sequence.state)
    if s.is_root:
        s.directory.mkdir(parents=True, exist_ok=True)
        header = restart.Header(s.seconds, str(s.clock.start), s.clock.calendar, s.count, {8: "float64", 4: "float32"}[s.sequence_bytes], fingerprint(s),
                                {"series": s.series, "numerics": getattr(s.model, "numerics", {})})  # fmt: skip
        s.on_root(lambda: restart.write(path, fields, header))
    else:
        for _ in fields:
            pass
        s.on_root(None)
