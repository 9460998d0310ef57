"""Checks of the arguments of grids: ValueErrors that say what was given, what is allowed and what
is near.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np

from fathom.base import machine, mpi
from fathom.base.failure import InputError, RoomError
from fathom.base.near import near

if TYPE_CHECKING:
    from fathom.grids.grid import Grid

Given = TypeVar("Given")

fastest = 1e-2  # f [s-1]
planes = 30  # of 8 bytes: in memory at the same time while a grid is made
start_bytes = 180  # of a cell, while the state of a forecast is made: measured, 307 200 columns


def core() -> Any:
    """Returns the compiled core, which is loaded when it is first used."""
    return mpi.core


def choice(name: str, given: Given, allowed: Collection[Any]) -> Given:
    """Returns a given value. InputError: it is not one of those that are allowed."""
    if np.ndim(given) or given not in allowed:  # type: ignore[arg-type]
        raise InputError(
            f"{name} = {given!r}{near(str(given), allowed) or ';'} allowed:"
            f" {', '.join(map(repr, allowed))}"
        )
    return given


def integer(name: str, given: Any, most: int = 2**31 - 1) -> int:
    """Returns a given whole number. InputError: it is none, or more than `most`."""
    if isinstance(given, bool) or not isinstance(given, (int, np.integer)):
        raise InputError(f"{name} = {given!r} must be a whole number")
    if abs(int(given)) > most:
        raise InputError(f"{name} = {given!r} must be a whole number of at most {most}")
    return int(given)


def room_for(nx: Any, ny: Any) -> tuple[int, int]:
    """Returns (nx, ny), whole numbers. RoomError: this machine has no memory for such planes."""
    nx, ny = integer("nx", nx), integer("ny", ny)
    needed, free = 8 * planes * abs(nx * ny), machine.free_memory()
    if needed > free:
        raise RoomError(
            f"nx = {nx}, ny = {ny}: the geometry of {nx * ny:,} columns needs some"
            f" {needed / 1e9:.3g} GB; {free / 1e9:.3g} GB are left on this machine"
        )
    return nx, ny


def room_for_start(grid: Grid) -> None:
    """Raises RoomError: the state that a forecast starts from, which each machine has whole while
    it is made, needs more memory than is left. The fields of the model come on top of it.
    """
    needed, free = start_bytes * grid.wet_cells, machine.free_memory()
    if needed > free:
        raise RoomError(
            f"{grid!r} has {grid.wet_cells:,} cells: its start needs some {needed / 1e9:.3g} GB,"
            f" the fields of the model more; {free / 1e9:.3g} GB are left on this machine"
        )


def number_of(name: str, given: Any, units: str) -> float:
    """Returns a given number in these units. InputError: it is none, or not finite."""
    try:
        value = np.nan if isinstance(given, (bool, str)) else float(given)
    except (TypeError, ValueError):
        value = np.nan
    if not np.isfinite(value):
        raise InputError(f"{name} = {given!r} must be a number [{units}]")
    return value


def within(name: str, given: Any, units: str, least: float, most: float) -> float:
    """Returns a given number above `least` and below `most`. InputError: it is not there."""
    value = number_of(name, given, units)
    if not least < value < most:
        raise InputError(f"{name} = {given!r} must lie between {least:g} and {most:g} {units}")
    return value


def length_of(name: str, given: Any) -> float:
    """Returns a radius, or the size of a plane [m]."""
    value = number_of(name, given, "m")
    if not 0 < value < 1e12:
        raise InputError(f"{name} = {given!r} must be more than 0 and less than 1e12 m")
    return value


def yes_or_no(name: str, given: Any) -> bool:
    """Returns a given truth value. InputError: it is none."""
    if not isinstance(given, (bool, np.bool_)):
        raise InputError(f"{name} = {given!r} must be true or false")
    return bool(given)


def coriolis_of(values: np.ndarray) -> np.ndarray:
    """Returns f [s-1] of places, unchanged; ValueError where it is too large for any planet."""
    largest = float(np.abs(values).max(initial=0.0))
    if not largest <= fastest:
        raise InputError(
            f"coriolis has values up to {largest:g} s-1; allowed: at most {fastest:g} s-1 (the"
            " earth has 1.5e-4)"
        )
    return values


def pair(name: str, given: Any, units: str) -> list[float]:
    """Returns two given numbers in these units. InputError: they are others."""
    values = numbers(name, given, units)
    if len(values) != 2:
        raise InputError(f"{name} = {given!r} must be two numbers [{units}]")
    return values


def numbers(name: str, given: Any, units: str) -> list[float]:
    """Returns given numbers in these units. InputError: they are none."""
    if isinstance(given, str) or np.ndim(given) != 1:
        raise InputError(f"{name} = {given!r} must be a list of numbers [{units}]")
    return [number_of(name, value, units) for value in given]


def span(values: Any, units: str) -> str:
    """Returns the range of values as text."""
    low, high = float(np.min(values)), float(np.max(values))
    return (
        f"{low:.3g} {units}" if f"{low:.3g}" == f"{high:.3g}" else f"{low:.3g}–{high:.3g} {units}"
    )
