"""Carbon, alkalinity and oxygen: the chemistry of PyCO2SYS, fluxes into a column, what an ecosystem
does to them; what cannot be is refused.
"""

import numpy as np
import pytest

import fathom as fm
from fathom.base import mpi
from fathom.base.failure import InputError
from fathom.model.schemes import scheme

cases = np.array(
    [  # temperature, salinity, carbon, alkalinity [umol kg-1]
        (15.0, 35.0, 2100.0, 2300.0),
        (-1.5, 33.5, 2180.0, 2280.0),
        (28.0, 36.5, 1950.0, 2380.0),
        (5.0, 20.0, 1500.0, 1520.0),
        (20.0, 38.5, 2350.0, 2600.0),
        (12.0, 34.0, 2400.0, 2300.0),
        (10.0, 35.0, 1700.0, 2300.0),
    ]
)
density = 1026.0


def exchanged(name, **given):
    """What a scheme of exchange writes, by case: each is a column of one layer."""
    process = scheme(name).process(8)
    shapes = {"column": (1, -1), "layer": (1, 1, -1)}
    inputs = {
        f["name"]: np.reshape(given[f["name"]], shapes[f["vertical"]]).astype(float)
        if f["horizontal"] == "center"
        else np.array(given[f["name"]])
        for f in process.fields
        if f["access"] == "reads"
    }
    found = mpi.core.run_column(process, inputs, levels=1)
    return {
        f["name"]: np.ravel(found[f["name"]]) for f in process.fields if f["access"] == "writes"
    }


def surface(**tracers):
    count = len(cases)
    ones = np.ones(count)
    given = {
        "wind_speed": 7 * ones,
        "sea_ice_fraction": 0.25 * ones,
        "air_pressure": 101325 * ones,
        "northern_share": ones,
        "temperature": cases[:, 0],
        "salinity": cases[:, 1],
        "tracer_in_air": [400.0, 400.0],
    }
    return given | tracers


def test_the_chemistry_is_that_of_pyco2sys():
    """pH, and the partial pressure: Lueker's constants, Uppstrom's boron, no nutrients."""
    pyco2 = pytest.importorskip("PyCO2SYS")
    scale = density / 1000
    found = exchanged(
        "CarbonExchange",
        **surface(tracer=cases[:, 2] * scale, alkalinity=cases[:, 3] * scale),
    )
    theirs = pyco2.sys(
        cases[:, 3],
        cases[:, 2],
        1,
        2,
        temperature=cases[:, 0],
        salinity=cases[:, 1],
        opt_k_carbonic=10,
        opt_total_borate=1,
    )
    assert abs(found["sea_surface_ph"] - theirs["pH_total"]).max() < 2e-4
    np.testing.assert_allclose(found["sea_surface_carbon_dioxide"], theirs["pCO2"], rtol=1e-3)


def test_oxygen_at_saturation_stays():
    """Against Garcia & Gordon's saturation in gsw."""
    gsw = pytest.importorskip("gsw")
    saturated = np.array([gsw.O2sol_SP_pt(S, t) for t, S in cases[:, :2]]) * density / 1000
    at_rest = exchanged("OxygenExchange", **surface(tracer=saturated))["tracer_surface_flux"]
    without = exchanged("OxygenExchange", **surface(tracer=0 * saturated))["tracer_surface_flux"]
    assert (without > 0).all()
    assert abs(at_rest / without).max() < 2e-4


def test_the_flux_of_carbon_is_that_of_its_formula():
    """k F (x - p) at 20 degrees, where the Schmidt number is 668 (Wanninkhof 2014)."""
    given = surface(tracer=cases[:, 2], alkalinity=cases[:, 3])
    given["temperature"] = np.full(len(cases), 20.0)
    found = exchanged("CarbonExchange", **given)
    T, S = 293.15, cases[:, 1]
    K0 = np.exp(
        -60.2409
        + 93.4517 * 100 / T
        + 23.3585 * np.log(T / 100)
        + S * (0.023517 - 0.023656 * T / 100 + 0.0047036 * (T / 100) ** 2)
    )
    vapour = 0.0226  # of the pressure, over sea water of 20 degrees
    excess = 400 * (1 - vapour) - found["sea_surface_carbon_dioxide"]
    k = 0.251 * 49 * np.sqrt(660 / 668) * 1e-2 / 3600 * 0.75
    expected = k * K0 * 0.9968 * excess * 1e-6 * 1e3 * density
    np.testing.assert_allclose(found["tracer_surface_flux"], expected, rtol=0.02, atol=2e-8)


