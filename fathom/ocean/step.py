"""One time step of the ocean, in the order in which it is computed (docs/time-stepping.md).

Each phase has the processes of these components, in this order; a component adds what it has to add
in `processes(phase, do)`. "The surface" is the forcing of the simulation: BulkForcing,
SurfaceForcing, or the user's own.

 1. "air": fluxes of the air over open water and ice, and stress: the surface; motion and albedo of
    the ice under it: SeaIce.
 2. "leads": light and heat between the floes: the surface, SeaIce.
 3. "fresh water": rivers: the surface; growth and melt: SeaIce.
 4. "surface fluxes": fluxes into the sea, restoring: the surface.
 5. "cells": thickness of cells that follow the height: Cells.
 6. "gas exchange": fluxes of passive tracers: FluxesOfTracers.
 7. "sunlight": flux that reaches each interface: Sunlight.
 8. "friction velocity": for a boundary layer: VerticalMixing.
 9. "overflows": which water flows over sills, and how much: Overflows.
10. "density": density and hydrostatic pressure: Density.
11. "viscosity": lateral viscosities that follow the flow: Friction.
12. "stratification": buoyancy of fluxes into the sea: VerticalMixing; or the mixed layer: Eddies.
13. "mixing": vertical viscosity and diffusivity: VerticalMixing.
14. "mixed layer": its depth where the mixing scheme makes it: Eddies.
15. "momentum": advection, Coriolis force, pressure gradient: Momentum; a structure that follows the
    gradient of density: Eddies; tides and the pressure of the air: ForcesFromAbove; no advection
    next to open edges: Edges.
16. "friction": lateral friction: Friction; none next to open edges: Edges; what draws the flow:
    AllNudging.
17. "implicit momentum": vertical friction and bottom drag, by a tridiagonal solve: Momentum.
18. "divergence": right-hand side of the equation for the new height: BarotropicMode, Overflows,
    Edges.
19. "surface height": the solver, and the correction of the depth mean flow: BarotropicMode.
20. "transport": volume through the faces of cells: BarotropicMode, Eddies, Overflows, FreshWater;
    through open edges: Edges.
21. "new cells": thickness of cells at the end of the step: Cells.
22. "slopes": of neutral surfaces: Eddies.
23. "double diffusion": VerticalMixing.
24. "factors": of implicit vertical diffusion, one for all tracers: VerticalMixing.
25. "tracers": for each tracer the tendency, a sum of terms, then vertical diffusion and the new
    value: Tracers. The terms, by component: "advection" (Tracers), "diffusion" (Diffusion),
    "eddies" (Eddies), "sunlight" (Sunlight), "boundary_layer" (VerticalMixing), "overflows"
    (Overflows), "open_edges" (Edges), "nudging" (AllNudging), "sea_floor" (SeaFloor), "ageing",
    "release" (PassiveTracers), "fresh_water" (FreshWater). Reactions, which change several tracers,
    come when the other terms of all of these are complete: Tracers.
26. "freezing": without sea ice the sea stays at or above freezing where its surface asks for
    that, as BulkForcing does: FreezingLimit.
27. "budgets": what that adds to the budgets of temperature and salinity: FreezingLimit.

Halos are exchanged where the declarations of the processes ask for it. At the end fields take each
other's place: what is "after" becomes present (`rotations` of the components).
"""

# Phase -> its group in profiles.
PHASES = {
    "air": "surface",
    "leads": "surface",
    "fresh water": "surface",
    "surface fluxes": "surface",
    "cells": "baroclinic",
    "gas exchange": "surface",
    "sunlight": "surface",
    "friction velocity": "surface",
    "overflows": "overflows",
    "density": "baroclinic",
    "viscosity": "baroclinic",
    "stratification": "baroclinic",
    "mixing": "baroclinic",
    "mixed layer": "baroclinic",
    "momentum": "baroclinic",
    "friction": "baroclinic",
    "implicit momentum": "baroclinic",
    "divergence": "barotropic",
    "surface height": "barotropic",
    "transport": "tracer",
    "new cells": "tracer",
    "slopes": "tracer",
    "double diffusion": "tracer",
    "factors": "tracer",
    "tracers": "tracer",
    "freezing": "surface",
    "budgets": "tracer",
}
OF_SURFACE = ("air", "leads", "fresh water", "surface fluxes")  # those of the surface alone
