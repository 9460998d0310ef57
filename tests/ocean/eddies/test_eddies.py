"""Eddies in the ocean: what they must keep, the same bits on any ranks, and how fast a front
flattens.
"""

import numpy as np
import pytest

import cases
from cases import box, simulate, stirred


def kinds():
    import fathom as fm

    return {
        "equal": fm.GentMcWilliams(1000),
        "structured": fm.GentMcWilliams(
            1000, 600, taper="quadratic", structure=fm.schemes.StratificationStructure()
        ),
        "eady": fm.GentMcWilliams(1000, 0, taper="clipping", structure=fm.schemes.EadyStructure()),
    }


@pytest.mark.parametrize("kind", ["equal", "structured", "eady", "none"])
def test_eddies_keep_contents_and_constants(kind):
    import fathom as fm

    eddies = kinds().get(kind)
    cells, surface = (
        0.3 if kind == "structured" else None,
        fm.FreeSurface(freshwater="volume" if kind == "eady" else "salt"),
    )
    sim = simulate(
        stirred(
            box(
                tracers=["one", "dye"],
                partial_cells=cells,
                free_surface=surface,
                eddies=eddies,
                submesoscale=fm.MixedLayerEddies(),
                equation_of_state=fm.TEOS10Polynomial(),
            )
        ).set(one=1.0, dye=lambda x, y, z: 1.0 * (x > 5e5))
    )
    assert (sim.model.diffusion is None) == (eddies is not None)
    sim.prepare()
    names = ["temperature", "salinity", "dye"]
    content = lambda: np.array([sim.fields.content(n) for n in names])
    before = content()
    sim.advance(60)
    one = sim.fields.extremes("one")
    assert abs(one["minimum"] - 1) < 1e-13 and abs(one["maximum"] - 1) < 1e-13
    assert np.all(np.abs(content() / before - 1) < 1e-13)
    assert sim.fields.motion(sim.time_step)["speed"] > 0.01


@pytest.mark.parametrize(
    "eddies, friction",
    [
        ('{"diffusivity": 1000, "structure": "EadyStructure"}', "SmagorinskyFriction"),
        (
            (
                '{"diffusivity": 1000, "isoneutral_diffusivity": 600, "structure":'
                ' "StratificationStructure"}'
            ),
            "AnisotropicFriction",
        ),
    ],
)
def test_eddies_and_friction_same_bits(on_ranks, eddies, friction):
    given = [f"eddies={eddies}", f'friction="{friction}"']
    assert (
        on_ranks(1, cases, "bits", *given)["checksum"]
        == on_ranks(3, cases, "bits", "blocks=[13,8]", *given)["checksum"]
    )


def test_eddies_say_what_is_wrong():
    import fathom as fm

    with pytest.raises(ValueError, match="taper = 'tan'; did you mean 'tanh'"):
        fm.GentMcWilliams(taper="tan")
    with pytest.raises(
        ValueError, match="structure = .* must be one of StratificationStructure, EadyStructure"
    ):
        fm.GentMcWilliams(structure=fm.MWJF())
    with pytest.raises(ValueError, match="maximum_slope = 2"):
        fm.GentMcWilliams(maximum_slope=2)
    with pytest.raises(ValueError, match="diffusivity = -1"):
        fm.GentMcWilliams(-1)
    with pytest.raises(ValueError, match="efficiency = 2"):
        fm.MixedLayerEddies(efficiency=2)


size, depth = 600e3, 2000.0


def front(eddies, days):
    """A front across a zonal channel in thermal wind balance, wide compared with the radius of
    deformation (20 km): the amplitude of its temperature at middle depth, day by day.
    """
    import fathom as fm

    grid = fm.CartesianGrid(
        nx=4,
        ny=30,
        extent=(80e3, size),
        periodic=True,
        levels=fm.ZLevels(nz=20, depth=depth, surface=100),
    )
    model = fm.Ocean(
        grid,
        coriolis=(1e-4, 0.0),
        equation_of_state=fm.LinearEquationOfState(),
        momentum_advection=None,
        vertical_mixing=fm.ConstantMixing(diffusivity=0, viscosity=1e-5),
        friction=fm.LaplacianFriction(viscosity=1000),
        bottom_drag=0.0,
        diffusion=None,
        eddies=eddies,
    )
    shape = lambda y, z: np.cos(np.pi * y / size) * np.sin(np.pi * z / depth)
    model.set(
        temperature=lambda x, y, z: 20 - 0.005 * (z - 60 * shape(y, z)),
        salinity=35.0,
        velocity_x=lambda x, y, z: (
            -9.80616
            * 2e-4
            * 0.3
            / 1e-4
            * (-np.pi / size)
            * np.sin(np.pi * y / size)
            * (depth / np.pi)
            * np.cos(np.pi * z / depth)
        ),
    )
    sim = simulate(model, step="1h")
    sim.prepare()
    y = (np.arange(30) + 0.5) / 30
    amplitude = []
    for _ in range(days):
        sim.advance(24)
        amplitude.append(2 * (sim.gather("temperature")[10, :, 0] * np.cos(np.pi * y)).mean())
    return np.array(amplitude)


@pytest.mark.parametrize("along", [2000.0, 0.0])
def test_a_front_flattens_as_the_height_of_its_isopycnals_diffuses(along):
    """Its e-folding time is (size / pi)^2 / diffusivity, 211 days here, with isoneutral diffusion
    or without; without eddies it stays.
    """
    import fathom as fm

    eddies, alone = front(fm.GentMcWilliams(2000.0, along), 12), front(None, 12)
    rate = -np.polyfit(np.arange(12) * 86400.0, np.log(eddies / alone), 1)[0]
    assert abs(alone[-1] / alone[0] - 1) < 0.01
    assert rate == pytest.approx(2000 * (np.pi / size) ** 2, rel=0.02)
