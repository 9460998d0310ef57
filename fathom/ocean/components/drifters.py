"""Stores of drifters: particles that go with the flow (core/ocean/drifters/drifters.hpp), their
tracks as a CF trajectory file.

The number of drifters is fixed before the run: `times` releases at all places. Root writes; the
header of a restart contains their data.
"""

from __future__ import annotations

import base64
from collections.abc import Iterable, Mapping
from pathlib import Path
from time import perf_counter
from typing import TYPE_CHECKING, Any, cast

import numpy as np

from fathom import names, output
from fathom.base import earth, mpi
from fathom.base.clock import Event, Period
from fathom.base.failure import InputError
from fathom.grids.arguments import integer, number_of
from fathom.grids.regrid import places as interpolation
from fathom.grids.water import WaterGrid
from fathom.model.component import Array
from fathom.ocean.region import share_of_columns
from fathom.output import diagnostics
from fathom.output.small_stores import SmallStore

if TYPE_CHECKING:
    from fathom.ocean.model import Ocean

keys = ("places", "region", "number", "depth", "repeat", "times", "constant_depth")


def _check_keys(path: str | Path, drifters: Mapping[str, Any]) -> None:
    """Raises InputError: unknown keys, or places as well as a region."""
    for key in drifters:
        if key not in keys:
            raise InputError(
                f"output {path}: unknown key of drifters"
                f" '{key}'{names.near(key, keys) or '; allowed: ' + ', '.join(keys)}"
            )
    if ("places" in drifters) == ("region" in drifters):
        raise InputError(
            f"output {path}: drifters need either places, [[longitude, latitude, depth], ...],"
            " or a region"
        )


def _check_values(path: str | Path, drifters: Mapping[str, Any]) -> None:
    """Raises InputError: values that are impossible."""
    if "number" in drifters and (integer("number", drifters["number"]) < 1 or "places" in drifters):
        raise InputError(
            f"output {path}: number = {drifters['number']} is how many drifters a region has, 1"
            " or more"
        )
    if not isinstance(drifters.get("constant_depth", False), bool):
        raise InputError(
            f"output {path}: constant_depth = {drifters['constant_depth']!r} must be true or false"
        )


