"""Increments of the surface analysis in a restart: where they belong, the same file on any ranks,
and a run continues from it.
"""

from pathlib import Path

import numpy as np
import pytest

import fathom as fm
from fathom.assimilation.cycle import surface_analysis as analysis
from fathom.assimilation.observations import base, surface
from fathom.assimilation.observations.base import Observations
from fathom.atmosphere.remap.given_state import described_geometry
from fathom.output.formats import restart


def test_increments_reach_ground_snow_and_sea(on_ranks):
    script = Path(__file__).with_name("analysis_for_a_run.py")
    one, two = (on_ranks(n, script) for n in (1, 2))
    assert one == two and one["steps"] == 2
    assert [one["told"][name]["data"] for name in analysis.handed] == [19, 19, 20, 20]
    soil = [f"soil_temperature_{k}" for k in (1, 2, 3, 4)]
    assert set(one["span"]) == {
        "ground_temperature", *soil, "snow_amount", "sea_surface_temperature",
        *(f"soil_water_{k}" for k in (1, 2, 3)),
    }  # fmt: skip
    assert -10 < one["span"]["soil_water_2"][0] < -1 and one["most_water"] <= 0  # warm and dry
    most = [one["span"][name][1] for name in ("ground_temperature", *soil)]
    assert 1.5 < most[0] < 3.1 and most == sorted(most, reverse=True) and most[-1] > 0
    assert -21 < one["span"]["snow_amount"][0] < -5 and one["span"]["snow_amount"][1] <= 0
    assert 1 < one["span"]["sea_surface_temperature"][1] < 2.1
    assert one["soil_at_sea"] == one["sea_on_land"] == 0
    for told in (one["told"][name] for name in analysis.handed):
        assert told["rms_analysis"] < told["rms_background"]


def test_bad_input(tmp_path):
    header = restart.Header(0.0, "2018-11-20 00:00:00", "standard", 0, "float64", {})
    restart.write(tmp_path / "x.fathom", {"a": np.zeros((1, 2, 2))}, header)
    base.write(Observations(value=[1.0]), tmp_path / "b.parquet")
    with pytest.raises(ValueError, match="has no geometry"):
        analysis.analyse(tmp_path / "b.parquet", tmp_path / "x.fathom", tmp_path / "y.fathom")
    with pytest.raises(FileNotFoundError, match=r"z\.fathom does not exist"):
        analysis.analyse(tmp_path / "b.parquet", tmp_path / "z.fathom", tmp_path / "y.fathom")


def test_on_an_area(tmp_path):
    """Increments lie in the area alone, not where it is continued to be periodic."""
    levels = fm.HybridLevels(4)
    grid = fm.LimitedAreaGrid((10.0, 50.0), resolution=50e3, points=(24, 20), levels=levels)
    model = fm.LimitedAreaAtmosphere(grid, outer="initial")
    header = restart.Header(
        0.0,
        "2018-06-20 12:00:00",
        "standard",
        0,
        "float64",
        {},
        {"geometry": described_geometry(model)},
    )
    shape = (1, *model.grid.size[::-1])
    kept = ("deep_ground_temperature", "ground_temperature", "soil_moisture", "snow_amount")
    fields = dict(zip(kept, (290.0, 290.0, 75.0, 0.0))) | {
        "land_fraction": 1.0, "surface_geopotential": 0.0,
    }  # fmt: skip
    fields = {name: np.full(shape, value) for name, value in fields.items()}
    restart.write(tmp_path / "x.fathom", fields, header)
    n = 12
    made = Observations(
        report=np.arange(n), kind=np.full(n, "synop"), time=np.full(n, 1529496000),
        longitude=np.linspace(6, 14, n), latitude=np.full(n, 50.0), height=np.zeros(n),
        variable=np.full(n, "air_temperature"), value=np.full(n, 292.0),
        background_departure=np.full(n, 2.0),
    )  # fmt: skip
    base.write(made, tmp_path / "b.parquet")
    told = analysis.analyse(*(tmp_path / n for n in ("b.parquet", "x.fathom", "y.fathom")))
    assert told["air_temperature"]["points"] == 24 * 20
    with restart.read(tmp_path / "y.fathom") as file:
        change = {name: file[name][0] - fields[name][0] for name in file.names}
    inside = model.grid.wet_levels > 0
    warm, water = change["ground_temperature"], change["soil_moisture"]
    assert warm.max() > 1 and (warm[~inside] == 0).all()
    assert -40 < water.min() < -5 and (water[~inside] == 0).all() and water.max() <= 0


def test_wetness():
    """Warm and dry is too little water; nothing at night; more data tell more."""
    told = surface.wetness_increments
    assert told(2.0, 0.0, 0.8) < 0 < told(0.0, 0.1, 0.8) and told(2.0, -0.1, 0.0) == 0
    assert told(2.0, -0.1, 0.8) < told(2.0, 0.0, 0.8)
    assert abs(told(1e-6, 0, 1.0)) < 1e-6  # K per unit: less than the inverse sensitivity
