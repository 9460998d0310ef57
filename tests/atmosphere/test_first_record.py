"""A record at the start has what the first step computes from it: wind at 10 m, fluxes at the
ground. The run itself is the same.
"""

import numpy as np
import pytest

import fathom as fm

levels = fm.SigmaLevels(8)
air = {
    "air_temperature": lambda lon, lat, p: 210 + 80 * (p / 1e5) ** 0.3,
    "eastward_wind": lambda lon, lat, p: 10 * np.cos(np.deg2rad(lat)),
    "specific_humidity": lambda lon, lat, p: 0.03 * (p / 1e5) ** 3,
}
models = {
    "spectral": lambda **how: fm.SpectralAtmosphere(fm.GaussianGrid(10, levels=levels), **how),
    "eulerian": lambda **how: fm.SpectralAtmosphere(
        fm.GaussianGrid(10, levels=levels), scheme="eulerian", **how
    ),
    "gridpoint": lambda **how: fm.GridPointAtmosphere(
        fm.LatitudeLongitudeGrid(24, 12, levels=fm.HeightLevels(10, top=20e3)), **how
    ),
}
of_steps = ["hfss", "evaporation_flux", "uas", "tas", "outgoing_longwave"]


def run(kind, directory, with_first=True):
    model = models[kind](physics=fm.BasicPhysics())
    if not with_first:
        vars(model)["phases_of_start"] = ()
    simulation = fm.Simulation(model.set(**air), time_step="10min", directory=directory)
    simulation.output("a.zarr", [*of_steps, "pr", "ua"], every="10min")
    simulation.run("20min", progress=False, report=False)
    with fm.open(directory / "a.zarr") as data:
        return simulation.checksum(), data.load()


@pytest.mark.parametrize("kind", models)
def test_the_first_record_is_complete(tmp_path, kind):
    checksum, data = run(kind, tmp_path / "with")
    for name in of_steps[:2]:
        first, second = data[name][0].values, data[name][1].values
        assert np.isfinite(first).all() and first.std() > 0
        assert (first == second).all()  # of the state at the start
    for name in of_steps[2:]:
        assert data[name][0].values == pytest.approx(data[name][1].values, abs=5)
        assert np.isfinite(data[name][0]).all()
    assert (data.pr[0] == 0).all() and "nothing has fallen" in data.pr.comment
    assert data.pr[1:].max() > 0
    assert np.isfinite(data.ua[0]).all()
    without, data = run(kind, tmp_path / "without", with_first=False)
    assert checksum == without and np.isnan(data.hfss[0]).all()
