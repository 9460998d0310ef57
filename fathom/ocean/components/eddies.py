"""Eddies that the grid does not resolve: isoneutral diffusion, and advection that flattens
isopycnals (docs/numerics.md).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np

from fathom.base import constants
from fathom.base.configurable import Configurable
from fathom.base.failure import InputError
from fathom.base.near import near
from fathom.grids.arguments import number_of
from fathom.grids.water import WaterGrid
from fathom.model.component import Criterion, Field
from fathom.model.order import Order
from fathom.model.schemes import Scheme, scheme
from fathom.ocean.components.component import OceanComponent, Tendency
from fathom.ocean.stability import inverse_square, nearest

tapers = {
    "tanh": "TanhTaperedSlopes",
    "quadratic": "QuadraticTaperedSlopes",
    "clipping": "ClippedSlopes",
}
structures = ("StratificationStructure", "EadyStructure")


class GentMcWilliams(Configurable):
    """Eddy advection (Gent & McWilliams 1990) as a skew flux, with isoneutral diffusion (Redi
    1982), on triads (Griffies et al. 1998).

    Parameters
    ----------
    diffusivity : of the height of isopycnals [m2 s-1].
    isoneutral_diffusivity : of tracers along neutral surfaces [m2 s-1]; None: the same, at two
        thirds of the cost of others.
    taper : "tanh" (Danabasoglu & McWilliams 1995), "quadratic" (Gerdes et al. 1991) or "clipping":
        how slopes above maximum_slope are reduced.
    maximum_slope, taper_width : where, and over which range of slopes (tanh).
    structure : how both diffusivities vary, StratificationStructure (Danabasoglu & Marshall 2007)
        or EadyStructure (Visbeck et al. 1997); None: constant.
    density_step : limit of the mixed layer, in which slopes are tapered, where vertical mixing
        has no boundary layer [kg m-3].
    transports : whether the volume transports of the eddies can be read: output bolus_velocity_x,
        bolus_velocity_y.
    """

    def __init__(
        self,
        diffusivity: float = constants.usual["eddy_diffusivity"],
        isoneutral_diffusivity: float | None = None,
        taper: str = "tanh",
        maximum_slope: float = constants.usual["maximum_slope"],
        taper_width: float = constants.usual["taper_width"],
        structure: Scheme | None = None,
        density_step: float = constants.usual["density_step"],
        transports: bool = False,
    ) -> None:
        if taper not in tapers:
            raise InputError(
                f"GentMcWilliams taper = {taper!r}{near(str(taper), tapers) or ';'} allowed:"
                f" {', '.join(tapers)}"
            )
        if structure is not None and not (
            isinstance(structure, Scheme) and structure.name in structures
        ):
            raise InputError(
                f"GentMcWilliams structure = {structure!r} must be one of {', '.join(structures)},"
                " or none"
            )
        if not isinstance(transports, bool):
            raise InputError(f"GentMcWilliams transports = {transports!r} must be true or false")
        self.diffusivity = number_of("GentMcWilliams diffusivity", diffusivity, "m2 s-1")
        self.isoneutral_diffusivity = (
            None
            if isoneutral_diffusivity is None
            else number_of(
                "GentMcWilliams isoneutral_diffusivity", isoneutral_diffusivity, "m2 s-1"
            )
        )
        self.taper, self.maximum_slope, self.taper_width = (
            taper,
            float(maximum_slope),
            float(taper_width),
        )
        self.structure, self.density_step, self.transports = (
            structure,
            float(density_step),
            transports,
        )
        scheme("IsoneutralFlux", **self.strengths)  # bounds are checked by the core
        scheme(tapers[taper], maximum_slope=maximum_slope, taper_width=taper_width)
        scheme("MixedLayerDepth", density_step=density_step)

    def __repr__(self) -> str:
        given = [f"{name}={value!r}" for name, value in vars(self).items() if value is not None]
        return f"GentMcWilliams({', '.join(given)})"

    @property
    def strengths(self) -> dict[str, float]:
        """Returns both diffusivities [m2 s-1]."""
        along = (
            self.diffusivity if self.isoneutral_diffusivity is None else self.isoneutral_diffusivity
        )
        return {"diffusivity": self.diffusivity, "isoneutral_diffusivity": along}

    @property
    def at(self) -> dict[str, tuple[str, str]]:
        """Returns where the structure is, if it is one value a column."""
        in_layers = self.structure is not None and self.structure.name == "StratificationStructure"
        return {} if in_layers else {"eddy_structure": ("center", "column")}

    def structure_as(self, name: str) -> Scheme | None:
        """Returns the structure, if it is the scheme of that name."""
        return self.structure if self.structure and self.structure.name == name else None

    @property
    def tapered_slopes(self) -> Scheme:
        """Returns the scheme of slopes, which bounds the strongest diffusivity."""
        most = self.structure.all_parameters.get("most", 1.0) if self.structure else 1.0
        found: Scheme = scheme(
            tapers[self.taper],
            maximum_slope=self.maximum_slope,
            taper_width=self.taper_width,
            diffusivity=max(max(self.strengths.values()) * most, 1e-6),
        )
        return found


class Eddies(OceanComponent):
    """Eddies of the deep and of the mixed layer.

    Parameters
    ----------
    grid : of water.
    deep : GentMcWilliams; None: none.
    shallow : MixedLayerEddies, or another scheme that adds to the transport; None: none.
    equation_of_state : for the slopes of neutral surfaces.
    boundary_layer : whether vertical mixing knows a boundary layer, which is the mixed layer then.
    """

    def __init__(
        self,
        grid: WaterGrid,
        deep: GentMcWilliams | None,
        shallow: Scheme | None,
        equation_of_state: Scheme,
        boundary_layer: bool,
    ) -> None:
        self.grid, self.deep, self.shallow = grid, deep, shallow
        self.equation_of_state, self.boundary_layer = equation_of_state, boundary_layer

    @property
    def _layer(self) -> dict[str, str]:
        """Returns the name of the depth of the mixed layer."""
        return {"mixed_layer_depth": "boundary_layer_depth"} if self.boundary_layer else {}

    def fixed_fields(self) -> Mapping[str, Any]:
        """Returns the structure, where no process makes one: 1."""
        made = self.deep is None or self.deep.structure is not None
        return {} if made else {"eddy_structure": np.ones(np.shape(self.grid.wet_levels))}

    def processes(self, phase: str, do: Order) -> None:
        """Adds the mixed layer, the structure, slopes, and the transport by shallow eddies."""
        # Before the mixing scheme, so that stratification stays in cache; or after, where the
        # mixing scheme makes the depth of the layer.
        if phase == ("mixed layer" if self.boundary_layer else "stratification"):
            self._mixed_layer(do)
        if phase == "transport":
            do(self.shallow)
        if self.deep is None:
            return
        if phase == "momentum" and (structure := self.deep.structure_as("EadyStructure")):
            do(structure, diffusivity=self.deep.diffusivity)
        if phase == "slopes":
            self._slopes(self.deep, do)

    def _mixed_layer(self, do: Order) -> None:
        """Adds the depth of the mixed layer where no mixing scheme has a boundary layer, a
        structure that follows stratification, and the buoyancy of the layer for the eddies that
        use it.
        """
        shallow = self.shallow is not None
        if (self.deep is not None and not self.boundary_layer) or shallow:
            depth = {} if self.deep is None else {"density_step": self.deep.density_step}
            do(scheme("MixedLayerDepth", **depth))
        if self.deep is not None:
            do(self.deep.structure_as("StratificationStructure"), on=self._layer)
        do("MixedLayerBuoyancy", when=shallow)

    def _slopes(self, deep: GentMcWilliams, do: Order) -> None:
        """Adds slopes, and the implicit part of their diffusion: `whole_diffusivity`."""
        along = deep.strengths["isoneutral_diffusivity"]
        do(self.equation_of_state.companion("expansion"))
        do(deep.tapered_slopes, on=self._layer, at=deep.at)
        do("IsoneutralMixing", isoneutral_diffusivity=along)
        do(scheme("BolusTransport", diffusivity=deep.diffusivity), when=deep.transports)

    def add_to(self, tracer: Field, add: Tendency) -> None:
        """Adds the fluxes of a tracer along and across neutral surfaces."""
        if self.deep is None:
            return
        strengths = self.deep.strengths
        add(scheme("IsoneutralFlux", **strengths), at=self.deep.at, term="eddies")
        if strengths["diffusivity"] != strengths["isoneutral_diffusivity"]:
            add(scheme("SlopedFlux", **strengths), term="eddies")

    def limits(self, time_step: float) -> Iterable[Criterion]:
        """Returns the limit of isoneutral diffusion: half of what plain diffusion bears, as the
        terms of slopes are explicit.
        """
        if self.deep is not None:
            name = "isoneutral diffusion, kappa step (1/dx2 + 1/dy2)"
            along = self.deep.strengths["isoneutral_diffusivity"]
            values = along * time_step * inverse_square(self.grid)
            yield nearest(self.grid, name, values, 0.25)
