"""Gaussian grids in Python: areas, rows of one length for output, levels, errors, files."""

import re

import numpy as np
import pytest

import fathom as fm
from fathom.run.experiment.experiment import Experiment
from fathom.run.experiment.toml import Document

kinds = [
    {"grid": "linear"},
    {"grid": "quadratic", "reduced": "classical"},
    {"grid": "cubic", "reduced": "octahedral"},
]


@pytest.mark.parametrize("kind", kinds)
def test_areas_and_columns(kind):
    g = fm.GaussianGrid(21, levels=fm.SigmaLevels(5), **kind)
    assert g.horizontal.area_center.sum() == pytest.approx(
        4 * np.pi * g.radius**2, rel=1e-13
    ) and g.mapping()["area"].sum() == pytest.approx(4 * np.pi * g.radius**2, rel=1e-13)
    assert (g.wet_levels > 0).sum() == g.points.sum() and g.wet_cells == 5 * g.points.sum()
    assert (np.diff(g.latitude) > 0).all() and g.horizontal.nx >= {
        "linear": 43,
        "quadratic": 64,
        "cubic": 85,
    }[kind["grid"]]
    edges = g.mapping()["corner_latitude"]
    assert (
        edges[0] == -90
        and edges[-1] == 90
        and ((edges[:-1] < g.latitude) & (g.latitude < edges[1:])).all()
    )


@pytest.mark.parametrize("kind", kinds[1:])
def test_rows_of_one_length_hold_smooth_fields_and_make_no_new_extremes(kind):
    g = fm.GaussianGrid(42, **kind)
    h = g.horizontal
    smooth = lambda longitude, latitude: (
        np.cos(np.deg2rad(latitude)) ** 3 * np.cos(np.deg2rad(3 * longitude))
    )
    native = np.where(g.wet_levels > 0, smooth(h.center_longitude, h.center_latitude), 1e30)
    full = g.mapping()
    exact = smooth(*np.meshgrid(full["longitude"], full["latitude"]))
    assert (
        np.abs(g.regular(native) - exact).max() < 6e-4
    )  # at the crests, which are cut to the points around
    longest = g.points == h.nx
    np.testing.assert_array_equal(g.regular(native)[longest], native[longest])
    np.testing.assert_array_equal(g.regular(native[None, 10:20], 10)[0], g.regular(native)[10:20])
    rain = np.random.default_rng(1).exponential(size=native.shape) ** 3
    rows = g.regular(rain)
    held = np.where(g.wet_levels > 0, rain, np.nan)
    assert (rows >= np.nanmin(held, 1)[:, None]).all() and (
        rows <= np.nanmax(held, 1)[:, None]
    ).all()


def test_levels():
    levels = fm.HybridLevels(24)
    assert (
        levels.nz == 24
        and levels.a[0] == levels.b[0] == 0
        and levels.b[-1] == 1
        and levels.weights.sum() == pytest.approx(1e5)
    )
    again = fm.HybridLevels(a=list(levels.a), b=list(levels.b))
    np.testing.assert_array_equal(again.middles, levels.middles)
    sigma = fm.SigmaLevels(interfaces=[0, 0.2, 1])
    assert sigma.nz == 2 and sigma.text(1) == "level 2 of 2 (600 hPa)" and not sigma.a.any()
    assert fm.HybridLevels("L26").nz == 26


ERRORS = {
    "truncation (the largest total wave number": lambda: fm.GaussianGrid(),
    "did you mean 'quadratic'": lambda: fm.GaussianGrid(42, grid="quadratc"),
    "did you mean 'octahedral'": lambda: fm.GaussianGrid(42, grid="cubic", reduced="octohedral"),
    'goes with grid = "cubic"': lambda: fm.GaussianGrid(42, reduced="octahedral"),
    "must be HybridLevels(...) or SigmaLevels": lambda: fm.GaussianGrid(42, levels=fm.ZLevels(3)),
    "must lie in [1, 10000]": lambda: fm.GaussianGrid(0),
    "GaussianGrid has no 'truncaton'; did you mean 'truncation'": lambda: fm.GaussianGrid(
        truncaton=42
    ),
    "either a and b": lambda: fm.HybridLevels(3, a=[0, 1], b=[0, 1]),
    "no set of levels 'L27'": lambda: fm.HybridLevels("L27"),
    "the lowest interface is the ground": lambda: fm.HybridLevels(a=[0, 10], b=[0, 1]),
    "pressure must grow": lambda: fm.SigmaLevels(interfaces=[0, 0.5, 0.4, 1]),
    "either nz or interfaces": lambda: fm.SigmaLevels(3, interfaces=[0, 1]),
}


@pytest.mark.parametrize("message", ERRORS)
def test_errors(message):
    with pytest.raises(ValueError, match=re.escape(message)):
        ERRORS[message]()


def test_a_file_names_them():
    text = (
        '[grid]\ntype = "GaussianGrid"\ntruncation = 21\ngrid = "cubic"\nreduced ='
        ' "octahedral"\nlevels = { type = "HybridLevels", nz = 12, top = 500.0 }\n'
    )
    grid = Experiment(Document(text, "a.toml")).grid
    assert repr(grid) == "GaussianGrid Tc21L12 104×44×12 octahedral" and grid.levels.middles[
        0
    ] == pytest.approx(500)
    with pytest.raises(
        ValueError,
        match=r"a.toml:6 \[grid.levels\]: unknown HybridLevels parameter 'tap'; did you mean 'top'",
    ):
        Experiment(Document(text.replace("top", "tap"), "a.toml")).grid
