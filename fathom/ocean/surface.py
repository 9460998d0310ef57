"""What drives the ocean from above: the processes that give stress and fluxes, and the data they read.

A surface offers `processes(precision)` for the sequence, `fields(ocean)` that never change, and `records(ocean, month)`: fields in
time, interpolated between the middles of months.
"""

import numpy as np

from fathom.components import scheme


class BulkForcing:
    """Bulk formulae (Large & Yeager 2009) over a monthly climatology of the air, with restoring of surface salinity.

    Parameters
    ----------
    data : "coads", the embedded climatology.
    salinity_restoring, temperature_restoring : piston velocity [m s-1]; 0 for none. The targets are the observed ones.
    salinity_restoring_under_ice : piston velocity [m s-1] that observed sea ice adds where it covers all.
    balanced : bool. Fresh water sums to nothing over the sea: its mean is taken away in each step.
    parameters : those of the scheme BulkForcing (albedo, iterations, ...).
    """

    air = ("eastward_wind", "northward_wind", "wind_speed", "air_temperature", "specific_humidity", "air_pressure", "downward_shortwave_flux",
           "downward_longwave_flux", "precipitation_flux", "sea_ice_fraction")  # fmt: skip

    def __init__(self, data="coads", *, salinity_restoring=50 / (300 * 86400), temperature_restoring=0.0, salinity_restoring_under_ice=0.0, balanced=False, **parameters):
        if data != "coads":
            raise ValueError(f"unknown forcing data '{data}'; allowed: coads")
        self.data = data
        self.bulk = scheme("BulkForcing", **({"insulation": 1e6} | parameters))  # observed ice already covers the cold water
        self.salinity_restoring, self.temperature_restoring = float(salinity_restoring), float(temperature_restoring)
        self.salinity_restoring_under_ice = float(salinity_restoring_under_ice)
        if not isinstance(balanced, bool):
            raise ValueError(f"BulkForcing balanced = {balanced!r} must be true or false")  # noqa: TRY004  all errors of the user are ValueErrors
        self.balanced = balanced

    def __repr__(self):
        under_ice = f", salinity_restoring_under_ice={self.salinity_restoring_under_ice:.3g}" if self.salinity_restoring_under_ice else ""
        balanced = ", balanced=True" if self.balanced else ""
        return f"BulkForcing({self.data!r}, salinity_restoring={self.salinity_restoring:.3g}, temperature_restoring={self.temperature_restoring:.3g}{under_ice}{balanced})"

    @property
    def _targets(self):
        wanted = [("restoring_temperature", "sea_surface_temperature", self.temperature_restoring), ("restoring_salinity", "sea_surface_salinity", self.salinity_restoring + self.salinity_restoring_under_ice)]
        return {field: data for field, data, speed in wanted if speed > 0}

    def processes(self, precision):
        list_ = [scheme("SurfaceCurrent").process(precision, phase="surface")]
        for field in [*self.air, *self._targets]:
            names = {"previous": field + "_previous", "next": field + "_next", "value": field}
            list_.append(scheme("TimeInterpolation").process(precision, phase="surface", on=names, label=f"TimeInterpolation of {field}"))
        list_ += [self.bulk.process(precision, phase="surface"), scheme("IceCover").process(precision, phase="surface")]
        if self.balanced:
            list_.append(scheme("FreshwaterBalance").process(precision, phase="surface"))
        list_ += [scheme("StressToGrid").process(precision, phase="surface"), scheme("SurfaceFluxes").process(precision, phase="surface")]
        speeds = {"TemperatureRestoring": self.temperature_restoring, "SalinityRestoring": self.salinity_restoring, "SalinityRestoringUnderIce": self.salinity_restoring_under_ice}
        for name, speed in speeds.items():
            if speed > 0:
                list_.append(scheme(name, piston_velocity=speed).process(precision, phase="surface"))
        return list_

    def after(self, precision, cells=None):
        """Processes at the end of a step; cells: where they differ in thickness, what their fields are called then."""
        names = {"temperature": "temperature_after", "salinity": "salinity_after", "surface_height": "sea_surface_height_after"}
        if cells is None:
            return [scheme("FreezingLimit").process(precision, phase="surface", on=names)]
        names |= {field: cells.get(name, name) for field, name in (("cell_thickness", "cell_thickness"), ("surface_height", "sea_surface_height_after"))}
        return [scheme("FreezingLimitInCells").process(precision, phase="surface", on=names, label="FreezingLimit")]

    def fields(self, ocean):
        return {}

    def records(self, ocean, month):
        """name of the field -> array (ny, nx) at the middle of a month, 0 for January."""
        from fathom.data import surface

        h = ocean.grid.horizontal
        data = surface.on_points(np.asarray(h.center_latitude), np.asarray(h.center_longitude), *self.air, *self._targets.values(), month=month)
        return {field: data[field] for field in self.air} | {field: data[name] for field, name in self._targets.items()}


