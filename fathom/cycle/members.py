"""The ensemble of data assimilations of a cycle. Each member has its own background, and FGAT with
the data and new errors. What their spread lacks is drawn for each at the end of a window: a state
from B, its variances Q by level and variable such that the spread is what departures say,

    Q' = max(Q + 1/4 ((<d^2> - R) / (1 + 1/N) - spread^2), 0),     d = y - H x of the members' mean.

The square of the error of the mean of N members is 1 + 1/N times their variance.
"""

from __future__ import annotations

import json
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from fathom.assimilation.balance import AirBackground
from fathom.assimilation.departures import sized, variances
from fathom.assimilation.ensembles import analysed, inflated
from fathom.assimilation.variational import Analysis, Seen
from fathom.cycle.kept import read, write
from fathom.cycle.twin import as_numbers

if TYPE_CHECKING:
    from fathom.cycle.run import Cycles


def run(cycles: Cycles) -> list[dict[str, Any]]:
    """All windows; each keeps the members' backgrounds."""
    e, twin, folder = cycles.experiment, cycles.twin, cycles.out / "eda"
    count = cycles.experiment.ensemble.members
    random = lambda number, i: np.random.default_rng([e.ensemble.seed, number, i])

    def drawn(L: Any, number: int) -> np.ndarray:
        """States from B, one for each member."""
        draw = lambda i: random(number, count + i).standard_normal(L.controls)
        return np.array([L.apply(draw(i)) for i in range(count)])

    B, R, start = cycles.learned()
    starts = start + drawn(AirBackground(twin.model.transform, B), 0)
    window, lacking, results = cycles.analysis("fgat", B), None, []
    for number in range(e.cycle.windows):
        path = folder / f"window-{number:04d}.npz"
        if not path.exists():
            window.screening = cycles.screening(number)
            seen = cycles.seen(cycles.first + number, R)
            truth = cycles.window(cycles.first + number)["middle"]
            found = analysed(window, starts, seen, partial(random, number))
            before, after = (np.array([getattr(f, n) for f in found])
                             for n in ("background", "middle"))  # fmt: skip
            told = [f.summary for f in found]
            said = {k: np.mean([t[k] for t in told]) for k in told[0]} | {
                "hours": cycles.hours(number),
                "background": twin.distance(before.mean(0), truth),
                "analysis": twin.distance(after.mean(0), truth),
                "spread": twin.spread(before),
                "analysis spread": twin.spread(after),
            }
            errors = B.scaled(e.ensemble.model_error)
            if R is not None:
                if lacking is None:
                    lacking = sum_of(variances(errors, twin.model.transform))
                if cycles.screening(number) is not None:
                    lacking = lacked(lacking, *departures(found, seen, R), count)
                errors = sized(B, twin.model.transform, lacking, most=1e3)
            ends = inflated(np.array([f.end for f in found]), e.ensemble.inflation)
            ends = ends + drawn(AirBackground(twin.model.transform, errors), number + 1)
            write(path, end=ends, starts=starts, middles=before,
                  summary=json.dumps(as_numbers(said)),
                  **({} if lacking is None else {"lacking": lacking}))  # fmt: skip
        made = read(path)
        starts, lacking = made["end"], made.get("lacking")
        results.append(cycles.told("eda", number, made))
    return results


def sum_of(of_parts: tuple[np.ndarray, ...]) -> np.ndarray:
    """Variances of the values of a column."""
    wind, balanced, rest = of_parts
    return np.concatenate([wind, wind, balanced + rest])


def departures(
    found: list[Analysis], seen: dict[int, Seen], R: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """What departures of the members' mean background say of its variance, and the variance of the
    members, at the data, by the values of a column."""
    drawn = [
        np.concatenate(
            [(f.seen[n].values - s.values).reshape(len(R), -1) for n, s in seen.items()], axis=1
        )
        for f in found
    ]
    d = np.array([f.columns(len(R))[0] - e for f, e in zip(found, drawn)])
    # NaN where screening has left something out of a member
    return (np.nanmean(d.mean(0) ** 2, axis=1) - np.diagonal(R),
            np.nanmean(d.var(0, ddof=1), axis=1))  # fmt: skip


def lacked(lacking: np.ndarray, wanted: np.ndarray, has: np.ndarray, members: int) -> np.ndarray:
    """Q of the next window."""
    return np.maximum(lacking + 0.25 * (wanted / (1 + 1 / members) - has), 0.0)
