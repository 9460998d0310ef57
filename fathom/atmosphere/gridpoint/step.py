"""One time step of the grid-point atmosphere: its phases, in the order in which they are computed
(docs/gridpoint.md). The components that add processes to them:

    columns     PhysicsOnHeights    fathom/atmosphere/gridpoint/columns.py
    dynamics    GridPointDynamics   fathom/atmosphere/gridpoint/dynamics.py
    coupling    AreaCoupling        fathom/atmosphere/gridpoint/area.py; of an area
    fixer       DryMassFixer        fathom/atmosphere/gridpoint/dynamics.py

What never changes is of Cells, Sponge and AirAtRest (fathom/atmosphere/gridpoint/geometry.py).

 1. right sides     pressure, motion and forces of the present state (dynamics)
 2. columns         the state at the points of the physics (columns)
 3. tendencies      the schemes of the physics, and their effect on tracers (columns)
 4. start           what the linear equations are about; what trajectories carry (dynamics)
 5. heating         by the physics (columns)
 6. diffusion       by viscosity (dynamics)
 7. winds           of the start, at the points of the other components (dynamics); the rim of an
                    area is that of the new time (coupling)
 8. `outer` times, of which each but the first begins with 1:
    transport       departure points, and what is carried from them (dynamics)
 9.     `inner` times, of which each but the first begins with 1:
        residuals   of the equations at the new time (dynamics); none in the rim (coupling)
        solution    of the Helmholtz equation for increments (dynamics)
10. mass            of dry air (fixer)
11. tracers         along the last trajectories (dynamics)
12. coupling        relaxation to the outer model (coupling)
13. end             wind at poles and centres (dynamics)
"""

from collections.abc import Sequence

# of each phase its group in profiles
groups = {
    "right sides": "dynamics",
    "columns": "dynamics",
    "tendencies": "physics",
    "start": "dynamics",
    "heating": "dynamics",
    "diffusion": "dynamics",
    "winds": "semi-Lagrangian",
    "transport": "semi-Lagrangian",
    "residuals": "solver",
    "solution": "solver",
    "mass": "dynamics",
    "tracers": "semi-Lagrangian",
    "coupling": "dynamics",
    "end": "dynamics",
}

_start = ("right sides", "columns", "tendencies", "start", "heating", "diffusion", "winds")
_end = ("mass", "tracers", "coupling", "end")


def phases(outer: int, inner: int) -> Sequence[str]:
    """Returns the phases of a step of so many outer and inner iterations."""
    solve = ("residuals", "solution")
    iteration = ("transport", *solve, *((inner - 1) * ("right sides", *solve)))
    return (*_start, *iteration, *((outer - 1) * ("right sides", *iteration)), *_end)