class SurfaceForcing:
    """Stress and fluxes given directly, constant in time: numbers, arrays (ny, nx), or functions of (longitude, latitude) or (x, y).

    Parameters
    ----------
    stress_x, stress_y : along the grid's axes, at corners [N m-2].
    heat_flux : [W m-2], positive into the ocean, at centres.
    shortwave_flux : [W m-2], what of heat_flux is sunlight, absorbed as deep as the water lets it.
    salinity_flux : [1e-3 m s-1], positive into the ocean.
    freshwater_flux : [kg m-2 s-1], positive into the ocean.
    restoring_temperature, restoring_salinity : targets [degC, 1e-3], with
    piston_velocity : thickness of the top layer over the time scale [m s-1].
    """

    heat_capacity = 1026 * 3996.0  # of a cubic metre of sea water [J m-3 K-1]

    def __init__(self, stress_x=0.0, stress_y=0.0, heat_flux=0.0, salinity_flux=0.0, restoring_temperature=None, restoring_salinity=None, piston_velocity=1e-5, shortwave_flux=0.0,
                 freshwater_flux=0.0):  # fmt: skip
        self.shortwave_flux, self.freshwater_flux = shortwave_flux, freshwater_flux
        self.stress_x, self.stress_y, self.heat_flux, self.salinity_flux = stress_x, stress_y, heat_flux, salinity_flux
        self.restoring_temperature, self.restoring_salinity, self.piston_velocity = restoring_temperature, restoring_salinity, float(piston_velocity)

    def __repr__(self):
        given = {k: v for k, v in vars(self).items() if not (v is None or (np.isscalar(v) and v == 0))}
        return f"SurfaceForcing({', '.join(given)})"

    @property
    def _restored(self):
        return [(tracer, target) for tracer, target in (("temperature", self.restoring_temperature), ("salinity", self.restoring_salinity)) if target is not None]

    def processes(self, precision):
        list_ = []
        for tracer in ("temperature", "salinity"):
            names = {"given": f"{tracer}_given_flux", "flux": f"{tracer}_surface_flux"}
            list_.append(scheme("GivenFlux").process(precision, phase="surface", on=names, label=f"GivenFlux of {tracer}"))
        for tracer, _ in self._restored:
            list_.append(scheme(f"{tracer.capitalize()}Restoring", piston_velocity=self.piston_velocity).process(precision, phase="surface"))
        return list_

    def after(self, precision, cells=None):
        return []

    def fields(self, ocean):
        from fathom.state import on_columns

        rain = on_columns(ocean.grid, self.freshwater_flux)
        salt = on_columns(ocean.grid, self.salinity_flux) - scheme("SurfaceFluxes").all_parameters["reference_salinity"] / 1000 * rain
        fields = {"surface_stress_x": on_columns(ocean.grid, self.stress_x, "corner"), "surface_stress_y": on_columns(ocean.grid, self.stress_y, "corner"),
                  "temperature_given_flux": on_columns(ocean.grid, self.heat_flux) / self.heat_capacity, "salinity_given_flux": salt,
                  "surface_shortwave_flux": on_columns(ocean.grid, self.shortwave_flux), "surface_freshwater_flux": rain}  # fmt: skip
        return fields | {f"restoring_{tracer}": on_columns(ocean.grid, target) for tracer, target in self._restored}

    def records(self, ocean, month):
        return {}
