"""Compressible air of a limited area: exact states that stay, normal modes, air that is nearly
hydrostatic, bits, restart, errors.
"""

import json
import runpy
import sys
from functools import partial
from pathlib import Path

import numpy as np
import pytest

import fathom as fm
import small_areas
from fathom.atmosphere.spectral import laprise
from fathom.base import earth
from small_areas import R, area, disturbed, gravity, plane, simulation

coriolis = 2 * earth.ROTATION * np.sin(np.pi / 4)
air = laprise.Air(gravity=gravity, gas_constant=R)


def compressible(grid, **parameters):
    return fm.LimitedAreaAtmosphere(grid, dynamics="non-hydrostatic", **parameters)


def fastest(one):
    return one.model.watch(one)[0]["maximum_wind"][0]


@pytest.mark.parametrize("periodic", [True, False])
def test_isothermal_air_rests_over_a_hill(periodic):
    grid = plane() if periodic else area(points=(40, 30))
    middle, wide = ((5e5, 3.75e5), 1e5) if periodic else ((8.0, 46.5), 3.0)
    hill = lambda x, y: (
        gravity * 1500 * np.exp(-((x - middle[0]) ** 2 + (y - middle[1]) ** 2) / wide**2)
    )
    model = compressible(grid, orography=hill, diffusion_time=0)
    model.set(
        air_temperature=280.0,
        log_surface_pressure=np.log(1e5) - model.surface_geopotential / (R * 280),
    )
    one = simulation(model, "60s").prepare()
    one.advance(12)
    assert fastest(one) < 1e-9
    assert abs(one.gather("upward_air_velocity")).max() < 1e-9


def test_a_jet_in_balance_stays():
    grid = plane()
    length, speed = 2 * np.pi / 750e3, 20.0
    model = compressible(grid, diffusion_time=0)
    model.set(
        air_temperature=280.0,
        eastward_wind=lambda x, y, p: speed * np.sin(length * y) + 0 * x,
        log_surface_pressure=lambda x, y: (
            np.log(1e5) + coriolis * speed * np.cos(length * y) / (length * R * 280) + 0 * x
        ),
    )
    one = simulation(model, "120s").prepare()
    before = one.gather("eastward_wind").copy()
    one.advance(24)
    assert abs(one.gather("eastward_wind") - before).max() < 1e-10


def of_a_mode(mode, step, steps, **model):
    """Air of 280 K after some steps from a normal mode of rest: (matrix and rate of the linear
    equations, the mode, its wind and vertical divergence found).
    """
    levels, T, amplitude = 8, 280.0, 1e-4
    grid = plane(points=(32, 6), levels=levels, resolution=1e3)
    k = 2 * np.pi / 32e3
    linear = partial(laprise.linear, laprise.on_levels(grid.levels.a + grid.levels.b * 1e5), k)
    rates, vectors = np.linalg.eig(linear(T, T, air))
    order = np.argsort(np.abs(rates.imag - {"slowest": 1e-3, "gravity": 1e-2, "sound": 0.3}[mode]))
    rate, vector = rates[order[0]], vectors[:, order[0]]
    assert abs(rate.real) < 1e-12 and rate.imag > 1e-4
    vector = vector * amplitude / np.abs(vector[:levels] / k).max()
    D, d, temperature, q = np.split(vector[: 4 * levels], 4)
    x = grid.coordinates()[0]
    wave = lambda profile: np.real(np.multiply.outer(profile, np.exp(1j * k * x)))
    one = compressible(grid, diffusion_time=0, rotation=0.0, fix_mass=False, **model)
    one.set(
        eastward_wind=wave(D / (1j * k)),
        air_temperature=T + wave(temperature),
        log_surface_pressure=np.log(1e5) + wave(vector[-1]),
        log_pressure_departure=wave(q),
        vertical_divergence=wave(d),
    )
    one = simulation(one, step).prepare()
    one.advance(steps)
    found = []
    for name, factor in (("eastward_wind", 1j * k), ("vertical_divergence", 1)):
        of_wave = 2 * np.fft.rfft(one.gather(name)[:, 0], axis=1)[:, 1] / 32
        found.append(factor * of_wave * np.exp(-1j * k * x[0, 0]))  # of the first point
    return linear, rate, vector, found


def near(found, expected):
    for one, other in zip(found, np.split(expected[:-1], 4)):
        assert abs(one - other).max() < 1e-3 * abs(other).max()


