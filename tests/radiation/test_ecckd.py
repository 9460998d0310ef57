"""Definitions of ecCKD: a small one, made here, against the formula of its optical depth; the
published ones against line-by-line fluxes, where ECRAD_DATA is a folder with these files
(docs/results/radiation_ecrad.py).
"""

import os
from pathlib import Path

import netCDF4
import numpy as np
import pytest

from fathom.atmosphere.radiation import Tables, longwave, shortwave
from small_ecckd import definition


def air(layers=30, temperature=None):
    interface = np.linspace(0, 1, layers + 1) ** 2 * 1e5
    p = 0.5 * (interface[1:] + interface[:-1])
    T = np.linspace(200, 300, layers) if temperature is None else np.full(layers, temperature)
    return {
        "interface_pressure": interface[None],
        "pressure": p[None],
        "temperature": T[None],
        "interface_temperature": np.append(T[:1], T)[None],
        "surface_temperature": T[-1],
        "cosine_zenith": 0.6,
        "gases": {
            "h2o": (1e-2 * (p / 1e5) ** 4)[None],
            "co2": 4e-4,
            "o3": 1e-6,
            "ch4": 1.8e-6,
        },
    }


def depth(d, column):
    """Optical depth (layer, g) as the publication has it."""
    p, T = column["pressure"][0], column["temperature"][0]
    x = {n: np.broadcast_to(np.asarray(v), (1, len(p)))[0] for n, v in column["gases"].items()}
    ratio = 0.018016 / 0.028964
    dry = np.diff(column["interface_pressure"][0]) / (9.80665 * (0.028964 + 0.018016 * x["h2o"]))
    moles = dry * (1 + ratio * x["h2o"])
    at_p = np.clip(np.log(p / d["pressure"][0]) / np.log(d["pressure"][1] / d["pressure"][0]), 0, 6)
    i, cold = np.minimum(at_p.astype(int), 5), d["temperature"][0].astype(float)
    a = at_p - i
    at_T = np.clip((T - (1 - a) * cold[i] - a * cold[i + 1]) / 25, 0, 3)
    j = np.minimum(at_T.astype(int), 2)
    b = at_T - j

    def of(table):  # (temperature, pressure, g)
        low = (1 - a)[:, None] * table[j, i] + a[:, None] * table[j, i + 1]
        high = (1 - a)[:, None] * table[j + 1, i] + a[:, None] * table[j + 1, i + 1]
        return (1 - b)[:, None] * low + b[:, None] * high

    def k(gas):
        return of(d[f"{gas}_molar_absorption_coeff"].astype(float))

    tau = moles[:, None] * k("composite")
    tau += (x["o3"] * dry)[:, None] * k("o3") + (x["co2"] * dry)[:, None] * k("co2")
    tau += (x["ch4"] * dry - 1.9e-6 * moles)[:, None] * k("ch4")
    fraction = x["h2o"] * dry / moles
    at_x = np.clip(np.log(np.maximum(fraction, 1e-7) / 1e-7) / np.log(1e3), 0, 2)
    n = np.minimum(at_x.astype(int), 1)
    water = np.stack([of(t.astype(float)) for t in d["h2o_molar_absorption_coeff"]])
    rows, share = np.arange(len(p)), (at_x - n)[:, None]
    tau += (x["h2o"] * dry)[:, None] * ((1 - share) * water[n, rows] + share * water[n + 1, rows])
    return np.maximum(tau, 0), moles


def test_optical_depth(tmp_path):
    """The beam that arrives is that of the formula; nothing is gained by scattering."""
    d = definition(tmp_path / "sw.nc", "sw")
    tables, column = Tables(tmp_path / "sw.nc"), air()
    tau, moles = depth(d, column)
    tau += moles[:, None] * d["rayleigh_molar_scattering_coeff"]
    wanted = [0.6 * d["solar_irradiance"] @ np.exp(-tau[:n].sum(0) / 0.6) for n in range(31)]
    for precision, tolerance in (("fp64", 1e-4), ("fp32", 3e-3)):
        _, down, beam = shortwave(tables, column, precision=precision)
        np.testing.assert_allclose(beam[0], wanted, atol=tolerance)
        assert (down >= beam - 1e-3).all() and beam[0, -1] < 0.95 * beam[0, 0]
    bright = Tables(tmp_path / "sw.nc", total_irradiance=1.0)
    assert shortwave(bright, column)[1][0, 0] == pytest.approx(0.6)


def test_emission_and_particles(tmp_path):
    """Air as warm as a black ground emits as it; clouds and aerosols absorb by g point."""
    definition(tmp_path / "lw.nc", "lw")
    tables, column = Tables(tmp_path / "lw.nc"), air(temperature=280.0)
    for angles in (0, 1):
        up, down = longwave(tables, column, angles=angles)
        np.testing.assert_allclose(up, 5.67e-8 * 280**4, rtol=1e-5)
        assert down[0, 0] == 0 and 0 < down[0, -1] < up[0, -1]
    one = np.ones((1, 30))
    cloud = {"cloud_fraction": one, "liquid_path": 50 * one, "ice_path": 0 * one}
    cloud |= {"droplet_radius": 10 * one, "ice_diameter": 60 * one}
    overcast = longwave(tables, column | cloud)[1][0, -1]
    assert overcast == pytest.approx(5.67e-8 * 280**4, rel=1e-3)
    dust = {"aerosols": {"dust3": 1e-4 * one}, "relative_humidity": 0.5 * one}
    assert down[0, -1] < longwave(tables, column | dust)[1][0, -1] < overcast


def test_damaged_definitions(tmp_path):
    definition(tmp_path / "sw.nc", "sw")
    with netCDF4.Dataset(tmp_path / "sw.nc", "a") as file:
        file.renameVariable("o3_conc_dependence_code", "other")
    with pytest.raises(ValueError, match="without o3"):
        Tables(tmp_path / "sw.nc")
    with netCDF4.Dataset(tmp_path / "empty.nc", "w"):
        pass
    with pytest.raises(ValueError, match="kmajor"):
        Tables(tmp_path / "empty.nc")


def test_line_by_line():
    """The definitions of ecRad, where they are: 50 columns of CKDMIP."""
    folder = Path(os.environ.get("ECRAD_DATA", "nowhere"))
    name = "ecckd-1.0_lw_climate_fsck-32b_ckd-definition.nc"
    if not (folder / name).is_file():
        pytest.skip("ECRAD_DATA has no definitions of ecCKD")
    import radiation_ecrad as ecrad

    columns, _, (up, down, *_) = ecrad.ckdmip(folder)
    tables = Tables(folder / name, clouds=None, aerosols=None)
    found = longwave(tables, columns | {"gases": ecrad.known(tables, columns["gases"])}, angles=4)
    assert abs((found[0] - up)[:, 0]).mean() < 0.5
    assert abs((found[1] - down)[:, -1]).mean() < 1.5