class Drifters(SmallStore):
    """Tracks of drifters, and `variables` at centres of cells along them.

    drifters : a dictionary of
        places : [(longitude, latitude) or (longitude, latitude, depth), ...] in degrees and metres
            (metres alone on a plane); or
        region : as of a Dye; a drifter in the middle of each wet column there, or of `number` of
            them, evenly taken;
        depth : of those without a depth [m], default 0: they stay at the surface;
        repeat, times : an interval, "30d", after which as many are released again, and the number
                of releases;
        constant_depth : whether they stay in their depth (default False).
    """

    attributes = {"featureType": "trajectory"}
    least = 0

    def __init__(
        self,
        simulation: Any,
        path: str | Path,
        variables: Iterable[str],
        every: str,
        statistic: str | None,
        dtype: str,
        drifters: Any,
        **chosen: Any,
    ) -> None:
        for name, value in (
            chosen | ({} if statistic is None else {"statistic": statistic})
        ).items():
            raise InputError(
                f"output {path}: {name} = {value} is for fields; drifters have the"
                " values at their places"
            )
        if not hasattr(drifters, "items"):
            drifters = {"places": drifters}
        _check_keys(path, drifters)
        super().__init__(simulation, path, variables, every, None, dtype)
        _check_values(path, drifters)
        self.given, self.depth = dict(drifters), number_of("depth", drifters.get("depth", 0.0), "m")
        self.repeat, self.times = drifters.get("repeat"), integer("times", drifters.get("times", 1))
        if self.times < 1 or (self.times > 1) != (self.repeat is not None):
            raise InputError(
                f"output {path}: times = {self.times} releases, repeat = {self.repeat!r}: more than"
                ' one need a rhythm, as repeat = "30d", and a rhythm their number'
            )
        if self.repeat is not None:
            simulation.events.append(
                Event(
                    self.repeat,
                    lambda s: self.release(),
                    simulation.time_step,
                    f"release of {path}",
                )
            )
        self.flow: Any = None  # of the core, once the simulation is known
        self.released = 0
        self.due = 0.0  # [s] of the next release, once it has begun

    # ---- before the run --------------------------------------------------------------------------

    def processes(self, known: Mapping[str, Any], precision: int) -> list[Any]:
        """Returns the process that moves the drifters. InputError: they cannot have a variable."""
        model = cast("Ocean", self.simulation.model)
        self.variables = dict(diagnostics.find(name, model, known) for name in self.requested)
        for name, d in self.variables.items():
            if (
                d.of is not diagnostics.same
                or known[d.needs[0]]["horizontal"] != "center"
                or known[d.needs[0]]["vertical"] == "interface"
            ):
                raise InputError(
                    f"output {self.path}: drifters have fields at the centres of cells, as"
                    f" temperature, not of '{name}'"
                )
        self.keep = [
            d.needs[0] for d in self.variables.values() if f"{d.needs[0]}_after" not in known
        ]

        self.flow = mpi.core.Drifters(
            self.simulation.time_step, self.given.get("constant_depth", False), model.own_cells
        )
        process = self.flow.process().on(
            {"sea_surface_height": "height_beyond_cells"} if model.stretched else {}
        )
        process.phase, process.name = "output", f"Drift of {self.path}"
        return [process]

    def begin(self, kept: Mapping[str, Any] | None) -> None:
        """Begins from the state of the start, or of a restart, which may have kept drifters of this
        store.
        """

        s = self.simulation
        s.on_root(self._resolve)
        self.start = s.comm.bcast(getattr(self, "start", None))
        self.due = s.seconds
        if kept:
            if (kept["count"], kept["times"]) != (len(self.start), self.times):
                raise InputError(
                    f"output {self.path}: the restart has {kept['times']} releases of"
                    f" {kept['count']} drifters, not {self.times} of {len(self.start)}: give other"
                    " drifters another file"
                )
            self.released, self.due = kept["released"], kept["due"]
            self.flow.put(np.frombuffer(base64.b64decode(kept["drifters"])).reshape(-1, 6).copy())
        self.release()

    def release(self) -> None:
        """Releases the drifters that are due and not there yet."""
        s = self.simulation
        while self.released < self.times and self.due <= s.seconds + 1e-6:
            rows = self.start.copy()
            rows[:, 0] += self.released * len(rows)
            self.flow.put(rows)
            self.released += 1
            self.due = s.clock.after(self.due, Period(self.repeat)) if self.repeat else self.due

    def kept(self) -> dict[str, Any] | None:
        """Returns data that a restart needs, on root; all ranks call it."""
        rows = self._gathered(self.flow.own)
        return (
            None
            if rows is None
            else {
                "count": len(self.start),
                "times": self.times,
                "released": self.released,
                "due": self.due,
                "drifters": base64.b64encode(rows.tobytes()).decode(),
            }
        )

    def _gathered(self, rows: Array) -> Array | None:
        """Returns the drifters of all ranks, by number, on root."""
        parts = self.simulation.comm.gather(rows)
        if parts is None:
            return None
        rows = np.concatenate(parts)
        return rows[np.argsort(rows[:, 0], kind="stable")]

    # ---- places ----------------------------------------------------------------------------------

    def _resolve(self) -> None:
        """Finds the rows of number, i, j, a, b, level of one release."""
        grid = self.simulation.model.grid
        if "region" in self.given:
            j, i = np.nonzero(
                (share_of_columns(grid, self.given["region"], f"output {self.path}: region") >= 0.5)
                & (grid.depth() > self.depth)
            )
            if not len(j):
                raise InputError(
                    f"output {self.path}: no column of the region is deeper than {self.depth:g} m"
                )
            if "number" in self.given:
                chosen = np.unique(
                    np.linspace(0, len(j) - 1, self.given["number"]).round().astype(int)
                )
                j, i = j[chosen], i[chosen]
            a = b = np.full(len(j), 0.5)
            depth = np.full(len(j), self.depth)
        else:
            try:
                x, y, depth = np.array(
                    [
                        place if len(place) == 3 else [*place, self.depth]
                        for place in self.given["places"]
                    ],
                    float,
                ).T
            except (TypeError, ValueError):
                raise InputError(
                    f"output {self.path}: places = {self.given['places']!r} must be a list of"
                    " [longitude, latitude] or [longitude, latitude, depth]"
                ) from None
            i, j, a, b = _in_cells(grid, x, y, self.path)
        self.start = np.stack(
            [np.arange(len(j)), i, j, a, b, self._levels(grid, i, j, depth)], 1
        ).astype(float)

    def _levels(self, grid: WaterGrid, i: Array, j: Array, depth: Array) -> Array:
        """Returns layers with the part of them that lies above. InputError: no water is there."""
        wet, floor = np.asarray(grid.wet_levels)[j, i], grid.depth()[j, i]
        for n in np.flatnonzero((wet == 0) | ~((0 <= depth) & (depth < floor))):
            where = (
                "is on land"
                if wet[n] == 0
                else f"lies at {depth[n]:g} m, where the sea has {floor[n]:g} m"
            )
            raise InputError(
                f"output {self.path}: drifter {n + 1} at {grid.place(int(j[n]), int(i[n]))} {where}"
            )
        interfaces = np.concatenate([[0.0], np.cumsum(grid.levels.weights)])
        k = np.searchsorted(interfaces, depth, side="right") - 1
        part = (depth - interfaces[k]) / self._thickness(grid, i, j, k)
        return np.asarray(k + np.clip(part, 0, 1 - 1e-9))

    @staticmethod
    def _thickness(grid: WaterGrid, i: Array, j: Array, k: Array) -> Array:
        """Returns the thickness of cells [m]."""
        last = k + 1 == np.asarray(grid.wet_levels)[j, i]
        return np.where(last, grid.bottom_thickness()[j, i], np.asarray(grid.levels.weights)[k])

    def _where(self, rows: Array) -> tuple[Array, Array, Array]:
        """Returns longitude, latitude [degrees] or x, y [m], and depth [m] of rows."""
        grid = self.simulation.model.grid
        h, (i, j), (a, b, level) = grid.horizontal, rows[:, 1:3].astype(int).T, rows[:, 3:].T
        corners = [
            ((1 - a) * (1 - b), j, i),
            (a * (1 - b), j, i + 1),
            ((1 - a) * b, j + 1, i),
            (a * b, j + 1, i + 1),
        ]
        x, y = np.asarray(h.corner_longitude), np.asarray(h.corner_latitude)
        if h.spherical:
            x, y = earth.places(
                sum(w[:, None] * earth.unit_vectors(x[j, i], y[j, i]) for w, j, i in corners)
            )
        else:
            x, y = (sum(w * z[j, i] for w, j, i in corners) for z in (x, y))
        k = np.floor(level).astype(int)
        interfaces = np.concatenate([[0.0], np.cumsum(grid.levels.weights)])
        return x, y, interfaces[k] + (level - k) * self._thickness(grid, i, j, k)

    # ---- the file --------------------------------------------------------------------------------

    @property
    def _axes(self) -> tuple[str, str]:
        """Returns the names of both coordinates."""
        return (
            ("longitude", "latitude")
            if self.simulation.model.grid.horizontal.spherical
            else ("x", "y")
        )

    def _contents(self) -> tuple[dict[str, Any], list[Any], None]:
        """Returns coordinates and variables of the file."""
        units = {
            "longitude": "degrees_east",
            "latitude": "degrees_north",
            "x": "m",
            "y": "m",
            "depth": "m",
        }
        about = {
            name: (
                {"long_name": name, "units": units[name]}
                | (
                    {"standard_name": name}
                    if name not in "xy"
                    else {"standard_name": f"projection_{name}_coordinate"}
                )
            )
            for name in (*self._axes, "depth")
        }
        about["depth"]["positive"] = "down"
        specs = [
            output.VariableSpec(name, ("time", "trajectory"), "float64", about[name])
            for name in about
        ]
        for name in self.variables:
            found = output.variable(
                name, dtype=self.dtype, place=("center", "column"), units=self.places[name]["units"]
            )
            given = {
                key: value for key, value in found.attributes.items() if key != "cell_measures"
            } | {"coordinates": " ".join(("time", *about))}
            specs.append(output.VariableSpec(found.name, ("time", "trajectory"), self.dtype, given))
        numbers = np.arange(self.times * len(self.start), dtype=np.int32)
        return (
            {
                "trajectory": (
                    ("trajectory",),
                    numbers,
                    {"long_name": "drifter", "cf_role": "trajectory_id"},
                )
            },
            specs,
            None,
        )

    def open(self) -> None:
        """Opens the file."""
        self._find_places()
        super().open()

    def send(
        self,
        steps: int = 1,
        seconds: float | None = None,
        bounds: tuple[float, float] = (0.0, 0.0),
        last: bool = False,
    ) -> None:
        """Writes the places and the values there, on root."""
        s, began, own = self.simulation, perf_counter(), self.flow.own
        rows = self._gathered(
            np.concatenate(
                [own, *(self._along(d, own)[:, None] for d in self.variables.values())], 1
            )
        )

        def write() -> None:
            if rows is None:
                return
            found = dict(zip((*self._axes, "depth"), self._where(rows[:, :6]))) | {
                self._alias(name): rows[:, 6 + n] for n, name in enumerate(self.variables)
            }
            for name, values in found.items():
                whole = np.full(self.times * len(self.start), np.nan)
                whole[rows[:, 0].astype(int)] = values
                self._write(
                    name, whole.astype("float64" if name in (*self._axes, "depth") else self.dtype)
                )
            self.file.extend(self.count, s.seconds, None)

        s.on_root(write)
        self.count += 1
        self.stalls.append(perf_counter() - began)

    def write(self) -> None:
        """Releases what is due, and writes."""
        self.release()
        super().write()

    def _along(self, d: Any, rows: Array) -> Array:
        """Returns a field where the drifters of this rank are: of their cell."""
        s, (i, j), k = self.simulation, rows[:, 1:3].astype(int).T, rows[:, 5].astype(int)
        values = np.zeros(len(rows))
        for (j0, i0, ny, nx), block in zip(s.domain.blocks, s.fields.windows(d.needs[0])):
            here = np.flatnonzero((j >= j0) & (j < j0 + ny) & (i >= i0) & (i < i0 + nx))
            values[here] = block[np.minimum(k[here], len(block) - 1), j[here] - j0, i[here] - i0]
        return values

    def tracks(self) -> tuple[Array, Array, Array]:
        """Returns both coordinates (times, drifters), and times [days]; on root, of what has been
        written.
        """
        data = output.open(self.whole_path)
        seconds = np.array(
            [
                s / np.timedelta64(1, "s") if isinstance(s, np.timedelta64) else s.total_seconds()
                for s in data.time.values - data.time.values[0]
            ]
        )
        return *(data[name].values for name in self._axes), seconds / 86400


