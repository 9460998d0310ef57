"""The bench of assimilation, small: every part has its time, and lines for people."""

from fathom.performance.bench import assimilation


def test_each_part_has_its_time(tmp_path, monkeypatch):
    monkeypatch.setattr(assimilation, "areas", lambda *of: {})  # from the GFS state: slow
    figures = assimilation.measure(8, 3, 2, 1)
    step = figures["step"]
    assert all(step[n]["processor_seconds"] > 0 for n in ("forward", "tangent", "adjoint"))
    assert step["trajectory_bytes_a_step"] > figures["kept"]["fp32"]["bytes_a_step"] > 0
    assert all(f["nanoseconds_a_point"] > 0 for f in figures["interpolation"].values())
    assert all(s > 0 for s in figures["minimisation"]["by_map"].values())
    lines = assimilation.present(figures, tmp_path / "figures.json")
    assert all(rate > 0 for rate in figures["vertical"].values())
    assert len(lines) == 17 and (tmp_path / "figures.json").exists()
