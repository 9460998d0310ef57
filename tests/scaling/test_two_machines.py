"""Two machine files side by side; a busy machine is said to be one."""

import json
from pathlib import Path

import pytest

import box
from fathom.performance import load
from fathom.performance.scaling import here, machine
from fathom.performance.scaling.machine import Machine

folder = Path(machine.__file__).parent / "machines"


def test_two_machine_files(tmp_path):
    a = (folder / "cray-x1.toml").resolve()
    status, out, err = box.fathom("compare", a, a, "--json", "rows.json", folder=tmp_path)
    assert (status, err) == (0, "") and "network.latency" in out and "*" not in out
    b = (folder / "cray-xe6.toml").resolve()
    status, out, err = box.fathom("compare", a, b, "--json", "rows.json", folder=tmp_path)
    assert (status, err) == (0, "")
    rows = {row["quantity"]: row for row in json.loads((tmp_path / "rows.json").read_text())}
    first, second = machine.load("cray-x1"), machine.load("cray-xe6")
    assert rows["network.latency"]["before"] == first["network.latency"]
    assert rows["network.latency"]["now"] == second["network.latency"]
    box.write(tmp_path)
    status, _, err = box.fathom("compare", "box.toml", b, folder=tmp_path)
    assert status == 2 and "a machine has a name" in err and err.count("\n") == 1


@pytest.mark.parametrize("busy", [True, False])
def test_a_busy_machine_says_so(busy, monkeypatch, tmp_path, capsys):
    found = Machine("here", {"node.cores": 2, "noise.frequency": 9.0}, {
        "node.cores": "estimate", "noise.frequency": "measured",
    })  # fmt: skip
    told = {"others": 1.5 if busy else 0.0, "cores": 2, "interruptions": 90.0, "busy": busy}
    monkeypatch.setattr(here, "measure", lambda comm: found)
    monkeypatch.setattr(load, "so_far", lambda: told)
    here.show(None, tmp_path / "m.toml", True)
    said = capsys.readouterr().out
    written = (tmp_path / "m.toml").read_text()
    for text in (said, written):
        assert ("other programs took 1.5 of 2 cores" in text) == busy
        assert ("measured, while other programs ran" in text) == busy
