"""Nets and functions of columns as schemes: what they compute, where they are refused, the same
bits on any ranks, blocks and sizes of batches.
"""

import json
import sys
import time
from itertools import pairwise

import numpy as np
import pytest

import fathom as fm
from fathom.base.failure import RunError
from fathom.run.experiment.experiment import Experiment
from fathom.run.experiment.toml import Document
from small_nets import net

update = "TracerUpdate of temperature"
nz, day = 3, 86400.0
temperature = fm.reads("temperature", "center layer", "degC")
tendency = fm.updates("temperature_tendency", "center layer", "degC m3 s-1")
radiation = {
    "inputs": [
        *(fm.reads("air_temperature", "center layer", "K"),),
        *(fm.reads("surface_emission", "center column", "W m-2"),),
    ],
    "outputs": [
        fm.writes("shortwave_share", "center interface", "1"),
        fm.writes("longwave_flux", "center interface", "W m-2"),
        fm.writes("emission_share", "center interface", "1"),
        fm.writes("emission_seen", "center column", "W m-2"),
        fm.writes("surface_downward_longwave", "center column", "W m-2"),
    ],
}


def tank(**more):
    """Water with a sea floor in two depths, and land."""
    depth = np.full((10, 12), 300.0)
    depth[:, 6:], depth[4:6, :3] = 150.0, 0.0
    grid = fm.CartesianGrid(
        nx=12, ny=10, extent=(1.2e6, 1e6), bathymetry=depth, levels=fm.ZLevels(nz=nz, depth=300)
    )
    return fm.Ocean(grid, coriolis=(1e-4, 0), **more).set(
        temperature=lambda x, y, z: 4 + x / 4e5 + y / 1e6 - z / 200, salinity=35.0
    )


def relaxing(folder, **more):
    """A net that draws temperature to 10 degC within a day."""
    file = net(folder / "relax.onnx", [-np.eye(nz) / day], [np.full(nz, 10 / day)])
    return fm.load_scheme(file, [temperature], [tendency], thickness="thickness", **more)


def curved(folder, **more):
    """A net with two layers of tanh."""
    random = np.random.default_rng(3)
    W = [random.normal(size=(nz, 19)), random.normal(size=(19, 13)), random.normal(size=(13, nz))]
    file = net(
        folder / "curved.onnx", [W[0], W[1], W[2] / 1e6], [np.ones(19), np.ones(13), 0 * W[2][0]]
    )
    return fm.load_scheme(file, [temperature], [tendency], thickness="thickness", **more)


def after(model, steps=6, step="1h", **more):
    sim = fm.Simulation(model, time_step=step, **more).prepare()
    sim.advance(steps)
    return sim


def air(*schemes, truncation=15, **more):
    """A small aquaplanet; schemes: in the place of its radiation."""
    grid = fm.GaussianGrid(truncation, grid="linear", levels=fm.HybridLevels("L8"))
    physics = fm.BasicPhysics(radiation_every="2h", sunlight=fm.Sunlight(fixed_season=1))
    model = fm.SpectralAtmosphere(grid, physics=physics, precision="fp32", **more).set(
        air_temperature=lambda lon, lat, p: np.maximum(
            210, (273 + 25 * np.cos(np.deg2rad(lat)) ** 2 + np.sin(np.deg2rad(3 * lon)))
            * (p / 1e5) ** 0.19,
        ),
        specific_humidity=lambda lon, lat, p: 0.01 * np.cos(np.deg2rad(lat)) ** 4 * (p / 1e5) ** 3,
        sea_surface_temperature=lambda lon, lat: 274 + 25 * np.cos(np.deg2rad(lat)) ** 2,
    )  # fmt: skip
    for scheme in schemes:
        model.insert(scheme, instead_of="Radiation")
    return model


def of_radiation(folder, levels=8, **more):
    """A net of the shape of radiation, with numbers of no meaning."""
    wide = 3 * (levels + 1) + 2
    file = net(folder / "sky.onnx", [np.full((levels + 1, wide), 1e-3)], [np.full(wide, 0.2)])
    return fm.load_scheme(file, **radiation, every="2h", **more)


