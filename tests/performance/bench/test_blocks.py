"""fathom blocks: counts of a small grid by hand, every distribution, the file and the map, and
mistakes.
"""

import json

import numpy as np
import pytest

from fathom.performance.bench.blocks import count, size_of


def test_counts_by_hand():
    wet = np.zeros((5, 7), int)
    wet[0, 0], wet[4, 3:5] = 3, 9
    assert count(wet, 3, 2) == {
        "block": [3, 2],
        "blocks": 9,
        "kept": 2,
        "fill": 3 / 9,
    }  # 3 x 2 in the south-west, 3 x 1 in the north
    assert count(wet, 7, 5)["kept"] == 1 and count(wet, 1, 1)["fill"] == 1
    with pytest.raises(ValueError, match="8x2 points do not fit"):
        count(wet, 8, 2)


def test_command(tmp_path, capsys):
    from fathom.commands.main import main

    with pytest.raises(SystemExit) as done:
        main(
            [
                "blocks",
                "--grid",
                "3deg",
                "--block",
                "10x8",
                "--block",
                "20x20",
                "--ranks",
                "6",
                "--json",
                str(tmp_path / "blocks.json"),
                "--out",
                str(tmp_path / "blocks.png"),
            ]
        )
    assert done.value.code == 0
    figures = json.loads((tmp_path / "blocks.json").read_text())
    text = capsys.readouterr().out
    assert (
        figures["kept"] == figures["sizes"][0]["kept"] < figures["blocks"] == 150
        and f"{figures['wet_columns']:,}" in text
    )
    assert [d["distribution"] for d in figures["distributions"]] == 2 * [
        "cartesian",
        "rake",
        "space-filling",
    ]
    assert all(
        0.5 < d["balance_cells"] <= 1 <= d["imbalance"] < 1.6 and d["messages"] <= 5
        for d in figures["distributions"]
    )
    assert (tmp_path / "blocks.png").stat().st_size > 20000


@pytest.mark.parametrize(
    "arguments, message",
    [
        (["--grid", "x2"], "allowed: x1, 1deg, 3deg, 0.25deg, 0.1deg"),
        (["--grid", "3deg", "--block", "36"], "not WIDTHxHEIGHT"),
    ],
)
def test_mistakes(arguments, message, capsys):
    from fathom.commands.main import main

    with pytest.raises(SystemExit) as done:
        main(["blocks", *arguments])
    assert done.value.code == 2 and message in capsys.readouterr().err


def test_size():
    assert size_of("225x150") == (225, 150)


def test_ways_that_fail_are_named_beside_those_that_succeed(capsys):
    """As many ranks as blocks with water: one block a process along the curve; one rank more is too
    many for all."""
    from fathom.performance.bench.blocks import present, study

    kept = study("3deg", [(12, 10)], None)[0]["kept"]
    found = study("3deg", [(12, 10)], kept)
    by_name = {d["distribution"]: d for d in found[0]["distributions"]}
    assert by_name["space-filling"]["blocks_of_a_rank"] == [1, 1]
    assert present(found, None, None) == 0
    too_many = study("3deg", [(12, 10)], kept + 1)
    assert all("use at most" in d["refused"] for d in too_many[0]["distributions"])
    capsys.readouterr()
    assert present(too_many, None, None) == 0 and f"{kept + 1} ranks are" in capsys.readouterr().out
