"""Single columns from driver files: GABLS1, BOMEX's budget, each forcing, what is not known."""

import warnings

import numpy as np
import pytest
import xarray as xr

import box
import fathom as fm
from driver_files import bomex, gabls1
from fathom.atmosphere.column import published_columns
from fathom.atmosphere.column.forced import subside
from fathom.atmosphere.physics import similarity
from fathom.base.moist_air import GAS_CONSTANT


def test_gabls1_from_a_file(tmp_path):
    """After nine hours, by the command (Beare et al. 2006; large eddies: 150 to 200 m)."""
    gabls1().to_netcdf(tmp_path / "GABLS1_SCM_driver.nc")
    status, said, wrong = box.fathom(
        *("column", "GABLS1_SCM_driver.nc", "out.nc", "--top", 500, "--levels", 50),
        *("--step", "30s", "--every", "1h"),
        folder=tmp_path,
    )
    assert (status, wrong) == (0, "") and "m s-1; large eddies 0.26 to 0.3 (Beare" in said
    with xr.open_dataset(tmp_path / "out.nc") as out:
        assert out.air_temperature.standard_name == "air_temperature"
        assert all("units" in out[n].attrs and "long_name" in out[n].attrs for n in out.data_vars)
        assert "Column of GABLS1" in out.title and out.source.startswith("Fathom ")
        assert out.sizes["time"] == 10 and out.time[-1] == np.datetime64("2000-01-01T09")
        last = out.isel(time=-1)
        speed = np.hypot(last.eastward_wind, last.northward_wind)
        z = last.height.values
        shear = np.hypot(np.diff(last.eastward_wind), np.diff(last.northward_wind)) / np.diff(z)
        stress = last.air_diffusivity.values[1:-1] * shear
        u_star = float(last.friction_velocity)
        top = last.interface.values[1:-1][stress > 0.05 * u_star**2].max() / 0.95
        assert 150 < top < 250
        assert 0.25 < u_star < 0.34  # large eddies 0.26 to 0.30; this turbulence 0.325
        assert 9 < speed.max() < 10.2 and 0.6 * top < z[speed.values.argmax()] < 1.2 * top
        assert -24 < last.sensible_heat < -8


def test_stable_air_near_the_ground_mixes_less_with_a_length_that_knows_it():
    """GABLS1 with wall_stability: stress and depth of large eddies."""
    physics = [fm.TKE(wall_stability=0.75), "VerticalDiffusion"]
    profiles = fm.ForcedColumn(gabls1(), np.linspace(0, 500, 51), physics, time_step="30s").run()
    found = published_columns.found(profiles)
    assert 0.28 < found["friction velocity"][0] < 0.31
    assert 160 < found["depth of the stress"][0] < 210


def test_water_of_bomex_closes_and_an_hour_changes_little():
    case = fm.ForcedColumn(bomex(), np.linspace(0, 3000, 76))
    column = case.column
    first, before = column["specific_humidity"].copy(), column["air_temperature"].copy()
    case.advance("1h")
    change = column.mass @ (column["specific_humidity"] - first)
    assert change == pytest.approx(sum(case.water.values()), abs=1e-12)
    advection = -1.2e-8 * np.interp(case.z, [300, 500], [1, 0])
    assert case.water["advection"] == pytest.approx(3600 * column.mass @ advection, rel=1e-10)
    assert case.water["surface"] == pytest.approx(3600 * 5.2e-5 * 1.15, rel=0.03)
    assert case.water["subsidence"] < 0 == case.water["nudging"]
    free = case.z > 800
    assert abs(column["air_temperature"] - before)[free].max() < 0.4
    assert abs(column["specific_humidity"] - first)[free].max() < 4e-4
    assert abs(column["air_temperature"] - before).max() < 0.8
    assert case.surface["friction_velocity"] == 0.28
    assert case.surface["sensible_heat"] == pytest.approx(8e-3 * 1.16 * 1004.7, rel=0.03)


