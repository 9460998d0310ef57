"""Vertical mixing of the ocean: which processes make viscosity and diffusivities, and factorise
their diffusion (docs/physics.md).
"""

from fathom.base.failure import InputError
from fathom.data import tides
from fathom.data.input.records import Input, given
from fathom.data.input.values import on_columns
from fathom.ocean.components import eddies


def sunlight(ocean, do):
    """The depths that sunlight reaches."""
    if ocean.shortwave_penetration is not None:
        if ocean.chlorophyll_records is not None:
            ocean.chlorophyll_records.interpolate(do)
        do(ocean.shortwave_penetration)


def columns(ocean, do):
    """Viscosity and diffusivity: the mixing scheme, what is added to it, and the mixed layer for
    the schemes that need it: before the mixing scheme, so that stratification stays in cache; or
    after, where the mixing scheme makes the depth of the layer.
    """
    deep = ocean.has_boundary_layer
    if not deep:
        eddies.mixed_layer(ocean, do)
    else:
        do(ocean.equation_of_state.companion("surface_buoyancy"))
    do(ocean.vertical_mixing)
    do(ocean.background_mixing)
    do(ocean.tidal_mixing)
    if deep:
        eddies.mixed_layer(ocean, do)


cells_after = {
    "sea_surface_height": "sea_surface_height_after",
    "cell_thickness": "cell_thickness_after",
}
salt = {
    "vertical_diffusivity": "salt_diffusivity",
    "mixing_exchange": "salt_exchange",
    "mixing_pivot": "salt_pivot",
}


def factors(ocean, do, after):
    """Factors of implicit diffusion, one for all tracers; with double diffusion one of heat, and
    one of salt for all others. after: names of cells at the end of the step.
    """
    heat = {"vertical_diffusivity": "whole_diffusivity"} if ocean.eddies is not None else {}
    if ocean.double_diffusion is not None:
        if ocean.eddies is None:
            do(ocean.equation_of_state.companion("expansion"))
        do(ocean.double_diffusion, on=heat)
        do("VerticalFactors", on=after | salt, label="VerticalFactors of salt")
    do("VerticalFactors", on=after | heat)


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
    """The input of chlorophyll from files, or None."""
    wanted = (
        ocean.shortwave_penetration is not None
        and "chlorophyll" in ocean.shortwave_penetration.field_names
    )
    return (
        Input("chlorophyll", records, "mg m-3", chlorophyll)
        if wanted and (records := given(ocean.chlorophyll)) is not None
        else None
    )


def fields(ocean):
    """Fields that never change: energy of tides, chlorophyll."""
    h, given = ocean.grid.horizontal, {}
    if ocean.tidal_energy is not None and ocean.tidal_mixing is None:
        raise InputError("tidal_energy is given, but there is no tidal_mixing that reads it")
    if ocean.tidal_mixing is not None:
        if ocean.tidal_energy is None and not h.spherical:
            raise InputError(
                "TidalMixing on a plane needs tidal_energy [J m-2]; that of the real sea floor is"
                " for grids on the sphere"
            )
        given["tidal_energy"] = (
            tides.energy(h.corner_longitude, h.corner_latitude)
            if ocean.tidal_energy is None
            else on_columns(ocean.grid, ocean.tidal_energy, name="tidal_energy", units="J m-2")
        )
    reads = (
        ocean.shortwave_penetration is not None
        and "chlorophyll" in ocean.shortwave_penetration.field_names
    )
    usual = isinstance(ocean.chlorophyll, float) and ocean.chlorophyll == 0.2
    if not reads and not usual:
        raise InputError(
            f"chlorophyll = {ocean.chlorophyll!r} is given, but only"
            " shortwave_penetration = ChlorophyllWater reads it"
        )
    if reads and ocean.chlorophyll_records is None:
        given["chlorophyll"] = on_columns(ocean.grid, ocean.chlorophyll, name="chlorophyll")
    return given
