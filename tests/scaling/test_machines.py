"""Machine files: all of the catalogue, written and read again, and messages for mistakes."""

import numpy as np
import pytest

from fathom.performance.scaling import machine, ranges
from fathom.performance.scaling.fit import fit


@pytest.mark.parametrize("name", machine.names())
def test_catalogue_is_read_and_written(name, tmp_path):
    m = machine.load(name)
    assert all(m.sources[key] for key in m.values) and m["node.cores"] >= 1
    machine.write(m, tmp_path / "copy.toml", "a note")
    again = machine.load(tmp_path / "copy.toml")
    assert again.values == m.values and again.sources == m.sources and again.name == m.name
    assert again.given == m.given


@pytest.mark.parametrize("name", machine.names())
def test_each_machine_says_what_it_does_not_know(name):
    """An estimate and a published number that was not found again are ranges, and so is the gap of
    each adapter; no range is called measured.
    """
    m = machine.load(name)
    low, best, high = m.range("network.gap")
    assert low <= best <= high and low < high and "measured:" not in m.sources["network.gap"]
    for key, source in m.sources.items():
        quantity = machine.quantities[key.split(".")[0]][key.split(".")[1]]
        if source.startswith(("estimate", "unconfirmed", "fitted")) and quantity.direction:
            assert not m.range(key).exact or m[key] == 0, key
    quick, slow = m.at(-1, -1), m.at(1, 1)
    assert quick["network.gap"] == low and slow["network.gap"] == high


def test_ranges_in_words():
    assert ranges.text((0.0123, 0.0312, 0.0525)) == "0.031 (0.012 to 0.052)"
    assert ranges.text((1234.0, 1234.0, 1234.0)) == "1200" and ranges.digits(0.0) == "0"
    assert ranges.Range.read("1:2:4").inverse(8) == (2, 4, 8)
    for text in ("2:1:4", "1:2", "a:b:c"):
        with pytest.raises(ValueError, match="low:best:high in rising order"):
            ranges.Range.read(text)


def test_ranges_of_a_fit_are_those_of_linear_regression():
    """y = a x^b with noise: in logarithms a straight line, whose errors are known."""
    random, x = np.random.default_rng(0), np.geomspace(1, 100, 40)
    y = 3 * x**0.7 * np.exp(0.1 * random.standard_normal(40))
    found = fit(lambda v: v["a"] * x ** v["b"], y, {"a": 1.0, "b": 1.0}, hold_out=False)
    (slope, _), covariance = np.polyfit(np.log(x), np.log(y), 1, cov=True)
    assert found.values["b"] == pytest.approx(slope, rel=1e-2)
    low, _, high = found.ranges["a"]
    assert np.log(high / low) / 4 == pytest.approx(covariance[1, 1] ** 0.5, rel=0.05)
    assert low < 3 < high


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
        ('name = "a"\n[network]\ngap = [[1e-6, 1e-7, 2e-6], "x"]', "a range is .low, best, high."),
        ('name = "a"\n[network]\ngap = [[0, 1e-7, 2.0], "x"]', "must be a number in .0, 1."),
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
