"""What drives the ocean from above: the processes that give stress and fluxes, and the data they
read.

A surface offers `before(do)` and `after(do, cells, own_cells)`, which add its processes at the
start and at the end of a step, `fields(ocean)` that never change, and `records(ocean)`: the sources
of fields in time (fathom/run/forcing.py).
"""

import numpy as np

from fathom import mpi, names
from fathom.input.records import Input, given, sources
from fathom.input.values import on_columns
from fathom.ocean.air import Air, accepted, climatology
from fathom.schemes import scheme


class Surface:
    """What drives an ocean from above: `before` and `after` add its processes to a step (before the
    ocean's own, after the tracers), `fields` gives what does not change in time. Where there is sea
    ice, `before` says what air does to open water and to ice, and lets the ice divide it.
    """


stress_on_ice = {
    "stress_eastward": "ice_stress_eastward",
    "stress_northward": "ice_stress_northward",
    "surface_stress_x": "ice_stress_x",
    "surface_stress_y": "ice_stress_y",
}
salt_of_ice = {"given": "ice_salt_flux", "flux": "salinity_surface_flux"}


class BulkForcing(Surface):
    """Bulk formulae (Large & Yeager 2009) over the state of the air at any rhythm, with restoring
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
    balanced : bool. Fresh water sums to nothing over the sea: its mean is taken away in each step.
    parameters : those of the scheme BulkForcing (albedo, iterations, ...).
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

    mappings = ("data",)  # keywords that take a table of values

    def __init__(
        self,
        data="coads",
        *,
        missing=None,
        salinity_restoring=50 / (300 * 86400),
        temperature_restoring=0.0,
        salinity_restoring_under_ice=0.0,
        balanced=False,
        **parameters,
    ):
        self.data, self.missing = data, missing
        self.bulk = scheme("BulkForcing", **parameters)
        self.salinity_restoring, self.temperature_restoring = (
            float(salinity_restoring),
            float(temperature_restoring),
        )
        self.salinity_restoring_under_ice = float(salinity_restoring_under_ice)
        if not isinstance(balanced, bool):
            raise ValueError(f"BulkForcing balanced = {balanced!r} must be true or false")
        self.balanced = balanced
        self.given = Air(data, {name: name for name in self.air} | self._targets, missing)

    def __repr__(self):
        under_ice = (
            f", salinity_restoring_under_ice={self.salinity_restoring_under_ice:.3g}"
            if self.salinity_restoring_under_ice
            else ""
        )
        balanced = ", balanced=True" if self.balanced else ""
        return (
            f"BulkForcing({self.data!r}, salinity_restoring={self.salinity_restoring:.3g},"
            f" temperature_restoring={self.temperature_restoring:.3g}{under_ice}{balanced})"
        )

    @property
    def _targets(self):
        wanted = [
            ("restoring_temperature", "sea_surface_temperature", self.temperature_restoring),
            (
                "restoring_salinity",
                "sea_surface_salinity",
                self.salinity_restoring + self.salinity_restoring_under_ice,
            ),
        ]
        return {field: data for field, data, speed in wanted if speed > 0}

    def before(self, do, ice=None):
        """Processes at the start of a step."""
        do("SurfaceCurrent")
        self.given.interpolate(do)
        do(self.bulk)
        do("StressToGrid")
        if ice:
            do("BulkOverIce")
            do("StressToGrid", on=stress_on_ice, label="StressToGrid of ice")
            ice.move(do)
            ice.divide(do)
        else:
            do("IceCover")
        do(mpi.core.FreshwaterBalance() if self.balanced else None)
        if ice:
            ice.grow(do)
        do("SurfaceFluxes")
        do("GivenFlux", on=salt_of_ice, label="GivenFlux of ice", when=ice)
        speeds = {
            "TemperatureRestoring": self.temperature_restoring,
            "SalinityRestoring": self.salinity_restoring,
            "SalinityRestoringUnderIce": self.salinity_restoring_under_ice,
        }
        for name, speed in speeds.items():
            do(scheme(name, piston_velocity=speed) if speed > 0 else None)

    def after(self, do, cells, own_cells):
        """Processes at the end of a step; cells: what fields of cells are called then."""
        height = "sea_surface_height_after"
        names = {
            "temperature": "temperature_after",
            "salinity": "salinity_after",
            "surface_height": cells.get(height, height) if own_cells else height,
            "cell_thickness": cells.get("cell_thickness", "cell_thickness"),
        }
        do("FrazilExport")
        do("FreezingLimit", on=names)

    def fields(self, ocean):
        return self.given.fields(ocean)

    def records(self, ocean):
        return self.given.records(ocean)


# What a number may be: least, most, units.
plausible = {
    **dict.fromkeys(
        ("stress_x", "stress_y", "stress_eastward", "stress_northward"), (-100, 100, "N m-2")
    ),
    "heat_flux": (-1e5, 1e5, "W m-2"),
    "shortwave_flux": (0, 1e4, "W m-2"),
    "wind_speed": (0, 200, "m s-1"),
    "sea_ice_fraction": (0, 1, ""),
    "air_pressure": (1e4, 2e5, "Pa"),
}


def _is_usual_air(air):
    return isinstance(air, str) and air == climatology


class SurfaceForcing(Surface):
    """Stress and fluxes given directly: numbers, arrays (ny, nx), functions of (longitude,
    latitude) or (x, y); or in time: files, Records, xarray.DataArrays.

    Parameters
    ----------
    stress_x, stress_y : along the grid's axes, at corners [N m-2]; or
    stress_eastward, stress_northward : at centres [N m-2].
    heat_flux : [W m-2], positive into the ocean, at centres.
    shortwave_flux : [W m-2], what of heat_flux is sunlight, absorbed as deep as the water lets it.
    salinity_flux : [1e-3 m s-1], positive into the ocean.
    freshwater_flux : [kg m-2 s-1], positive into the ocean.
    wind_speed, sea_ice_fraction, air_pressure : [m s-1], [1], [Pa], for gas exchange alone (CFC11
        and the like).
    restoring_temperature, restoring_salinity : targets [degC, 1e-3], with
    piston_velocity : thickness of the top layer over the time scale [m s-1] (Haney 1971); of
        temperature in its place
    heat_flux_sensitivity : dQ/dT < 0 [W m-2 K-1]: heat_flux is that over restoring_temperature
        (Barnier et al. 1995); or BulkSensitivity(), that of the bulk formulae over
    air, missing : as `data` and `missing` of BulkForcing.
    """

    mappings = ("air",)
    # keyword -> field, unit, place
    quantities = {
        "stress_x": ("surface_stress_x", "N m-2", "corner"),
        "stress_y": ("surface_stress_y", "N m-2", "corner"),
        "stress_eastward": ("stress_eastward", "N m-2", "center"),
        "stress_northward": ("stress_northward", "N m-2", "center"),
        "heat_flux": ("surface_heat_flux", "W m-2", "center"),
        "shortwave_flux": ("surface_shortwave_flux", "W m-2", "center"),
        "salinity_flux": ("salinity_given_flux", "1e-3 m s-1", "center"),
        "freshwater_flux": ("surface_freshwater_flux", "kg m-2 s-1", "center"),
        "restoring_temperature": ("restoring_temperature", "degC", "center"),
        "restoring_salinity": ("restoring_salinity", "1e-3", "center"),
        "heat_flux_sensitivity": ("heat_flux_sensitivity", "W m-2 K-1", "center"),
        "wind_speed": ("wind_speed", "m s-1", "center"),
        "sea_ice_fraction": ("sea_ice_fraction", "1", "center"),
        "air_pressure": ("air_pressure", "Pa", "center"),
    }
    aliases = {
        "stress_eastward": "surface_eastward_stress",
        "stress_northward": "surface_northward_stress",
        "restoring_temperature": "sea_surface_temperature",
        "restoring_salinity": "sea_surface_salinity",
    }  # keyword -> field of the table of names

    def __init__(
        self,
        stress_x=0.0,
        stress_y=0.0,
        heat_flux=0.0,
        salinity_flux=0.0,
        restoring_temperature=None,
        restoring_salinity=None,
        piston_velocity=1e-5,
        shortwave_flux=0.0,
        freshwater_flux=0.0,
        *,
        stress_eastward=0.0,
        stress_northward=0.0,
        heat_flux_sensitivity=None,
        air=climatology,
        missing=None,
        wind_speed=None,
        sea_ice_fraction=0.0,
        air_pressure=101325.0,
    ):
        self.wind_speed, self.sea_ice_fraction, self.air_pressure = (
            wind_speed,
            sea_ice_fraction,
            air_pressure,
        )
        self.shortwave_flux, self.freshwater_flux = shortwave_flux, freshwater_flux
        self.stress_x, self.stress_y, self.heat_flux, self.salinity_flux = (
            stress_x,
            stress_y,
            heat_flux,
            salinity_flux,
        )
        self.stress_eastward, self.stress_northward, self.air, self.missing = (
            stress_eastward,
            stress_northward,
            air,
            missing,
        )
        self.restoring_temperature, self.restoring_salinity, self.piston_velocity = (
            restoring_temperature,
            restoring_salinity,
            float(piston_velocity),
        )
        self.heat_flux_sensitivity = heat_flux_sensitivity
        self._check()
        self.inputs = self._inputs()  # keyword -> what files give
        self.over = self._air()  # that of the bulk formulae

    def _check(self):
        """ValueError where two arguments do not go together."""
        if self._true and (self._is_given("stress_x") or self._is_given("stress_y")):
            raise ValueError(
                "stress_x, stress_y and stress_eastward, stress_northward are two ways to say one"
                " thing; give one pair"
            )
        self._check_air()
        self._check_numbers()
        sensitivity = self.heat_flux_sensitivity
        if sensitivity is not None and self.restoring_temperature is None:
            raise ValueError(
                "heat_flux_sensitivity needs restoring_temperature, over which heat_flux is"
            )
        if isinstance(sensitivity, (int, float, np.number)) and sensitivity > 0:
            raise ValueError(
                f"heat_flux_sensitivity = {sensitivity}: a warmer sea would be warmed; it"
                " is dQ/dT < 0 of the flux into the ocean [W m-2 K-1]"
            )

    def _check_air(self):
        """ValueError where the air is given that nothing reads, or twice."""
        usual_pressure = np.isscalar(self.air_pressure) and self.air_pressure == 101325.0
        if self._of_bulk and not (self.wind_speed is None and usual_pressure):
            raise ValueError(
                "wind_speed and air_pressure are those of the air over which BulkSensitivity is;"
                " give no others"
            )
        if not self._of_bulk and not (_is_usual_air(self.air) and self.missing is None):
            raise ValueError(
                f"air = {self.air!r}, missing = {self.missing!r}: they are for"
                " heat_flux_sensitivity = BulkSensitivity; nothing else reads them"
            )

    def _check_numbers(self):
        """ValueError for a number that no sea has seen."""
        for name, (least, most, units) in plausible.items():
            value = getattr(self, name)
            if isinstance(value, (int, float)) and not least <= value <= most:
                raise ValueError(
                    f"{name} = {value!r} must lie between {least:g} and {most:g} {units}"
                )

    def _inputs(self):
        """What files give, by keyword."""
        inputs = {}
        for name, (field, units, where) in self.quantities.items():
            if (records := given(getattr(self, name))) is None:
                continue
            called = self.aliases.get(name, field)
            row = names.fields.get(called)
            of_row = filter(None, (row.name, row.standard_name, row.alias)) if row else ()
            known = (name, *of_row, *accepted.get(called, ()))
            inputs[name] = Input(field, records, units, known, where)
        return inputs

    def _air(self):
        """The air of the bulk formulae; None where there are none."""
        if not self._of_bulk:
            return None
        wanted = ("wind_speed", "air_temperature", "specific_humidity", "air_pressure")
        return Air(self.air, {name: name for name in wanted}, self.missing)

    def _is_given(self, name):
        value = getattr(self, name)
        return not (value is None or (np.isscalar(value) and value == 0))

    @property
    def _true(self):
        """Whether stress is given eastward and northward."""
        return self._is_given("stress_eastward") or self._is_given("stress_northward")

    @property
    def _of_bulk(self):
        """Whether the slope of the heat flux is that of bulk formulae."""
        return getattr(self.heat_flux_sensitivity, "name", "") == "BulkSensitivity"

    def __repr__(self):
        return (
            f"SurfaceForcing({', '.join(name for name in self.quantities if self._is_given(name))})"
        )

    def before(self, do, ice=None):
        """Processes at the start of a step. ValueError: sea ice, over which no air is given."""
        if ice:
            raise ValueError(
                "sea ice needs the air above it: a surface that says it, as BulkForcing; with"
                " SurfaceForcing give the ocean no sea_ice"
            )
        for records in self.inputs.values():
            records.interpolate(do)
        if self.over:
            self.over.interpolate(do)
        do("StressToGrid", when=self._true)
        do("SurfaceFluxes")
        do(
            "GivenFlux",
            on={"given": "salinity_given_flux", "flux": "salinity_surface_flux"},
            label="GivenFlux of salinity",
            when=self._is_given("salinity_flux"),
        )
        do(self.heat_flux_sensitivity if self._of_bulk else None)
        restoring = scheme("TemperatureRestoring", piston_velocity=self.piston_velocity)
        if self.restoring_temperature is not None:
            do(restoring if self.heat_flux_sensitivity is None else "BarnierRestoring")
        if self.restoring_salinity is not None:
            do(scheme("SalinityRestoring", piston_velocity=self.piston_velocity))

    def after(self, do, cells, own_cells):
        """Processes at the end of a step: none."""

    def fields(self, ocean):
        made = {"heat_flux_sensitivity", "air_pressure"} if self._of_bulk else set()
        constant = [
            name
            for name in self.quantities
            if name not in self.inputs and name not in made and getattr(self, name) is not None
        ]
        fields = {
            self.quantities[name][0]: on_columns(
                ocean.grid, getattr(self, name), self.quantities[name][2], name
            )
            for name in constant
        }
        return fields | (self.over.fields(ocean) if self.over else {})

    def records(self, ocean):
        return sources(list(self.inputs.values()), ocean.grid) + (
            self.over.records(ocean) if self.over else []
        )
