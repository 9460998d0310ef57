"""The same file of several groups of rows on any ranks, and Arrow reads it."""

import pytest

import bufr_messages


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    place = tmp_path_factory.mktemp("messages")
    (place / "a.bufr").write_bytes(
        b"".join(bufr_messages.synop(11500 + n, temperature=270 + 0.1 * n) for n in range(15))
        + bufr_messages.synop()[:50]
    )
    many = bufr_messages.radiances(900, 15)[0]
    (place / "b.bufr").write_bytes(bufr_messages.sounding()[0] + many)
    return place


def test_ranks_change_nothing(folder, on_ranks):
    from pathlib import Path

    script = Path(__file__).with_name("import_on_ranks.py")
    one, three = (on_ranks(n, script, folder) for n in (1, 3))
    assert one == three and one["told"][0][1] == 1 and one["data"] > 13500
    assert one["groups"] == 4 and one["rows_read"] == one["data"] and one["in_order"]
