"""Eddies that the grid does not resolve: isoneutral diffusion, and advection that flattens
isopycnals (docs/numerics.md).
"""

from fathom.base import constants
from fathom.base.configurable import Configurable
from fathom.base.failure import InputError
from fathom.base.near import near
from fathom.grids.arguments import number_of
from fathom.model.schemes import Scheme, scheme

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
        diffusivity=constants.usual["eddy_diffusivity"],
        isoneutral_diffusivity=None,
        taper="tanh",
        maximum_slope=constants.usual["maximum_slope"],
        taper_width=constants.usual["taper_width"],
        structure=None,
        density_step=constants.usual["density_step"],
        transports=False,
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

    def __repr__(self):
        given = [f"{name}={value!r}" for name, value in vars(self).items() if value is not None]
        return f"GentMcWilliams({', '.join(given)})"

    @property
    def strengths(self):
        along = (
            self.diffusivity if self.isoneutral_diffusivity is None else self.isoneutral_diffusivity
        )
        return {"diffusivity": self.diffusivity, "isoneutral_diffusivity": along}

    def fields(self, ones):
        """Fields that never change: the structure, where no process makes one."""
        return {} if self.structure else {"eddy_structure": ones}

    @property
    def at(self):
        """Where the structure is, if it is one value a column."""
        in_layers = self.structure is not None and self.structure.name == "StratificationStructure"
        return {} if in_layers else {"eddy_structure": ("center", "column")}

    def structure_as(self, name):
        """The structure, if it is the scheme of that name."""
        return self.structure if self.structure and self.structure.name == name else None

    @property
    def tapered_slopes(self):
        """The scheme of slopes, which bounds the strongest diffusivity."""
        most = self.structure.all_parameters.get("most", 1.0) if self.structure else 1.0
        return scheme(
            tapers[self.taper],
            maximum_slope=self.maximum_slope,
            taper_width=self.taper_width,
            diffusivity=max(max(self.strengths.values()) * most, 1e-6),
        )


def _layer(ocean):
    """Names: the mixed layer is the boundary layer of a mixing scheme that has one."""
    return {"mixed_layer_depth": "boundary_layer_depth"} if ocean.has_boundary_layer else {}


def mixed_layer(ocean, do):
    """Adds what eddies need of the columns of an ocean: the depth of the mixed layer where no
    mixing scheme has a boundary layer, a structure that follows stratification, and the buoyancy of
    the layer for those that use it.
    """
    own, shallow = ocean.eddies, ocean.submesoscale is not None
    if (own is not None and not ocean.has_boundary_layer) or shallow:
        depth = {} if own is None else {"density_step": own.density_step}
        do(scheme("MixedLayerDepth", **depth))
    if own is not None:
        do(own.structure_as("StratificationStructure"), on=_layer(ocean))
    do("MixedLayerBuoyancy", when=shallow)


def structure_of_gradients(ocean, do):
    """Where neighbours' density is known: a structure that follows its gradient."""
    if ocean.eddies is not None and (structure := ocean.eddies.structure_as("EadyStructure")):
        do(structure, diffusivity=ocean.eddies.diffusivity)


def slopes(ocean, do):
    """Before the factors of vertical diffusion: slopes, and the implicit part of their diffusion:
    `whole_diffusivity`.
    """
    if (own := ocean.eddies) is None:
        return
    along = own.strengths["isoneutral_diffusivity"]
    do(ocean.equation_of_state.companion("expansion"))
    do(own.tapered_slopes, on=_layer(ocean), at=own.at)
    do("IsoneutralMixing", isoneutral_diffusivity=along)
    do(scheme("BolusTransport", diffusivity=own.diffusivity), when=own.transports)


def fluxes(ocean, tracer, do, budgets):
    """Fluxes of one tracer."""
    if (own := ocean.eddies) is None:
        return
    names = {"tracer": tracer, "tracer_tendency": f"{tracer}_tendency"}
    strengths = own.strengths
    budgets.follow(tracer, "IsoneutralFlux")
    flux = scheme("IsoneutralFlux", **strengths)
    do(flux, on=names, at=own.at, label=f"IsoneutralFlux of {tracer}")
    if strengths["diffusivity"] != strengths["isoneutral_diffusivity"]:
        do(scheme("SlopedFlux", **strengths), on=names, label=f"SlopedFlux of {tracer}")