# ---- what it computes ----------------------------------------------------------------------------


def test_a_net_is_the_function_that_it_holds(tmp_path):
    """To 32-bit numbers, over a sea floor and beside land."""

    def relaxed(temperature, area_center, thickness, wet_levels, temperature_tendency):
        inside = np.arange(nz)[:, None, None] < wet_levels
        volume = area_center * thickness[:, None, None] * inside
        temperature_tendency += volume * (10 - temperature) / day

    fields = [
        *(temperature, tendency, fm.reads("thickness", "layer profile", "m")),
        *(fm.reads("area_center", "center column", "m2"),),
        *(fm.reads("wet_levels", "center column", "1"),),
    ]
    plain = after(tank().insert(fm.PythonScheme(relaxed, fields), before=update))
    learned = after(tank().insert(relaxing(tmp_path), before=update))
    found, expected = learned.gather("temperature"), plain.gather("temperature")
    assert np.abs(expected - after(tank()).gather("temperature")).max() > 0.5
    np.testing.assert_allclose(found, expected, rtol=1e-6)


def test_a_function_comes_by_the_same_door(tmp_path):
    def pull(temperature):
        return (np.float32(10 / day) - temperature * np.float32(1 / day),)

    function = fm.load_scheme(pull, [temperature], [tendency], thickness="thickness")
    found = [
        after(tank().insert(scheme, before=update)).gather("temperature")
        for scheme in (function, relaxing(tmp_path))
    ]
    np.testing.assert_allclose(*found, rtol=1e-6)


def test_neither_batches_nor_blocks_nor_threads_change_bits(tmp_path):
    alone = after(tank().insert(curved(tmp_path), before=update)).checksum()
    assert alone != after(tank()).checksum()
    for batch, spread in (
        (1, {}),
        (7, {"blocks": (5, 3), "threads": 2}),
        (64, {"blocks": (12, 2)}),
    ):
        model = tank().insert(curved(tmp_path, batch=batch), before=update)
        assert after(model, parallel=spread).checksum() == alone


def test_a_function_that_looks_at_other_columns_gets_one_at_a_time():
    def crowd(temperature):
        return temperature * 0 + len(temperature) + temperature.mean(0) * 1e-6

    scheme = fm.load_scheme(crowd, [temperature], [tendency], batch=8)
    scheme.check(nz)
    assert scheme.batches.size == 1


def test_a_restart_is_no_restart(tmp_path):
    make = lambda: fm.Simulation(
        air(of_radiation(tmp_path, fallback="clip")), time_step="1h", directory=tmp_path
    )
    whole, part = make().prepare(), make().prepare()
    whole.advance(5), part.advance(3)
    again = make().restore(part.write_restart(tmp_path / "restart.fathom")).prepare()
    again.advance(2)
    assert again.checksum() == whole.checksum()


@pytest.mark.long
def test_inference_takes_at_most_twice_the_runtime_alone(tmp_path, capsys):
    """A net of two layers of 128 numbers in each column of T31, on one thread: fields in, checked,
    and out, against one call of onnxruntime with all columns; processor time.
    """
    random, wide = np.random.default_rng(1), 3 * 9 + 2
    sizes = [10, 128, 128, wide]
    W = [random.normal(size=s) / np.sqrt(s[0]) / 100 for s in pairwise(sizes)]
    W[0][:-1] /= 300
    b = [np.full(n, 0.1) for n in sizes[1:]]
    file = net(tmp_path / "sky.onnx", W, b)
    surface = [fm.reads("surface_temperature", "center column", "K")]
    inputs = [*radiation["inputs"], *surface]
    scheme = fm.load_scheme(file, {"x": inputs}, {"y": radiation["outputs"]}, fallback="clip")
    spent, work = [], scheme._work

    def timed(blocks):
        began = time.process_time()
        work(blocks)
        spent.append(time.process_time() - began)

    scheme._work = timed
    after(air(scheme, truncation=31), 10, parallel={"threads": 1})
    x = random.normal(size=(64 * 32, 10)).astype(np.float32)
    alone = []
    for _ in range(20):
        began = time.process_time()
        scheme.batches.function({"x": x})
        alone.append(time.process_time() - began)
    with capsys.disabled():
        print(f"\n{min(spent) * 1e3:.1f} ms in the step, {min(alone) * 1e3:.1f} ms alone")
    assert min(spent) < 2 * min(alone)


