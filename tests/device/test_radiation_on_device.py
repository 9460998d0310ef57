"""RRTMGP has the same bits on a device, in all columns and in samples of them: on a GPU where there
is one, else on the processor in the part of a device, where a thread has one g point as there.
"""

from pathlib import Path

import numpy as np
import pytest

import computers
import fathom as fm
from cloudy_columns import cloudy_column, levels
from fathom.base import mpi
from small_ecckd import definition

script = Path(__file__).parents[1] / "radiation" / "cloudy_atmosphere.py"


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize(
    "options",
    [{}, {"angles": 0}, {"angles": 4, "overlap": "homogeneous"}, {"overlap": "maximum-random"}],
)
def test_same_bits_of_columns(options, dtype):
    same_bits(fm.RRTMGP(**options), dtype)


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("angles", [0, 1])
def test_same_bits_with_tables_by_gas(angles, dtype, tmp_path):
    for kind in ("lw", "sw"):
        definition(tmp_path / f"{kind}.nc", kind, points=11)
    paths = {"longwave": tmp_path / "lw.nc", "shortwave": tmp_path / "sw.nc"}
    same_bits(fm.RRTMGP(**paths, angles=angles), dtype)


def same_bits(scheme, dtype):
    some = {name: values.astype(dtype) for name, values in cloudy_column().items()}
    some["cloud_fraction"] = some["cloud_fraction"] * np.linspace(0, 1, 8, dtype=dtype)
    process = scheme.process(np.dtype(dtype).itemsize)
    here = mpi.core.run_column(process, some, levels)
    there = mpi.core.run_column(process, some, levels, computers.computer())
    assert len(here) == 7 and np.ptp(here["longwave_flux"]) > 100
    for field in here:
        np.testing.assert_array_equal(here[field], there[field], err_msg=field)


def cloudy_air(spacing, device):
    model = fm.SpectralAtmosphere(
        fm.GaussianGrid(10, levels=fm.SigmaLevels(8)),
        physics=fm.BasicPhysics(
            radiation="RRTMGP", radiation_every="2h", radiation_spacing=spacing
        ),
    )
    model.set(
        air_temperature=lambda lon, lat, p: 285 * (p / 1e5) ** 0.15 + 5 * np.cos(np.deg2rad(lon)),
        specific_humidity=lambda lon, lat, p: 9e-3 * (p / 1e5) ** 3,
    )
    return fm.Simulation(model, "1h", start="2000-03-21", parallel={"device": device})


@pytest.mark.parametrize("spacing", [None, 2])
def test_same_bits_of_an_atmosphere(spacing):
    found = []
    for device in (None, computers.name):
        s = cloudy_air(spacing, device)
        s.advance(4)
        found.append(s.checksum())
    assert found[0] == found[1]
    shown = dict(s.describe()[1])["device"]
    assert "RRTMGP" not in ", ".join(shown)


def test_samples_travel_between_ranks(on_ranks):
    """What ranks need from each other."""
    options = ("fp32", "2", "none", "10", "3")
    alone = on_ranks(1, script, *options)
    assert on_ranks(2, script, *options, "processor")["checksum"] == alone["checksum"]
