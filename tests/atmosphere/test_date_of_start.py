"""A forecast starts from the record of a state that is of its date, and says when there is none
near.
"""

import functools
import warnings

import numpy as np
import pytest
import xarray as xr

import fathom as fm
from fathom.data import atmosphere

noon = np.array(["2011-10-11T00", "2011-10-11T06"], "M8[ns]")


@functools.cache
def two_times():
    """The embedded state, and the same with 5 m/s more from the west six hours later."""
    first = atmosphere.gfs()
    second = first.assign(eastward_wind=first.eastward_wind + 5)
    both = xr.concat([one.drop_vars("time") for one in (first, second)], "time")
    fixed = [n for n in first.data_vars if "latitude" in first[n].dims and n != "eastward_wind"]
    return both.assign({n: first[n] for n in fixed if n in first}).assign_coords(time=noon)


@pytest.mark.parametrize("kind", ["spectral", pytest.param("grid-point", marks=pytest.mark.long)])
def test_the_record_of_the_date(tmp_path, kind):
    def started(date, **own):
        if kind == "spectral":
            grid = fm.GaussianGrid(truncation=5, levels=fm.HybridLevels("L8"))
            model = fm.SpectralAtmosphere(grid, physics=fm.BasicPhysics())
        else:
            grid = fm.LatitudeLongitudeGrid(
                nx=16, ny=8, staggering="C", levels=fm.HeightLevels(nz=6, top=20e3)
            )
            model = fm.GridPointAtmosphere(grid, physics=fm.BasicPhysics())
        model.set(analysis=two_times()).set(**own)
        made = fm.Simulation(model, "10min", start=date, directory=tmp_path, overwrite=True)
        return made.prepare()

    with warnings.catch_warnings(action="error"):
        first, second = (started(f"2011-10-11 {hour}:00") for hour in ("00", "06"))
    (wind,) = {"eastward_wind", "x_wind"} & {*first.model.prognostic}
    a, b = (one.gather(wind) for one in (first, second))
    assert (b - a).mean() == pytest.approx(5, abs=0.5)
    own = started("2011-10-11 06:00", snow_amount=3.0)
    assert own.model.initial["snow_amount"] == 3.0
    with pytest.warns(UserWarning, match="the state given is of 2011-10-11 00:00:00, this run"):
        started("2003-10-11")
