"""How deep wind and cooling mix: the laboratory's law and the energy of entrainment, in an ocean
that is the same everywhere.
"""

import tempfile

import numpy as np
import pytest

import fathom as fm

g, rho0, heat_capacity, alpha, beta = 9.80616, 1026.0, 3996.0, 2e-4, 7.6e-4


def ocean(N, dz=2.0, depth=60.0, step=300, mixing=None, precision="fp64", surface=None, **keywords):
    """A channel so wide that its walls are not felt in the middle: each column for itself,
    stratified evenly by temperature.
    """
    grid = fm.CartesianGrid(
        nx=3,
        ny=24,
        extent=(1e7, 1e7),
        periodic=True,
        levels=fm.ZLevels(nz=int(depth / dz), depth=depth, spacing="uniform"),
    )
    model = fm.Ocean(
        grid,
        coriolis=(0, 0),
        equation_of_state=fm.LinearEquationOfState(
            thermal_expansion=alpha, haline_contraction=beta
        ),
        vertical_mixing=mixing or fm.KPP(),
        momentum_advection=None,
        friction=None,
        diffusion=None,
        bottom_drag=0,
        precision=precision,
        **keywords,
    )
    model.set(temperature=lambda x, y, z: 20 - N**2 / (g * alpha) * z, salinity=35.0)
    return fm.Simulation(
        model,
        time_step=f"{step}s",
        surface=fm.SurfaceForcing(**surface),
        start="2000-01-01",
        directory=tempfile.gettempdir(),
    ).prepare()


def column(simulation, name="temperature"):
    return simulation.gather(name)[:, 12, 1]


def steepest(simulation, dz):
    """Depth of the largest gradient of temperature."""
    return dz * (1 + np.argmax(-np.diff(column(simulation))))


@pytest.mark.parametrize("dz, precision", [(2.0, "fp64"), (5.0, "fp64"), (2.0, "fp32")])
def test_wind_deepens_the_mixed_layer(dz, precision):
    """h = 1.05 u* (t / N)^(1/2) (Kato & Phillips 1969; Price 1979), to the thickness of a layer
    and 6 %.
    """
    friction, N = 0.01, 0.01
    simulation = ocean(N, dz, precision=precision, surface={"stress_x": rho0 * friction**2})
    for hours in (10, 20, 30):
        simulation.advance(120)
        assert steepest(simulation, dz) == pytest.approx(
            1.05 * friction * np.sqrt(hours * 3600 / N), abs=dz, rel=0.06
        )


def test_cooling_deepens_the_mixed_layer():
    """h = (2 (1 + 2 0.2) B_0 t)^(1/2) / N: entrainment takes a fifth of the flux of buoyancy at the
    surface; without it h would be 0.85 of that.
    """
    cooling, N, days, dz = 100.0, 0.01, 4, 1.0
    simulation = ocean(N, dz, depth=30.0, step=600, surface={"heat_flux": -cooling})
    B = g * alpha * cooling / (rho0 * heat_capacity)
    simulation.advance(144 * days)
    expected = np.sqrt(2.8 * B * days * 86400 / N**2)
    assert column(simulation, "boundary_layer_depth")[0] == pytest.approx(expected, rel=0.05)
    assert steepest(simulation, dz) == pytest.approx(expected, rel=0.05)


def test_flux_without_gradient_makes_the_layer_even():
    """It carries what else needs a gradient: the middle of the layer is then twice as even."""
    even = {}
    for strength in (0.0, 10.0):
        simulation = ocean(
            0.01,
            1.0,
            depth=30.0,
            step=1800,
            mixing=fm.KPP(nonlocal_strength=strength),
            surface={"heat_flux": -100.0},
        )
        simulation.advance(192)
        T = column(simulation)[2:13]
        even[strength] = np.ptp(T)
    assert even[10.0] < 0.5 * even[0.0]


