"""GRIB files of centres drive an area: each record is the state of the files at the area's points,
for their grids and levels, in one file, several, or by members.
"""

import numpy as np
import pytest

import centre_files
import fathom as fm
import small_areas
from fathom.data import grib_state


def model(outer, analysis=None):
    grid = small_areas.area(points=(24, 20), resolution=60e3, levels=fm.HybridLevels("L19"))
    air = fm.LimitedAreaAtmosphere(grid, outer=outer, tracers=["specific_humidity"])
    return air.set(analysis=analysis) if analysis else air.set(air_temperature=centre_files.WARM)


def check(air, number, hours, near=0.1):
    """A record against the formulas, at the points and layers of the area."""
    state = air.outer.state(number)
    grid = air.grid
    nx, ny = grid.points
    x, y = (c[:ny, :nx] for c in grid.coordinates())
    a, b = np.asarray(grid.levels.a), np.asarray(grid.levels.b)
    p_s = np.exp(state["log_surface_pressure"][:ny, :nx])
    assert np.abs(p_s / centre_files.surface_pressure(x, y) - 1).max() < 1e-3
    edges = a[:, None, None] + b[:, None, None] * p_s
    p = np.exp(np.log((edges[1:] + edges[:-1]) / 2))
    low = (p.min((1, 2)) > 2e4) & (p.max((1, 2)) < 9e4)  # between levels of all files
    for name, one in (("eastward_wind", "u"), ("northward_wind", "v")):
        away = state[name][:, :ny, :nx] - centre_files.air(one, x, y, p, hours)
        assert np.abs(away[low]).max() < near, name
    away = state["air_temperature"][:, :ny, :nx] - centre_files.air("t", x, y, p, hours)
    assert np.abs(away[low]).max() < 1.0  # levels of pressure are few
    q = state["specific_humidity"][:, :ny, :nx] - centre_files.air("q", x, y, p, hours)
    assert np.abs(q[low]).max() < 2e-3


few = [("ifs", True)]
others = [(g, h) for g in centre_files.grids for h in (False, True) if (g, h) not in few]


@pytest.mark.parametrize(
    "grid, hybrid", [*few, *(pytest.param(*one, marks=pytest.mark.long) for one in others)]
)
def test_drives_an_area(tmp_path, grid, hybrid):
    file = tmp_path / "a.grib2"
    file.write_bytes(b"".join(centre_files.of_time(grid, h, hybrid) for h in (0, 6)))
    air = model(str(file))
    assert len(air.outer.times.times) == 2
    for number, hours in enumerate((0, 6)):
        check(air, number, hours)


def test_files_by_time_pattern_and_member(tmp_path):
    """A file a time, by a pattern or a list, with the orography in one of its own."""
    whole, orography = [], centre_files.message("ifs", "orog", 0)
    for hours in (0, 6):
        messages = centre_files.of_time("ifs", hours, hybrid=True)
        whole.append(messages.replace(centre_files.message("ifs", "orog", 0, hours), b""))
        (tmp_path / f"lbc{hours}.grib2").write_bytes(whole[-1])
    (tmp_path / "lbc-ground.grib2").write_bytes(orography)
    names = [str(tmp_path / f"lbc{part}.grib2") for part in ("0", "6", "-ground")]
    for given in (str(tmp_path / "lbc*.grib2"), names):
        air = model(given)
        assert len(air.outer.times.times) == 2
        check(air, 1, 6)
    with pytest.raises(fm.InputError, match="lacks surface_geopotential"):
        model(names[:2]).outer.state(0)
    with pytest.raises(FileNotFoundError, match="no such file of GRIB"):
        model(str(tmp_path / "lbd*.grib2"))


@pytest.mark.parametrize("grid", ["hrrr", "icon"])
def test_native_levels(grid, tmp_path):
    """Levels of a model with a pressure at each point, as of HRRR (upwards, with heights) and ICON
    (downwards): the state on levels of pressure."""
    file = tmp_path / "native.grib2"
    file.write_bytes(centre_files.of_time(grid, 6, "native"))
    data = grib_state.state(file)
    x, y = data.longitude.values, data.latitude.values
    p = data.pressure.values[:, None, None]
    highest = 0.5 * centre_files.a[1]
    assert p.min() >= highest and p.max() == 105000 and len(p) > 20
    above = p < 0.97 * data.surface_air_pressure.values[0]
    for one, name in zip(("t", "u", "v"), ("air_temperature", "eastward_wind", "northward_wind")):
        wanted = centre_files.air(one, x, y, p, 6)
        away = np.where(above, data[name].values[0] - wanted, 0)
        assert np.abs(away).max() < 0.02 * np.abs(wanted).max(), name
    away = data.geopotential.values[0] - centre_files.air("z", x, y, p, 6)
    assert np.abs(np.where(above, away, 0)).max() < 1500  # m2 s-2, of thick layers


