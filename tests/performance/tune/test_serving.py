"""How many I/O servers `fathom tune` chooses: by what a step with its output takes, only where it
is surely worth it, and in a real run of a small box.
"""

import json
import tomllib

import pytest

import box
from fathom.performance.tune import serving


def chosen(seconds, turns=2):
    """Of priced shapes: shape -> (step, output), or several in turn; what was asked."""
    asked, left = (
        [],
        {
            shape: list(several) if isinstance(several, list) else [several] * 2
            for shape, several in seconds.items()
        },
    )

    def probe(shape):
        asked.append(shape)
        step, output = left[shape].pop(0) or (None, None)
        return step and {"step": step, "output": output}

    return *serving.choose(list(seconds), probe, lambda: len(asked) < turns * len(seconds)), asked


def test_the_fastest_with_its_output():
    shape, found, asked = chosen(
        {(4, 0): (0.1, 0.05), (4, 1): (0.105, 0.001), (4, 2): (0.12, 0.0), (3, 1): (0.13, 0.0)}
    )
    assert (
        shape == (4, 1)
        and len(asked) == 8
        and "io_servers = 1, 41.5 % faster" in serving.told(shape, found)
        and "4 + 1: 0.106" in serving.told(shape, found)
    )
    assert chosen({(4, 0): (0.1, 0.05), (4, 1): (0.14, 0.01), (3, 1): (0.12, 0.001)})[0] == (3, 1)


def test_only_where_it_is_worth_it():
    shape, found, asked = chosen({(4, 0): (0.1, 0.0015), (4, 1): (0.05, 0.0)})
    assert (
        shape == (4, 0)
        and asked == [(4, 0)]
        and serving.told(shape, found) == "output costs 1.5 % of a step: no I/O servers"
    )
    assert chosen({(4, 0): (0.1, 0.02), (4, 1): (0.1, 0.019)})[0] == (4, 0)  # within the noise
    assert chosen({(4, 0): [(0.1, 0.02), (0.1, 0.02)], (4, 1): [(0.1, 0.0), (0.15, 0.02)]})[0] == (
        4,
        0,
    )  # once good, once bad
    assert chosen({(4, 0): [(0.1, 0.02), (0.1, 0.02)], (4, 1): [None, (0.1, 0.0)]})[0] == (
        4,
        1,
    )  # could not be started once
    assert chosen({(2, 0): [None], (2, 1): (0.1, 0.0)})[0] == (2, 0)


def test_one_writer_a_node_and_all_as_readers_where_they_save_a_tenth():
    usual = {"step": 0.1, "output": 0.05, "input": 3.0}

    def found(serves=False, output=0.02, reading=1.0, **of_usual):
        probe = lambda name, value: {"step": 0.1, "output": output, "input": reading}
        return serving.by_node(usual | of_usual, serves, probe, lambda: True)

    assert {name: value for name, (value, _) in found().items()} == {"writers": 0, "readers": "all"}
    assert found()["readers"][1] == "3 → 1 s of reading"
    assert set(found(serves=True)) == {"readers"} == set(found(output=0.049))
    assert set(found(input=0.5)) == {"writers"} == set(found(reading=2.9))
    assert not serving.by_node(usual, False, lambda *_: None, lambda: True)


def test_no_time():
    shape, _, asked = chosen({(4, 0): (0.1, 0.05), (4, 1): (0.1, 0.0), (4, 2): (0.1, 0.0)}, turns=1)
    assert len(asked) == 3 and shape[1] > 0
    shape, found, asked = chosen({(4, 0): (0.1, 0.05), (4, 1): (0.1, 0.0)}, turns=0)
    assert (
        len(asked) == 1
        and serving.told(shape, found)
        == "output costs 50.0 % of a step; no time to try I/O servers"
    )
    assert serving.candidates(4, True) == [(4, 0), (4, 1), (4, 2)] and serving.candidates(
        2, False
    ) == [(2, 0), (2, 1), (2, 2), (1, 1)]


@pytest.mark.long
def test_in_a_real_case(tmp_path):
    """Each price is of the run as it is; the choice stands in tuned.toml and can be run."""
    box.write(tmp_path, **{'every = "1d"': 'every = "1h"'})
    arguments = (
        "--ranks",
        1,
        "--threads",
        1,
        "--no-proposals",
        "--json",
        "found.json",
        "--seconds",
        5,
    )
    status, out, err = box.fathom(
        "tune", "box.toml", *arguments, folder=tmp_path, FATHOM_CACHE=str(tmp_path / "cache")
    )
    found = json.loads((tmp_path / "found.json").read_text())["serving"]
    assert (status, err) == (0, "") and found["told"] in " ".join(out.split()), out
    assert (
        all(
            p["step"] > 0 and p["output"] >= 0
            for several in found["priced"].values()
            for p in several
        )
        and "1+0" in found["priced"]
    )
    parallel = tomllib.loads((tmp_path / "tuned.toml").read_text())["parallel"]
    assert parallel.get("io_servers", 0) == found["io_servers"] and not list(
        tmp_path.glob("fathom-tune-*")
    )
    status, _, err = box.fathom("run", "tuned.toml", "--for", "1d", "--no-report", folder=tmp_path)
    assert (
        status == 0
        and len(
            box.summary(tmp_path / "runs/tuned")["output"].get("servers", {}).get("serving", [])
        )
        == found["io_servers"]
    ), err
