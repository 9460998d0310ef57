"""The sea around a region that has run before: a store of its output with temperature, salinity,
the flow, the height of the surface and further tracers in time (fathom/ocean/edges/outer.py).
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from fathom.base.failure import InputError
from fathom.base.home import at_home
from fathom.base.instants import TimeAxis
from fathom.data.input import variables
from fathom.model.component import Array
from fathom.model.outer import State
from fathom.ocean.edges.around import Around
from fathom.ocean.edges.given import ALONG_GRID, HEIGHT, TOWARDS
from fathom.ocean.edges.outer import OuterSea, Wanted, alias
from fathom.output import formats

places = (("longitude", "latitude"), ("x", "y"))


class StoredSea:
    """The records of a store, or of the store in the folder of a run that has all that is wanted;
    each is made by one rank.
    """

    collective = False
    remedy = "the run around must reach as far"

    def __init__(self, wanted: Wanted, path: str | Path) -> None:
        self.wanted, self.given = wanted, str(path)
        self.text = repr(self.given)
        self.path = self._store(at_home(path))
        self._data = variables.opened(str(self.path))
        self.spherical = places[0][0] in self._data.coords
        self._check_plane()
        self.depth = np.asarray(self._data["depth"].values, float)
        x, _ = self.coordinates("center")
        gap, step = np.abs((x[0, [-1, 1]] - x[0, 0] + 180) % 360 - 180)
        self.periodic = self.spherical and bool(gap < 1.5 * step)
        self.axis: TimeAxis = variables.axis_of(
            "temperature", self._array("temperature"), "time", self._data.variables
        )
        self._at: dict[str, Around] = {}

    def __str__(self) -> str:
        return f"{self.path}, {self.axis}"

    # ---- the file --------------------------------------------------------------------------------

    def _store(self, path: Path) -> Path:
        """Returns the store that is meant. InputError: there is none with all that is wanted."""
        if not path.exists():
            raise InputError(f"open_edges outer = {self.text}: there is no such file or folder")
        if path.suffix in formats.readable() or path.is_file():
            stores = [path]
        else:
            endings = {*formats.readable()} - {".fathom"}
            stores = sorted(one for one in path.iterdir() if one.suffix in endings)
        lacking = {}
        for store in stores:
            data = variables.opened(str(store))
            lacking[store.name] = self._lacking(data)
            if not lacking[store.name]:
                return store
        told = "; ".join(f"{name} lacks {', '.join(what)}" for name, what in lacking.items())
        raise InputError(
            f"open_edges outer = {self.text}: no store there has all that is beyond the edges in"
            f" time: {told or 'it has none'}"
        )

    def _lacking(self, data: Any) -> list[str]:
        """Returns what is not there."""
        if "time" not in data.dims:
            return ["times"]
        there = {*map(str, data.data_vars)}
        found = [n for n in (*self.wanted.fields,) if not alias(n) & there]
        if TOWARDS[0] in self.wanted.names and not any(
            all(alias(n) & there for n in pair) for pair in (TOWARDS, ALONG_GRID)
        ):
            found.append("eastward_velocity and northward_velocity")
        return found + [n for n in ("depth", "wet_levels") if n not in data.variables]

    def _array(self, field: str) -> Any:
        there = self._data.data_vars
        return there[next(str(name) for name in there if str(name) in alias(field))]

    def _check_plane(self) -> None:
        """Checks that both are on the earth, or both on a plane. InputError: they are not."""
        if self.spherical != bool(self.wanted.grid.horizontal.spherical):
            raise InputError(
                f"open_edges outer: {self.text} and {self.wanted.grid!r}: both on the earth, or"
                " both on a plane"
            )

    # ---- as Around asks for it -------------------------------------------------------------------

    def coordinates(self, where: str) -> tuple[Array, Array]:
        """Returns longitude and latitude [degrees], or x and y [m]."""
        end = "_corner" if where == "corner" else ""
        x, y = (
            np.asarray(self._data[name + end].values, float) for name in places[not self.spherical]
        )
        if x.ndim == 1:
            x, y = np.meshgrid(x, y)
        return x, y

    def levels(self, where: str) -> Array:
        """Returns how many layers have water; of a corner its four cells."""
        wet: Array = np.asarray(self._data["wet_levels"].values)
        if where == "center":
            return wet
        east = np.concatenate([wet[:, 1:], wet[:, :1] if self.periodic else 0 * wet[:, :1]], 1)
        both = np.minimum(wet, east)
        found: Array = np.minimum(both, np.concatenate([both[1:], 0 * both[:1]]))
        return found

    # ---- records ---------------------------------------------------------------------------------

    def check(self) -> None:
        """Raises InputError: it does not reach the edges."""
        self._at = self._at or self.wanted.at_edges(self)

    def state(self, number: int) -> State:
        """Returns a record beyond the edges: name -> (levels, points)."""
        self.check()
        return self.wanted.of(self._at, self._reader(number))

    def start(self, clock: Any) -> State:
        """Returns the start of the region, linear between two records: name -> (levels, ny,
        nx).
        """
        before, after, t0, t1 = self.axis.bracket(clock, 0.0)
        first = self.wanted.whole(self, self._reader(before))
        share = 0.0 if after == before else -t0 / (t1 - t0)
        if share == 0:
            return first
        later = self.wanted.whole(self, self._reader(after))
        return {name: v + share * (later[name] - v) for name, v in first.items()}

    def _reader(self, number: int) -> Any:
        """Returns the function that reads fields of a record at points."""

        def read(fields: Sequence[str], where: str, needed: Array) -> Sequence[Array]:
            there = {*map(str, self._data.data_vars)}
            if tuple(fields) == TOWARDS and not all(alias(name) & there for name in TOWARDS):
                self._check_straight()
                fields = ALONG_GRID
            found = []
            for name in fields:
                values = np.asarray(self._array(name).isel(time=number).values, float)
                levels = 1 if name == HEIGHT else self.depth.size
                found.append(np.nan_to_num(values.reshape(levels, -1)[:, needed]))
            return found

        return read

    def _check_straight(self) -> None:
        """Checks that the axes of its grid point to the east and the north. InputError: they do
        not, and the flow is along them.
        """
        x, y = self.coordinates("corner")
        if np.abs(np.diff(x, axis=0)).max() > 1e-6 or np.abs(np.diff(y, axis=1)).max() > 1e-6:
            raise InputError(
                f"open_edges outer = {self.text}: its grid is turned; store eastward_velocity and"
                " northward_velocity of the run around"
            )


def sea_around(wanted: Wanted, given: Any, every: str | float | None) -> OuterSea | StoredSea:
    """Returns the sea around that is given. InputError: it is none."""
    name = isinstance(given, str) and given.isidentifier() and not Path(given).exists()
    if name or hasattr(given, "sequence"):
        return OuterSea(wanted, given, every)
    if not isinstance(given, (str, Path)):
        raise InputError(
            f"open_edges outer = {given!r}: allowed are a store of the output of an Ocean, the"
            " folder of its run, a Simulation of an Ocean, its name in Programs, or its file"
        )
    if every is not None:
        raise InputError(
            f"open_edges outer_every = {every!r} is for a sea that runs at the same time; of a"
            " store every record is taken"
        )
    found = StoredSea(wanted, given)
    found.check()
    return found
