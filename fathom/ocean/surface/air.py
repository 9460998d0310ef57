"""Data that the ocean reads of the air above it and of the observed sea surface: the embedded
climatology, files of the user's, numbers, by variable.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from fathom.base.failure import InputError
from fathom.base.moist_air import humidity_of_dew_point
from fathom.data.forcings import (
    ByVariable,
    Climatology,
    Data,
    accepted,
    by_variable,
    called,
    climatology,
    has,
    is_climatology,
)
from fathom.data.input.records import Input, Joined, Records, given, interpolate, sources
from fathom.data.input.values import on_columns
from fathom.grids.water import WaterGrid
from fathom.model.component import Array
from fathom.model.order import Order
from fathom.model.schemes import Scheme, scheme
from fathom.ocean.surface import storms

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
        of, units = by_variable(data, named), _units()
        absent = [name for field, name in wanted.items() if not self._take(field, name, of, units)]
        from_climatology = [name for name in absent if missing or is_climatology(of(name)[0])]
        if from_climatology != absent:
            raise _missing(data, [name for name in absent if name not in from_climatology])
        self.climate = {field: name for field, name in wanted.items() if name in absent}
        _check_used(of, wanted, self.inputs)

    def _take(self, field: str, name: str, of: ByVariable, units: Mapping[str, str]) -> bool:
        """Keeps the input of a field: records, or a number; returns whether there is any."""
        value, its_own = of(name)
        if (records := has(of(name), name)) is not None:
            self.inputs.append(Input(field, records, units[field], called(name), only=its_own))
            return True
        if value is not None and not is_climatology(value) and given(value) is None:
            self.constants[field] = value
            return True
        if name in parts and not is_climatology(value):
            return self._of_parts(field, name, of, units)
        return False

    def _of_parts(self, field: str, name: str, of: ByVariable, units: Mapping[str, str]) -> bool:
        """Keeps a variable from others; returns whether they are there."""
        made, names_of = parts[name]
        found = [has(of(part), part, known) for part, known in names_of.items()]
        held = [records for records in found if records is not None]
        if len(held) == len(found):
            inputs = (
                Input(
                    part,
                    records,
                    units.get(part, units[field]),
                    (part, *names_of_part),
                    only=of(part)[1],
                )
                for (part, names_of_part), records in zip(names_of.items(), held)
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


def _units() -> dict[str, str]:
    """Returns the units of fields, as the processes have them."""
    schemes = ("BulkForcing", "IceCover", "TemperatureRestoring", "SalinityRestoring")
    made = {f["name"]: f["units"] for name in schemes for f in scheme(name).entry["fields"]}
    return {"dew_point_temperature": "K"} | made
