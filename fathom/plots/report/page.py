"""The report of a run: one self-contained HTML file with its key figures and pictures."""

from __future__ import annotations

import base64
import html
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from fathom import plots
from fathom.base import writing
from fathom.base.failure import file_error
from fathom.base.regions import exclusive
from fathom.base.shown import number
from fathom.names import describe
from fathom.plots.bars import seconds_text
from fathom.plots.report import tables as profile_tables
from fathom.plots.report import timeline_page, traces
from fathom.plots.report.markup import table
from fathom.plots.style import unit_text

__all__ = ["figures", "template", "write_report"]


def write_report(
    path: str | Path,
    *,
    title: str,
    summary: Mapping[str, Any],
    configuration: str,
    pictures: Mapping[str, Pictures] | None = None,
    series: Mapping[str, tuple[Any, ...]] | None = None,
    profile: Iterable[Mapping[str, Any]] = (),
    trace: Sequence[dict[str, Any]] | None = None,
    parts: Mapping[str, str] | None = None,
) -> Path:
    """Write the report and return its path. Empty or missing parts are left out.

    summary: as in summary.json (steps, ranks, threads, cells, simulated_years_per_day, checksum,
    state, ...). configuration: TOML text. pictures: title of a section -> pairs of a name and a
    function that draws the figure. parts: title of a section -> HTML. series: name -> (time [s],
    values, units). profile: records of regions, trace: events of all ranks (fathom.base.regions).
    OSError where the file cannot be written.
    """
    profile = list(profile)
    sections = [
        *(parts or {}).items(),
        *((name, figures(drawn)) for name, drawn in (pictures or {}).items()),
        ("In time", figures(_in_time(series or {}), "wide")),
        (
            "Where the time went",
            (timeline_page.page(trace) if trace else "")
            + figures(_bars(profile, summary, trace), "wide")
            + profile_tables.page(profile, summary.get("efficiency", {})),
        ),
        (
            "Output",
            _stores(summary.get("output", {}))
            + _protocol(summary.get("output", {}).get("servers"))
            + _writes(summary.get("output", {})),
        ),
        (
            "Budget",
            _budget(summary.get("budget", {})) + _mass_of_area(summary.get("mass_of_area", {})),
        ),
        ("State", _state_table(summary.get("state", {}))),
        ("Run", _facts(summary)),
        (
            "Configuration",
            f'<pre class="toml">{_coloured(configuration)}</pre>' if configuration.strip() else "",
        ),
    ]
    present = [(name, body) for name, body in sections if body]
    page = template("page.html").format(
        title=html.escape(title),
        style=template("page.css"),
        cards=_cards(summary),
        links="".join(f'<a href="#{_anchor(name)}">{name}</a>' for name, _ in present),
        body="".join(
            f'<section id="{_anchor(name)}"><h2>{name}</h2>{body}</section>'
            for name, body in present
        ),
    )
    path = Path(path)
    try:
        writing.replace(path, page)
    except OSError as error:
        raise file_error(error, f"cannot write the report {path}: {error.strerror}") from None
    return path


# Pictures: each is (name, function that draws it), so that one that fails costs only itself, not
# the page.

Pictures = Iterator[tuple[str, Callable[[], Any]]]


def _in_time(series: Mapping[str, tuple[Any, ...]]) -> Pictures:

    drawn = {
        name: (np.asarray(time), np.asarray(values), units)
        for name, (time, values, units) in series.items()
        if len(time)
    }
    if drawn:
        yield "time series", partial(plots.time_series, drawn)


def _bars(
    profile: list[Mapping[str, Any]],
    summary: Mapping[str, Any],
    trace: Sequence[dict[str, Any]] | None,
) -> Pictures:

    if profile:
        yield "profile", partial(plots.bars, exclusive(profile), title="Seconds by region")
    if trace:
        yield from traces.figures(summary, trace).items()
    elif summary.get("step_seconds"):
        yield (
            "steps",
            partial(
                plots.steps,
                {"steps": summary["step_seconds"]},
                summary.get("output_steps"),
                title="Time of each step, with what follows it",
            ),
        )
    if any(len(t["tried"]) > 2 for t in summary.get("tiles", ())):
        yield "tiles", partial(_lengths, summary["tiles"])


def _lengths(tiles: list[dict[str, Any]]) -> Any:
    """Returns the table of tile lengths measured in the first steps of a run: time of each group of
    processes against the columns at once, its least being 1.
    """
    curves = {}
    for t in sorted(tiles, key=lambda t: -min(t["tried"].values()))[:8]:
        least = min(t["tried"].values())
        curves[f"{t['first']} … ({1e3 * least:.2g} ms)"] = (
            [int(n) for n in t["tried"]],
            [seconds / least for seconds in t["tried"].values()],
        )
    return plots.against(
        {
            "": plots.Panel(
                "columns that pass through a group of processes at once (NPROMA)",
                "time of the group, least = 1",
                curves,
            )
        },
        title="The length of a tile, as the run measured it in its first steps",
    )


