"""The forcing at the ocean's surface: the processes that give stress and fluxes, and the data they
read.

A surface is a component of an ocean (fathom/model/component.py) which is known when a simulation
is made: `over` tells it the grid, and whether there is a model of sea ice.
"""

from __future__ import annotations

import copy
from collections.abc import Iterable, Mapping
from typing import Any, ClassVar, Self

import numpy as np

from fathom.base import mpi
from fathom.base.failure import InputError
from fathom.base.reading import once
from fathom.base.shown import OpenSignature
from fathom.base.units import conversion
from fathom.data import fluxes
from fathom.data.forcings import Data
from fathom.data.input import checks
from fathom.data.input.records import Records, given
from fathom.data.input.values import on_columns
from fathom.grids.regrid.mouths import spread
from fathom.grids.water import WaterGrid
from fathom.model.component import Array, AtSurface, Given, Renaming
from fathom.model.order import Order
from fathom.model.schemes import scheme
from fathom.ocean.components.component import OceanComponent
from fathom.ocean.components.sea_ice import SeaIce
from fathom.ocean.surface.air import Air


class Surface(OceanComponent, AtSurface):
    """The forcing at the surface of an ocean. Its phases (fathom/ocean/step.py):

    "air"             fluxes of the air over open water, and over ice
    "leads"           what is between the ice
    "fresh water"     rivers
    "surface fluxes"  fluxes into the sea
    """

    grid: WaterGrid  # once it is over a sea
    sea_ice: SeaIce | None = None
    keeps_above_freezing: bool = False  # whether the sea stays at or above freezing without ice

    def over(self, grid: WaterGrid, sea_ice: SeaIce | None = None) -> Self:
        """Returns the same forcing over the sea of a grid, with a model of sea ice or without."""
        there = copy.copy(self)
        there.grid, there.sea_ice = grid, sea_ice
        return there

    @property
    def wind_variance(self) -> float | None:
        """Returns the mean square of the wind over the square of its speed [1]; None: no wind is
        known.
        """
        return 1.0


stress_on_ice = {
    "stress_eastward": "ice_stress_eastward",
    "stress_northward": "ice_stress_northward",
    "surface_stress_x": "ice_stress_x",
    "surface_stress_y": "ice_stress_y",
}
until_rivers = (  # water of rivers is added to that of the air
    Renaming("surface_freshwater_flux", "air_freshwater_flux", phases=("air", "leads")),
)
salt_of_ice = {"given": "ice_salt_flux", "flux": "salinity_surface_flux"}


def truth(of: str, name: str, value: bool) -> bool:
    """Returns the value. InputError: it is neither true nor false."""
    if not isinstance(value, bool):
        raise InputError(f"{of} {name} = {value!r} must be true or false")
    return value


rivers = "core2"  # names of the embedded ones


of_rivers = (
    "runoff_flux",
    "water_flux_into_sea_water_from_rivers",
    "friver",
    "runoff",
    "Foxx_o_roff",
)


def runoff_on(grid: WaterGrid, value: Any) -> Array:
    """Returns the water of rivers on the columns of a grid [kg m-2 s-1]: a number, an array, a
    function; the embedded ones, or the mean over the records of a file on latitudes and longitudes,
    at their mouths.
    """
    embedded = isinstance(value, str) and value == rivers
    records = None if embedded else given(value)
    if records is None and not embedded:
        return np.asarray(on_columns(grid, value, name="runoff", units="kg m-2 s-1"))
    if not grid.horizontal.spherical:
        raise InputError(f"runoff = {value!r} is for grids on the sphere; this one is a plane")
    longitude, latitude = map(np.asarray, grid.coordinates("center"))
    wet, area = np.asarray(grid.wet_levels) > 0, np.asarray(grid.horizontal.area_center)
    farthest = np.inf if grid.horizontal.periodic else 500e3  # those of a region alone
    target = (latitude, longitude, area, wet)
    if embedded or records is None:
        return np.asarray(fluxes.rivers_on(*target, farthest))
    return np.asarray(_of_file(records, target, farthest))


