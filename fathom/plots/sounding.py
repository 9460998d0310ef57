"""A sounding of the air: temperature and dew point on a skew-T log-p chart, and the wind as barbs
and as a hodograph.

    x = T + skew ln(1000 hPa / p),    y = ln p, downward
    dry adiabats    T = theta (p / 1000 hPa)^kappa
    moist adiabats  dT / d ln p = (R T + L r) / (c_p + L^2 r eps / (R T^2)),  r = eps e / (p - e)
    mixing ratios   the temperature at which saturated air has r

Over water, e by Bolton (1980, doi:10.1175/1520-0493(1980)108<1046:TCOEPT>2.0.CO;2).
"""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np

from fathom.base import moist_air
from fathom.base.failure import InputError
from fathom.plots.colours import faint, ink, phases
from fathom.plots.style import new_figure, styled

__all__ = ["dew_point", "sounding"]

skew = 37.0  # degC for each factor e of pressure
bottom, top = 1050.0, 100.0  # hPa
ticks = (1000, 850, 700, 500, 400, 300, 200, 150, 100)
layers = ((1000, 850), (850, 500), (500, 250), (250, 100))  # hPa, one colour each of a hodograph


@styled
def sounding(
    pressure: np.ndarray,
    temperature: np.ndarray,
    dew_point: np.ndarray | None = None,
    wind: tuple[np.ndarray, np.ndarray] | None = None,
    *,
    title: str = "Sounding",
    note: str = "",
) -> Any:
    """Draw levels of pressure [Pa]: temperature and dew point [K], eastward and northward wind
    [m s-1]; NaN where there is none. Returns the figure. InputError: fewer than two levels.
    """
    p = np.asarray(pressure, float) / 100
    order = np.argsort(-p)
    p, t = p[order], np.asarray(temperature, float)[order] - moist_air.CELSIUS
    if np.isfinite(t).sum() < 2:
        raise InputError("a sounding needs two levels with a temperature, or more")
    figure = new_figure(9.0 if wind is not None else 6.2, 6.0)
    across = 0.56 if wind is not None else 0.85
    axes = figure.add_axes((0.075, 0.085, across, 0.815))
    lowest = max(bottom, float(np.nanmax(p)) + 10)
    highest = max(10.0, min(top, float(np.nanmin(p[np.isfinite(t)]))))
    _background(axes, lowest, highest)
    for values, colour, name in (
        (t, phases[4], "temperature"),
        (dew_point, phases[0], "dew point"),
    ):
        if values is None:
            continue
        shown = values if name == "temperature" else _ordered(values, order) - moist_air.CELSIUS
        there = np.isfinite(shown)
        axes.plot(_x(shown[there], p[there]), p[there], color=colour, lw=2, label=name, zorder=4)
    axes.legend(loc="lower right", bbox_to_anchor=(0.97, 1.0), ncols=2, borderaxespad=0.2)
    if wind is not None:
        u, v = (_ordered(part, order) for part in wind)
        _barbs(axes, p, u, v)
        _hodograph(figure, p, u, v)
    figure.text(0.012, 0.965, title, fontsize=11, fontweight="bold", color=ink, va="center")
    figure.text(0.985, 0.965, note, fontsize=8, color=faint, va="center", ha="right")
    return figure


def dew_point(pressure: Any, specific_humidity: Any) -> np.ndarray:
    """Returns the dew point over water [K] of air at a pressure [Pa]; NaN where it is dry."""
    q = np.asarray(specific_humidity, float)
    e = np.asarray(pressure, float) * q / (moist_air.RATIO + (1 - moist_air.RATIO) * q)
    with np.errstate(divide="ignore", invalid="ignore"):
        log = np.log(np.where(e > 0, e, np.nan) / 611.2)
    return np.asarray(243.5 * log / (17.67 - log) + moist_air.CELSIUS)


def _ordered(values: Any, order: np.ndarray) -> np.ndarray:
    return np.asarray(np.asarray(values, float)[order])


def _x(celsius: Any, p: Any) -> np.ndarray:
    return np.asarray(celsius + skew * np.log(1000 / np.asarray(p, float)))


def _saturated_ratio(celsius: Any, p: Any) -> np.ndarray:
    """Returns the mixing ratio of saturated air at p [hPa]."""
    e = 6.112 * np.exp(17.67 * celsius / (celsius + 243.5))
    return np.asarray(moist_air.RATIO * e / np.maximum(p - e, 1e-3))


