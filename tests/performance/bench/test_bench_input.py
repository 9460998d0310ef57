"""The benchmark of input at its smallest: each way to read, and what a shared disk must cost."""

import json

import pytest

import box


@pytest.mark.long
def test_bench_input(tmp_path):
    file = tmp_path / "i.json"
    arguments = ("--ranks", 2, "--truncation", 21, "--fields", 6, "--disk", 1.5, "--json", file)
    surface = ("--surface", 0.6)
    status, out, err = box.fathom("bench", "input", *arguments, *surface, folder=tmp_path)
    assert (status, err) == (0, "") and "6 fields of T21" in out and "readers: " in out
    figures = json.loads(file.read_text())
    local, shared = figures["seconds"]["local"], figures["seconds"]["shared"]
    assert list(local) == list(shared) == ["1", "2", "all"] and min(local.values()) > 0
    once = 0.95 * figures["megabytes"] / 1.5  # sleep of the simulated disk
    assert shared["1"] > once and shared["2"] > once and shared["all"] > 2 * once
    one, two, every = (figures["surface"][n] for n in ("1", "2", "all"))
    assert one["megabytes"] == two["megabytes"] == every["megabytes"] / 2 > 0.6
    assert every["seconds"] > 0.95 * every["megabytes"] / 1.5


def test_a_disk_has_a_rate(tmp_path):
    status, _, err = box.fathom("bench", "input", "--disk", 0, folder=tmp_path)
    assert status and "'--disk': 0.0 is not in the range x>0" in err


def test_few_unless_more_are_faster():
    """One a node, or the fewest that are near the best where that is faster by a twentieth."""
    from fathom.performance.bench.reading import rule

    assert rule({"1": 1.0, "2": 0.97, "4": 0.99, "all": 0.1}, 1) == "1"
    assert rule({"1": 1.0, "2": 0.8, "4": 0.78, "all": 1.4}, 1) == "2"
    assert rule({"1": 1.0, "2": 0.9, "4": 0.5}, 2) == "4"


def test_at_most_one_a_node_encodes():
    from fathom.performance.bench.reading import rule

    assert rule({"1": 1.0, "2": 0.6, "4": 0.5}, 1, most=1) == "1"
    assert rule({"1": 1.0, "2": 0.6, "4": 0.5}, 2, most=2) == "2"
