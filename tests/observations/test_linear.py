"""H' of all kinds of data as one sparse matrix, and operators from elsewhere."""

import numpy as np
import pytest

from fathom.assimilation.cycle.chain import network
from fathom.assimilation.cycle.chain.biases import Bias
from fathom.assimilation.cycle.chain.models import Space
from fathom.assimilation.observations import linear, plugged
from fathom.assimilation.observations.variables import kinds
from fathom.base.failure import InputError
from fathom.grids.gaussian import GaussianGrid
from fathom.grids.levels import HybridLevels


def flat_ground(longitude, latitude):
    return np.full(len(longitude), 50.0), (np.cos(np.deg2rad(3 * longitude)) > 0).astype(float)


@pytest.fixture(scope="module")
def scene():
    """A smooth moist state of T10, its ground, and data of all kinds of an hour."""
    space = Space(GaussianGrid(10, levels=HybridLevels(19)))
    x, y = (np.deg2rad(a) for a in space.grid.coordinates("center"))
    p = space.air.a[1:] + space.air.b[1:] * 1e5
    warm = np.maximum(288 * (p / 1e5) ** 0.19, 205)[:, None, None] + 10 * np.cos(y) + 3 * np.sin(x)
    q = 0.006 * (p / 1e5)[:, None, None] ** 3 * np.cos(y) ** 2 + 2e-6 + 0 * x
    u = 20 * np.cos(y) + 5 * np.sin(2 * x) + 0 * warm
    v = 4 * np.cos(x + y) + 0 * warm
    state = space.packed([u, v, warm, 0.01 * np.sin(x)[None], q])
    below = {
        "surface_geopotential": 300 + 100 * np.cos(x)[None],
        "land_fraction": (np.cos(3 * x) > 0)[None].astype(float),
        "ground_temperature": 290 + 5 * np.sin(y)[None],
    }
    counts = dict.fromkeys(network.usual, 6)
    return space, state, below, network.drawn(counts, 0, 3600, 1, flat_ground)


def test_each_kind_against_differences(scene):
    """dH of a change of the state, from H of the state before and after it, with winds that turn
    near the poles."""
    space, state, below, data = scene
    data["latitude"][::3] = np.clip(4 * data["latitude"][::3], -88, 88)

    def seen(vector):
        fields = space.columns(vector, below)
        held, around = space.held(fields, data)
        return linear.values(space.air, data, held), held, around

    values, held, around = seen(state)
    places = space.places(around, data)
    pressure = space.columns(state, below)["surface_air_pressure"][0]
    H = linear.operator(space.air, data, held, around, places, space.inside, pressure, moist=True)
    random = np.random.default_rng(3)
    sizes = (1.0, 1.0, 0.5, 1e-3, 1e-5)
    change = space.packed([
        s * random.standard_normal((n, *space.inside.shape)) for s, n in zip(sizes, space.counts)
    ])  # fmt: skip
    step = 1e-3
    numbers = (seen(state + step * change)[0] - seen(state - step * change)[0]) / (2 * step)
    there, linearly = np.isfinite(values), H.apply(change)
    for kind in np.unique(data["kind"]):
        of = there & (data["kind"] == kind)
        assert of.any(), kinds[kind]
        size = np.abs(numbers[of]).max()
        close = np.abs(linearly[of] - numbers[of]) < 2e-4 * size
        assert close.mean() > 0.95, (kinds[kind], linearly[of], numbers[of])  # kinks aside


def test_humidity_below_zero(scene):
    """As truncation makes it: a dew point has a finite slope, or the datum has no say."""
    space, state, below, data = scene
    u, v, warm, pi, q = space.unpacked(state)
    dry = space.packed([u, v, warm, pi, q - 0.01])
    fields = space.columns(dry, below)
    held, _ = space.held(fields, data)
    slopes = linear.slopes(space.air, data, held)
    assert np.isfinite(slopes).all() and slopes[data.kind_is("synop")].any()
    held["specific_humidity"] = 0 * held["specific_humidity"] - 1e-5
    dew = data.variable_is("dew_point_temperature")
    slopes = linear.slopes(space.air, data, held)
    assert dew.any() and np.isfinite(slopes).all() and not slopes[dew].any()