def moist_adiabat(celsius: float, p: np.ndarray) -> np.ndarray:
    """Returns temperatures [degC] at falling pressures p [hPa] of saturated air that starts with
    `celsius` at the first of them (midpoint rule).
    """
    gas, heat, latent = moist_air.GAS_CONSTANT, moist_air.HEAT_CAPACITY, moist_air.EVAPORATION_HEAT

    def slope(t: float, at: float) -> float:
        kelvin, r = t + moist_air.CELSIUS, float(_saturated_ratio(t, at))
        above = gas * kelvin + latent * r
        return above / (heat + latent**2 * r * moist_air.RATIO / (gas * kelvin**2))

    found = [celsius]
    for here, there in pairwise(p):
        step = float(np.log(there / here))
        middle = found[-1] + 0.5 * step * slope(found[-1], here)
        found.append(found[-1] + step * slope(middle, float(np.sqrt(here * there))))
    return np.array(found)


def _background(axes: Any, lowest: float, highest: float) -> None:
    """Draws axes, isotherms, adiabats and lines of equal mixing ratio."""
    p = np.geomspace(lowest, highest, 60)
    thin: dict[str, Any] = {"lw": 0.6, "zorder": 1}
    for celsius in range(-120, 51, 10):
        line = dict(thin, color=faint, alpha=0.9 if celsius == 0 else 0.45)
        axes.plot(_x(np.full(60, float(celsius)), p), p, **line)
    kappa = moist_air.GAS_CONSTANT / moist_air.HEAT_CAPACITY
    for theta in range(250, 451, 20):
        dry = theta * (p / 1000) ** kappa - moist_air.CELSIUS
        axes.plot(_x(dry, p), p, color=phases[1], alpha=0.45, **thin)
    for start in range(-20, 37, 8):
        axes.plot(_x(moist_adiabat(start, p), p), p, color=phases[3], alpha=0.5, ls="--", **thin)
    low = p[p > 500]
    for ratio in (0.4, 1, 2, 4, 8, 16, 24):
        e = low * ratio / 1000 / (moist_air.RATIO + ratio / 1000)
        log = np.log(e / 6.112)
        axes.plot(_x(243.5 * log / (17.67 - log), low), low, color=phases[0], alpha=0.5, ls=":",
                  **thin)  # fmt: skip
    axes.set_yscale("log")
    axes.set(xlim=(-45, 45), ylim=(lowest, highest), xlabel="temperature [°C]",
             ylabel="pressure [hPa]")  # fmt: skip
    axes.set_yticks([n for n in ticks if highest <= n <= lowest])
    axes.yaxis.set_major_formatter(lambda value, _: f"{value:g}")
    axes.minorticks_off()
    axes.grid(True, axis="y")
    axes.set_axisbelow(True)
    shown = [t for t in range(-50, 51, 10) if -45 <= _x(t, lowest) <= 45]
    words = [f"{t}".replace("-", "−") for t in shown]
    axes.set_xticks([float(_x(t, lowest)) for t in shown], words)


def _barbs(axes: Any, p: np.ndarray, u: np.ndarray, v: np.ndarray) -> None:
    """Draws barbs (5, 10, 50 m/s) at the right edge, some twenty-five."""
    high = axes.get_ylim()[1]
    there = np.flatnonzero(np.isfinite(u + v) & (p >= high))
    if not len(there):
        return
    places = np.log(p[there])
    wanted = np.linspace(places.max(), places.min(), 25)
    chosen = np.unique([there[np.argmin(np.abs(places - place))] for place in wanted])
    at = np.full(len(chosen), 46.5)
    steps = {"half": 5, "full": 10, "flag": 50}
    axes.barbs(at, p[chosen], u[chosen], v[chosen], length=5, lw=0.6, color=ink, clip_on=False,
               barb_increments=steps)  # fmt: skip


def _hodograph(figure: Any, p: np.ndarray, u: np.ndarray, v: np.ndarray) -> None:
    """Draws the end of the wind vector, level by level, a colour for each layer."""
    there = np.isfinite(u + v) & (p >= layers[-1][1])
    reach = 10 * np.ceil(float(np.hypot(u[there], v[there]).max(initial=8.0)) / 10)
    axes = figure.add_axes((0.71, 0.42, 0.27, 0.405))
    turn = np.linspace(0, 2 * np.pi, 181)
    step = 10 if reach <= 50 else 20
    for radius in np.arange(step, reach + 1, step):
        axes.plot(radius * np.cos(turn), radius * np.sin(turn), color=faint, lw=0.5, alpha=0.6)
    axes.axhline(0, color=faint, lw=0.5)
    axes.axvline(0, color=faint, lw=0.5)
    for n, (below, above) in enumerate(layers):
        part = there & (p <= below + 60 * (n == 0)) & (p >= above)
        axes.plot(u[part], v[part], ".-", color=phases[n], label=f"{below} to {above} hPa")
    axes.set(xlim=(-reach, reach), ylim=(-reach, reach), aspect="equal", xlabel="eastward [m/s]")
    axes.set_title("Wind: hodograph", fontsize=9)
    axes.legend(loc="upper center", bbox_to_anchor=(0.5, -0.2), ncols=1)
