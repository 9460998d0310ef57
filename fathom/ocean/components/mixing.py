"""Vertical mixing of the ocean: which processes make viscosity and diffusivities, and factorise
their diffusion (docs/physics.md).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from fathom.base.failure import InputError
from fathom.data import tides
from fathom.data.input.values import on_columns
from fathom.grids.water import WaterGrid
from fathom.model.component import Field, Given
from fathom.model.order import Order
from fathom.model.schemes import Scheme
from fathom.ocean.components.component import OceanComponent, Tendency

# With double diffusion salt and the other tracers have factors of their own.
OF_SALT = {
    "vertical_diffusivity": "salt_diffusivity",
    "mixing_exchange": "salt_exchange",
    "mixing_pivot": "salt_pivot",
}


def has_boundary_layer(scheme: Scheme) -> bool:
    """Returns whether a mixing scheme knows a boundary layer."""
    return "boundary_layer_depth" in scheme.field_names


class TidalMixing:
    """Mixing where internal tides break.

    Parameters
    ----------
    grid : of water.
    scheme : TidalMixing; None: none.
    energy : that they lose where they arise, ½ rho0 k h² u² [J m-2]: a number, an array (ny, nx), a
        function, a file; None: of the real sea floor.
    """

    def __init__(self, grid: WaterGrid, scheme: Scheme | None, energy: Given | None) -> None:
        self.grid, self.scheme, self.energy = grid, scheme, energy

    def fields(self) -> dict[str, Any]:
        """Returns the energy [J m-2], (ny, nx), if a scheme reads it."""
        h = self.grid.horizontal
        if self.energy is not None and self.scheme is None:
            raise InputError("tidal_energy is given, but there is no tidal_mixing that reads it")
        if self.scheme is None:
            return {}
        if self.energy is not None:
            energy = on_columns(self.grid, self.energy, name="tidal_energy", units="J m-2")
            return {"tidal_energy": energy}
        if not h.spherical:
            raise InputError(
                "TidalMixing on a plane needs tidal_energy [J m-2]; that of the real sea floor is"
                " for grids on the sphere"
            )
        return {"tidal_energy": tides.energy(h.corner_longitude, h.corner_latitude)}


class VerticalMixing(OceanComponent):
    """Viscosity and diffusivities of columns, and the factors of their implicit diffusion.

    Parameters
    ----------
    scheme : RichardsonMixing, KPP or ConstantMixing.
    background : BryanLewisMixing, added to it; None: none.
    tidal : added to it.
    double_diffusion : DoubleDiffusion: salt and other tracers have another diffusivity than
        temperature; None: none.
    equation_of_state : for the buoyancy of surface fluxes, and for double diffusion.
    eddies : whether eddies add to the diffusivity of tracers (`whole_diffusivity`), and find the
        expansion of the water.
    """

    def __init__(
        self,
        scheme: Scheme,
        background: Scheme | None,
        tidal: TidalMixing,
        double_diffusion: Scheme | None,
        equation_of_state: Scheme,
        eddies: bool,
    ) -> None:
        self.scheme, self.background, self.tidal = scheme, background, tidal
        self.double_diffusion = double_diffusion
        self.equation_of_state, self.eddies = equation_of_state, eddies
        self.has_boundary_layer = has_boundary_layer(scheme)

    def fixed_fields(self) -> Mapping[str, Any]:
        """Returns the energy of tides."""
        return self.tidal.fields()

    def diagnostics(self) -> Iterable[str]:
        """Returns the depth of the boundary layer."""
        return ["boundary_layer_depth"] if self.has_boundary_layer else []

    def processes(self, phase: str, do: Order) -> None:
        """Adds the scheme, what is added to it, and the factors of diffusion."""
        heat = {"vertical_diffusivity": "whole_diffusivity"} if self.eddies else {}
        if phase == "friction velocity":
            do("FrictionVelocity", when=self.has_boundary_layer)
        if phase == "stratification" and self.has_boundary_layer:
            do(self.equation_of_state.companion("surface_buoyancy"))
        if phase == "mixing":
            do(self.scheme)
            do(self.background)
            do(self.tidal.scheme)
        if phase == "double diffusion" and self.double_diffusion is not None:
            if not self.eddies:
                do(self.equation_of_state.companion("expansion"))
            do(self.double_diffusion, on=heat)
        if phase == "factors":
            if self.double_diffusion is not None:
                do("VerticalFactors", on=OF_SALT, label="VerticalFactors of salt")
            do("VerticalFactors", on=heat)

    def factors_of(self, tracer: Field) -> dict[str, str]:
        """Returns other names of the factors that a tracer is diffused with."""
        if self.double_diffusion is None or tracer.name == "temperature":
            return {}
        return {name: OF_SALT[name] for name in ("mixing_exchange", "mixing_pivot")}

    def add_to(self, tracer: Field, add: Tendency) -> None:
        """Adds the transport within the boundary layer against gradients."""
        active = tracer.name in ("temperature", "salinity")
        if active and self.has_boundary_layer:
            add("NonlocalTransport", term="boundary_layer")
