"""Open edges: waves, an eddy and a dye leave, given water enters, what passes is all that changes
the content; bits on any ranks and after a restart; what cannot be is refused.
"""

import numpy as np
import pytest

import fathom as fm
import open_seas
from open_seas import edges, energy, f, plane, sea, size, start

g = 9.80616


def test_a_flow_through_all_edges_stays():
    """A geostrophic flow that goes in on one side and out on the other, past a wall of nothing."""
    U, V = 0.2, -0.1
    height = lambda x, y: f / g * (V * x - U * y)
    given = {"velocity_x": U, "velocity_y": V, "sea_surface_height": height}
    model = sea(plane(12, 10), edges, given, friction=fm.LaplacianFriction(viscosity=1e3))
    sim = start(model.set(**given), "15min")
    sim.advance(50)
    here = np.asarray(model.grid.wet_corners)
    assert abs(sim.gather("velocity_x")[:, here] - U).max() < 1e-12
    assert abs(sim.gather("velocity_y")[:, here] - V).max() < 1e-12
    x, y = model.grid.coordinates()
    assert abs(sim.gather("sea_surface_height")[0] - height(x, y)).max() < 1e-12


@pytest.mark.parametrize("coriolis, hours", [(0.0, 7), (f, 12)], ids=["gravity", "Kelvin"])
def test_a_wave_leaves(coriolis, hours):
    """A long wave along a coast leaves through the end of the channel: less than 2 % of its
    energy comes back.
    """
    c = np.sqrt(g * 100)
    decay = lambda y: np.exp(-y * coriolis / c) if coriolis else 1 + 0 * y
    hump = lambda x, y: 0.1 * np.exp(-(((x - 2e5) / 6e4) ** 2)) * decay(y)
    moving = lambda x, y, z: hump(x, y) * g / c
    parts = {"coriolis": coriolis, "momentum_advection": None, "friction": None}
    model = sea(plane(40, 12 if coriolis else 4), ["west", "east"], {}, **parts)
    sim = start(model.set(sea_surface_height=hump, velocity_x=moving), "3min")
    sim.advance(20)
    at_edge = energy(sim)  # none of it has left
    sim.advance(20 * (hours - 1))
    assert energy(sim) < 0.02 * at_edge


def test_an_eddy_leaves_with_the_flow():
    """A warm eddy in a flow: when it has passed, the sea is what it was before it came."""
    U, warm = 0.5, 2.0
    height = lambda x, y: -f / g * U * y
    profile = lambda x, y, z: 15 - z / 100 + 0 * x
    eddy = lambda x, y, z: (
        warm * np.exp(-((x - 15e4) ** 2 + (y - 12e4) ** 2) / (2 * 3e4**2) - z / 200)
    )
    given = {"temperature": profile, "velocity_x": U, "sea_surface_height": height}
    model = sea(
        plane(26, 24, nz=4, depth=500.0),
        edges,
        given,
        friction=fm.LaplacianFriction(viscosity=50.0),
        diffusion=None,
        tracer_advection="UpwindAdvection",
    )
    model.set(**given | {"temperature": lambda *at: profile(*at) + eddy(*at)})
    sim = start(model, "20min")
    before = sim.gather("temperature")
    sim.advance(72 * 10)
    x, y = model.grid.coordinates()
    rest = np.stack([profile(x, y, z) for z in model.grid.levels.middles])
    share = ((sim.gather("temperature") - rest) ** 2).sum() / ((before - rest) ** 2).sum()
    assert share < 0.02
    assert abs(sim.gather("velocity_x")[:, model.grid.wet_corners] - U).max() < 0.05


