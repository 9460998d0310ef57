"""Observation operators: values against formulas, tangents against differences, adjoints."""

import numpy as np
import pytest

from fathom.assimilation import Cost, Matrix, Slot, lanczos
from fathom.assimilation.observations import bias, equivalents, operators
from fathom.assimilation.observations.base import Observations
from fathom.base import mpi
from fathom.base.earth import STANDARD_GRAVITY
from fathom.base.moist_air import GAS_CONSTANT
from fathom.grids.regrid import column
from fathom.output.post.pressure_levels import Column

rng = np.random.default_rng(8)
layers, count = 20, 40
# hybrid levels: pressure above, terrain below
sigma = np.linspace(0, 1, layers + 1)
a, b = 1e5 * (sigma - sigma**2) * (1 - sigma) ** 0.5, sigma**2
b[-1], a[-1], a[0], b[0] = 1, 0, 0, 0
ps = rng.uniform(8.5e4, 1.03e5, count)
ground = (1.013e5 - ps) / 12


def columns():
    p = column.layer_pressure(column.interface_pressure(a, b, ps)).T
    T = 288 + 45 * np.log(p / 1e5) / np.log(4) + rng.normal(0, 1, p.shape)
    q = 0.012 * (p / 1e5) ** 3 * rng.uniform(0.5, 1.2, p.shape)
    u, v = rng.normal(10, 5, p.shape), rng.normal(0, 5, p.shape)
    return operators.Columns(a, b, T, q, u, v, ps, T[:, -1] + rng.normal(0, 3, count), ground), p


def levels_of(name):
    """Within the model, and for some beyond its ends."""
    if name == "refractivity":
        return np.concatenate([rng.uniform(500, 25000, count - 4), ground[-4:] - 50])
    if name == "surface_pressure":
        return ground + rng.uniform(-200, 200, count)
    if name == "dew_point":  # levels where perturbed humidity stays positive
        return rng.uniform(5e4, 8e4, count)
    return np.concatenate([rng.uniform(6e3, 8e4, count - 4), [100, 5e2, 1.04e5, 1.04e5]])


seen, p = columns()
size = np.concatenate(
    [np.full((count, layers), s) for s in (1.0, 1e-3, 1.0, 1.0)] + [np.full((count, 1), 100.0),
    np.ones((count, 1))], axis=1,
)  # fmt: skip
names = list(mpi.core.observation_operators)


@pytest.mark.parametrize("name", names)
def test_adjoint(name):
    """<H' dx, y> = <dx, H* y> to 1e-13 of the sum of sizes."""
    level = levels_of(name)
    dx, y = rng.normal(size=size.shape) * size, rng.normal(size=count)
    forward = seen.tangent(name, dx, level) * y
    backward = dx * seen.adjoint(name, y, level)
    scale = np.abs(forward).sum() + np.abs(backward).sum()
    assert abs(forward.sum() - backward.sum()) <= 1e-13 * scale and scale > 0


@pytest.mark.parametrize("name", names)
def test_tangent(name):
    """What is left of H(x + e dx) - H(x) - e H' dx falls with the square of e."""
    level = levels_of(name)
    dx = rng.normal(size=size.shape) * size
    tangent = seen.tangent(name, dx, level)
    left = []
    for e in (1e-2, 1e-3):
        state = seen.state + e * dx
        f = [state[:, n * layers : (n + 1) * layers] for n in range(4)]
        moved = operators.Columns(a, b, *f, state[:, -2], state[:, -1], ground)
        left.append(np.abs(moved.apply(name, level) - seen.apply(name, level) - e * tangent).max())
    assert left[1] <= 0.02 * left[0] + 1e-9 * np.abs(seen.apply(name, level)).max()


def test_dew_point_of_saturated_air():
    """The dew point is the temperature where relative humidity would be 1."""
    level = np.full(count, 6e4)
    found = seen.apply("dew_point", level)
    at = np.full_like(seen.temperature, 1.0) * found[:, None]
    moist = operators.Columns(a, b, at, seen.humidity, seen.east, seen.north, ps, ps, ground)
    assert moist.apply("relative_humidity", level) == pytest.approx(1, rel=1e-12)
    e = ps * seen.humidity[:, -1] / (0.62198 + 0.37802 * seen.humidity[:, -1])
    assert seen.apply("dew_point_2m") == pytest.approx(
        243.5 / (17.67 / np.log(e / 611.2) - 1) + 273.15, abs=1e-3
    )


def test_levels_are_those_of_the_house():
    """At the pressure of a layer: the layer's own value; heights are those of post-processing."""
    for k in (0, 7, layers - 1):
        assert seen.apply("temperature", p[:, k]) == pytest.approx(seen.temperature[:, k], rel=1e-9)
        assert seen.apply("eastward_wind", p[:, k]) == pytest.approx(seen.east[:, k], rel=1e-8)
    interfaces = column.interface_pressure(a, b, ps)
    Tv = (seen.temperature * (1 + (461.525 / 287.0597 - 1) * seen.humidity)).T
    z = column.layer_geopotential(interfaces, Tv, 9.80665 * ground) / 9.80665
    assert seen.apply("height", p[:, 9]) == pytest.approx(z[9], rel=1e-9)


