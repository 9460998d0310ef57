"""Each kind of picture of each model is opened and looked at: limits, ticks, words, emptiness."""

import sys
from pathlib import Path

import numpy as np
import pytest
import xarray as xr
from matplotlib.contour import ContourSet

import fathom as fm
from fathom.names import fields
from fathom.plots.sounding import moist_adiabat
from fathom.plots.style import folded, is_constant, range_of, span_text, unit_text
from looked_at import look_at

sys.path.insert(0, str(Path(__file__).parents[1] / "experiments"))
from test_experiments import experiment

quick = ("straka",)
slow = (
    "double-gyre",
    *("williamson-6", "held-suarez-gridpoint", "held-suarez-t42", "forecast-t106", "aladin-europe"),
    *("ocean-ice-3deg", "twin-4deg", "lock-exchange", "arome-alps", "europe-gridpoint"),
)


@pytest.mark.parametrize(
    "name", [*quick, *(pytest.param(name, marks=pytest.mark.long) for name in slow)]
)
def test_pictures_of_the_report(name, tmp_path):
    sim = experiment(name).simulation(tmp_path, overwrite=True)
    sim.run(f"{3 * sim.time_step:g}s", progress=False, report=False)
    drawn = sim.model.pictures(sim.model.report(sim))
    assert drawn
    for section, pictures in drawn.items():
        for title, draw in pictures:
            look_at(draw(), f"{name}, {section}, {title}")


def on_globe(values, **how):
    """The picture of a field on even longitudes and latitudes, small and so quick."""
    ny, nx = values.shape
    longitude, latitude = np.arange(nx) * 360 / nx, -90 + (np.arange(ny) + 0.5) * 180 / ny
    raster = fm.plots.Raster(fm.plots.mesh_of({"longitude": longitude, "latitude": latitude}), 900)
    return fm.plots.map(values, raster, **how)


def test_what_is_constant_is_no_signal():
    """Round-off has one colour, and the caption says so."""
    values = 300 + 1e-13 * np.random.default_rng(1).normal(size=(12, 24))
    low, high = range_of(values, None, "thermal")
    assert high - low > 100 and "constant, 300" in span_text(values)
    pixels = on_globe(values, name="made").axes[0].images[0].get_array()
    assert len(np.unique(pixels[90:130, 180:270].reshape(-1, 3), axis=0)) == 1
    assert is_constant(np.zeros(5)) and not is_constant(np.array([0.0, 1e-5]))


def test_signed_fields_have_a_diverging_map():
    values = np.outer(np.sin(np.linspace(-1.5, 1.5, 12)), np.ones(24))
    low, high = on_globe(values, name="somebody's").axes[1].get_ylim()
    assert low == pytest.approx(-high)


def test_no_unit_is_cut():
    """At 8.5 points a sign takes at most 0.075 inches; the bar has 0.7 of them."""
    for units in {f.units for f in fields.values()}:
        lines = folded(unit_text(units)).split("\n")
        assert all(len(line) <= 8 or " " not in line for line in lines)


@pytest.mark.parametrize("scale", [1e-9, 3e-4, 2e7])
def test_bars_of_small_and_large_numbers(scale):
    values = scale * np.outer(np.linspace(0, 1, 12), np.ones(24))
    look_at(on_globe(values, name="made", units="kg m-2 s-1 K-1 mol-1", contours=0))


def test_soundings_columns_profiles(tmp_path):
    p = 1e5 * np.exp(-np.linspace(0, 2, 30))
    t = 300 * (p / 1e5) ** 0.19
    q = 0.014 * (p / 1e5) ** 3
    u = np.linspace(-5, 40, 30)
    figure = fm.plots.sounding(p, t, fm.plots.dew_point(p, q), (u, 0.2 * u), title="Sounding")
    look_at(figure)
    low, high = figure.axes[0].get_ylim()
    assert low > high  # pressure grows downward
    air = xr.Dataset(
        {
            "air_temperature": (("time", "height"), np.tile(t, (4, 1)), {"units": "K"}),
            "share": (("time", "interface"), np.tile(u, (4, 1))),
            "spectrum": (("wavenumber",), u**2),
        },
        {"time": np.datetime64("2024-01-01", "ns") + np.arange(4) * np.timedelta64(1, "h"),
         "height": ("height", 1e4 * np.linspace(0.01, 1, 30), {"units": "m"}),
         "interface": ("interface", 1e4 * np.linspace(0, 1, 30), {"units": "m"})},
    )  # fmt: skip
    for name, kind in (("air_temperature", None), ("air_temperature", "profile"), ("share", None),
                       ("spectrum", None)):  # fmt: skip
        look_at(fm.plots.picture(air, name, kind=kind), name)
    assert "hours" in fm.plots.picture(air, "air_temperature").axes[0].get_xlabel()
    with pytest.raises(fm.InputError, match="on levels of pressure"):
        fm.plots.picture(air, "air_temperature", kind="sounding")


