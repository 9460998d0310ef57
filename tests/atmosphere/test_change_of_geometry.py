"""A state in another geometry: identities, the same by memory and by file and on any ranks."""

import numpy as np
import pytest

import fathom as fm
import small_atmospheres
from fathom.atmosphere.remap.columns_over_ground import in_columns
from fathom.grids.hybrid import interfaces_of
from fathom.grids.regrid import column
from fathom.grids.regrid.rows import Rows
from fathom.grids.regrid.twelve_points import TwelvePoints, rows_needed

L19 = fm.HybridLevels("L19")


def hill(lon, lat):
    return 9.80616 * 1500 * np.exp(-(((lon - 90) / 25) ** 2 + ((lat - 40) / 20) ** 2))


def simulation(folder, truncation=21, levels=L19, orography=hill, **sphere):
    grid = fm.GaussianGrid(truncation, levels=levels, **sphere)
    model = fm.SpectralAtmosphere(grid, orography=orography, tracers=["specific_humidity"])
    return fm.Simulation(model, time_step="20m", directory=folder)


def changed(given, folder, *arguments, **keywords):
    target = simulation(folder, *arguments, **keywords)
    target.model.set(analysis=given)
    return target.prepare()


@pytest.fixture(scope="module")
def source(tmp_path_factory):
    a = simulation(tmp_path_factory.mktemp("a"))
    wave = lambda lon, lat: np.cos(np.deg2rad(lat)) ** 2 * np.sin(np.deg2rad(3 * lon))
    a.model.set(
        air_temperature=lambda lon, lat, p: (
            np.maximum(288 * (p / 1e5) ** 0.19, 216) + 5 * wave(lon, lat)
        ),
        eastward_wind=lambda lon, lat, p: 25 * np.sin(2 * np.deg2rad(lat)) ** 2 * (1 - p / 1e5),
        northward_wind=lambda lon, lat, p: 3 * wave(lon, lat) + 0 * p,
        specific_humidity=lambda lon, lat, p: 0.01 * (p / 1e5) ** 3 * (1 + 0.5 * wave(lon, lat)),
        surface_air_pressure=lambda lon, lat: 1e5 * np.exp(-hill(lon, lat) / (287.0597 * 280)),
    )
    return a.prepare()


def test_the_same_geometry_keeps_all_bits(source, tmp_path):
    same = changed(source, tmp_path)
    assert same.checksum() == source.checksum()
    assert same.fields.checksum(same.fields.state) == source.fields.checksum(source.fields.state)


def test_a_finer_truncation_and_back(source, tmp_path):
    finer = changed(source, tmp_path, 31, orography=0.0)
    back = changed(finer, tmp_path, orography=0.0)
    for name in ("eastward_wind", "northward_wind", "virtual_temperature", "log_pressure_ratio"):
        a, b = source.gather(name), back.gather(name)
        assert np.abs(a - b).max() <= 1e-12 * np.abs(a).max(), name


@pytest.mark.parametrize(
    "sphere", [{"stretching": 2.0, "pole": (10.0, 45.0)}, {"reduced": "classical"}]
)
def test_by_file_and_by_memory(source, tmp_path, sphere):
    levels = fm.HybridLevels("L24")
    file = source.write_restart("a.fathom")
    memory = changed(source, tmp_path, 31, levels, **sphere)
    assert changed(file, tmp_path, 31, levels, **sphere).checksum() == memory.checksum()
    water = [s.fields.extremes("specific_humidity")["maximum"] for s in (source, memory)]
    assert water[1] == pytest.approx(water[0], rel=0.05)
    fast = [s.fields.extremes("eastward_wind")["maximum"] for s in (source, memory)]
    if "pole" not in sphere:
        assert fast[1] == pytest.approx(fast[0], rel=0.01)


def test_the_orography_comes_along_where_none_is_given(source, tmp_path):
    finer = changed(source, tmp_path, 42, orography=0.0)
    phi = finer.gather("surface_geopotential")
    assert phi.max() == pytest.approx(source.gather("surface_geopotential").max(), rel=0.01)


