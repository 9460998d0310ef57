"""The benchmarks on a device: its own figures, with the processor in its part."""

import json
import time

import pytest

import box
import cases as oceans
import computers
import fathom as fm
import small_atmospheres
from fathom.base import mpi, regions
from fathom.commands import bench
from fathom.grids.transform import SphericalHarmonics
from fathom.performance.bench import (
    atmosphere,
    gridpoint,
    limited_area,
    ocean,
    on_device,
    recorded,
    traffic,
    transform_on_device,
    transforms,
)
from fathom.performance.profile import run as profile_run
from fathom.plots.report import timeline


@pytest.mark.long
def test_bench(tmp_path):
    file = tmp_path / "b.json"
    small = ("--grid", "3deg", "--steps", 2, "--spin-up", 2, "--no-peers", "--json", file)
    found = []
    for more in ((), ("--device", "processor")):
        status, out, err = box.fathom("bench", "ocean", *small, *more, folder=tmp_path)
        assert (status, err) == (0, "")
        found.append(json.loads(file.read_text()))
    without, with_ = found
    assert without["device"] is None
    # single launches move fields more often; the solver counts where a cache does not hold it
    more = [f["bytes_per_step_one_by_one"] - f["bytes_per_step"] for f in found]
    assert more[1] == pytest.approx(more[0], rel=0.05) and more[0] > 0.2 * without["bytes_per_step"]
    assert with_["bytes_per_step"] > 0.95 * without["bytes_per_step"]
    there = with_["device"]
    assert there["name"] == "processor" and "Oceananigans" in out
    assert there["copy_bytes_per_second"] > 1e8
    assert with_["fraction_of_bandwidth"] == pytest.approx(
        with_["bytes_per_step"] / with_["seconds_per_step"] / there["copy_bytes_per_second"]
    )
    assert there["processor"] == {}


def test_transform(tmp_path):
    """Bytes by hand, the bits of the processor, and the processor's cores."""
    case = transforms.Case(truncation=21, fields=6, repetitions=2, device="processor")
    f = transform_on_device.measure(case)
    assert transform_on_device.present(f, tmp_path / "t.json") == 0
    rows, longest = 24, 48  # pairs of rows lie together by eight
    functions, coefficients = 16 * 22 * 23 / 2, 22 * 23
    must = 2 * 8 * (functions / 6 + coefficients + rows * longest)
    assert f["bytes_per_pair"] == pytest.approx(must)
    entries = 2 * rows * 22  # written and read each way
    assert f["bytes_per_pair_one_by_one"] == pytest.approx(must + 2 * 2 * 8 * entries, rel=0.1)
    assert f["legendre_operations_per_pair"] == pytest.approx(2 * 4 * functions)
    there = f["device"]
    seconds = f["milliseconds_per_pair"] / 1e3
    share = must / seconds / there["copy_bytes_per_second"]
    assert f["fraction_of_bandwidth"] == pytest.approx(share)
    compared = there["processor"]
    ratio = compared["milliseconds_per_pair"] / f["milliseconds_per_pair"]
    assert compared["ranks"] >= 1 and compared["over_device"] == pytest.approx(ratio)
    assert f["round_trip_error"] < 1e-12


@pytest.mark.parametrize("precision", ["fp64", "fp32"])
def test_bits_of_a_transform(precision):
    transform = SphericalHarmonics(10, precision=precision)
    pair = transforms.Pair(transform, 3)
    pair.once(time.perf_counter)
    here = pair.field.tobytes(), pair.back.tobytes()
    pair.field[:], pair.back[:] = 0, 0
    pair.on(fm.model.device.open("processor"), 2)
    assert (pair.field.tobytes(), pair.back.tobytes()) == here


def test_spectral_parts_count_the_same():
    """A device moves what the processor moves."""
    found = []
    for device in (None, "processor"):
        s = small_atmospheres.held_suarez(truncation=10, levels=4, tracers=("smoke",))
        s.parallel["device"] = device
        s.advance(2)
        spent = s.find(mpi.core.SpectralProcess).spent
        found.append({part: spent[part][1:] for part in traffic.spectral_parts})
    assert found[0] == found[1] and all(bytes_ > 0 for _, bytes_ in found[0].values())


cases = (
    atmosphere.Case("physics-t31l8", steps=4, spin_up=1, device="processor", peers=False),
    gridpoint.Case(nx=16, levels=8, steps=2, spin_up=1, device="processor", peer=False),
)


