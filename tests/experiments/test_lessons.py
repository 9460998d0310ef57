"""The lessons in examples/ at small size: each runs, with a result near that in its text."""

import runpy
import sys
from pathlib import Path

import numpy as np
import pytest

from fathom.assimilation.observations import plugged
from fathom.data import sets
from fathom.output import formats

folder = Path(__file__).parents[2] / "examples"
names = {
    "double_gyre": 30,
    "baroclinic_channel": 20,
    "lock_exchange": 64,
    "overflow": 20,
    "performance_study": 15,
    "solid_rotation": 40,
    "single_column": 100,
    "own_forcing": 48,
    "own_scheme": 2,
    "own_format": 3,
    "own_data": 1,
    "own_diagnostic": 2,
    "observations": 200,
    "own_grid": 21,
    "own_operator": 30,
    "own_emulator": 2,
    "assimilation": 0,
    "four_dimensional": 0,
    "limited_area": 84,
    "carbon": 20,
}


@pytest.fixture
def learn(monkeypatch):
    """Run a lesson at its small size; returns its names. What it registers goes with the test."""
    monkeypatch.setattr(formats, "_registered", {})
    monkeypatch.setattr(sets, "_registered", {})
    monkeypatch.setattr(plugged, "_own", {})

    def run(name):
        monkeypatch.setattr(sys, "argv", [name, str(names[name])])
        return runpy.run_path(str(folder / f"{name}.py"))

    return run


def test_every_lesson_is_tested():
    assert {path.stem for path in folder.glob("*.py")} == set(names)


def test_double_gyre(learn):
    """Boundary layer to half a cell, transports to 12 %: Munk's formula leaves out friction across
    the gyre.
    """
    lesson = learn("double_gyre")
    cell = lesson["L"] / lesson["cells"] / lesson["delta"]
    assert lesson["transport"] == pytest.approx(lesson["sverdrup"], rel=0.12)
    assert lesson["fastest"] == pytest.approx(lesson["fastest_munk"], abs=cell / 2)
    assert lesson["back"] == pytest.approx(lesson["back_munk"], abs=cell / 2)


def test_baroclinic_channel(learn):
    """7 % for 20 cells in a wave."""
    lesson = learn("baroclinic_channel")
    assert lesson["growth"] == pytest.approx(lesson["finite"], rel=0.07)


def test_lock_exchange(learn):
    """5 % for cells of 1 km; mixing only makes the reference potential energy grow."""
    lesson = learn("lock_exchange")
    assert lesson["speed"] == pytest.approx(lesson["theory"], rel=0.05)
    assert lesson["mixing"] > 0


@pytest.mark.long
def test_overflow(learn):
    """A gravity current, of Froude number 1 give or take a half, that has kept a third of its cold;
    heat to rounding.
    """
    lesson = learn("overflow")
    assert 0.5 < lesson["froude"] < 1.5
    assert lesson["remaining"] > 1 / 3
    assert abs(lesson["heat"]) < 1e-12


@pytest.mark.long  # a dozen short runs
def test_performance_study(learn):
    """Each part has been done and timed, and tuning has changed no bit."""
    lesson = learn("performance_study")
    assert list(lesson["took"]) == ["experiment", "matrix", "profile", "tune", "before", "tuned"]
    assert len(lesson["measured"]) == 4 and lesson["best"]["seconds"] > 0
    assert lesson["same"]


def test_solid_rotation(learn):
    """Third order beats second; the limited schemes stay within the bounds of the dye, for any
    shape; no scheme displaces it.
    """
    results = learn("solid_rotation")["results"]
    error = {name: of["smooth"][0] for name, of in results.items()}
    assert (
        error["UpwindAdvection"] < 0.25 and error["CentredAdvection"] > 2 * error["UpwindAdvection"]
    )
    assert error["QuickestAdvection"] < error["LaxWendroffAdvection"] < error["CentredAdvection"]
    for name, of in results.items():
        for _, peak, least in of.values():
            assert peak > 0.5
            if name in ("LaxWendroffAdvection", "QuickestAdvection"):
                assert peak < 1 + 1e-12 and least > -1e-12
        if name in ("CentredAdvection", "UpwindAdvection"):
            assert of["cylinder"][2] < -0.05


def test_single_column(learn):
    """A hundred days: rain pays for radiation to 8 % (it falls in bursts), the troposphere is near
    its moist adiabat, deserts swing and meadows do not.
    """
    lesson = learn("single_column")
    assert (
        lesson["heating"] == pytest.approx(lesson["cooling"], rel=0.08)
        and 60 < lesson["cooling"] < 140
    )
    assert lesson["rain"] == pytest.approx(lesson["evaporation"], rel=0.08)
    assert lesson["departure"] < 2
    assert 3 < lesson["swing"]["meadow"] < 15 < lesson["swing"]["desert"] < 40
    assert 800 < lesson["depth"]["meadow"] < 2500 < lesson["depth"]["desert"] < 8000


def test_own_forcing(learn):
    """The period of inertia to half a percent."""
    lesson = learn("own_forcing")
    assert lesson["period"] == pytest.approx(lesson["theory"], rel=5e-3)