def test_isothermal_air_at_rest_over_other_ground(tmp_path):
    def at_rest(sim, ground):
        weight = lambda lon, lat: 1e5 * np.exp(-ground(lon, lat) / (287.0597 * 280))
        sim.model.set(air_temperature=280.0, surface_air_pressure=weight)
        return sim.prepare()

    low = lambda lon, lat: hill(lon - 30, lat) / 2
    a = at_rest(simulation(tmp_path), hill)
    b = changed(a, tmp_path, 31, fm.HybridLevels("L24"), low, pole=(20.0, 50.0))
    direct = at_rest(simulation(tmp_path, 31, fm.HybridLevels("L24"), low, pole=(20.0, 50.0)), low)
    for sim in (b, direct):
        sim.advance(3)
    for name in ("eastward_wind", "northward_wind"):
        assert np.abs(b.gather(name) - direct.gather(name)).max() < 1e-6  # m s-1


def test_columns_keep_mass_and_moisture_as_the_formula_says():
    """Standard air over ground 800 m lower: p_s is that of the standard atmosphere there."""
    ground = 9.80665 * np.array([1000.0])
    p_s = 101325 * (1 - 0.0065 * 1000 / 288.15) ** (1 / column.EXPONENT)
    interfaces = column.interface_pressure(*interfaces_of(L19), np.array([p_s]))
    x = column.layer_logarithms(interfaces)
    T = np.maximum(288.15 * (np.exp(x) / 101325) ** column.EXPONENT, 216.65)
    source = {
        "air_temperature": T,
        "eastward_wind": 0 * T,
        "northward_wind": 0 * T,
        "specific_humidity": 1e-3 + 0 * T,
        "log_pressure_ratio": np.log(p_s / 1e5)[None, None] + 0 * T[:1],
    }
    found = in_columns(source, L19, L19, ground, 0.2 * ground)
    expected = 101325 * (1 - 0.0065 * 200 / 288.15) ** (1 / column.EXPONENT)
    # humidity makes the column lighter: a change of 0.6e-3 in 9 %
    assert 1e5 * np.exp(found["log_pressure_ratio"][0, 0]) == pytest.approx(expected, rel=2e-4)
    assert found["air_temperature"][-1, 0] == pytest.approx(
        288.15 * (expected / 101325 * np.exp(x[-1, 0]) / p_s) ** column.EXPONENT, abs=0.2
    )
    assert (found["specific_humidity"] > 0).all()


def test_columns_keep_their_vapour_on_other_levels():
    """Over the same ground and over other, to more and to fewer levels."""
    L31 = fm.HybridLevels("L31")
    for own, other in ((L19, L31), (L31, L19)):
        p_s = np.array([1.01e5, 9.3e4, 7.5e4])
        x = column.layer_logarithms(column.interface_pressure(*interfaces_of(own), p_s))
        T = np.maximum(300 * np.exp(0.19 * (x - np.log(1e5))), 205)
        source = {
            "air_temperature": T,
            "eastward_wind": 0 * T,
            "northward_wind": 0 * T,
            "specific_humidity": 0.018 * np.exp(3 * (x - np.log(1e5))) + 2e-6,
            "log_pressure_ratio": np.log(p_s / 1e5)[None],
        }
        ground = np.array([0.0, 8e3, 2.5e4])
        for target in (ground, np.array([500.0, 7e3, 2.3e4])):
            vapour = [
                (
                    there["specific_humidity"]
                    * np.diff(
                        column.interface_pressure(
                            *interfaces_of(levels), 1e5 * np.exp(there["log_pressure_ratio"][0])
                        ),
                        axis=0,
                    )
                ).sum(0)
                for levels in (own, other)
                for there in [in_columns(source, own, levels, ground, target)]
            ]
            np.testing.assert_allclose(vapour[1], vapour[0], rtol=1e-12)


