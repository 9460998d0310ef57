"""Benches hand their seconds to the history of a machine: by name, one file for a case and shape;
what became slower is told.
"""

import json

import pytest

from fathom.performance.bench import recorded


def test_seconds_have_names():
    case = {"ranks": 2, "repetitions": 20}
    found = recorded.profile(
        "messages",
        {
            "case": case,
            "machine": "m",
            "words": [1, 16],
            "numbers": [3],
            "exchanges": [{"name": "packed", "row": [1e-6, 2e-6]}],
            "sums": [{"name": "tree", "seconds": [3e-6]}],
        },
    )
    assert {r["region"]: r["seconds"] for r in found["profile"]} == {
        "packed, 1 words": 1e-6,
        "packed, 16 words": 2e-6,
        "sum tree, 3 numbers": 3e-6,
    }
    assert found["case"] == "bench messages" and found["ranks"] == 2 and found["threads"] == 1


def figures(seconds):
    return {
        "case": {
            "truncation": 42,
            "precision": "fp64",
            "threads": 1,
            "ranks": 1,
            "reduced": "",
            "peers": True,
        },
        "machine": "a machine",
        "grid": "T42",
        "phases": {"inverse": seconds, "direct": 2.0, "legendre": 1.0},
    }


def test_slower_parts_are_named(tmp_path, capsys):
    for seconds, status in ((1.0, 0), (1.0, 0), (3.0, 1)):
        told = recorded.told("transform", lambda *_: 0, figures(seconds), None, tmp_path)
        assert told == status
    said = capsys.readouterr().out
    assert (
        "the first" in said
        and "nothing became slower" in said
        and "inverse slower: 1.0000 ms a step, now 3.0000" in said
    )
    (file,) = tmp_path.iterdir()
    assert [json.loads(line)["samples"]["inverse"] for line in file.read_text().splitlines()] == [
        [1e-3],
        [1e-3],
        [3e-3],
    ]
    assert (
        recorded.told("transform", lambda f, file: 0, None, None, tmp_path) == 0
        and recorded.profile("transform", figures(1.0))["case"] == "bench transform 42"
    )


@pytest.mark.parametrize("bench", sorted(recorded.seconds))
def test_every_bench_can_be_recorded(bench):
    from fathom.commands.bench import bench as group

    assert any(option.name == "record" for option in group.commands[bench].params)
