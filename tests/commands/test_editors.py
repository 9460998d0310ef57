"""What editors and the tab key know of experiment files is what their reader takes."""

import json
import tomllib
from pathlib import Path

import pytest
import xarray as xr
from click.shell_completion import ShellComplete

import box
from fathom.commands.main import cli

jsonschema = pytest.importorskip("jsonschema")
experiments = sorted((Path(__file__).parents[2] / "experiments").glob("*.toml"))


@pytest.fixture(scope="module")
def of_files(tmp_path_factory):
    folder = tmp_path_factory.mktemp("schema")
    status, out, err = box.fathom("schema", "fathom.schema.json", folder=folder)
    assert (status, err) == (0, "") and "#:schema ./fathom.schema.json" in out
    made = json.loads((folder / "fathom.schema.json").read_text())
    jsonschema.Draft202012Validator.check_schema(made)
    return jsonschema.Draft202012Validator(made)


def test_every_experiment_keeps_to_the_schema(of_files):
    for file in experiments:
        tables = tomllib.loads(file.read_text())
        assert [error.message for error in of_files.iter_errors(tables)] == [], file.name


@pytest.mark.parametrize(
    "old, new",
    [
        ("viscosity = 1e4", "viscosty = 1e4"),
        ('type = "Ocean"', 'type = "Ocaen"'),
        ("nx = 24", "nx = true"),
        ("[simulation]", "[simulatoin]"),
        ('every = "1d"', 'evry = "1d"'),
    ],
)
def test_what_the_reader_refuses_the_schema_refuses(of_files, old, new, tmp_path):
    assert of_files.is_valid(tomllib.loads(box.text))
    wrong = box.text.replace(old, new)
    assert not of_files.is_valid(tomllib.loads(wrong))
    (tmp_path / "wrong.toml").write_text(wrong)
    assert box.fathom("show", "wrong.toml", folder=tmp_path)[0] == 2


def test_keys_have_their_meaning_and_default(of_files):
    ocean = of_files.schema["$defs"]["Ocean"]["properties"]
    assert ocean["bottom_drag"]["description"] and "default" in ocean["bottom_drag"]


def test_the_tab_key_offers_keys_of_the_file(tmp_path):
    file = str(box.write(tmp_path))
    completes = ShellComplete(cli, {}, "fathom", "_FATHOM_COMPLETE")

    def offered(begun):
        return [one.value for one in completes.get_completions(["run", file, "--set"], begun)]

    assert offered("mod") == ["model"]
    assert offered("model.frict") == ["model.friction"]
    assert offered("model.friction.vis") == ["model.friction.viscosity"]
    assert offered("simulation.time_s") == ["simulation.time_step"]
    assert offered("output.surface.x") == []


def test_the_tab_key_offers_variables_of_a_store(tmp_path):
    """Names in the file and Fathom's; nothing where there is no store."""
    file = tmp_path / "a.nc"
    made = xr.Dataset({"thetao": ("time", [1.0]), "time_bounds": ("time", [1.0]), "x": ((), 1.0)})
    made.to_netcdf(file)
    completes = ShellComplete(cli, {}, "fathom", "_FATHOM_COMPLETE")

    def offered(file, begun):
        return [one.value for one in completes.get_completions(["plot", str(file)], begun)]

    assert offered(file, "t") == ["temperature", "thetao"]
    assert offered(file, "") == ["temperature", "thetao", "x"]
    assert offered(tmp_path / "no.nc", "") == offered("s3://bucket/a.zarr", "") == []
