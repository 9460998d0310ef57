"""The state of any atmosphere as the start of a grid-point one, and the reverse: identities, the
same by memory and by file and on any ranks, what does not fit.
"""

import numpy as np
import pytest

import fathom as fm
import small_spheres

R, gravity = 287.0597, 9.80616


def hill(lon, lat):
    return 1200 * np.exp(-(((lon - 90) / 40) ** 2 + ((lat - 30) / 25) ** 2))


def spectral(folder, orography=None, **keywords):
    phi = 0.0 if orography is None else lambda lon, lat: gravity * orography(lon, lat)
    grid = fm.GaussianGrid(21, levels=fm.HybridLevels("L24"), **keywords)
    model = fm.SpectralAtmosphere(grid, orography=phi, tracers=["specific_humidity"])
    return fm.Simulation(model, time_step="20m", directory=folder)


def on_heights(folder, orography=0.0, nx=48, number=16, tracers=("specific_humidity",), grid=None):
    """Layers thinner towards the ground."""
    heights = 25e3 * (np.arange(number + 1) / number) ** 1.5
    levels = fm.HeightLevels(heights=heights.tolist(), decay=2)
    grid = grid or fm.LatitudeLongitudeGrid(nx, levels=levels)
    model = fm.GridPointAtmosphere(grid, orography=orography, tracers=list(tracers))
    return fm.Simulation(model, time_step="10m", directory=folder)


def weather(sim, surface):
    wave = lambda lon, lat: np.cos(np.deg2rad(lat)) ** 2 * np.sin(np.deg2rad(2 * lon))
    sim.model.set(
        air_temperature=lambda lon, lat, p: (
            np.maximum(288 * (p / 1e5) ** 0.19, 216) + 3 * wave(lon, lat)
        ),
        eastward_wind=lambda lon, lat, p: 20 * np.cos(np.deg2rad(lat)) + 0 * p,
        northward_wind=lambda lon, lat, p: 3 * wave(lon, lat) + 0 * p,
        specific_humidity=lambda lon, lat, p: 0.01 * (p / 1e5) ** 3 * (1 + 0.3 * wave(lon, lat)),
        surface_air_pressure=lambda lon, lat: (
            1e5 * np.exp(-gravity * surface(lon, lat) / (R * 280))
        ),
    )
    return sim.prepare()


@pytest.fixture(scope="module")
def globe(tmp_path_factory):
    return weather(spectral(tmp_path_factory.mktemp("globe"), hill), hill)


@pytest.fixture(scope="module")
def taken(globe, tmp_path_factory):
    """The grid-point model that starts from it, with its ground."""
    sim = on_heights(tmp_path_factory.mktemp("taken"))
    sim.model.set(analysis=globe)
    return sim.prepare()


def vapour(sim):
    """Of a column in the mean [kg m-2]."""
    q, area = sim.gather("specific_humidity"), np.asarray(sim.model.grid.horizontal.area_center)
    if sim.model.temperature == "virtual_temperature" and sim.fields.has("log_pressure_ratio"):
        levels = sim.model.grid.levels
        a, b = (np.asarray(v)[:, None, None] for v in (levels.a, levels.b))
        weight = np.diff(a + b * 1e5 * np.exp(sim.gather("log_pressure_ratio")), axis=0) / gravity
    else:  # tracers lie on interfaces, except the lowest one
        q = (q + np.concatenate([q[1:], q[-1:]])) / 2
        weight = sim.gather("air_density") * -np.diff(sim.gather("interface_height"), axis=0)
    return ((q * weight).sum(0) * area).sum() / area.sum()


def test_a_spectral_state_on_heights(globe, taken):
    ground = taken.gather("interface_height")[-1]
    assert ground.max() == pytest.approx(1200, rel=0.05)
    area = [np.asarray(s.model.grid.horizontal.area_center) for s in (globe, taken)]
    for name in ("eastward_wind", "northward_wind"):
        a, b = (s.gather(name)[-1] for s in (globe, taken))
        assert np.abs(b).max() == pytest.approx(np.abs(a).max(), rel=0.06)
        mean = [(v * w).sum() / w.sum() for v, w in zip((a, b), area)]
        assert mean[1] == pytest.approx(mean[0], abs=0.02 * np.abs(a).max())
    assert vapour(taken) == pytest.approx(vapour(globe), rel=0.1)
    taken.advance(3)
    assert taken.fields.extremes("upward_air_velocity")["finite"]
    assert taken.fields.extremes("eastward_wind")["maximum"] < 30