def test_between_layers_they_are_those_of_post_processing():
    """The same kernels: straight lines in ln p, wherever the place lies."""
    air = {
        "air_temperature": seen.temperature.T,
        "specific_humidity": seen.humidity.T,
        "log_surface_pressure": np.log(ps),
        "surface_geopotential": 9.80665 * ground,
    }
    post = Column(air, (a, b))
    for wanted in (9e3, 4.7e4, 7.3e4):
        for name, field in (("temperature", seen.temperature), ("humidity", seen.humidity)):
            found = post.at(field.T, [wanted], order=1)[0]
            assert seen.apply(name, np.full(count, wanted)) == pytest.approx(found, rel=1e-12)


def test_isothermal_column():
    """p = p_s exp(-g z / R T), so N at a height and the pressure of a station are known."""
    T = np.full((1, layers), 260.0)
    none = np.zeros_like(T)
    one = operators.Columns(a, b, T, none, none, none, [1e5], [260.0], [0.0])
    z = 5000.0
    p_z = 1e5 * np.exp(-9.80665 * z / (287.0597 * 260))
    assert one.apply("refractivity", z) == pytest.approx(0.776 * p_z / 260, rel=1e-12)
    assert one.apply("height", p_z) == pytest.approx(z, rel=1e-12)
    p_100 = 1e5 * (1 - 0.65 / 260) ** (9.80665 / (287.0597 * 0.0065))
    assert one.apply("surface_pressure", 100.0) == pytest.approx(p_100, rel=1e-12)


def test_near_the_ground():
    """The neutral profile of post-processing."""
    from fathom.output.post import near_surface

    Tv = seen.temperature[:, -1] * (1 + (461.525 / 287.0597 - 1) * seen.humidity[:, -1])
    z = 287.0597 / 9.80665 * Tv * np.log(ps / p[:, -1])
    assert z.min() > 10
    wind = near_surface.wind_at_10m(seen.east[:, -1], z, 0.1)
    assert seen.apply("eastward_wind_10m", 0.0, 0.1) == pytest.approx(wind, rel=1e-9)


def test_relative_humidity():
    from fathom.base.moist_air import saturation_pressure

    level = p[:, -1]
    T, q = seen.temperature[:, -1], seen.humidity[:, -1]
    e = level * q / (287.0597 / 461.525 + (1 - 287.0597 / 461.525) * q)
    warm = T > 273.16
    assert warm.any()
    rh = seen.apply("relative_humidity", level)
    assert rh[warm] == pytest.approx((e / saturation_pressure(T))[warm], rel=1e-6)


def test_the_sea():
    """Linear profiles are exact; adjoints to 1e-15; UNESCO's check value of potential
    temperature, 36.89073 degC.
    """
    sea = operators.SeaProfile(np.array([5.0, 20, 60, 150, 400]))
    wanted = np.array([0.0, 12, 150, 399, 900])
    field = np.broadcast_to(20 - 0.01 * sea.depth, (5, 5))
    assert sea.apply(field, wanted) == pytest.approx(20 - 0.01 * np.clip(wanted, 5, 400))
    x, y = rng.normal(size=(5, 5)), rng.normal(size=5)
    assert sea.apply(x, wanted) @ y == pytest.approx((x * sea.adjoint(y, wanted)).sum(), rel=1e-13)
    level = operators.SeaLevel(
        np.array([10.0, 20, 50, 100, 300]), np.full(5, 2e-4), np.full(5, 8e-4)
    )
    eta, T, S = rng.normal(size=5), x, rng.normal(size=(5, 5))
    to = level.adjoint(y)
    both = to[0] @ eta + (to[1] * T).sum() + (to[2] * S).sum()
    assert level.apply(eta, T, S) @ y == pytest.approx(both, rel=1e-13)
    assert operators.potential_temperature(40.0, 40.0, 10000.0) == pytest.approx(36.89073, abs=6e-4)
    assert operators.without_mean(
        np.array([1.0, 3, 7]), np.array(["a", "a", "b"])
    ) == pytest.approx([-1, 1, 0])


def test_bias_is_found_again():
    n = 400
    of = bias.Predictors.of_radiances(
        rng.normal(8800, 200, n), rng.normal(8600, 200, n), rng.uniform(-48, 48, n)
    )
    beta = np.array([0.5, -0.2, 0.1, 0.05, 0.3, 0.0])
    departure = of.apply(beta) + rng.normal(0, 0.2, n)
    found = of.fitted(departure, np.full(n, 0.2), np.zeros(6), np.full(6, 1.0))
    assert found == pytest.approx(beta, abs=0.1)
    y = rng.normal(size=n)
    assert of.apply(beta) @ y == pytest.approx(of.adjoint(y) @ beta, rel=1e-12)
    sure = of.fitted(departure, np.full(n, 0.2), beta, np.full(6, 1e-6))
    assert sure == pytest.approx(beta, abs=1e-5)


