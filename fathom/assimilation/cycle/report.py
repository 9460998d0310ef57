"""The report of cycles: the results of each method, as text, numbers and a figure."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any

import numpy as np

from fathom.plots.style import new_figure, styled

Results = dict[str, list[dict[str, Any]]]
of_air = {"wind": "m/s", "temperature": "K", "pressure": "Pa", "energy": "m/s"}
of_sea = {"temperature": "K", "upper": "K", "thermocline": "K", "deep": "K", "salinity": "1e-3",
          "height": "m"}  # fmt: skip
shown = {
    "air": ("wind", "temperature", "pressure"),
    "sea": ("thermocline", "salinity", "height"),
}


def _kind(results: Results) -> str:
    """Returns whether errors are of the air, or of the sea."""
    return "sea" if "thermocline" in next(iter(results.values()))[0]["analysis"] else "air"


def _units(results: Results) -> dict[str, str]:
    return of_sea if _kind(results) == "sea" else of_air


def _rms(windows: Sequence[dict[str, Any]], part: str, name: str) -> float:
    """Returns the root mean square of an error over windows."""
    return float(np.sqrt(np.mean([window[part][name] ** 2 for window in windows])))


def _mean(windows: Sequence[dict[str, Any]], name: str) -> float:
    """Returns the mean of a number over windows."""
    return float(np.mean([window[name] for window in windows]))


def means(results: Results) -> dict[str, dict[str, float]]:
    """Returns means of each method over the second half of its windows: rms errors of background
    and analysis, departures and residuals over the observation errors, 2 J over the number of data.
    """
    made, names = {}, _units(results)
    for method, all_ in results.items():
        half = all_[len(all_) // 2 :]
        rms, mean = partial(_rms, half), partial(_mean, half)
        made[method] = {
            f"{part} {name}": rms(part, name)
            for part in ("background", "analysis")
            for name in names
        } | {
            "departure": mean("departure"),
            "residual": mean("residual"),
            "2J/p": float(
                np.mean(
                    [
                        2 * (r["J_background"] + r["J_observations"]) / r["observations"]
                        for r in half
                    ]
                )
            )
            if "J_background" in half[0]
            else float("nan"),
            "rejected": mean("rejected"),
            "iterations": mean("iterations"),
        }
        for part in ("spread", "free"):
            if part in all_[0]:
                made[method] |= {f"{part} {name}": rms(part, name) for name in names}
    return made


def text(results: Results) -> list[str]:
    """Returns a table, a line a method."""
    names, digits = _units(results), 2 if _kind(results) == "air" else 3
    lines = [
        "twin experiment: the truth is another run of the model",
        f"{'':8}{'windows':>8}" + "".join(
            f"{part + ' ' + n:>18}" for n in names
            for part in ("b", "a")
        ) + f"{'departure':>11}{'residual':>10}{'2J/p':>7}",
    ]  # fmt: skip
    for method, m in means(results).items():
        errors = "".join(
            f"{m[f'{part} {n}']:18.{digits}f}" for n in names for part in ("background", "analysis")
        )
        lines.append(
            f"{method:8}{len(results[method]):8}{errors}{m['departure']:11.2f}"
            f"{m['residual']:10.2f}"
            + (f"{m['2J/p']:7.2f}" if np.isfinite(m["2J/p"]) else f"{'–':>7}")
        )
    lines += _spreads(results)
    lines += [
        f"{method}: without data " + ", ".join(
            f"{n} {m[f'free {n}']:.{digits}f} {names[n]}" for n in shown[_kind(results)]
        )
        for method, m in means(results).items() if "free temperature" in m
    ]  # fmt: skip
    return lines


def _spreads(results: Results) -> list[str]:
    """Returns a line a method with members: their spread over the error of their mean, of the air
    in the middle of a window before the analysis, of the sea at its end.
    """
    kind = _kind(results)
    part = "background" if kind == "air" else "analysis"
    return [
        f"{method}: spread over the error of the members' mean, "
        + ", ".join(f"{n} {m[f'spread {n}'] / m[f'{part} {n}']:.2f}" for n in shown[kind])
        for method, m in means(results).items()
        if "spread temperature" in m
    ]


def times(seconds: dict[str, list[dict[str, float]]], deadline: float) -> list[str]:
    """Returns a line a method: mean seconds of the parts of a window, the longest window, and, if
    there is a deadline [s], the number of windows that keep it and their margin.
    """
    lines = []
    for method, windows in seconds.items():
        parts = {name: np.mean([w.get(name, 0.0) for w in windows]) for name in windows[0]}
        whole = np.array([sum(w.values()) for w in windows])
        text = ", ".join(f"{name} {part:.2f}" for name, part in parts.items())
        line = f"{method}: seconds of a window: {text}; the longest {whole.max():.2f}"
        if deadline:
            line += (
                f"; {np.sum(whole <= deadline)} of {len(whole)} within the deadline of"
                f" {deadline:g} s, the least margin {deadline - whole.max():.2f} s"
            )
        lines.append(line)
    return lines


@styled
def picture(results: Results) -> Any:
    """Returns errors of background and analysis in time."""
    figure = new_figure(9, 6)
    colours = dict(
        zip(results, ("#c1440e", "#1b6ca8", "#2a7f3f", "#7a4ea3", "#8a6d1d", "#444444", "#b0508e"))
    )
    names = _units(results)
    for n, name in enumerate((*shown[_kind(results)], "departure")):
        axes = figure.add_subplot(2, 2, n + 1)
        for method, all_ in results.items():
            hours = [r["hours"] / 24 for r in all_]
            if name == "departure":
                axes.plot(
                    hours, [r["departure"] for r in all_], color=colours[method], label=method
                )
                axes.plot(hours, [r["residual"] for r in all_], ":", color=colours[method])
                continue
            axes.plot(
                hours, [r["analysis"][name] for r in all_], color=colours[method], label=method
            )
            axes.plot(hours, [r["background"][name] for r in all_], ":", color=colours[method])
        axes.set_ylim(0)
        title = {
            "departure": "departures / errors of data (dotted: residuals)",
            "wind": "error of the wind [m/s] (dotted: background)",
            "thermocline": "temperature at 100 to 300 m [K] (dotted: background)",
        }
        axes.set_title(title.get(name, f"{name} [{names.get(name)}]"), loc="left")
        axes.set_xlabel("days")
    axes.legend(frameon=False)
    figure.tight_layout()
    return figure
