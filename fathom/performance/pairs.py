"""Ratios of pairs that were measured one after the other, so that both met the same machine."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np


def middle(ratios: Sequence[float] | np.ndarray) -> tuple[float, float]:
    """Returns the median of ratios and its standard error: 1.25 sigma / sqrt(n), where sigma =
    1.4826 median |x - median|, as for Gauss's distribution without its outliers.
    """
    values = np.asarray(ratios, float)
    median = float(np.median(values))
    sigma = 1.4826 * float(np.median(np.abs(values - median)))
    return median, 1.25 * sigma / float(np.sqrt(len(values)))