# ---- ranges and the fall-back --------------------------------------------------------------------

cold = {"air_temperature": (1.0, 2.0)}  # no air is as cold


def test_a_fall_back_in_every_column_is_the_scheme_itself(tmp_path):
    usual = after(air(), 4).checksum()
    scheme = of_radiation(tmp_path, within=cold, fallback="Radiation")
    sim = after(air(scheme), 4)
    assert sim.checksum() == usual and sim.gather("sky_fallback").min() == 1
    assert after(air(of_radiation(tmp_path)), 4).checksum() != usual


def test_the_fall_back_works_column_by_column(tmp_path):
    """Where the lowest air is below 285 K the net is used, elsewhere Radiation."""
    warm = {"air_temperature": (150.0, 285.0)}
    of = lambda *schemes: after(air(*schemes), 1)
    mixed = of(of_radiation(tmp_path, within=warm, fallback="Radiation"))
    share = mixed.gather("sky_fallback")[0]
    assert 0.2 < share.mean() < 0.8
    pure = of(of_radiation(tmp_path)), of()
    found, net_alone, scheme = (s.gather("longwave_flux") for s in (mixed, *pure))
    np.testing.assert_array_equal(found, np.where(share == 1, scheme, net_alone))


def test_a_fall_back_in_the_sea(tmp_path):
    """A scheme that reads a profile, over a sea floor: density by a net that is never asked."""
    file = net(tmp_path / "rho.onnx", [np.zeros((2 * nz, 2 * nz + 1))], [np.zeros(2 * nz + 1)])
    fields = [temperature, fm.reads("salinity", "center layer", "1e-3")]
    made = [
        *(fm.writes("density_anomaly", "center layer", "kg m-3"),),
        *(fm.writes("stratification", "center interface", "s-2"),),
    ]
    more = {"thickness": "thickness", "within": {"temperature": (90, 99)}}
    linear = fm.LinearEquationOfState()
    scheme = fm.load_scheme(file, {"x": fields}, {"y": made}, fallback=linear, **more)
    usual = after(tank(equation_of_state=linear))
    own = tank(equation_of_state=linear).insert(scheme, instead_of="LinearEquationOfState")
    np.testing.assert_array_equal(after(own).gather("temperature"), usual.gather("temperature"))


def test_the_share_of_the_fall_back_is_output(tmp_path):
    """Its mean over a run, and the time of the scheme in the profile."""
    warm = {"air_temperature": (150.0, 285.0)}
    model = air(of_radiation(tmp_path, within=warm, fallback="Radiation"))
    sim = fm.Simulation(model, time_step="1h", directory=tmp_path)
    sim.output("share.nc", ["sky_fallback"], every="4h", statistic="mean")
    sim.run("4h", report=False)
    with fm.open(tmp_path / "share.nc") as found:
        assert 0.2 < found["sky_fallback"][-1].mean() < 0.8
    assert any("sky" in str(line) for _, line in sim.describe()[1])


def test_a_column_beyond_the_ranges_ends_the_run(tmp_path):
    scheme = relaxing(tmp_path, within={"temperature": (0, 5)})
    with pytest.raises(
        RunError, match=r"temperature = [5-9].* degC in \d+ columns; it knows 0 to 5"
    ):
        after(tank().insert(scheme, before=update))
    scheme = relaxing(tmp_path, bounds={"temperature_tendency": (-1e-9, 1e-9)})
    with pytest.raises(
        RunError, match="temperature_tendency = .* columns; it knows -1e-09 to 1e-09"
    ):
        after(tank().insert(scheme, before=update))


