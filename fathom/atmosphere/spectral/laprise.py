"""Small motions of compressible air about rest, in the mass coordinate of Laprise (1992): the basis
of the semi-implicit scheme of a non-hydrostatic atmosphere.

Unknowns: divergence D, vertical divergence d, temperature T, q = ln(p / pi), s = ln(pi_s).
pi is the hydrostatic pressure. About rest at temperature T_r, with the acoustic reference T_a
(Benard 2004; T_a = T_r is the linear equations themselves),

    dD/dt = K^2 [R G T - R T_r G q + R T_r q + R T_r s]             K^2 = k^2 + l^2
    dd/dt = -(g^2 / (R T_a)) L q
    dT/dt = -(R T_r / c_v) (D + d)
    dq/dt = S D - (c_p / c_v) (D + d)
    ds/dt = -N D

G the integral of d(ln pi) from the ground, S the mean over the mass above, N the mean over the
column, L = pi d/dpi (1 + pi d/dpi) with p = pi at the top and no motion through the ground.

Eliminated, with b = dt (1 + e) / 2, a = c_v / c_p and kappa = R / c_p,

    (1 + b^2 K^2 B) D+ = right-hand side,        C^2 = R T_r c_p / c_v
    B = R T_r (kappa G S + N) + C^2 (1 - a G) F^-1 (1 - a S),  F = 1 - b^2 g^2 / (a R T_a) L

S is the transpose of G by the masses of the layers and L its own, so both parts of B are symmetric
and positive. The core has the same (core/atmosphere/nonhydrostatic/semi_implicit.hpp).
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from fathom.base import constants
from fathom.base.failure import InputError


class Operators(NamedTuple):
    """G, S, L (levels, levels) and N (1, levels), from the top down."""

    G: np.ndarray
    S: np.ndarray
    N: np.ndarray
    L: np.ndarray

    @property
    def levels(self) -> int:
        """Returns the number of layers."""
        return len(self.G)


def of_wave(nu: float) -> Operators:
    """Returns the operators of the wave pi^(i nu - 1/2) in air without top and ground: numbers, as
    (1, 1).
    """
    n = 1j * nu - 0.5
    return Operators(*(np.array([[x]]) for x in (-1 / n, 1 / (n + 1), 0.0, n * (n + 1))))


def on_levels(interfaces: np.ndarray) -> Operators:
    """Returns the operators between interfaces pi [Pa] from the top down; the first may be 0.

    A layer is l = ln(pi below / pi above) deep and has the pressure dpi / l, alpha is that of
    Simmons & Burridge (1981). The uppermost below pi = 0 has half the pressure of its base, as the
    mean of its mass, and alpha = 1.
    """
    pi = np.asarray(interfaces, float)
    if pi.ndim != 1 or len(pi) < 3 or pi[0] < 0 or not (np.diff(pi) > 0).all():
        raise InputError(f"interfaces = {interfaces!r} must grow from the top (>= 0) to the ground")
    thick = np.diff(pi)
    deep = np.log(pi[1:] / np.where(pi[:-1] > 0, pi[:-1], pi[1:] * np.exp(-2)))
    alpha = np.where(pi[:-1] > 0, 1 - pi[:-1] / thick * deep, 1.0)
    middle = thick / deep
    lower = np.tri(len(thick), k=-1)
    G = lower.T * deep + np.diag(alpha)
    S = lower * thick / middle[:, None] + np.diag(alpha)
    return Operators(G, S, (thick / pi[-1])[None], _acceleration(thick, middle, deep))


def _acceleration(thick: Any, middle: Any, deep: Any) -> Any:
    """Returns L: differences of pi q between layers, of which differences are taken; q = 0 at the
    top, no vertical motion at the ground.
    """
    between = np.diff(middle, prepend=middle[0] - thick[0] / 2)
    levels = len(thick)
    # dw / g at the interface above each layer, and at the ground
    motion = np.zeros((levels + 1, levels))
    row = np.arange(levels)
    motion[row, row] = middle / between
    motion[row[1:], row[:-1]] = -middle[:-1] / between[1:]
    return np.diff(motion, axis=0) / deep[:, None]


class Air(NamedTuple):
    """gravity [m s-2], gas constant and heat capacity at constant pressure [J kg-1 K-1]."""

    gravity: float = constants.standard_gravity
    gas_constant: float = constants.dry_air_gas_constant
    heat_capacity: float = constants.spectral_heat_capacity


DRY = Air()


def linear(
    of: Operators, wavenumber: float, temperature: float, acoustic: float, air: Any = DRY
) -> Any:
    """Returns the matrix A of dX/dt = A X, X = (D, d, T, q, s), (4 levels + 1)^2; K = `wavenumber`
    [m-1].

    temperature, acoustic: T_r and T_a [K]
    """
    g, R, cp = air
    cv, RT, one = cp - R, R * temperature, np.eye(of.levels)
    none, column = np.zeros_like(one), np.ones((of.levels, 1))
    K2 = wavenumber**2
    heating = -RT / cv * one
    return np.block(
        [
            [none, none, K2 * R * of.G, K2 * RT * (one - of.G), K2 * RT * column],
            [none, none, none, -(g**2) / (R * acoustic) * of.L, 0 * column],
            [heating, heating, none, none, 0 * column],
            [of.S - cp / cv * one, -cp / cv * one, none, none, 0 * column],
            [-of.N, *([0 * of.N] * 3), np.zeros((1, 1))],
        ]
    )


def helmholtz(
    of: Operators, beta: float, temperature: float, acoustic: float, air: Any = DRY
) -> tuple[Any, ...]:
    """Returns B [m2 s-2] of (1 + beta^2 K^2 B) D+ = ..., beta = dt (1 + e) / 2 [s], and F."""
    g, R, cp = air
    a, one, RT = (cp - R) / cp, np.eye(of.levels), R * temperature
    F = one - beta**2 * g**2 / (a * R * acoustic) * of.L
    sound = (one - a * of.G) @ np.linalg.solve(F, one - a * of.S)
    return RT * (R / cp * of.G @ of.S + of.N) + RT / a * sound, F


def step_of(scheme: str, air_itself: Any, reference: Any, dt: float) -> Any:
    """Returns the matrix of one step of dX/dt = A X, with `reference` implicit, e = 0:

    nesc        X+ = X + dt/2 A_r (X+ + X) + dt (A - A_r) X
    settls      3/2 (A - A_r) X - 1/2 (A - A_r) X_before instead; of (X, X_before)
    nesc + n    n times with 1/2 (A - A_r) (X+ of the time before + X) instead
    """
    one, rest = np.eye(len(reference)), air_itself - reference
    solve = np.linalg.inv(one - dt / 2 * reference)
    now = one + dt / 2 * reference
    if scheme == "settls":
        after, before = solve @ (now + 1.5 * dt * rest), solve @ (-0.5 * dt * rest)
        return np.block([[after, before], [one, 0 * one]])
    name, _, correctors = scheme.partition(" + ")
    if name != "nesc" or (correctors and not correctors.isdigit()):
        raise InputError(f"scheme = {scheme!r}: allowed are 'nesc', 'settls', 'nesc + 1', ...")
    after = solve @ (now + dt * rest)
    for _ in range(int(correctors or 0)):
        after = solve @ (now + dt / 2 * rest @ (one + after))
    return after


def growth(step: np.ndarray) -> float:
    """Returns the greatest modulus of an eigenvalue."""
    return float(np.abs(np.linalg.eigvals(step)).max())
