"""One time step of a spectral atmosphere, in the order in which it is computed
(docs/spectral.md).

`do` (fathom.model.order.Order) adds a process, or nothing for None; processes with communication
are in `dynamics`, the global processes of the core.
"""

from fathom.atmosphere.products.aliases import air, moist_heating, of, temperature_names


def _sampled(model, scheme):
    """The keywords that add a scheme which is computed in few of the columns."""
    if (getattr(scheme, "spacing", None) or 1) == 1:
        return {}
    return {"samples": scheme.samples(model.grid), "twilight": scheme.twilight(model.grid)}


def physics(model, do, past):
    """Tendencies of the physics. past: names of the time before, from which a leapfrog takes
    them.
    """
    lapse = {"virtual_temperature": model.temperature + ("_before" if past else "")}
    do("TemperatureOfMoistAir", on=past, when=model.moist)
    do("HybridPressure", on=past, when=model.physics or not past)
    do("HydrostaticGeopotential", on=past | lapse, when=model.uses("geopotential"))
    do("MassFlow", when=model.edges)
    tendencies(model, do, past, twice=bool(past))


def tendencies(model, do, past, twice=False):
    """Adds the schemes. past: names of the fields of air; twice: over two steps."""
    of_schemes(model, do, past, twice)
    do("VirtualTemperatureTendency", on=past, when=model.moist)
    if model.budget is not None:
        model.budget.close(do)


def of_schemes(model, do, past, twice=False):
    """Adds the schemes, without the tendency of virtual temperature."""
    do.phase = "physics"
    do("TendencyStart")
    for tracer in model.tracers:
        do("TracerTendencyStart", on=of(tracer), label=f"TracerTendencyStart of {tracer}")
    added = 0  # earlier schemes that add to tendencies
    for scheme in model.physics:
        both = twice and "step" in scheme.parameter_names and scheme.adds_tendencies
        do(scheme, on=past, **({"step": 2 * do.step} if both else {}), **_sampled(model, scheme))
        if model.budget is not None and scheme.adds_tendencies:
            model.budget.after(do, added)
            added += 1


def semi_lagrangian_step(model, dynamics, do):
    """Two time levels, semi-implicit, trajectories extrapolated in time (SETTLS)."""
    temperatures = temperature_names(model)
    heating = temperatures | (moist_heating if model.moist else {})
    physics(model, do, {})
    do.phase = "dynamics"
    do("PrimitiveEquations", on=temperatures)
    do("ColumnEnergy", on=heating, when=dynamics.total_energy)
    do("SemiImplicitTerms", on=heating | model.linear_divergence)
    do.phase = "physics"
    for tracer in model.tracers:
        do("TracerPhysics", on=of(tracer), label=f"TracerPhysics of {tracer}")
    do.phase = "dynamics"
    do("WindExtrapolation")
    do.phase = "semi-Lagrangian"
    do(dynamics.transport)
    do(dynamics.tracer_transport)
    do.phase = "dynamics"
    do("Arrival", on=temperatures)
    do("ImplicitCoriolis", when=model.parameters["splitting"])
    do.phase = "spectral"
    do(dynamics.coupling)
    do(dynamics.step)
    do.phase = "dynamics"
    do(dynamics.total_energy)
    do(dynamics.tracer_mass)
    do("LogSurfacePressure")


def compressible_step(model, dynamics, do):
    """Two time levels, semi-implicit, with a first guess of the new time and corrections of it
    (core/atmosphere/nonhydrostatic/equations.hpp).
    """
    temperatures = temperature_names(model)
    heating = temperatures | (moist_heating if model.moist else {})
    physics(model, do, {})
    do.phase = "dynamics"
    do("CompressibleEquations", on=temperatures)
    do("UpwardVelocity")
    do("CompressibleNonlinear", on=model.linear_divergence)
    do("CompressibleCarried", on=heating)
    do("CompressibleExtrapolation", on=temperatures, when=model.extrapolation == "settls")
    do.phase = "physics"
    for tracer in model.tracers:
        do("TracerPhysics", on=of(tracer), label=f"TracerPhysics of {tracer}")
    do.phase = "dynamics"
    do("WindExtrapolation")
    do.phase = "semi-Lagrangian"
    do(dynamics.transport)
    do(dynamics.tracer_transport)
    _solve(model, do, temperatures, dynamics.coupling, dynamics.step)
    for number in range(model.corrections):
        again = f" of correction {number + 1}"
        do.phase = "dynamics"
        do("HybridPressure", label="HybridPressure" + again)
        do("CompressibleEquations", on=temperatures, label="CompressibleEquations" + again)
        do(
            "CompressibleNonlinear",
            on=model.linear_divergence,
            label="CompressibleNonlinear" + again,
        )
        _solve(model, do, temperatures, dynamics.coupling_again, dynamics.correction, again)
    do.phase = "dynamics"
    do("UpwardVelocity", label="UpwardVelocity of the new time")
    do(dynamics.tracer_mass)
    do("LogSurfacePressure")


def _solve(model, do, temperatures, coupling, step, again=""):
    """Adds the implicit terms of the new time, once fields have been carried to it."""
    do.phase = "dynamics"
    do("CompressibleArrival", on=temperatures, label="CompressibleArrival" + again)
    do("ImplicitCoriolis", label="ImplicitCoriolis" + again)
    do.phase = "spectral"
    do(coupling, label="Coupling" + again if coupling else None)
    do(step, label="SpectralStep" + again)


def eulerian_step(model, dynamics, do):
    """Leapfrog of vorticity and divergence, semi-implicit."""
    temperatures = temperature_names(model)
    physics(model, do, {name: name + "_before" for name in (*air, *model.tracers)})
    do.phase = "dynamics"
    do("HybridPressure")
    do("PrimitiveEquations", on=temperatures)
    do("EulerianTendencies", on=temperatures)
    for tracer in model.tracers:
        do("EulerianTracer", on=of(tracer), label=f"EulerianTracer of {tracer}")
    do.phase = "spectral"
    do(dynamics.tracer_leapfrog)
    do(dynamics.step)
    do.phase = "dynamics"
    do("LogSurfacePressure")
