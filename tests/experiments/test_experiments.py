"""The files in experiments/ at small size: each runs by its command, and each shows the physics
that it is there for.
"""

import json
from pathlib import Path

import numpy as np
import pytest

import verb

folder = Path(__file__).parents[2] / "experiments"
small = {
    "double-gyre": [
        "grid.nx=30",
        "grid.ny=30",
        "grid.levels.nz=3",
        "model.friction.viscosity=2e4",
        "simulation.time_step=1h",
    ],
    "baroclinic-channel": [
        "grid.nx=24",
        "grid.ny=24",
        "grid.levels.nz=12",
        "simulation.time_step=15m",
    ],
    "regional-upwelling": [
        "grid.nx=20",
        "grid.ny=8",
        "grid.levels.nz=6",
        "simulation.time_step=20m",
    ],
    "regional-shelf-tides": ["grid.nx=12", "grid.ny=16", "grid.levels.nz=4"],
    "ocean-tides-1deg": ["grid.resolution=3deg"],
    "regional-gulf-stream": [
        "grid.nx=15",
        "grid.ny=9",
        "simulation.time_step=1h",
        "output.'surface.zarr'.every=3h",
    ],
    "lock-exchange": ["grid.ny=64", "simulation.time_step=120s"],
    "overflow": ["grid.levels.nz=25", "simulation.time_step=20s"],
    "solid-rotation": ["grid.nx=40", "grid.ny=40", "simulation.time_step=40m"],
    "aquaplanet-t31l8": ["grid.truncation=10"],
    "radiative-convective": ["grid.truncation=10", "grid.levels.nz=9"],
    "aquaplanet-t42": ["grid.truncation=10", "grid.levels.nz=9"],
    "held-suarez-t42": ["grid.truncation=10", "grid.levels.nz=6"],
    "climate-t31": [
        "grid.truncation=10",
        "grid.levels.nz=10",
        "simulation.time_step=1h",
        "simulation.checkpoint=1d",
        "output.'sea.nc'.every=1h",
        "output.'climate.nc'.every=1h",
    ],
    "climate-slab-t31": [
        "grid.truncation=10",
        "grid.levels.nz=10",
        "simulation.time_step=1h",
        "simulation.checkpoint=1d",
        "output.'sea.nc'.every=1h",
        "output.'climate.nc'.every=1h",
    ],
    "forecast-t106": [
        "grid.truncation=10",
        "grid.levels.nz=10",
        "simulation.time_step=30min",
        "output.'pressure.zarr'.every=1h",
    ],
    "observed-climate": [
        "grid.truncation=10",
        "grid.levels.nz=10",
        "output.'columns.zarr'.every=1h",
    ],
    "observed-forecast": [
        "grid.truncation=10",
        "grid.levels.nz=10",
        "output.'columns.zarr'.every=1h",
    ],
    "forecast-europe": [
        "grid.truncation=15",
        "grid.levels.nz=10",
        "simulation.time_step=30min",
        "output.'pressure.zarr'.every=3h",
        "output.'surface.zarr'.every=3h",
    ],
    "ullrich": ["grid.truncation=10", "grid.levels.nz=8"],
    "jablonowski-williamson": ["grid.truncation=10", "grid.levels.nz=8"],
    "williamson-1": ["grid.truncation=15", "simulation.time_step=1h"],
    "williamson-5": ["grid.truncation=15"],
    "williamson-6": ["grid.truncation=15"],
    "galewsky": ["grid.truncation=21"],
    "straka": ["grid.nx=64", "grid.levels.nz=16", "simulation.time_step=20s"],
    "skamarock-klemp": ["grid.nx=60", "grid.levels.nz=8", "simulation.time_step=60s"],
    "robert-bubble": ["grid.nx=20", "grid.levels.nz=20", "simulation.time_step=20s"],
    "bryan-fritsch-dry": ["grid.nx=40", "grid.levels.nz=20", "simulation.time_step=20s"],
    "mountain": ["grid.nx=40", "grid.levels.nz=20", "simulation.time_step=60s"],
    "schar-mountain": ["grid.nx=50", "grid.levels.nz=20", "simulation.time_step=24s"],
    "twin-4deg": [],
    "ocean-x1": ["grid.resolution=3deg", "grid.levels.nz=10", "simulation.time_step=2h"],
    "ocean-0.1deg": [
        "grid.resolution=3deg",
        "grid.levels.nz=10",
        "model.friction.viscosity=5e14",
        "simulation.time_step=30min",
    ],
    "aladin-europe-outer": [
        "grid.truncation=10",
        "grid.levels.nz=10",
        "simulation.time_step=30min",
    ],
    "aladin-europe": [
        "grid.resolution=100e3",
        "grid.points=[36,30]",
        "grid.levels.nz=10",
        "simulation.time_step=20min",
    ],
    "arome-alps": [
        "grid.resolution=10e3",
        "grid.points=[36,30]",
        "grid.levels.nz=10",
        "simulation.time_step=3min",
        "simulation.run=30min",
        "output.'surface.zarr'.every=15min",
        "output.'layers.zarr'.every=15min",
        "output.'pressure.zarr'.every=15min",
    ],
    "aladin-europe-10km": [
        "grid.resolution=100e3",
        "grid.points=[36,30]",
        "grid.levels.nz=10",
        'model.outer="initial"',
        "simulation.time_step=20min",
    ],
    "arome-europe": [
        "grid.resolution=10e3",
        "grid.points=[36,30]",
        "grid.levels.nz=10",
        'model.outer="initial"',
        "simulation.time_step=3min",
        "simulation.run=1h",
        "output.'rain.zarr'.every=30min",
    ],
    "arome-france": [
        "grid.resolution=10e3",
        "grid.points=[24,20]",
        "grid.levels.nz=10",
        'model.outer="initial"',
        "simulation.time_step=3min",
        "simulation.run=30min",
        "output.'surface.zarr'.every=15min",
        "output.'pressure.zarr'.every=15min",
        "output.'rain.zarr'.every=15min",
    ],
    "forecast-gridpoint": ["grid.nx=24"],
    "supercell": ["grid.nx=24", "grid.ny=18", "grid.levels.nz=16", "simulation.time_step=20s"],
    "tropical-cyclone": ["grid.nx=36", "grid.ny=24", "simulation.time_step=20min"],
    "europe-gridpoint": [
        "grid.resolution=200e3",
        "grid.points=[24,20]",
        "model.outer_model=initial",
        "simulation.run=1h",
        "output.'surface.zarr'.every=30min",
        "output.'pressure.zarr'.every=30min",
    ],
    "baroclinic-wave-gridpoint": ["grid.nx=24", "grid.ny=18"],
    "ullrich-gridpoint": ["grid.nx=24", "grid.ny=18"],
    "held-suarez-gridpoint": ["grid.nx=24"],
    "resting-air": ["grid.nx=24", "grid.ny=18"],
    "rotating-air": ["grid.nx=24", "grid.ny=18", "simulation.time_step=40min"],
    "dcmip-2-0-0": ["grid.nx=24", "grid.ny=18", "grid.levels.nz=10"],
    "dcmip-3-1": ["grid.nx=24", "grid.ny=18", "simulation.time_step=60s"],
    "ocean-ice-3deg": [],
    "ensemble-air": [
        "grid.truncation=10",
        "simulation.time_step=1h",
        "ensemble.members=2",
        "simulation.checkpoint=1d",
        "output.'height.zarr'.every=1h",
    ],
    "ensemble-sea": ["grid.nx=12", "grid.ny=12", "grid.levels.nz=3", "ensemble.members=2"],
}
# tests/ocean, tests/cycle, tests/run; Austria's area is France's with fewer points
elsewhere = {
    *("ocean-1deg", "ocean-3deg", "observed-sea", "osse", "osse-area", "osse-sea"),
    *("suite-t42", "suite-t106", "suite-area"),
    *("arome-large", "arome-austria"),
    *("calibrate-basin", "calibrate-climate"),  # tests/calibration
    # tests/coupled
    *("coupled-aquaplanet", "coupled-t31-3deg", "coupled-t42-3deg", "coupled-t106-1deg"),
    *("coupled-t399-0.1deg", "coupled-forecast", "coupled-column"),
}