pools = ("nutrient", "phytoplankton", "zooplankton", "detritus")


def sea(depth=40, **parts):
    levels = fm.ZLevels(nz=4, depth=depth, spacing="uniform")
    grid = fm.CartesianGrid(nx=5, ny=4, extent=(5e4, 4e4), periodic=True, levels=levels)
    return fm.Ocean(
        grid, coriolis=(1e-4, 0), friction=fm.LaplacianFriction(viscosity=100.0), **parts
    )


def test_a_layer_comes_to_balance_with_the_air(tmp_path):
    """After two months of wind a shallow sea has the pressure of the air above it, and oxygen at
    saturation; what came in is what the sea has more.
    """
    model = sea(depth=8, tracers=["dissolved_inorganic_carbon", "alkalinity", "oxygen"])
    model.set(temperature=12.0, salinity=35.0, dissolved_inorganic_carbon=2250.0, alkalinity=2360.0)
    wind = fm.SurfaceForcing(wind_speed=16.0)
    sim = fm.Simulation(model, "3h", surface=wind, directory=tmp_path)
    sim.output("air.nc", ["sea_surface_carbon_dioxide", "sea_surface_ph"], every="5d")
    sim.output("flux.nc", "fgco2", every="5d", statistic="mean", dtype="float64")
    sim.prepare()
    first = sim.fields.content("dissolved_inorganic_carbon")
    sim.run("60d", report=False)
    with fm.open(tmp_path / "air.nc") as data:
        assert data.spco2.attrs["units"] == "1e-6 atm"
        assert float(data.spco2[1].mean()) > 450
        assert float(data.spco2[-1].mean()) == pytest.approx(400 * (1 - 0.0137), rel=3e-3)
        assert 8.0 < float(data.phos[-1].mean()) < 8.1
    with fm.open(tmp_path / "flux.nc") as data:
        came = float(data.fgco2.mean()) * 60 * 86400 * 20e8
    assert sim.fields.content("dissolved_inorganic_carbon") - first == pytest.approx(came, rel=1e-9)
    gsw = pytest.importorskip("gsw")
    saturated = float(gsw.O2sol_SP_pt(35.0, 12.0)) * density / 1000
    assert sim.gather("oxygen").mean() == pytest.approx(saturated, rel=1e-3)


def test_an_ecosystem_takes_carbon_and_gives_oxygen(tmp_path):
    """In the ratios of Redfield, cell by cell, without exchange with the air."""
    model = sea(
        tracers=[
            *(fm.PassiveTracer(name, units="mmol m-3") for name in pools),
            *("dissolved_inorganic_carbon", "alkalinity", "oxygen"),
        ],
        reactions=["NPZD", "RedfieldCarbon", fm.schemes.RedfieldOxygen(oxygen=10.0)],
        vertical_mixing=fm.ConstantMixing(diffusivity=0.0),
        budgets="alkalinity",
    )
    start = {"dissolved_inorganic_carbon": 2100.0, "alkalinity": 2300.0, "oxygen": 250.0}
    model.set(nutrient=8.0, phytoplankton=0.5, zooplankton=0.05, **start)
    light = fm.SurfaceForcing(shortwave_flux=200.0, wind_speed=0.0)
    sim = fm.Simulation(model, "30min", surface=light, directory=tmp_path)
    sim.advance(96)
    taken = sim.gather("nutrient") - 8.0
    assert taken.min() < -0.5
    ratios = {"dissolved_inorganic_carbon": 6.625, "alkalinity": -1.0, "oxygen": -10.0}
    for name, ratio in ratios.items():
        change = sim.gather(name) - start[name]
        np.testing.assert_allclose(change, ratio * taken, atol=1e-10)


def test_what_cannot_be_is_refused():
    with pytest.raises(InputError, match=r"Carbon needs the alkalinity.*add Alkalinity\(\)"):
        sea(tracers=["dissolved_inorganic_carbon"])
    with pytest.raises(InputError, match="changes oxygen, and the ocean has no such tracer"):
        sea(reactions=["RedfieldOxygen"])
    with pytest.raises(InputError, match="carbon_dioxide = -3 must lie between"):
        fm.Carbon(carbon_dioxide=-3)
    model = sea(tracers=[fm.Carbon(), fm.Alkalinity()])
    with pytest.raises(InputError, match="Carbon needs the wind above the sea"):
        fm.Simulation(model, "1h").prepare()
