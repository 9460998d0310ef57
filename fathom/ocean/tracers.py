"""Tracers of the ocean: what may be carried beside temperature and salinity, and the processes of
one step of each.
"""

from fathom import names
from fathom.schemes import scheme
from fathom.ocean.gases import CFC11, CFC12, SF6
from fathom.ocean.mixing import factors_of
from fathom.ocean.passive import IdealAge, PassiveTracer

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
    """What the fields of a scheme of any tracer are called for this one."""
    return {
        field: field.replace("tracer", tracer, 1)
        for field in what.field_names
        if field.split("_")[0] == "tracer"
    }


def at_end(ocean, what):
    """What the cells of a scheme become in the step: layers, and cells that do not follow the
    surface, stay.
    """
    names = {"thickness_after": "thickness"} | (
        {"sea_surface_height_after": "height_beyond_cells"}
        if ocean.stretched
        else {"cell_thickness_after": "cell_thickness"}
    )
    fields = (what.in_cells if ocean.own_cells else what).field_names
    return {name: other for name, other in names.items() if name in fields}


class Budgets:
    """Follows the processes of a tracer that has a budget: after those of one term of it stands
    what they have added.
    """

    def __init__(self, ocean, add):
        self.ocean, self.tracers, self.add = ocean, ocean.budgets, add
        self.open = {}  # tracer -> term whose share is not taken yet

    def follow(self, tracer, name):
        """Before a process of that name."""
        if tracer in self.tracers:
            term = terms.get(name, "advection")
            if self.open.get(tracer, term) != term:
                self._share(tracer)
            self.open[tracer] = term

    def _share(self, tracer):
        term = self.open.pop(tracer)
        what = scheme("FirstBudgetShare" if term == "advection" else "BudgetShare")
        self.add(
            what,
            "tracer",
            on=on_tracer(what, tracer) | {"tracer_budget_share": f"{tracer}_budget_{term}"},
            label=f"budget of {tracer}: {term}",
        )

    def _whole(self, what, tracer, names, label):
        names = {name: other for name, other in names.items() if name in what.field_names}
        self.add(
            what,
            "tracer",
            on=on_tracer(what, tracer) | names | at_end(self.ocean, what),
            label=label,
        )

    def close(self, tracer, names):
        """After the update of a tracer; names: what it diffuses with."""
        if tracer in self.tracers:
            self._whole(scheme("TracerBudget"), tracer, names, f"budget of {tracer}")

    def late(self, tracer, term):
        """After what has changed a tracer after its update."""
        if tracer in self.tracers:
            self._whole(
                scheme("LateBudgetShare"),
                tracer,
                {"tracer_budget_share": f"{tracer}_budget_{term}"},
                f"budget of {tracer}: {term}",
            )

    def finish(self, tracer):
        """Before the update."""
        if tracer in self.open:
            self._share(tracer)


def declared(tracers):
    """The passive tracers that are meant. ValueError where one is none, or is called as something
    else is, or as what belongs to another tracer.
    """
    by_name = {what().name: what for what in (IdealAge, CFC11, CFC12, SF6)}
    tracers = [
        by_name.get(t, PassiveTracer)(t) if isinstance(t, str) else t
        for t in ([tracers] if isinstance(tracers, (str, PassiveTracer)) else tracers)
    ]
    called = ["temperature", "salinity"]
    for tracer in tracers:
        if not isinstance(tracer, PassiveTracer):
            raise ValueError(
                f"tracers: {tracer!r} is no tracer; allowed: a name, PassiveTracer(name),"
                " IdealAge(), Dye(name, region), CFC11(), CFC12(), SF6()"
            )  # noqa: TRY004  all errors of the user are ValueErrors
        if tracer.name in called:
            raise ValueError(
                f"two tracers are called '{tracer.name}'; give one of them another name"
            )
        called.append(tracer.name)
    for tracer in tracers:
        other = names.describe(tracer.name)
        if (
            tracer.name in coordinates
            or (other.horizontal, other.vertical) != ("center", "layer")
            or (names.known(tracer.name) and other.units != tracer.units)
        ):
            raise ValueError(
                f"a tracer cannot be called '{tracer.name}', as {other.long_name} is; give it"
                " another name"
            )
        if owner := next(
            (name for name in called if tracer.name.removeprefix(name) in fields_of_tracer), None
        ):
            raise ValueError(
                f"a tracer cannot be called '{tracer.name}', as a field of '{owner}' is; give one"
                " of them another name"
            )
    return tracers


def add_fluxes(ocean, surface, add):
    """What makes the fluxes of passive tracers through the surface."""
    for tracer in ocean.tracers:
        for what in tracer.fluxes(surface):
            add(
                what,
                "surface",
                on=on_tracer(what, tracer.name),
                label=f"{what.name} of {tracer.name}",
            )


def add_tracers(ocean, sequence, add, precision):
    """The processes of one step of all tracers, after transports and the factors of vertical
    diffusion; add(scheme, phase, on, label): into the sequence.
    """
    budgets = Budgets(ocean, add)
    passive = {tracer.name: tracer for tracer in ocean.tracers}

    def for_tracer(tracer, what, on=None):
        what = scheme(what) if isinstance(what, str) else what
        budgets.follow(tracer, what.name)
        add(
            what,
            "tracer",
            on=on_tracer(what, tracer) | (on or {}),
            label=f"{what.name} of {tracer}",
        )

    if ocean.split:  # all first sweeps before all others: one exchange for all tracers
        add("SweepVolumes", "tracer")
        for tracer in ocean.tracer_names:
            for_tracer(tracer, ocean.tracer_advection.name.replace("Advection", "Sweep"))
    for tracer in ocean.tracer_names:
        for_tracer(tracer, ocean.tracer_advection)
        if ocean.diffusion is not None:
            if ocean.diffusion.name == "BiharmonicDiffusion":
                for_tracer(tracer, "TracerLaplacian")
            for_tracer(tracer, ocean.diffusion)
        if ocean.eddies is not None:
            budgets.follow(tracer, "IsoneutralFlux")
            sequence += ocean.eddies.of_tracer(tracer, precision, ocean.own_cells)
        if ocean.water is not None and tracer == "temperature":
            for_tracer(tracer, "ShortwaveHeating")
        if ocean.has_boundary_layer and tracer in ("temperature", "salinity"):
            for_tracer(tracer, "NonlocalTransport")
        if ocean.overflows:
            for_tracer(tracer, "OverflowContent")
        if ocean.warm_floor and tracer == "temperature":
            for_tracer(tracer, "GeothermalHeat")
        for what in passive[tracer].sources() if tracer in passive else ():
            for_tracer(tracer, what)
        if ocean.stretched and tracer in ("temperature", "salinity"):
            rain = (
                {"share": 1}
                if tracer == "temperature"
                else {"returned": scheme("SurfaceFluxes").all_parameters["reference_salinity"]}
            )
            for_tracer(tracer, scheme("FreshwaterContent", **rain))
        budgets.finish(tracer)
        update = scheme("TracerUpdate")
        add(
            update,
            "tracer",
            on=on_tracer(update, tracer) | factors_of(ocean, tracer) | at_end(ocean, update),
            label=f"TracerUpdate of {tracer}",
        )
        budgets.close(tracer, factors_of(ocean, tracer))
        if tracer in passive and (keep := passive[tracer].holding()) is not None:
            add(keep, "tracer", on=on_tracer(keep, tracer), label=f"Keep of {tracer}")
            budgets.late(tracer, "kept")
    return budgets