def experiment(name, *settings):
    from fathom.run.experiment.experiment import Experiment

    return Experiment.read(folder / f"{name}.toml", [*small[name], *settings])


def prepared(name, *settings):
    return experiment(name, *settings).simulation().prepare()


def test_every_experiment_is_tested():
    assert {path.stem for path in folder.glob("*.toml")} - elsewhere == set(small)


# their steps are of 40 minutes or two hours
of_four_hours = {
    "solid-rotation",
    "aquaplanet-t31l8",
    "held-suarez-t42",
    "rotating-air",
    "ocean-x1",
}


def period(name):
    """What is run of it: a few steps of some seconds or minutes, some hours of longer ones."""
    step = next((s for s in small[name] if s.startswith("simulation.time_step=")), "=1h")
    step = step.partition("=")[2]
    if name in of_four_hours:
        return "4h"
    return "10min" if step.endswith("s") else "1h" if step == "3min" else "3h"


# they take a second or more, and are like others that do not
alike = {
    *("tropical-cyclone", "ullrich-gridpoint", "baroclinic-wave-gridpoint", "europe-gridpoint"),
    *("arome-europe", "arome-alps", "forecast-europe", "observed-climate", "observed-forecast"),
    *("aladin-europe-outer", "aladin-europe-10km", "ocean-0.1deg", "supercell"),
    "regional-gulf-stream",
}