@pytest.mark.parametrize("mode", ["slowest", "gravity", "sound"])
@pytest.mark.parametrize("corrections", [0, 1])
def test_normal_modes_have_their_frequency(mode, corrections):
    """A mode of the linear equations about rest is multiplied by (1 + i w dt/2) / (1 - i w dt/2)
    each step where the reference is the air itself.
    """
    step, steps = 20.0, 10
    reference = {"reference_temperature": 280.0, "acoustic_temperature": 280.0}
    _, rate, mode, found = of_a_mode(mode, step, steps, corrections=corrections, **reference)
    near(found, mode * ((1 + rate * step / 2) / (1 - rate * step / 2)) ** steps)


@pytest.mark.parametrize("scheme", ["nesc", "nesc + 1", "settls"])
def test_steps_about_other_temperatures_are_those_of_the_linear_equations(scheme):
    """A gravity wave in air of 280 K about 350 K and 100 K, as in the table of stability."""
    step, steps = 60.0, 5
    how = {"extrapolation": scheme[:6].split()[0], "corrections": int(scheme == "nesc + 1")}
    linear, _, X, found = of_a_mode("gravity", step, steps, **how)
    one = partial(laprise.step_of, dt=step, air_itself=linear(280.0, 280.0, air))
    one = partial(one, reference=linear(350.0, 100.0, air))
    if scheme == "settls":
        before, X = X, one("nesc") @ X
        for _ in range(steps - 1):
            X, before = np.split(one("settls") @ [*X, *before], 2)
    else:
        X = np.linalg.matrix_power(one(scheme), steps) @ X
    near(found, X)


def test_large_scales_are_hydrostatic():
    """An hour of flow over a hill at 25 km: both dynamics differ by little of what they change, and
    by less with shorter steps.
    """

    def after(step, **model):
        one = simulation(disturbed(periodic=True, **model), step).prepare()
        one.advance(int(3600 / step))
        return one.gather("eastward_wind")

    start = simulation(disturbed(periodic=True)).prepare().gather("eastward_wind")
    apart = []
    for step in (150.0, 50.0):
        still, moving = after(step), after(step, dynamics="non-hydrostatic")
        apart.append((moving - still).std() / (still - start).std())
    assert apart[1] < 0.02
    assert apart[0] > 3 * apart[1]


@pytest.mark.parametrize(
    "extrapolation, corrections, grows",
    [
        ("nesc", 1, False),
        ("nesc", 0, True),
        pytest.param("settls", 0, False, marks=pytest.mark.long),
    ],
)
def test_long_steps_over_steep_ground_stay(extrapolation, corrections, grows):
    """60 s on points of 2.5 km over a mountain of 2500 m with slopes of 0.2, wind of 20 to 50 m/s:
    w grows with neither a correction nor an extrapolation.
    """
    grid = fm.CartesianGrid(32, 24, extent=80e3, levels=fm.HybridLevels("L19"))
    far = lambda x, y: ((x - 4e4) ** 2 + (y - 3e4) ** 2) / 8e3**2
    model = compressible(
        grid,
        orography=lambda x, y: gravity * 2500 / (1 + far(x, y)) ** 1.5,
        diffusion_time="10min",
        upper_zone=1.5e4,
        rotation=0.0,
        extrapolation=extrapolation,
        corrections=corrections,
    )
    height = model.surface_geopotential / gravity
    assert np.hypot(*np.gradient(height, 2.5e3)).max() > 0.2
    model.set(
        air_temperature=lambda x, y, p: np.maximum(288.15 * (p / 101325) ** 0.19, 216.65),
        eastward_wind=lambda x, y, p: 20 + 30 * (1 - p / 1e5) + 0 * x,
        log_surface_pressure=np.log(1e5 * (1 - 0.0065 * height / 288.15) ** 5.256),
    )
    one = simulation(model, "60s").prepare()
    motion = []
    for _ in range(3):
        one.advance(40)
        motion.append(abs(one.gather("upward_air_velocity")).max())
    assert 7 < motion[0] < 12
    assert motion[-1] > 1.5 * motion[0] if grows else motion[-1] < motion[0]


def test_mass_of_a_periodic_plane_stays():
    one = simulation(disturbed(periodic=True, dynamics="non-hydrostatic"), "120s").prepare()
    mean = lambda: one.model.watch(one)[0]["mean_surface_pressure"][0]
    before = mean()
    one.advance(6)
    assert mean() == pytest.approx(before, rel=1e-13)