@once
def _of_file(records: Records, target: tuple[Array, ...], farthest: float) -> Array:
    """Returns the rivers of records, spread at their mouths."""
    variable = records.find(of_rivers)
    told = (records.units or variable.units).replace("(", "").replace(")", "")
    factor, _ = conversion(told, "kg m-2 s-1")
    number = 1 if variable.axis.constant else len(variable.axis)
    mean = sum(np.nan_to_num(records.read(variable, n).astype(float)) for n in range(number))
    if variable.latitude is None or variable.longitude is None:
        raise InputError(f"{records}: {variable.name} of rivers needs latitude and longitude")
    latitude, longitude, _, wet = target
    around = variable.columns is None or variable.columns.around
    of_sea = latitude[wet], longitude[wet]
    name = f"{records}: {variable.name}"
    checks.check_covers(name, variable.latitude, variable.longitude, around, of_sea)
    flux = mean * factor / number
    return spread(flux, variable.latitude, variable.longitude, target, farthest=farthest)


def balance(do: Order, salt: bool) -> None:
    """Adds that fresh water, or salt where it is restored, sums to nothing over the sea."""
    water = ("salinity_surface_flux", "1e-3 m s-1") if salt else freshwater_flux
    do(mpi.core.SurfaceBalance(*water))


freshwater_flux = "surface_freshwater_flux", "kg m-2 s-1"