def test_there_and_back(globe, tmp_path):
    """Twice between columns, twice between points: near, and the ground comes along."""
    there = on_heights(tmp_path / "there", nx=64, number=30)
    there.model.set(analysis=globe)
    back = spectral(tmp_path / "back")
    back.model.set(analysis=there.prepare())
    back.prepare()
    phi = [s.gather("surface_geopotential") for s in (globe, back)]
    assert np.abs(phi[1] - phi[0]).max() < 0.02 * np.abs(phi[0]).max()
    T, u, p = (
        [s.gather(name) for s in (globe, back)]
        for name in ("virtual_temperature", "eastward_wind", "log_pressure_ratio")
    )
    below = slice(6, None)  # layers well within the range of heights
    assert np.sqrt(((T[1] - T[0])[below] ** 2).mean()) < 0.5
    assert np.sqrt(((u[1] - u[0])[below] ** 2).mean()) < 0.5
    assert np.abs(p[1] - p[0]).max() < 3e-3


def test_the_same_grid_keeps_all_bits_by_memory_and_by_file(globe, tmp_path):
    first = on_heights(tmp_path / "first")
    first.model.set(analysis=globe)
    first.prepare()
    for given in (first, first.write_restart("first.fathom")):
        same = on_heights(tmp_path / "same")
        same.model.set(analysis=given)
        same.prepare()
        assert same.checksum() == first.checksum()
    direct = on_heights(tmp_path / "direct")
    direct.model.set(analysis=globe.write_restart("globe.fathom"))
    assert direct.prepare().checksum() == first.checksum()
    file = tmp_path / "first" / "first.fathom"
    found = []
    for given in (first, file):
        other = spectral(tmp_path / "other", stretching=1.5, pole=(10.0, 45.0))
        other.model.set(analysis=given)
        found.append(other.prepare().checksum())
    assert found[0] == found[1]


def test_isothermal_air_at_rest_over_other_ground(tmp_path):
    """The wind after an hour is that of a separate start."""
    low = lambda lon, lat: 0.5 * hill(lon - 20, lat)
    source = spectral(tmp_path / "source", hill)
    weight = lambda lon, lat: 1e5 * np.exp(-gravity * hill(lon, lat) / (R * 280))
    source.model.set(air_temperature=280.0, surface_air_pressure=weight)
    runs = [on_heights(tmp_path / "a", low, 32), on_heights(tmp_path / "b", low, 32)]
    runs[0].model.set(analysis=source.prepare())
    runs[1].model.set(
        air_temperature=280.0,
        surface_air_pressure=lambda lon, lat: 1e5 * np.exp(-gravity * low(lon, lat) / (R * 280)),
    )
    for one in runs:
        one.prepare().advance(6)
    for name in ("eastward_wind", "northward_wind"):
        assert np.abs(runs[0].gather(name) - runs[1].gather(name)).max() < 2e-2


def test_areas(globe, taken, tmp_path):
    levels = fm.HeightLevels(nz=12, top=20e3)
    wide = fm.RotatedGrid(
        centre=(90.0, 30.0), resolution=150e3, points=(36, 32), coupling=4, levels=levels
    )
    narrow = fm.RotatedGrid(
        centre=(90.0, 30.0), resolution=100e3, points=(24, 22), coupling=4, levels=levels
    )
    outer = on_heights(tmp_path / "outer", grid=wide)
    outer.model.set(analysis=taken)
    outer.prepare().advance(2)
    inner = on_heights(tmp_path / "inner", grid=narrow)
    inner.model.set(analysis=outer)
    inner.prepare()
    u = [s.fields.extremes("eastward_wind") for s in (outer, inner)]
    assert u[1]["finite"] and 0 < u[1]["maximum"] < 1.1 * u[0]["maximum"]
    area = fm.LimitedAreaGrid(
        (90.0, 30.0), resolution=100e3, points=(24, 20), levels=fm.HybridLevels("L24")
    )
    model = fm.LimitedAreaAtmosphere(area, tracers=["specific_humidity"]).set(analysis=outer)
    hydrostatic = fm.Simulation(model, time_step="5m", directory=tmp_path / "area").prepare()
    found = hydrostatic.fields.extremes("eastward_wind")
    assert found["finite"] and found["maximum"] < 1.1 * u[0]["maximum"]
    for target in (on_heights(tmp_path / "x"), spectral(tmp_path / "y")):
        target.model.set(analysis=outer)
        with pytest.raises(ValueError, match="does not cover the globe"):
            target.prepare()


def test_what_does_not_fit(globe, tmp_path):
    plane = fm.GridPointAtmosphere(fm.CartesianGrid(12, 12, extent=1e5, staggering="C"))
    with pytest.raises(ValueError, match="needs a LatitudeLongitudeGrid"):
        plane.set(analysis=globe)
    sim = on_heights(tmp_path)
    sim.model.set(analysis=globe, eastward_wind=lambda lon, lat, p: 0 * p, air_temperature=280.0)
    with pytest.raises(ValueError, match="gives eastward_wind"):
        sim.prepare()


@pytest.mark.long
def test_the_same_bits_on_any_ranks(on_ranks):
    one, three = (on_ranks(n, small_spheres, "geometries") for n in (1, 3))
    assert one == three