def test_bad_input():
    with pytest.raises(ValueError, match="did you mean 'temperature'"):
        seen.apply("temperatur", 5e4)
    with pytest.raises(ValueError, match="4 of each of 20 layers"):
        operators.Columns(a, b, *(seen.state[:, :5],) * 4, ps, ps, ground).apply("height", 5e4)
    assert operators.operator_of("air_temperature", "temp") == ("temperature", "pressure")
    assert operators.operator_of("air_temperature", "synop") == ("temperature_2m", "height")
    assert operators.operator_of("bending_angle", "gnss_ro") is None


def test_errors_grow_with_what_a_place_adds():
    """Half the change of a cloud's wind over 100 hPa, 0.6 Pa per metre to a station; the wind at a
    height is that of its pressure; the error as given stays.
    """
    n, a, b = 4, np.zeros(21), np.linspace(0, 1, 21)
    ones = np.ones((20, n))
    x = np.log((b[1:] + b[:-1]) / 2)[:, None] * ones
    held = {
        "air_temperature": 250 * ones, "eastward_wind": 30 + 10 * x, "northward_wind": 0 * ones,
        "surface_air_pressure": 1e5 * ones[:1], "surface_geopotential": 0 * ones[:1],
    }  # fmt: skip
    data = Observations(
        kind=["amv", "synop", "pilot", "amv"], value=np.zeros(n), error=np.full(n, 2.0),
        variable=["eastward_wind", "surface_air_pressure", "eastward_wind", "northward_wind"],
        height=[np.nan, 100, 5000, np.nan], pressure=[4e4, np.nan, np.nan, 4e4],
    )  # fmt: skip
    departure, reason, unlike = equivalents.Air(a, b).see(data, held)
    assert (reason == 0).all() and unlike[1:] == pytest.approx([60, 0, 0])
    assert unlike[0] == pytest.approx(5 * np.log(45 / 35), rel=0.02)
    fall = STANDARD_GRAVITY * 5000 / (GAS_CONSTANT * 250)  # of ln p
    assert departure[2] == pytest.approx(-(30 - 10 * fall), abs=0.1)
    equivalents.inflate(data, np.arange(n), unlike)
    assert (data["error"] == 2).all() and data["error_final"][1] == np.hypot(2, 60)


def test_bias_is_found_beside_the_state():
    """Half of the data have a bias, the others none: J shares departures out between both; the
    gradient is that of the cost function.
    """
    rng = np.random.default_rng(3)
    n, many = 8, 400
    H = np.eye(n)[np.arange(many) % n]
    biased = np.arange(many) < many // 2
    scan = rng.uniform(-1, 1, many)
    P = np.where(biased[:, None], np.stack([np.ones(many), scan], axis=1), 0)
    truth, beta = rng.normal(size=n), np.array([2.0, -1.0])
    d = H @ truth + P @ beta + 0.3 * rng.normal(size=many)
    plain = Cost(Matrix(np.eye(n)), [Slot(d, np.full(many, 0.09), Matrix(H))])
    deviation = np.array([3.0, 3.0])
    cost = bias.with_bias(plain, [bias.Predictors(P)], deviation)
    state, found = bias.parted(lanczos(cost, iterations=40, tolerance=1e-10).increment, deviation)
    assert np.abs(found - beta).max() < 0.15 and np.abs(state - truth).max() < 0.2
    blind = lanczos(plain, iterations=40).increment
    assert np.abs(blind - truth).mean() > 5 * np.abs(state - truth).mean()
    x, y = rng.normal(size=n + 2), rng.normal(size=n + 2)
    h = 1e-6
    slope = (cost.value(x + h * y) - cost.value(x - h * y)) / (2 * h)
    assert cost.gradient(x) @ y == pytest.approx(slope, rel=1e-6)
    with pytest.raises(ValueError, match="each slot needs predictors"):
        bias.with_bias(plain, [], deviation)


def test_surface_of_snow_and_sea():
    flat = np.ones((1, 3))
    held = {
        "air_temperature": 270 * np.ones((20, 3)), "surface_air_pressure": 1e5 * flat,
        "surface_geopotential": 0 * flat, "snow_amount": 50 * flat,
        "sea_surface_temperature": 283.15 * flat,
    }  # fmt: skip
    data = Observations(
        kind=["synop", "buoy", "buoy"], value=[0.3, 12.0, 8.0], depth=[np.nan, 1.0, 100.0],
        variable=["surface_snow_thickness", "sea_water_temperature", "sea_water_temperature"],
    )  # fmt: skip
    seen = equivalents.Air(np.zeros(21), np.linspace(0, 1, 21))
    departure, reason, _ = seen.see(data, held)
    assert departure[:2] == pytest.approx([0.1, 2.0]) and np.isnan(departure[2])
    assert (reason == [0, 0, 8]).all() and seen.sees(data).tolist() == [True, True, False]