def test_sunlight_warms_below_the_surface():
    """A day of sun on even water without wind: each layer warms by what it absorbs, where stable
    forcing lets nothing mix; the heat is all there.
    """
    given, dz, day = {"heat_flux": 150.0, "shortwave_flux": 150.0}, 5.0, 86400.0
    simulation = ocean(
        0.0,
        dz,
        depth=50.0,
        step=1800,
        mixing=fm.KPP(wave_diffusivity=0, shear_diffusivity=0, convective_diffusivity=0),
        surface=given,
    )
    simulation.advance(48)
    z = dz * np.arange(11)
    passing = 0.67 * np.exp(-z) + 0.33 * np.exp(-z / 17)
    passing[-1] = 0
    warmed = 150 / (rho0 * heat_capacity) * day * (passing[:-1] - passing[1:]) / dz
    np.testing.assert_allclose(column(simulation)[1:] - 20, warmed[1:], rtol=1e-5)
    assert (column(simulation) - 20).sum() * dz == pytest.approx(
        150 / (rho0 * heat_capacity) * day, rel=1e-9
    )


@pytest.mark.parametrize(
    "given",
    [
        {"heat_flux": -200.0, "salinity_flux": 2e-6, "stress_x": 0.1},
        {"heat_flux": -50.0, "shortwave_flux": 100.0, "salinity_flux": -1e-6, "stress_x": 0.05},
    ],
)
def test_heat_and_salt_are_kept(given):
    """Content less what came through the surface: round-off, wherever convection puts it."""
    added = {
        "background_mixing": fm.BryanLewisMixing(),
        "tidal_mixing": fm.TidalMixing(),
        "tidal_energy": 10.0,
        "double_diffusion": fm.DoubleDiffusion(),
    }
    simulation = ocean(0.005, 5.0, depth=200.0, step=3600, surface=given, **added)
    before = {name: simulation.fields.content(name) for name in ("temperature", "salinity")}
    area = simulation.fields.volume() / 200.0
    simulation.advance(100)
    for name, flux in (
        ("temperature", given["heat_flux"] / (rho0 * heat_capacity)),
        ("salinity", given["salinity_flux"]),
    ):
        assert simulation.fields.content(name) - before[name] == pytest.approx(
            flux * 360000 * area, abs=1e-13 * before[name]
        )


def test_fingers_take_salt_and_dye_down_faster_than_heat():
    """Warm and salty water over cold and fresh: at first salt has gone 1 / 0.7 times as far as
    heat, and a dye as far as salt.
    """
    above = lambda x, y, z: (z < 100) + 0 * x
    added = {
        "double_diffusion": fm.DoubleDiffusion(),
        "tracers": ["dye"],
        "shortwave_penetration": None,
    }
    simulation = ocean(
        0.0,
        10.0,
        depth=200.0,
        step=3600,
        mixing=fm.ConstantMixing(diffusivity=0, convective_diffusivity=0),
        surface={},
        **added,
    )
    model = simulation.model.set(
        temperature=lambda x, y, z: 20 + above(x, y, z) * 1.2e-3 / alpha,
        salinity=lambda x, y, z: 35 + above(x, y, z) * 1e-3 / beta,
        dye=above,
    )
    model.initialise(simulation)
    simulation.advance(2)
    heat = (column(simulation)[10:] - 20).sum() / (1.2e-3 / alpha)
    salt, dye = (
        (column(simulation, "salinity")[10:] - 35).sum() / (1e-3 / beta),
        column(simulation, "dye")[10:].sum(),
    )
    assert dye == pytest.approx(salt, rel=1e-6) and 0.02 < salt
    assert heat == pytest.approx(0.7 * salt, rel=0.05)


def test_what_tides_need_is_said():
    with pytest.raises(ValueError, match="needs tidal_energy"):
        ocean(0.01, surface={}, tidal_mixing=fm.TidalMixing())
    with pytest.raises(
        ValueError, match="shortwave_penetration = .* must be JerlovWater or ChlorophyllWater"
    ):
        ocean(0.01, surface={}, shortwave_penetration=fm.KPP())