def test_bias_of_channels(scene):
    """A constant in each channel is what its coefficient says, and nothing else has a bias."""
    space, state, below, data = scene
    held, _ = space.held(space.columns(state, below), data)
    bias = Bias({}, 0.3)
    sizes, predictors = bias.of(data, space.air, held)
    assert not sizes.any() and predictors.shape == (len(data), 6 * len(bias.beta))
    key = Bias.key(data)
    one = int(key[key > 0][0])
    bias.beta[one][0] = 0.7
    again = Bias.of_json(bias.as_json(), 0.3)
    np.testing.assert_array_equal(again.of(data, space.air, held)[0], np.where(key == one, 0.7, 0))


class Warmth:
    """The mean temperature of the layers, as a radiosonde's height."""

    kinds, variable = ("temp",), "geopotential_height"
    factor = 1.0

    def equivalents(self, profiles):
        return profiles.temperature.mean(axis=1) ** 2 + 1e-4 * profiles.surface_pressure

    def adjoint(self, profiles, value):
        mean = profiles.temperature.mean(axis=1)
        each = self.factor * 2 * mean * value / profiles.temperature.shape[1]
        temperature = np.repeat(each[:, None], profiles.temperature.shape[1], 1)
        return {"temperature": temperature, "surface_pressure": 1e-4 * value}


def test_operator_from_elsewhere(scene, monkeypatch):
    space, state, below, data = scene
    monkeypatch.setattr(plugged, "_own", {})
    plugged.register("warmth", Warmth())
    some = data.taken(data.kind_is("temp") & data.variable_is("air_temperature"))
    some["variable"] = [8] * len(some)  # geopotential_height
    held, _ = space.held(space.columns(state, below), some)
    mean = held["air_temperature"].mean(axis=0)
    expected = mean**2 + 1e-4 * held["surface_air_pressure"][0]
    np.testing.assert_allclose(linear.values(space.air, some, held), expected, rtol=1e-12)
    assert np.allclose(linear.slopes(space.air, some, held)[:, 0], 2 * mean / 19)
    assert np.isfinite(space.air.see(some, held)[0]).all()


@pytest.mark.parametrize(
    "name, value, message",
    [
        ("factor", 1.01, r"its adjoint fails the dot test: <H' dx, y> = .*, <dx, H\* y> = "),
        ("kinds", ("tmep",), "unknown kind 'tmep'; did you mean 'temp'"),
        ("variable", "hight", "unknown observed variable 'hight'"),
        ("coefficients", "none.dat", "needs its coefficients none.dat: no such file"),
        ("adjoint", None, "needs kinds, variable, equivalents and adjoint"),
        ("kinds", (), r"kinds = \(\)"),
        ("kinds", 5, "kinds = 5"),
        ("equivalents", lambda x: 1 / 0, "operator Warmth: ZeroDivisionError: division by zero"),
        ("equivalents", lambda x: x.temperature, r"equivalents of shape \(6, 20\); wanted: \(6,\)"),
        ("equivalents", lambda x: None, "Warmth"),
        ("adjoint", lambda x, y: None, "gives None, no mapping"),
        ("adjoint", lambda x, y: {"skin": np.zeros(3)}, r"skin has shape \(3,\); wanted: \(6,\)"),
    ],
)
def test_operators_that_are_refused(name, value, message, monkeypatch):
    monkeypatch.setattr(plugged, "_own", {})
    own = Warmth()
    setattr(own, name, value)
    with pytest.raises(InputError, match=message):
        plugged.register("warmth", own)
    assert not plugged._own
