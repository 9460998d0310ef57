"""Means, maxima and minima of what each step makes, against the values after each step."""

from pathlib import Path

import numpy as np
import pytest

import fathom as fm
from small_atmospheres import held_suarez
from small_spheres import sphere

at_the_ground = ["surface_air_pressure", "air_pressure_at_mean_sea_level"]
stores = {  # by name: variables, levels
    "own": (["air_temperature", *at_the_ground], None),
    "low": (["geopotential_height", "wind_speed"], [850, 500]),
    "warm": (["air_temperature"], {"potential_temperature": [330, 200]}),
}
kinds = [("mean", "own"), ("maximum", "own"), ("minimum", "low"), ("mean", "warm")]
models = {
    "spectral": lambda: held_suarez(5, 6, step="1800s", mountain=1000),
    "gridpoint": lambda: sphere(nx=16, ny=8, number=6),
}


@pytest.mark.parametrize("kind", models)
def test_of_what_each_step_makes(tmp_path: Path, kind: str) -> None:
    s = models[kind]()
    s.directory = tmp_path
    for name, (variables, levels) in stores.items():
        s.output(f"{name}.nc", variables, every=s.time_step, levels=levels, dtype="float64")
    for statistic, name in kinds:
        variables, levels = stores[name]
        how = {"statistic": statistic, "levels": levels, "dtype": "float64"}
        s.output(f"{statistic}-{name}.nc", variables, every=2 * s.time_step, **how)
    s.run(4 * s.time_step, progress=False, report=False)
    for statistic, name in kinds:
        steps, found = (fm.open(tmp_path / f"{n}.nc") for n in (name, f"{statistic}-{name}"))
        assert found.time.size == 2
        for variable in (str(n) for n, v in steps.data_vars.items() if "time" in v.dims):
            each = steps[variable].values[-4:]
            each = each.reshape(2, 2, *each.shape[1:])
            wanted = {"mean": np.mean, "maximum": np.max, "minimum": np.min}[statistic](each, 1)
            error = np.nanmax(np.abs(found[variable].values - wanted))
            assert error <= 1e-14 * np.nanmax(np.abs(each)), (statistic, variable)
            assert (np.isnan(found[variable].values) == np.isnan(wanted)).all()


@pytest.mark.filterwarnings("ignore:output mean.nc")
def test_a_restart_within_the_interval(tmp_path: Path) -> None:
    def simulation(folder: str) -> fm.Simulation:
        s = models["spectral"]()
        s.directory = tmp_path / folder
        s.output("mean.nc", at_the_ground, every=2 * s.time_step, statistic="mean")
        return s

    whole, cut = simulation("whole"), simulation("cut")
    whole.run(2 * whole.time_step, progress=False, report=False)
    cut.run(cut.time_step, progress=False, report=False)
    rest = simulation("cut").restore(tmp_path / "cut" / "restart.fathom")
    rest.run(rest.time_step, progress=False, report=False)
    one, two = (fm.open(tmp_path / folder / "mean.nc") for folder in ("whole", "cut"))
    assert one.identical(two) and one.time.size == 1
