"""AROME-France on other machines: the cost of a measured step of AROME there, as on its page."""

from pathlib import Path

import pytest

from fathom.performance.scaling import load, spectral
from fathom.performance.scaling.conditions import Conditions

page = Path(__file__).parents[2] / "docs" / "results" / "limited-area.md"
# of `fathom scale experiments/arome-france.toml --measure experiments/arome-alps.toml ...` on two
# cores of an AMD EPYC: that of the page
cost = spectral.Cost(
    ranks=1, threads=1, seconds=0.3535, step=60.0, bytes=4, traffic=0.0, levels=41, points=23064.8,
    row_points=25920.0, sums_of_waves=8640.0, coefficients=4396.0, entries=17280.0,
    columns=0.2560, fourier=0.04063, legendre=0.01830, waves=0.03842, packing=0.0,
    batches=20.0, entry=8960.0, halos=6.0, halo=656.0, reach=2, sums=3.0, words=3,
)  # fmt: skip
here = load("cray-ex").but(
    {
        "node.cores": 2,
        "node.multiply_add": 5.77e10,
        "node.triad_of_core": 2.47e10,
        "node.triad": 2.47e10,
        "noise.frequency": 0.0,
    }
)


@pytest.fixture(scope="module")
def france():
    import fathom as fm

    area = fm.LimitedAreaGrid(
        (2.0, 46.4), resolution=2.5e3, points=(600, 512), levels=fm.HybridLevels(41)
    )
    return spectral.rows_of(fm.LimitedAreaAtmosphere(area, dynamics="non-hydrostatic"))


def test_48_forecast_days_a_day(france):
    """The study wants 24 hours in half an hour on 64 processors."""
    text = page.read_text(encoding="utf-8")
    for name, machine, ranks in (
        ("this machine", here, 1),
        ("Cray XE6", load("cray-xe6"), 32),
        ("Cray XE6", load("cray-xe6"), 64),
        ("Cray XE6", load("cray-xe6"), 128),
        ("HPE Cray EX", load("cray-ex"), 2),
        ("HPE Cray EX", load("cray-ex"), 16),
    ):
        place = spectral.layout(france, ranks, cost.reach)
        step = spectral.step(cost, place, Conditions(machine, here)).elapsed
        row = f"| {name} | {ranks} | {step:.2f} s | {cost.step / step:.0f} |"
        assert row in text, row
    assert "fathom scale experiments/arome-france.toml" in text  # test_pages.py tries its options
