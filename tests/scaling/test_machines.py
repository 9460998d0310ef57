"""Machine files: all of the catalogue, written and read again, and messages for mistakes."""

import pytest

from fathom.performance.scaling import machine


@pytest.mark.parametrize("name", machine.names())
def test_catalogue_is_read_and_written(name, tmp_path):
    m = machine.load(name)
    assert all(m.sources[key] for key in m.values) and m["node.cores"] >= 1
    machine.write(m, tmp_path / "copy.toml", "a note")
    again = machine.load(tmp_path / "copy.toml")
    assert again.values == m.values and again.sources == m.sources and again.name == m.name


@pytest.mark.parametrize(
    "text, message",
    [
        ('[node]\ncores = [4, "x"]', "a machine has a name"),
        (
            'name = "a"\n[network]\nlatensy = [1e-6, "x"]',
            "unknown quantity 'latensy' of \\[network\\]; did you mean 'latency'",
        ),
        (
            'name = "a"\n[netwrk]\nlatency = [1e-6, "x"]',
            "unknown section \\[netwrk\\]; did you mean 'network'",
        ),
        ('name = "a"\n[network]\nlatency = 1e-6', "must be \\[value, "),
        (
            'name = "a"\n[network]\nlatency = [-1e-6, "x"]',
            "latency = -1e-06 s .* must be a number in \\[0, 1\\]",
        ),
        ('name = "a"\n[network]\nlatency = [nan, "x"]', "must be a number"),
        ('name = "a"\n[network]\ntopology = ["ring", "x"]', "must be one of crossbar, torus"),
        ('name = "a"\n[noise]\nsynchronised = [1, "x"]', "must be true or false"),
        ('name = "a"\n[network]\nshape = [[4, 0], "x"]', "list of whole numbers"),
        ("name = ", "not valid TOML"),
    ],
)
def test_mistakes(text, message, tmp_path):
    (tmp_path / "m.toml").write_text(text)
    with pytest.raises(ValueError, match=message):
        machine.load(tmp_path / "m.toml")


def test_what_is_missing_or_unknown(tmp_path):
    with pytest.raises(ValueError, match="no machine 'cray-x2'; did you mean 'cray-x1'"):
        machine.load("cray-x2")
    with pytest.raises(FileNotFoundError, match="there is no file"):
        machine.load(tmp_path / "none.toml")
    m = machine.load("cray-x1")
    with pytest.raises(ValueError, match="'Cray X1' does not say sum.hardware"):
        m["sum.hardware"]
    assert m.but({"sum.hardware": 1e-6})["sum.hardware"] == 1e-6 and "sum.hardware" not in m.values
    with pytest.raises(ValueError, match="unknown quantity 'hardwre'"):
        m.but({"sum.hardwre": 1e-6})