def figures(pictures: Pictures, shape: str = "") -> str:
    """Returns the pictures of a section; one that cannot be drawn is a line of text."""
    drawn: list[str] = []
    try:
        drawn.extend(_figure(name, draw) for name, draw in pictures)
    except _failures as error:
        drawn.append(_missing("pictures", error))
    return f'<div class="figures {shape}">{"".join(drawn)}</div>' if drawn else ""


def _figure(name: str, draw: Callable[[], Any]) -> str:

    try:
        data = base64.b64encode(plots.encoded(draw(), colours=256)).decode()
    except _failures as error:
        return _missing(name, error)
    words = html.escape(name)
    caption = f"<figcaption>{words.replace('_', ' ')}; touch it: larger</figcaption>"
    return f'<figure><img alt="{words}" src="data:image/png;base64,{data}">{caption}</figure>'


_failures = (ValueError, TypeError, KeyError, IndexError, ArithmeticError)


def _missing(name: str, error: Exception) -> str:
    return f'<figure class="missing">{html.escape(f"{name}: {error}")}</figure>'


# Words and tables

_cards_of = (
    ("simulated_years_per_day", "simulated years per day"),
    ("steps", "steps"),
    ("seconds_per_step", "seconds per step"),
    ("cells", "cells"),
    ("ranks", "ranks"),
    ("threads", "threads"),
    ("wall_seconds", "wall seconds"),
    ("checksum", "checksum"),
)


_named = {
    "step": "step [s]",
    "energy_fixer": "energy fixer [W m⁻²]",
    "diffusion_heating": "diffusion heating [W m⁻²]",
}


def _cards(summary: Mapping[str, Any]) -> str:
    return "".join(
        "<div"
        f' class="card{" code" if key == "checksum" else ""}"><b>{_value(summary[key])}</b>'
        f"<span>{label}</span></div>"
        for key, label in _cards_of
        if summary.get(key) is not None
    )


def _value(value: Any) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    if not isinstance(value, (int, float, np.number)):
        return html.escape(str(value))
    if float(value).is_integer() and abs(float(value)) < 1e15:
        return f"{int(value):,}".replace(",", "\u2009")
    return number(float(value), 4).replace(" ", "\u2009")


def _choice(value: Any) -> str:
    """Returns the value of a choice of the run; None: what Fathom makes of the work."""
    if isinstance(value, Mapping):
        return "by group"
    return "chosen by work" if value is None else _value(value)


def _facts(summary: Mapping[str, Any]) -> str:
    rows = [
        (_named.get(key, key.replace("_", " ")), value)
        for key, value in summary.items()
        if not isinstance(value, (Mapping, list, tuple))
    ]
    chosen = [
        (name, html.escape(f"{_choice(held['value'])}: {held['why']}"))
        for name, held in summary.get("choices", {}).items()
    ]
    return (
        table(("", ""), [(name, _value(value)) for name, value in rows] + chosen, "facts")
        if rows
        else ""
    )


def _state_table(state: Mapping[str, Mapping[str, Any]]) -> str:

    rows = [
        (
            name.replace("_", " "),
            *(_value(held.get(key, "")) for key in ("minimum", "mean", "maximum")),
            " to ".join(_value(limit) for limit in held.get("limits", ())),
            unit_text(held.get("units") or describe(name).units),
        )
        for name, held in state.items()
        if isinstance(held, Mapping)
    ]
    return table(("field", "minimum", "mean", "maximum", "allowed", "units"), rows) if rows else ""


def _budget(budget: Mapping[str, Any]) -> str:
    """Returns the table of what each process adds to the contents of the globe, of an
    atmosphere."""
    kept = {
        name: part for name, part in budget.items() if isinstance(part, Mapping) and "terms" in part
    }
    if not kept:
        return ""
    processes = list(dict.fromkeys(name for part in kept.values() for name in part["terms"]))

    def row(title: str, values: Iterable[Any]) -> tuple[str, ...]:
        return (html.escape(title), *("" if x is None else f"{x:+.4g}" for x in values))

    rows = [row(name, (part["terms"].get(name) for part in kept.values())) for name in processes]
    rows.append(row("stored", (part["storage"] for part in kept.values())))
    rows.append(row("of dynamics: the energy fixer", (part.get("fixer") for part in kept.values())))
    heads = (f"{name} [{unit_text(part['units'])}]" for name, part in kept.items())
    return table(("", *heads), rows)


