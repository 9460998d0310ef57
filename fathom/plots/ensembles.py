"""Pictures of an ensemble: all members at a place in time, lines of all members on a map, how
many of them exceed a value, and where the truth lies among them.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from fathom.base.failure import InputError
from fathom.base.near import unknown
from fathom.names import describe
from fathom.plots.chosen import at_level, at_time
from fathom.plots.colours import faint, ink, phases
from fathom.plots.columns import column_of
from fathom.plots.lines import contours
from fathom.plots.map import displayed
from fathom.plots.map import map as draw_map
from fathom.plots.picture import on_the_earth, resolved
from fathom.plots.style import new_figure, styled, unit_text

__all__ = ["ensemble"]

kinds = ("plume", "spaghetti", "probability", "ranks")
bands = ((0, 100, 0.12), (25, 75, 0.25))  # percentiles between which a plume is filled


def ensemble(
    dataset: Any,
    variable: str,
    kind: str,
    *,
    time: str | int = "last",
    level: float | str | None = None,
    at: Mapping[str, str] | None = None,
    value: float | None = None,
    below: bool = False,
    truth: Any = None,
    title: str | None = None,
    region: Any = None,
    projection: str | None = None,
    path: Any = None,
) -> Any:
    """Draw a variable with a dimension `member`. Returns the figure.

    kind: plume (all times at a place, at = {"place": "LON,LAT"}), spaghetti (the line of `value` of
    each member, over their spread), probability (the share of members above `value`, or below it),
    ranks (how often `truth`, a data set of the same variable, lies between which members). value:
    in the unit of the file. Others as of `picture`. InputError: no members, place, value or truth.
    """
    if kind not in kinds:
        raise InputError(unknown("kind of picture of an ensemble", kind, kinds))
    name = resolved(dataset, variable)
    data = dataset[name]
    if "member" not in data.dims:
        held = [str(n) for n in dataset.data_vars if "member" in dataset[n].dims]
        raise InputError(f"{name} has no members; with members are: {', '.join(held) or 'none'}")
    how = {"path": path, "title": title or _title(data)}
    if kind == "plume":
        return _plume(dataset, data, level, at or {}, truth, how)
    if kind == "ranks":
        return _ranks(dataset, data, level, truth, how)
    return _on_map(dataset, data, kind, time, level, value, below, region, projection, how)


def _on_map(
    dataset: Any,
    data: Any,
    kind: str,
    time: str | int,
    level: Any,
    value: float | None,
    below: bool,
    region: Any,
    projection: str | None,
    how: dict[str, Any],
) -> Any:
    """Draws the members at a time on a map."""
    if value is None:
        raise InputError(
            f"{kind}: of which value? --value=VALUE, in {data.attrs.get('units', '1')}"
        )
    data, moment = at_time(data, time)
    levels = [_level(dataset, data.isel(member=n), level) for n in range(data.sizes["member"])]
    of_each = np.stack([np.asarray(one.values, float) for one, _ in levels])
    first, where = levels[0]
    raster, over = on_the_earth(dataset, first, projection, region)
    how["note"] = "  ".join(text for text in (moment, where) if text)
    if kind == "probability":
        return _probability(of_each, raster, over, value, below, data.attrs, how)
    return _spaghetti(of_each, raster, over, value, data.attrs, how)


def _title(data: Any) -> str:
    return str(data.attrs.get("long_name", data.name)).capitalize()


def wanted(dataset: Any, variable: str, kind: str | None, member: int | None) -> Any:
    """Returns the data of one picture of a member, or of no ensemble; None: it is of all members.
    InputError: a variable of members, of which none is chosen; no such member.
    """
    if kind in kinds:
        return None
    if "member" not in dataset.dims:
        if member is not None:
            raise InputError(f"--member {member}: there are no members in the file")
        return dataset
    number = dataset.sizes["member"]
    name = resolved(dataset, variable)
    if member is None and "member" in dataset[name].dims:
        raise InputError(
            f"{name} has {number} members: --member 0 draws one of them, --kind one of"
            f" {', '.join(kinds)} all of them"
        )
    if member is not None and member >= number:
        raise InputError(f"--member {member}: there are members 0 to {number - 1}")
    return dataset.isel(member=member or 0)


def _level(dataset: Any, data: Any, level: float | str | None) -> tuple[Any, str]:
    """Returns a field of a member on a level."""
    found: tuple[Any, str] = at_level(dataset, data, level)
    return found


def _spaghetti(
    of_each: np.ndarray, raster: Any, over: Any, value: float, about: Any, how: Any
) -> Any:
    """Draws the line of a value of each member over their spread."""

    def lines(axes: Any, raster: Any) -> None:
        over(axes, raster)
        for n, field in enumerate(of_each):
            contours(axes, raster, field, [value], colour=phases[n % len(phases)], width=0.7)
        contours(axes, raster, of_each.mean(axis=0), [value], colour=ink, width=1.5)

    units = str(about.get("units", ""))
    how["title"] += f": {value:g} {unit_text(units)} of {len(of_each)} members".rstrip()
    spread = of_each.std(axis=0, ddof=1) if len(of_each) > 1 else np.zeros(of_each.shape[1:])
    how["note"] += "  shaded: spread"
    top = float(np.nanpercentile(spread, 99)) or 1.0
    return draw_map(
        spread, raster, name="", units=units, limits=(0, top), colours="Greys", over=lines, **how
    )


def _probability(
    of_each: np.ndarray, raster: Any, over: Any, value: float, below: bool, about: Any, how: Any
) -> Any:
    """Draws the share of members above, or below, a value."""
    share = np.mean(of_each < value if below else of_each > value, axis=0)
    share[~np.isfinite(of_each).all(axis=0)] = np.nan
    sign, units = "<" if below else ">", unit_text(str(about.get("units", "")))
    how["title"] = f"Probability of {how['title'].lower()} {sign} {value:g} {units}".rstrip()
    how["note"] += f"  {len(of_each)} members"
    return draw_map(
        100 * share, raster, units="%", limits=(0, 100), colours="speed", over=over, **how
    )


@styled
def _plume(
    dataset: Any, data: Any, level: Any, at: Mapping[str, str], truth: Any, how: Mapping[str, Any]
) -> Any:
    """Draws all members at a place in time, their mean, and the truth where it is given."""
    if "time" not in data.dims:
        raise InputError("a plume needs times")
    found, where = _in_time(dataset, data, level, at)
    times = data.time.values
    figure = new_figure(7.4, 3.4)
    axes = figure.add_axes((0.1, 0.15, 0.88, 0.71))
    shown, units, _ = displayed_as(data, found)
    axes.plot(times, shown, color=faint, lw=0.6, alpha=0.8)
    for low, high, strength in bands:
        edges = np.percentile(shown, (low, high), axis=1)
        axes.fill_between(times, *edges, color=phases[0], alpha=strength, lw=0)
    axes.plot(times, shown.mean(axis=1), color=phases[0], lw=2, label="mean")
    if truth is not None:
        other = truth[resolved(truth, str(data.name))]
        real, _ = _in_time(truth, other.expand_dims("member", -1), level, at)
        axes.plot(other.time.values, displayed_as(data, real)[0], color=ink, lw=1.5, label="truth")
    axes.legend(ncols=2, loc="lower right", bbox_to_anchor=(1, 1.0), borderaxespad=0.2)
    axes.grid(True, axis="y")
    axes.margins(x=0.01)
    axes.set_ylabel(unit_text(units))
    _dates(axes)
    axes.set_title(f"{how['title']} at {where}, {shown.shape[1]} members")
    return _saved(figure, how["path"])


@styled
def _ranks(dataset: Any, data: Any, level: Any, truth: Any, how: Mapping[str, Any]) -> Any:
    """Draws how often the truth lies between which members, over all points and times."""
    if truth is None:
        raise InputError("ranks: among which members lies what? --truth FILE")
    other = truth[resolved(truth, str(data.name))]
    other = other.isel(member=0) if "member" in other.dims else other
    counts = np.zeros(data.sizes["member"] + 1)
    for moment in range(data.sizes.get("time", 1)):
        one = data.isel(time=moment) if "time" in data.dims else data
        real = other.sel(time=one.time) if "time" in other.dims else other
        of_each = [
            np.asarray(_level(dataset, one.isel(member=n), level)[0].values, float)
            for n in range(one.sizes["member"])
        ]
        value = np.asarray(_level(truth, real, level)[0].values, float)
        there = np.isfinite(value)
        counts += np.bincount(
            np.sum([x[there] < value[there] for x in of_each], axis=0), minlength=len(counts)
        )
    share = 100 * counts / counts.sum()
    figure = new_figure(7.4, 3.2)
    axes = figure.add_axes((0.09, 0.15, 0.89, 0.7))
    axes.bar(np.arange(len(share)), share, color=phases[0], width=0.85)
    axes.axhline(100 / len(share), color=ink, lw=1, ls="--")
    axes.xaxis.get_major_locator().set_params(integer=True)
    axes.set_xlabel("members below the truth")
    axes.set_ylabel("% of points and times")
    axes.set_title(f"{how['title']}: rank of the truth")
    return _saved(figure, how["path"])


def displayed_as(data: Any, values: np.ndarray) -> tuple[np.ndarray, str, Any]:
    """Returns values of a variable in the unit for pictures."""
    return displayed(describe(str(data.name)), values, str(data.attrs.get("units", "")) or None)


def _in_time(dataset: Any, data: Any, level: Any, at: Mapping[str, str]) -> tuple[np.ndarray, str]:
    """Returns (times, members) at a place, and the place in words."""
    if "place" not in at:
        raise InputError("a plume is of one place: --at place=LON,LAT")
    rows, where = [], ""
    for n in range(data.sizes["member"]):
        one, at_height = _level(dataset, data.isel(member=n), level)
        column, where = column_of(dataset, one, at)
        where = ", ".join(text for text in (where, at_height) if text)
        rows.append(np.asarray(column.values, float).reshape(one.sizes["time"]))
    return np.stack(rows, axis=1), where


def _dates(axes: Any) -> None:
    """Writes short dates below an axis of times."""
    from matplotlib.dates import AutoDateLocator, ConciseDateFormatter

    place: Any = AutoDateLocator(minticks=3, maxticks=9)  # type: ignore[no-untyped-call]
    axes.xaxis.set_major_locator(place)
    shown: Any = ConciseDateFormatter(place)  # type: ignore[no-untyped-call]
    axes.xaxis.set_major_formatter(shown)


def _saved(figure: Any, path: Any) -> Any:
    """Returns the figure, saved where a path is given."""
    if path is not None:
        figure.savefig(path)
    return figure