@pytest.mark.parametrize(
    "name",
    [pytest.param(name, marks=pytest.mark.long if name in alike else ()) for name in small],
)
def test_runs_by_its_command(name, tmp_path):
    settings = [word for setting in small[name] for word in ("--set", setting)]
    out = tmp_path / name
    words = ("run", folder / f"{name}.toml", "--for", period(name), "--out", out, "--no-report")
    status, _, errors = verb.fathom(*words, *settings, folder=folder.parent)
    assert status == 0, errors
    summary = json.loads((out / "summary.json").read_text())
    assert summary["steps"] > 0
    assert all(np.isfinite(field["mean"]) for field in summary["state"].values())


# ---- double gyre ---------------------------------------------------------------------------------


def munk(n, L, A, beta, curl):
    """Stream function [m3 s-1] at the inner corners of n x n cells: beta psi_x - A (psi_xxxx + 2
    psi_xxyy + psi_yyyy) = curl(y), with no flow through or along the walls."""
    from scipy import sparse
    from scipy.sparse.linalg import spsolve

    m, h = n - 1, L / n
    difference = lambda weights, reach: sparse.diags(
        [np.full(m - abs(o), w) for o, w in zip(range(-reach, reach + 1), weights)],
        range(-reach, reach + 1),
    )
    first, second, fourth = (
        difference([-1.0, 0.0, 1.0], 1) / (2 * h),
        difference([1.0, -2.0, 1.0], 1) / h**2,
        difference([1.0, -4.0, 6.0, -4.0, 1.0], 2).tolil(),
    )
    fourth[0, 0] = fourth[-1, -1] = 7  # the point beyond the wall mirrors the first
    fourth, one = fourth / h**4, sparse.identity(m)
    operator = beta * sparse.kron(one, first) - A * (
        sparse.kron(one, fourth) + 2 * sparse.kron(second, second) + sparse.kron(fourth, one)
    )
    return spsolve(operator.tocsc(), np.repeat(curl(np.arange(1, n) * h), m)).reshape(m, m)


