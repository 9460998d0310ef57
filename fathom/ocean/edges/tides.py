"""Tides that come in through open edges: BoundaryTides, and their part of a step
(core/ocean/open_edges/open_edges.hpp, docs/regional.md).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from fathom.base.clock import Clock
from fathom.base.configurable import Configurable
from fathom.base.failure import InputError
from fathom.base.near import unknown
from fathom.data.input.values import on_columns
from fathom.grids.arguments import yes_or_no
from fathom.grids.water import WaterGrid
from fathom.model.component import Array, Wave
from fathom.model.order import Order
from fathom.ocean.constituents import known, profiles
from fathom.ocean.edges.sides import Cuts, OpenEdge
from fathom.ocean.edges.tide_files import EAST, HEIGHT, NORTH, Map, maps

ALONG = ("velocity_x", "velocity_y")
Lag = Sequence[float | Array | Callable[..., Array]]  # amplitude, and phase in Greenwich [degrees]


class BoundaryTides(Configurable):
    """The tides beyond open edges, by constituents.

    Parameters
    ----------
    data : file, folder, pattern or list of files of constituents (FES, TPXO, GOT, EOT, or Fathom's
        own harmonic analysis), which say what they have.
    constituents : those that are used; default: all that are given and known.
    sea_surface_height : constituent -> (amplitude [m], phase lag in Greenwich [degrees]), each a
        number, an array (ny, nx) or a function of (longitude, latitude), of (x, y) on a plane.
    velocity_x, velocity_y : the same of the mean over the column along the axes of the grid
        [m s-1]; or eastward_velocity, northward_velocity.
    nodal : whether amplitudes and phases follow the nodes of the moon's path in 18.6 years.
    """

    mappings = ("sea_surface_height", *ALONG, EAST, NORTH)

    def __init__(
        self,
        data: Any = None,
        *,
        constituents: str | Sequence[str] | None = None,
        sea_surface_height: Mapping[str, Lag] | None = None,
        velocity_x: Mapping[str, Lag] | None = None,
        velocity_y: Mapping[str, Lag] | None = None,
        eastward_velocity: Mapping[str, Lag] | None = None,
        northward_velocity: Mapping[str, Lag] | None = None,
        nodal: bool = True,
    ) -> None:
        own = {
            HEIGHT: sea_surface_height,
            "velocity_x": velocity_x,
            "velocity_y": velocity_y,
            EAST: eastward_velocity,
            NORTH: northward_velocity,
        }
        self.own = {name: _waves(name, given) for name, given in own.items() if given is not None}
        if data is None and not self.own:
            raise InputError("BoundaryTides: neither data nor sea_surface_height is given")
        if {EAST, NORTH} & {*self.own} and {*ALONG} & {*self.own}:
            raise InputError(
                f"BoundaryTides: {EAST} and {NORTH} are given instead of {' and '.join(ALONG)}, not"
                " with them"
            )
        self.data = data
        self.wanted = None if constituents is None else known(constituents, "BoundaryTides")
        self.nodal = yes_or_no("BoundaryTides nodal", nodal)

    def __repr__(self) -> str:
        return f"BoundaryTides({self.data!r})" if self.data is not None else "BoundaryTides()"


def _waves(name: str, given: Mapping[str, Any]) -> dict[str, Any]:
    """Returns (amplitude, phase) by constituent. InputError: it is something else."""
    if not isinstance(given, Mapping):
        raise InputError(
            f"BoundaryTides {name} = {given!r}: wanted are constituents with amplitude and phase,"
            " as {'M2': (1.2, 45)}"
        )
    names = known(given, f"BoundaryTides {name}")
    for one, lag in zip(names, given.values()):
        if isinstance(lag, str) or not hasattr(lag, "__len__") or len(lag) != 2:
            raise InputError(
                f"BoundaryTides {name} of {one} = {lag!r}: wanted are amplitude and phase [degrees]"
            )
    return dict(zip(names, given.values()))


def boundary_tides(given: Any) -> BoundaryTides | None:
    """Returns the tides that a user gives. InputError: they are none."""
    if given is None or isinstance(given, BoundaryTides):
        return given
    if isinstance(given, (str, Path, list, tuple)):
        return BoundaryTides(given)
    raise InputError(f"OpenEdges tides = {given!r}: wanted are BoundaryTides, or files")


class TidesAtEdges:
    """The waves of the tides in the fields and profiles that a step reads.

    grid : with its edges cut, where: `cuts`.  tides : of the user.
    """

    def __init__(self, grid: WaterGrid, cuts: Cuts, tides: BoundaryTides) -> None:
        self.grid, self.cuts, self.tides = grid, cuts, tides
        self.files = [] if tides.data is None else maps(tides.data)
        if self.files and not grid.horizontal.spherical:
            raise InputError(f"{tides!r} has latitude and longitude; the grid is a plane")
        there = dict.fromkeys(
            [*(n for own in tides.own.values() for n in own), *(m.constituent for m in self.files)]
        )
        self.constituents = tides.wanted or list(there)
        if not there:
            raise InputError(f"{tides!r} has none of the constituents that are known")
        for name in self.constituents:
            if name not in there:
                raise InputError(unknown(f"constituent of {tides!r}", name, there))

    def check(self, edges: Iterable[OpenEdge]) -> None:
        """Raises InputError: waves of the surface leave through edges whose flow is not given."""
        moving = {*self.tides.own, *(m.quantity for m in self.files)} - {HEIGHT}
        for edge in edges:
            if edge.flow != "clamped" and not moving:
                raise InputError(
                    f"{self.tides!r} has heights alone: give velocities, too, or"
                    f" OpenEdge({edge.side!r}, flow='clamped')"
                )
        self.fields  # noqa: B018  an error of a file comes now

    @cached_property
    def fields(self) -> dict[str, Array]:
        """Returns cosine and sine part of height [m] and outward flow [m3 s-1] of each wave, (ny,
        nx). InputError: a file does not reach the edges.
        """
        found: dict[str, Array] = {}
        for name in self.constituents:
            for what, wave in zip(("height", "flow"), self._waves(name)):
                found[f"tidal_{what}_{name}_cosine"] = wave.real.copy()
                found[f"tidal_{what}_{name}_sine"] = -wave.imag
        return found

    def _waves(self, name: str) -> tuple[Array, Array]:
        """Returns A exp(-i g) of height and outward flow of a constituent, (ny, nx)."""
        depth, there = self.cuts.depth, self.cuts.cells > 0
        wave = {q: self._of(q, name) for q in (HEIGHT, *ALONG, EAST, NORTH)}
        angle = np.asarray(self.grid.horizontal.angle_center, float)
        east, north = wave[EAST], wave[NORTH]
        u = wave["velocity_x"] + east * np.cos(angle) + north * np.sin(angle)
        v = wave["velocity_y"] + north * np.cos(angle) - east * np.sin(angle)
        flow = (self.cuts.length_x * u + self.cuts.length_y * v) * depth
        return np.where(there, wave[HEIGHT], 0), np.where(there, flow, 0)

    def _of(self, quantity: str, name: str) -> Array:
        """Returns A exp(-i g) of a quantity, of velocities [m s-1], (ny, nx); 0 where it is not
        given.
        """
        lag = self.tides.own.get(quantity, {}).get(name)
        if lag is not None:
            amplitude, phase = (
                on_columns(self.grid, part, name=f"{quantity} of {name}") for part in lag
            )
            return np.asarray(amplitude * np.exp(-1j * np.radians(phase)))
        found = np.zeros(np.shape(self.grid.wet_levels), complex)
        for one in self._maps(quantity, name):
            there = self.cuts.cells > 0
            longitude, latitude = (np.asarray(x)[there] for x in self.grid.coordinates())
            values = one.at(latitude, longitude)
            found[there] = values / self.cuts.depth[there] if one.transport else values
        return found

    def _maps(self, quantity: str, name: str) -> Iterator[Map]:
        return (m for m in self.files if (m.quantity, m.constituent) == (quantity, name))

    def waves(self, clock: Clock) -> dict[str, Wave]:
        """Returns the profiles of the waves."""
        found: dict[str, Wave] = {}
        for name in self.constituents:
            cosine, sine = profiles(name, clock, self.tides.nodal)
            found |= {f"tide_{name}_cosine": cosine, f"tide_{name}_sine": sine}
        return found

    def add(self, do: Order) -> None:
        """Adds the processes that put the tides on top of what is given without them."""
        do("EdgeWithoutTide")
        for name in self.constituents:
            on = {
                f"tidal_{what}_{part}": f"tidal_{what}_{name}_{part}"
                for what in ("height", "flow")
                for part in ("cosine", "sine")
            }
            on |= {f"tide_{part}": f"tide_{name}_{part}" for part in ("cosine", "sine")}
            do("EdgeTide", on=on, label=f"EdgeTide of {name}")
