"""Eddies that the grid does not see: isoneutral diffusion, and advection that flattens isopycnals
(docs/numerics.md).
"""

from fathom.schemes import Scheme, scheme
from fathom.grids.arguments import number_of
from fathom.names import near
from fathom.ocean.mixing import expansion

tapers = {
    "tanh": "TanhTaperedSlopes",
    "quadratic": "QuadraticTaperedSlopes",
    "clipping": "ClippedSlopes",
}
structures = ("StratificationStructure", "EadyStructure")


class GentMcWilliams:
    """Eddy advection (Gent & McWilliams 1990) as a skew flux, with isoneutral diffusion (Redi
    1982), on triads (Griffies et al. 1998).

    Parameters
    ----------
    diffusivity : of the height of isopycnals [m2 s-1].
    isoneutral_diffusivity : of tracers along neutral surfaces [m2 s-1]; None: the same, at two
        thirds of the cost of others.
    taper : "tanh" (Danabasoglu & McWilliams 1995), "quadratic" (Gerdes et al. 1991) or "clipping":
        what is left of slopes from maximum_slope on.
    maximum_slope, taper_width : where, and over which range of slopes (tanh).
    structure : how both diffusivities vary, StratificationStructure (Danabasoglu & Marshall 2007)
        or EadyStructure (Visbeck et al. 1997); None: constant.
    density_step : what bounds the mixed layer, in which slopes are tapered, where vertical mixing
        has no boundary layer of its own [kg m-3].
    transports : whether the volume transports of the eddies can be read: output bolus_velocity_x,
        bolus_velocity_y.
    """

    def __init__(
        self,
        diffusivity=800.0,
        isoneutral_diffusivity=None,
        taper="tanh",
        maximum_slope=0.01,
        taper_width=0.001,
        structure=None,
        density_step=0.03,
        transports=False,
    ):
        if taper not in tapers:
            raise ValueError(
                f"GentMcWilliams taper = {taper!r}{near(str(taper), tapers) or ';'} allowed:"
                f" {', '.join(tapers)}"
            )
        if structure is not None and not (
            isinstance(structure, Scheme) and structure.name in structures
        ):
            raise ValueError(
                f"GentMcWilliams structure = {structure!r} must be one of {', '.join(structures)},"
                " or none"
            )
        if not isinstance(transports, bool):
            raise ValueError(f"GentMcWilliams transports = {transports!r} must be true or false")  # noqa: TRY004  all errors of the user are ValueErrors
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
        return f"GentMcWilliams({', '.join(f'{name}={value!r}' for name, value in vars(self).items() if value is not None)})"

    @property
    def strengths(self):
        along = (
            self.diffusivity if self.isoneutral_diffusivity is None else self.isoneutral_diffusivity
        )
        return {"diffusivity": self.diffusivity, "isoneutral_diffusivity": along}

    def fields(self, ones):
        """Fields that never change: the structure, where no process makes one."""
        return {} if self.structure else {"eddy_structure": ones}

    def _placed(self, process):
        """Where the structure is one value a column."""
        in_layers = self.structure is not None and self.structure.name == "StratificationStructure"
        return process if in_layers else process.at("eddy_structure", "center", "column")

    def of_columns(self, mixing, precision, step):
        """Beside vertical mixing: a structure that follows stratification."""
        if self.structure and self.structure.name == "StratificationStructure":
            return [self.structure.process(precision, on=self._layer(mixing), step=step)]
        return []

    def of_gradients(self, precision, step):
        """Where neighbours' density is known: a structure that follows its gradient."""
        if self.structure and self.structure.name == "EadyStructure":
            return [self.structure.process(precision, diffusivity=self.diffusivity, step=step)]
        return []

    def slopes(self, equation_of_state, mixing, precision, step, own_cells=False):
        """Before the factors of vertical diffusion: slopes, and what of their diffusion is
        implicit: `whole_diffusivity`.
        """
        strongest = max(self.strengths.values()) * (
            self.structure.all_parameters.get("most", 1.0) if self.structure else 1.0
        )
        slopes = scheme(
            tapers[self.taper],
            maximum_slope=self.maximum_slope,
            taper_width=self.taper_width,
            diffusivity=max(strongest, 1e-6),
        )
        slopes = slopes.in_cells if own_cells else slopes
        result = [
            expansion(equation_of_state).process(precision, phase="tracer"),
            self._placed(
                slopes.process(precision, phase="tracer", on=self._layer(mixing), step=step)
            ),
            scheme("IsoneutralMixing").process(
                precision,
                phase="tracer",
                isoneutral_diffusivity=self.strengths["isoneutral_diffusivity"],
            ),
        ]
        if self.transports:
            result.append(
                scheme("BolusTransport", diffusivity=self.diffusivity).process(
                    precision, phase="tracer"
                )
            )
        return result

    def of_tracer(self, tracer, precision, own_cells=False):
        """Fluxes of one tracer."""
        strengths, flux, names = (
            self.strengths,
            [],
            {"tracer": tracer, "tracer_tendency": f"{tracer}_tendency"},
        )
        for name in ["IsoneutralFlux"] + ["SlopedFlux"] * (
            strengths["diffusivity"] != strengths["isoneutral_diffusivity"]
        ):
            of = scheme(name, **strengths)
            flux.append(
                (of.in_cells if own_cells else of).process(
                    precision, phase="tracer", on=names, label=f"{name} of {tracer}"
                )
            )
        return [self._placed(flux[0]), *flux[1:]]

    def _layer(self, mixing):
        """Names: the mixed layer is the boundary layer of a mixing scheme that has one."""
        return (
            {"mixed_layer_depth": "boundary_layer_depth"}
            if "boundary_layer_depth" in mixing.field_names
            else {}
        )


def mixed_layer(ocean, precision, step):
    """What eddies want of the columns of an ocean: the depth of the mixed layer where no mixing
    scheme has a boundary layer, its buoyancy for those that live in it.
    """
    eddies, result = ocean.eddies, []
    own = "boundary_layer_depth" not in ocean.vertical_mixing.field_names
    if (eddies is not None and own) or ocean.submesoscale is not None:
        result.append(
            scheme(
                "MixedLayerDepth",
                **({} if eddies is None else {"density_step": eddies.density_step}),
            ).process(precision)
        )
    if eddies is not None:
        result += eddies.of_columns(ocean.vertical_mixing, precision, step)
    return result + (
        [scheme("MixedLayerBuoyancy").process(precision)] if ocean.submesoscale is not None else []
    )
