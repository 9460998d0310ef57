"""A weather service's chain: its file, its network, and two windows from end to end."""

import json
import shutil
from pathlib import Path

import numpy as np
import pytest

import box
from fathom.assimilation.cycle.chain import areas, chain, forecasts, models, network, settings
from fathom.assimilation.cycle.chain.biases import Bias
from fathom.assimilation.cycle.chain.models import State
from fathom.assimilation.observations import base, linear
from fathom.output.formats import restart

source = Path(__file__).parents[2] / "experiments" / "suite-t42.toml"
small = [
    "grid.truncation=10",
    'grid.levels.nz="L8"',
    'model.physics.type="BasicPhysics"',
    'simulation.time_step="1h"',
    "nature.set=['grid.truncation=15']",
    'chain.spin_up="6h"',
    'chain.forecast=""',
    "observations.amount=0.05",
    "assimilation.iterations=8",
    'increment.step="1h"',
]


def read(*more):
    return settings.read(source, [*small, *more])


def some_ground(longitude, latitude):
    return 0 * longitude, (latitude > 0).astype(float)


@pytest.mark.parametrize(
    "setting, message",
    [
        ("chain.windos=3", "no key 'windos'; did you mean 'windows'"),
        ("assimilation.method='4dvar'", "unknown method '4dvar'; did you mean '4d-var'"),
        ("assimilation.quality='hubre'", "unknown quality 'hubre'; did you mean 'huber'"),
        (
            "observations.slot='50min'",
            "assimilation.window / 2, 10800 s, is no multiple of .* 3000",
        ),
        ("simulation.time_step='40min'", "observations.slot, 3600 s, is no multiple of .*, 2400 s"),
        ("observations.without=['radience']", "unknown kind 'radience'; did you mean 'radiance'"),
        ("observations.base='none.parquet'", "none.parquet: no such file"),
        ("increment.truncation=11", "T11 is finer than the model, T10"),
        ("increment.truncation=[8, 10]", "2 truncations for 1 outer loops"),
        ("increment.truncation=['a']", r"must be like 42 or \[42, 63\]"),
        ("increment.keep='fp23'", "unknown keep 'fp23'; did you mean 'fp32'"),
        ("ensemble.members=1", "two members or more"),
        ("nestor.a=1", r"no table \[nestor\]"),
        ("chain.windows=true", "windows = True must be like 8"),
        ("observations.kinds={synop=-1}", "synop = -1 reports in an hour"),
        ("observations.amount=1e9", "amount = 1e.09; allowed: up to 10000"),
        ("chain.store='50min'", "chain.store, 3000 s, is no multiple of simulation.time_step"),
        ("chain.deadline='soon'", "deadline = 'soon' is not a length of time"),
        ("chain.every='1month'", "every = '1month': allowed are seconds, minutes, hours"),
        ("background.wind=inf", "wind = inf must be like 2.5"),
    ],
)
def test_mistakes_have_their_place(setting, message):
    with pytest.raises((ValueError, OSError), match=message):
        read(setting)


def test_a_base_of_another_date_or_without_errors(tmp_path):
    """Refused before the first window, with both values."""
    hour = network.drawn({"buoy": 5}, 0, 3600, 1, some_ground)
    base.write(hour, tmp_path / "old.parquet")
    given = f"observations.base='{tmp_path / 'old.parquet'}'"
    with pytest.raises(ValueError, match="is of 1970-01-01T00:.* the windows are of 2011-10-11"):
        chain.Cycles(read(given), tmp_path / "out")
    hour["time"] += int(np.datetime64("2011-10-11T07", "s").astype(int))
    hour["error_final"] = hour["error"] = np.nan
    base.write(hour, tmp_path / "old.parquet")
    with pytest.raises(ValueError, match="10 of 10 data of the windows have no error"):
        chain.Cycles(read(given), tmp_path / "out")


def test_the_network_depends_on_its_hour_alone():
    """Two windows together are the same data as one after the other; biases are of channels."""
    counts = dict.fromkeys(network.usual, 4)
    whole = network.drawn(counts, 0, 4 * 3600, 1, some_ground)
    parts = [network.drawn(counts, a, a + 7200, 1, some_ground) for a in (0, 7200)]
    together = base.together(parts)
    for name in base.columns:
        np.testing.assert_array_equal(whole[name], together[name])
    bias = network.bias_of(whole, 1, 0.5)
    radiances = whole.variable_is("toa_brightness_temperature")
    assert not bias[~radiances].any() and len(np.unique(bias[radiances])) > 5
    for kind, number in counts.items():
        assert whole.kind_is(kind).sum() >= number


def fields_of(path):
    with restart.read(path) as file:
        return {name: np.array(file[name]) for name in file.names}


@pytest.mark.parametrize("rows, wanted", [(16, 5.0), (64, 1.0), (160, 0.5), (720, 0.25)])
def test_the_store_around_an_area(rows, wanted):
    assert forecasts.half_of(180 / rows) == wanted