def _mass_of_area(mass: Mapping[str, Mapping[str, float]]) -> str:
    """Returns the mass that passes through the edges of a limited area, as surface pressure."""
    heads = ("mean surface pressure [Pa]", "gained", "through edges", "by coupling, and the rest")
    rows = [
        (
            {"area": "central and coupling zone", "centre": "central zone"}[name],
            *(f"{part[key]:+.4g}" for key in ("stored", "through_edges", "rest")),
        )
        for name, part in mass.items()
    ]
    return table(heads, rows) if rows else ""


def _stores(output: Mapping[str, Any]) -> str:
    """Returns times of stores and restarts, and their cost for the ranks that compute."""
    held = {**output.get("stores", {}), **output.get("restarts", {})}
    rows = [
        (
            html.escape(path),
            _value(s["times"]),
            seconds_text(s["stall_seconds"] / s["times"]),
            seconds_text(s["longest_stall"]),
        )
        for path, s in held.items()
    ]
    return (
        table(("written", "times", "kept ranks from computing, each", "at most"), rows)
        if rows
        else ""
    )


def _protocol(servers: Mapping[str, Any] | None) -> str:
    """Returns the quantities of the protocol between computing ranks and servers."""
    if not servers:
        return ""
    units = {
        "copied_bytes": _megabytes,
        "fetched_bytes": _megabytes,
        "depth": _value,
        "queue": _value,
    }
    who = [
        ("computing ranks", servers["protocol"]),
        *((f"server {s['rank']}", s["protocol"]) for s in servers["serving"]),
    ]
    rows = [
        (
            rank,
            name.replace("_", " "),
            _value(q["count"]),
            units.get(name, seconds_text)(q["mean"]),
            units.get(name, seconds_text)(q["most"]),
        )
        for rank, quantities in who
        for name, q in quantities.items()
        if q["count"]
    ]
    lost = (
        f"; sets that fell silent: {', '.join(map(str, servers['lost_sets']))}"
        if servers["lost_sets"]
        else ""
    )
    busy = (
        f"all in use {servers['busy']} times, {servers['fallen_back']} events written by the ranks"
        f" that compute{lost}"
    )
    return (
        f"<p>{servers['servers']} I/O servers in {servers['sets']} sets, {servers['slots']} slots"
        f" of {_megabytes(servers['slot_bytes'])} on each rank: {busy}</p>"
        + "<details><summary>The protocol in numbers</summary>"
        + table(("", "", "events", "mean", "most"), rows)
        + "</details>"
    )


def _megabytes(size: float) -> str:
    return f"{size / 1e6:.3g} MB"


def _writes(output: Mapping[str, Any]) -> str:
    """Calls that wrote, by their size."""
    sizes = output.get("writes", {})
    calls_of_metadata, metadata = output.get("writes_of_metadata", (0, 0))
    total = sum(written for _, written in sizes.values()) + metadata or 1
    rows = [
        (
            f"{_bytes(int(size))} to {_bytes(2 * int(size))}",
            _value(calls),
            f"{written / 1e6:.3g} MB",
            f"{100 * written / total:.2f} %",
        )
        for size, (calls, written) in sizes.items()
    ]
    if metadata:
        share = f"{100 * metadata / total:.2f} %"
        about = _value(calls_of_metadata), f"{metadata / 1e6:.3g} MB", share
        rows.append(("metadata, of any size", *about))
    return (
        table(("size of a write", "writes", "bytes", "of all"), rows)
        + f"<p>{100 * output['share_in_large_writes']:.2f} % of {total / 1e6:.4g} MB in writes of"
        " 64 KiB and more</p>"
        if rows
        else ""
    )


def _bytes(size: int) -> str:
    return next(
        f"{size >> n} {unit}"
        for n, unit in ((30, "GiB"), (20, "MiB"), (10, "KiB"), (0, "B"))
        if size >> n
    )


def _coloured(toml: str) -> str:
    """Returns TOML with its headings, keys and comments marked."""
    lines = []
    for line in html.escape(toml.strip(), quote=False).splitlines():
        line = re.sub(r"^(\s*\[.*\])", r"<b>\1</b>", line)
        line = re.sub(r"^(\s*)([\w.\-\"]+)(\s*=)", r"\1<i>\2</i>\3", line)
        lines.append(re.sub(r"(^|\s)(#[^\"']*)$", r"\1<em>\2</em>", line))
    return "\n".join(lines)


def _anchor(name: str) -> str:
    return name.lower().replace(" ", "-")


def template(name: str) -> str:
    """Returns a part of the page that is a file beside this one."""
    return Path(__file__).with_name(name).read_text("utf-8")