@pytest.mark.parametrize("fallback, most", [("clip", 1e-6), ("nothing", 0.0)])
def test_cut_or_nothing(tmp_path, fallback, most):
    bounds = {"temperature_tendency": (-most - 1e-12, most + 1e-12)}
    scheme = relaxing(tmp_path, bounds=bounds, fallback=fallback)
    sim = after(tank().insert(scheme, before=update), 1)
    gained = sim.gather("temperature") - after(tank(), 1).gather("temperature")
    assert sim.gather("relax_fallback")[0].max() == 1
    assert np.abs(gained).max() == pytest.approx(3600 * most, rel=0.01, abs=1e-9)


def test_a_sum_that_is_kept(tmp_path):
    """The heat of a column does not change, and the diagnostic tells what was added to it."""
    scheme = curved(tmp_path, conserve="temperature_tendency")
    sim, plain = after(tank().insert(scheme, before=update), 1), after(tank(), 1)
    gained = sim.gather("temperature") - plain.gather("temperature")
    wet = tank().grid.wet_levels
    inside = np.arange(nz)[:, None, None] < wet
    depth = np.asarray(tank().grid.levels.weights)[:, None, None] * inside
    gained = np.where(inside, gained, 0.0)
    assert np.abs(gained).max() > 1e-4
    assert (
        np.abs((gained * depth).sum(0)).max() < 1e-3 * np.abs(gained * depth).max()
    )  # the sea surface moves
    free = after(tank().insert(curved(tmp_path), before=update), 1).gather("temperature")
    lost = (np.where(inside, free - plain.gather("temperature"), 0.0) * depth).sum(0)
    fix = sim.gather("curved_temperature_fix")[0]
    area = 1.2e6 / 12 * 1e6 / 10
    np.testing.assert_allclose(-fix * 3600 / area, lost, rtol=1e-3, atol=1e-4)


# ---- refused -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "more, said",
    [
        ({"inputs": {"z": [temperature]}}, "inputs are z; those of the net are x"),
        ({"inputs": [temperature, temperature]}, "input 'x' of the net has 3 numbers a column;"),
        ({"outputs": None}, "which fields are its outputs y?"),
        ({"outputs": [fm.reads("temperature_tendency", "center layer", "1")]}, "one that it reads"),
        ({"inputs": [fm.reads("velocity_x", "corner vector layer", "m s-1")]}, "lies at 'corner"),
        ({"inputs": ["temperature"]}, "declares no field"),
        ({"within": {"temperatur": (0, 1)}}, "did you mean 'temperature'"),
        ({"within": {"temperature": (1, 1)}}, "must be \\(least, most\\)"),
        ({"fallback": "clipp"}, "did you mean 'clip'"),
        ({"fallback": "KPP"}, "KPP.* makes no temperature_tendency"),
        ({"conserve": "salinity_tendency"}, "conserve 'salinity_tendency'"),
        ({"conserve": "energy"}, "needs an output in the layers that is added to air_temp"),
        ({"batch": 0}, "must be a whole number from 1"),
        (
            {"inputs": [fm.reads("temperature", "center layer", "K")]},
            "in K; others have it in degC",
        ),
    ],
)
def test_what_does_not_match(tmp_path, more, said):
    file = net(tmp_path / "relax.onnx", [np.eye(nz)], [np.zeros(nz)])
    given = {"inputs": [temperature], "outputs": [tendency], "thickness": "thickness"} | more
    with pytest.raises(fm.InputError, match=said):
        fm.Simulation(tank().insert(fm.load_scheme(file, **given), before=update), "1h").prepare()


