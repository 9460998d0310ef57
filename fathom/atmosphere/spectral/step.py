"""One time step of a spectral atmosphere, or of one over a limited area: its phases, in the order
in which they are computed (docs/spectral.md). The components that add processes to them:

    columns     PhysicsOnPressure   fathom/atmosphere/physics/columns.py
    dynamics    SemiLagrangian, Compressible or Leapfrog   fathom/atmosphere/spectral/dynamics.py
    fixers      Fixers              fathom/atmosphere/spectral/dynamics.py
    coupling    Coupling            fathom/atmosphere/area/coupling.py; of a limited area

Two time levels (`semi_lagrangian`):

 1. pressure            pressure and geopotential of the layers (columns); what passes the edges of
                        an area (coupling)
 2. tendencies          the schemes of the physics (columns)
 3. equations           right sides of the primitive equations (dynamics); energy of the columns
                        (fixers)
 4. linear terms        of the semi-implicit scheme, taken off (dynamics)
 5. tracers             get their tendencies (columns)
 6. middle of the step  the wind of then, for trajectories (dynamics)
 7. transport           fields along trajectories (dynamics)
 8. arrival             what is explicit at their end, rotation (dynamics)
 9. coupling            relaxation to the outer model (coupling)
10. solution            the implicit terms, diffusion and the new state, by waves (dynamics)
11. fixers              energy and mass (fixers)
12. surface pressure    its logarithm (dynamics)

Compressible air (`compressible`) has the same, with its own equations, without 4. After 10 it makes
n corrections: "correction", the equations at the new time as it is known so far, then 8 to 10
again; and "new velocity", the vertical one, before 11.

The leapfrog (`leapfrog`): 1 and 2 from the time before, 3, 10 and 12.
"""

from collections.abc import Sequence

# of each phase its group in profiles
groups = {
    "pressure": "dynamics",
    "tendencies": "physics",
    "equations": "dynamics",
    "linear terms": "dynamics",
    "tracers": "physics",
    "middle of the step": "dynamics",
    "transport": "semi-Lagrangian",
    "correction": "dynamics",
    "arrival": "dynamics",
    "coupling": "spectral",
    "solution": "spectral",
    "new velocity": "dynamics",
    "fixers": "dynamics",
    "surface pressure": "dynamics",
}

_start = ("pressure", "tendencies", "equations")
_explicit = ("tracers", "middle of the step", "transport")
_implicit = ("arrival", "coupling", "solution")
_end = ("fixers", "surface pressure")

leapfrog: Sequence[str] = (*_start, "solution", "surface pressure")
semi_lagrangian: Sequence[str] = (*_start, "linear terms", *_explicit, *_implicit, *_end)


def compressible(corrections: int) -> Sequence[str]:
    """Returns the phases of a step of compressible air with so many corrections."""
    again = corrections * ("correction", *_implicit)
    return (*_start, *_explicit, *_implicit, *again, "new velocity", *_end)