def test_bomex_with_plumes_is_near_steady():
    """Six hours (Siebesma et al. 2003): the plumes see the fluxes of the file; base of the clouds
    500 to 600 m and 0.02 to 0.03 kg m-2 s-1 there; below 1450 m the air changes by some tenths. The
    cloud ends below the inversion at 1500 m, where large eddies have some up to 2000 m: there the
    air dries by 1 g/kg.
    """
    physics = ["TKE", "VerticalDiffusion", "ShallowMassFlux", "LargeScaleCondensation"]
    case = fm.ForcedColumn(bomex(), np.linspace(0, 3000, 76), physics)
    column, first = case.column, case.column["specific_humidity"].copy()
    before = column["air_temperature"] / case.exner
    profiles = case.run("6h", every="30min")
    gain = column.mass @ (column["specific_humidity"] - first)
    assert gain == pytest.approx(sum(case.water.values()), abs=1e-11)  # nothing rains
    warmer = column["air_temperature"] / case.exner - before
    moister = column["specific_humidity"] - first
    assert abs(warmer[case.z < 1450]).max() < 0.5 and abs(moister[case.z < 1450]).max() < 9e-4
    assert moister[(case.z > 1600) & (case.z < 1700)].max() < -5e-4
    found = {name: number for name, (number, _) in published_columns.found(profiles).items()}
    assert 480 <= found["cloud base"] <= 640 and 0.02 < found["mass flux at base"] < 0.03
    assert 1400 < found["cloud top"] < 1700
    still = fm.ForcedColumn(bomex(), np.linspace(0, 3000, 76), physics[:2]).advance("6h").column
    moister_without = still["specific_humidity"] - first
    assert moister_without[case.z < 450].min() > 1.2 * moister[case.z < 450].max()


def test_energy_gains_what_the_file_gives():
    """BOMEX with nothing but its fluxes: c_p T + L q + v^2 / 2 gains H + L E, plumes or not."""
    off = {"forc_geo": 0, "forc_wa": 0, "adv_qt": 0, "radiation": "off"}
    file = bomex().assign_attrs(off)
    physics = ["TKE", "VerticalDiffusion", "ShallowMassFlux", "LargeScaleCondensation"]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of what the file has and does not ask for
        case = fm.ForcedColumn(file, np.linspace(0, 3000, 76), physics)
    column = case.column

    def energy():
        wind = column["eastward_wind"] ** 2 + column["northward_wind"] ** 2
        warm = 3.5 * GAS_CONSTANT * column["air_temperature"]
        return column.mass @ (warm + 2.5008e6 * column["specific_humidity"] + 0.5 * wind)

    before, given = energy(), 0.0
    for _ in range(30):
        case.advance("60s")
        given += 60 * (case.surface["sensible_heat"] + 2.5008e6 * case.surface["evaporation"])
    assert energy() - before == pytest.approx(given, abs=1e-10 * before)
    assert given == pytest.approx(1800 * (9.4 + 151), rel=0.02)


def test_what_starts_from_fluxes_stands_after_the_diffusion():
    with pytest.raises(ValueError, match="ShallowMassFlux needs VerticalDiffusion before it"):
        fm.ForcedColumn(bomex(), physics=["ShallowMassFlux", "VerticalDiffusion"])
    water = {}
    for convection in ([], ["MassFluxConvection"]):
        physics = ["TKE", "VerticalDiffusion", *convection]
        case = fm.ForcedColumn(bomex(), np.linspace(0, 12000, 121), physics)
        water[len(convection)] = case.advance("1h").column["specific_humidity"]
    moister = water[1] - water[0]
    assert moister[(case.z > 700) & (case.z < 1500)].max() > 1e-4 and moister[-1] < -1e-4


def test_what_is_said_twice_acts_once():
    """Files give advection and nudging of each variable that a model may have."""
    file = bomex()
    twice = file.assign_attrs(adv_qv=1, adv_rt=1)
    twice["tnqv_adv"] = twice["tnrt_adv"] = file["tnqt_adv"]
    one, same = (
        fm.ForcedColumn(f, np.linspace(0, 3000, 31)).advance("10min").water for f in (file, twice)
    )
    assert same["advection"] == pytest.approx(one["advection"], rel=1e-12)


