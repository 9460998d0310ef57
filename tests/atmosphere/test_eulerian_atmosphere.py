"""The Eulerian scheme of the primitive equations: rest, mass, energy, angular momentum, vertical
modes, the other scheme, bits, restart, physics.
"""

import numpy as np
import pytest

import fathom as fm
import small_atmospheres
from small_atmospheres import bits, held_suarez

quiet = {"scheme": "eulerian", "step": "1200s"}


@pytest.mark.parametrize("levels", [fm.SigmaLevels(10), fm.HybridLevels(12)])
def test_rest_over_a_mountain(levels, tmp_path):
    """The discrete pressure gradient of an isothermal atmosphere at rest over a mountain of 2 km is
    exact, and so is the semi-implicit part of it.
    """
    grid = fm.GaussianGrid(21, levels=levels)
    hill = lambda lon, lat: (
        9.80616 * 2000 * np.exp(-(((lon - 90) / 20) ** 2 + ((lat - 40) / 15) ** 2))
    )
    atmosphere = fm.SpectralAtmosphere(
        grid, scheme="eulerian", orography=hill, diffusion_time=0, gas_constant=287.0
    )
    sim = fm.Simulation(atmosphere, time_step="1200s", directory=tmp_path).prepare()
    fitted = sim.gather("surface_geopotential")[0]
    atmosphere.set(air_temperature=300.0, log_surface_pressure=np.log(1e5) - fitted / (287 * 300))
    atmosphere.initialise(sim)
    sim.advance(36)
    assert max(abs(sim.gather(n)).max() for n in ("eastward_wind", "northward_wind")) < 1e-6
    assert np.ptp(sim.gather("air_temperature")) < 1e-6


def budget(sim):
    """Means over the sphere, times gravity: mass, energy and kinetic energy, angular momentum over
    radius and that of the wind alone.
    """
    grid, parameters = sim.model.grid, sim.model.parameters
    u, v, T, pi = (
        sim.gather(n).astype(float)
        for n in ("eastward_wind", "northward_wind", "air_temperature", "log_pressure_ratio")
    )
    ps, cosine = 1e5 * np.exp(pi), np.cos(np.deg2rad(grid.latitude))[:, None]
    dp = np.diff(grid.levels.a)[:, None, None] + np.diff(grid.levels.b)[:, None, None] * ps
    mean = lambda x: float((x.mean(-1) * np.asarray(grid.rows.weight)).sum())
    kinetic = (dp * 0.5 * (u * u + v * v)).sum(0)
    ground = sim.gather("surface_geopotential")[0] * ps[0]
    return {
        "mass": mean(ps[0]),
        "energy": mean(kinetic + ground + (dp * parameters["heat_capacity"] * T).sum(0)),
        "kinetic": mean(kinetic),
        "momentum": mean(
            (dp * (u + parameters["rotation"] * grid.radius * cosine) * cosine).sum(0)
        ),
        "of wind": mean((dp * u * cosine).sum(0)),
    }


def unforced(step, days=1.0, **options):
    sim = held_suarez(
        physics=[],
        truncation=31,
        step=f"{step}s",
        scheme="eulerian",
        diffusion_time=0,
        robert_asselin=0.0,
        **options,
    ).prepare()
    first = budget(sim)
    sim.advance(round(days * 86400 / step))
    return sim, first, budget(sim)


def test_energy_and_angular_momentum_are_kept():
    """A day without friction, in which waves make four times the kinetic energy of the start: what
    is left is the error of the leapfrog.
    """
    _, first, last = unforced(600)
    assert last["kinetic"] > 3 * first["kinetic"]
    assert abs(last["energy"] - first["energy"]) < 1e-3 * last["kinetic"]
    assert abs(last["momentum"] - first["momentum"]) < 1e-4 * first["of wind"]
    assert abs(last["mass"] / first["mass"] - 1) < 1e-14
    _, first, last = unforced(600, mountain=1500.0)  # the mountain changes angular momentum
    assert abs(last["energy"] - first["energy"]) < 1e-3 * last["kinetic"]
    assert abs(last["momentum"] - first["momentum"]) > 1e-3 * first["of wind"]


def test_mass_before_it_is_fixed():
    _, first, last = unforced(1200, mountain=1500.0, fix_mass=False)
    assert 1e-10 < abs(last["mass"] / first["mass"] - 1) < 1e-5


@pytest.mark.long
def test_leapfrog_is_of_second_order():
    T = [unforced(step, days=0.5)[0].gather("air_temperature") for step in (1200, 600, 150)]
    errors = [np.sqrt(((t - T[-1]) ** 2).mean()) for t in T[:-1]]
    assert errors[0] > 3 * errors[1] > 0


