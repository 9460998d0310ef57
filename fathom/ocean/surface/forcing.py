"""The forcing at the ocean's surface: the processes that give stress and fluxes, and the data they
read.

A surface offers `before(do)` and `after(do, cells, own_cells)`, which add its processes at the
start and at the end of a step, `fields(ocean)` that never change, and `records(ocean)`: the sources
of fields in time (fathom/run/forcing.py).
"""

import numpy as np

from fathom.base import mpi
from fathom.base.configurable import Configurable
from fathom.base.failure import InputError
from fathom.base.reading import once
from fathom.base.shown import OpenSignature
from fathom.base.units import conversion
from fathom.data import fluxes
from fathom.data.input.records import given
from fathom.data.input.values import on_columns
from fathom.grids.regrid.mouths import spread
from fathom.model.schemes import scheme
from fathom.ocean.surface.air import Air


class Surface(Configurable):
    """The forcing at the surface of an ocean: `before` and `after` add its processes to a step
    (before the ocean's own, after the tracers), `fields` gives what does not change in time. With
    sea ice, `before` adds the fluxes of the air over open water and over ice; the ice divides them.
    """


stress_on_ice = {
    "stress_eastward": "ice_stress_eastward",
    "stress_northward": "ice_stress_northward",
    "surface_stress_x": "ice_stress_x",
    "surface_stress_y": "ice_stress_y",
}
salt_of_ice = {"given": "ice_salt_flux", "flux": "salinity_surface_flux"}


def truth(of, name, value):
    """ValueError for a value that is neither true nor false."""
    if not isinstance(value, bool):
        raise InputError(f"{of} {name} = {value!r} must be true or false")
    return value


def freezing_limit(do, cells, own_cells):
    """The sea stays at or above freezing, at the end of a step; cells: the names of fields of
    cells then.
    """
    height = "sea_surface_height_after"
    names = {
        "temperature": "temperature_after",
        "salinity": "salinity_after",
        "surface_height": cells.get(height, height) if own_cells else height,
        "cell_thickness": cells.get("cell_thickness", "cell_thickness"),
    }
    do("FrazilExport")
    do("FreezingLimit", on=names)


rivers = "core2"  # names of the embedded ones


of_rivers = (
    "runoff_flux",
    "water_flux_into_sea_water_from_rivers",
    "friver",
    "runoff",
    "Foxx_o_roff",
)


def runoff_on(grid, value):
    """Water of rivers on the columns of a grid [kg m-2 s-1]: a number, an array, a function; the
    embedded ones, or the mean over the records of a file on latitudes and longitudes, at their
    mouths.
    """
    embedded = isinstance(value, str) and value == rivers
    records = None if embedded else given(value)
    if records is None and not embedded:
        return on_columns(grid, value, name="runoff", units="kg m-2 s-1")
    if not grid.horizontal.spherical:
        raise InputError(f"runoff = {value!r} is for grids on the sphere; this one is a plane")
    longitude, latitude = map(np.asarray, grid.coordinates("center"))
    wet, area = np.asarray(grid.wet_levels) > 0, np.asarray(grid.horizontal.area_center)
    farthest = np.inf if grid.horizontal.periodic else 500e3  # those of a region alone
    target = (latitude, longitude, area, wet)
    if embedded:
        return fluxes.rivers_on(*target, farthest)
    return _of_file(records, target, farthest)


@once
def _of_file(records, target, farthest):
    """Rivers of records, spread at their mouths."""
    variable = records.find(of_rivers)
    told = (records.units or variable.units).replace("(", "").replace(")", "")
    factor, _ = conversion(told, "kg m-2 s-1")
    number = 1 if variable.axis.constant else len(variable.axis)
    mean = sum(np.nan_to_num(records.read(variable, n).astype(float)) for n in range(number))
    if variable.latitude is None:
        raise InputError(f"{records}: {variable.name} of rivers needs latitude and longitude")
    flux = mean * factor / number
    return spread(flux, variable.latitude, variable.longitude, target, farthest=farthest)


def balance(do, salt):
    """Fresh water, and salt where it is restored, sum to nothing over the sea in each step."""
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
    __signature__ = OpenSignature(lambda: scheme("BulkForcing").all_parameters)

    def __init__(
        self,
        data="coads",
        *,
        missing=None,
        salinity_restoring=50 / (300 * 86400),
        temperature_restoring=0.0,
        salinity_restoring_under_ice=0.0,
        runoff=0.0,
        balanced=False,
        storms=False,
        **parameters,
    ) -> None:
        self.data, self.missing = data, missing
        self.bulk = scheme("BulkForcing", **parameters)
        self.parameters = self.bulk.parameters
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

    def __repr__(self):
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
        do(self.bulk, on=self._air_water)
        do("StressToGrid")
        if ice:
            do(self.given.over_ice)
            do("StressToGrid", on=stress_on_ice, label="StressToGrid of ice")
            ice.move(do)
            ice.reflect(do)
            do("LightInLeads", where=ice.somewhere)
            ice.divide(do, self._air_water)
        else:
            do("IceCover", on=self._air_water)
        do("Runoff", when=self._rivers)
        if self.balanced:
            balance(do, salt=False)
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
        if self.balanced and any(name.startswith("Salinity") and v for name, v in speeds.items()):
            balance(do, salt=True)

    @property
    def _rivers(self):
        return not (np.isscalar(self.runoff) and self.runoff == 0)

    @property
    def _air_water(self):
        """The name of the fresh water of air and sea to which that of rivers is added."""
        return {"surface_freshwater_flux": "air_freshwater_flux"} if self._rivers else None

    def after(self, do, cells, own_cells):
        """Processes at the end of a step; cells: what fields of cells are called then."""
        freezing_limit(do, cells, own_cells)

    def fields(self, ocean):
        rivers_ = {"runoff_flux": runoff_on(ocean.grid, self.runoff)} if self._rivers else {}
        return self.given.fields(ocean) | rivers_

    def records(self, ocean):
        return self.given.records(ocean)
