"""Data that the ocean reads of the air above it and of the observed sea surface: the embedded
climatology, files of the user's, numbers, by variable.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from fathom import names
from fathom.base import instants as times
from fathom.base.failure import InputError
from fathom.base.home import at_home
from fathom.base.moist_air import humidity_of_dew_point
from fathom.data import fluxes, sets, surface
from fathom.data.input.records import Input, Joined, Points, Records, given, interpolate, sources
from fathom.data.input.values import on_columns
from fathom.grids.water import WaterGrid
from fathom.model.component import Array
from fathom.model.order import Order
from fathom.model.schemes import Scheme, scheme
from fathom.ocean.surface import storms
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
    "sea_ice_fraction": ("sea_ice_area_fraction", "siconc"),
    "sea_surface_temperature": ("tos", "sst"),
    "sea_surface_salinity": ("sos", "sss"),
}
# variables that follow from others: how, of which, and what those may be called
parts: dict[str, tuple[Any, dict[str, tuple[str, ...]]]] = {
    "wind_speed": (
        np.hypot,
        {name: accepted[name] for name in ("eastward_wind", "northward_wind")},
    ),
    "precipitation_flux": (
        np.add,
        {
            "rainfall_flux": ("prra", "RAIN", "PRC_MOD"),
            "snowfall_flux": ("prsn", "SNOW", "PRC_MOD1"),
        },
    ),
    "specific_humidity": (
        humidity_of_dew_point,
        {
            "dew_point_temperature": ("d2m", "2d", "tdps"),
            "air_pressure": accepted["air_pressure"],
        },
    ),
}
usual_height = 10.0  # [m] of wind, temperature and humidity in the bulk formulae
heights_of = {
    "air_height": ("air_temperature", "specific_humidity", "dew_point_temperature"),
    "wind_height": ("wind_speed", "eastward_wind", "northward_wind"),
}
named = {*accepted, *(name for _, names_of in parts.values() for name in names_of)}


def _missing(data: Data, absent: Sequence[str]) -> InputError:
    """Returns the error: variables are in no data."""
    there = f" ({data!r} has {', '.join(data.variables)})" if isinstance(data, Records) else ""
    return InputError(
        f"the forcing has no {', '.join(absent)}{there}; missing = {climatology!r} uses"
        " the embedded climatology for these"
    )


class Air:
    """Variables of the air and of the observed sea, for the fields of an ocean that they become.

    data : "coads"; files or Records that have all; or a mapping of variable -> "coads", a file,
        Records, xarray.DataArray or number.
    wanted : field -> variable.
    missing : "coads" or None, where variables come from that are not in the data; the speed of the
        wind follows from its components.
    stormy : whether storms are added to the wind (fathom/ocean/surface/storms.py).
    ValueError: a variable that is not there, or that is not known.
    """

    def __init__(
        self,
        data: Data,
        wanted: Mapping[str, str],
        missing: str | None = None,
        stormy: bool = False,
    ) -> None:
        self.stormy = stormy
        self.inputs: list[Input | Joined] = []
        self.climate: dict[str, str] = {}
        self.constants: dict[str, Any] = {}
        if missing not in (None, climatology):
            raise InputError(f"missing = {missing!r}; allowed: {climatology!r}, none")
        of, units = _by_variable(data), _units()
        absent = [name for field, name in wanted.items() if not self._take(field, name, of, units)]
        from_climatology = [name for name in absent if missing or _is_climatology(of(name)[0])]
        if from_climatology != absent:
            raise _missing(data, [name for name in absent if name not in from_climatology])
        self.climate = {field: name for field, name in wanted.items() if name in absent}
        _check_used(of, wanted, self.inputs)

    def _take(self, field: str, name: str, of: ByVariable, units: Mapping[str, str]) -> bool:
        """Keeps the input of a field: records, or a number; returns whether there is any."""
        value, its_own = of(name)
        if (records := _has(of(name), name)) is not None:
            self.inputs.append(Input(field, records, units[field], _called(name), only=its_own))
            return True
        if value is not None and not _is_climatology(value) and given(value) is None:
            self.constants[field] = value
            return True
        if name in parts and not _is_climatology(value):
            return self._of_parts(field, name, of, units)
        return False

    def _of_parts(self, field: str, name: str, of: ByVariable, units: Mapping[str, str]) -> bool:
        """Keeps a variable from others; returns whether they are there."""
        made, names_of = parts[name]
        found = [_has(of(part), part, called) for part, called in names_of.items()]
        held = [records for records in found if records is not None]
        if len(held) == len(found):
            inputs = (
                Input(
                    part, records, units.get(part, units[field]), (part, *called), only=of(part)[1]
                )
                for (part, called), records in zip(names_of.items(), held)
            )
            self.inputs.append(Joined(field, made, *inputs))
            return True
        if all(_is_number(of(part)[0]) for part in names_of):
            self.constants[field] = made(*(of(part)[0] for part in names_of))
            return True
        return False

    @property
    def wind_variance(self) -> float:
        """Returns the mean square of the wind over the square of its speed: within a month of the
        climatology as for equal winds from all sides (Rayleigh); with storms the speed is
        instantaneous.
        """
        return 4 / np.pi if "wind_speed" in self.climate and not self.stormy else 1.0

    def heights(self, given: Iterable[str] = ()) -> dict[str, float]:
        """Returns parameter of the bulk formulae -> the height [m] that the files say of the air
        and of the wind; none where they say nothing, or the usual 10 m. InputError: two heights.
        given : parameters that are not asked for.
        """
        found: dict[str, float] = {}
        for parameter in sorted({*heights_of} - {*given}):
            of = heights_of[parameter]
            inputs: Iterator[Any] = (
                one for joined in self.inputs for one in getattr(joined, "components", (joined,))
            )
            read = [
                one for one in inputs if one.field in of and one.variable.said.height is not None
            ]
            told = {one.variable.said.height: one for one in read}
            if len(told) > 1:
                each = " and ".join(f"{one.describe()} at {h:g} m" for h, one in told.items())
                raise InputError(f"{each}: the bulk formulae take one height; give {parameter}")
            if told and (height := next(iter(told))) != usual_height:
                found[parameter] = height
        return found

    @property
    def over_ice(self) -> Scheme:
        """Returns the bulk formulae over sea ice. The sunlight of the climatology is that over the
        dark sea; a cloudy polar sky sends down two fifths of what ice reflects (docs/sea-ice.md).
        """
        of_sea = "downward_shortwave_flux" in self.climate
        found: Scheme = scheme("BulkOverIce", sky_reflection=0.4 if of_sea else 0.0)
        return found

    def interpolate(self, do: Order) -> None:
        """Adds the processes that make the fields of the air from their records."""
        for field in (*self.climate, *(i.field for i in self.inputs)):
            interpolate(do, field)
        if self.stormy:
            storms.blow(do)

    def fields(self, grid: WaterGrid) -> dict[str, Array]:
        """Returns the fields that never change."""
        return {
            field: on_columns(grid, value, name=field) for field, value in self.constants.items()
        }

    def records(self, grid: WaterGrid) -> list[Any]:
        """Returns the sources of what changes in time."""
        return [
            *([Climatology(self.climate, grid)] if self.climate else []),
            *sources(self.inputs, grid),
            *([storms.Storms(grid)] if self.stormy else []),
        ]


def _check_used(
    of: ByVariable, wanted: Mapping[str, str], inputs: Sequence[Input | Joined]
) -> None:
    """Raises InputError: of files that are given for all variables nothing is used."""
    shared, its_own = of(next(iter(wanted), ""))
    if isinstance(shared, Records) and not its_own and wanted and not inputs:
        raise InputError(
            f"{shared!r} has no {', '.join(dict.fromkeys(wanted.values()))}: all would come"
            " from the embedded climatology"
        )


def _is_number(value: Any) -> bool:
    """Returns whether it is a number, or an array of numbers."""
    return given(value) is None and np.asarray(value).dtype.kind in "fiu"


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
        grid: WaterGrid,
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

    def read(self, month: int) -> dict[str, Array]:
        """Returns the fields (ny, nx) of a month, counted from 0."""
        data = self.data.on_points(
            self.points.latitude,
            self.points.longitude,
            *dict.fromkeys(self.wanted.values()),
            month=month,
        )
        found = {field: data[name] for field, name in self.wanted.items()}
        return found | {field: found[field] - mean for field, mean in self.less.items()}


def _called(name: str) -> tuple[str, ...]:
    """Returns the names that it may have in files, its own name first."""
    return name, *accepted[name]


def _is_climatology(value: Any) -> bool:
    """Returns whether a value is the embedded climatology of the air."""
    return isinstance(value, str) and value == climatology


def _has(
    value: tuple[Any, bool], name: str, called: tuple[str, ...] | None = None
) -> Records | None:
    """Returns the records that have a variable, of what `_by_variable` gives; None where there are
    none. What is given for this variable alone must have it.
    """
    records = given(value[0])
    its_own = value[1]
    known = (name, *(accepted[name] if called is None else called))
    if records is not None and (its_own or records.matches(known, its_own)):
        return records
    return None


def _by_variable(data: Any) -> ByVariable:
    """Returns a function: variable -> (its source, whether the only variable of a file is used,
    with any name).
    """
    if isinstance(data, Mapping) and given(data) is None:  # an xarray.Dataset is both
        for name in data:
            if name not in named:
                raise InputError(names.unknown("variable of the forcing", name, named))
        return lambda name: (data.get(name), True)
    if _is_climatology(data):
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


def _units() -> dict[str, str]:
    """Returns the units of fields, as the processes have them."""
    schemes = ("BulkForcing", "IceCover", "TemperatureRestoring", "SalinityRestoring")
    made = {f["name"]: f["units"] for name in schemes for f in scheme(name).entry["fields"]}
    return {"dew_point_temperature": "K"} | made
