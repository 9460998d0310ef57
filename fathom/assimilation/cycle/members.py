"""The ensemble of data assimilations of a cycle. Each member has a separate background, and FGAT
with the data and new errors. The missing spread is added to each at the end of a window: a state
from B, its variances Q by level and variable such that the spread agrees with departures,

    Q' = max(Q + 1/10 spread^2 (r / (1 + 1/N) - 1), 0)

with r, the variance of the background that departures d = y - H x of the members' mean show,
divided by that of the members: from pairs of columns, so that R is not needed
(assimilation/departures.py). The part that the grid cannot represent is correlated between near
columns, so these pairs do not count. The square of the error of the mean of N members is 1 + 1/N
times their variance.
"""

from __future__ import annotations

import json
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from fathom.assimilation.balance import AirBackground
from fathom.assimilation.cycle.kept import read, write
from fathom.assimilation.cycle.twin import as_numbers
from fathom.assimilation.departures import sized, variance_of_members, variances
from fathom.assimilation.ensembles import analysed, gaspari_cohn, inflated
from fathom.assimilation.variational import Analysis, Seen
from fathom.base.earth import unit_vectors

if TYPE_CHECKING:
    from fathom.assimilation.cycle.run import Cycles

gain = 0.1  # of Q, in a window
near, far = 0.5e6, 6e6  # distances [m] between which pairs of columns count


def run(cycles: Cycles) -> list[dict[str, Any]]:
    """Returns all windows; each keeps the members' backgrounds."""
    e, twin, folder = cycles.experiment, cycles.twin, cycles.out / "eda"
    count = cycles.experiment.ensemble.members

    def random(number: Any, i: Any) -> Any:
        return np.random.default_rng([e.ensemble.seed, number, i])

    def drawn(L: Any, number: int, these: range = range(count)) -> np.ndarray:
        """Returns states from B, one for each member; of others than members with other numbers."""

        def draw(i: Any) -> Any:
            return random(number, count + i).standard_normal(L.controls)

        return np.array([L.apply(draw(i)) for i in these])

    B, R, start = cycles.learned()
    L = AirBackground(twin.model.transform, B)
    starts = start + drawn(L, 0)
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
                    weights = nearby(
                        cycles, number, seen, drawn(L, number, range(count, count + 64))
                    )
                    lacking = lacked(lacking, *at_columns(found, seen, len(R)), weights)
                errors = sized(B, twin.model.transform, lacking, most=1e3)
            ends = inflated(np.array([f.end for f in found]), e.ensemble.inflation)
            ends = ends + without_mean(
                drawn(AirBackground(twin.model.transform, errors), number + 1)
            )
            write(path, end=ends, starts=starts, middles=before,
                  summary=json.dumps(as_numbers(said)),
                  **({} if lacking is None else {"lacking": lacking}))  # fmt: skip
        made = read(path)
        starts, lacking = made["end"], made.get("lacking")
        results.append(cycles.told("eda", number, made))
    return results


def without_mean(drawn: np.ndarray) -> np.ndarray:
    """Draws (members, n) of the same variance that leave the mean of the members as it is."""
    count = len(drawn)
    result: np.ndarray = (drawn - drawn.mean(0)) * np.sqrt(count / (count - 1))
    return result


def sum_of(of_parts: tuple[np.ndarray, ...]) -> np.ndarray:
    """Returns variances of the values of a column."""
    wind, balanced, rest = of_parts
    return np.concatenate([wind, wind, balanced + rest])


def at_columns(
    found: list[Analysis], seen: dict[int, Seen], values: int
) -> tuple[np.ndarray, np.ndarray]:
    """Returns departures of the members' mean background (values, columns), and the deviations of
    the members from their mean (members, values, columns); NaN where screening has left out a
    datum.
    """
    drawn = [
        np.concatenate(
            [(f.seen[n].values - s.values).reshape(values, -1) for n, s in seen.items()], axis=1
        )
        for f in found
    ]
    d = np.array([f.columns(values)[0] - e for f, e in zip(found, drawn)])
    return d.mean(0), d.mean(0) - d


def nearby(cycles: Cycles, number: int, seen: dict[int, Seen], drawn: np.ndarray) -> np.ndarray:
    """Returns weights of pairs of columns (values, columns, columns): covariances of states drawn
    from B, nothing where they are too near to each other or too far away.
    """
    twin, times = cycles.twin, len(cycles.experiment.times)

    def at_data(b: Any) -> Any:
        return [s.operator.apply(b).reshape(twin.values, -1) for s in seen.values()]

    x = np.array([np.concatenate(at_data(b), axis=1) for b in drawn])
    places = [twin.places((cycles.first + number) * times + n)[:2] for n in seen]
    at = unit_vectors(*np.concatenate(places, axis=1))
    distance = twin.model.transform.radius * np.arccos(np.clip(at @ at.T, -1, 1))
    kept = gaspari_cohn(2 * distance / far) * (distance > near)
    result: np.ndarray = np.einsum("nvi,nvj->vij", x, x, optimize=True) * kept
    return result


def lacked(lacking: np.ndarray, d: np.ndarray, x: np.ndarray, weights: np.ndarray) -> np.ndarray:
    """Returns Q of the next window."""
    spread2 = np.nanmean(x**2, axis=(0, 2)) * len(x) / (len(x) - 1)
    wanted = variance_of_members(d, x, weights) / (1 + 1 / len(x))
    result: np.ndarray = np.maximum(lacking + gain * spread2 * (wanted - 1), 0.0)
    return result
