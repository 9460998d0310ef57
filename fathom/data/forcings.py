"""Data by variable, of the air near the sea and of the sea's surface: where each comes from – the
embedded climatology, files of the user's – and what it may be called there. For a forcing of an
ocean, and for air over given seas.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from fathom import names
from fathom.base import instants as times
from fathom.base.failure import InputError
from fathom.base.home import at_home
from fathom.data import fluxes, sets, surface
from fathom.data.input.records import Points, Records, given
from fathom.grids.grid import Grid
from fathom.output import formats

Data = str | Path | Sequence[str | Path] | Records | Mapping[str, Any]
ByVariable = Callable[[str], tuple[Any, bool]]  # variable -> (its source, whether only for it)

climatology = "coads"  # name of the embedded one

# What variables may be called in files other than their own name: CF standard names, short names of
# CMIP (JRA55-do has them too) and ECMWF, names of CORE-II.
accepted = {
    "eastward_wind": ("uas", "u10", "U_10_MOD", "U_10"),
    "northward_wind": ("vas", "v10", "V_10_MOD", "V_10"),
    "wind_speed": ("sfcWind", "si10"),
    "air_temperature": ("tas", "t2m", "T_10_MOD", "T_10"),
    "specific_humidity": ("huss", "Q_10_MOD", "Q_10"),
    "air_pressure": (
        "air_pressure_at_mean_sea_level",
        "air_pressure_at_sea_level",
        "psl",
        "msl",
        "surface_air_pressure",
        "ps",
        "sp",
        "SLP",
    ),
    "downward_shortwave_flux": (
        "surface_downwelling_shortwave_flux_in_air",
        "rsds",
        "msdwswrf",
        "avg_sdswrf",
        "ssrd",
        "SWDN_MOD",
        "SWDN",
    ),
    "downward_longwave_flux": (
        "surface_downwelling_longwave_flux_in_air",
        "rlds",
        "msdwlwrf",
        "avg_sdlwrf",
        "strd",
        "LWDN_MOD",
        "LWDN",
    ),
    "precipitation_flux": ("pr", "mtpr", "avg_tprate", "tp"),
    "sea_ice_fraction": (
        "sea_ice_area_fraction",
        "siconc",
        "sic",
        "ci",
        "siconca",
        "siconcbcs",
        "icec",
    ),
    "sea_ice_thickness": ("sithick", "sit"),
    "sea_surface_temperature": ("tos", "sst", "tosbcs"),
    "sea_surface_salinity": ("sos", "sss"),
}


class Climatology:
    """An embedded climatology as a source of records (fathom/run/forcing.py).

    wanted : field -> variable.
    data : its module (fathom/data), with `on_points`.
    less : field -> number, taken away from it.
    """

    axis = times.months

    def __init__(
        self,
        wanted: Mapping[str, str],
        grid: Grid,
        data: Any = surface,
        less: Mapping[str, Any] | None = None,
    ) -> None:
        grid.places_on_earth("the embedded climatology")
        self.wanted, self.points, self.data, self.less = wanted, Points(grid), data, less or {}

    @property
    def fields(self) -> list[str]:
        """Returns the names of its fields."""
        return list(self.wanted)

    def describe(self) -> list[str]:
        """Returns where each field comes from, and of which times."""
        of = "the embedded climatology" + (" of fluxes" if self.data is fluxes else "")
        return [f"{', '.join(self.wanted)}: {of}, {self.axis}"]

    def read(self, month: int) -> dict[str, np.ndarray]:
        """Returns the fields (ny, nx) of a month, counted from 0."""
        data = self.data.on_points(
            self.points.latitude,
            self.points.longitude,
            *dict.fromkeys(self.wanted.values()),
            month=month,
        )
        found = {field: data[name] for field, name in self.wanted.items()}
        return found | {field: found[field] - mean for field, mean in self.less.items()}


def called(name: str) -> tuple[str, ...]:
    """Returns the names that it may have in files, its own name first."""
    return name, *accepted[name]


def is_climatology(value: Any) -> bool:
    """Returns whether a value is the embedded climatology of the air."""
    return isinstance(value, str) and value == climatology


def has(
    value: tuple[Any, bool], name: str, called: tuple[str, ...] | None = None
) -> Records | None:
    """Returns the records that have a variable, of what `by_variable` gives; None where there are
    none. What is given for this variable alone must have it.
    """
    records = given(value[0])
    its_own = value[1]
    known = (name, *(accepted[name] if called is None else called))
    if records is not None and (its_own or records.matches(known, its_own)):
        return records
    return None


def by_variable(data: Any, named: Collection[str]) -> ByVariable:
    """Returns a function: variable -> (its source, whether the only variable of a file is used,
    with any name). named: variables that data may have. InputError: unknown data or variables.
    """
    if isinstance(data, Mapping) and given(data) is None:  # an xarray.Dataset is both
        if strange := [name for name in data if name not in named]:
            raise InputError(names.unknown("variable of the forcing", strange[0], named))
        return lambda name: (data.get(name), True)
    if is_climatology(data):
        return lambda name: (climatology, True)
    if (data_set := sets.find(data)) is not None:
        data = data_set.open()
    if isinstance(data, (str, Path)) and not (
        at_home(data).exists() or "*" in str(data) or str(data).endswith(formats.readable())
    ):
        known = [climatology, *sets.known()]
        raise InputError(
            f"unknown forcing data {str(data)!r}{names.near(str(data), known)}; allowed:"
            f" {', '.join(map(repr, known))}, a file or folder that exists, a mapping of variable"
            " to file"
        )
    records = data if isinstance(data, Records) else Records(data)
    return lambda name: (records, False)