def test_the_ground_stays_exactly(tmp_path):
    """Forecasts from restarts, and an analysis, have the ground of the first, bit for bit."""
    suite = read("model.precision='fp32'")
    ways = [tmp_path / f"{name}.fathom" for name in ("one", "two", "analysis", "three")]
    forecasts.run(suite, tmp_path / "first", None, [(3600.0, ways[0])])
    forecasts.run(suite, tmp_path / "second", ways[0], [(3600.0, ways[1])])
    state = State(ways[1])
    models.set_out(suite, state.fields, state.header, models.date_of(ways[1]), ways[2])
    forecasts.run(suite, tmp_path / "third", ways[2], [(3600.0, ways[3])])
    first, *others = (fields_of(path)["surface_geopotential"] for path in ways)
    assert np.ptp(first) > 1e4
    for other in others:
        np.testing.assert_array_equal(first, other)


@pytest.mark.long
@pytest.mark.parametrize("method", ["fgat", "hybrid"])
def test_killed_and_continued_on_other_ranks(method, tmp_path):
    """The second window on two ranks, with a stage that was begun, has the bits of one run on one
    rank; the analysis is nearer to the data, starts another model, and is told in the report."""
    more = [f"assimilation.method='{method}'", "ensemble.members=2", "report.impact=false"]
    more += ["report.samples=0", "assimilation.iterations=4"] if method == "hybrid" else []
    (tmp_path / "suite.toml").write_text(source.read_text())
    sets = [x for s in (*small, *more) for x in ("--set", s)]

    def cycle(out, windows, *parallel):
        arguments = ("cycle", "suite.toml", "--out", out, "--set", f"chain.windows={windows}")
        status, told, errors = box.fathom(*arguments, *sets, *parallel, folder=tmp_path)
        assert status == 0, errors
        return told

    text = cycle("whole", 2)
    assert "Data by kind" in text and "radiance" in text and "minimisation" in text
    cycle("parts", 1)
    half = tmp_path / "parts" / "window-0001"
    shutil.copytree(tmp_path / "whole" / "window-0001", half)
    for left in half.glob("stage-[b-z]*.json"):  # all after the observations
        left.unlink()
    cycle("parts", 2, "--ranks", 2)
    whole, parts = (tmp_path / n / "window-0001" for n in ("whole", "parts"))
    for name in ("feedback.parquet", "bias.json"):
        assert (whole / name).read_bytes() == (parts / name).read_bytes(), name
    ours, theirs = (fields_of(p / "analysis.fathom") for p in (whole, parts))
    for name, values in ours.items():
        np.testing.assert_array_equal(values, theirs[name], err_msg=name)
    result = json.loads((tmp_path / "whole" / "report.json").read_text())
    for window in result["windows"]:
        assert window["minimisation"]["residual"] < 0.8 * window["minimisation"]["departure"]
    data = base.read(whole / "feedback.parquet")
    used = data.used & np.isfinite(data["analysis_departure"])
    assert used.sum() > 100 and (data["weight"][used] <= 1).all()


@pytest.mark.long
def test_outer_loops_of_several_truncations(tmp_path):
    """4D-Var at T6, then at T10 about the new forecast, ends nearer to the data. `fathom profile`
    tells of each stage."""
    (tmp_path / "suite.toml").write_text(source.read_text())
    more = [*small, "assimilation.method='4d-var'", "assimilation.outer=2", "report.impact=false"]
    more += ["increment.truncation=[6, 10]", "increment.keep='fp32'", "report.samples=0"]
    sets = [x for s in more for x in ("--set", s)]
    arguments = ("profile", "suite.toml", "--out", "out", "--json", "out.json", *sets)
    status, told, errors = box.fathom(*arguments, folder=tmp_path)
    assert status == 0, errors
    stages = json.loads((tmp_path / "out.json").read_text())["stages"]
    assert "adjoint step" in told and stages["minimisation"]["seconds"]["wall"] > 0
    regions = {r["region"]: r["calls"] for r in stages["minimisation"]["regions"]}
    assert regions["adjoint step"] == regions["tangent step"] > 6
    folder = tmp_path / "out" / "window-0000"
    assert (folder / "outer-1" / "analysed.parquet").exists()
    result = json.loads((folder / "stage-minimisation.json").read_text())
    assert result["residual"] < 0.8 * result["departure"]
    with np.load(folder / "increments.npz") as made:
        assert made["increment"].size == State(folder / "background.fathom").space.size


