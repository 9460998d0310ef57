"""Models of air as lists of components: what a step's file says of them, one of a user's own, and
models without some of them.
"""

import pytest

import fathom as fm
from fathom.atmosphere.gridpoint import step as gridpoint
from fathom.atmosphere.spectral import shallow_water
from fathom.atmosphere.spectral import step as spectral
from fathom.model.component import Component, Field


def names(model):
    return [process.name for process in model.processes(600.0)]


@pytest.fixture(scope="module")
def grid():
    return fm.GaussianGrid(10, levels=fm.HybridLevels(8))


@pytest.mark.parametrize("file", [spectral, gridpoint])
def test_the_file_of_a_step_names_all_its_phases(file):
    for phase in file.groups:
        assert phase in file.__doc__


@pytest.mark.parametrize("scheme", ["semi-lagrangian", "eulerian"])
def test_phases_of_a_step_are_known_and_in_order(grid, scheme):
    model = fm.SpectralAtmosphere(grid, scheme=scheme)
    assert set(model.phases) <= set(spectral.groups) and len({*model.phases}) == len(model.phases)
    order = [process.phase for process in model.processes(600.0)]
    groups = [spectral.groups[phase] for phase in model.phases]
    runs = lambda x: [a for n, a in enumerate(x) if n == 0 or x[n - 1] != a]
    left = iter(runs(groups))  # the groups of processes come in the order of the phases
    assert all(group in left for group in runs(order))


def test_corrections_repeat_their_phases():
    phases = spectral.compressible(2)
    assert phases.count("solution") == 3 and phases.count("correction") == 2
    assert gridpoint.phases(2, 3).count("residuals") == 6


def test_a_component_of_a_users_own(grid):
    class Positive(Component):
        def processes(self, phase, do):
            if phase == "tracers":
                do("TracerTendencyStart", roles={"tracer": Field("dust")}, label="Own")

    class Mine(fm.SpectralAtmosphere):
        @property
        def components(self):
            return [*super().components, Positive()]

    own, plain = Mine(grid, tracers=["dust"]), fm.SpectralAtmosphere(grid, tracers=["dust"])
    found = names(own)
    assert [name for name in found if name != "Own"] == names(plain)
    assert found.index("Own") == found.index("TracerPhysics of dust") + 1
    process = own.processes(600.0)[found.index("Own")]
    assert [f["name"] for f in process.fields] == ["dust_tendency"]


def test_without_the_parts_that_have_no_tangent(grid):
    fixed = fm.SpectralAtmosphere(grid, fix_energy=True)
    bare = fixed.without_fixers()
    gone = [name for name in names(fixed) if name not in names(bare)]
    assert "ColumnEnergy" in gone and "ColumnEnergy" in names(fixed)
    assert names(bare) == names(fm.SpectralAtmosphere(grid, fix_mass=False))
    with pytest.raises(ValueError, match="has no tangent"):
        fm.SpectralAtmosphere(grid, scheme="eulerian").without_fixers()


def test_a_field_gives_names_to_its_parts():
    dust = Field("dust")
    declared = ["tracer", "tracer_tendency", "tracers_of_others", "air_density"]
    assert dust.of(declared, "tracer") == {"tracer": "dust", "tracer_tendency": "dust_tendency"}
    assert shallow_water.FLUID.before == "fluid_geopotential_before"
