"""Radiation of a column of a case by its own state: fluxes and heating, clouds, the air above, and
where it is not wanted.
"""

import warnings

import numpy as np
import pytest

import fathom as fm
from driver_files import bomex
from fathom.atmosphere.column import radiation as column_radiation
from fathom.atmosphere.column.driver_file import DriverFile

heat_capacity = 3.5 * 287.0597
sheet = ["TKE", "VerticalDiffusion", "WarmMicrophysics"]


def stratocumulus(hour=0):
    """A layer of cloud under a strong inversion, over a sea of 292.5 K, at 25 N in July."""
    file = bomex().drop_vars(["tntheta_rad", "tnqt_adv", "wa", "wpthetap_s", "wpqtp_s", "ug", "vg"])
    off = {"forc_geo": 0, "forc_wa": 0, "adv_qt": 0, "case": "SHEET", "radiation": "on"}
    off |= {"surface_forcing_temp": "none", "surface_forcing_moisture": "none"}
    z = file["zh"].values[0]
    thetal, water = np.where(z > 800, 300 + 5e-3 * (z - 800), 290.0), np.where(z > 800, 4e-3, 0.01)
    file["thetal"], file["qt"] = (("t0", "lev"), thetal[None]), (("t0", "lev"), water[None])
    file["ts_forc"] = ("time", [292.5, 292.5])
    since = {"units": f"seconds since 2006-07-15 {hour:02}:00:00"}
    file["t0"].attrs, file["time"].attrs = since, since
    file["lat"] = ("t0", [25.0])
    return file.assign_attrs(off)


def run(case):
    return case.run("1h", every="1h")


def test_cloud_cools_at_its_top_and_shades_the_ground():
    heights = np.linspace(0, 1500, 31)
    cloudy = fm.ForcedColumn(stratocumulus(12), heights, sheet, time_step="5min", radiation="10min")
    end = run(cloudy).isel(time=-1)
    assert end.sizes["height"] == 30 and end.height[-1] < 1500
    assert 0.02 < end.cloud_liquid_water_path < 0.3 and end.cloud_fraction.max() > 0.5
    assert 220 < end.outgoing_longwave < 320
    assert end.toa_net_shortwave > end.surface_net_shortwave > 50
    clear = fm.ForcedColumn(
        stratocumulus(12), heights, ["TKE", "VerticalDiffusion"], time_step="5min"
    )
    clear.column.set(specific_humidity=0.5 * clear.column["specific_humidity"])
    bright = run(clear).isel(time=-1)
    assert bright.surface_net_shortwave > end.surface_net_shortwave + 100
    assert bright.surface_downward_longwave < end.surface_downward_longwave - 20
    night = fm.ForcedColumn(stratocumulus(0), heights, sheet, time_step="5min", radiation="10min")
    first, last = (run(night).isel(time=n) for n in (0, -1))
    assert last.toa_net_shortwave == 0
    cooled = (last.air_potential_temperature - first.air_potential_temperature).values
    top = (last.cloud_liquid_water.values > 1e-5).nonzero()[0][-1]
    assert cooled[top - 4 : top + 2].min() < -0.3 and abs(cooled[-4:]).max() < 0.3


def test_the_air_takes_what_passes_its_ends():
    """c_p T of the case and of what lies above it gains in a step what enters and does not leave;
    then the air above is put back."""
    case = fm.ForcedColumn(bomex_that_radiates(), np.linspace(0, 3000, 31), [])
    column = case.column
    before = column["air_temperature"].copy()
    column.advance(1)
    gained = heat_capacity * column.mass @ (column["air_temperature"] - before) / column.time_step
    emission = 5.670374419e-8 * float(column["surface_temperature"]) ** 4
    record = case._record()
    expected = record["toa_net_shortwave"] - record["outgoing_longwave"]
    expected -= record["surface_net_shortwave"] + record["surface_downward_longwave"] - emission
    assert gained == pytest.approx(expected, abs=1e-6)
    above = slice(0, case.inside.start)
    held = before[above].copy()
    case.advance("10min")
    np.testing.assert_allclose(case.column["air_temperature"][above], held, atol=0.5)


def bomex_that_radiates():
    file = bomex().assign_attrs(radiation="on")
    file["ts_forc"] = ("time", [300.4, 300.4])
    return file


def test_air_above_a_file_that_ends_at_3_km():
    file = DriverFile(bomex())
    heights = column_radiation.with_interfaces_above(np.linspace(0, 3000, 31))
    air = column_radiation.AirAbove(file, heights[30:])
    assert 45e3 <= heights[-1] < 48e3 and air.z.size == heights.size - 31
    assert (np.diff(air.pressure) < 0).all() and 50 < air.pressure[-1] < 250
    tropopause = air.temperature.argmin()
    assert air.temperature[tropopause] == 217 and 12e3 < air.z[tropopause] < 20e3
    assert air.temperature[-1] > 235 and (air.humidity >= 3e-6).all()
    lapse = -np.diff(air.temperature)[:5] / np.diff(air.z)[:5]
    np.testing.assert_allclose(lapse, 6.5e-3, rtol=1e-9)


def test_radiation_may_be_left_out_and_one_column_is_as_any():
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        fm.ForcedColumn(bomex_that_radiates(), radiation=None)
    assert any("this column computes none" in str(w.message) for w in said)
    one, eight = (
        fm.SingleColumn(
            fm.HybridLevels(8), fm.BasicPhysics(radiation="RRTMGP", drag=None), latitude=latitude
        )
        for latitude in (20.0, [20.0] * 8)
    )
    for column in (one, eight):
        column.set(air_temperature=280.0, sea_surface_temperature=290.0).advance(2)
    np.testing.assert_array_equal(one["air_temperature"], eight["air_temperature"][:, 3])
