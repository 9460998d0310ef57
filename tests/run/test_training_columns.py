"""Columns of a run for training: what is written is what the process reads and makes, the same
bytes on any ranks.
"""

import hashlib
import json
import sys
import tempfile
from pathlib import Path

import numpy as np
import pytest
import xarray as xr

import box
import fathom as fm
from fathom.base.mpi import core
from small_atmospheres import held_suarez

steps = 3


def exported(folder, processes="HeldSuarez", **more):
    sim = held_suarez(precision="fp32")
    with fm.export_columns(sim, processes, folder, columns=50, **more):
        sim.prepare()
        sim.advance(steps)
    return folder


def test_they_are_what_the_process_computes(tmp_path):
    """From the inputs of a file the scheme makes its outputs again."""
    with xr.open_zarr(
        exported(tmp_path / "c.zarr"), group="HeldSuarez", consolidated=False
    ) as data:
        assert data.sizes["column"] == 50 * steps and data["cell"].max() < 64 * 32
        assert np.unique(data["cell"][:50]).size == 50
        roles = {n: x.attrs.get("role") for n, x in data.items()}
        given = {}
        process = fm.HeldSuarez().process(4)
        for field in process.fields:
            name, levels = field["name"], field["vertical"] != "column"
            x = data[name].values.T if field["access"] == "reads" else np.zeros((8, 150))
            given[name] = np.ascontiguousarray(x[:, None] if levels else x[None], np.float32)
            assert roles[name] == ("input" if field["access"] == "reads" else "output")
            assert data[name].units == field["units"]
        made = core.run_column(process, given, 8)
        for name, x in made.items():
            scale = np.abs(x).max()
            np.testing.assert_allclose(data[name].values.T, x[:, 0], atol=1e-5 * scale)


@pytest.mark.parametrize(
    "processes, more, said",
    [
        ("HeldSuares", {}, "did you mean 'HeldSuarez'"),
        ([], {}, "at least one of each"),
        ("HeldSuarez", {"every": "90 minutes"}, "90 minutes"),
    ],
)
def test_mistakes(tmp_path, processes, more, said):
    with pytest.raises(fm.InputError, match=said):
        exported(tmp_path / "c.zarr", processes, **more)


def test_command(tmp_path):
    path = box.write(tmp_path)
    words = ["column", "export", path, "--process", "LinearEquationOfState", "--out", "c.zarr"]
    status, out, err = box.fathom(*words, "--for", "2h", "--columns", 7, folder=tmp_path)
    assert status == 0 and "c.zarr/LinearEquationOfState: 14 columns of 2 records" in out, err
    status, _, err = box.fathom(*words, folder=tmp_path)
    assert status == 2 and "c.zarr exists" in err
    words[4] = "MomentumAdvection"
    status, _, err = box.fathom(*words, "--overwrite", folder=tmp_path)
    assert status == 2 and "processes of single columns" in err


def main():
    with tempfile.TemporaryDirectory() as place:
        place = Path(fm.base.mpi.world.bcast(place))
        folder = exported(place / "c.zarr", every="2h")
        fm.base.mpi.world.barrier()
        sums = {
            str(p.relative_to(folder)): hashlib.sha256(p.read_bytes()).hexdigest()
            for p in sorted(folder.rglob("*"))
            if p.is_file()
        }
        fm.base.mpi.world.barrier()
    if fm.base.mpi.is_root:
        print(json.dumps(sums))


def test_any_ranks(on_ranks):
    alone = on_ranks(1, __file__)
    assert len(alone) > 4 and on_ranks(3, __file__) == alone


if __name__ == "__main__":
    sys.exit(main())
