"""Stress and fluxes of an ocean as they are given: numbers, arrays, functions, files, or the
embedded climatology of fluxes.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, ClassVar

import numpy as np

from fathom import names
from fathom.base.failure import InputError
from fathom.base.instants import days_of_months
from fathom.data import fluxes
from fathom.data.forcings import Climatology, Data, accepted, climatology
from fathom.data.input.records import Input, Points, given, interpolate, sources
from fathom.data.input.values import on_columns
from fathom.grids.water import WaterGrid
from fathom.model.component import Given, Renaming
from fathom.model.order import Order
from fathom.model.schemes import Scheme, scheme
from fathom.names import quantities
from fathom.ocean.components.sea_ice import SeaIce
from fathom.ocean.surface.air import Air
from fathom.ocean.surface.forcing import (
    BulkForcing,
    Surface,
    balance,
    rivers,
    runoff_on,
    salt_of_ice,
    stress_on_ice,
    truth,
    until_rivers,
)

flux_climatology = "ncep"  # name of the embedded one
# keyword -> its variable
of_climatology = {
    "stress_eastward": "stress_eastward",
    "stress_northward": "stress_northward",
    "heat_flux": "surface_heat_flux",
    "shortwave_flux": "surface_shortwave_flux",
    "freshwater_flux": "surface_freshwater_flux",
    "restoring_temperature": "sea_surface_temperature",
    "restoring_salinity": "sea_surface_salinity",
    "sea_ice_fraction": "sea_ice_fraction",
}
usual = dict.fromkeys(
    (
        "stress_eastward",
        "stress_northward",
        "heat_flux",
        "shortwave_flux",
        "freshwater_flux",
        "runoff",
        "sea_ice_fraction",
    ),
    0.0,
)

of_sensitivity = ("wind_speed", "air_temperature", "specific_humidity", "air_pressure")
of_ice = tuple(name for name in BulkForcing.air if name != "sea_ice_fraction")


def _is_climatology(value: Any) -> bool:
    """Returns whether a value is the embedded climatology of fluxes."""
    return isinstance(value, str) and value == flux_climatology


def _known_data(data: str | None) -> str | None:
    """Returns the data. InputError: they are not known."""
    if data is not None and not _is_climatology(data):
        raise InputError(
            f"SurfaceForcing data = {data!r}{names.near(str(data), [flux_climatology])}; allowed:"
            f" {flux_climatology!r}, none; files are given by keyword, as heat_flux = 'hfds.nc'"
        )
    return data


def _is_usual_air(air: Any) -> bool:
    """Returns whether no other air is given."""
    return isinstance(air, str) and air == climatology


class SurfaceForcing(Surface):
    """Stress and fluxes given directly: numbers, arrays (ny, nx), functions of (longitude,
    latitude) or (x, y); or in time: files, Records, xarray.DataArrays.

    Parameters
    ----------
    data : None, or "ncep", the embedded monthly climatology (fathom/data/fluxes.py): it gives
        all that no other argument gives - stress, heat, sunlight, fresh water, rivers, and the
        temperature and salinity of restoring; and the sea stays at or above freezing.
    stress_x, stress_y : along the grid's axes, at corners [N m-2]; or
    stress_eastward, stress_northward : at centres [N m-2].
    heat_flux : [W m-2], positive into the ocean, at centres.
    shortwave_flux : [W m-2], the sunlight in heat_flux; the water absorbs it over its depth.
    salinity_flux : [1e-3 m s-1], positive into the ocean.
    freshwater_flux : [kg m-2 s-1], positive into the ocean.
    runoff : [kg m-2 s-1], fresh water of rivers in addition; "core2": the embedded ones, at their
        mouths.
    wind_speed, sea_ice_fraction, air_pressure : [m s-1], [1], [Pa], for gas exchange alone (CFC11
        and the like).
    restoring_temperature, restoring_salinity : targets [degC, 1e-3], with
    piston_velocity : thickness of the top layer over the time scale [m s-1] (Haney 1971); 0: no
        restoring.
    salinity_restoring : that of salinity; None: the same.
    balanced : bool. The sums over the sea of the grid are zero: for fresh water and salt in each
        step, for the heat of `data` over the year.
    Instead of the piston velocity of temperature
    heat_flux_sensitivity : dQ/dT < 0 [W m-2 K-1]: heat_flux is that over restoring_temperature
        (Barnier et al. 1995); or BulkSensitivity(), that of the bulk formulae over
    air, missing : as `data` and `missing` of BulkForcing: the air of BulkSensitivity, and the air
        over sea ice, where bulk formulae compute heat and snow. The given heat is then that into
        open water; stress and fresh water are for the whole cell.
    """

    mappings: ClassVar[tuple[str, ...]] = ("air",)
    # keyword -> field, unit, place
    quantities: ClassVar[dict[str, tuple[str, str, str]]] = {
        "stress_x": ("surface_stress_x", "N m-2", "corner"),
        "stress_y": ("surface_stress_y", "N m-2", "corner"),
        "stress_eastward": ("stress_eastward", "N m-2", "center"),
        "stress_northward": ("stress_northward", "N m-2", "center"),
        "heat_flux": ("surface_heat_flux", "W m-2", "center"),
        "shortwave_flux": ("surface_shortwave_flux", "W m-2", "center"),
        "salinity_flux": ("salinity_given_flux", "1e-3 m s-1", "center"),
        "freshwater_flux": ("surface_freshwater_flux", "kg m-2 s-1", "center"),
        "runoff": ("runoff_flux", "kg m-2 s-1", "center"),
        "restoring_temperature": ("restoring_temperature", "degC", "center"),
        "restoring_salinity": ("restoring_salinity", "1e-3", "center"),
        "heat_flux_sensitivity": ("heat_flux_sensitivity", "W m-2 K-1", "center"),
        "wind_speed": ("wind_speed", "m s-1", "center"),
        "sea_ice_fraction": ("sea_ice_fraction", "1", "center"),
        "air_pressure": ("air_pressure", "Pa", "center"),
    }
    aliases: ClassVar[dict[str, str]] = {
        "stress_eastward": "surface_eastward_stress",
        "stress_northward": "surface_northward_stress",
        "restoring_temperature": "sea_surface_temperature",
        "restoring_salinity": "sea_surface_salinity",
    }  # keyword -> field of the table of names

    def __init__(
        self,
        stress_x: Given = 0.0,
        stress_y: Given = 0.0,
        heat_flux: Given | None = None,
        salinity_flux: Given = 0.0,
        restoring_temperature: Given | None = None,
        restoring_salinity: Given | None = None,
        piston_velocity: float = 1e-5,
        shortwave_flux: Given | None = None,
        freshwater_flux: Given | None = None,
        *,
        data: str | None = None,
        stress_eastward: Given | None = None,
        stress_northward: Given | None = None,
        runoff: Given | None = None,
        salinity_restoring: float | None = None,
        balanced: bool = False,
        heat_flux_sensitivity: Given | Scheme | None = None,
        air: Data = climatology,
        missing: str | None = None,
        wind_speed: Given | None = None,
        sea_ice_fraction: Given | None = None,
        air_pressure: Given = 101325.0,
    ) -> None:
        self.data = _known_data(data)
        self.stress_x, self.stress_y, self.salinity_flux = stress_x, stress_y, salinity_flux
        of_data = self._of_data(heat_flux)

        def value(name: Any, given: Any) -> Any:
            return of_data.get(name, usual.get(name)) if given is None else given

        self.stress_eastward = value("stress_eastward", stress_eastward)
        self.stress_northward = value("stress_northward", stress_northward)
        self.heat_flux = value("heat_flux", heat_flux)
        self.shortwave_flux = value("shortwave_flux", shortwave_flux)
        self.freshwater_flux = value("freshwater_flux", freshwater_flux)
        self.runoff = value("runoff", runoff)
        self.restoring_temperature = value("restoring_temperature", restoring_temperature)
        self.restoring_salinity = value("restoring_salinity", restoring_salinity)
        self.sea_ice_fraction = value("sea_ice_fraction", sea_ice_fraction)
        self.wind_speed, self.air_pressure = wind_speed, air_pressure
        self.air, self.missing = air, missing
        self.piston_velocity = float(piston_velocity)
        self.salinity_restoring = (
            self.piston_velocity if salinity_restoring is None else float(salinity_restoring)
        )
        self.balanced = truth("SurfaceForcing", "balanced", balanced)
        self.heat_flux_sensitivity = heat_flux_sensitivity
        self._check()
        self.inputs = self._inputs()  # keyword -> variable of files

    def _of_data(self, heat_flux: Given | None) -> dict[str, str]:
        """Returns keyword -> the name of the climatology, or of its rivers, that is its value where
        none is given.
        """
        if self.data is None:
            return {}
        along_grid = self._is_given("stress_x") or self._is_given("stress_y")
        left_out = {"stress_eastward", "stress_northward"} if along_grid else set()
        if heat_flux is not None:
            left_out.add("shortwave_flux")  # part of another heat flux
        return {name: self.data for name in of_climatology if name not in left_out} | {
            "runoff": rivers
        }

    @property
    def climate(self) -> dict[str, str]:
        """Returns field -> variable of the climatology."""
        return {
            self.quantities[name][0]: variable
            for name, variable in of_climatology.items()
            if _is_climatology(getattr(self, name))
        }

    def _check(self) -> None:
        """Raises InputError: two arguments exclude each other."""
        if self._true and (self._is_given("stress_x") or self._is_given("stress_y")):
            raise InputError(
                "stress_x, stress_y and stress_eastward, stress_northward have the same"
                " meaning; give one pair"
            )
        self._check_air()
        self._check_numbers()
        sensitivity = self.heat_flux_sensitivity
        if sensitivity is not None and self.restoring_temperature is None:
            raise InputError(
                "heat_flux_sensitivity needs restoring_temperature, the temperature of heat_flux"
            )
        if isinstance(sensitivity, (int, float, np.number)) and sensitivity > 0:
            raise InputError(
                f"heat_flux_sensitivity = {sensitivity}: a warmer sea would get more heat; it"
                " is dQ/dT < 0 of the flux into the ocean [W m-2 K-1]"
            )

    def _check_air(self) -> None:
        """Raises InputError: the air is not known."""
        if self.missing not in (None, climatology):
            raise InputError(f"missing = {self.missing!r}; allowed: {climatology!r}, none")
        if self._of_bulk:
            self._air(ice=None)

    def _check_numbers(self) -> None:
        """Raises InputError: a number is impossible in the sea."""
        for name in self.quantities:
            quantities.check_number(name, getattr(self, name))

    def _inputs(self) -> dict[str, Input]:
        """Returns the inputs from files, by keyword."""
        inputs = {}
        for name, (field, units, where) in self.quantities.items():
            value = getattr(self, name)
            if _is_climatology(value) or (records := given(value)) is None:
                continue
            called = self.aliases.get(name, field)
            row = names.fields.get(called)
            of_row = filter(None, (row.name, row.standard_name, row.alias)) if row else ()
            known = (name, *of_row, *accepted.get(called, ()))
            inputs[name] = Input(self._with_rivers(field), records, units, known, where)
        return inputs

    def _air(self, ice: SeaIce | None) -> Air | None:
        """Returns the air of the bulk formulae; None where there are none. InputError: air that
        nothing reads, or air given twice.
        """
        if not (self._of_bulk or ice):
            if not (_is_usual_air(self.air) and self.missing is None):
                raise InputError(
                    f"air = {self.air!r}, missing = {self.missing!r}: they are for"
                    " heat_flux_sensitivity = BulkSensitivity and for sea ice; nothing else reads"
                    " them"
                )
            return None
        usual_pressure = np.isscalar(self.air_pressure) and self.air_pressure == 101325.0
        if not (self.wind_speed is None and usual_pressure):
            raise InputError(
                "wind_speed and air_pressure come from the air of the bulk formulae; do not give"
                " others"
            )
        wanted = of_ice if ice else of_sensitivity
        return Air(self.air, {name: name for name in wanted}, self.missing)

    @property
    def keeps_above_freezing(self) -> bool:  # type: ignore[override]
        """Returns whether the climatology gives the fluxes."""
        return self.data is not None

    @property
    def wind_variance(self) -> float | None:
        """Returns that of the air of bulk formulae; 1 of a given wind; None: there is none."""
        if (air := self._air(ice=None) if self._of_bulk else None) is not None:
            return air.wind_variance
        return None if self.wind_speed is None else 1.0

    def _is_given(self, name: str) -> bool:
        value = getattr(self, name)
        return not (value is None or (np.isscalar(value) and value == 0))

    def _is_of_data(self, name: str) -> bool:
        value = getattr(self, name)
        return self.data is not None and isinstance(value, str) and value in (self.data, rivers)

    @property
    def _true(self) -> bool:
        """Returns whether stress is given eastward and northward."""
        return self._is_given("stress_eastward") or self._is_given("stress_northward")

    @property
    def _of_bulk(self) -> bool:
        """Returns whether the slope of the heat flux is that of bulk formulae."""
        return getattr(self.heat_flux_sensitivity, "name", "") == "BulkSensitivity"

    def __repr__(self) -> str:
        told = [f"data={self.data!r}"] if self.data else []
        told += [
            name for name in self.quantities if self._is_given(name) and not self._is_of_data(name)
        ]
        return f"SurfaceForcing({', '.join(told)})"

    def renamings(self) -> Iterable[Renaming]:
        """Returns the name of the fresh water of the air, until that of rivers is added."""
        return until_rivers if self._is_given("runoff") else ()

    def processes(self, phase: str, do: Order) -> None:
        """Adds what makes the given fluxes, and the fluxes into the sea. InputError: air that
        nothing reads, or given twice; with sea ice, stress along the grid's axes.
        """
        ice = self.sea_ice
        if phase == "air":
            self._interpolate(do)
            do("StressToGrid", when=self._true)
            if ice is not None:
                self._over_ice(do)
        if phase == "fresh water":
            do("Runoff", when=self._is_given("runoff"))
            if self.balanced:
                balance(do, salt=False)
        if phase == "surface fluxes":
            do("SurfaceFluxes")
            do("GivenFlux", on=salt_of_ice, label="GivenFlux of ice", when=ice is not None)
            do(
                "GivenFlux",
                on={"given": "salinity_given_flux", "flux": "salinity_surface_flux"},
                label="GivenFlux of salinity",
                when=self._is_given("salinity_flux"),
            )
            self._restore(do)

    def _interpolate(self, do: Order) -> None:
        """Adds the fields that come in time."""
        for name, records in self.inputs.items():
            interpolate(do, self._field(name), records.where)
        for field in self.climate:
            interpolate(do, self._with_rivers(field))
        if (air := self._air(self.sea_ice)) is not None:
            air.interpolate(do)

    def _over_ice(self, do: Order) -> None:
        """Adds the effect of the air on sea ice: heat of bulk formulae, the given stress, and the
        given fresh water, in frost as snow.
        """
        if self._is_given("stress_x") or self._is_given("stress_y"):
            raise InputError(
                "sea ice needs the stress of the air at centres: give stress_eastward,"
                " stress_northward instead of stress_x, stress_y"
            )
        air = self._air(self.sea_ice)
        do(None if air is None else air.over_ice)
        do("GivenWaterOverIce")
        given_stress = {
            name: stress_on_ice[name] for name in ("surface_stress_x", "surface_stress_y")
        }
        do("StressToGrid", on=given_stress, label="StressToGrid of ice", when=self._true)

    def _restore(self, do: Order) -> None:
        """Adds restoring of temperature, by a piston velocity or by the slope of the heat flux, and
        salinity.
        """
        do(self.heat_flux_sensitivity if self._of_bulk else None)
        if self.restoring_temperature is not None:
            haney = scheme("TemperatureRestoring", piston_velocity=self.piston_velocity)
            do(haney if self.heat_flux_sensitivity is None else "BarnierRestoring")
        if self.restoring_salinity is not None and self.salinity_restoring:
            do(scheme("SalinityRestoring", piston_velocity=self.salinity_restoring))
            if self.balanced:
                balance(do, salt=True)

    def _with_rivers(self, field: str) -> str:
        """Returns the name of a field to which rivers are added."""
        rivers_come = field == "surface_freshwater_flux" and self._is_given("runoff")
        return "air_freshwater_flux" if rivers_come else field

    def _field(self, name: str) -> str:
        """Returns the field of a keyword."""
        return self._with_rivers(self.quantities[name][0])

    def fixed_fields(self) -> Mapping[str, Any]:
        """Returns what is given and does not change in time."""
        over = self._air(self.sea_ice)
        made = {"heat_flux_sensitivity"} if self._of_bulk else set()
        made |= {"air_pressure", "wind_speed"} if over else set()
        made |= {"stress_x", "stress_y"} if self._true else set()
        constant = [
            name
            for name in self.quantities
            if name not in self.inputs
            and name not in made
            and getattr(self, name) is not None
            and not _is_climatology(getattr(self, name))
        ]
        fields = {
            self._field(name): on_columns(
                self.grid, getattr(self, name), self.quantities[name][2], name
            )
            for name in constant
            if name != "runoff"
        }
        if "runoff" in constant:
            fields["runoff_flux"] = runoff_on(self.grid, self.runoff)
        return fields | (over.fields(self.grid) if over else {})

    def records(self) -> Iterable[Any]:
        """Returns the climatology, files, and the air in time."""
        of_files = sources(list(self.inputs.values()), self.grid)
        over = self._air(self.sea_ice)
        of_air = over.records(self.grid) if over else []
        return [*self._climatology(), *of_files, *of_air]

    def _climatology(self) -> list[Climatology]:
        """Returns the source of the fields of the climatology; none where it gives no field."""
        wanted = {self._with_rivers(field): variable for field, variable in self.climate.items()}
        if not wanted:
            return []
        heat = "surface_heat_flux"
        balanced = self.balanced and heat in wanted
        less = {heat: _annual_mean(self.grid, heat)} if balanced else {}
        return [Climatology(wanted, self.grid, fluxes, less)]


def _annual_mean(grid: WaterGrid, variable: str) -> np.float32:
    """Returns the annual mean of the climatology of fluxes over the sea of a grid."""
    points = Points(grid)
    months = [
        fluxes.on_points(points.latitude, points.longitude, variable, month=month)[variable]
        for month in range(12)
    ]
    area = np.where(points.wet, np.asarray(grid.horizontal.area_center), 0.0)
    return np.float32(
        (np.average(months, axis=0, weights=days_of_months) * area).sum() / area.sum()
    )
