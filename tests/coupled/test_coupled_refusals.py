"""What a coupled system refuses before it takes memory, with both values."""

import numpy as np
import pytest
import xarray as xr

import fathom as fm
from small_earth import sea, small


def air(**how):
    globe = fm.GaussianGrid(10, levels=fm.SigmaLevels(5))
    physics = fm.BasicPhysics(land="TiledLand")
    model = fm.SpectralAtmosphere(globe, physics=physics).set(air_temperature=280.0)
    return fm.Simulation(model, "30min", **how) if how else model


@pytest.mark.parametrize(
    "how, text",
    [
        ({"time_step": {"atmosphere": "35min", "ocean": "1h"}}, "every = 1 h .* 35 min"),
        ({"time_step": {"atmosphere": "30min"}}, "no step of the ocean"),
        ({"time_step": "30min", "every": "45min"}, "every = 45 min is no whole number of steps"),
        ({"time_step": "30min", "budget": "100min", "every": "1h"}, "budget = 100min is no whole"),
        ({"time_step": "30min", "order": "beside"}, "unknown order 'beside'"),
    ],
)
def test_steps_that_do_not_fit(tmp_path, how, text):
    with pytest.raises(fm.InputError, match=text):
        fm.Coupled(air(), sea(), directory=tmp_path, rivers=False, **how)


def test_other_calendars(tmp_path):
    with pytest.raises(fm.InputError, match="'noleap', ocean at 2000-01-01 .* in 'standard'"):
        fm.Coupled(air(calendar="noleap"), sea(), {"ocean": "1h"}, directory=tmp_path, rivers=False)


def test_a_restart_of_other_components(tmp_path):
    both = small(tmp_path)
    both.run("1h", progress=False, report=False)
    with pytest.raises(fm.InputError, match=r"written with programs = \['atmosphere', 'ocean'\]"):
        small(tmp_path, rivers=True).restore()


def test_records_that_end_too_early(tmp_path):
    times = xr.date_range("2000-01-01", periods=3, freq="MS", use_cftime=True)
    flux = xr.DataArray(
        np.zeros((3, 16, 32)),
        {"time": times, "lat": np.linspace(-85, 85, 16), "lon": np.arange(0, 360, 11.25)},
        ("time", "lat", "lon"),
        "q_flux",
        {"units": "W m-2"},
    )
    slab = fm.SlabOcean(30.0, q_flux=flux)
    model = air().set(land_fraction=0.3)
    both = fm.Coupled(model, slab, "30min", budget="30min", directory=tmp_path)
    with pytest.raises(fm.InputError, match="records of q_flux .* 2000"):
        both.run("1y", progress=False, report=False)
