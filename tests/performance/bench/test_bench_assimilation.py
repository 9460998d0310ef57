"""The bench of assimilation, small: every part has its time, and lines for people."""

import pytest

from fathom.performance.bench import assimilation, multi_resolution


def test_each_part_has_its_time(tmp_path, monkeypatch):
    monkeypatch.setattr(assimilation, "areas", lambda *of: {})  # from the GFS state: slow
    figures = assimilation.measure(8, 3, 2, 1)
    step = figures["step"]
    assert all(step[n]["processor_seconds"] > 0 for n in ("forward", "tangent", "adjoint"))
    assert step["trajectory_bytes_a_step"] > figures["kept"]["fp32"]["bytes_a_step"] > 0
    assert all(f["nanoseconds_a_point"] > 0 for f in figures["interpolation"].values())
    found = figures["minimisation"]
    assert all(s > 0 for s in found["by_map"].values())
    kernels = {k["name"]: k for k in found["by_kernel"]}
    assert {"Legendre transform", "SemiLagrangianTransport", "other"} <= {*kernels}
    whole = sum(k["seconds"] for k in kernels.values())
    assert whole == pytest.approx(found["seconds_an_iteration"], rel=0.3)
    assert found["communication_fraction"] == 0 and found["ranks"] == 1
    lines = assimilation.present(figures, tmp_path / "figures.json")
    assert all(rate > 0 for rate in figures["vertical"].values())
    assert len(lines) >= 19 and (tmp_path / "figures.json").exists()


def test_messages_of_each_kernel():
    """Of a kernel, what its inner ones do not have; of the whole, all."""
    records = [
        {"path": path, "region": path[-1], "seconds": seconds, "communication": communication}
        for path, seconds, communication in (
            (["run"], 1.0, 3.0),
            (["run", "step"], 2.0, 3.0),
            (["run", "step", "sum"], 4.0, 3.0),
        )
    ]
    assert assimilation.by_kernel(records, 2) == [
        {"name": "sum", "seconds": 2.0, "communication": 0.75},
        {"name": "step", "seconds": 1.0, "communication": 0.0},
        {"name": "other", "seconds": 0.5, "communication": 0.0},
    ]


def test_inner_loops_of_several_truncations():
    """Each loop has its parts, and takes from the departures of the fine model."""
    figures = multi_resolution.measure(12, [6, 9], 3, 4, "30min", iterations=3)
    before, after, last = figures["J_o_per_datum"]
    assert last < after < before
    assert all(
        s > 0 for loop in figures["loops"] for s in loop["processor_seconds_by_map"].values()
    )
    assert any("inner loop at T9: 3 iterations" in x for x in multi_resolution.present(figures))
    with pytest.raises(ValueError, match="coarser models"):
        multi_resolution.measure(12, [12], 3, 4, "30min")