def test_vertical_modes_swing_with_their_frequency(tmp_path):
    """Without rotation, in an isothermal atmosphere at T_r, a vertical mode times P_n swings with
    tan(w dt) = c k dt: even and odd steps are two waves.
    """
    from fathom.base.mpi import core

    grid, n, mode, step, tiny = fm.GaussianGrid(15, levels=fm.SigmaLevels(6)), 3, 1, 1800.0, 1e-3
    atmosphere = fm.SpectralAtmosphere(
        grid,
        scheme="eulerian",
        rotation=0.0,
        diffusion_time=0,
        robert_asselin=0.0,
        fix_mass=False,
        reference_temperature=300.0,
    )
    air = [atmosphere.parameters[name] for name in ("gas_constant", "heat_capacity")]
    r = core.hybrid_reference(list(grid.levels.a), list(grid.levels.b), 1e5, 300.0, *air)
    E, c2, thickness = (
        np.reshape(r["from_modes"], (6, 6))[:, mode],
        r["speed_squared"][mode],
        np.array(r["thickness"]),
    )
    warm, P = (
        np.array(
            [
                a * E[k] + log_ratio / t * (thickness[:k] @ E[:k])
                for k, (a, log_ratio, t) in enumerate(zip(r["alpha"], r["log_ratio"], thickness))
            ]
        ),
        np.polynomial.legendre.Legendre.basis(n),
    )
    thin = tiny / abs(warm).max() * (thickness @ E) / 1e5 / (air[0] / air[1] * 300)
    warm *= tiny / abs(warm).max()
    level = {round(p, 3): k for k, p in enumerate(grid.levels.middles)}
    wave = lambda lat: P(np.sin(np.deg2rad(lat)))
    atmosphere.set(
        air_temperature=lambda lon, lat, p: 300 + warm[level[round(p, 3)]] * wave(lat) + 0 * lon,
        log_surface_pressure=lambda lon, lat: np.log(1e5) + thin * wave(lat) + 0 * lon,
    )
    sim = fm.Simulation(atmosphere, time_step=f"{step:g}s", directory=tmp_path).prepare()
    shape, seen = wave(grid.latitude), []
    for _ in range(14):
        sim.advance(1)
        seen.append((sim.gather("air_temperature")[:, :, 0] - 300) @ shape / (shape @ shape))
    seen, angle = np.array(seen), np.arctan(step * np.sqrt(c2 * n * (n + 1)) / grid.radius)
    assert abs(seen[4:] + seen[:-4] - 2 * np.cos(2 * angle) * seen[2:-2]).max() < 2e-3 * tiny
    assert abs(abs(seen).max() / tiny - 1) < 0.05


@pytest.mark.long
def test_both_schemes_agree(tmp_path):
    """Six days of the wave of Jablonowski & Williamson at T31: the surface pressure is the same to
    a seventh of what has grown.
    """
    surface = {}
    for scheme, step in (("eulerian", "1200s"), ("semi-lagrangian", "1800s")):
        atmosphere = fm.SpectralAtmosphere(
            fm.GaussianGrid(31, levels=fm.HybridLevels("L26")), scheme=scheme
        ).set(case="jablonowski-williamson")
        sim = fm.Simulation(atmosphere, time_step=step, directory=tmp_path).prepare()
        sim.advance(round(6 * 86400 / sim.time_step))
        surface[scheme] = 1e3 * np.exp(sim.gather("log_pressure_ratio")[0])
    one, other = surface.values()
    assert abs(one - other).max() < 1.2 and np.ptp(one) > 7


@pytest.mark.parametrize(
    "options",
    [{}, {"precision": "fp32"}, {"reduced": "classical", "mountain": 1500.0, "tracers": ["dye"]}],
)
def test_same_bits(options):
    alone = bits(steps=3, **quiet, **options)
    assert np.isfinite(alone["speed"]) and alone["speed"] > 20 and alone["received"] == 0
    for other in ({"threads": 2}, {"blocks": [17, 5], "tile": 16}):
        assert bits(steps=3, **quiet, **options, **other)["checksum"] == alone["checksum"]


def test_same_bits_on_ranks(on_ranks):
    options = ('scheme="eulerian"', 'step="1200s"', "mountain=1500", 'tracers=["dye"]')
    alone = on_ranks(1, small_atmospheres, "bits", *options)
    for ranks, distribution, threads in ((4, "square", 1),):
        assert (
            on_ranks(
                ranks,
                small_atmospheres,
                "bits",
                *options,
                f'distribution="{distribution}"',
                f"threads={threads}",
                threads=threads,
            )["checksum"]
            == alone["checksum"]
        )


def test_restart_changes_nothing(tmp_path):
    make = lambda: held_suarez(mountain=1500.0, tracers=["dye"], **quiet)
    whole, part = make().prepare(), make().prepare()
    whole.advance(5)
    part.advance(3)
    again = make().restore(part.write_restart(tmp_path / "restart.fathom")).prepare()
    again.advance(2)
    assert again.checksum() == whole.checksum()


