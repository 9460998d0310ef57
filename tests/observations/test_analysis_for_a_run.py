"""Increments of the surface analysis in a restart: where they belong, the same file on any ranks,
and a run goes on from it.
"""

from pathlib import Path

import numpy as np
import pytest

from fathom.observations import base
from fathom.observations.base import Observations
from fathom.output.formats import restart
from fathom.run import surface_analysis as analysis


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
