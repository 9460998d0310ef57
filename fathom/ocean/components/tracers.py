"""Tracers of the ocean: those allowed besides temperature and salinity, and the processes of one
step of each.
"""

import re

from fathom import names
from fathom.base.failure import InputError
from fathom.model.schemes import scheme
from fathom.ocean.components import eddies
from fathom.ocean.components.gases import CFC11, CFC12, SF6
from fathom.ocean.components.mixing import factors_of
from fathom.ocean.components.passive import IdealAge, PassiveTracer

# What adds to a tracer's tendency, and what its share of the budget is called.
terms = {
    "IsoneutralFlux": "eddies",
    "SlopedFlux": "eddies",
    "ShortwaveHeating": "sunlight",
    "NonlocalTransport": "boundary_layer",
    "OverflowContent": "overflows",
    "GeothermalHeat": "sea_floor",
    "Ageing": "ageing",
    "Release": "release",
    "FreshwaterContent": "fresh_water",
    "LaplacianDiffusion": "diffusion",
    "BiharmonicDiffusion": "diffusion",
}

coordinates = ("time", "depth", "depth_interface", "longitude", "latitude", "x", "y")
fields_of_tracer = (
    "_before",
    "_after",
    "_tendency",
    "_swept",
    "_laplacian",
    "_surface_flux",
    "_region",
    "_layers",
    "_in_air",
)


def on_tracer(what, tracer):
    """Names for this tracer of the fields of a scheme that any tracer can use."""
    return {
        field: field.replace("tracer", tracer, 1)
        for field in what.field_names
        if field.split("_")[0] == "tracer"
    }


def at_end(ocean, what):
    """Names of the cells of a scheme in the step; layers and cells that do not follow the surface
    stay.
    """
    names = {"thickness_after": "thickness"} | (
        {"sea_surface_height_after": "height_beyond_cells"}
        if ocean.stretched
        else {"cell_thickness_after": "cell_thickness"}
    )
    fields = (what.in_cells if ocean.own_cells else what).field_names
    return {name: other for name, other in names.items() if name in fields}


class Budgets:
    """Follows the processes of a tracer that has a budget: the sum of one term is complete after
    the processes of that term.
    """

    def __init__(self, ocean, do):
        self.ocean, self.tracers, self.do = ocean, ocean.budgets, do
        self.open = {}  # tracer -> term whose share is not taken yet

    def follow(self, tracer, name):
        """Adds its sum before a process of that name."""
        if tracer in self.tracers:
            term = terms.get(name, "advection")
            if self.open.get(tracer, term) != term:
                self._share(tracer)
            self.open[tracer] = term

    def _share(self, tracer):
        term = self.open.pop(tracer)
        what = scheme("FirstBudgetShare" if term == "advection" else "BudgetShare")
        share = {"tracer_budget_share": f"{tracer}_budget_{term}"}
        self.do(what, on=on_tracer(what, tracer) | share, label=f"budget of {tracer}: {term}")

    def _whole(self, what, tracer, names, label):
        self.do(what, on=on_tracer(what, tracer) | names | at_end(self.ocean, what), label=label)

    def close(self, tracer, names):
        """Adds the sums after the update of a tracer; names: what it diffuses with."""
        if tracer in self.tracers:
            self._whole(scheme("TracerBudget"), tracer, names, f"budget of {tracer}")

    def late(self, tracer, term):
        """Adds the sums after processes that change a tracer after its update."""
        if tracer in self.tracers:
            share = {"tracer_budget_share": f"{tracer}_budget_{term}"}
            label = f"budget of {tracer}: {term}"
            self._whole(scheme("LateBudgetShare"), tracer, share, label)

    def after_freezing(self, do):
        """At the end of a step, if there is a limit of freezing."""
        if "FreezingLimit" in do.kinds:
            do.phase = "tracer"
            for tracer in ("temperature", "salinity"):
                self.late(tracer, "freezing")

    def finish(self, tracer):
        """Adds the sums before the update."""
        if tracer in self.open:
            self._share(tracer)


def declared(tracers):
    """The passive tracers of the user's list. ValueError where one is no tracer, or has the name of
    another field, or of a field of another tracer.
    """
    by_name = {what().name: what for what in (IdealAge, CFC11, CFC12, SF6)}
    tracers = [
        by_name.get(t, PassiveTracer)(t) if isinstance(t, str) else t
        for t in ([tracers] if isinstance(tracers, (str, PassiveTracer)) else tracers)
    ]
    called = ["temperature", "salinity"]
    for tracer in tracers:
        if not isinstance(tracer, PassiveTracer):
            raise InputError(
                f"tracers: {tracer!r} is no tracer; allowed: a name, PassiveTracer(name),"
                " IdealAge(), Dye(name, region), CFC11(), CFC12(), SF6()"
            )
        if tracer.name in called:
            raise InputError(
                f"two tracers are called '{tracer.name}'; give one of them another name"
            )
        called.append(tracer.name)
    for tracer in tracers:
        _check_name(tracer, called)
    return tracers


