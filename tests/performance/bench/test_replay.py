"""The replay of many small headers: one file in four ways and one by our own writer, each way
faster than the one before by what it leaves out.
"""

from fathom.performance.bench import replay


def test_ratios_and_volume(tmp_path):
    figures = replay.measure(20, tmp_path)
    found = {name: f["seconds"] for name, f in figures["ways"].items()}
    assert figures["same_bytes"] and not list(tmp_path.iterdir())
    assert found["kept open"] <= 69 and found["unbuffered"] / found["kept open"] > 3.05
    assert abs(found["unbuffered"] / 212 - 1) < 0.02 and abs(found["buffered"] / 114 - 1) < 0.02
    rates = {name: f["megabytes_per_second"] for name, f in figures["ways"].items()}
    assert rates["coalesced"] > 140 and rates["coalesced"] / rates["kept open"] >= 140 / 110 - 1e-3
    assert all(abs(f["gigabytes"] / 8.5 - 1) < 0.1 for f in figures["ways"].values())
    assert [f["opened"] for f in figures["ways"].values()] == [20, 20, 1, 1, 1]
    assert figures["ways"]["coalesced"]["calls"] == 21
    own = figures["ways"]["own writer"]  # calls of 1 MiB, the last one shorter
    assert own["calls"] == -(-own["bytes"] // (1 << 20)) and found["own writer"] < 69
    assert rates["own writer"] > 140
    assert all(
        f["wall_seconds"] * replay.fields / 20 > 0.95 * f["seconds"]
        for f in figures["ways"].values()
    )  # it really takes the time
