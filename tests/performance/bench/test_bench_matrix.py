"""`fathom bench matrix` on a small box: a record for each shape, all in turn; paired ratios; what
repeats choose.
"""

import json
import math
import random
import statistics

import pytest

import box
from fathom.performance.bench import in_turn, matrix


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


@pytest.mark.long
def test_axes_of_blocks_servers_barriers_and_more_ranks_than_cores(tmp_path):
    box.write(tmp_path)
    words = "bench matrix box.toml --ranks 1 --block 4,cache --servers 0,1 --disk local"
    words += " --barriers off,on --steps 2 --repeats 2 --json m"
    status, out, err = box.fathom(*words.split(), folder=tmp_path)
    assert status == 0, err
    figures = json.loads((tmp_path / "m").read_text())
    assert len(figures["records"]) == 8 and all(r["seconds"] > 0 for r in figures["records"])
    for r in figures["records"]:
        assert r["crowded"] == (1 + r["servers"] > figures["cores"])
    assert "barriers" in out and "tile" in out and "staging" not in out


def test_the_picture_has_mean_and_best_against_ranks(tmp_path):
    shape = next(matrix.Case("box.toml").shapes())
    records = [
        shape | {"ranks": n, "samples": [4e-3 / n, 2e-3 / n, 3e-3 / n], "crowded": n > 2}
        for n in (1, 2, 4)
    ]
    records += [shape | {"ranks": 8, "refused": "too many", "crowded": True}]
    case = {"file": "box.toml", "steps": 4, "repeats": 3}
    figures = {"case": case, "machine": "a machine", "cores": 2, "records": records}
    (axes,) = matrix.draw(figures, tmp_path / "a.png").axes
    drawn = {line.get_label(): line.get_ydata() for line in axes.lines}
    assert drawn["threads 1, best"] == pytest.approx([2.0, 1.0, 0.5])
    assert drawn["threads 1, mean"] == pytest.approx([3.0, 1.5, 0.75])
    assert (tmp_path / "a.png").stat().st_size > 1000


class Turn(in_turn.Way):
    """A way without processes."""

    def __init__(self, name, taken):
        super().__init__("", {}, 1, 1)
        self.name, self.taken = name, taken

    def start(self):
        pass

    def ask(self):
        if self.name == "broken":
            raise in_turn.NotPossibleError("no such thing")
        self.taken.append(self.name)
        return 1.0

    def end(self):
        pass


def test_samples_are_taken_in_turn():
    taken = []
    ways = [Turn(name, taken) for name in ("a", "broken", "b")]
    in_turn.measure(ways, 3, lambda done, way: None)
    assert taken == ["a", "b", "b", "a", "a", "b"]
    assert ways[1].refused == "no such thing" and ways[1].samples == [None] * 3


def test_a_drift_meets_all_alike():
    """The machine becomes twice as slow: medians differ by as much, ratios do not."""
    drift = [1 + n / 7 for n in range(8)]
    a, b = [x * 1.0 for x in drift], [x * 1.1 for x in drift]
    found = in_turn.compared([b, a, []])
    assert found[1]["ratio"] == 1 and found[0]["ratio"] == pytest.approx(1.1)
    assert found[0]["error"] < 1e-12 and found[2] == {}


def test_the_error_covers_repeats_and_the_choice_stays():
    """200 repeats of noise of 6 %: the ratio lies within two errors in at least 90 %, and of two
    shapes alike the one with fewer cores is chosen in at least 95 %, as is the one that is surely
    faster.
    """
    draw = random.Random(1)
    inside = alike = faster = 0
    for _ in range(200):
        noise = [[math.exp(draw.gauss(0, 0.06)) for _ in range(12)] for _ in range(2)]
        slow = [1.1 * x for x in noise[1]]
        found = in_turn.compared([noise[0], slow])
        off = math.log(found[1]["ratio"] / found[0]["ratio"] / 1.1)
        inside += abs(off) < 2 * max(found[1]["error"], found[0]["error"])
        alike += in_turn.choice(in_turn.compared(noise), cost=[2, 1]) == 1
        much = [1.3 * x for x in noise[1]]
        faster += in_turn.choice(in_turn.compared([noise[0], much]), cost=[2, 1]) == 0
    assert inside >= 180 and alike >= 190 and faster >= 190


def test_what_cannot_be():
    with pytest.raises(ValueError, match="disk = 'floppy'; allowed: none, local, or MB/s"):
        matrix.Case("box.toml", disks=("floppy",))
    with pytest.raises(ValueError, match="distribution = 'sqare'; allowed: .*square"):
        matrix.Case("box.toml", distributions=("sqare",))
    with pytest.raises(ValueError, match="barriers = 'of'; allowed: off, on, halos"):
        matrix.Case("box.toml", barriers=("of",))
    with pytest.raises(ValueError, match="tile = 'best'"):
        matrix.Case("box.toml", tiles=("best",))
    with pytest.raises(ValueError, match="staging = '/nowhere' must be a folder"):
        matrix.Case("box.toml", staging=("/nowhere",))
