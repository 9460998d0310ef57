"""Minimisers of the cost function. The three methods of conjugate gradients give the same iterates:

    lanczos   in the control vector chi (CONGRAD); leaves Ritz pairs of J'' as a preconditioner
    b_pcg     in the increment, preconditioned by B: no root of B is needed (Derber & Rosati 1989)
    rpcg      in the space of observations (Gratton & Tshimanga 2009)
    quasi_newton   limited-memory BFGS for a J that is no quadratic (Gilbert & Lemarechal 1989)

All orthogonalise each residual against the earlier ones: without this, round-off costs iterations
and Ritz pairs are useless.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from fathom.assimilation.cost import Cost
from fathom.assimilation.maps import Vector
from fathom.base.failure import InputError
from fathom.base.regions import region


@dataclass
class Found:
    """The result of a minimiser. `control` is chi, None where the method has none; `increment` dx
    at the start. `gradients`: the norm of J' at each iterate, over that at the start, in the metric
    of the method. `reason`: why it stopped."""

    increment: Vector
    control: Vector | None = None
    gradients: list[float] = field(default_factory=list)
    iterates: list[Vector] = field(default_factory=list)  # increments, if requested
    reason: str = ""
    ritz: RitzPreconditioner | None = None

    @property
    def iterations(self) -> int:
        """Returns how many were made."""
        return len(self.gradients) - 1


class RitzPreconditioner:
    """P^1/2 = I + U (Theta^-1/2 - I) U*, of Ritz pairs of J'' (Fisher 1998): its own adjoint.

    vectors (n, pairs), orthonormal; values (pairs); errors: bounds of |J'' u - theta u|.
    """

    def __init__(self, values: Vector, vectors: np.ndarray, errors: Vector) -> None:
        self.values, self.vectors, self.errors = values, vectors, errors

    def converged(self, tolerance: float = 1e-3) -> RitzPreconditioner:
        """Returns the pairs whose error is below a part of their value."""
        good = self.errors < tolerance * self.values
        return RitzPreconditioner(self.values[good], self.vectors[:, good], self.errors[good])

    def apply(self, x: Vector) -> Vector:
        """Returns P^1/2 x."""
        along = self.vectors.T @ x
        result: Vector = x + self.vectors @ ((1 / np.sqrt(self.values) - 1) * along)
        return result


class _Stop:
    """Says when a minimisation ends: the gradient's norm is below a part of the first, or there
    were enough iterations.
    """

    def __init__(self, iterations: int, tolerance: float) -> None:
        if iterations < 1 or not 0 <= tolerance < 1:
            raise InputError(
                f"iterations = {iterations} must be 1 or more, tolerance = {tolerance} in [0, 1)"
            )
        self.iterations, self.tolerance = iterations, tolerance
        self.norms: list[float] = []
        self.reason = ""

    def after(self, squared: float) -> bool:
        """Returns whether it ends with this gradient."""
        self.norms.append(float(np.sqrt(max(squared, 0.0))))
        if self.norms[-1] <= max(self.tolerance * self.norms[0], np.finfo(float).tiny):
            self.reason = f"the gradient fell below {self.tolerance:g} of the first"
        elif len(self.norms) > self.iterations:
            self.reason = f"{self.iterations} iterations"
        return bool(self.reason)

    @property
    def gradients(self) -> list[float]:
        first = self.norms[0] or 1.0
        return [norm / first for norm in self.norms]


def lanczos(
    cost: Cost,
    *,
    iterations: int = 50,
    tolerance: float = 1e-6,
    preconditioner: RitzPreconditioner | None = None,
    keep_iterates: bool = False,
) -> Found:
    """Returns conjugate gradients for J'' chi = -J'(0), and from their coefficients the Ritz pairs
    of J''.

    With a preconditioner the control vector is P^1/2 times another one, in which the search works.
    """
    root = (lambda x: x) if preconditioner is None else preconditioner.apply

    def hessian(x: np.ndarray) -> np.ndarray:
        return root(cost.hessian(root(x)))

    r = root(cost.right_side)
    x, p = np.zeros_like(r), r.copy()
    squared = float(r @ r)
    stop, units, alphas, betas, iterates = _Stop(iterations, tolerance), [], [], [], []
    while not stop.after(squared):
        units.append(r / np.sqrt(squared))
        q = hessian(p)
        alpha = squared / float(p @ q)
        x, r = x + alpha * p, r - alpha * q
        with region("orthogonal residuals", "minimisation"):
            for unit in units:
                r = r - (unit @ r) * unit
        before, squared = squared, float(r @ r)
        alphas.append(alpha)
        betas.append(squared / before)
        p = r + betas[-1] * p
        if keep_iterates:
            iterates.append(cost.increment(root(x)))
    control = root(x)
    ritz = _ritz(units, alphas, betas) if units else None
    return Found(cost.increment(control), control, stop.gradients, iterates, stop.reason, ritz)


def _ritz(units: list[Vector], alphas: list[float], betas: list[float]) -> RitzPreconditioner:
    """Returns pairs of the tridiagonal matrix of Lanczos, from the coefficients of conjugate
    gradients: T_kk = 1/alpha_k + beta_k-1/alpha_k-1, T_k,k+1 = beta_k^1/2/alpha_k; the Lanczos
    vectors are (-1)^k r_k/|r_k|.
    """
    a, b = np.array(alphas), np.array(betas)
    diagonal = 1 / a
    diagonal[1:] += b[:-1] / a[:-1]
    beside = np.sqrt(b) / a
    T = np.diag(diagonal) + np.diag(beside[:-1], 1) + np.diag(beside[:-1], -1)
    values, within = np.linalg.eigh(T)
    signs = (-1.0) ** np.arange(len(units))
    vectors = np.array(units).T @ (signs[:, None] * within)
    errors = np.abs(beside[-1] * within[-1])
    return RitzPreconditioner(values[::-1], vectors[:, ::-1], errors[::-1])


def b_pcg(
    cost: Cost, *, iterations: int = 50, tolerance: float = 1e-6, keep_iterates: bool = False
) -> Found:
    """Returns conjugate gradients for (B^-1 + G* R^-1 G) dx = G* R^-1 d with B as the
    preconditioner: each vector x is kept together with B^-1 x, so that B^-1 is never applied.
    """
    r = cost.observe_adjoint(cost.departures / cost.variances)
    z = cost.covariance(r)
    p, p_hat, x = z.copy(), r.copy(), np.zeros_like(z)
    squared = float(r @ z)
    stop, earlier, iterates = _Stop(iterations, tolerance), [], []
    while not stop.after(squared):
        earlier.append((r / np.sqrt(squared), z / np.sqrt(squared)))
        q = p_hat + cost.observe_adjoint(cost.observe(p) / cost.variances)
        alpha = squared / float(p @ q)
        x, r = x + alpha * p, r - alpha * q
        for unit, with_b in earlier:
            r = r - float(with_b @ r) * unit
        z = cost.covariance(r)
        before, squared = squared, float(r @ z)
        p, p_hat = z + squared / before * p, r + squared / before * p_hat
        if keep_iterates:
            iterates.append(x.copy())
    return Found(x, None, stop.gradients, iterates, stop.reason)


def rpcg(
    cost: Cost, *, iterations: int = 50, tolerance: float = 1e-6, keep_iterates: bool = False
) -> Found:
    """Gives the iterates of `lanczos` from vectors as long as the observations: dx = B G*
    lambda.
    """

    def increment(y: np.ndarray) -> Any:
        return cost.covariance(cost.observe_adjoint(y))

    def through(y: np.ndarray) -> Any:
        return cost.observe(increment(y))

    r = cost.departures / cost.variances
    t = through(r)
    dual, w, p = np.zeros_like(r), t.copy(), r.copy()
    squared = float(r @ t)
    stop, earlier, iterates = _Stop(iterations, tolerance), [], []
    while not stop.after(squared):
        earlier.append((r / np.sqrt(squared), t / np.sqrt(squared)))
        q = w / cost.variances + p
        alpha = squared / float(w @ q)
        dual, r = dual + alpha * p, r - alpha * q
        for unit, through_unit in earlier:
            r = r - float(through_unit @ r) * unit
        t = through(r)
        before, squared = squared, float(r @ t)
        p, w = r + squared / before * p, t + squared / before * w
        if keep_iterates:
            iterates.append(increment(dual))
    return Found(increment(dual), None, stop.gradients, iterates, stop.reason)


def quasi_newton(
    value_and_gradient: Callable[[Vector], tuple[float, Vector]],
    start: Vector,
    *,
    iterations: int = 100,
    tolerance: float = 1e-6,
    pairs: int = 10,
) -> tuple[Vector, list[float], str]:
    """Returns limited-memory BFGS with a line search of Wolfe's two conditions, for any smooth J.

    Returns where it ended, the norms of the gradient over the first, and why. ValueError where J or
    its gradient is not finite at the start.
    """
    x = np.array(start, float)
    J, g = value_and_gradient(x)
    if not np.isfinite(J) or not np.isfinite(g).all():
        raise InputError("the cost function is not finite at the start")
    stop = _Stop(iterations, tolerance)
    held: list[tuple[Vector, Vector]] = []
    while not stop.after(float(g @ g)):
        direction = -_two_loops(g, held)
        slope = float(g @ direction)
        first = 1.0 if held else min(1.0, 1 / float(np.linalg.norm(g)))
        step = _wolfe(value_and_gradient, x, direction, J, slope, first)
        if step is None:
            stop.reason = "no step along the direction lowers J"
            break
        length, J, new = step
        s, y = length * direction, new - g
        x, g = x + s, new
        if s @ y > 1e-14 * (y @ y):
            held = [*held, (s, y)][-pairs:]
    return x, stop.gradients, stop.reason


def _two_loops(g: Vector, held: list[tuple[Vector, Vector]]) -> Vector:
    """Returns the inverse of the second derivative from the pairs, times g (Nocedal 1980)."""
    q, factors = g.copy(), []
    for s, y in reversed(held):
        factors.append(float(s @ q) / float(y @ s))
        q = q - factors[-1] * y
    if held:
        s, y = held[-1]
        q = q * (float(s @ y) / float(y @ y))
    for (s, y), factor in zip(held, reversed(factors)):
        q = q + (factor - float(y @ q) / float(y @ s)) * s
    return q


def _wolfe(
    f: Callable[[Vector], tuple[float, Vector]],
    x: Vector,
    direction: Vector,
    J: float,
    slope: float,
    step: float,
) -> tuple[float, float, Vector] | None:
    """Returns a step along a direction that reduces J and its slope enough, by halving or doubling
    an interval: (step, J, gradient); None: there is none.
    """
    least, most = 0.0, np.inf
    for _ in range(40):
        value, gradient = f(x + step * direction)
        if not np.isfinite(value) or value > J + 1e-4 * step * slope:
            most = step
        elif float(gradient @ direction) < 0.9 * slope:
            least = step
        else:
            return step, value, gradient
        step = (least + most) / 2 if np.isfinite(most) else 2 * least
    return None