def test_native_levels_that_cannot_be(tmp_path):
    """Pressure on some levels only."""
    file = tmp_path / "native.grib2"
    names = [(name, n) for n in (1, 2) for name in centre_files.short]
    whole = [centre_files.message("icon", name, n, 0, "native") for name, n in names]
    ground = [centre_files.message("icon", name, 0) for name in ("sp", "orog")]
    one = centre_files.message("icon", "pres", 1, 0, "native")
    file.write_bytes(b"".join([*whole, *ground, one]))
    with pytest.raises(fm.InputError, match="lacks air_pressure"):
        grib_state.state(file)


def test_levels_without_coefficients(tmp_path):
    """Levels of a model whose pressures cannot be told."""
    file = tmp_path / "native.grib2"
    level = {"typeOfLevel": "hybrid", "PVPresent": 0}
    file.write_bytes(centre_files.message("hrrr", "t", 1, more=level))
    with pytest.raises(fm.InputError, match="without the coefficients of their pressures"):
        model(str(file)).outer.state(0)
    file.write_bytes(centre_files.message("hrrr", "sp", 0))
    with pytest.raises(fm.InputError, match="no temperature on levels"):
        model(str(file)).outer.check()


@pytest.mark.long
def test_messages_of_several_fields(tmp_path):
    """As of NCEP: pairs of fields in one message, relative humidity and heights."""
    file, messages = tmp_path / "gfs.grib2", []
    for hours in (0, 6):
        at_levels = [(n, k) for k in centre_files.pressures for n in ("t", "u", "v", "q", "gh")]
        at_levels += [("sp", 0), ("orog", 0)]
        messages += [centre_files.message("gfs", n, k, hours) for n, k in at_levels]
    file.write_bytes(b"".join(map(centre_files.together, messages[::2], messages[1::2])))
    assert file.read_bytes().count(b"GRIB") == len(messages) / 2
    air = model(str(file))
    for number, hours in enumerate((0, 6)):
        check(air, number, hours)


@pytest.mark.long
def test_members(tmp_path):
    """Of an ensemble one is chosen; without a choice it is refused."""
    file = tmp_path / "ens.grib2"
    of = {"productDefinitionTemplateNumber": 1, "numberOfForecastsInEnsemble": 3}
    file.write_bytes(
        b"".join(
            centre_files.of_time("icon", 2 * number, more=of | {"number": number, "stepRange": "0"})
            for number in (1, 2, 3)
        )
    )
    with pytest.raises(fm.InputError, match=r"several members or forecasts.*\?member=1"):
        model(str(file)).outer.check()
    check(model(f"{file}?member=2"), 0, 4)
    with pytest.raises(fm.InputError, match="the files have members 1, 2, 3"):
        model(f"{file}?member=7").outer.check()
    state = fm.data.atmosphere.open(f"{file}?member=3")
    assert float(abs(state.eastward_wind).max()) > 10


@pytest.mark.long
def test_an_area_runs_from_files(tmp_path):
    """Six hours of an area within files on hybrid levels: the wind along its edge is theirs."""
    file = tmp_path / "a.grib2"
    file.write_bytes(b"".join(centre_files.of_time("ifs", h, True) for h in (0, 6)))
    air = model(str(file), str(file))
    run = fm.Simulation(air, "15min", start="2024-06-03", directory=tmp_path / "run")
    run.run("6h", progress=False, report=False)
    wind = run.gather("eastward_wind")[:, 0, 5]
    wanted = air.outer.state(1)["eastward_wind"][:, 0, 5]
    assert np.abs(wind - wanted)[5:].max() < 0.5
    later = fm.Simulation(air, "15min", start="2024-06-03", directory=tmp_path / "more")
    with pytest.raises(fm.InputError, match="2024-06-03 06:00"):
        later.run("9h", progress=False, report=False)
