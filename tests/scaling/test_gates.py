"""Hardware that sums in the network: found by its files; the check of this machine supposes none of
it.
"""

from fathom.performance.scaling import gates


def test_adapters_are_found(tmp_path):
    assert gates.found(tmp_path) == [] and gates.told(tmp_path).startswith("none: no adapter of")
    (tmp_path / "sys/class/infiniband/mlx5_0").mkdir(parents=True)
    (tmp_path / "dev").mkdir()
    (tmp_path / "dev/cxi0").touch()
    assert [name.partition(",")[0] for name in gates.found(tmp_path)] == ["InfiniBand", "Slingshot"]
