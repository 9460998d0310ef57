"""The first commands of a new user: an experiment to begin with, what it can write, where what it
wrote comes from."""

import json
import tomllib

import pytest

import box
import fathom as fm


def test_an_experiment_to_begin_with(tmp_path):
    status, out, err = box.fathom("new", folder=tmp_path)
    assert (status, err) == (0, "") and "ocean-1deg" in out and "Two gyres" in out
    status, out, err = box.fathom("new", "double-gyre", folder=tmp_path)
    assert (status, err) == (0, "") and "fathom run double-gyre.toml" in out
    assert tomllib.loads((tmp_path / "double-gyre.toml").read_text())["model"]["type"] == "Ocean"
    status, out, _ = box.fathom("show", "double-gyre.toml", folder=tmp_path)
    assert status == 0 and "Ocean at" in out
    for words, told in (
        (("new", "double-gyre"), "exists"),
        (("new", "dubble-gyre"), "did you mean 'double-gyre'"),
    ):
        status, _, err = box.fathom(*words, folder=tmp_path)
        assert status in (1, 2) and told in err and "Traceback" not in err


def test_files_that_an_experiment_names_come_with_it(tmp_path):
    status, out, err = box.fathom("new", "coupled-t42-3deg", folder=tmp_path)
    assert (status, err) == (0, "") and "coupled/air-t31.toml: a part of it" in out
    status, out, err = box.fathom("show", "coupled-t42-3deg.toml", folder=tmp_path)
    assert status == 0 and "atmosphere -> ocean" in out, err
    status, out, err = box.fathom("new", "suite-area", folder=tmp_path)
    assert (status, err) == (0, "") and "fathom cycle suite-area.toml" in out
    assert (tmp_path / "suite-t42.toml").is_file()


@pytest.mark.parametrize("what, some", [("double-gyre", "temperature"), ("shallow-water", "speed")])
def test_variables(tmp_path, what, some):
    status, out, err = box.fathom("variables", what, folder=tmp_path)
    assert (status, err) == (0, "")
    rows = {line.split()[0]: line for line in out.splitlines()[1:]}
    assert some in rows or any(some in name for name in rows)
    status, all_of_it, _ = box.fathom("variables", what, "--all", folder=tmp_path)
    assert status == 0 and len(all_of_it.splitlines()) > len(rows) + 1
    status, _, err = box.fathom("variables", "ocaen", folder=tmp_path)
    assert status == 2 and "did you mean" in err


def test_variables_can_be_asked_for(tmp_path):
    """What is listed for an experiment, its output takes."""
    box.write(tmp_path)
    _, out, _ = box.fathom("variables", "box.toml", folder=tmp_path)
    listed = [line.split() for line in out.splitlines()[1:]]
    fields = [words[0] for words in listed if "integral" not in words]
    assert {"temperature", "sea_surface_height", "mixed_layer_depth"} <= set(fields)
    every = json.dumps(fields)
    asked = ("--set", f'output."surface.zarr".variables={every}', "--for", "1d", "--no-report")
    status, _, err = box.fathom("run", "box.toml", *asked, "--out", "run", folder=tmp_path)
    assert (status, err) == (0, "")
    assert len(fm.open(tmp_path / "run" / "surface.zarr").data_vars) >= len(fields)


def test_where_a_file_comes_from(tmp_path, monkeypatch):
    monkeypatch.delenv("SOURCE_DATE_EPOCH")
    box.write(tmp_path)
    run = ("run", "box.toml", "--for", "1d", "--out", "run", "--no-report")
    assert box.fathom(*run, folder=tmp_path, LANG="C")[0] == 0  # a process of its own
    told = fm.open(tmp_path / "run" / "surface.zarr").attrs
    assert told["title"].startswith("Ocean on CartesianGrid")
    assert fm.__version__ in told["source"] and "fathom run box.toml" in told["history"]
    assert told["compiler"] and tomllib.loads(told["experiment"])["model"]["type"] == "Ocean"
    summary = box.summary(tmp_path / "run")
    for name in ("version", "build_compiler", "mpi", "python", "host", "date", "command"):
        assert summary[name], name
    assert summary["command"].startswith("fathom run box.toml")


def test_the_tab_key_offers_names(tmp_path):
    def offered(*words):
        asked = {"COMP_WORDS": " ".join(("fathom", *words)), "COMP_CWORD": str(len(words))}
        _, out, _ = box.fathom(folder=tmp_path, _FATHOM_COMPLETE="bash_complete", **asked)
        return [line.split(",")[1] for line in out.split()]

    assert offered("new", "ocean-1") == ["ocean-1deg"]
    assert "ocean" in offered("variables", "oc")