@pytest.mark.parametrize("advection", ["CentredAdvection", "QuickestAdvection"])
def test_a_dye_leaves(advection):
    """A dye is carried out by the flow, and what comes in has none."""
    U = 0.5
    given = {"velocity_x": U, "tracers": {"dye": 0.0}}
    parts = {"coriolis": 0.0, "tracers": ["dye"], "tracer_advection": advection}
    model = sea(plane(20, 4), ["west", "east"], given, friction=None, diffusion=None, **parts)
    patch = lambda x, y, z: np.exp(-(((x - 8e4) / 3e4) ** 2)) + 0 * y
    sim = start(model.set(velocity_x=U, dye=patch), "1h")
    total, first = sim.fields.content("dye"), sim.gather("dye")
    sim.advance(50)  # 90 km
    on_its_way = sim.fields.content("dye")
    assert 0.4 < on_its_way / total < 0.95
    sim.advance(250)  # along the walls with half the speed
    assert abs(sim.fields.content("dye") / total) < 0.01
    assert (sim.gather("dye") ** 2).sum() < 0.01 * (first**2).sum()


def test_a_channel_with_a_prescribed_inflow():
    """What is prescribed in the west leaves in the east, with its dye; the sea keeps its height."""
    shear = lambda z: np.where(z < 50, 0.4, 0.2)
    given = {"velocity_x": lambda x, y, z: shear(z) + 0 * x, "tracers": {"dye": 1.0}}
    west = fm.OpenEdge("west", flow="prescribed")
    model = sea(
        plane(20, 5),
        [west, "east"],
        given,
        coriolis=0.0,
        friction=None,
        tracers=["dye"],
        tracer_advection="UpwindAdvection",
    )
    sim = start(model.set(velocity_x=given["velocity_x"]), "20min")
    sim.advance(3 * 24 * 21)
    through = sim.gather("open_edge_outflow")
    inflow = -shear(np.array([25.0, 75.0])) * 50 * 4 * size  # the walls take half of two rows
    np.testing.assert_allclose(through[:, :, 0].sum(1), inflow, rtol=1e-12)
    assert through[:, :, -1].sum() == pytest.approx(-inflow.sum(), rel=1e-6)
    assert abs(sim.gather("sea_surface_height")).max() < 0.01
    assert sim.gather("dye").min() == pytest.approx(1, abs=0.01)


@pytest.mark.parametrize("freshwater", ["salt", "volume"])
@pytest.mark.parametrize("advection", ["CentredAdvection", "QuickestAdvection"])
def test_budgets_have_the_flux_through_the_edges(advection, freshwater, tmp_path):
    """Volume and salt change by what passes the edges and the surface, to round-off."""
    names = [f"salinity_budget_{term}" for term in ("storage", "advection", "open_edges")]
    model = open_seas.stirred(
        tracer_advection=advection, freshwater=freshwater, partial_cells=0.2, budgets="salinity"
    )
    sim = fm.Simulation(model, "10min", surface=fm.SurfaceForcing(), directory=tmp_path)
    sim.output("budget.zarr", names, every="10min")
    sim.prepare()
    area = np.where(model.grid.wet_levels > 0, np.asarray(model.grid.areas[0]), 0)
    content = lambda: np.array([sim.fields.volume(), sim.fields.content("salinity")])
    for _ in range(6):
        before = content()
        sim.advance(1)
        volume, salt = content() - before
        passed = -600 * sim.gather("open_edge_outflow").sum()
        assert abs(passed) > 1e6
        assert volume == pytest.approx(passed, abs=1e-13 * before[0])
        terms = {name: (area * sim.gather(name)).sum() * 600 for name in names}
        assert salt == pytest.approx(terms[names[0]], abs=1e-13 * before[1])
        assert salt == pytest.approx(terms[names[2]], abs=1e-12 * before[1])
        assert terms[names[1]] == pytest.approx(0, abs=1e-12 * before[1])


@pytest.mark.parametrize("precision", ["fp64", "fp32"])
def test_bits_on_any_ranks_and_after_a_restart(precision, tmp_path, on_ranks):
    import cases

    how = [f'precision="{precision}"', 'freshwater="volume"', "partial_cells=0.2"]
    one = on_ranks(1, open_seas, "bits", *how)
    assert one == on_ranks(3, open_seas, "bits", "blocks=[7,5]", *how)

    def fresh():
        sim = start(open_seas.stirred(precision=precision), "10min")
        sim.directory = tmp_path
        return sim

    cases.continued(fresh)
