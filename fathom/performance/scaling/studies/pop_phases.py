"""Shares of the phases of POP at 0.1 degree on the Cray XT5: reference/pop_phase_split.csv.

    baroclinic    w A      A: points of the fullest rank, as the solver has them (cgpop.py)
    barotropic    a day of the solver in POP, as fitted to its seconds, unchanged
    3-D updates   u        seconds of a day, the same for any number of cores

w and u are fitted to the shares, by least squares of points of a share. By the shares, the updates
of 3-D fields take as long on 5521 cores as on 96. Messages of their sizes would take a tenth of
that: the rest is waiting for late ranks, which is not explained.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache

import numpy as np

from fathom.performance.scaling.reference import table
from fathom.performance.scaling.studies import cgpop

phases = ("baroclinic", "barotropic", "3Dupdate")


@cache
def studied() -> tuple[np.ndarray, np.ndarray]:
    """Returns (cores, shares of the phases) of the study."""
    rows = table("pop_phase_split.csv")
    shares = [[float(row[f"frac_{phase}"]) for phase in phases] for row in rows]
    return np.array([int(row["cores"]) for row in rows]), np.array(shares)


@cache
def solver(cores: int) -> float:
    """Returns seconds of a day."""
    return cgpop.day(*cgpop.known("XT5/POP"), cores)


def shares(values: Mapping[str, float], cores: Sequence[int]) -> np.ndarray:
    """Returns the shares of the phases, (cores, phases)."""
    points = np.array([cgpop.points(int(c))[0] for c in cores], float)
    seconds = np.stack(
        [
            values["w"] * points,
            np.array([solver(int(c)) for c in cores]),
            np.full(len(points), values["u"]),
        ],
        1,
    )
    result: np.ndarray = seconds / seconds.sum(1, keepdims=True)
    return result


def fitted(without: int | None = None) -> dict[str, float]:
    """Returns w [s a point and day], u [s a day]; without: the place of a number of cores left
    out."""
    from scipy.optimize import least_squares

    cores, found = studied()
    kept = np.arange(len(cores)) != (-1 if without is None else without)

    def residuals(logs: np.ndarray) -> np.ndarray:
        result: np.ndarray = (
            shares(dict(zip("wu", np.exp(logs))), cores[kept]) - found[kept]
        ).ravel()
        return result

    return dict(zip("wu", map(float, np.exp(least_squares(residuals, np.log([1e-2, 10.0])).x))))
