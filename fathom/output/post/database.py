"""A data base on latitudes and longitudes from a store, without the model, on any ranks (Fullpos:
BDAP).

Each time is cut into bands of the target's rows. A band is a task: its rows of the source are read,
interpolated to pressure levels column by column (`pressure_levels.Column`), then to the points of
the target (`fathom.grids.regrid.places`), and written as a separate chunk. Ranks take tasks in turn
and exchange nothing, so the bits do not depend on ranks.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from time import process_time
from typing import TYPE_CHECKING, Any

import numpy as np

from fathom import names, output
from fathom.base import mpi
from fathom.base.failure import InputError
from fathom.grids.regrid import chosen, places, targets
from fathom.output.post.pressure_levels import to_pressure_levels

if TYPE_CHECKING:
    from fathom.output.formats.writer import Writer

BANDS = 4  # of a time
parts = ("reading", "columns", "points", "writing")


@dataclass
class Source:
    """A store of fields in time, on rows of latitude or on other points. ValueError: fields that
    levels of pressure need are missing.
    """

    data: Any  # xarray.Dataset
    pressures: chosen.ChosenLevels | None
    known: dict[str, str] = field(default_factory=dict)  # its variables: alias -> name

    def __post_init__(self) -> None:
        by_alias = {entry.alias: name for name, entry in names.fields.items()}
        self.known = {
            alias: by_alias.get(alias, alias)
            for alias, held in self.data.data_vars.items()
            if held.dims[:1] == ("time",) and held.ndim > 2
        }
        self._check_places()
        layers = [alias for alias in self.known if self.data[alias].dims[1] == "level"]
        if self.pressures is not None:
            there = set(self.known.values())
            needs = {"surface_air_pressure", "surface_geopotential"} - there
            if not there & {"air_temperature", "virtual_temperature"}:
                needs.add("air_temperature")
            if needs:
                raise InputError(
                    f"levels of pressure also need {', '.join(sorted(needs))}; the store has"
                    f" {', '.join(sorted(there))}"
                )
        self.layers = layers if self.pressures is not None else []

    def _check_places(self) -> None:
        """Raises InputError: a plane, or layers that are not of pressure."""
        if not {"longitude", "latitude"} <= set(self.data.variables):
            raise InputError("the store is of a plane: it has no longitude and latitude")
        layers = {alias: self.data[alias].dims[1] for alias in self.known}
        other = [
            f"{alias} on {dim}"
            for alias, dim in layers.items()
            if self.data[alias].ndim == 4 and dim not in ("level", "pressure")
        ]
        if other:
            raise InputError(
                f"{', '.join(other)}: only levels of the air are brought to a grid afterwards; in a"
                " run, latlon_resolution = 1 of an output does it"
            )

    def interpolation(self, target: targets.Target) -> places.Interpolation:
        """Returns the weights of its points for the places of a target."""
        longitude, latitude = (self.data[name].values for name in ("longitude", "latitude"))
        return places.from_coordinates(longitude, latitude, *target.places())

    def rows(self, time: int, first: int, end: int) -> dict[str, np.ndarray]:
        """Returns all fields there, (levels, rows, points)."""
        held = {
            alias: self.data[alias][time].isel({self.data[alias].dims[-2]: slice(first, end)})
            for alias in self.known
        }
        return {
            alias: values.values.reshape(-1, *values.shape[-2:]) for alias, values in held.items()
        }

    def on_levels(self, rows: dict[str, np.ndarray]) -> dict[str, np.ndarray]:
        """Returns fields of layers at the chosen pressures, height and what is one a column."""
        if self.pressures is None:
            return rows
        fields = {self.known[alias]: np.asarray(values) for alias, values in rows.items()}
        given = {name: values for name, values in fields.items() if len(values) > 1}
        given["log_surface_pressure"] = np.log(fields["surface_air_pressure"][0])
        given["surface_geopotential"] = fields["surface_geopotential"][0]
        edges = [self.data[f"{part}_bounds"].values for part in ("ap", "b")]
        levels = tuple(np.append(pair[:, 0], pair[-1, 1]) for pair in edges)
        found = to_pressure_levels(given, levels, self.pressures.values)
        return {alias: found[self.known[alias]] for alias in self.layers} | {
            "zg": found["geopotential_height"],
            **{alias: values for alias, values in rows.items() if alias not in self.layers},
        }

    def variables(self, mapping: dict[str, Any]) -> list[output.VariableSpec]:
        """Returns variables as they are stored."""
        made = dict(self.known)
        if self.pressures is not None:
            made["zg"] = "geopotential_height"
        result = []
        for alias, name in made.items():
            several = alias == "zg" or self.data[alias].ndim == 4
            place = ("center", "layer" if several else "column")
            units = "" if alias == "zg" else self.data[alias].attrs.get("units", "")
            result.append(output.variable(name, mapping, place=place, units=units))
        return result


def make(
    store: str | Path,
    out: str | Path,
    step: float = 1.0,
    levels: Sequence[float] | None = None,
    overwrite: bool = False,
    comm: mpi.MPI.Comm | None = None,
) -> dict[str, Any]:
    """Returns the fields of `store` on cells of `step` degrees, at `levels` [hPa] where they are
    given, in `out` (.zarr). All ranks of `comm` call it; returns processor seconds by rank and
    part. ValueError, FileNotFoundError, FileExistsError, in words.
    """
    comm = comm or mpi.world
    if Path(out).suffix != ".zarr":
        raise InputError(f"{out}: ranks write a data base together; allowed: a .zarr")
    data, target = output.open(store), targets.regular(step)
    pressures = None if levels is None else chosen.chosen(levels, (chosen.pressure,))
    source = Source(data, pressures)
    stored = _create(comm, source, out, target, overwrite)
    writer = output.append(out)
    around, seconds = source.interpolation(target), dict.fromkeys(parts, 0.0)
    regions = {name: list(writer.regions(name)) for name in stored}
    for time, band in _tasks(data.sizes["time"], len(next(iter(regions.values()))), comm):
        own = {name: held[band] for name, held in regions.items()}
        _bring(source, writer, around, target, time, own, seconds)
    writer.close()
    comm.barrier()  # all have written their bands
    if comm.rank == 0:
        _extend(data, out)
    comm.barrier()  # its times are there for all
    return {"parts": comm.allgather(seconds), "times": data.sizes["time"], "ranks": comm.size}


def _tasks(times: int, bands: int, comm: mpi.MPI.Comm) -> Iterator[tuple[int, int]]:
    for task in range(comm.rank, times * bands, comm.size):
        yield divmod(task, bands)


def _create(
    comm: mpi.MPI.Comm, source: Source, out: str | Path, target: targets.Target, overwrite: bool
) -> list[str]:
    """Returns the empty store on root, and the names in it; an error is one of all ranks."""
    error: Exception | None = None
    stored: list[str] = []
    if comm.rank == 0:
        mapping = dict(target.mapping)
        if source.pressures is not None:
            mapping |= source.pressures.mapping
        elif "pressure" in source.data.dims:
            there = list(map(float, source.data["pressure"].values))
            mapping |= chosen.chosen(there, (chosen.pressure,)).mapping
        elif "level" in source.data.dims:
            edges = {name: source.data[f"{name}_bounds"].values for name in ("ap", "b")}
            for name, pair in edges.items():
                mapping[f"hybrid_{name[0]}"] = np.append(pair[:, 0], pair[-1, 1])
        variables = source.variables(mapping)
        stored = [held.name for held in variables]
        start, calendar = _start(source.data)
        try:
            output.create(
                out,
                output.coordinates(mapping, variables),
                variables,
                {"latitude": -(-target.shape[0] // BANDS)},
                time=output.TimeAxis(start, calendar),
                attributes={"title": f"{source.data.attrs.get('title', '')}, brought to a grid"},
                overwrite=overwrite,
            ).close()
        except (OSError, ValueError) as failure:
            error = failure
    error, stored = comm.bcast((error, stored))
    if error is not None:
        raise error
    return stored


def _start(data: Any) -> tuple[str, str]:
    encoding = data.time.encoding
    return encoding["units"].split("since ")[1], encoding.get("calendar", "standard")


def _bring(
    source: Source,
    writer: Writer,
    around: places.Interpolation,
    target: targets.Target,
    time: int,
    own: Mapping[str, output.Region],
    seconds: dict[str, float],
) -> None:
    """Brings one band of one time; `own`: its region of each variable."""
    clock = _Clock(seconds)
    j0, j1, _, _ = next(iter(own.values()))
    here = slice(j0 * target.shape[1], j1 * target.shape[1])
    first, end = around.rows(here)
    rows = source.rows(time, first, end)
    clock.ends("reading")
    fields = source.on_levels(rows)
    clock.ends("columns")
    brought = {
        alias: around(np.asarray(values, float), first, here).reshape(len(values), j1 - j0, -1)
        for alias, values in fields.items()
    }
    clock.ends("points")
    for alias, values in brought.items():
        several = len(writer.variables[alias].dims) == 4
        writer.write(alias, time, own[alias], (values if several else values[0]).astype(np.float32))
    clock.ends("writing")


def _extend(data: Any, out: str | Path) -> None:
    """Makes all times visible."""
    from xarray.conventions import encode_cf_variable

    writer = output.append(out)
    for n, seconds in enumerate(np.atleast_1d(encode_cf_variable(data.time.variable).values)):
        writer.extend(n, float(seconds))
    writer.close()


class _Clock:
    """Adds processor time to parts."""

    def __init__(self, seconds: dict[str, float]) -> None:
        self.seconds, self.before = seconds, process_time()

    def ends(self, part: str) -> None:
        now = process_time()
        self.seconds[part] += now - self.before
        self.before = now