class BulkForcing(Surface):
    """Bulk formulae (Large & Yeager 2009) over the state of the air at any interval, with restoring
    of surface salinity.

    Parameters
    ----------
    data : "coads", the embedded monthly climatology; a file, folder or Records with all variables;
        or a mapping of variable -> "coads", a file, Records,
        xarray.DataArray or number. Variables: eastward_wind, northward_wind, wind_speed (else that
        of the wind), air_temperature, specific_humidity, air_pressure, downward_shortwave_flux,
        downward_longwave_flux, precipitation_flux, sea_ice_fraction; for restoring
        sea_surface_temperature, sea_surface_salinity.
    missing : None, or "coads": variables that are not in the data are those of the embedded
        climatology.
    salinity_restoring, temperature_restoring : piston velocity [m s-1]; 0 for none. The targets are
        the observed ones.
    salinity_restoring_under_ice : piston velocity [m s-1] that observed sea ice adds where it
        covers all.
    runoff : [kg m-2 s-1], water of rivers: a number, an array, a function, or a file, whose mean
        is used; "core2": the embedded ones, at their mouths. Default 0.
    balanced : bool. The sums of fresh water and of the salt of restoring over the sea are zero:
        their means are subtracted in each step.
    storms : bool. Adds storms to a wind whose mean speed is more than the speed of the mean wind,
        as that of the climatology (docs/forcing.md). Instantaneous winds stay as they are.
    parameters : those of the scheme BulkForcing (albedo, iterations, ...), which the signature has.
        air_height, wind_height [m]: where none is given, those that the files say (a coordinate
        `height`, names as t2m), else 10.
    """

    air = (
        "eastward_wind",
        "northward_wind",
        "wind_speed",
        "air_temperature",
        "specific_humidity",
        "air_pressure",
        "downward_shortwave_flux",
        "downward_longwave_flux",
        "precipitation_flux",
        "sea_ice_fraction",
    )

    keeps_above_freezing = True
    mappings: ClassVar[tuple[str, ...]] = ("data",)  # keywords that take a table of values
    __signature__ = OpenSignature(lambda: scheme("BulkForcing").all_parameters)

    def __init__(
        self,
        data: Data = "coads",
        *,
        missing: str | None = None,
        salinity_restoring: float = 50 / (300 * 86400),
        temperature_restoring: float = 0.0,
        salinity_restoring_under_ice: float = 0.0,
        runoff: Given = 0.0,
        balanced: bool = False,
        storms: bool = False,
        **parameters: float,
    ) -> None:
        self.data, self.missing = data, missing
        self.parameters = scheme("BulkForcing", **parameters).parameters
        self.salinity_restoring, self.temperature_restoring = (
            float(salinity_restoring),
            float(temperature_restoring),
        )
        self.salinity_restoring_under_ice = float(salinity_restoring_under_ice)
        self.runoff = runoff
        self.balanced = truth("BulkForcing", "balanced", balanced)
        self.storms = truth("BulkForcing", "storms", storms)
        wanted = {name: name for name in self.air} | self._targets
        self.given = Air(data, wanted, missing, stormy=self.storms)
        heights = self.given.heights(parameters)
        self.bulk = scheme("BulkForcing", **heights, **parameters)

    def __repr__(self) -> str:
        under_ice = (
            f", salinity_restoring_under_ice={self.salinity_restoring_under_ice:.3g}"
            if self.salinity_restoring_under_ice
            else ""
        )
        balanced = ", balanced=True" if self.balanced else ""
        storms = ", storms=True" if self.storms else ""
        return (
            f"BulkForcing({self.data!r}, salinity_restoring={self.salinity_restoring:.3g},"
            f" temperature_restoring={self.temperature_restoring:.3g}{under_ice}{balanced}{storms})"
        )

    @property
    def _targets(self) -> dict[str, str]:
        """Returns field -> variable of restoring."""
        wanted = [
            ("restoring_temperature", "sea_surface_temperature", self.temperature_restoring),
            (
                "restoring_salinity",
                "sea_surface_salinity",
                self.salinity_restoring + self.salinity_restoring_under_ice,
            ),
        ]
        return {field: data for field, data, speed in wanted if speed > 0}

    @property
    def wind_variance(self) -> float | None:
        """Returns that of the air."""
        return self.given.wind_variance

    @property
    def _has_rivers(self) -> bool:
        return not (np.isscalar(self.runoff) and self.runoff == 0)

    def renamings(self) -> Iterable[Renaming]:
        """Returns the name of the fresh water of the air, until that of rivers is added."""
        return until_rivers if self._has_rivers else ()

    def processes(self, phase: str, do: Order) -> None:
        """Adds the bulk formulae, and the fluxes into the sea."""
        ice = self.sea_ice
        if phase == "air":
            do("SurfaceCurrent")
            self.given.interpolate(do)
            do(self.bulk)
            do("StressToGrid")
            if ice is not None:
                do(self.given.over_ice)
                do("StressToGrid", on=stress_on_ice, label="StressToGrid of ice")
        if phase == "leads":
            if ice is not None:
                do("LightInLeads", where=ice.somewhere)
            else:
                do("IceCover")
        if phase == "fresh water":
            do("Runoff", when=self._has_rivers)
            if self.balanced:
                balance(do, salt=False)
        if phase == "surface fluxes":
            do("SurfaceFluxes")
            do("GivenFlux", on=salt_of_ice, label="GivenFlux of ice", when=ice is not None)
            self._restore(do)

    def _restore(self, do: Order) -> None:
        """Adds restoring to the observed temperature and salinity."""
        speeds = {
            "TemperatureRestoring": self.temperature_restoring,
            "SalinityRestoring": self.salinity_restoring,
            "SalinityRestoringUnderIce": self.salinity_restoring_under_ice,
        }
        for name, speed in speeds.items():
            do(scheme(name, piston_velocity=speed) if speed > 0 else None)
        if self.balanced and any(name.startswith("Salinity") and v for name, v in speeds.items()):
            balance(do, salt=True)

    def fixed_fields(self) -> Mapping[str, Any]:
        """Returns the air that never changes, and the water of rivers."""
        rivers_ = {"runoff_flux": runoff_on(self.grid, self.runoff)} if self._has_rivers else {}
        return self.given.fields(self.grid) | rivers_

    def records(self) -> Iterable[Any]:
        """Returns the air in time."""
        return self.given.records(self.grid)
