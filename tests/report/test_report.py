"""The report: one file with everything in it, for a globe, a box, and a run with little to show."""

from __future__ import annotations

import re

import numpy as np
import pytest

from fathom import plots
from fathom.ocean.products.report import pictures
from fathom.plots.report.page import write_report
from synthetic import box, globe, profile, series

summary = {
    "output": {
        "writes": {"65536": [3, 300000], "512": [2, 1100]},
        "share_in_large_writes": 300000 / 301100,
    },
    "steps": 720,
    "cells": 2431231,
    "wall_seconds": 132.3,
    "simulated_years_per_day": 53.7,
    "ranks": 2,
    "threads": 1,
    "checksum": "9f2b6c01",
    "state": {"temperature": {"minimum": -1.9, "mean": 3.6, "maximum": 31.0}},
}


@pytest.mark.parametrize("made", [globe, pytest.param(box, marks=pytest.mark.long)])
def test_a_full_report(made, tmp_path):
    grid, state = made()
    path = write_report(
        tmp_path / "report.html",
        title="A <test>",
        summary=summary,
        configuration='[grid]\ntype = "A & B"  # why\n',
        pictures=pictures(grid, state),
        series=series(),
        profile=profile(),
    )
    page = path.read_text()
    assert page.count("data:image/png;base64,") == 9 and "missing" not in re.sub(
        "<style>.*</style>", "", page, flags=re.DOTALL
    )
    assert (
        "A &lt;test&gt;" in page and "A &amp; B" in page and "53.7" in page and "9f2b6c01" in page
    )
    assert (
        "99.63 % of 0.3011 MB in writes of 64 KiB and more" in page and "64 KiB to 128 KiB" in page
    )
    assert not re.search(r'(src|href)="(?!data:|#)', page)  # nothing outside the file


def test_tracks_are_drawn(tmp_path):
    """Over the rim of the map, and with a drifter that is released late."""
    grid, _state = globe()
    x = np.linspace([0.0, 170.0, 20.0], [60.0, 230.0, 40.0], 30)
    x[:10, 2] = np.nan
    names = dict(pictures(grid, {"tracks": {"floats": (x, 0.1 * x, np.arange(30.0))}})["Surface"])
    figure = names["tracks of floats"]()
    assert (
        len(figure.axes[0].collections[0].get_segments()) >= 2 * 28 + 18
        and figure.axes[0].get_title("right") == "3 drifters, 29 days"
    )
    rings, dots = (line.get_xydata() for line in figure.axes[0].lines[-2:])
    segments = figure.axes[0].collections[0].get_segments()
    assert (
        len(rings) == len(dots) == 3
        and any((s[0] == rings[2]).all() for s in segments)
        and any((s[1] == dots[2]).all() for s in segments)
    )


def test_what_is_missing_is_left_out(tmp_path):
    grid, state = box()
    page = write_report(
        tmp_path / "a.html",
        title="t",
        summary={},
        configuration="",
        pictures=pictures(
            {"x": grid["x"], "y": grid["y"]},
            {
                "sea_surface_height": state["sea_surface_height"],
                "tracer": np.where(grid["wet_levels"] > 0, 1.0, np.nan),
            },
        ),
    ).read_text()
    assert (
        page.count("data:image/png") == 2 and "In time" not in page and "Configuration" not in page
    )


@pytest.mark.parametrize(
    "land, some",
    [
        (1e30, {"surface_speed", "barotropic_stream_function", "temperature"}),
        pytest.param(0.0, None, marks=pytest.mark.long),
        pytest.param(1e30, None, marks=pytest.mark.long),
    ],
)
def test_values_on_land_do_not_matter(land, some):
    """Zeros or infinities under the land mask change nothing in the pictures."""
    grid, state = globe(30, 36, 6)
    dry = np.arange(6)[:, None, None] >= grid["wet_levels"]
    drawn = []
    for value in (np.nan, land):
        filled = {
            name: np.where(dry if field.ndim == 3 else dry[0], value, field)
            for name, field in state.items()
        }
        sections = pictures(grid, filled).items()
        drawn.append(
            {
                (title, name): plots.encoded(draw())
                for title, several in sections
                for name, draw in several
                if some is None or name in some
            }
        )
    assert len(drawn[0]) >= 3 and drawn[0] == drawn[1]


def test_a_folder_that_is_missing_is_named(tmp_path):
    with pytest.raises(OSError, match="cannot write the report"):
        write_report(tmp_path / "no" / "a.html", title="t", summary={}, configuration="")


def rules(css):
    """{selector: {property: value}} of the rules outside and inside the blocks for narrow pages."""
    found = {"": {}}
    css = re.sub(r"/\*.*?\*/", "", css, flags=re.S)
    for block, inside, selector, body in re.findall(
        r"@media ([^{]*)\{((?:[^{}]*\{[^{}]*\})*)\s*\}|([^{}@]+)\{([^{}]*)\}", css
    ):
        for names, text in re.findall(r"([^{}]+)\{([^{}]*)\}", inside) or [(selector, body)]:
            held = found.setdefault(block.strip(), {})
            for name in names.split(","):
                pairs = (part.split(":", 1) for part in text.split(";") if ":" in part)
                held.setdefault(name.strip(), {}).update((k.strip(), v.strip()) for k, v in pairs)
    return found


def test_a_page_of_400_points_needs_no_sideways_scrolling(tmp_path):
    """Pictures shrink to the page; wide tables, code and enlarged pictures scroll in themselves;
    long words break.
    """
    page = write_report(
        tmp_path / "a.html",
        title="t" * 300,
        summary=summary,
        configuration=f"x = {'1' * 300}\n",
        profile=profile(),
        series=series(),
    ).read_text()
    assert '<meta name="viewport" content="width=device-width, initial-scale=1">' in page
    assert page.count("<table") == page.count('<div class="scroll"><table') > 3
    css = re.search(r"<style>(.*?)</style>", page, re.S)[1]
    of, narrow = rules(css)[""], rules(css)["(max-width: 560px)"]
    assert of[".scroll"]["overflow-x"] == of["pre"]["overflow-x"] == "auto"
    assert of["figure img"]["width"] == "100%" and narrow["figure.large"]["overflow-x"] == "auto"
    assert of["h1"]["overflow-wrap"] == of["figure.missing"]["overflow-wrap"] == "anywhere"
    assert of[".cards"]["flex-wrap"] == "wrap" and narrow["nav"]["overflow-x"] == "auto"
    assert narrow["figcaption"]["display"] == "block" and page.count("<figcaption>") >= 2
    fixed = {
        (selector, name, value)
        for block in rules(css).values()
        for selector, held in block.items()
        for name, value in held.items()
        if name in ("width", "min-width") and re.fullmatch(r"\d{3,}px", value)
    }
    assert fixed <= {("figure.large img", "width", "1000px")}