def test_own_scheme(learn):
    """The same in both languages, and the solution of the equation, except for the error of steps
    of an hour."""
    lesson = learn("own_scheme")
    assert lesson["found"]["Python"] == pytest.approx(lesson["found"]["C++"], rel=1e-13)
    assert lesson["found"]["C++"] == pytest.approx(lesson["exact"], abs=0.01)


def test_own_format(learn):
    """What is read back is what the model has."""
    lesson = learn("own_format")
    last = lesson["found"]["tos"].values[-1].reshape(6, 8)
    assert len(lesson["found"].seconds) == 4
    assert last == pytest.approx(lesson["sim"].gather("temperature")[0], abs=1e-5)


def test_own_data(learn):
    """Kelvin become degrees; layers warm above and cold below; filled under land."""
    start = learn("own_data")["start"]
    assert 10 < start[0] < 20 and start[-1] == pytest.approx(3) and np.isfinite(start).all()


def test_own_diagnostic(learn):
    """rho c T dz, and kept by an ocean without fluxes."""
    lesson = learn("own_diagnostic")
    heat = lesson["heat"].values
    assert heat[0] == pytest.approx(
        1026 * 3996 * np.sum((12 - np.arange(50, 500, 100) / 100) * 100)
    )
    assert heat[-1].mean() == pytest.approx(heat[0].mean(), rel=1e-6)
    assert lesson["heat"].attrs["units"] == "J m-2"


def test_observations(learn):
    """Nearly all wrong data are found, hardly any others are lost, and the analysis improves."""
    pytest.importorskip("duckdb")
    lesson = learn("observations")
    assert lesson["caught"] >= 0.9 and lesson["lost"] <= 0.02
    assert lesson["after"] < 0.85 * lesson["before"]


def test_own_grid(learn):
    """The storm stays where it is, in pressure to 3 hPa at a coarse truncation."""
    lesson = learn("own_grid")
    assert lesson["here"] == pytest.approx(lesson["there"], abs=3.0)
    assert lesson["area"].latitude.min() >= 35 and lesson["area"].latitude.max() <= 65


def test_assimilation(learn):
    """Half of the numbers, at eight times, take the error to a small part of that of the start."""
    lesson = learn("assimilation")
    before, after = (lesson["rms"](lesson[name]) for name in ("background", "analysis"))
    assert 0.3 < before < 0.6 and after < 0.4 * before


def test_four_dimensional(learn):
    """Thirty columns at three times halve the error of the wind."""
    lesson = learn("four_dimensional")
    before, after = (lesson["rms"](getattr(lesson["found"], n)) for n in ("background", "middle"))
    assert 1.5 < before < 4 and after < 0.6 * before


def test_limited_area(learn):
    """Smoothing takes most of the streaks of the extension, and nothing of the area."""
    lesson = learn("limited_area")
    grid = lesson["grid"]
    streaked, smooth = (lesson["across"](lesson[name]) for name in ("streaked", "smooth"))
    assert 20 < smooth < 0.6 * streaked
    assert (grid.inside(lesson["smooth"]) == lesson["ground"]).all()
    assert 3000 > lesson["ground"].max() > 1500 and 0.2 < lesson["sea"].mean() < 0.4
    assert lesson["ripples"] < 30


def test_own_operator(learn):
    """A ray bends as one of an exponential atmosphere, alpha = N (2 pi a / H)^1/2, to 6 %;
    half of the error of the temperature goes where rays see it."""
    lesson = learn("own_operator")
    x, height = lesson["truth"], lesson["heights"]
    N = 77.6e-2 * x.layers[0] / x.temperature[0]
    upper, lower = np.maximum(x.interfaces[0, :-1], 1.0), x.interfaces[0, 1:]
    thickness = 287.05 * x.temperature[0] / 9.80665 * np.log(lower / upper)
    z = np.cumsum(thickness[::-1])[::-1] - thickness / 2 + 6.371 * N  # n r less the radius
    at = np.exp(np.interp(height, z[::-1], np.log(N[::-1])))
    H = -1 / np.gradient(np.log(at), height)
    expected = 1e-6 * at * np.sqrt(2 * np.pi * 6.371e6 / H)
    low = height < 18e3
    np.testing.assert_allclose(lesson["angle"][low], expected[low], rtol=0.06)
    assert lesson["error_after"] < lesson["error_before"] / 2
    assert "bending-angle" in plugged._own


def test_carbon(learn):
    """The bloom takes up carbon in Redfield's ratio, the sea takes it from the air, and all that it
    has more came through the surface.
    """
    lesson = learn("carbon")
    assert lesson["pressure"][-1] < lesson["pressure"][0] - 10
    assert lesson["uptake"] > 0
    assert lesson["carbon_left_over"] == pytest.approx(0, abs=1e-9)


def test_own_emulator(learn):
    """A net that is trained for a moment leaves a tenth of the variance of fluxes, and runs."""
    lesson = learn("own_emulator")
    assert lesson["error"] < 0.33 * lesson["spread"]
    scheme, net = (lesson["climate"][name]["outgoing_longwave"] for name in ("scheme", "net"))
    assert net == pytest.approx(scheme, abs=25) and lesson["net"].runtime_seconds > 0