@pytest.mark.parametrize("case", cases, ids=lambda case: case.command)
def test_an_atmosphere(case, tmp_path, monkeypatch):
    monkeypatch.setattr(on_device, "power", lambda advance, seconds: 500.0)
    f = on_device.measure(case)
    assert on_device.present(f, tmp_path / "a.json") == 0
    assert f["left"] == []
    seconds, there = f["seconds_per_step"], f["device"]
    assert f["simulated_days_per_day"] == pytest.approx(f["step"] / seconds)
    assert sum(f["phases"].values()) < 1.01 * seconds
    assert f["fraction_of_bandwidth"] == pytest.approx(
        f["bytes_per_step"] / seconds / there["copy_bytes_per_second"]
    )
    # passes over fields of four bytes
    passes = f["bytes_per_step"] / 4 / f["cells"]
    assert 20 < passes < 1000
    assert f["bytes_per_step_one_by_one"] > 1.05 * f["bytes_per_step"]
    assert there["joules_per_step"] == pytest.approx(500 * seconds)
    steps = 365.2425 * 86400 / f["step"]
    hours = there["kilowatt_hours_per_simulated_year"]
    assert hours == pytest.approx(0.5 * seconds * steps / 3600)
    assert recorded.profile(case.command, f)["seconds_per_step"] > 0


def test_bytes_of_the_helmholtz_search():
    """Of one product a solve: five coefficients, ten vectors."""

    class Solve:
        iterations, solves = 3, 3

    search = on_device.Search.__new__(on_device.Search)
    search.solve, search.before = Solve, (0, 0)
    grid = type("Grid", (), {"wet_cells": 100})
    search.model = type(
        "Model",
        (),
        {"solver": "gcr", "solver_precision": "fp32", "grid": grid, "precision": "fp64"},
    )
    assert search.bytes(1) == 3 * 15 * 100 * 4


@pytest.mark.parametrize("kind", [ocean, atmosphere, limited_area, gridpoint, transforms])
def test_the_command_of_the_processor(kind):
    """It has the settings of the case, and no device."""
    case = kind.Case(device="cuda", **({"steps": 200} if kind is not transforms else {}))
    command = bench.bench.commands[case.command]
    given = command.make_context(case.command, on_device.options(case)).params
    assert given["device"] is None and not given.get("peers", given.get("peer"))
    assert given.get("steps", 48) == 48
    kept = "truncation" if kind is transforms else "precision"
    assert given[kept] == getattr(case, kept)


def test_a_process_is_timed_apart_early():
    s = small_atmospheres.held_suarez(truncation=10, levels=4)
    s.parallel["device"] = "processor"
    s.advance(3)
    seconds = {t["seconds"] for t in s.sequence.timings if t["calls"] and t["seconds"]}
    assert len(seconds) > 5


def test_launches_and_copies_are_regions():
    """The processor computes a free surface with a factorised matrix."""
    model = oceans.stirred(oceans.box(free_surface=computers.surface()))
    s = fm.Simulation(model, "1h", parallel={"device": "processor"})
    s.advance(2)
    regions.begin(s.comm, 10000)
    s.advance(3)
    held = {r["region"]: r for r in regions.mine()}
    assert held["kernels"]["calls"] >= 3 and held["BarotropicSolve"]["calls"] >= 3
    for way in ("to", "from"):
        copied = held[f"copies {way} the device"]
        assert copied["kind"] == "copy" and copied["calls"] >= 3
    drawn = timeline.Timeline(regions.traced(s.comm))
    assert {timeline.copies, "solver"} <= {bar.state for bar in drawn.states[0]}


def test_the_limit_of_a_process_is_of_the_device():
    s = small_atmospheres.held_suarez(truncation=10, levels=4)
    s.parallel["device"] = "processor"
    s.advance(2)
    regions.begin(s.comm)
    s.advance(2)
    found, limits = profile_run.rates(s, regions.mine())
    assert limits.startswith("processor: copies within it")
    one = found["PrimitiveEquations"]
    assert one["limit"] == "memory of the device" and not one["operations"]
    fields = one["bytes"] / 8 / s.model.grid.wet_cells
    assert 5 < fields < 60
    rate = one["bytes"] / one["seconds"] / 1e9
    assert one["gigabytes_per_second"] == pytest.approx(rate) and one["fraction"] > 0


def test_power_is_of_the_second_half(monkeypatch, tmp_path):
    """As nvidia-smi says it, line by line; none where it cannot."""

    said = tmp_path / "said"

    class Taken:
        steps = 0

        def advance(self, steps):
            self.steps += steps
            end = time.monotonic() + 20
            while not said.exists() and time.monotonic() < end:
                time.sleep(0.01)

    def driver(words):
        said.unlink(missing_ok=True)
        tool = tmp_path / "nvidia-smi"
        tool.write_text(f"#!/bin/sh\nprintf '{words}'\n: > {said}\n")
        tool.chmod(0o755)

    simulation = Taken()
    monkeypatch.setenv("PATH", str(tmp_path))
    assert on_device.power(simulation.advance, 1.0) is None and simulation.steps == 0
    driver("100.0\\n200.0\\n400.0\\n600.0\\n")
    assert on_device.power(simulation.advance, 1.0) == 500
    assert simulation.steps == on_device.watched
    driver("[N/A]\\n")
    assert on_device.power(simulation.advance, 1.0) is None


@pytest.mark.parametrize("part", ["ocean", "transform", "atmosphere", "gridpoint", "limited-area"])
def test_a_device_that_is_not_there(part, tmp_path):
    status, _, err = box.fathom("bench", part, "--device", "gpu", folder=tmp_path)
    assert status == 2 and "device = 'gpu'; allowed: cuda, processor" in err
