"""Pictures of observations: where they are, how they depart from the background, how many in time,
why they are not used, and the story of a station.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from fathom.assimilation.observations.base import Observations
from fathom.assimilation.observations.reasons import reasons
from fathom.assimilation.observations.variables import kinds, variable, variables
from fathom.base.failure import InputError
from fathom.base.near import unknown
from fathom.data import embedded
from fathom.plots.colours import faint, ink
from fathom.plots.map import map as draw_map
from fathom.plots.mesh import Raster, mesh_of
from fathom.plots.sounding import dew_point
from fathom.plots.sounding import sounding as draw_sounding
from fathom.plots.style import new_figure, styled

width = 1920  # of maps [points]
palette = (
    "#14567a", "#c2571a", "#2c8a57", "#9f2233", "#7a5aa6", "#b08c1a", "#3aa0b8", "#6b7177",
    "#d0709a", "#4d6b1f", "#1f3a93", "#a0522d", "#008080", "#555555",
)  # fmt: skip
most_told = 6  # variables of a station in one picture


def coverage(chosen: Observations, path: Any = None) -> Any:
    """Draws where data are, by kind."""
    present = [n for n in range(len(kinds)) if (chosen["kind"] == n).any()]

    def points(axes: Any, raster: Any) -> None:
        for n in present:
            own = chosen["kind"] == n
            place = np.unique(
                np.stack([chosen["longitude"][own], chosen["latitude"][own]]).round(2), axis=1
            )
            column, row = raster.project(*place)
            axes.plot(column, row, ".", ms=2.2, mew=0, color=palette[n], zorder=4, alpha=0.8,
                      label=f"{kinds[n]} {own.sum()}")  # fmt: skip
        if present:
            axes.legend(loc="lower left", fontsize=6, markerscale=3, framealpha=0.9)

    return _on_globe(chosen, points, f"{len(chosen)} observations", "", path)


def departures_map(chosen: Observations, path: Any = None) -> Any:
    """Returns background departures at their places."""
    name, there = _one_variable(chosen)
    values = chosen["background_departure"][there]
    most = float(np.quantile(np.abs(values), 0.98)) or 1.0

    def points(axes: Any, raster: Any) -> None:
        place = raster.project(chosen["longitude"][there], chosen["latitude"][there])
        drawn = axes.scatter(*place, c=values, s=5, lw=0, cmap="RdBu_r", vmin=-most, vmax=most,
                             zorder=4)  # fmt: skip
        bar = axes.inset_axes((0.02, 0.06, 0.25, 0.02))
        axes.figure.colorbar(drawn, cax=bar, orientation="horizontal")
        bar.tick_params(labelsize=5)

    note = f"rms {np.sqrt(np.mean(values**2)):.2f} {variable(name).units}, {there.sum()} data"
    title = f"Observation minus background, {name.replace('_', ' ')}"
    return _on_globe(chosen, points, title, note, path)


def _on_globe(
    chosen: Observations, over: Callable[..., Any], title: str, note: str, path: Any
) -> Any:
    """Returns points on a map of land and sea; of the region that they fill, where it is not the
    globe.
    """
    held = embedded.read("topography", "latitude", "longitude", "ocean_fraction")
    latitude, longitude = held["latitude"], held["longitude"]
    sea = np.where(held["ocean_fraction"] > 0.5, 0.35, np.nan)
    box = _box(chosen["longitude"], chosen["latitude"])
    if box is not None:
        west, east, south, north = box
        longitude = np.mod(longitude - west, 360) + west
        order = np.argsort(longitude)
        rows = (latitude >= south) & (latitude <= north)
        columns = order[longitude[order] <= east]
        latitude, longitude = latitude[rows], longitude[columns]
        sea = sea[np.ix_(rows, columns)]
    else:
        latitude, longitude, sea = latitude[1::3], longitude[1::3], sea[1::3, 1::3]
    grid = Raster(mesh_of({"longitude": longitude, "latitude": latitude}), width)
    figure = draw_map(
        sea, grid, title=title, note=note or " ", limits=(0, 1), colours="Greys", over=over,
        path=None,
    )  # fmt: skip
    figure.axes[1].remove()  # the bar of the sea says nothing
    if path is not None:
        figure.savefig(path)
    return figure


def _box(longitude: np.ndarray, latitude: np.ndarray) -> tuple[float, ...] | None:
    """Returns west, east, south, north with a margin; None: most of the globe."""
    turn = np.sort(np.mod(longitude, 360))
    if not len(turn):
        return None
    gap = np.diff(np.append(turn, turn[0] + 360))
    after = int(np.argmax(gap))
    west = turn[(after + 1) % len(turn)]
    across, up = 360 - gap[after], np.ptp(latitude)
    if across > 150 or across < 1 or up < 1:
        return None
    margin = 0.05 * max(across, up)
    return (
        float(west - margin), float(west + across + margin),
        float(max(latitude.min() - margin, -89)), float(min(latitude.max() + margin, 89)),
    )  # fmt: skip


def _one_variable(chosen: Observations) -> tuple[str, np.ndarray]:
    """Returns the variable with most departures, and where it has them. ValueError: none has."""
    there = np.isfinite(chosen["background_departure"])
    if not there.any():
        raise InputError(
            "these observations have no background departures yet; fathom observations compare"
            " makes them"
        )
    count = np.bincount(chosen["variable"][there], minlength=len(variables))
    number = int(count.argmax())
    return variables[number].name, there & (chosen["variable"] == number)


@styled
def histogram(chosen: Observations) -> Any:
    """Returns departures of used and rejected data, and the Gaussian of the used ones."""
    name, there = _one_variable(chosen)
    values, used = chosen["background_departure"][there], chosen.used[there]
    edge = float(np.quantile(np.abs(values), 0.995)) or 1.0
    bins = np.linspace(-edge, edge, 61)
    figure = new_figure(6, 3.6)
    axes = figure.add_axes((0.11, 0.15, 0.85, 0.72))
    axes.hist([values[used], values[~used]], bins, stacked=True, color=[palette[0], palette[1]],
              label=[f"used {used.sum()}", f"not used {(~used).sum()}"])  # fmt: skip
    if used.sum() > 1 and values[used].std() > 0:
        mean, spread = values[used].mean(), values[used].std()
        x = np.linspace(-edge, edge, 200)
        curve = np.exp(-0.5 * ((x - mean) / spread) ** 2) / (spread * np.sqrt(2 * np.pi))
        axes.plot(x, curve * used.sum() * (bins[1] - bins[0]), color=ink, lw=1,
                  label=f"mean {mean:.2f}, deviation {spread:.2f}")  # fmt: skip
    axes.set(xlabel=f"observation minus background [{variable(name).units}]", ylabel="data")
    axes.set_title(name.replace("_", " "))
    axes.legend(fontsize=7)
    return figure


@styled
def rejected(chosen: Observations) -> Any:
    """Returns data by kind and reason, in hundredths of each kind."""
    present = [n for n in range(len(kinds)) if (chosen["kind"] == n).any()]
    why = [r for r in reasons if (chosen["reason"] == r).any()]
    bars = 0.32 * len(present)  # inches
    figure = new_figure(7, bars + 1.1)
    axes = figure.add_axes((0.13, 0.5 / (bars + 1.1), 0.6, bars / (bars + 1.1)))
    left = np.zeros(len(present))
    for n, r in enumerate(why):
        share = np.array(
            [100 * np.mean(chosen["reason"][chosen["kind"] == k] == r) for k in present]
        )
        colour = faint if r == 0 else palette[n % len(palette)]
        axes.barh(range(len(present)), share, left=left, color=colour, label=reasons[r][0])
        left += share
    axes.set_yticks(range(len(present)), [kinds[k] for k in present])
    axes.set(xlabel="% of data", xlim=(0, 100))
    axes.legend(fontsize=6, loc="center left", bbox_to_anchor=(1.01, 0.5))
    axes.set_title("Used, and why not")
    return figure


@styled
def series(chosen: Observations, every: int = 3600) -> Any:
    """Returns counts, and the rms of departures where there are any, in bins of time [s]; of
    several variables in standard deviations of their errors.
    """
    figure = new_figure(7, 3.6)
    axes = figure.add_axes((0.1, 0.16, 0.8, 0.7))
    dated = chosen.taken(chosen["time"] > 0)
    if not len(dated):
        raise InputError("no datum has a time")
    first = int(dated["time"].min()) // every
    number = (dated["time"] // every - first).astype(int)
    if number.max() > 100000:
        raise InputError(f"times span {number.max()} bins of {every} s; choose some with --where")
    times = ((first + np.arange(number.max() + 1)) * every).astype("M8[s]")
    for n in np.unique(dated["kind"]):
        own = np.bincount(number[dated["kind"] == n], minlength=len(times))
        axes.plot(times, own, marker="." if len(times) < 60 else "", lw=1, color=palette[n],
                  label=kinds[n])  # fmt: skip
    axes.set(ylabel=f"data in {every / 3600:g} h")
    axes.set_yscale("symlog")
    axes.set_ylim(0, 3 * axes.get_ylim()[1])
    axes.set_xlim(times[0] - every, times[-1] + every)
    axes.tick_params(axis="x", labelsize=6)
    axes.legend(fontsize=6)
    there = np.isfinite(dated["background_departure"])
    if there.any():
        departure, unit = _of_one_unit(dated.taken(there))
        square = np.bincount(number[there], departure**2, minlength=len(times))
        count = np.bincount(number[there], minlength=len(times))
        rms = np.sqrt(square / np.where(count, count, np.nan))
        right = axes.twinx()
        right.plot(times, rms, marker="." if len(times) < 60 else "", color=ink, lw=1, ls="--")
        right.set(ylabel=f"rms of departures{unit} (dashed)", ylim=(0, None))
    axes.set_title("Counts in time")
    return figure


def _of_one_unit(some: Observations) -> tuple[np.ndarray, str]:
    """Returns departures and what their label adds; of several variables by their errors."""
    number = some["variable"]
    if (number == number[0]).all():
        return some["background_departure"], f" [{variables[number[0]].units}]"
    return some["background_departure"] / some["error_final"], " / error"


def sounding(chosen: Observations, path: Any = None) -> Any:
    """Returns a radiosonde or aircraft profile on a skew-T log-p chart with its hodograph.
    InputError: several stations or reports, or no levels of pressure.
    """
    station = _one_station(chosen, "sounding")
    if len(np.unique(chosen["report"])) > 1:
        first = chosen["report"] == chosen["report"][0]
        chosen = chosen.taken(np.flatnonzero(first))
    if not np.isfinite(chosen["pressure"]).any():
        raise InputError(f"{station} has no levels of pressure, so no sounding; try --kind story")
    levels = np.unique(chosen["pressure"][np.isfinite(chosen["pressure"])])
    held = {name: _on_levels(chosen, name, levels) for name in of_sounding}
    dew = held["dew_point_temperature"]
    if not np.isfinite(dew).any():
        dew = dew_point(levels, held["specific_humidity"])
    wind = held["eastward_wind"], held["northward_wind"]
    return draw_sounding(
        levels,
        held["air_temperature"],
        dew if np.isfinite(dew).any() else None,
        wind if np.isfinite(wind[0]).any() else None,
        title=f"{kinds[chosen['kind'][0]]} {station}",
        note=str(chosen["time"].min().astype("M8[s]")).replace("T", " ")[:16],
        path=path,
    )


of_sounding = (
    *("air_temperature", "dew_point_temperature", "specific_humidity"),
    *("eastward_wind", "northward_wind"),
)


def _on_levels(chosen: Observations, name: str, levels: np.ndarray) -> np.ndarray:
    """Returns the values of a variable at levels of pressure, NaN where there is none."""
    found = np.full(len(levels), np.nan)
    own = chosen["variable"] == [v.name for v in variables].index(name)
    found[np.searchsorted(levels, chosen["pressure"][own])] = chosen["value"][own]
    return found


def _one_station(chosen: Observations, what: str) -> str:
    """Returns the only station. InputError: several."""
    stations = np.unique(chosen["station"])
    if len(stations) > 1:
        raise InputError(f"a {what} is of one station, these are {len(stations)}; add --station")
    return str(stations[0])


@styled
def story(chosen: Observations) -> Any:
    """Returns all data of a station: departures where there are any, values otherwise, in time, or
    against pressure, downward, where it is one sounding; with the reasons of those that are not
    used.
    """
    station = _one_station(chosen, "story")
    found = [n for n in range(len(variables)) if (chosen["variable"] == n).any()][:most_told]
    if np.isfinite(chosen["pressure"]).all() and len(np.unique(chosen["report"])) == 1:
        figure = _downward(chosen, found)
    else:
        figure = _in_time(chosen, found)
    figure.suptitle(f"{kinds[chosen['kind'][0]]} {station}", y=0.985, fontsize=9)
    return figure


def _downward(chosen: Observations, found: list[int]) -> Any:
    """Returns variables side by side over pressure, which grows downward."""
    figure = new_figure(1.2 + 1.6 * len(found), 4.6)
    across = 1.2 + 1.6 * len(found)
    levels = chosen["pressure"] / 100
    for n, number in enumerate(found):
        axes = figure.add_axes(((0.7 + 1.6 * n) / across, 0.2, 1.3 / across, 0.66))
        some = chosen.taken(chosen["variable"] == number)
        _told(axes, some, variables[number], some["pressure"] / 100, upright=True)
        axes.set_ylim(1.03 * levels.max(), 0.0)
        axes.set_xlabel(f"[{variables[number].units}]", fontsize=7)
        axes.legend(fontsize=6, loc="upper center", bbox_to_anchor=(0.5, -0.13))
        if n:
            axes.tick_params(axis="y", labelleft=False)
        else:
            axes.set_ylabel("pressure [hPa]", fontsize=7)
    return figure


def _in_time(chosen: Observations, found: list[int]) -> Any:
    """Returns variables one below the other in time."""
    rows = 1.5 * len(found)  # inches
    figure = new_figure(7, rows + 0.9)
    times = chosen["time"].astype("M8[s]")
    room = max((times.max() - times.min()) // 30, np.timedelta64(600, "s"))
    for row, number in enumerate(found):
        bottom = (0.55 + 1.5 * (len(found) - 1 - row)) / (rows + 0.9)
        axes = figure.add_axes((0.12, bottom, 0.62, 1.15 / (rows + 0.9)))
        some = chosen.taken(chosen["variable"] == number)
        axes.set_xlim(times.min() - room, times.max() + room)
        _told(axes, some, variables[number], some["time"].astype("M8[s]"))
        axes.set_ylabel(f"[{variables[number].units}]", fontsize=7)
        axes.legend(fontsize=6, loc="upper left", bbox_to_anchor=(1.01, 1.05))
        if row < len(found) - 1:
            axes.tick_params(axis="x", labelbottom=False)
    return figure


def _told(
    axes: Any, some: Observations, what: Any, along: np.ndarray, upright: bool = False
) -> None:
    """Draws one variable of a station along time, or upright over pressure."""
    seen = np.isfinite(some["background_departure"])
    values = some["background_departure" if seen.any() else "value"]
    for r in np.unique(some["reason"]):
        own = some["reason"] == r
        colour = palette[1 + (r - 1) % (len(palette) - 1) if r else 0]
        x, y = (values, along) if upright else (along, values)
        axes.plot(x[own], y[own], "." if r == 0 else "x", ms=5, color=colour, ls="",
                  label=f"{reasons[r][0]} {own.sum()}")  # fmt: skip
    if seen.any():
        (axes.axvline if upright else axes.axhline)(0, color=faint, lw=0.8, zorder=0)
    text = what.name.replace("_", " ") + (", minus background" if seen.any() else "")
    axes.set_title(text, fontsize=7 if len(text) < 24 else 5.5, loc="left", pad=2)
    axes.tick_params(labelsize=6)


kinds_of_picture: dict[str, Callable[..., Any]] = {
    "coverage": coverage,
    "departures": departures_map,
    "histogram": histogram,
    "reasons": rejected,
    "series": series,
    "story": story,
    "sounding": sounding,
}


def draw(kind: str, chosen: Observations, path: Any) -> None:
    """Draws a picture of that kind into a file. ValueError: a kind that is not known, no data."""
    if kind not in kinds_of_picture:
        raise InputError(unknown("picture", kind, kinds_of_picture))
    if not len(chosen):
        raise InputError("no observation is left to draw; look at --where")
    kinds_of_picture[kind](chosen, path=path)
