"""Cycles of a small limited area: what data do, and mistakes in the file."""

from pathlib import Path

import numpy as np
import pytest

from fathom.assimilation.cycle import area, report

source = Path(__file__).parents[2] / "experiments" / "osse-area.toml"
small = [
    "area.resolution=100e3",
    "area.points=[30, 26]",
    "area.coupling=6",
    "area.levels=4",
    'area.step="30min"',
    "observations.places=20",
    "assimilation.iterations=8",
    "cycle.windows=2",
]


def test_data_find_the_truth(tmp_path):
    """The analysis is nearer to the truth than its background, and than a forecast without data;
    departures shrink.
    """
    cycles = area.AreaCycles(area.read(source, small), tmp_path)
    first, second = cycles.run("3d-var")
    assert first["analysis"]["energy"] < 0.8 * first["background"]["energy"]
    assert second["analysis"]["energy"] < 0.8 * second["free"]["energy"]
    assert second["residual"] < second["departure"] < first["departure"]
    assert "without data" in report.text({"3d-var": [first, second]})[-1]


@pytest.mark.parametrize(
    "more",
    [
        ["inner.resolution=200e3", 'inner.step="1h"'],
        pytest.param(
            ['area.dynamics="non-hydrostatic"', "cycle.windows=1"], marks=pytest.mark.long
        ),
    ],
)
def test_four_dimensional(tmp_path, more):
    """4D-Var knows what moves in the window: its analysis is better than that of FGAT, with inner
    loops on fewer points, and of compressible air.
    """
    settings = [*small, 'assimilation.methods=["fgat", "4d-var"]', *more]
    cycles = area.AreaCycles(area.read(source, settings), tmp_path)
    energy = {m: cycles.run(m)[-1]["analysis"]["energy"] for m in ("fgat", "4d-var")}
    assert energy["4d-var"] < 0.95 * energy["fgat"]


@pytest.mark.parametrize(
    "resolution, message",
    [
        (150e3, "must be a whole multiple of that of the area, 100000 m"),
        (700e3, "a plane of 60 × 60 points has no plane of 7 times fewer with the same sides"),
    ],
)
def test_inner_areas_that_do_not_fit(resolution, message):
    with pytest.raises(ValueError, match=message):
        area.coarser(area.read(source, small).area.grid, resolution)


@pytest.mark.parametrize(
    "setting, message",
    [
        ("area.resoluton=1e5", "no key 'resoluton'; did you mean 'resolution'"),
        ('assimilation.methods=["eda"]', "'eda' of a limited area; allowed are 3d-var, fgat, 4d"),
        ('assimilation.window="90min"', "no step in its middle"),
        ('observations.every="45min"', "'45min' is no multiple of step = '30min'"),
        ("nature.levels=7", r"no table \[nature\]"),
    ],
)
def test_mistakes_have_their_place(setting, message):
    with pytest.raises(ValueError, match=message):
        area.read(source, [*small, setting])


@pytest.mark.long
def test_stopped_and_gone_on_is_the_same(tmp_path):
    """The same numbers and the same arrays, with another method in between; another experiment
    takes another directory.
    """
    made = lambda windows, name, *more: area.AreaCycles(
        area.read(source, [*small, f"cycle.windows={windows}", *more]), tmp_path / name
    )
    whole = made(2, "whole").run("3d-var")
    made(1, "parts").run("3d-var")
    (tmp_path / "parts/3d-var/window-0001.part.npz").write_bytes(b"half a file")
    parts = made(2, "parts")
    assert parts.run("3d-var") == whole and len(parts.seconds["3d-var"]) == 2
    for name in ("3d-var/window-0001.npz", "truth/window-0001.npz"):
        one, other = (np.load(tmp_path / of / name) for of in ("whole", "parts"))
        for field in set(one.files) - {"seconds"}:
            np.testing.assert_array_equal(one[field], other[field])
    with pytest.raises(ValueError, match="holds another experiment"):
        made(2, "parts", "observations.places=21")