def _in_cells(
    grid: WaterGrid, x: Array, y: Array, path: str | Path
) -> tuple[Array, Array, Array, Array]:
    """Returns cells (i, j) of places and what part (a, b) of their width lies west and south of
    them.
    """
    h = grid.horizontal
    edges, rows = np.asarray(h.corner_longitude), np.asarray(h.corner_latitude)
    if not h.spherical:
        i, j = (
            np.searchsorted(axis, place, side="right") - 1
            for axis, place in ((edges[0], x), (rows[:, 0], y))
        )
        for n in np.flatnonzero((i < 0) | (i >= h.nx) | (j < 0) | (j >= h.ny)):
            raise InputError(
                f"output {path}: drifter {n + 1} at [{x[n]:g}, {y[n]:g}] m lies outside of the grid"
            )
        return (
            i,
            j,
            (x - edges[0, i]) / np.diff(edges[0])[i],
            (y - rows[j, 0]) / np.diff(rows[:, 0])[j],
        )
    cells = np.full((4, len(x)), np.nan)
    for columns in (
        slice(0, h.nx // 2 + 1),
        slice(h.nx // 2, None),
    ):  # one half after the other: on a seam corners have two names
        found = interpolation.from_quads(edges[:, columns], rows[:, columns], x, y, False)
        row, column = np.divmod(found.index, found.points)
        new = np.flatnonzero(
            np.isnan(cells[0]) & (np.ptp(row, axis=1) > 0) & (np.ptp(column, axis=1) > 0)
        )
        row, column, weight = row[new], column[new], found.weight[new].astype(float)
        j, i = row.min(1), column.min(1)
        eastern, northern = (
            np.clip((weight * there).sum(1) / weight.sum(1), 0, 1 - 1e-9)
            for there in (column != i[:, None], row != j[:, None])
        )
        cells[:, new] = columns.start + i, j, eastern, northern
    for n in np.flatnonzero(np.isnan(cells[0])):
        raise InputError(
            f"output {path}: drifter {n + 1} at [{x[n]:g}, {y[n]:g}] lies outside of the grid"
        )
    return *cells[:2].astype(int), *cells[2:]