def test_a_gradient_refuses_a_net_that_nobody_has_frozen(tmp_path):
    """Else its part would be missing without a word; frozen, it is named."""
    net_ = relaxing(tmp_path)
    with pytest.raises(fm.InputError, match=r"relax computes in Python: .*freeze = \['relax'\]"):
        fm.adjoint(
            fm.Simulation(tank().insert(net_, before=update), "1h"), fm.Average("temperature"), "3h"
        )
    sim = fm.Simulation(tank().insert(net_, before=update), "1h")
    found = fm.adjoint(
        sim,
        lambda state: (state.temperature * 0 + 1.0).rename("temperature"),
        "3h",
        freeze=["relax"],
    )
    assert "relax" in found.frozen


def test_files_that_are_refused(tmp_path):
    given = {"inputs": [temperature], "outputs": [tendency]}
    with pytest.raises(FileNotFoundError, match=r"none\.onnx: no such file"):
        fm.load_scheme(tmp_path / "none.onnx", **given)
    (tmp_path / "text.onnx").write_text("no net")
    with pytest.raises(fm.InputError, match="is no file of ONNX"):
        fm.load_scheme(tmp_path / "text.onnx", **given)
    other = net(tmp_path / "o.onnx", [np.eye(3)], [np.zeros(3)], last="Own", domain="org.other")
    with pytest.raises(fm.InputError, match="operators of org.other are code of others"):
        fm.load_scheme(other, **given)
    said = {"inputs": {"x": [["temperature", "center layer", "K"]]}}
    other = net(tmp_path / "k.onnx", [np.eye(3)], [np.zeros(3)], declared=said)
    with pytest.raises(
        fm.InputError, match=r"temperature \[degC\].* differ from those of the file"
    ):
        fm.load_scheme(other, **given)
    outputs = [fm.writes(n, "center column", "1") for n in "ab"]
    one = fm.load_scheme(lambda temperature: temperature, [temperature], outputs)
    with pytest.raises(fm.InputError, match="returns 1 arrays; its outputs are a, b"):
        one.check(nz)


# ---- files ---------------------------------------------------------------------------------------

toml = f"""
[grid]
type = "CartesianGrid"
nx = 12
ny = 10
extent = [1.2e6, 1e6]
levels = {{ type = "ZLevels", nz = 3, depth = 300 }}
[model]
type = "Ocean"
coriolis = [1e-4, 0]
[[model.extra_processes]]
type = "LearnedScheme"
what = "FILE"
thickness = "thickness"
fallback = "clip"
before = "{update}"
[state]
temperature = 4
salinity = 35
[simulation]
time_step = "1h"
run = "2h"
"""


def test_a_file_says_its_fields_and_a_record_repeats_them(tmp_path):
    declared = {
        "inputs": {"x": [["temperature", "center layer", "degC"]]},
        "outputs": {"y": [["temperature_tendency", "center layer", "degC m3 s-1"]]},
        "within": {"temperature": [-2, 40]},
    }
    net(tmp_path / "r.onnx", [-np.eye(nz) / day], [np.full(nz, 10 / day)], declared=declared)
    found = Experiment(Document(toml.replace("FILE", str(tmp_path / "r.onnx")), "own.toml"))
    (own,) = found.model.extra_processes
    assert own.process.within == {"temperature": (-2.0, 40.0)}
    again = Experiment(Document(found.resolved()))
    (same,) = again.model.extra_processes
    assert same.process.inputs == own.process.inputs and same.process.within == own.process.within
    assert after(again.model).checksum() == after(found.model).checksum()


# ---- ranks ---------------------------------------------------------------------------------------


def main(folder):
    from pathlib import Path

    warm = {"air_temperature": (150.0, 285.0)}
    folder = Path(folder)
    models = (
        lambda: tank().insert(curved(folder, batch=16), before=update),
        lambda: air(of_radiation(folder, within=warm, fallback="Radiation")),
    )
    said = [after(make(), 4).checksum() for make in models]
    from fathom.base import mpi

    if mpi.is_root:
        print(json.dumps(said))


def test_any_ranks(on_ranks, tmp_path):
    curved(tmp_path), of_radiation(tmp_path)
    alone = on_ranks(1, __file__, tmp_path)
    assert on_ranks(3, __file__, tmp_path) == alone


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
