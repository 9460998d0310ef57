"""Columns of air of the core: interpolation, heights and back, the same bits in any pack."""

import numpy as np
import pytest

from atmospheres import polytropic, state
from fathom.base.mpi import core
from fathom.grids import hybrid
from fathom.grids.regrid.column import Between
from fathom.output.post.pressure_levels import Column

rng = np.random.default_rng(7)


def columns(layers=9, points=21):
    return np.sort(rng.uniform(0, 10, (layers, points)), 0)


def polynomial(x, degree):
    return sum((n + 1) * (x / 5) ** n for n in range(degree + 1))


@pytest.mark.parametrize("same", ["levels", "targets", "neither"])
def test_between_levels_polynomials_are_exact(same):
    x, target = columns(), rng.uniform(-1, 11, (6, 21))
    x = x[:, :1] if same == "levels" else x
    target = target[:, :1] if same == "targets" else target
    between = Between(x, target)
    inside = (target > x[2]) & (target < x[-3])
    inside = np.broadcast_to(inside, (6, 21))
    cubic = np.broadcast_to(polynomial(target, 3), inside.shape)
    straight = np.broadcast_to(polynomial(target, 1), inside.shape)
    assert inside.sum() > 20
    assert np.allclose(between.cubic(polynomial(x, 3))[inside], cubic[inside], rtol=1e-9)
    assert np.allclose(between.linear(polynomial(x, 1))[inside], straight[inside], rtol=1e-12)
    slopes = sum((n + 1) * n / 5 * (x / 5) ** (n - 1) for n in range(1, 4))
    met = between.hermite(polynomial(x, 3), slopes)
    assert np.allclose(met[inside], cubic[inside], rtol=1e-10)


def test_outside_values_are_constant_and_hermite_goes_straight_on():
    x = np.arange(5.0)[:, None]
    between, values = Between(x, np.array([[-2.0], [7.0]])), polynomial(x, 2)
    for found in (between.linear(values), between.cubic(values)):
        assert found.tolist() == [[values[0, 0]], [values[-1, 0]]]
    met = between.hermite(values, np.full_like(values, 3.0))
    assert np.allclose(met[:, 0], [values[0, 0] - 6, values[-1, 0] + 9])


@pytest.mark.parametrize("number", [np.float32, np.float64])
def test_a_column_has_the_same_bits_beside_any_others(number):
    """Packs of eight and what is left over; heights too."""
    levels = hybrid.named("L26")
    fields = {name: np.asarray(f, number) for name, f in state(polytropic, levels).items()}
    whole = Column({name: np.concatenate([f] * 3, -1) for name, f in fields.items()}, levels)
    pressures = [1e4, 5e4, 9.7e4, 1.02e5]
    for point in range(5):
        alone = Column({name: f[..., point : point + 1] for name, f in fields.items()}, levels)
        for ask in (Column.geopotential_height, Column.air_temperature):
            assert ask(whole, pressures)[:, point].tolist() == ask(alone, pressures)[:, 0].tolist()
        assert whole.mean_sea_level_pressure()[point] == alone.mean_sea_level_pressure()[0]


@pytest.mark.parametrize("layers", [2, 3, 4, 5, 26])
def test_what_is_found_above_the_ground_serves_within_it_and_back(layers):
    """Bits do not depend on what was asked before: T has the ground as a level, other fields have
    not.
    """
    levels = hybrid.uniform_sigma(layers)
    fields = state(polytropic, levels)
    wind = rng.normal(size=fields["air_temperature"].shape)
    pressures = np.append(np.linspace(1e4, 1.05e5, 40), fields_pressures(fields, levels))
    alone = [ask(Column(fields, levels)) for ask in asked(wind, pressures)]
    for order in ([0, 1, 2], [2, 1, 0], [1, 0, 2]):
        column, asks = Column(fields, levels), asked(wind, pressures)
        for n in order:
            assert asks[n](column).tolist() == alone[n].tolist()


def asked(wind, pressures):
    return [
        lambda column: column.at(wind, pressures),
        lambda column: column.air_temperature(pressures),
        lambda column: column.geopotential_height(pressures),
    ]


def fields_pressures(fields, levels):
    """Those of the layers of one column, where a target lies on a level."""
    return np.exp(Column(fields, levels).air.logarithm[:, 0])


def test_weights_of_the_cubic_are_those_of_lagrange():
    x, target = columns(), rng.uniform(3, 7, (5, 21))
    k = np.clip((target[:, None] >= x[1:-1]).sum(1), 1, 6)  # the level above each
    values = rng.normal(size=x.shape)
    expected = np.zeros(target.shape)
    at = [np.take_along_axis(x, k + n, 0) for n in range(-1, 3)]
    for n in range(4):
        weight = np.ones(target.shape)
        for m in (m for m in range(4) if m != n):
            weight = weight * ((target - at[m]) / (at[n] - at[m]))
        expected += weight * np.take_along_axis(values, k + n - 1, 0)
    inside = (target >= x[1]) & (target < x[-2])
    assert inside.sum() > 50
    assert np.allclose(Between(x, target).cubic(values)[inside], expected[inside], rtol=1e-12)


def test_heights_and_pressures_are_inverse():
    levels = hybrid.named("L60")
    column = Column(state(polytropic, levels), levels)
    z = np.array([-300.0, 50.0, 3e3, 1.2e4, 2.5e4])[:, None]
    logarithm = column.air.at_geopotential(9.80665 * z)
    column.air.to(logarithm)
    again = column.air.geopotential_at() / 9.80665

    assert np.allclose(again, z, atol=1e-6)
    exact = np.array([polytropic(p)[1] for p in np.exp(logarithm[:, 0])])
    assert np.allclose(exact[2:4], z[2:4, 0], atol=3)


def test_where_a_field_reaches_a_value():
    levels = hybrid.named("L31")
    column = Column(state(polytropic, levels), levels)
    T = column.air.temperature
    (logarithm,) = column.air.where(T, 250.0, True)
    column.air.to(logarithm[None])
    assert np.allclose(column.air.at(T, 1), 250.0)
    assert np.isnan(column.air.where(T, 400.0, True)).all()


def test_mistakes_are_told_of():
    levels = hybrid.named("L19")
    column = Column(state(polytropic, levels), levels)
    with pytest.raises(ValueError, match="a field of 3 layers; the column has 19"):
        column.at(np.zeros((3, *column.shape)), [5e4])
    with pytest.raises(ValueError, match="there is nothing between 1 levels"):
        core.Between(np.zeros((1, 2)), np.zeros((1, 2)))