@pytest.mark.long
def test_double_gyre_is_that_of_munk():
    """Over a flat bottom the transport obeys Munk's linear equation, however the water is layered.
    4 % for 1.5 cells in the boundary layer, 1 % for the layers, which are still adjusting, 1 % for
    bottom drag and inertia, 0.3 % for the compact slope (5.1 % in all without it)."""
    sim = prepared("double-gyre")
    sim.advance(90 * 24)
    L, n, thickness = 2000e3, 30, np.asarray(sim.model.grid.vertical.thickness)[:, None, None]
    transport = np.sum(sim.gather("velocity_x") * thickness, axis=0) * L / n
    psi = (
        transport[:-1] / 2 - np.cumsum(transport, axis=0)[:-1]
    )  # at the corners: half of the row's transport is south of them
    expected = munk(
        n, L, 2e4, 2e-11, lambda y: -2 * np.pi * 0.1 / L / 1026 * np.sin(2 * np.pi * y / L)
    )
    error = np.sqrt(np.mean((psi[:, :-1] - expected) ** 2) / np.mean(expected**2))
    assert error < 0.06
    assert (
        np.abs(sim.gather("velocity_x")[0]).max() > 2 * np.abs(sim.gather("velocity_x")[-1]).max()
    )  # and the water is stratified


# ---- channel -------------------------------------------------------------------------------------


@pytest.mark.long
def test_channel_grows_at_the_rate_of_eady():
    """Between walls, with Ri = 25 (docs/experiments.md); 7 % for 24 cells in a wave and for the
    walls, along which the B grid has no current. Before the wave grows the flow is in balance: it
    changes by less than 1 % in the first day."""
    given = experiment("baroclinic-channel")
    f, N, shear, H, k, L = (given.constants[name] for name in ("f", "N", "shear", "H", "k", "L"))
    half = np.hypot(k, np.pi / L) * N * H / f / 2
    eady = (
        shear
        * f
        / N
        * k
        / np.hypot(k, np.pi / L)
        * np.sqrt((1 / np.tanh(half) - half) * (half - np.tanh(half)))
        / np.sqrt(1 + (shear / N) ** 2)
    )
    sim = given.simulation().prepare()
    amplitude = lambda: np.sqrt(np.mean(sim.gather("velocity_y") ** 2))
    u = sim.gather("velocity_x")
    sim.advance(96)
    assert (
        np.abs(sim.gather("velocity_x") - u)[:, :-1].max() < 0.01 * u.max()
    )  # except the last row, the wall itself
    sim.advance(5 * 96)
    early = amplitude()
    sim.advance(6 * 96)
    assert np.log(amplitude() / early) / (6 * 86400) == pytest.approx(eady, rel=0.07)


# ---- dense water ---------------------------------------------------------------------------------


def section(sim):
    """Temperature of a section along y (levels, ny), NaN in the ground."""
    T = sim.gather("temperature")[:, :, 0]
    return np.where(
        np.arange(len(T))[:, None] < np.asarray(sim.model.grid.wet_levels)[:, 0], T, np.nan
    )


def reference_potential_energy(sim):
    """Of the water sorted by density [J m-2 of surface]: the lightest fills the shallowest cells of
    the basin (all have one volume).
    """
    T = section(sim)
    wet, dz = np.isfinite(T), sim.model.grid.vertical.thickness[0]
    depth = np.broadcast_to((np.arange(len(T))[:, None] + 0.5) * dz, T.shape)[wet]
    return 9.80616 * 1026 * 2e-4 * dz / T.shape[1] * np.sum(np.sort(T[wet])[::-1] * np.sort(depth))


