"""The archive for learned models: the numbers of the stores, and their normalisation."""

import numpy as np
import pytest
import zarr

import fathom as fm
from fathom.base.failure import ExistingFileError, InputError
from fathom.output.post import archive


def test_an_ensemble_becomes_one_array(tmp_path):
    grid = fm.GaussianGrid(10, levels=fm.SigmaLevels(6))
    model = fm.SpectralAtmosphere(grid, physics=[fm.HeldSuarez()])
    model.set(air_temperature=lambda x, y, p: 290 - 40 * np.sin(np.radians(y)) ** 2 + 0 * x * p)
    many = fm.Ensemble(2, perturbation={"air_temperature": 0.5})
    s = fm.Simulation(model, "30min", directory=tmp_path, ensemble=many)
    s.output("levels.zarr", ["air_temperature"], every="1h", levels=[850, 500])
    s.output("surface.zarr", ["surface_air_pressure"], every="1h")
    s.run("2h", report=False, progress=False)
    stores = [tmp_path / "levels.zarr", tmp_path / "surface.zarr"]
    made = archive.make(stores, tmp_path / "food.zarr")
    food, first = zarr.open_group(tmp_path / "food.zarr", mode="r"), fm.open(stores[0])
    names = food.attrs["variables"]
    assert food["data"].shape == (made["times"], len(names), 2, 16 * 32)
    assert food["data"].chunks == (1, *food["data"].shape[1:])
    there = food["data"][:, names.index("ta_500")]
    stored = first.ta.sel(plev=500, method="nearest") if "plev" in first.dims else first.ta[:, :, 1]
    assert np.array_equal(there.reshape(stored.shape), stored.values)
    n = names.index("ta_500")
    assert np.isclose(food["mean"][n], there.astype(float).mean(), rtol=1e-9)
    assert np.isclose(food["stdev"][n], there.astype(float).std(), rtol=1e-6)
    assert "cos_latitude" in food.attrs["constant_fields"]
    with pytest.raises(ExistingFileError, match="--overwrite"):
        archive.make(stores, tmp_path / "food.zarr")
    with pytest.raises(InputError, match="is in two of the stores"):
        archive.make([stores[1], stores[1]], tmp_path / "twice.zarr")