def _check_name(tracer, called):
    """ValueError where a tracer has the name of another field, or of one of a tracer in
    `called`."""
    other = names.describe(tracer.name)
    if (
        tracer.name in coordinates
        or (other.horizontal, other.vertical) != ("center", "layer")
        or (names.known(tracer.name) and other.units != tracer.units)
    ):
        raise InputError(
            f"a tracer cannot be called '{tracer.name}', as {other.long_name} is; give it"
            " another name"
        )
    if owner := next(
        (name for name in called if tracer.name.removeprefix(name) in fields_of_tracer), None
    ):
        raise InputError(
            f"a tracer cannot be called '{tracer.name}', as a field of '{owner}' is; give one"
            " of them another name"
        )


def own_terms(ocean, do):
    """A separate term in the budget of a tracer for each process of the user's that adds to its
    tendency. ValueError where it is among the processes of another term.
    """
    own = {type(one.process).__name__ for one in ocean.extra_processes}
    own |= {getattr(one.process, "name", "") for one in ocean.extra_processes}
    for tracer in ocean.budgets:
        changed = f"{tracer}_tendency"
        adds = lambda p, changed=changed: any(
            f["name"] == changed and f["access"] != "reads" for f in p.fields
        )
        n = 0
        while n < len(do.processes):
            process = do.processes[n]
            n += 1
            if process.name not in own or not adds(process):
                continue
            if do.kinds[n - 2] not in ("FirstBudgetShare", "BudgetShare"):
                raise InputError(
                    f"{process.name} is among the processes of another term of the budget of"
                    f" {tracer}; put it before 'TracerUpdate of {tracer}'"
                )
            term = re.sub(r"(?<!^)(?=[A-Z])", "_", process.name).replace(" ", "_").lower()
            what, share = scheme("BudgetShare"), f"{tracer}_budget_{term}"
            on = on_tracer(what, tracer) | {"tracer_budget_share": share}
            do.insert(n, what, on=on, label=f"budget of {tracer}: {term}")
            n += 1


def fluxes(ocean, surface, do):
    """The processes that make the fluxes of passive tracers through the surface."""
    for tracer in ocean.tracers:
        for what in tracer.fluxes(surface):
            do(what, on=on_tracer(what, tracer.name), label=f"{what.name} of {tracer.name}")


def step(ocean, do):
    """The processes of one step of all tracers, after transports and the factors of vertical
    diffusion. Returns their budgets.
    """
    budgets = Budgets(ocean, do)
    passive = {tracer.name: tracer for tracer in ocean.tracers}

    def of(tracer, what, when=True):
        if what is None or not when:
            return
        what = scheme(what) if isinstance(what, str) else what
        budgets.follow(tracer, what.name)
        do(what, on=on_tracer(what, tracer), label=f"{what.name} of {tracer}")

    if ocean.split:  # all first sweeps before all others: one exchange for all tracers
        do("SweepVolumes")
        for tracer in ocean.tracer_names:
            of(tracer, ocean.tracer_advection.companion("sweep"))
    for tracer in ocean.tracer_names:
        own = passive.get(tracer)
        heat, active = tracer == "temperature", tracer in ("temperature", "salinity")
        of(tracer, ocean.tracer_advection)
        if ocean.diffusion is not None:
            of(tracer, ocean.diffusion.first_pass)
            of(tracer, ocean.diffusion)
        eddies.fluxes(ocean, tracer, do, budgets)
        of(tracer, "ShortwaveHeating", when=heat and ocean.shortwave_penetration is not None)
        of(tracer, "NonlocalTransport", when=active and ocean.has_boundary_layer)
        of(tracer, "OverflowContent", when=ocean.overflows)
        of(tracer, "GeothermalHeat", when=heat and ocean.warm_floor)
        for what in own.sources() if own else ():
            of(tracer, what)
        of(tracer, _rain(heat), when=active and ocean.stretched)
        budgets.finish(tracer)
        _update(ocean, tracer, do, budgets)
        _hold(own, do, budgets)
    return budgets


def _hold(own, do, budgets):
    """Adds the process that keeps a passive tracer at given values, after all others."""
    keep = own.holding() if own else None
    if keep is not None:
        do(keep, on=on_tracer(keep, own.name), label=f"Keep of {own.name}")
        budgets.late(own.name, "kept")


def _rain(heat):
    """Fresh water has the temperature of the surface, and no salt."""
    if heat:
        return scheme("FreshwaterContent", share=1)
    salinity = scheme("SurfaceFluxes").all_parameters["reference_salinity"]
    return scheme("FreshwaterContent", returned=salinity)


def _update(ocean, tracer, do, budgets):
    """Vertical diffusion and the new value."""
    update, factors = scheme("TracerUpdate"), factors_of(ocean, tracer)
    names = on_tracer(update, tracer) | factors | at_end(ocean, update)
    do(update, on=names, label=f"TracerUpdate of {tracer}")
    budgets.close(tracer, factors)