def test_first_state_is_the_files():
    case = fm.ForcedColumn(bomex(), np.linspace(0, 3000, 76))
    theta = case.column["air_temperature"] / case.exner
    given = np.interp(case.z, [0, 520, 1480, 2000, 3000], [298.7, 298.7, 302.4, 308.2, 311.85])
    np.testing.assert_allclose(theta, given, rtol=1e-4)
    z = np.interp(850e2, case.column.pressure, case.z)
    assert 1480 < z < 1560  # of 850 hPa in the tropics


def test_wind_turns_and_comes_back():
    """Without the ground an inertial circle around the geostrophic wind, closed after 2 pi / f."""
    file = gabls1().assign_attrs(surface_forcing_temp="none")
    file["z0"] = file["z0"] * 0 + 1e-8
    file = file.drop_vars(["tke", "ts_forc"])
    file["ug"] = file["ug"] - 3
    case = fm.ForcedColumn(file, np.linspace(0, 1000, 11), ["VerticalDiffusion"])
    steps = round(np.pi / case.coriolis / case.time_step)
    case.advance(f"{steps * case.time_step}s")
    assert case.column["eastward_wind"][0] == pytest.approx(2.0, abs=0.02)
    assert abs(case.column["northward_wind"][0]) < 0.05


def test_nudging_above_a_height():
    file = gabls1().assign_attrs(nudging_qv=3600.0, zh_nudging_qv=500.0)
    file["qv_nud"] = file["ug"] * 0 + 1e-3
    case = fm.ForcedColumn(file, np.linspace(0, 1000, 21)).advance("1h")
    humidity = case.column["specific_humidity"]
    assert humidity[0] == pytest.approx(1e-3 * (1 - np.exp(-1)), rel=1e-3)
    assert abs(humidity[case.z < 400]).max() < 1e-5


def test_subsidence_moves_a_line_and_keeps_extremes():
    z = np.linspace(2950, 50, 30)
    w = np.full(30, -0.01)
    line = subside(300 + 4e-3 * z, z, w, 600.0)
    assert line[-1] == pytest.approx(300 + 4e-3 * (50 + 6), abs=1e-3)
    jump = subside(np.where(z > 1500, 1.0, 0.0), z, w, 1e5)
    assert jump.min() >= 0 and jump.max() <= 1 and jump[-1] > 0.2


def test_similarity():
    """Neutral: the logarithm; and both ways in give the same stress."""
    u_star, _ = similarity.from_difference(10.0, 0.1, 0.1, 8.0, 300.0, 0.0)
    assert u_star == pytest.approx(0.4 * 8 / np.log(100))
    for difference in (-2.0, 1.0):
        u_star, transfer = similarity.from_difference(10.0, 0.1, 0.1, 8.0, 300.0, difference)
        buoyancy = -9.80616 / 300 * transfer * difference
        assert similarity.from_flux(10.0, 0.1, 8.0, buoyancy) == pytest.approx(u_star, rel=1e-3)


def test_what_is_not_known_is_named(tmp_path):
    with pytest.raises(ValueError, match="adv_hail.*not known"):
        fm.ForcedColumn(bomex().assign_attrs(adv_hail=1))
    with pytest.raises(ValueError, match="'lsm' is not known.*surface_flux"):
        fm.ForcedColumn(bomex().assign_attrs(surface_forcing_temp="lsm"))
    with pytest.raises(ValueError, match="'ustar' is missing"):
        fm.ForcedColumn(bomex().drop_vars("ustar"))
    with pytest.raises(ValueError, match="neither z0 nor ustar"):
        fm.ForcedColumn(gabls1().drop_vars("z0"))
    with pytest.raises(ValueError, match="BulkExchange needs its own surface"):
        fm.ForcedColumn(bomex(), physics=["BulkExchange"])
    file = bomex().assign_attrs(radiation="on")
    file["aerosol"] = ("lev", np.ones(11))
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        fm.ForcedColumn(file, radiation=None)
    texts = " ".join(str(w.message) for w in said)
    assert "not used: aerosol" in texts and "computes none" in texts
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        fm.ForcedColumn(bomex())
    (tmp_path / "text.nc").write_text("no netCDF")
    status, _, wrong = box.fathom("column", "text.nc", "out.nc", folder=tmp_path)
    assert status == 2 and "cannot be read as netCDF" in wrong and "Traceback" not in wrong
