"""The benchmark on a device: its own figures, with the processor in its part."""

import json
import time

import pytest

import box
from fathom.performance.bench import on_device


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
    # the necessary memory traffic is the same; single launches move fields more often
    assert with_["bytes_per_step"] == pytest.approx(without["bytes_per_step"], rel=0.05)
    assert with_["bytes_per_step_one_by_one"] > 1.2 * with_["bytes_per_step"]
    there = with_["device"]
    assert there["name"] == "processor" and "Oceananigans" in out
    assert there["copy_bytes_per_second"] > 1e8
    assert with_["fraction_of_bandwidth"] == pytest.approx(
        with_["bytes_per_step"] / with_["seconds_per_step"] / there["copy_bytes_per_second"]
    )
    assert there["processor"] == {}


def test_power_is_of_the_second_half(monkeypatch, tmp_path):
    """As nvidia-smi says it, line by line; none where it cannot."""

    said = tmp_path / "said"

    class Taken:
        steps = 0

        def advance(self, steps):
            self.steps += steps
            while not said.exists():
                time.sleep(0.01)

    def driver(words):
        said.unlink(missing_ok=True)
        tool = tmp_path / "nvidia-smi"
        tool.write_text(f"#!/bin/sh\nprintf '{words}'\n: > {said}\n")
        tool.chmod(0o755)

    simulation = Taken()
    monkeypatch.setenv("PATH", str(tmp_path))
    assert on_device.power(simulation, 1.0) is None and simulation.steps == 0
    driver("100.0\\n200.0\\n400.0\\n600.0\\n")
    assert on_device.power(simulation, 1.0) == 500
    assert simulation.steps == on_device.watched
    driver("[N/A]\\n")
    assert on_device.power(simulation, 1.0) is None


def test_a_device_that_is_not_there(tmp_path):
    status, _, err = box.fathom("bench", "ocean", "--device", "gpu", folder=tmp_path)
    assert status == 2 and "device = 'gpu'; allowed: cuda, processor" in err
