"""`fathom bench matrix` on a small box: a record for each shape, with the median of its samples."""

import json
import statistics

import pytest

import box
from fathom.performance.bench import matrix


@pytest.mark.long
def test_every_shape_has_its_median(tmp_path):
    box.write(tmp_path)
    words = "bench matrix box.toml --ranks 1,2 --disk none,local --steps 1 --repeats 3 --json m"
    status, out, err = box.fathom(*words.split(), folder=tmp_path)
    assert status == 0, err
    records = json.loads((tmp_path / "m").read_text())["records"]
    shapes = [(r["ranks"], r["threads"], r["distribution"], r["disk"]) for r in records]
    assert shapes == [(n, 1, "auto", disk) for n in (1, 2) for disk in ("none", "local")]
    for r in records:
        assert len(r["samples"]) == 3 and r["seconds"] == statistics.median(r["samples"]) > 0
    assert len(out.splitlines()) >= 2 + len(records) and "of best" in out


def test_what_cannot_be():
    with pytest.raises(ValueError, match="disk = 'floppy'; allowed: none, local, or MB/s"):
        matrix.Case("box.toml", disks=("floppy",))
    with pytest.raises(ValueError, match="distribution = 'sqare'; allowed: .*square"):
        matrix.Case("box.toml", distributions=("sqare",))
