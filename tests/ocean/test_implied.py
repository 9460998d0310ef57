"""What forcings imply before any run: closed, of the known size; files in the layouts of CORE-II
and JRA55-do; errors.
"""

import json
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
import xarray as xr

import fathom as fm
from fathom.commands.main import cli
from fathom.run import implied

samples = 24


@pytest.fixture(scope="module")
def grid():
    return implied.usual_grid("3deg")


@pytest.fixture(scope="module")
def ncep(grid):
    return implied.of_surface(fm.SurfaceForcing(data="ncep"), grid, samples)


@pytest.fixture(scope="module")
def coads(grid):
    return implied.of_surface(fm.BulkForcing("coads"), grid, samples)


def test_what_is_carried_is_what_is_received(ncep):
    """Nothing flows over the southern end; between two latitudes the basins add up to the globe."""
    heat = ncep.northward("surface_heat_flux")
    gained = (ncep.mean["surface_heat_flux"] - ncep.over_the_sea("surface_heat_flux")) * ncep.area
    assert abs(heat[0, 0]) < 1e-6 * np.abs(gained).sum() + abs(gained.sum()) + 2e13
    north = ncep.latitudes > -33
    np.testing.assert_allclose(heat[0, north], heat[1:, north].sum(0), atol=1e6)
    assert np.isnan(heat[1, ncep.latitudes < -35]).all()


def test_the_embedded_forcings(ncep, coads):
    """NCEP's fluxes carry heat northward through the whole Atlantic, the bulk formulae over COADS
    do not; its westerlies are stronger.
    """
    assert 0.78 < ncep.heat("atlantic", 26.5) < 0.95
    assert 0.5 < ncep.heat("atlantic", -30) < 0.7
    assert 0.6 < coads.heat("atlantic", 26.5) < 0.8 and coads.heat("atlantic", -30) < 0
    assert 0.18 < ncep.zonal("stress_eastward", -54, -50) < 0.22
    assert coads.zonal("stress_eastward", 40, 48) < 0.6 * ncep.zonal("stress_eastward", 40, 48)
    assert abs(ncep.over_the_sea("surface_heat_flux")) < 0.5
    text = implied.table({"ncep": ncep, "coads": coads})
    assert "| heat northward, Atlantic, 26.5° N [PW] | +0." in text and "RAPID" in text


@pytest.mark.long
def test_storms_bring_the_stress_of_the_westerlies(grid, ncep, coads):
    """Mean wind and mean speed alone give less than half of Trenberth's stress (1990), of winds
    twice a day, in the north, and three quarters in the south; storms of that mean speed bring most
    of the rest. The mean heat changes by less than 4 W/m2.
    """
    stormy = implied.of_surface(fm.BulkForcing("coads", storms=True), grid, 50)
    for south, north in ((40, 48), (-54, -50)):
        before, after, of_winds = (
            one.zonal("stress_eastward", south, north) for one in (coads, stormy, ncep)
        )
        assert 1.3 * before < after and 0.65 < after / of_winds < 1.15
    heat = "surface_heat_flux"
    assert abs(stormy.over_the_sea(heat) - coads.over_the_sea(heat)) < 4
    assert stormy.heat("atlantic", 26.5) > coads.heat("atlantic", 26.5) + 0.02


def core_normal_year(folder):
    """A small year in the layout of CORE-II: upper case, K, rain and snow apart, rivers."""
    x, y = np.arange(0.0, 360, 10), np.arange(-85.0, 86, 10)
    time = xr.date_range("1948-01-16", periods=12, freq="30D", calendar="noleap", use_cftime=True)
    around = np.cos(np.deg2rad(y))[:, None] * np.ones(x.size)

    def write(name, values, units):
        xr.DataArray(
            values * np.ones((12, 1, 1)),
            dims=("TIME", "LAT", "LON"),
            coords={"TIME": time, "LAT": y, "LON": x},
            name=name,
            attrs={"units": units},
        ).to_netcdf(folder / f"{name}.nc")

    write("U_10_MOD", 8 * np.cos(np.deg2rad(3 * y))[:, None] * np.ones(x.size), "m/s")
    write("V_10_MOD", 0 * around, "m/s")
    write("T_10_MOD", 258 + 40 * around, "degK")
    write("Q_10_MOD", 0.015 * around**3 + 1e-3, "kg/kg")
    write("SLP", 101000 + 0 * around, "Pa")
    write("SWDN_MOD", 280 * around, "W/m^2")
    write("LWDN_MOD", 200 + 180 * around, "W/m^2")
    write("RAIN", 3e-5 * around, "mm/s")
    write("SNOW", 1e-5 * (1 - around), "mm/s")
    xr.DataArray(
        np.where(np.abs(around - 1) < 0.1, 1e-5, 0.0)[None],
        dims=("Time", "lat", "lon"),
        coords={"lat": y, "lon": x},
        name="Foxx_o_roff",
        attrs={"units": "(kg/s)/m^2"},
    )[0].to_netcdf(folder / "runoff.nc")


