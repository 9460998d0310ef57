"""The benchmark of messages at its smallest: every exchange and every sum, all positive; errors."""

import json

import pytest

import box
from fathom.base.mpi import core
from fathom.performance.bench.messages import crossovers


@pytest.mark.long
def test_bench_messages(tmp_path):
    file = tmp_path / "m.json"
    status, out, err = box.fathom(
        "bench", "messages", "--ranks", 2, "--repetitions", 5, "--json", file, folder=tmp_path
    )
    assert (status, err) == (0, "") and "messages between 2 ranks" in out
    figures = json.loads(file.read_text())
    assert [e["name"] for e in figures["exchanges"]] == [name for name, _ in core.transports()]
    assert [s["name"] for s in figures["sums"]] == [name for name, _ in core.global_sums()]
    for exchange in figures["exchanges"]:
        assert (
            len(exchange["row"]) == len(exchange["column"]) == len(figures["words"])
            and min(exchange["row"] + exchange["column"]) > 0
        )
        assert (
            abs(exchange["bandwidth"] * exchange["row"][-1] / (16 * figures["words"][-1]) - 1)
            < 1e-9
        )
    for total in figures["sums"]:
        assert len(total["seconds"]) == len(figures["numbers"]) and min(total["seconds"]) > 0
        assert (
            abs(
                total["three"]
                * total["seconds"][figures["numbers"].index(3)]
                / total["one_three_times"]
                - 1
            )
            < 1e-9
        )
    assert all(
        0 < pair["buffered"] and 0 < pair["word_by_word"] for pair in figures["pairs"].values()
    )
    assert figures["gather"]["together"] > 0 and figures["gather"]["by_level"] > 0


def test_crossover_by_size():
    assert crossovers([1, 100], [0.5, 2.0]) == [(pytest.approx(10), False)]
    assert crossovers([1, 100, 10000], [2.0, 0.5, 4.0]) == [
        (pytest.approx(10), True),
        (pytest.approx(100 * 100 ** (1 / 3)), False),
    ]
    assert crossovers([1, 100], [0.5, 0.9]) == []


def test_one_rank_has_nobody_to_talk_to(tmp_path):
    status, out, err = box.fathom(
        "bench", "messages", "--ranks", 1, "--repetitions", 2, folder=tmp_path
    )
    assert (status, err) == (0, "") and "no second rank" in out
