"""Few parameters from many figures, and the error of the fit for figures left out.

    least squares of log(predicted / measured) over log(parameters), from several starts; a
        parameter without effect on the figures stays near its first guess
    leave one out: each figure is predicted by a fit to the others

    range of a parameter    two standard deviations of its logarithm, from the curvature of the fit:
                            s2 inverse(J' J),  s2: squares of the residuals over (figures -
                            parameters)

A fit may have at most half as many parameters as figures.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from fathom.base.failure import InputError
from fathom.performance.scaling.ranges import Range

hold = 0.01  # a factor of e away from the first guess counts as an error of 1 % in one figure
reach = 7.0  # parameters are looked for within a factor exp(7) of their first guesses
Model = Callable[[Mapping[str, float]], Sequence[float]]


@dataclass
class Fit:
    """errors: predicted / measured - 1 of each figure; left_out: the same where the figure was not
    in the fit; ranges: of the parameters.
    """

    names: list[str]
    values: dict[str, float]
    ranges: dict[str, Range]
    measured: np.ndarray
    predicted: np.ndarray
    left_out: np.ndarray = field(default_factory=lambda: np.zeros(0))

    @property
    def errors(self) -> np.ndarray:
        """Returns relative errors of all figures."""
        result: np.ndarray = self.predicted / self.measured - 1
        return result

    @property
    def rms(self) -> float:
        """Returns the root mean square of the relative errors."""
        return float(np.sqrt(np.mean(self.errors**2)))

    @property
    def largest(self) -> float:
        """Returns the largest relative error."""
        return float(np.abs(self.errors).max())


def fit(
    model: Model,
    measured: Sequence[float],
    start: Mapping[str, float] | Sequence[Mapping[str, float]],
    hold_out: bool = True,
    of: int = 0,
    within: Sequence[float] | None = None,
    scatter: float = 0.0,
) -> Fit:
    """Returns start: first guesses of the parameters, all above 0; several: the best end counts.
    of: figures of the same machine in all, where others are fitted apart. within: how well each
    figure is known, relative; None: all equally. scatter: beyond so large an error its size counts
    and no longer its square; 0: always its square. ValueError: more than half as many parameters as
    figures.
    """
    starts = [start] if isinstance(start, Mapping) else list(start)
    names, data = list(starts[0]), np.asarray(measured, float)
    if 2 * len(names) > max(len(data), of):
        raise InputError(
            f"{len(names)} parameters from {max(len(data), of)} figures: at most half as many"
        )
    weight = np.ones(len(data)) if within is None else min(within) / np.asarray(within, float)

    def fitted(weight: np.ndarray) -> dict[str, Range]:
        return _least(model, data, names, starts, weight, scatter)

    def best(found: dict[str, Range]) -> dict[str, float]:
        return {name: number.best for name, number in found.items()}

    ranges = fitted(weight)
    values = best(ranges)
    found = Fit(names, values, ranges, data, np.asarray(model(values), float))
    if hold_out:
        left = np.zeros(len(data))
        for n in range(len(data)):
            others = np.arange(len(data)) != n
            left[n] = np.asarray(model(best(fitted(others * weight))), float)[n] / data[n] - 1
        found.left_out = left
    return found


def _least(
    model: Model,
    data: np.ndarray,
    names: list[str],
    starts: Sequence[Mapping[str, float]],
    weight: np.ndarray,
    scatter: float,
) -> dict[str, Range]:
    from scipy.optimize import least_squares

    def residuals(logs: np.ndarray, first: np.ndarray) -> np.ndarray:
        errors = weight * np.log(np.asarray(model(dict(zip(names, np.exp(logs)))), float) / data)
        return np.concatenate([errors, hold * (logs - first)])

    loss = {"loss": "soft_l1", "f_scale": scatter} if scatter else {}
    logs = [np.log([start[name] for name in names]) for start in starts]
    ends = [
        least_squares(
            residuals, log, bounds=(log - reach, log + reach), args=(log,), max_nfev=200, **loss
        )
        for log in logs
    ]
    end = min(ends, key=lambda e: e.cost)
    variance = 2 * end.cost / max(len(data) - len(names), 1)
    spread = 2 * np.sqrt(variance * np.diag(np.linalg.pinv(end.jac.T @ end.jac)))
    low, middle, high = (np.exp(end.x + sign * spread).tolist() for sign in (-1, 0, 1))
    return {name: Range(*three) for name, *three in zip(names, low, middle, high)}
