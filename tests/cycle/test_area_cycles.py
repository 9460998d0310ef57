"""Cycles of a small limited area: what data do, and mistakes in the file."""

from pathlib import Path

import pytest

from fathom.cycle import area, report

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
    "setting, message",
    [
        ("area.resoluton=1e5", "no key 'resoluton'; did you mean 'resolution'"),
        ('assimilation.methods=["4d-var"]', "'4d-var' of a limited area.*has no tangent"),
        ('assimilation.window="90min"', "no step in its middle"),
        ('observations.every="45min"', "'45min' is no multiple of step = '30min'"),
        ("nature.levels=7", r"no table \[nature\]"),
    ],
)
def test_mistakes_have_their_place(setting, message):
    with pytest.raises(ValueError, match=message):
        area.read(source, [*small, setting])