@pytest.mark.long
def test_lock_exchange_fronts_run_at_half_the_wave_speed():
    """Half of sqrt(g' H) (Benjamin 1968), both fronts alike; 5 % for cells of 1 km and for
    friction. Heat is conserved to rounding, and the reference potential energy grows: mixing cannot
    be undone."""
    sim = prepared("lock-exchange")
    y, L, H = np.asarray(sim.model.grid.horizontal.center_latitude)[:, 0], 64e3, 20.0
    heat, before = sim.fields.content("temperature"), reference_potential_energy(sim)
    way = []
    for _ in range(15):
        sim.advance(30)
        T = section(sim)
        below, above = (np.flatnonzero(layer < 17.5)[-1] for layer in (T[-1], T[0]))
        way.append(
            [
                np.interp(17.5, layer[i : i + 2], y[i : i + 2]) - L / 2
                for layer, i in ((T[-1], below), (T[0], above))
            ]
        )
    speed = np.polyfit(np.arange(3, 15) * 3600, np.array(way)[3:], 1)[0]
    theory = 0.5 * np.sqrt(9.80616 * 2e-4 * 25 * H)
    assert speed == pytest.approx([theory, -theory], rel=0.05)
    assert sim.fields.content("temperature") == pytest.approx(heat, rel=1e-12)
    assert 0 < (reference_potential_energy(sim) - before) / (15 * 3600) < 5e-4


@pytest.mark.long
def test_overflow_reaches_the_plain():
    """Dense water runs down the slope, keeps a third of its cold or more, and continues along the
    plain as a gravity current of Froude number 1, give or take a half. Heat is conserved to
    rounding."""
    sim = prepared("overflow")
    y, wet = (
        np.asarray(sim.model.grid.horizontal.center_latitude)[:, 0],
        np.asarray(sim.model.grid.wet_levels)[:, 0],
    )
    heat = sim.fields.content("temperature")
    nose = []
    for _ in range(16):
        sim.advance(180)
        T = section(sim)
        nose.append(y[T[wet - 1, np.arange(len(y))] < 19].max())
    hours, nose = np.arange(1, 17), np.array(nose)
    plain = nose > 60e3
    speed = np.polyfit(hours[plain] * 3600, nose[plain], 1)[0]
    cold = 20 - T[:, (y > 60e3) & (y < nose[-1])]
    thickness = (
        np.nansum(cold, axis=0).mean()
        / np.nanmax(cold, axis=0).mean()
        * sim.model.grid.vertical.thickness[0]
    )
    assert np.all(np.diff(nose) >= 0)
    assert np.nanmax(cold) > 10 / 3
    assert 0.5 < speed / np.sqrt(9.80616 * 2e-4 * np.nanmax(cold, axis=0).mean() * thickness) < 1.5
    assert sim.fields.content("temperature") == pytest.approx(heat, rel=1e-12)


# ---- solid rotation ------------------------------------------------------------------------------


def turned(cells, advection):
    """Error of a wide dye after one turn, over the dye; and how far the current that carries it has
    changed.
    """
    dye = "exp(-((x - L / 2)**2 + (y - 0.4 * L)**2) / (2 * (0.07 * L)**2))"
    sizes = [
        f"grid.nx={cells}",
        f"grid.ny={cells}",
        f"simulation.time_step={864000 // (12 * cells)}s",
        f"model.tracer_advection={advection}",
    ]
    sim = prepared("solid-rotation", *sizes, "model.extrapolation=0", f'state.dye="{dye}"')
    names = ("dye", "velocity_x")
    before = [sim.gather(name) for name in names]
    sim.advance(12 * cells)
    return [
        np.linalg.norm(sim.gather(name) - b) / np.linalg.norm(b) for name, b in zip(names, before)
    ]


@pytest.mark.long
@pytest.mark.parametrize(
    "advection, order, error", [("CentredAdvection", 2, 0.07), ("UpwindAdvection", 3, 0.012)]
)
def test_solid_rotation_brings_the_dye_back(advection, order, error):
    """Second and third order in space, without the damping in time, which is of first order
    (docs/results/experiments.md); between 40 and 80 cells the last tenths of the order are missing.
    The balance of current and surface holds: the current, which has kinks at R and R2, adjusts by
    less than 1 %."""
    (coarse, changed), (fine, _) = turned(40, advection), turned(80, advection)
    assert fine < error
    assert np.log2(coarse / fine) == pytest.approx(order, abs=0.4)
    assert changed < 0.01
