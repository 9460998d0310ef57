"""The fields of air: those of a state on levels of pressure, and those that physics reads of it."""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from fathom.model.component import Field

EASTWARD = Field("eastward_wind", "m s-1", (-500, 500))
NORTHWARD = Field("northward_wind", "m s-1", (-500, 500))
WIND = EASTWARD, NORTHWARD
AIR_TEMPERATURE = Field("air_temperature", "K", (50, 500))
VIRTUAL_TEMPERATURE = Field("virtual_temperature", "K", (50, 500))
LOG_PRESSURE = Field("log_pressure_ratio", "1", (-3, 1))  # ln(p_s / 1000 hPa)
HUMIDITY = Field("specific_humidity", "1", (-0.02, 0.2))
# of compressible air: q = ln(p / pi), and the vertical divergence d
PRESSURE_DEPARTURE = Field("log_pressure_departure", "1")
VERTICAL_DIVERGENCE = Field("vertical_divergence", "s-1")
# what the physics reads of a column, besides tracers
COLUMN = (
    *WIND,
    AIR_TEMPERATURE,
    VIRTUAL_TEMPERATURE,
    LOG_PRESSURE,
    Field("pressure_interface", "Pa"),
    Field("air_pressure", "Pa"),
    Field("geopotential", "m2 s-2"),
)


class AirFields(NamedTuple):
    """What a model of air carries: its temperature and its tracers.

    temperature : that of the dynamics: virtual, if the air is moist.
    tracers : humidity and the other kinds of water first.
    water : kinds of water other than vapour.
    """

    temperature: Field
    tracers: Sequence[Field] = ()
    water: Sequence[Field] = ()

    @property
    def moist(self) -> bool:
        """Returns whether the air holds vapour."""
        return self.temperature == VIRTUAL_TEMPERATURE

    @property
    def tracer_names(self) -> list[str]:
        """Returns the names of its tracers."""
        return [field.name for field in self.tracers]

    @property
    def warmth(self) -> Mapping[str, Field]:
        """Returns the temperature of the dynamics, in its role in a scheme."""
        return {VIRTUAL_TEMPERATURE.name: self.temperature}

    @property
    def heated(self) -> Mapping[str, Field]:
        """Returns the same, also where a scheme reads the heating of air by the physics."""
        return {**self.warmth, AIR_TEMPERATURE.name: self.temperature}
