"""The page of benches over time: a curve for each case and machine, alarms marked, as data too."""

import importlib
import json
import sys
from pathlib import Path

import pytest

from fathom.performance import history


@pytest.fixture
def dashboard(monkeypatch):
    tools = Path(__file__).parents[2] / "tools"
    monkeypatch.setattr(sys, "path", [str(tools), *sys.path])
    return importlib.import_module("dashboard")


def test_page_and_data(dashboard, tmp_path):
    for machine in ("one", "another"):
        for step in (1.0, 1.0, 2.0):
            entry = {"case": "bench limited-area", "machine": machine, "commit": "abc1234"}
            entry |= {"samples": {"step": [step]}, "seconds_per_step": step, "ranks": 1}
            history.record(tmp_path / "h", entry)
    out, data = tmp_path / "d.html", tmp_path / "d.json"
    assert dashboard.main([str(tmp_path / "h"), "--out", str(out), "--json", str(data)]) == 0
    records = json.loads(data.read_text())
    assert {r["machine"] for r in records} == {"one", "another"}
    for record in records:
        assert [p["seconds"] for p in record["entries"]] == [1.0, 1.0, 2.0]
        assert [p["alarm"] for p in record["entries"]] == [False, False, True]
    text = out.read_text()
    assert text.count("data:image/png") == 2 and "bench limited-area" in text
    with pytest.raises(ValueError, match="is no folder of a history"):
        dashboard.main([str(tmp_path / "nowhere")])