def test_a_tracer_goes_with_the_air():
    """A tracer that is the same everywhere stays so; another one keeps its mass to what the
    advective form changes.
    """
    sim = held_suarez(mountain=1500.0, tracers=["even", "dye"], physics=[], **quiet)
    sim.model.set(even=1.0)
    sim.prepare()

    def mass():
        layer = np.diff(sim.model.grid.levels.a)[:, None, None] + np.diff(sim.model.grid.levels.b)[
            :, None, None
        ] * 1e5 * np.exp(sim.gather("log_pressure_ratio"))
        return float(
            (
                (sim.gather("dye") * layer).sum(0).mean(1) * np.asarray(sim.model.grid.rows.weight)
            ).sum()
        )

    before, spread = mass(), sim.gather("dye").copy()
    sim.advance(72)
    assert abs(sim.gather("even") - 1).max() < 1e-11
    assert abs(mass() / before - 1) < 2e-3 and abs(sim.gather("dye") - spread).max() > 0.2


def test_moist_physics(tmp_path):
    """The first physics for a day: it rains, and nothing blows up."""
    grid = fm.GaussianGrid(21, levels=fm.SigmaLevels(10))
    atmosphere = fm.SpectralAtmosphere(grid, scheme="eulerian", physics=fm.BasicPhysics())
    atmosphere.set(
        air_temperature=lambda lon, lat, p: (
            np.maximum(200, (268 + 30 * np.cos(np.deg2rad(lat)) ** 2) * (p / 1e5) ** 0.19)
            + np.cos(np.deg2rad(2 * lon)) * np.cos(np.deg2rad(lat)) ** 2
        ),
        specific_humidity=lambda lon, lat, p: (
            0.014 * np.cos(np.deg2rad(lat)) ** 4 * (p / 1e5) ** 3 + 0 * lon
        ),
        sea_surface_temperature=lambda lon, lat: 271 + 29 * np.cos(np.deg2rad(lat)) ** 2 + 0 * lon,
    )
    sim = fm.Simulation(atmosphere, time_step="900s", directory=tmp_path).prepare()
    sim.advance(96)
    series, _ = atmosphere.watch(sim)
    assert 0.2 < series["precipitation"][0] < 20 and 5 < series["maximum_wind"][0] < 90
    assert sim.gather("specific_humidity").min() > -1e-3


def test_viscosity_is_the_laplacian(tmp_path):
    """Nothing but viscosity: P_5 of temperature decays by 1 / (1 + 2 dt nu n(n+1) / a^2) every two
    steps.
    """
    nu, step, n = 1e6, 3600.0, 5
    grid = fm.GaussianGrid(15, levels=fm.SigmaLevels(3))
    atmosphere = fm.SpectralAtmosphere(
        grid, scheme="eulerian", tracers=["dye"], diffusion_time=0, viscosity=nu, robert_asselin=0.0
    )
    P = np.polynomial.legendre.Legendre.basis(n)
    atmosphere.set(dye=lambda lon, lat, p: P(np.sin(np.deg2rad(lat))) + 0 * lon)
    sim = fm.Simulation(atmosphere, time_step=f"{step:g}s", directory=tmp_path).prepare()
    shape = P(np.sin(np.deg2rad(grid.latitude)))
    start = sim.gather("dye")[1, :, 0] @ shape
    sim.advance(6)
    assert sim.gather("dye")[1, :, 0] @ shape / start == pytest.approx(
        (1 + 2 * step * nu * n * (n + 1) / grid.radius**2) ** -3, rel=1e-10
    )


@pytest.mark.parametrize("scheme", ["eulerian", "semi-lagrangian"])
def test_digital_filter_leaves_viscosity_out_of_its_way_back(scheme, tmp_path):
    """What is damped forward must not grow backward: a balanced jet comes out no sharper than it
    went in.
    """
    speed = []
    for span in (0, "3h"):
        jet = fm.SpectralAtmosphere(
            fm.GaussianGrid(21, levels=fm.SigmaLevels(6)),
            scheme=scheme,
            diffusion_time=0,
            viscosity=7e6,
        ).set(case="polvani", digital_filter=span)
        speed.append(
            fm.Simulation(jet, time_step="1200s", directory=tmp_path)
            .prepare()
            .gather("eastward_wind")
            .max()
        )
    assert 0.99 * speed[0] < speed[1] < speed[0]


def test_errors():
    grid = fm.GaussianGrid(21, levels=fm.SigmaLevels(4))
    with pytest.raises(
        ValueError, match="scheme = 'euler' must be 'semi-lagrangian' or 'eulerian'"
    ):
        fm.SpectralAtmosphere(grid, scheme="euler")
    with pytest.raises(ValueError, match="diffusion_time = 0"):
        fm.SpectralAtmosphere(grid, viscosity=7e5)
    with pytest.raises(ValueError, match="off_centring"):
        fm.SpectralAtmosphere(grid, scheme="eulerian", off_centring=0.1)
    with pytest.raises(ValueError, match="fix_energy = True needs"):
        fm.SpectralAtmosphere(grid, scheme="eulerian", fix_energy=True)
    for given, message in (
        ({"robert_asselin": 3}, r"robert_asselin = 3 must lie in \[0, 1\]"),
        ({"williams_factor": -1}, "williams_factor = -1 must not be negative"),
        ({"viscosity": "x", "diffusion_time": 0}, "viscosity = 'x' must be a number"),
    ):
        with pytest.raises(ValueError, match=message):
            fm.SpectralAtmosphere(grid, scheme="eulerian", **given)
