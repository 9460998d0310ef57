"""Components of an ocean: each adds to the phases that fathom/ocean/step.py names; components and
surfaces of a user's own.
"""

import re

import numpy as np
import pytest

import fathom as fm
from cases import box, globe, ridge
from fathom.ocean import OceanComponent, step
from fathom.ocean.surface.forcing import Surface


def named_in(text):
    """Phase -> the components that the numbered list of a docstring names; of the phase "tracers"
    not those of its terms.
    """
    entries = re.findall(r'^ *\d+\. "([^"]+)": (.*?)(?=^ *\d+\. |\n\n)', text, re.M | re.S)
    said = {phase: text.partition("The terms")[0] for phase, text in entries}
    return {phase: set(re.findall(r"the surface|\b[A-Z]\w+", text)) for phase, text in said.items()}


def adding(ocean, surface, seconds=3600.0):
    """Phase -> the components that add processes to it."""
    do, found = ocean.order(seconds), {}
    for phase in ocean.phases:
        for component in ocean.driven_by(surface):
            before = len(do.processes)
            component.processes(phase, do)
            name = "the surface" if isinstance(component, Surface) else type(component).__name__
            found.setdefault(phase, set()).update([name] * (len(do.processes) > before))
    return found


def everything():
    """Oceans that have each component at least once between them."""
    rich = {
        "physics": "simple",
        "vertical_mixing": "KPP",
        "double_diffusion": "DoubleDiffusion",
        "eddies": fm.GentMcWilliams(structure=fm.schemes.EadyStructure()),
        "submesoscale": "MixedLayerEddies",
        "friction": "SmagorinskyFriction",
        "free_surface": fm.FreeSurface(freshwater="volume"),
        "tracers": ["cfc11"],
        "budgets": ["temperature"],
    }
    yield globe(**rich), fm.BulkForcing(runoff=1e-6)
    yield (
        globe(physics="simple", eddies="GentMcWilliams", sea_ice="SeaIce"),
        fm.BulkForcing(runoff=1e-6),
    )
    yield ridge(), fm.SurfaceForcing()


def test_the_step_names_the_components_of_each_phase():
    """In both directions: what a phase names adds something, and nothing else does."""
    found = {}
    for ocean, surface in everything():
        for phase, names in adding(ocean, surface).items():
            found.setdefault(phase, set()).update(names)
    named = named_in(step.__doc__)
    assert list(named) == list(step.PHASES) == list(found)
    for phase, names in found.items():
        assert named[phase] & {"the surface", *(name for of in found.values() for name in of)} == (
            names
        ), phase


class Restoring(OceanComponent):
    """dS/dt = (target - S) / time below a depth."""

    def __init__(self, target, time, depth):
        self.target, self.time, self.depth = target, time, depth

    def add_to(self, tracer, add):
        if tracer.name == "salinity":
            fields = [
                fm.reads("thickness", "layer profile", "m"),
                fm.reads("area_center", "center column", "m2"),
                fm.reads("salinity", "center layer", tracer.units),
                fm.updates(tracer.tendency, "center layer", f"{tracer.units} m3 s-1"),
            ]
            add(fm.PythonScheme(self.work, fields), term="restoring")

    def work(self, thickness, area_center, salinity, salinity_tendency):
        for k in np.flatnonzero(np.cumsum(thickness) > self.depth):
            volume = area_center * thickness[k]
            salinity_tendency[k] += volume * (self.target - salinity[k]) / self.time


def at_rest(**given):
    grid = fm.CartesianGrid(nx=6, ny=6, levels=fm.ZLevels(3, depth=60, spacing="uniform"))
    ocean = fm.Ocean(grid, coriolis=(1e-4, 0), budgets="salinity", **given)
    return ocean.set(temperature=10.0, salinity=34.0)


def test_a_component_of_the_users_adds_a_term(tmp_path):
    """Forward in time: (35 - 34) / time a second in the layers below, which mixing spreads but does
    not change in sum; the term of the budget is that times the thickness of the layer.
    """
    own = Restoring(target=35.0, time=86400.0, depth=30.0)
    sim = fm.Simulation(at_rest(extra_components=[own]), "1h", directory=tmp_path)
    sim.output("budget.nc", ["salinity_budget_restoring"], every="1h")
    sim.run("1h", report=False)
    found = sim.gather("salinity")[:, 2, 2]
    assert 20 * (found - 34).sum() == pytest.approx(40 * 3600 / 86400, rel=1e-9)
    with fm.open(tmp_path / "budget.nc") as data:
        share = data["salinity_budget_restoring"].values[-1][:, 2, 2]
    np.testing.assert_allclose(share, np.array([0, 20, 20]) / 86400, rtol=1e-6, atol=1e-12)


def test_what_is_no_component_is_refused():
    with pytest.raises(fm.InputError, match="extra_components: 'KPP' is no Component"):
        at_rest(extra_components=["KPP"])


def test_a_term_has_the_name_that_is_given():
    def relaxed(temperature, temperature_tendency): ...

    fields = [
        fm.reads("temperature", "center layer", "degC"),
        fm.updates("temperature_tendency", "center layer", "degC m3 s-1"),
    ]
    grid = fm.CartesianGrid(nx=6, ny=6, levels=fm.ZLevels(3, depth=60, spacing="uniform"))
    ocean = fm.Ocean(grid, coriolis=(1e-4, 0), budgets="temperature")
    place = {"before": "TracerUpdate of temperature"}
    ocean.insert(fm.PythonScheme(relaxed, fields), **place, term="own")
    names = [process.name for process in ocean.processes(3600.0, fm.SurfaceForcing())]
    after = names.index("relaxed")
    assert names[after + 1] == "budget of temperature: own"


class Westerlies(Surface):
    """A stress along x, and no other flux."""

    def processes(self, phase, do):
        if phase == "surface fluxes":
            do("SurfaceFluxes")

    def fixed_fields(self):
        shape = np.shape(self.grid.wet_levels)
        return {"surface_stress_x": np.full(shape, 0.1), "surface_stress_y": np.zeros(shape)}


def test_a_surface_of_the_users():
    """The same bits as SurfaceForcing of that stress."""
    runs = [fm.Simulation(box(), "1h", surface=s) for s in (Westerlies(), fm.SurfaceForcing(0.1))]
    for sim in runs:
        sim.advance(3)
    assert runs[0].checksum() == runs[1].checksum()
    assert runs[0].fields.motion(3600.0)["speed"] > 1e-4