@pytest.mark.long
def test_an_analysis_starts_any_model(tmp_path):
    """The restart, and the GRIB file, start a run at another truncation."""
    cycles = chain.Cycles(read("chain.windows=1"), tmp_path / "out")
    cycles.run()
    window = tmp_path / "out" / "window-0000"
    for name in ("analysis.fathom", "analysis.grib2"):
        model = f"""
[grid]
type = "GaussianGrid"
truncation = 12
levels = {{ type = "HybridLevels", nz = 10 }}
[model]
type = "SpectralAtmosphere"
physics = {{ type = "BasicPhysics" }}
[state]
analysis = "{window / name}"
[simulation]
start = "2011-10-11 09:00:00"
time_step = "1h"
run = "2h"
"""
        (tmp_path / "model.toml").write_text(model)
        status, _, errors = box.fathom("run", "model.toml", "--no-report", folder=tmp_path)
        assert status == 0, errors
        shutil.rmtree(tmp_path / "runs")


@pytest.mark.long
def test_increments_of_an_area_along_a_window(tmp_path):
    """G of 4D-Var on an area has its transpose as adjoint, and an analysis is nearer to data of all
    times of a window."""
    sets = ["grid.points=[24, 20]", "grid.resolution=200e3", 'grid.levels.nz="L8"',
            'model.physics.type="BasicPhysics"', 'simulation.time_step="30min"',
            'chain.spin_up=""', 'assimilation.method="4d-var"', "assimilation.iterations=6",
            'assimilation.window="2h"', 'assimilation.quality="none"']  # fmt: skip
    suite = settings.read(source.parent / "suite-area.toml", sets)
    suite.now = ('model.outer="initial"',)
    start = ["state={analysis='gfs'}"]
    s = models.simulation(suite, tmp_path / "run", suite.start, None, start)
    models.prepared(s).write_restart(tmp_path / "background.fathom")
    state = State(tmp_path / "background.fathom")
    analyser = areas.AreaAnalyser(suite, state, tmp_path / "background.fathom")
    began = int(suite.start.astype("i8"))
    data = network.drawn({"temp": 300, "synop": 400}, began, began + 7200, 1, some_ground)
    around = models.experiment(suite).grid.interpolation(data["longitude"], data["latitude"])
    data = data.taken(np.asarray(around.weight).sum(axis=1) > 0.5)
    data["time"] = began + 600 * np.arange(len(data)) % 7200
    data["error_final"] = data["error"]
    x = state.vector
    G, _, order = analyser.observed(x, data, float(began))
    assert len(order) > 50 and len(G.observations) > 2
    random, L = np.random.default_rng(1), analyser.background(x)
    dx, y = L.apply(random.standard_normal(L.controls)), random.standard_normal(len(order))
    seen, back = G.apply(dx), G.adjoint(y)
    size = np.abs(seen * y).sum() + np.abs(dx * back).sum()
    assert abs(seen @ y - dx @ back) < 1e-12 * size
    data["background_departure"][order] = seen  # of a true increment
    made = analyser.analyse(x, data, float(began), Bias({}, 0.3))
    assert made.numbers["residual"] < 0.7 * made.numbers["departure"]


@pytest.mark.long
@pytest.mark.parametrize("method", ["fgat", "4d-var"])
def test_an_area_inside_the_globe(method, tmp_path):
    """One window: the area's winds have the axes of the earth in departures and in H', its analysis
    is nearer to the data inside; another window than the globe's is refused."""
    around = [*small, "observations.amount=0.3", "report.samples=0"]
    sets = [
        f"area.set={json.dumps(around)}",
        "chain.windows=1",
        'chain.spin_up="6h"',
        "grid.points=[24, 20]",
        "grid.resolution=200e3",
        'grid.levels.nz="L8"',
        'model.physics.type="BasicPhysics"',
        'simulation.time_step="30min"',
        f'assimilation.method="{method}"',
    ]
    file = source.parent / "suite-area.toml"
    other = settings.read(file, [*sets, 'assimilation.window="3h"', 'observations.slot="30min"'])
    with pytest.raises(ValueError, match="window is 10800.0 of the area and 21600.0 of the chain"):
        areas.of(other, tmp_path / "other", print)
    cycles = areas.of(settings.read(file, sets), tmp_path / "out", lambda text: None)
    (result,) = cycles.run()
    assert 50 < result["screening"]["used"] < cycles.outer.stages[0].records["screening"]["used"]
    assert result["minimisation"]["residual"] < result["minimisation"]["departure"]
    folder = tmp_path / "out" / "window-0000"
    data = base.read(folder / "screened.parquet")
    analysed = int(cycles.suite.analysed(0).astype("i8"))
    wind = data.variable_is("eastward_wind") | data.variable_is("northward_wind")
    data = data.taken(data.used & wind & (np.abs(data["time"] - analysed) < 900))
    state = State(folder / "background.fathom")
    held, _ = state.space.held(state.space.columns(state.vector, state.fields), data)
    seen = linear.values(state.space.air, data, held)
    there = data["value"] - data["background_departure"]
    assert len(data) > 5 and np.sqrt(np.mean((seen - there) ** 2)) < 0.3
