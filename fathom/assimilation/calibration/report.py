"""The report of a calibration: posteriors, sensitivities, what the data do not tell; text, numbers
and a picture.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from fathom.assimilation.calibration import inversion
from fathom.assimilation.calibration.priors import Prior
from fathom.assimilation.calibration.run import Result
from fathom.assimilation.calibration.settings import Calibration
from fathom.plots.style import new_panels, styled

unknown_share = 0.5  # of the prior's variance, from which a direction counts as not identifiable
shown = 0.3  # least weight of a parameter in a direction that is named


def figures(calibration: Calibration, result: Result) -> dict[str, Any]:
    """Returns all numbers of the report."""
    z, G = result.z[-1], result.G[-1]
    left, vectors = inversion.directions(z)
    slopes = inversion.slopes(z, G) / result.errors[:, None]
    ends = np.cumsum([0, *result.sizes])
    return {
        "parameters": {
            prior.key: _posterior(prior, z[:, n]) for n, prior in enumerate(calibration.priors)
        },
        "misfits": result.misfits,
        "parts": result.parts,
        "used": float(sum(result.parts)),
        "failed": result.failed,
        "runs": sum(map(len, result.z)) + result.failed + 2,
        "costs": {
            cost.name: _of_cost(result, slice(first, end), calibration.priors, slopes)
            for cost, first, end in zip(calibration.costs, ends, ends[1:])
        },
        "directions": [
            {
                "variance_left": float(share),
                "of": {
                    p.key: float(x) for p, x in zip(calibration.priors, vector) if abs(x) >= shown
                },
            }
            for share, vector in zip(left, vectors.T)
        ],
    }


def _posterior(prior: Prior, z: np.ndarray) -> dict[str, float]:
    """Returns the middle and the bounds of 90 % of a parameter, before and after."""
    mean, sigma = float(z.mean()), float(z.std(ddof=1))
    at: Callable[[float, float, float], float] = lambda k, m, s: float(prior.value(m + k * s))
    return {
        "prior": at(0, 0, 1),
        "prior_low": at(-1.645, 0, 1),
        "prior_high": at(1.645, 0, 1),
        "posterior": at(0, mean, sigma),
        "low": at(-1.645, mean, sigma),
        "high": at(1.645, mean, sigma),
        "variance_left": sigma**2,
    }


def _of_cost(
    result: Result, these: slice, priors: list[Prior], slopes: np.ndarray
) -> dict[str, Any]:
    """Returns a cost before and after, and what a standard deviation of the prior of each
    parameter changes, in errors of the data (rms)."""
    rms: Callable[[np.ndarray], float] = lambda x: float(np.sqrt(np.mean(x**2)))
    data, errors = result.data[these], result.errors[these]
    made: dict[str, Any] = {
        "numbers": int(data.size),
        "before": rms((result.at_prior[these] - data) / errors),
        "after": rms((result.at_mean[these] - data) / errors) if result.at_mean.size else None,
        "sensitivity": {p.key: rms(slopes[these, n]) for n, p in enumerate(priors)},
    }
    if data.size == 1:
        made |= {"value": float(data[0]), "error": float(errors[0])}
        made |= {"at_prior": float(result.at_prior[these][0])}
        made |= {"at_posterior": float(result.at_mean[these][0])} if result.at_mean.size else {}
    return made


def text(found: dict[str, Any]) -> list[str]:
    """Returns the lines of the report."""
    lines = [f"{found['runs']} runs, {found['failed']} failed; misfit of the iterations: "
             + ", ".join(f"{x:.4g}" for x in found["misfits"])]  # fmt: skip
    if found["used"] < 0.999:
        lines.append(f"only {found['used']:.0%} of the data are used: allow more iterations")
    lines.append("parameter: before (90 %) -> after (90 %), variance left")
    for key, p in found["parameters"].items():
        lines.append(
            f"  {key}: {p['prior']:.4g} ({p['prior_low']:.4g} to {p['prior_high']:.4g}) ->"
            f" {p['posterior']:.4g} ({p['low']:.4g} to {p['high']:.4g}), {p['variance_left']:.1%}"
        )
    lines.append(
        "cost: departure over error, before -> after; its change by each parameter's prior"
    )
    for name, c in found["costs"].items():
        after = "-" if c["after"] is None else f"{c['after']:.3g}"
        by = ", ".join(f"{key} {x:.3g}" for key, x in c["sensitivity"].items())
        lines.append(f"  {name} ({c['numbers']}): {c['before']:.3g} -> {after}; {by}")
    unknown = [d for d in found["directions"] if d["variance_left"] > unknown_share]
    for d in unknown:
        of = " ".join(f"{x:+.2f} {key}" for key, x in d["of"].items())
        lines.append(f"not identifiable: {of} ({d['variance_left']:.0%} of its variance is left)")
    if not unknown:
        lines.append("the data tell all parameters and their combinations")
    return lines


@styled
def picture(calibration: Calibration, result: Result) -> Any:
    """Returns a figure: members of each iteration, and the misfits."""
    count = len(calibration.priors)
    figure, axes = new_panels(1, count + 1, 3.0 * (count + 1), 2.9)
    for n, (prior, axis) in enumerate(zip(calibration.priors, axes)):
        for iteration, z in enumerate(result.z):
            values = prior.value(z[:, n])
            axis.plot(np.full(len(values), iteration), values, ".", color="steelblue", alpha=0.6)
            axis.plot(iteration, prior.value(z[:, n].mean()), "_", color="black", markersize=14)
        axis.set(title=prior.key.split(".")[-1].replace("_", " "), xlabel="iteration")
        axis.set(yscale="log" if prior.kind.startswith("log") else "linear")
        axis.set_xticks(range(len(result.z)))
    axes[-1].plot(result.misfits, "o-", color="firebrick")
    axes[-1].axhline(len(result.data) / 2, color="grey", linestyle=":")
    axes[-1].set(title="misfit (dotted: noise)", xlabel="iteration", yscale="log")
    axes[-1].set_xticks(range(len(result.misfits)))
    return figure
