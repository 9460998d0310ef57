"""Passive tracers: they are carried like temperature and change nothing else. A tracer is a
declaration, like a scheme: its name, its sources, and the fields and tables in time that these
need; advection, mixing, budgets, output and restarts follow.
"""

import re

import numpy as np

from fathom.base.configurable import Configurable
from fathom.base.failure import InputError
from fathom.grids.arguments import number_of
from fathom.model.schemes import scheme
from fathom.ocean.region import share_of_columns, share_of_layers


class PassiveTracer(Configurable):
    """A tracer without sources: only its initial state is carried.

    Parameters
    ----------
    name : str, small letters, digits and underscores; its name in fields, `set` and output.
    units : str.
    """

    def __init__(self, name="passive_tracer", units="1") -> None:
        if not re.fullmatch(r"[a-z][a-z0-9_]*", str(name)):
            raise InputError(
                f"the name of a tracer, {name!r}, must be of small letters, digits and underscores,"
                " as in 'gulf_stream'"
            )
        self.name, self.units = name, units

    def __repr__(self):
        return f"{type(self).__name__}({self.name!r})"

    def sources(self):
        """Schemes that add to its tendency."""
        return []

    def fluxes(self, surface):
        """(scheme, names of its fields) that make its flux through the surface, {name}_surface_flux
        [units m s-1].
        """
        return []

    def holding(self):
        """The scheme that holds it at a value after its update; None: none."""

    def at_start(self, grid, clock):
        """Its initial value where the user sets nothing, as for `set`; None: 0."""

    def fields(self, grid):
        """Fields that never change, name -> (ny, nx)."""
        return {}

    def tables(self, grid, clock):
        """Profiles that follow a table: name -> (times [s], rows, whether it is interpolated
        between them).
        """
        return {}


class IdealAge(PassiveTracer):
    """Time since water was at the surface [s] (England 1995, J. Phys. Oceanogr. 25): grows by a
    second a second, and is set to 0 in the top layer.
    """

    def __init__(self, name="ideal_age") -> None:
        super().__init__(name, "s")

    def sources(self):
        return [scheme("Ageing")]


class Dye(PassiveTracer):
    """A dye of a region, kept there at a value, released there at a rate, or there at the start.

    Parameters
    ----------
    name : as of a PassiveTracer.
    region : None: everywhere; a box ((west, east), (south, north)), a polygon [(longitude,
        latitude), ...] in degrees (metres on a plane), a map (ny, nx) or a
        function of these coordinates, 1 inside and 0 outside.
    depth : (top, bottom) [m]; None: the top layer.
    kept : value that it has there after each step, in columns and layers of which half or more
        are inside.
    released : rate [s-1] of its growth there. The total is this rate times the volume times the
        time.
    initial : value there at the start; elsewhere 0.
    start, end : dates between which it is kept or released, as "2001-01-01"; None: always.
    `kept` and `released` exclude each other. Without `kept`, `released` and `initial` it is kept
    at 1.
    """

    def __init__(
        self,
        name="dye",
        region=None,
        *,
        depth=None,
        kept=None,
        released=None,
        initial=None,
        start=None,
        end=None,
        units="1",
    ) -> None:
        super().__init__(name, units)
        given = {
            key: value if value is None else number_of(f"{name}: {key}", value, "units of the dye")
            for key, value in (("kept", kept), ("released", released), ("initial", initial))
        }
        if kept is not None and released is not None:
            raise InputError(
                f"the dye '{name}' is both kept at {kept} and released at {released} a second; give"
                " one of them, and another dye the other"
            )
        self.region, self.depth, self.start, self.end = region, depth, start, end
        self.kept = 1.0 if all(value is None for value in given.values()) else given["kept"]
        self.released, self.initial = given["released"], given["initial"]

    def sources(self):
        return [] if self.released is None else [scheme("Release", rate=self.released)]

    def holding(self):
        return None if self.kept is None else scheme("Keep", value=self.kept)

    def at_start(self, grid, clock):
        value, layers = self.initial, self._layers(grid)
        if value is None:  # the fixed value, if it is fixed now
            times, rows, _ = self.tables(grid, clock)[f"{self.name}_layers"]
            value, layers = (
                self.kept,
                next(row for time, row in zip(times[::-1], rows[::-1]) if time <= 0),
            )
        if value is None:
            return None
        columns, layers = self._columns(grid), dict(zip(grid.levels.middles, layers))
        return lambda x, y, depth: value * layers[depth] * columns

    def fields(self, grid):
        columns = self._columns(grid)
        if not (np.asarray(grid.wet_levels)[columns > 0] > np.argmax(self._layers(grid) > 0)).any():
            raise InputError(
                f"{self.name}: depth = {self.depth!r} lies below the sea floor everywhere in its"
                " region"
            )
        return {f"{self.name}_region": columns}

    def tables(self, grid, clock):
        there = self._layers(grid).tolist()
        nothing, rows = [0.0] * len(there), {-np.inf: there}
        if self.start is not None:
            rows = {-np.inf: nothing, self._seconds(clock, "start"): there}
        if self.end is not None:
            end = self._seconds(clock, "end")
            if end <= max(rows):
                raise InputError(
                    f"{self.name}: start = {self.start!r} must be before end = {self.end!r}"
                )
            rows[end] = nothing
        return {f"{self.name}_layers": (list(rows), list(rows.values()), False)}

    def _seconds(self, clock, what):
        return clock.seconds(clock.date_of(getattr(self, what), f"{self.name}: {what}"))

    def _columns(self, grid):
        return self._shares(share_of_columns(grid, self.region, f"{self.name}: region"), "region")

    def _layers(self, grid):
        return self._shares(share_of_layers(grid, self.depth, f"{self.name}: depth"), "depth")

    def _shares(self, share, what):
        """Parts of cells in the region; whole ones where it is kept at a value."""
        if self.kept is not None and not (share >= 0.5).any():
            raise InputError(
                f"{self.name}: {what} = {getattr(self, what)!r}: no cell is at least half inside"
            )
        return share if self.kept is None else np.where(share >= 0.5, 1.0, 0.0)
