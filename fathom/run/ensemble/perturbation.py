"""Random fields that are smooth: errors of a start.

    f(x) = (2/M)^1/2 sum_m cos(k_m x + phi_m),   k_m ~ N(0, L^-2), phi_m ~ U(0, 2 pi)

has variance 1 and the correlation exp(-d^2 / (2 L^2)) at a distance d (Rahimi & Recht 2007); x is
the place in space, so that poles and seams of a grid leave no mark. In the vertical x has one more
component, the level as a part of the column. The numbers come from Philox with the key (seed,
member, field): none depends on another member, on the grid or on the ranks.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from fathom.base.configurable import Configurable
from fathom.base.failure import InputError
from fathom.base.near import unknown
from fathom.data.input.labelled import Place, in_units

waves = 256  # M
_points = 1 << 14  # of the grid at a time
# what moist air has in place of a field; at the same vapour their errors differ by one percent
instead = {"air_temperature": "virtual_temperature"}
_kilo = {"m": 1.0, "km": 1000.0}


class Perturbation(Configurable):
    """Errors of a start: their standard deviations by field, and how far they are correlated."""

    def __init__(
        self,
        *,
        length: float | str = 5e5,
        depth: float = 0.3,
        seed: int = 0,
        **fields: float | str,
    ) -> None:
        if not fields:
            raise InputError(
                'perturbation names no field; allowed is { air_temperature = "0.5 K" }'
            )
        self.length = metres(length, "perturbation")
        if not (self.length > 0 and depth > 0):
            raise InputError(
                f"perturbation: length = {length!r}, depth = {depth!r}: both must be positive"
            )
        if not 0 <= seed < 1 << 63:
            raise InputError(f"perturbation: seed = {seed!r} must be a whole number from 0 on")
        self.depth, self.seed = float(depth), int(seed)
        self.fields = {
            name: amplitude_of(name, given, "perturbation") for name, given in fields.items()
        }

    def add_to(self, simulation: Any, member: int) -> None:
        """Adds the errors of a member to the fields of a simulation, at both time levels."""
        s = simulation
        fields = {f["name"]: f for f in s.fields.fields}
        for name, (amplitude, units) in self.fields.items():
            allowed = [one for one in s.model.prognostic if one in fields]
            own = name if name in allowed else instead.get(name, name)
            if own not in allowed:
                raise InputError(f"perturbation: {unknown('field', name, allowed)}")
            size = in_unit(name, amplitude, units, fields[own]["units"])
            self._add(s, fields, own, generator(self.seed, member, name), size)

    def _add(
        self, s: Any, fields: dict[str, Any], name: str, random: np.random.Generator, size: float
    ) -> None:
        """Adds a field of that standard deviation, on all ranks that compute."""
        about = fields[name]
        levels = about["levels"]
        both = [one for one in (name, f"{name}_before") if one in fields]
        for one in both:
            now = s.gather(one)
            if s.comm.rank == 0:
                wet = there(s.model.grid, about)
                change = size * self.values(s.model.grid, about["horizontal"], levels, random)
                now = np.where(wet, now + change, now)
            s.scatter(one, now)

    def values(self, grid: Any, where: str, levels: int, random: np.random.Generator) -> np.ndarray:
        """Returns a field of variance 1, (levels, ny, nx), at centres or corners of a grid."""
        state = random.bit_generator.state
        waves_of = random.standard_normal((waves, 3)) / self.length
        vertical = random.standard_normal(waves) / self.depth
        phases = random.uniform(0, 2 * np.pi, waves)
        random.bit_generator.state = state  # of the other time level: the same field
        x = in_space(grid, where)
        z = (np.arange(levels) + 0.5) / levels * vertical[:, None]
        up, across = np.cos(z), np.sin(z)
        found = np.empty((levels, x[0].size))
        for piece in _pieces(x[0].size):
            angle = phases[:, None] + sum(
                k[:, None] * each.ravel()[piece] for k, each in zip(waves_of.T, x)
            )
            found[:, piece] = np.einsum("ml,mp->lp", up, np.cos(angle), optimize=False)
            found[:, piece] -= np.einsum("ml,mp->lp", across, np.sin(angle), optimize=False)
        result: np.ndarray = np.sqrt(2 / waves) * found.reshape(levels, *x[0].shape)
        return result


def in_space(grid: Any, where: str) -> tuple[np.ndarray, ...]:
    """Returns the places of points in space [m], each (ny, nx); on a plane (x, y)."""
    x, y = grid.coordinates("corner" if where == "corner" else "center")
    x, y = np.broadcast_arrays(np.asarray(x, float), np.asarray(y, float))
    if not grid.horizontal.spherical:
        return x, y
    x, y, radius = np.radians(x), np.radians(y), float(grid.horizontal.radius)
    return (
        radius * np.cos(y) * np.cos(x),
        radius * np.cos(y) * np.sin(x),
        radius * np.sin(y),
    )


def there(grid: Any, about: dict[str, Any]) -> np.ndarray:
    """Returns where a field has water or air, (levels, ny, nx)."""
    levels = np.asarray(grid.corner_levels if about["horizontal"] == "corner" else grid.wet_levels)
    if about["vertical"] == "column":
        return levels[None] > 0
    found: np.ndarray = np.arange(about["levels"])[:, None, None] < levels
    return found


def _pieces(size: int) -> Iterator[slice]:
    for begin in range(0, size, _points):
        yield slice(begin, min(begin + _points, size))


def generator(seed: int, member: int, name: str) -> np.random.Generator:
    """Returns the numbers of a field of a member."""
    text = hashlib.sha256(f"{seed} {member} {name}".encode()).digest()
    key = int.from_bytes(text[:16], "little")
    return np.random.Generator(np.random.Philox(key=key))


def metres(given: Any, of: str) -> float:
    """Returns a length in metres. InputError: it is none; of: the table that has it."""
    value, unit = _split("length", given, of)
    if unit not in ("", *_kilo):
        raise InputError(f"{of}: length = {given!r}: allowed are m and km, as in '500 km'")
    return value * _kilo[unit or "m"]


def amplitude_of(name: str, given: Any, of: str) -> tuple[float, str]:
    """Returns number and unit of a standard deviation. InputError: it is none."""
    value, unit = _split(name, given, of)
    if not value >= 0:
        raise InputError(f"{of}: {name} = {given!r} must not be negative")
    return value, unit


def _split(name: str, given: Any, of: str) -> tuple[float, str]:
    """Returns number and unit of "0.5 K"."""
    found = re.fullmatch(r"\s*([-+\d.eE]+)\s*(.*?)\s*", str(given))
    try:
        if found is not None and not isinstance(given, bool):
            return float(found[1]), found[2]
    except ValueError:
        pass
    raise InputError(f"{of}: {name} = {given!r} must be a number, or one with a unit")


def in_unit(name: str, value: float, given: str, own: str) -> float:
    """Returns a difference of a unit in that of a field. InputError: it has another one."""
    place = Place(name, own, (), {})
    convert: Callable[[float], Any] = lambda x: in_units(np.array([x]), given, place)
    return float((convert(value) - convert(0.0))[0])