def equivalent(celsius, p):
    """Equivalent potential temperature of saturated air (Bolton 1980, equations 10, 38)."""
    kelvin, e = celsius + 273.15, 6.112 * np.exp(17.67 * celsius / (celsius + 243.5))
    r = 622 * e / (p - e)  # g/kg
    theta = kelvin * (1000 / p) ** (0.2854 * (1 - 0.28e-3 * r))
    return theta * np.exp((3.376 / kelvin - 0.00254) * r * (1 + 0.81e-3 * r))


def test_moist_adiabats_keep_the_equivalent_potential_temperature():
    p = np.geomspace(1000, 400, 60)
    found = equivalent(moist_adiabat(20.0, p), p)
    assert np.ptp(found) < 1.5 and found[0] == pytest.approx(335.8, abs=0.5)


def test_drifters_are_on_their_region_in_the_colours_of_the_variable():
    x = -60 + np.linspace(0, 3, 9)[:, None] + [0, 5]
    y = 30 + np.linspace(0, 2, 9)[:, None] + [0, 4]
    dims = ("time", "trajectory")
    made = xr.Dataset(
        {"thetao": (dims, 20 + x - x[0], {"units": "degC"})},
        {"time": np.datetime64("2000-01-01", "ns") + np.arange(9) * np.timedelta64(1, "D"),
         "longitude": (dims, x), "latitude": (dims, y), "trajectory": [0, 1]},
    )  # fmt: skip
    for name, unit in (("longitude", "days"), ("thetao", "°C")):
        figure = fm.plots.picture(made, name)
        look_at(figure, name)
        assert figure.axes[1].get_title(loc="left") == unit
        labels = [t.get_text() for t in figure.axes[0].get_xticklabels()]
        assert all(label.endswith("W") and 45 < float(label[:-2]) < 65 for label in labels)


def test_no_line_winds_through_round_off():
    """Air at rest with round-off beside a wave: lines belong to the wave alone."""
    noise = 1e-6 * np.random.default_rng(2).normal(size=(24, 48))
    wave = np.zeros((24, 48))
    wave[6:18, 6:18] = np.outer(np.hanning(12), np.sin(np.linspace(0, 2 * np.pi, 12)))
    edges = np.linspace(0, 1, 49), np.linspace(0, 1, 25)
    figure = fm.plots.section(wave + noise, *edges, name="made", vertical="height")
    drawn = [c for c in figure.axes[0].collections if isinstance(c, ContourSet)]
    lines = [path for c in drawn for path in c.get_paths()]
    ends = [path.vertices[:, 0].max() for path in lines if len(path.vertices)]
    assert len(ends) > 4 and max(ends) < 0.45
    values = on_globe(wave + noise, name="made", contours=0.25).axes[0]
    at = [s[:, 0] for c in values.collections for s in c.get_segments() if len(s)]
    assert at and max(map(np.ptp, at)) < 0.4 * values.get_xlim()[1]


def test_lines_are_where_they_were_asked_for():
    """An interval that is no round number stays, numbers do not cover each other, too many lines
    are refused.
    """
    values = np.outer(np.linspace(0, 100, 24), np.ones(48))
    axes = on_globe(values, name="made", contours=8).axes[0]
    numbers = [t for t in axes.texts if t.get_text().isdigit()]
    found = {int(t.get_text()) for t in numbers}
    assert found and all(n % 8 == 0 for n in found)
    places = np.array([t.get_position() for t in numbers])
    apart = np.hypot(*(places[:, None] - places[None]).transpose(2, 0, 1))
    assert apart[~np.eye(len(places), dtype=bool)].min() > 0.03 * axes.get_xlim()[1]
    with pytest.raises(fm.InputError, match="would draw 1000 lines between 0 and 100"):
        on_globe(values, name="made", contours=0.1)


def test_no_legend_covers_a_sounding():
    """Warm air, high up, at the right edge: the names of the lines are above the axes."""
    p = np.geomspace(1e5, 5e3, 30)
    figure = fm.plots.sounding(p, np.full(30, 260.0), np.full(30, 250.0), (0 * p, 0 * p))
    look_at(figure)
    axes = figure.axes[0]
    words = axes.get_legend().get_window_extent()
    assert words.y0 >= axes.get_window_extent().y1


def test_a_profile_counts_cells_by_their_areas():
    """The mean of sin(latitude)^2 over a sphere is 1/3; of even rows alone it is 1/2."""
    y = -90 + (np.arange(90) + 0.5) * 2
    values = np.tile(np.sin(np.deg2rad(y))[None, :, None] ** 2, (3, 1, 4))
    rows = ("latitude", y, {"units": "degrees_north"})
    held = xr.Dataset({"share": (("level", "latitude", "longitude"), values)}, {"latitude": rows})
    line = fm.plots.picture(held, "share", kind="profile").axes[0].lines[0]
    assert line.get_xdata() == pytest.approx(1 / 3, abs=1e-3)
    assert list(line.get_ydata()) == [1, 2, 3]
