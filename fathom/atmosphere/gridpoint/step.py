"""One step of the grid-point atmosphere: the processes with communication, and the order of all."""

from fathom.atmosphere.gridpoint import area as gridpoint_area
from fathom.atmosphere.products.aliases import of, temperature_names
from fathom.atmosphere.spectral.step import of_schemes
from fathom.base import mpi
from fathom.model.schemes import bytes_of

of_columns = {name: f"{name}_of_columns" for name in ("eastward_wind", "northward_wind")}


class Dynamics:
    """The processes that need communication (core/atmosphere/gridpoint)."""

    def __init__(self, model, step):
        grid, precision = model.grid, bytes_of[model.precision]
        names = ("implicitness", "gravity", "heat_capacity", "gas_constant")
        given = {name: model.parameters[name] for name in names} | {"step": float(step)}
        setup = mpi.core.GridPointSetup(
            float(step),
            given["implicitness"],
            model.iterations,
            grid.dx,
            grid.dy,
            list(map(float, grid.levels.interfaces)),
            radius=grid.radius,
            deep=model.deep,
            south=grid.south if model.sphere else -90.0,
            area=model.area,
            times=model.outer,
        )
        self.departure = mpi.core.gridpoint_departure(setup, precision)
        self.transport = mpi.core.gridpoint_transport(setup, precision)
        self.helmholtz = mpi.core.HelmholtzSolve(
            given,
            model.preconditioner,
            model.solver,
            model.tolerance,
            model.maximum_iterations,
            model.outer * model.inner,
            model.linear_about == "state",
            model.solver_precision == "fp32",
        )
        poles = model.sphere and not model.area
        self.poles = mpi.core.PoleWind() if poles else None
        self.poles_of_start = mpi.core.PoleWind("_start") if poles else None
        self.tracers = (
            mpi.core.gridpoint_tracers(
                setup, [(name, "any") for name in model.tracers], model.fix_mass, precision
            )
            if model.tracers
            else None
        )
        draw = gridpoint_area.coupling if model.area else lambda *_: None
        self.first_guess = draw(model, "CouplingFirst", False)
        self.coupling = draw(model, "Coupling", True)
        self.mass = mpi.core.DryMass(model.curvature) if model.fix_mass else None


def gridpoint_step(model, dynamics, do):
    """One time step, in the order in which it is computed."""

    def right_sides():
        do.phase = "dynamics"
        do(dynamics.poles)
        do("GridPointExner")
        do("GridPointMotion")
        do("GridPointForces")
        do("GridPointDeepRotation", when=model.deep)
        do("GridPointDeepRotationAcross", when=model.deep and model.area)

    right_sides()
    physics(model, do)
    do("GridPointLinearState", when=model.linear_about == "state")
    do("GridPointStart")
    do("GridPointPhysics", on=temperature_names(model), when=model.physics)
    do("GridPointDiffusion", when=model.parameters["viscosity"])
    do.phase = "semi-Lagrangian"
    do(dynamics.poles_of_start)
    do("GridPointWindAside", when=model.sphere)
    do("GridPointWindAsideDeep", when=model.deep)
    do(dynamics.first_guess)
    for outer in range(model.outer):
        if outer:
            right_sides()
        do.phase = "semi-Lagrangian"
        do(dynamics.departure)
        do(dynamics.transport)
        for inner in range(model.inner):
            if inner:
                right_sides()
            do.phase = "solver"
            do("GridPointResiduals")
            do("GridPointRim", when=model.area)
            do("HelmholtzRightSide")
            do(dynamics.helmholtz)
            do("GridPointIncrements")
    do.phase = "dynamics"
    do(dynamics.mass)
    do.phase = "semi-Lagrangian"
    do(dynamics.tracers)
    do.phase = "dynamics"
    do(dynamics.coupling)
    do(dynamics.poles)
    do("GridPointWind", rows=1 if model.grid.slice else 2)


def physics(model, do):
    """Tendencies of the physics at the start of the step, and their effect on tracers."""
    if not model.physics:
        return
    do("GridPointColumns", on=temperature_names(model))
    do("FactorOfMoistAir", when=model.moist)
    of_water(model, do, "WeightOfWater")
    do("TemperatureByFactor", when=model.moist)
    of_schemes(model, do, of_columns)
    do("VirtualTendencyOfMoistAir", when=model.moist)
    of_water(model, do, "VirtualTendencyOfWater")
    if model.budget is not None:
        model.budget.close(do)
    for tracer in model.tracers:
        do("TracerPhysics", on=of(tracer), label=f"TracerPhysics of {tracer}")
    do.phase = "dynamics"


def of_water(model, do, process):
    """A process for each kind of water other than vapour."""
    for kind in model.shortwave_penetration:
        do(process, on=of(kind), label=f"{process} of {kind}")