def test_twelve_points_are_exact_for_what_they_hold_and_and_converge():
    errors = []
    for count in (24, 48):
        rows = Rows.gaussian(count)
        lon, lat = np.meshgrid(np.arange(0, 360, 7.3), np.linspace(-90, 90, 31))
        lon, lat = lon.ravel(), lat.ravel()
        j = rows_needed(rows, lat)
        twelve = TwelvePoints(rows, lon, lat, *j)
        field = lambda x, y: (
            np.cos(np.deg2rad(y)) ** 2 * np.sin(np.deg2rad(2 * x)) + np.sin(np.deg2rad(y))
        )
        grid = field(*np.meshgrid(rows.longitude(0), rows.latitude))[None, slice(*j)]
        assert np.allclose(twelve(np.ones_like(grid)), 1, rtol=0, atol=1e-14)
        errors.append(np.abs(twelve(grid)[0] - field(lon, lat)).max())
        within = twelve(np.round(grid), within=True)
        assert within.min() >= np.round(grid).min() and within.max() <= np.round(grid).max()
    assert errors[1] < errors[0] / 3


def test_surface_fields_come_from_their_own_kind(tmp_path):
    """Warm land in a cold sea: neither affects the other."""

    def with_land(truncation, **keywords):
        grid = fm.GaussianGrid(truncation, levels=fm.HybridLevels("L19"))
        model = fm.SpectralAtmosphere(grid, physics=fm.BasicPhysics(ozone=None), **keywords)
        return fm.Simulation(model, time_step="20m", directory=tmp_path)

    a = with_land(21)
    land = lambda lon, lat: (np.abs(lon - 180) < 60) & (np.abs(lat) < 40)
    longitude, latitude = a.model.grid.coordinates()
    a.model.set(
        land_fraction=land(longitude, latitude).astype(float),
        sea_surface_temperature=np.where(land(longitude, latitude), 330.0, 285.0),
        ground_temperature=np.where(land(longitude, latitude), 310.0, 271.0),
        soil_moisture=np.where(land(longitude, latitude), 100.0, 0.0),
        specific_humidity=1e-3,
    )
    b = with_land(31)
    longitude, latitude = b.model.grid.coordinates()
    ours = land(longitude, latitude)
    b.model.set(land_fraction=ours.astype(float), analysis=a)
    b.prepare()
    assert np.ptp(b.gather("sea_surface_temperature")[0][~ours]) < 1e-9
    assert np.ptp(b.gather("soil_moisture")[0][ours]) < 1e-9
    assert set(np.round(b.gather("ground_temperature")[0].ravel(), 6)) == {310.0, 271.0}


def test_what_does_not_fit_is_told(source, tmp_path):
    other = simulation(tmp_path)
    other.model.set(analysis=source, eastward_wind=1.0)
    with pytest.raises(ValueError, match="gives eastward_wind"):
        other.prepare()
    with pytest.raises(ValueError, match="'earth'"):
        simulation(tmp_path, orography="mars")


def test_no_burst_of_gravity_waves_after_the_digital_filter(tmp_path):
    """The mean |dp_s/dt| of the first six hours is that of a start of the source's own."""

    def filtered(truncation, given, **sphere):
        grid = fm.GaussianGrid(truncation, levels=L19, **sphere)
        model = fm.SpectralAtmosphere(grid).set(analysis=given, digital_filter="6h")
        made = fm.Simulation(model, time_step="30m", start="2011-10-11", directory=tmp_path)
        return made.prepare()

    a = filtered(21, "gfs")
    b = filtered(31, a, stretching=1.5, pole=(5.0, 45.0))
    found = []
    for one in (a, b):
        share = one.model.grid.horizontal.area_center
        pressures = [one.gather("log_pressure_ratio")[0]]
        for _ in range(12):
            one.advance(1)
            pressures.append(one.gather("log_pressure_ratio")[0])
        change = np.abs(np.diff(np.exp(pressures), axis=0)).mean(0)
        found.append((change * share).sum() / share.sum())
    assert found[1] < 1.1 * found[0]


def test_the_same_bits_on_any_ranks(on_ranks):
    """Of a finer B and of a stretched one."""
    one, three = (on_ranks(n, small_atmospheres, "geometries") for n in (1, 3))
    assert one == three