def test_core_ii(grid, tmp_path):
    core_normal_year(tmp_path)
    surface = implied.surface_of(str(tmp_path))
    lines = [line for source in surface.over(grid).records() for line in source.describe()]
    assert any("rainfall_flux and snowfall_flux" in line for line in lines)
    assert any(line.startswith("eastward_wind: U_10_MOD") for line in lines)
    found = implied.of_surface(surface, grid, 4)
    assert -300 < found.over_the_sea("surface_heat_flux") < 300
    assert found.zonal("stress_eastward", -62, -55) < 0 < found.zonal("stress_eastward", -5, 5)
    assert surface.runoff is not 0.0  # noqa: F632  the file's own


def test_jra55_do_names(grid, tmp_path):
    """Rain and snow as prra and prsn; the rest by the names of CMIP."""
    core_normal_year(tmp_path)
    names = {
        "U_10_MOD": "uas",
        "V_10_MOD": "vas",
        "T_10_MOD": "tas",
        "Q_10_MOD": "huss",
        "SLP": "psl",
        "SWDN_MOD": "rsds",
        "LWDN_MOD": "rlds",
        "RAIN": "prra",
        "SNOW": "prsn",
    }
    data = xr.merge(
        [xr.open_dataarray(tmp_path / f"{old}.nc").rename(new) for old, new in names.items()]
    )
    data = data.rename({"TIME": "time", "LAT": "lat", "LON": "lon"})
    surface = implied.surface_of(data)
    described = [line for s in surface.over(grid).records() for line in s.describe()]
    assert any(line.startswith("air_temperature: tas") for line in described)
    assert any("precipitation_flux: from rainfall_flux" in line for line in described)


def test_net_fluxes_of_a_file_and_the_verb(tmp_path, grid, capsys):
    """hfds alone: what it implies is its own integral, in table, picture and figures."""
    x, y = np.arange(1.0, 360, 2), np.arange(-89.0, 90, 2)
    heat = xr.DataArray(
        50 * np.cos(np.deg2rad(2 * y))[:, None] * np.ones(x.size),
        dims=("lat", "lon"),
        coords={"lat": y, "lon": x},
        name="hfds",
        attrs={"units": "W m-2"},
    )
    heat.to_netcdf(tmp_path / "q.nc")
    arguments = ["forcing", "check", str(tmp_path / "q.nc"), "--resolution", "3deg"]
    arguments += ["--samples", "12", "--json", str(tmp_path / "f.json")]
    assert (
        cli.main(args=[*arguments, "--picture", str(tmp_path / "f.png")], standalone_mode=False)
        == 0
    )
    figures = json.loads((tmp_path / "f.json").read_text())
    lat, area = np.asarray(grid.horizontal.center_latitude), np.asarray(grid.horizontal.area_center)
    area = area * (np.asarray(grid.wet_levels) > 0)
    given = 50 * np.cos(np.deg2rad(2 * lat))
    beyond = lat > 20
    expected = -((given - (given * area).sum() / area.sum()) * area)[beyond].sum() / 1e15
    assert figures["implied_global_20n_pw"] == pytest.approx(expected, rel=0.1)
    assert "heat northward, global" in capsys.readouterr().out
    assert (tmp_path / "f.png").stat().st_size > 20_000


def test_errors_say_what_is_there(tmp_path):
    xr.DataArray(
        np.ones((4, 8)),
        dims=("lat", "lon"),
        coords={"lat": np.arange(-60.0, 61, 40), "lon": np.arange(0.0, 360, 45)},
        name="chlorophyll",
        attrs={"units": "mg m-3"},
    ).to_netcdf(tmp_path / "c.nc")
    with pytest.raises(ValueError, match=r"has chlorophyll; known are net fluxes.*JRA55-do"):
        implied.surface_of(str(tmp_path / "c.nc"))
    with pytest.raises((OSError, ValueError), match="nowhere"):
        implied.surface_of(str(tmp_path / "nowhere.nc"))


@pytest.mark.long
def test_the_script(tmp_path):
    script = Path(__file__).resolve().parents[2] / "docs" / "results" / "ocean_forcing.py"
    asked = ["--resolution", "3deg", "--samples", "12", "--json", "f.json"]
    done = subprocess.run(
        [sys.executable, str(script), *asked],
        cwd=tmp_path, capture_output=True, text=True, check=True,
    )  # fmt: skip
    figures = json.loads((tmp_path / "f.json").read_text())
    assert 0.78 < figures["implied_atlantic_26n_pw"] < 0.95
    assert 0.5 < figures["implied_atlantic_30s_pw"] < 0.7
    assert "published" in done.stdout and (tmp_path / "ocean-forcing.png").exists()
