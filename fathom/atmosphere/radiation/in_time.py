"""What radiation depends on besides the air: gases, aerosols, ozone, the sun's irradiance; numbers,
or records in time.

    gases      mole fractions of dry air, the same at all heights
    aerosols   optical depth at 550 nm, by kind: it falls off with the fourth power of pressure
               (half of it lies below 0.84 p_s, a scale height of 2 km); that of the stratosphere,
               sulfate of volcanoes, lies evenly in ln p between 120 and 20 hPa
    ozone      mole fraction or mass mixing ratio on levels of pressure (ozone.py)
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np

from fathom.atmosphere.radiation.ozone import OzoneRecords
from fathom.base import kinds
from fathom.base.failure import InputError
from fathom.data.input.records import Input, interpolate, sources
from fathom.data.input.series import everywhere
from fathom.model.component import Component
from fathom.model.order import Order
from fathom.names import quantities

# gases that may change, in the order of the core (rrtmgp/in_model.hpp) -> names in files
GASES = {
    "carbon_dioxide": ("mole_fraction_of_carbon_dioxide_in_air", "co2"),
    "methane": ("mole_fraction_of_methane_in_air", "ch4"),
    "nitrous_oxide": ("mole_fraction_of_nitrous_oxide_in_air", "n2o"),
    "cfc11": ("mole_fraction_of_cfc11_in_air",),
    "cfc12": ("mole_fraction_of_cfc12_in_air",),
    "cfc22": ("mole_fraction_of_hcfc22_in_air", "hcfc22"),
    "carbon_tetrachloride": ("mole_fraction_of_carbon_tetrachloride_in_air", "ccl4"),
}
# aerosols, in the order of the core -> (their optics, names in files)
AEROSOLS = {
    "dust": ("dust2", ("od550dust",)),
    "sea_salt": ("sea_salt3", ("od550ss",)),
    "sulfate": ("sulfate", ("od550so4",)),
    "black_carbon": ("black_carbon_hydrophilic", ("od550bc",)),
    "organic_carbon": ("organic_carbon_hydrophilic", ("od550oa",)),
    "stratospheric": (
        "sulfate",
        ("stratospheric_aerosol_optical_depth", "saod", "od550aer", "tau"),
    ),
}
IRRADIANCE = ("solar_irradiance", "tsi")
OZONE = "ozone"


def split(given: dict[str, Any]) -> tuple[dict[str, Any], dict[str, Any]]:
    """Returns the arguments of RRTMGP that are plain parameters, and those that a component gives:
    gases in time, aerosols, the irradiance. InputError: an optical depth that cannot be.
    """
    own = {name for name in given if name in AEROSOLS or name in (IRRADIANCE[0], OZONE)}
    own |= {name for name, v in given.items() if name in GASES and not _is_plain(v)}
    for name in own - {OZONE}:
        if not _is_plain(value := given[name]):
            continue
        if problem := kinds.not_a_number(value):
            raise InputError(f"RRTMGP: {name} = {kinds.shown(value)} {problem}")
        quantities.check_number(field_of(name), float(value), f"RRTMGP: {name}")
    return {n: v for n, v in given.items() if n not in own}, {n: given[n] for n in own}


def _is_plain(value: Any) -> bool:
    """Returns whether a value is one number, or a truth value in place of it."""
    return isinstance(value, (int, float, np.number, np.bool_))


def field_of(name: str) -> str:
    """Returns the field that an argument gives."""
    return f"{name}_optical_depth" if name in AEROSOLS else name


class RadiationInTime(Component):
    """Gases, aerosols and the sun's irradiance of RRTMGP, constant or from records.

    Parameters
    ----------
    given : argument -> value, of those that `split` leaves to it.
    numbers : the other gases -> (value, unit).
    grid : of the columns.
    solar_constant : that insolation is computed with [W m-2].
    """

    def __init__(
        self,
        given: Mapping[str, Any],
        numbers: Mapping[str, tuple[float, float]],
        grid: Any,
        solar_constant: float,
    ) -> None:
        self.grid, self.solar_constant = grid, solar_constant
        self.inputs: list[Input] = []
        self.constants: dict[str, float] = {}
        self.ozone = OzoneRecords(given[OZONE], grid) if given.get(OZONE) is not None else None
        for name, value in given.items():
            if name == OZONE:
                continue
            if not _is_plain(value):
                self.inputs.append(self._input(name, value, numbers))
            else:
                self.constants[field_of(name)] = float(value)
        for name in GASES if self.replaces_gases(given) else ():
            if name not in given:
                value, unit = numbers[name]
                self.constants[name] = value * unit
        for name in AEROSOLS if self.replaces_gases(given) else ():
            if name not in given:
                self.constants[field_of(name)] = 0.0

    @staticmethod
    def replaces_gases(given: Mapping[str, Any]) -> bool:
        """Returns whether RRTMGP reads gases and aerosols from fields."""
        return any(name not in (IRRADIANCE[0], OZONE) for name in given)

    def _input(self, name: str, value: Any, numbers: Mapping[str, tuple[float, float]]) -> Input:
        """Returns the records of an argument."""
        if name in GASES:
            called, units = (name, *GASES[name]), f"{numbers[name][1]:g}"
        elif name in AEROSOLS:
            called, units = (field_of(name), *AEROSOLS[name][1]), "1"
        else:
            called, units = (IRRADIANCE[0], *IRRADIANCE), "W m-2"
        wanted = "W m-2" if name == IRRADIANCE[0] else "1"
        records = everywhere(value, called, units, self.grid)
        return Input(field_of(name), records, wanted, called)

    def records(self) -> Iterable[Any]:
        """Returns the sources of what changes in time."""
        return [*sources(self.inputs, self.grid), *([self.ozone] if self.ozone else [])]

    def fixed_fields(self) -> Mapping[str, Any]:
        """Returns what stays."""
        shape = np.shape(self.grid.wet_levels)
        return {name: np.full(shape, value) for name, value in self.constants.items()}

    def present(self, do: Order) -> None:
        """Adds the values of the present time, before the physics."""
        for one in self.inputs:
            interpolate(do, one.field)
        do("OzoneInTime", when=self.ozone is not None)

    def after(self, scheme: Any, do: Order) -> None:
        """Adds the sun's irradiance after the scheme of sunlight."""
        if IRRADIANCE[0] not in {*self.constants, *(i.field for i in self.inputs)}:
            return
        writes = {f["name"] for f in scheme.entry["fields"] if f["access"] == "writes"}
        if "insolation" in writes:
            do("IrradianceInTime", solar_constant=self.solar_constant)