@pytest.mark.parametrize(
    "options, on",
    [
        ((), [(3, 2)]),
        (("periodic=true", 'precision="fp32"'), [(2, 1)]),
        pytest.param(('extrapolation="settls"', "corrections=0"), [(2, 2)], marks=pytest.mark.long),
    ],
)
def test_same_bits_on_ranks(on_ranks, options, on):
    options = (*options, 'dynamics="non-hydrostatic"')
    alone = on_ranks(1, small_areas, "bits", *options)
    for ranks, threads in on:
        found = on_ranks(
            ranks, small_areas, "bits", *options, f"threads={threads}", threads=threads
        )
        assert found == alone


@pytest.mark.parametrize("periodic, extrapolation", [(True, "nesc"), (False, "settls")])
def test_restart_changes_nothing(tmp_path, periodic, extrapolation):
    air = {"dynamics": "non-hydrostatic", "extrapolation": extrapolation}
    make = lambda: simulation(disturbed(periodic=periodic, **air), "120s", directory=tmp_path)
    whole = make().prepare()
    whole.advance(6)
    part = make().prepare()
    part.advance(3)
    again = make().restore(part.write_restart(tmp_path / "restart.fathom")).prepare()
    again.advance(3)
    assert again.checksum() == whole.checksum()


def test_all_physics_of_arome(tmp_path, on_ranks):
    """By one name; cloud, rain and turbulent energy are there after some steps, nothing is negative
    beyond the error of advection; the same bits on ranks and after a restart.
    """
    names = [scheme.name for scheme in fm.AromePhysics()]
    kinds = ["GraupelMicrophysics", "CloudyTKE", "ShallowMassFlux", "TiledLand"]
    assert {*kinds, "RRTMGP", "PrognosticCloud"} <= {*names}
    assert not {"BettsMiller", "MassFluxConvection", "OrographicDrag"} & {*names}
    whole = small_areas.with_arome_physics(tmp_path).prepare()
    whole.advance(4)
    assert whole.gather("cloud_liquid_water").max() > 1e-6
    assert whole.gather("turbulent_kinetic_energy").max() > 0.1
    part = small_areas.with_arome_physics(tmp_path).prepare()
    part.advance(2)
    again = small_areas.with_arome_physics(tmp_path)
    again.restore(part.write_restart(tmp_path / "restart.fathom")).prepare().advance(2)
    assert again.checksum() == whole.checksum()
    alone = on_ranks(1, small_areas, "arome_bits")
    assert alone["checksum"] == whole.checksum()
    assert on_ranks(2, small_areas, "arome_bits", "threads=2", threads=2) == alone


def test_clouds_of_arome_have_one_humidity():
    physics = fm.AromePhysics(critical_humidity=0.9)
    held = [s.parameters.get("critical_humidity") for s in (physics.clouds, physics.condensation)]
    assert held == [0.9, 0.9]
    own = fm.AromePhysics(condensation=fm.IceMicrophysics(critical_humidity=0.8), convection=None)
    assert own.condensation.parameters["critical_humidity"] == 0.8


@pytest.mark.long
def test_cases_with_a_known_shape_run(tmp_path):
    """The script at small size: a bubble that rises, a storm that is the same on both sides."""
    script = Path(__file__).parents[2] / "docs/results/area_cases.py"
    kept = sys.argv
    sys.argv = [str(script), "--small", "--json", str(tmp_path / "found.json")]
    try:
        with pytest.raises(SystemExit, match="0"):
            runpy.run_path(str(script), run_name="__main__")
    finally:
        sys.argv = kept
    found = json.loads((tmp_path / "found.json").read_text())
    assert found["bubble"]["largest_w"] > 1 and found["supercell"]["asymmetry"] < 1e-9
    assert 0.2 < found["night"]["friction_velocity"] < 0.8 and found["outbreak"]["latent_heat"] > 50


def test_errors():
    with pytest.raises(ValueError, match="non-hydrostatic"):
        fm.LimitedAreaAtmosphere(area(), dynamics="nonhydrostatic")
    with pytest.raises(ValueError, match="no more than"):
        compressible(area(), acoustic_temperature=400.0)
    with pytest.raises(ValueError, match="corrections = -1"):
        compressible(area(), corrections=-1)
    with pytest.raises(ValueError, match="'settls' has none"):
        compressible(area(), extrapolation="settls", corrections=1)
    with pytest.raises(ValueError, match="energy of compressible air"):
        compressible(plane(), fix_energy=True)
    with pytest.raises(ValueError, match="no field 'vertical_divergence'"):
        disturbed().set(vertical_divergence=0.0)
