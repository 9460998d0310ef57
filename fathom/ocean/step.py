"""One time step of the ocean, in the order in which it is computed (docs/time-stepping.md).

`do` (fathom.model.order.Order) adds a process, or nothing for what is None. Halos are exchanged
where the declarations of the processes ask for it.
"""

from fathom.ocean.components import eddies, friction, mixing, overflow, tracers

# names of cells at the end of a step, if they follow the surface
after = {
    "cell_thickness": "cell_thickness_after",
    "sea_surface_height_after": "height_beyond_cells",
}


def time_step(ocean, surface, do):
    stretched, own_cells = ocean.stretched, ocean.own_cells

    do.phase = "surface"
    surface.before(do, ocean.sea_ice)
    do("StretchedCells", phase="baroclinic", when=stretched)
    do("StretchedCorners", phase="baroclinic", when=stretched)
    tracers.fluxes(ocean, surface, do)
    mixing.sunlight(ocean, do)
    do("FrictionVelocity", when=ocean.has_boundary_layer)
    overflow.transports(ocean, do)

    do.phase = "baroclinic"
    do(ocean.equation_of_state)
    do("HydrostaticPressure")
    friction.viscosities(ocean, do)
    mixing.columns(ocean, do)
    do(ocean.momentum_advection or "LinearMomentum")
    do("StretchedPressureGradient" if stretched else "PressureGradient")
    eddies.structure_of_gradients(ocean, do)
    friction.forces(ocean, do)
    do("ImplicitMomentum", drag=ocean.bottom_drag, background_speed=ocean.bottom_speed)

    do.phase = "barotropic"
    surface_slope = ocean.free_surface.slope()
    here = {"depth_corner": "depth_corner_now"} if stretched else None
    do("AlternatingHeight", on=here, **surface_slope)
    do("BarotropicDivergence", on=here)
    do("FreshwaterConvergence", when=stretched)
    do("OverflowConvergence", when=ocean.overflows)
    do(ocean.free_surface.solve(do.step))
    do("BarotropicCorrection", implicitness=ocean.free_surface.implicitness)

    do.phase = "tracer"
    do("VolumeTransport", **surface_slope)
    do(ocean.submesoscale)
    do("OverflowVolume", when=ocean.overflows)
    do("SurfaceVolume", when=stretched)
    do("StretchedCells", on=mixing.cells_after, label="StretchedCells after", when=stretched)
    eddies.slopes(ocean, do)
    mixing.factors(ocean, do, after if stretched else {})
    budgets = tracers.step(ocean, do)

    do.phase = "surface"
    if not ocean.sea_ice:
        surface.after(do, after if stretched else {}, own_cells)
    budgets.after_freezing(do)
