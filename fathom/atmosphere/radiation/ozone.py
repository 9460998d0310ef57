"""Ozone from records on levels of pressure, brought to the layers of a model.

A layer lies at its pressure over a surface at 1000 hPa, on levels of height at that of the standard
atmosphere: mountains lift layers of the lower troposphere alone, where ozone is little. Between
levels it is linear in ln p, beyond the first and the last one constant.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from fathom.base.failure import InputError
from fathom.base.units import conversion
from fathom.data.input.records import Input, Records, Source, given
from fathom.data.input.series import everywhere
from fathom.data.input.variables import files, opened

NAMES = ("mole_fraction_of_ozone_in_air", "mass_fraction_of_ozone_in_air", "vmro3", "o3", "ozone")
PRESSURE = ("plev", "pressure", "pressure_level", "level", "lev", "isobaricInhPa", "air_pressure")
highest = 5e3  # [Pa] the uppermost level lies there or above
PER_MOLE = 0.0479982 / 0.028964  # mass mixing ratio per mole fraction


class OzoneRecords:
    """Ozone as a source of fields in time (fathom/run/forcing.py)."""

    def __init__(self, value: Any, grid: Any) -> None:
        array, self.called = _array(value)
        dimension = next((str(d) for d in array.dims if str(d) in PRESSURE), "")
        if not dimension:
            raise InputError(
                f"{self.called}: {array.name} has no levels of pressure"
                f" ({', '.join(map(str, array.dims))}); wanted: one of {', '.join(PRESSURE)}"
            )
        layers = pressure_of_layers(grid)
        pressure = self._pressure(array[dimension], layers)
        order = np.argsort(pressure)
        self.levels = [
            _level(array.isel({dimension: int(n)}, drop=True), value, grid) for n in order
        ]
        self.weights = _weights(pressure[order], layers)
        self.axis = self.levels[0].axis
        self.fields = ["ozone"]

    def _pressure(self, levels: Any, layers: np.ndarray) -> np.ndarray:
        """Returns the pressure of its levels [Pa]. InputError: they are none, or end below the
        layer of ozone.
        """
        called = f"{self.called}: {levels.name}"
        units = str(levels.attrs.get("units", ""))
        try:
            factor, offset = conversion(units, "Pa")
        except InputError as error:
            why = error if units else "it has no units"
            raise InputError(f"{called}: pressures are wanted; {why}") from None
        found: np.ndarray = np.asarray(levels.values, float) * factor + offset
        if not (found > 0).all() or np.unique(found).size < found.size:
            raise InputError(f"{called} = {levels.values.tolist()} {units}: each once, above 0")
        if found.min() > max(highest, layers.min()):
            raise InputError(
                f"{called}: its uppermost level lies at {found.min() / 100:g} hPa; it must lie at"
                f" {highest / 100:g} hPa or above, where ozone is"
            )
        return found

    def describe(self) -> list[str]:
        """Returns where it comes from, and of which times."""
        return [f"ozone: {len(self.levels)} levels of {self.called}, {self.axis}"]

    def read(self, number: int) -> dict[str, np.ndarray]:
        """Returns mass mixing ratio of a record on the layers [kg kg-1], (levels, ny, nx)."""
        found = np.stack([level.read(number)["ozone"] for level in self.levels]).astype(float)
        return {"ozone": np.tensordot(self.weights, found, 1)}

    def close(self) -> None:
        """Closes its files."""
        for level in self.levels:
            level.close()


def _array(value: Any) -> tuple[Any, str]:
    """Returns the variable of ozone as xarray has it, and what to call its source."""
    records = given(value)
    if records is None:
        raise InputError(f"RRTMGP ozone = {value!r} must be a file, Records or an xarray.DataArray")
    parts = [records.arrays] if records.in_memory else [
        opened(f).data_vars for f in files(records.data)
    ]  # fmt: skip
    wanted = (records.variable,) if records.variable else NAMES
    names = [
        str(n) for n, a in parts[0].items()
        if str(n) in wanted or a.attrs.get("standard_name") in wanted
    ]  # fmt: skip
    if not names:
        raise InputError(
            f"{records} has no ozone ({', '.join(map(str, parts[0])) or 'nothing'}); wanted:"
            f" {' or '.join(NAMES)}"
        )
    import xarray as xr

    arrays = [part[names[0]] for part in parts]
    array = arrays[0] if len(arrays) == 1 else xr.concat(arrays, "time").sortby("time")
    return array, repr(records)


def _level(array: Any, value: Any, grid: Any) -> Source:
    """Returns a level as a source of mass mixing ratio."""
    repeated = value.repeated_year if isinstance(value, Records) else None
    mass = "mass_fraction" in str(array.attrs.get("standard_name", "")) or "kg" in str(
        array.attrs.get("units", "")
    )
    records = everywhere(
        Records(array.rename("ozone"), "ozone", repeated_year=repeated, gaps="fill"),
        ("ozone",),
        "1",
        grid,
    )
    found = Input("ozone", records, "1", ("ozone",))
    found.factor *= 1.0 if mass else PER_MOLE
    return Source(found.axis, [found], grid)


def pressure_of_layers(grid: Any) -> np.ndarray:
    """Returns the pressure of the layers over a surface at 1000 hPa [Pa], the top first."""
    levels = grid.levels
    if hasattr(levels, "b"):
        edges = np.asarray(levels.a, float) + np.asarray(levels.b, float) * 1e5
        middle: np.ndarray = 0.5 * (edges[1:] + edges[:-1])
        return middle
    z = np.asarray(levels.middles, float)
    low = 101325 * np.maximum(1 - 2.25577e-5 * np.minimum(z, 11e3), 0) ** 5.25588
    found: np.ndarray = low * np.exp(-np.maximum(z - 11e3, 0) / 6341.6)
    return found


def _weights(levels: Sequence[float] | np.ndarray, layers: np.ndarray) -> np.ndarray:
    """Returns the share of each level in each layer, linear in ln p."""
    x, y = np.log(np.maximum(levels, 1e-3)), np.log(np.maximum(layers, 1e-3))
    return np.stack([np.interp(y, x, unit) for unit in np.eye(len(x))], axis=1)
