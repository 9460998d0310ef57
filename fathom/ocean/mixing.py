"""Vertical mixing of the ocean: which processes make viscosity and diffusivities, and factorise
their diffusion (docs/physics.md).
"""

from fathom.schemes import scheme


def expansion(equation_of_state):
    """The scheme of thermal expansion and haline contraction in all layers."""
    of = scheme(f"{equation_of_state.name}Expansion")
    return scheme(
        of.name,
        **{
            name: value
            for name, value in equation_of_state.parameters.items()
            if name in of.all_parameters
        },
    )


def of_columns(ocean, add):
    """Viscosity and diffusivity: the mixing scheme, and what is added to it."""
    if ocean.has_boundary_layer:
        add(
            scheme(
                f"{ocean.equation_of_state.name}SurfaceBuoyancy",
                **ocean.equation_of_state.parameters,
            )
        )
    add(ocean.vertical_mixing)
    for added in (ocean.background_mixing, ocean.tidal_mixing):
        if added is not None:
            add(added)


salt = {
    "vertical_diffusivity": "salt_diffusivity",
    "mixing_exchange": "salt_exchange",
    "mixing_pivot": "salt_pivot",
}


def of_tracers(ocean, add, after):
    """Factors of implicit diffusion, one for all tracers; with double diffusion one of heat, and
    one of salt for all others. after: names of cells at the end of the step.
    """
    heat = {"vertical_diffusivity": "whole_diffusivity"} if ocean.eddies is not None else {}
    if ocean.double_diffusion is not None:
        if ocean.eddies is None:
            add(expansion(ocean.equation_of_state), "tracer")
        add(ocean.double_diffusion, "tracer", on=heat)
        add("VerticalFactors", "tracer", on=after | salt, label="VerticalFactors of salt")
    add("VerticalFactors", "tracer", on=after | heat)


def factors_of(ocean, tracer):
    """Other names of the factors that a tracer is diffused with."""
    return (
        {name: salt[name] for name in ("mixing_exchange", "mixing_pivot")}
        if ocean.double_diffusion is not None and tracer != "temperature"
        else {}
    )


chlorophyll = (
    "chlorophyll",
    "mass_concentration_of_chlorophyll_a_in_sea_water",
    "mass_concentration_of_chlorophyll_in_sea_water",
    "chl",
    "chlor_a",
)


def of_chlorophyll(ocean):
    """What files give of chlorophyll: Input, or None."""
    from fathom.input.records import Input, given

    wanted = ocean.water is not None and "chlorophyll" in ocean.water.field_names
    return (
        Input("chlorophyll", records, "mg m-3", chlorophyll)
        if wanted and (records := given(ocean.chlorophyll)) is not None
        else None
    )


def fields(ocean):
    """Fields that never change: energy of tides, chlorophyll."""
    from fathom.data import tides
    from fathom.input.values import on_columns

    h, given = ocean.grid.horizontal, {}
    if ocean.tidal_mixing is not None:
        if ocean.tidal_energy is None and not h.spherical:
            raise ValueError(
                "TidalMixing on a plane needs tidal_energy [J m-2]; that of the real sea floor is"
                " for grids on the sphere"
            )
        given["tidal_energy"] = (
            tides.energy(h.corner_longitude, h.corner_latitude)
            if ocean.tidal_energy is None
            else on_columns(ocean.grid, ocean.tidal_energy, name="tidal_energy", units="J m-2")
        )
    if (
        ocean.water is not None
        and "chlorophyll" in ocean.water.field_names
        and ocean.chlorophyll_records is None
    ):
        given["chlorophyll"] = on_columns(ocean.grid, ocean.chlorophyll, name="chlorophyll")
    return given
