"""Two profiles compared: settings, regions, a picture."""

import json

import pytest

from fathom.performance import comparison


def profile(seconds, **settings):
    text = "\n".join(["[model]", *(f"{name} = {value}" for name, value in settings.items())])
    return {
        "configuration": text,
        "seconds_per_step": sum(seconds.values()),
        "steps": 8,
        "ranks": 1,
        "threads": 1,
        "samples": {name: [value, 1.01 * value, 0.99 * value] for name, value in seconds.items()},
    }


@pytest.fixture
def two(tmp_path):
    before = profile({"KPP": 1e-3, "advection": 2e-3, "solve": 3e-3}, viscosity=1e4, step=1)
    now = profile({"KPP": 1e-3, "advection": 4e-3, "solve": 3e-3}, viscosity=2e4, eddies=1)
    paths = tmp_path / "before.json", tmp_path / "now.json"
    for path, found in zip(paths, (before, now)):
        path.write_text(json.dumps(found))
    return paths


def test_says_what_was_set_otherwise_and_what_became_slower(two, tmp_path, capsys):
    picture = tmp_path / "both.png"
    assert comparison.present(*two, picture=picture) == 0
    said = capsys.readouterr().out
    assert "model.viscosity: 10000.0, then 20000.0" in said
    assert "model.step: 1, then not set" in said and "model.eddies: not set, then 1" in said
    assert [line for line in said.splitlines() if "advection" in line and "slower" in line]
    assert picture.read_bytes().startswith(b"\x89PNG")


def test_runs_have_their_settings_beside_them(tmp_path):
    for name, value in (("a", 1), ("b", 2)):
        (tmp_path / name).mkdir()
        (tmp_path / name / "resolved.toml").write_text(f"[grid]\nnx = {value}\n")
    settings = [comparison.configuration(tmp_path / name, {}) for name in "ab"]
    assert comparison.parameters(*settings) == ["grid.nx: 1, then 2"]
    assert comparison.configuration(tmp_path / "a" / "profile.json", {}) == {}
