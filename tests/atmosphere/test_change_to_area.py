"""A limited area that starts from another atmosphere: the same by memory and by file and on any
ranks, identities, air at rest, and what does not fit.
"""

import numpy as np
import pytest

import fathom as fm
import small_areas
from small_areas import area, simulation

L19, L24 = fm.HybridLevels("L19"), fm.HybridLevels("L24")
gravity, R = small_areas.gravity, small_areas.R


def hill(x, y):
    return gravity * 900 * np.exp(-(((x - 9) / 6) ** 2 + ((y - 46) / 5) ** 2))


def lower(x, y):
    return hill(x - 2, y) / 2


@pytest.fixture(scope="module")
def globe(tmp_path_factory):
    return small_areas.globe(tmp_path_factory.mktemp("globe")).prepare()


def changed(given, folder, grid=None, orography=0.0, **model):
    grid = grid or area(points=(30, 24), resolution=100e3, levels=L24)
    made = fm.LimitedAreaAtmosphere(
        grid, tracers=["specific_humidity"], orography=orography, **model
    )
    return simulation(made.set(analysis=given), "300s", folder)


@pytest.fixture(scope="module")
def europe(globe, tmp_path_factory):
    return changed(globe, tmp_path_factory.mktemp("europe")).prepare()


def test_by_file_and_by_memory(globe, europe, tmp_path):
    file = globe.write_restart("globe.fathom")
    assert changed(file, tmp_path).prepare().checksum() == europe.checksum()
    fast = [s.fields.extremes("eastward_wind")["maximum"] for s in (globe, europe)]
    assert 0.8 * fast[0] < fast[1] < fast[0]
    wet = [s.fields.extremes("specific_humidity")["maximum"] for s in (globe, europe)]
    assert 0 < wet[1] < 1.3 * wet[0]


def test_the_same_area_keeps_all_bits(europe, tmp_path):
    file = europe.write_restart("europe.fathom")
    for given in (europe, file):
        same = changed(given, tmp_path).prepare()
        assert same.fields.checksum(same.fields.state) == europe.fields.checksum(same.fields.state)


def test_an_area_within_another_runs(europe, tmp_path):
    grid = area(points=(24, 20), levels=L19)
    inner = changed(europe, tmp_path, grid, hill).prepare()
    inner.advance(3)
    outer, found = (s.fields.extremes("eastward_wind") for s in (europe, inner))
    assert found["finite"] and found["maximum"] < 1.1 * outer["maximum"]
    far = area(centre=(40.0, 46.5), points=(24, 20), levels=L19)
    with pytest.raises(ValueError, match="reaches beyond the outer one"):
        changed(europe, tmp_path, far).prepare()


def test_isothermal_air_at_rest_over_other_ground(tmp_path):
    pressure = lambda x, y: 1e5 * np.exp(-hill(x, y) / (R * 280))
    model = fm.SpectralAtmosphere(fm.GaussianGrid(42, levels=L24), orography=hill)
    model.set(air_temperature=280.0, surface_air_pressure=pressure)
    given = fm.Simulation(model, time_step="20m", directory=tmp_path).prepare()
    grid = area(points=(30, 24), resolution=100e3, levels=L19)
    direct = fm.LimitedAreaAtmosphere(grid, tracers=["specific_humidity"], orography=lower)
    direct.set(air_temperature=280.0)  # by the formula of such air
    runs = [changed(given, tmp_path, grid, lower), simulation(direct, "300s", tmp_path)]
    for one in runs:
        one.advance(3)
    for name in ("eastward_wind", "northward_wind"):
        a, b = (one.gather(name) for one in runs)
        assert np.abs(a - b).max() < 1e-6  # m s-1


def test_compressible_air_starts_from_hydrostatic(europe, tmp_path):
    made = changed(europe, tmp_path, orography=hill, dynamics="non-hydrostatic").prepare()
    made.advance(2)
    assert made.fields.extremes("eastward_wind")["finite"]


def test_surface_fields_come_along(tmp_path):
    """Of the globe to an area, and on to a smaller one."""
    wave = lambda x, y: 285 + 5 * np.cos(np.deg2rad(y))
    model = fm.SpectralAtmosphere(
        fm.GaussianGrid(21, levels=L19), physics=fm.BasicPhysics(ozone=None)
    )
    model.set(sea_surface_temperature=wave, specific_humidity=1e-3)
    given = fm.Simulation(model, time_step="20m", directory=tmp_path).prepare()
    for points in ((30, 24), (22, 20)):
        grid = area(points=points, resolution=100e3, levels=L19)
        made = fm.LimitedAreaAtmosphere(grid, physics=fm.BasicPhysics(ozone=None))
        given = simulation(made.set(analysis=given), "300s", tmp_path).prepare()
        inside = np.asarray(given.model.grid.wet_levels) > 0
        sea = given.gather("sea_surface_temperature")[0][inside]
        there = wave(*(c[inside] for c in given.model.grid.coordinates()))
        assert np.abs(sea - there).max() < 0.1


def test_what_does_not_fit_is_told(europe, tmp_path):
    globe = fm.SpectralAtmosphere(fm.GaussianGrid(21, levels=L19)).set(analysis=europe)
    with pytest.raises(ValueError, match="does not cover the globe"):
        fm.Simulation(globe, time_step="20m", directory=tmp_path).prepare()
    with pytest.raises(ValueError, match="no place on earth"):
        fm.LimitedAreaAtmosphere(small_areas.plane()).set(analysis=europe)
    made = changed(europe, tmp_path)
    made.model.set(eastward_wind=1.0)
    with pytest.raises(ValueError, match="gives eastward_wind"):
        made.prepare()


def test_the_same_bits_on_any_ranks(on_ranks):
    one, three = (on_ranks(n, small_areas, "changed_areas") for n in (1, 3))
    assert one == three
