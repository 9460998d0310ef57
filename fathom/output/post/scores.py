"""Scores of a forecast on the sphere. With weights w of area, the mean <f> = sum(w f) / sum(w):

    bias <f - a>,    rms sqrt(<(f - a)^2>),
        anomaly correlation <f' a'> / sqrt(<f'^2> <a'^2>),  f' = f - c - <f - c>, a' likewise

c is a climatology. Points without a number, in any of the fields, do not count. Weights and fields
share their last axes.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from fathom.base.failure import InputError

if TYPE_CHECKING:
    from numpy.typing import ArrayLike


def regular_weights(latitude: ArrayLike, longitude: ArrayLike) -> np.ndarray:
    """Returns (lat, lon) area of the cells around the points of a regular grid, between the middles
    of parallels; the poles are caps.
    """
    latitude = np.asarray(latitude, float)
    middle = 0.5 * (latitude[1:] + latitude[:-1])
    ends = np.sign(latitude[-1] - latitude[0]) * 90
    edge = np.sin(np.deg2rad(np.concatenate([[-ends], middle, [ends]])))
    return np.repeat(np.abs(np.diff(edge))[:, None] / np.size(longitude), np.size(longitude), 1) / 2


def mean(field: ArrayLike, weights: np.ndarray) -> np.ndarray:
    """Returns <f> over the axes of the weights."""
    field, axes = np.asarray(field, float), tuple(range(-np.ndim(weights), 0))
    if field.shape[-np.ndim(weights) :] != np.shape(weights):
        raise InputError(
            f"a field of shape {field.shape} does not fit weights of shape {np.shape(weights)}"
        )
    there = np.isfinite(field)
    result: np.ndarray = np.where(there, field * weights, 0).sum(axes) / np.where(
        there, weights, 0
    ).sum(axes)
    return result


def bias(forecast: ArrayLike, analysis: np.ndarray, weights: np.ndarray) -> np.ndarray:
    """Returns the mean difference of a forecast from an analysis, over points of these weights."""
    return mean(np.asarray(forecast) - analysis, weights)


def rms(forecast: ArrayLike, analysis: np.ndarray, weights: np.ndarray) -> np.ndarray:
    """Returns the root mean square difference of a forecast from an analysis."""
    result: np.ndarray = np.sqrt(mean((np.asarray(forecast) - analysis) ** 2, weights))
    return result


def anomaly_correlation(
    forecast: ArrayLike, analysis: ArrayLike, climate: np.ndarray, weights: np.ndarray
) -> np.ndarray:
    """Returns the correlation of the anomalies of a forecast and an analysis from a climate."""
    f, a = np.asarray(forecast, float) - climate, np.asarray(analysis, float) - climate
    gap = np.isnan(f + a)
    f, a = np.where(gap, np.nan, f), np.where(gap, np.nan, a)
    axes = tuple(range(-np.ndim(weights), 0))
    f, a = (g - np.expand_dims(mean(g, weights), axes) for g in (f, a))
    result: np.ndarray = mean(f * a, weights) / np.sqrt(mean(f * f, weights) * mean(a * a, weights))
    return result


def persistence(analyses: ArrayLike, weights: np.ndarray) -> np.ndarray:
    """Returns rms of the first analysis (time first) as a forecast of each: 0 at the first."""
    analyses = np.asarray(analyses, float)
    return rms(analyses[0], analyses, weights)


def table(
    forecasts: np.ndarray,
    analyses: np.ndarray,
    weights: np.ndarray,
    climate: np.ndarray | None = None,
) -> dict[str, np.ndarray]:
    """Returns bias, rms, persistence for each time (time first), and anomaly_correlation if there
    is a climate; the first analysis is the start.
    """
    result = {
        "bias": bias(forecasts, analyses, weights),
        "rms": rms(forecasts, analyses, weights),
        "persistence": persistence(analyses, weights),
    }
    return (
        result
        if climate is None
        else result
        | {"anomaly_correlation": anomaly_correlation(forecasts, analyses, climate, weights)}
    )
