"""Tracers of the ocean: what may be carried beside temperature and salinity, and the processes of one step of each."""

from fathom.components import scheme


class PassiveTracer:
    """A dye: advected and mixed like temperature, without sources."""

    def __init__(self, name="passive_tracer", units="1"):
        self.name, self.units = name, units

    def __repr__(self):
        return f"PassiveTracer({self.name!r})"


# What adds to a tracer's tendency, and what its share of the budget is called.
terms = {"IsoneutralFlux": "eddies", "SlopedFlux": "eddies", "ShortwaveHeating": "sunlight", "NonlocalTransport": "boundary_layer", "OverflowContent": "overflows", "GeothermalHeat": "sea_floor",
         "IdealAge": "ageing", "FreshwaterContent": "fresh_water", "LaplacianDiffusion": "diffusion", "BiharmonicDiffusion": "diffusion"}  # fmt: skip


def on_tracer(what, tracer):
    """What the fields of a scheme of any tracer are called for this one."""
    return {field: field.replace("tracer", tracer, 1) for field in what.field_names if field.split("_")[0] == "tracer"}


class Budgets:
    """Follows the processes of a tracer that has a budget: after those of one term of it stands what they have added."""

    def __init__(self, tracers, add, own_cells):
        self.tracers, self.add, self.own_cells = tracers, add, own_cells
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
        self.add(what, "tracer", on=on_tracer(what, tracer) | {"tracer_budget_share": f"{tracer}_budget_{term}"}, label=f"budget of {tracer}: {term}")

    def close(self, tracer, names):
        """After the update of a tracer; names: what it diffuses with."""
        if tracer in self.tracers:
            what = scheme("TracerBudget")
            form = what.in_cells if self.own_cells else what
            self.add(what, "tracer", on=on_tracer(what, tracer) | {name: other for name, other in names.items() if name in form.field_names}, label=f"budget of {tracer}")

    def finish(self, tracer):
        """Before the update."""
        if tracer in self.open:
            self._share(tracer)
