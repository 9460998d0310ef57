"""Bias of observations as a linear function of predictors, whose coefficients are part of what an
analysis solves for (Dee 2004; Harris & Kelly 2001).

    b = sum_i beta_i p_i,    p = 1, thicknesses 1000-300 and 200-50 hPa, powers of the scan angle

`apply` is linear in beta: its own tangent; `adjoint` its transpose.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True)
class Predictors:
    """Values (n, predictors) of each datum, centred and scaled so that coefficients are of the
    size of the bias.
    """

    values: np.ndarray

    @classmethod
    def of_radiances(
        cls, thickness_1000_300: np.ndarray, thickness_200_50: np.ndarray, angle: np.ndarray
    ) -> Predictors:
        """Thicknesses [m] about 8800 and 8600 m in units of 200 m, three powers of the angle from
        the nadir [degrees] in units of 50.
        """
        scan = np.asarray(angle) / 50
        one = np.ones_like(scan)
        first, second = (
            (np.asarray(thickness_1000_300) - 8800) / 200,
            (np.asarray(thickness_200_50) - 8600) / 200,
        )
        return cls(np.stack([one, first, second, scan, scan**2, scan**3], axis=1))

    def apply(self, coefficients: np.ndarray) -> np.ndarray:
        """The bias of each datum."""
        return self.values @ coefficients

    tangent = apply

    def adjoint(self, bias: np.ndarray) -> np.ndarray:
        return self.values.T @ bias

    def fitted(
        self, departure: np.ndarray, error: np.ndarray, background: np.ndarray,
        background_error: np.ndarray,
    ) -> np.ndarray:  # fmt: skip
        """The coefficients that departures tell, with those of before as a background: the least
        of |d - b|^2 / error^2 + |beta - background|^2 / background_error^2.
        """
        weighted = self.values / error[:, None]
        A = weighted.T @ weighted + np.diag(1 / background_error**2)
        right = weighted.T @ (departure / error) + background / background_error**2
        return np.linalg.solve(A, right)
