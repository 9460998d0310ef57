"""Priors of parameters. A search works in numbers z that are N(0, 1) before there are data:

    parameter = F^-1(Phi(z)),    F the distribution of the prior within its range

so that no parameter leaves its range, and posterior and prior have one scale.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import stats

from fathom.base.failure import InputError
from fathom.base.near import unknown

kinds = ("uniform", "loguniform", "normal", "lognormal")
keys = ("prior", "range", "mean", "sigma")
_far = 1e-12  # of Phi from 0 and 1


@dataclass(frozen=True)
class Prior:
    """The prior of a parameter: its key in the file, kind, range; mean and sigma of a normal one
    (of a lognormal one: of the logarithm)."""

    key: str
    kind: str
    least: float
    most: float
    mean: float
    sigma: float

    @property
    def _logarithmic(self) -> bool:
        return self.kind.startswith("log")

    @property
    def _ends(self) -> tuple[float, float]:
        ends = self.least, self.most
        return (float(np.log(ends[0])), float(np.log(ends[1]))) if self._logarithmic else ends

    @property
    def _distribution(self) -> Any:
        least, most = self._ends
        if self.kind.endswith("uniform"):
            return stats.uniform(least, most - least)
        a, b = (least - self.mean) / self.sigma, (most - self.mean) / self.sigma
        return stats.truncnorm(a, b, self.mean, self.sigma)

    def value(self, z: Any) -> Any:
        """Returns the parameter of numbers z."""
        share = np.clip(stats.norm.cdf(z), _far, 1 - _far)
        x = self._distribution.ppf(share)
        return np.exp(x) if self._logarithmic else x

    def number(self, value: float) -> float:
        """Returns z of a value within the range."""
        x = np.log(value) if self._logarithmic else value
        return float(stats.norm.ppf(np.clip(self._distribution.cdf(x), _far, 1 - _far)))


# long: one line a mistake
def prior_of(key: str, given: Any) -> Prior:
    """Returns the prior that a table describes. InputError: it has no range, or is none."""
    if not isinstance(given, Mapping):
        raise InputError(
            f'{key} = {given!r} must be a table: {{ prior = "uniform", range = [a, b] }}'
        )
    if strange := [name for name in given if name not in keys]:
        raise InputError(unknown(f"key of the prior of {key}:", strange[0], keys))
    kind = given.get("prior", "uniform")
    if kind not in kinds:
        raise InputError(unknown(f"prior of {key}", str(kind), kinds))
    least, most = _range(key, given.get("range"))
    log = kind.startswith("log")
    if log and least <= 0:
        raise InputError(f"{key}: range = [{least:g}, {most:g}] of a {kind} prior must be above 0")
    ends = np.log([least, most]) if log else np.array([least, most])
    middle = given.get("mean", float(np.exp(ends.mean()) if log else ends.mean()))
    sigma = given.get("sigma", float(np.ptp(ends) / 4))
    if not (_is_number(middle) and least < middle < most and _is_number(sigma) and sigma > 0):
        raise InputError(
            f"{key}: mean = {middle!r} must lie in its range and sigma = {sigma!r} be above 0"
        )
    return Prior(key, kind, least, most, float(np.log(middle) if log else middle), float(sigma))


def _range(key: str, given: Any) -> tuple[float, float]:
    pair = isinstance(given, (list, tuple)) and len(given) == 2 and all(map(_is_number, given))
    if not pair or not given[0] < given[1]:
        said = "has no range" if given is None else f"has the range {given!r}"
        raise InputError(f"the prior of {key} {said}; a prior needs range = [least, most]")
    return float(given[0]), float(given[1])


def _is_number(value: Any) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool) and np.isfinite(value)
