"""The script that measures all figures of a machine with a GPU: its commands can be read, a file
that is there is kept, tables come from the files.
"""

import importlib.util
import json
from pathlib import Path

import pytest

from fathom.commands import bench
from fathom.performance.bench import on_device, transform_on_device, transforms

path = Path(__file__).parents[3] / "experiments" / "device_figures.py"
spec = importlib.util.spec_from_file_location("device_figures", path)
script = importlib.util.module_from_spec(spec)
spec.loader.exec_module(script)


@pytest.mark.parametrize("small", [False, True])
@pytest.mark.parametrize("name", script.benches)
def test_commands(name, small):
    options, smaller = script.benches[name]
    part, *words = options.split()
    words += smaller.split() if small else []
    bench.bench.commands[part].make_context(part, [*words, "--device", "processor"])


def test_files_of_tests_exist():
    folder = path.parents[1]
    assert all(
        (folder / file).is_file() for files in script.tests.values() for file in files.split()
    )


def test_tables(tmp_path, capsys, monkeypatch):
    monkeypatch.setattr(on_device, "power", lambda advance, seconds: 500.0)
    case = transforms.Case(truncation=10, fields=2, repetitions=1, device="processor", peers=False)
    found = transform_on_device.measure(case)
    (tmp_path / "transform-t159.json").write_text(json.dumps(found))
    junit = tmp_path / "tests-steps.xml"
    junit.write_text(
        '<testsuites><testsuite tests="4" failures="1" errors="0" skipped="1" time="2.5">'
        '<testcase classname="a" name="b"><failure/></testcase></testsuite></testsuites>'
    )
    assert script.tested(junit) == "a::b"
    lines = script.tables(tmp_path)
    share = 100 * found["fraction_of_bandwidth"]
    (line,) = (line for line in lines if line.startswith("| transform-t159"))
    assert f"| {1e3 * found['milliseconds_per_pair']:.3g} µs | {share:.0f} %" in line
    assert "| tests-steps | 2 | 1 | 1 | 2 s |" in lines
    # nothing is measured again
    (tmp_path / "library.json").write_text("{}")
    assert script.measure(tmp_path, "processor", "transform-t159", True) == {}
