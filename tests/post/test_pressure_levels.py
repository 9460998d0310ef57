"""Pressure levels and mean-sea-level pressure of atmospheres known in closed form."""

import itertools

import numpy as np
import pytest

from atmospheres import isothermal, polytropic, state
from fathom.base.mpi import core
from fathom.grids import hybrid
from fathom.grids.regrid.rows import Rows
from fathom.output.post import near_surface
from fathom.output.post.pressure_levels import Column, to_pressure_levels

ABOVE = np.array([1e4, 3e4, 5e4, 7e4])  # Pa, above every hill


@pytest.mark.parametrize("name", ["L8", "L26", "L60"])
def test_isothermal_atmosphere_is_exact(name):
    levels = hybrid.named(name)
    post = Column(state(isothermal, levels), levels)
    free = ABOVE[:3]  # the ground, whose temperature is extrapolated, is not felt there
    np.testing.assert_allclose(
        post.geopotential_height(free),
        np.broadcast_to(isothermal(free)[1][:, None], (3, 5)),
        rtol=1e-12,
    )
    np.testing.assert_allclose(post.air_temperature(free), 270, rtol=1e-12)


def test_heights_converge_with_second_order():
    def error(number):
        levels = hybrid.smooth(number, 1000.0)
        post = Column(state(polytropic, levels), levels)
        return np.abs(post.geopotential_height(ABOVE) - polytropic(ABOVE)[1][:, None]).max()

    errors = [error(n) for n in (20, 40, 80)]
    assert errors[2] < 0.5
    assert all(a / b > 3.3 for a, b in itertools.pairwise(errors))


def test_temperature_and_wind():
    levels = hybrid.named("L60")
    post = Column(state(polytropic, levels), levels)
    np.testing.assert_allclose(
        post.air_temperature(ABOVE),
        np.broadcast_to(polytropic(ABOVE)[0][:, None], (4, 5)),
        atol=1e-3,
    )
    wind = post.at(state(polytropic, levels)["eastward_wind"], ABOVE, order=1)
    np.testing.assert_allclose(
        wind, np.broadcast_to(10 * np.log(ABOVE)[:, None], (4, 5)), rtol=1e-12
    )


def test_under_the_ground_the_standard_lapse_rate_goes_on():
    levels = hybrid.named("L60")
    post = Column(state(polytropic, levels), levels)
    below = np.array([9.9e4, 1e5, 1.02e5])
    exact_T, exact_z = (v[:, None] * np.ones(5) for v in polytropic(below))
    buried = post.surface_pressure < below[:, None]
    assert buried[:, 3:].all()
    np.testing.assert_allclose(post.geopotential_height(below)[buried], exact_z[buried], atol=0.6)
    np.testing.assert_allclose(post.air_temperature(below)[buried], exact_T[buried], atol=0.02)


def test_nothing_jumps_at_the_ground():
    levels = hybrid.named("L31")
    post = Column(state(polytropic, levels), levels)
    for ask in (post.geopotential_height, post.air_temperature):
        for point, p in enumerate(post.surface_pressure):
            above, under = ask(np.array([p * (1 - 1e-9), p * (1 + 1e-9)]))[:, point]
            assert abs(above - under) < 1e-4


def test_mean_sea_level_pressure_is_the_pressure_at_the_sea():
    levels = hybrid.named("L60")
    sea = Column(state(polytropic, levels), levels).mean_sea_level_pressure()
    np.testing.assert_allclose(sea, 1e5, rtol=1e-4)
    assert sea[0] == pytest.approx(
        np.exp(state(polytropic, levels)["log_surface_pressure"][0]), rel=1e-12
    )  # no hill, no change


@pytest.mark.parametrize(
    "ground, height, coldest, warmest",
    [(310.0, 500.0, 290.5, 310.0), (230.0, 3000.0, 230.0, 262.0), (288.0, 1000.0, 288.0, 290.5)],
)
def test_warm_and_cold_ground_are_limited(ground, height, coldest, warmest):
    """The column under the ground is as warm as the limits say: its mean temperature follows from
    the pressure.
    """
    one = lambda value: np.array([value])
    ((p,),) = core.mean_sea_level_pressure(one(9e4), one(9.80665 * height), one(ground))
    mean = 9.80665 * height / (287.0597 * np.log(p / 9e4))
    assert coldest < mean < warmest


def test_fields_of_a_grid_with_short_rows():
    rows, levels = Rows.gaussian(16, "octahedral"), hybrid.named("L19")
    shape = rows.shape
    fields = {
        "air_temperature": np.zeros((19, *shape)),
        "log_surface_pressure": np.zeros(shape),
        "surface_geopotential": np.zeros(shape),
        "specific_humidity": np.zeros((19, *shape)),
        "northward_wind": np.zeros((19, *shape)),
    }
    fields["air_temperature"][:, rows.used] = 280
    fields["specific_humidity"][:, rows.used] = 1e-3
    fields["log_surface_pressure"][rows.used] = np.log(1e5)
    result = to_pressure_levels(fields, levels, [5e4, 8.5e4], rows)
    assert (
        result["relative_humidity"].shape == (2, *shape)
        and result["air_pressure_at_mean_sea_level"].shape == shape
    )
    for field in result.values():
        np.testing.assert_array_equal(np.isfinite(field), np.broadcast_to(rows.used, field.shape))
    np.testing.assert_allclose(result["specific_humidity"][:, rows.used], 1e-3)


def test_errors_say_what_is_wrong():
    levels = hybrid.named("L19")
    with pytest.raises(ValueError, match="log_surface_pressure is needed"):
        Column({"air_temperature": np.zeros((19, 2))}, levels)
    with pytest.raises(ValueError, match="has 18 layers, the levels 19"):
        Column(
            {
                "air_temperature": np.zeros((18, 2)),
                "log_surface_pressure": np.zeros(2),
                "surface_geopotential": np.zeros(2),
            },
            levels,
        )
    with pytest.raises(ValueError, match="positive"):
        Column(state(isothermal, levels), levels).geopotential_height([-1.0])


def test_profile_near_the_ground():
    """The ends are met, wind grows logarithmically in neutral air, 2 m is nearer to the ground in
    unstable air.
    """
    neutral = (0.4 / np.log(1 + 30 / 0.1)) ** 2
    assert near_surface.at_height(8.0, 0.0, 30.0, 30.0, 0.1, drag=0.7 * neutral) == pytest.approx(
        8.0
    )
    assert near_surface.wind_at_10m(8.0, 30.0, 0.1) == pytest.approx(
        8 * np.log(1 + 10 / 0.1) / np.log(1 + 30 / 0.1)
    )
    stable, log, unstable = (
        near_surface.temperature_at_2m(285.0, 280.0, 30.0, 0.1, drag=f * neutral)
        for f in (0.5, 1.0, 2.0)
    )
    assert 280 < stable < log < unstable < 285.3
    with pytest.raises(ValueError, match="lies above the middle of the lowest layer"):
        near_surface.wind_at_10m(8.0, 9.0, 0.1)
