"""The registry of formats: which one a path means, what a script adds, what a writer must have."""

import pytest

import fathom as fm
from fathom import output
from fathom.output import formats
from fathom.output.formats.writer import CollectiveWriter, Writer


@pytest.fixture
def own(monkeypatch):
    monkeypatch.setattr(formats, "_registered", {})
    return formats.register(
        formats.Format(".own", "a folder", "no.such:Writer", lambda path: f"read {path.name}")
    )


def test_a_script_adds_one(own, tmp_path):
    assert formats.of_ending("a.own") is own and ".own" in formats.readable()
    assert formats.of_every_grid() == ".zarr or .nc or .own"


def test_folders_are_what_their_ending_says(own, tmp_path):
    for name, meant in (("a.own", ".own"), ("a.fa", ".fa"), ("a.zarr", ".zarr"), ("a", ".zarr")):
        folder = tmp_path / name
        folder.mkdir()
        assert formats.of_content(folder).ending == meant


def test_what_a_file_holds_comes_before_its_ending(tmp_path):
    folder = tmp_path / "a.nc"
    folder.mkdir()
    (folder / "zarr.json").touch()
    assert formats.of_content(folder).ending == ".zarr"
    (tmp_path / "b.data").write_bytes(b"CDF\x02" + bytes(8))
    assert formats.of_content(tmp_path / "b.data").ending == ".nc"
    (tmp_path / "c.pp").write_bytes(bytes(12))
    with pytest.raises(fm.InputError, match=r"c\.pp is in no format that is read"):
        formats.of_content(tmp_path / "c.pp")


def test_a_folder_of_stores_names_them(tmp_path):
    for name in ("surface.zarr", "ocean.zarr"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "zarr.json").touch()
    with pytest.raises(ValueError, match=r"stores in it: ocean\.zarr, surface\.zarr"):
        fm.open(tmp_path)


def test_an_unknown_ending_is_an_error():
    with pytest.raises(
        ValueError, match=r"\.nc \(NetCDF-4\).*not in '\.zar'; did you mean '\.zarr'"
    ):
        output.writer("a.zar")
    with pytest.raises(ValueError, match="write '.csv'"):
        formats.register(formats.Format("csv", "CSV", "a:b", "a:c"))


@pytest.mark.parametrize("ending", [".zarr", ".nc", ".grib2", ".fa"])
def test_writers_do_what_the_protocol_says(ending):
    pytest.importorskip("eccodes" if ending == ".grib2" else "numpy")
    writer = output.writer(f"a{ending}")
    protocol = CollectiveWriter if writer.collective else Writer
    wanted = {name for name in dir(protocol) if not name.startswith("_")} - {"collective"}
    assert wanted <= set(dir(writer))
