"""The surface of an ocean under an atmosphere that runs at the same time (fathom/coupled/)."""

from __future__ import annotations

from collections.abc import Iterable

from fathom.model.component import Renaming
from fathom.model.order import Order
from fathom.model.schemes import scheme
from fathom.ocean.surface.forcing import Surface, salt_of_ice, stress_on_ice, until_rivers


class UnderAir(Surface):
    """Fluxes that an atmosphere gives as means over a step of the ocean
    (core/physics/sea_surface/under_air.hpp); `fm.Coupled` makes it.

    Parameters
    ----------
    rivers : whether the fields `runoff_flux` and `iceberg_heat_flux` have the water of rivers and
        icebergs, and the heat of these.
    volume : whether fresh water is volume, whose heat is then counted.
    """

    #: fields that the atmosphere sets, of water and of ice
    of_water = (
        "heat_into_open_water",
        "sunlight_into_open_water",
        "water_from_air",
        "snowfall_flux",
        "heat_from_air",
        "stress_eastward",
        "stress_northward",
    )
    of_ice = (
        "heat_into_ice_at_melting",
        "ice_heat_flux_slope",
        "ice_shortwave_flux",
        "ice_stress_eastward",
        "ice_stress_northward",
    )

    def __init__(self, rivers: bool = True, volume: bool = False) -> None:
        self.rivers, self.volume = rivers, volume

    def __repr__(self) -> str:
        return f"UnderAir(rivers={self.rivers}, volume={self.volume})"

    @property
    def reference_salinity(self) -> float:
        """Returns the salinity by which fresh water is virtual salt [1e-3]."""
        return float(scheme("SurfaceFluxes").all_parameters["reference_salinity"])

    @property
    def keeps_above_freezing(self) -> bool:  # type: ignore[override]
        """Returns whether water without an ice model stays at or above freezing."""
        return True

    @property
    def wind_variance(self) -> float | None:
        """Returns none: the wind is not given."""
        return None

    @property
    def taken(self) -> tuple[str, ...]:
        """Returns the names of the fields that the atmosphere sets."""
        return self.of_water if self.sea_ice is None else (*self.of_water, *self.of_ice)

    def renamings(self) -> Iterable[Renaming]:
        """Returns the name of the fresh water of the air, until that of rivers is added."""
        return until_rivers if self.rivers else ()

    def processes(self, phase: str, do: Order) -> None:
        """Adds the fluxes over water and ice, and those into the sea."""
        ice = self.sea_ice
        if phase == "air":
            do("SurfaceCurrent")
            do("SeaUnderAir" if ice is None else "WaterUnderAir")
            do("StressToGrid")
            if ice is not None:
                do("IceUnderAir")
                do("StressToGrid", on=stress_on_ice, label="StressToGrid of ice")
        if phase == "leads" and ice is not None:
            do("IceCoverOfStep")
        if phase == "fresh water":
            do("Runoff", when=self.rivers)
        if phase == "surface fluxes":
            if ice is not None:
                drifting = ice.thermodynamics.all_parameters["drifting_snow"]
                do(scheme("HeatNotTaken", drifting_snow=drifting))
            do("HeatOfIcebergs", when=self.rivers)
            do("HeatOfWater", when=self.volume)
            do("SurfaceFluxes")
            do("GivenFlux", on=salt_of_ice, label="GivenFlux of ice", when=ice is not None)
