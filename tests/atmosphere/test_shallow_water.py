"""Shallow water on the sphere: exact steady flow, order in time, both schemes against each other,
gravity waves, mass, restart.
"""

import tempfile

import numpy as np
import pytest

import fathom as fm


def simulation(truncation, step, case=None, **model):
    water = fm.ShallowWater(fm.GaussianGrid(truncation), **model)
    return fm.Simulation(
        water.set(case=case) if case else water,
        time_step=f"{step}s",
        directory=tempfile.gettempdir(),
    )


def run(days, truncation, step, case, **model):
    """The simulation after some days, the geopotential of its surface at the start and now."""
    sim = simulation(truncation, step, case, **model).prepare()
    surface = lambda: sim.gather("fluid_geopotential")[0] + sim.gather("surface_geopotential")[0]
    first = surface()
    sim.advance(round(days * 86400 / step))
    return sim, first, surface()


def error(sim, a, b):
    """l2, as Williamson et al. (1992) define it."""
    w = np.asarray(sim.model.grid.rows.weight)[:, None]
    return float(np.sqrt((w * (a - b) ** 2).sum() / (w * b**2).sum()))


@pytest.mark.parametrize("case", ["williamson-2", "williamson-2-45"])
def test_steady_flow_is_exact(case):
    sim, first, last = run(5, 21, 1800, case, scheme="eulerian")
    assert error(sim, last, first) < 1e-12


def test_coriolis_of_its_own():
    """Turned by 45 degrees the flow crosses the rows: the semi-Lagrangian scheme errs by its
    interpolation, of third order.
    """
    errors = [error(*run(2, truncation, 1800, "williamson-2-45")) for truncation in (21, 42)]
    assert errors[1] < 2e-5 and errors[0] > 5 * errors[1]


def test_trajectories_are_of_second_order():
    errors = [error(*run(5, 21, step, "williamson-2")) for step in (7200, 3600)]
    assert errors[1] < 1e-6 and errors[0] > 3.5 * errors[1]


@pytest.mark.parametrize(
    "case, days, limit",
    [("williamson-5", 5, 1e-3), pytest.param("williamson-6", 5, 2.5e-3, marks=pytest.mark.long)],
)
def test_both_schemes_agree(case, days, limit):
    sim, _, euler = run(days, 42, 900, case, scheme="eulerian", diffusion_time="12h")
    _, first, lagrange = run(days, 42, 1200, case)
    assert error(sim, lagrange, euler) < limit < 0.3 * error(sim, first, euler)
    mass = lambda f: float(
        (
            np.asarray(sim.model.grid.rows.weight)[:, None]
            * (f - sim.gather("surface_geopotential")[0])
        ).sum()
    )
    assert (
        abs(mass(euler) / mass(first) - 1) < 1e-11 and abs(mass(lagrange) / mass(first) - 1) < 3e-5
    )


@pytest.mark.parametrize("scheme", ["eulerian", "semi-lagrangian"])
def test_gravity_waves_have_the_frequency_of_the_implicit_scheme(scheme):
    """Without rotation P_n stands still and swings with tan(w dt / 2) = c k dt / 2, leapfrog tan(w
    dt) = c k dt: no damping.
    """
    n, step, phi = 6, 3600.0, 5e4
    P = np.polynomial.legendre.Legendre.basis(n)
    sim = simulation(21, 3600, scheme=scheme, rotation=0.0, mean_geopotential=phi)
    sim.model.set(fluid_geopotential=lambda lon, lat: phi + P(np.sin(np.deg2rad(lat))) + 0 * lon)
    sim.prepare()
    seen = []
    for _ in range(12):
        sim.advance(1)
        seen.append(sim.gather("fluid_geopotential")[0, :, 0] - phi)
    shape = P(np.sin(np.deg2rad(sim.model.grid.latitude)))
    amplitude = np.array([(s @ shape) / (shape @ shape) for s in seen])
    ck = np.sqrt(phi * n * (n + 1)) / sim.model.grid.radius
    if scheme == "semi-lagrangian":
        assert (
            abs(amplitude - np.cos(2 * np.arctan(0.5 * ck * step) * np.arange(1, 13))).max() < 2e-4
        )
    else:  # even and odd steps are two waves
        assert (
            abs(
                amplitude[4:]
                + amplitude[:-4]
                - 2 * np.cos(2 * np.arctan(ck * step)) * amplitude[2:-2]
            ).max()
            < 2e-4
        )


def test_restart(tmp_path):
    for scheme in ("eulerian", "semi-lagrangian"):
        whole, part = (
            simulation(21, 1800, "williamson-5", scheme=scheme).prepare() for _ in range(2)
        )
        whole.advance(5)
        part.advance(3)
        again = (
            simulation(21, 1800, "williamson-5", scheme=scheme)
            .restore(part.write_restart(tmp_path / scheme))
            .prepare()
        )
        again.advance(2)
        assert again.checksum() == whole.checksum()


def test_errors():
    with pytest.raises(ValueError, match="no case 'wiliamson-5'; did you mean 'williamson-5'"):
        simulation(21, 1800, "wiliamson-5")
    for given in ({"viscosity": -1e5}, {"robert_asselin": -1}, {"iterations": -1}):
        with pytest.raises(ValueError, match="must not be negative"):
            fm.ShallowWater(fm.GaussianGrid(21), **given)
    for given, message in (
        ({"synchronise": 3}, "synchronise = 3 must be true or false"),
        ({"synchronize": True}, "did you mean 'synchronise'"),
        ({"threads": 0}, "threads = 0 must be at least 1"),
    ):
        with pytest.raises(ValueError, match=message):
            fm.Simulation(fm.ShallowWater(fm.GaussianGrid(21)), time_step="1h", parallel=given)
    sim = simulation(21, 1800, mean_geopotential=5e4)
    sim.model.set(fluid_geopotential=1e5)
    with pytest.raises(ValueError, match="gravity waves would grow"):
        sim.prepare()
