"""`fathom compare`: two profiles or runs compared: different settings, slower and faster regions,
and a figure.
"""

from __future__ import annotations

import json
import tomllib
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import click

from fathom import plots
from fathom.base.failure import InputError
from fathom.performance import history
from fathom.plots.colours import ink, phases
from fathom.plots.report.tables import lines
from fathom.plots.style import new_figure, styled
from fathom.run.tree import Entry, tree

most = 14  # regions of a picture


def present(
    before: Path,
    now: Path,
    file: Path | None = None,
    picture: Path | None = None,
    gantt: Path | None = None,
) -> int:
    """Print two profiles side by side. Exit status 0."""
    a, b = history.read(before), history.read(now)
    ranks = ranks_of_both({str(before): a, str(now): b}) if gantt else None
    records = history.compared(a, b)
    set_otherwise = parameters(configuration(before, a), configuration(now, b))
    noise = (
        "of the pieces of each run"
        if a.get("samples") and b.get("samples")
        else "not known: `fathom profile --json` measures it; a tenth of a region counts"
    )
    entries: list[Entry] = [
        ("step", [_step(x) for x in (a, b) if x.get("seconds_per_step") is not None]),
        ("parameters", set_otherwise),
        ("not the same", history.differences(a, b)),
        (
            "in common",
            f"all regions {100 * (history.common(a, b) - 1):+.1f} %; slower and faster are those"
            " that changed beyond that",
        ),
        ("noise", noise),
    ]
    click.echo(tree(f"{before} and {now}", [(label, text) for label, text in entries if text]))
    click.echo("\n".join(["", *lines(*history.table(records), left=(0, 6))]))
    if file:
        file.write_text(json.dumps(records, indent=2) + "\n", encoding="utf-8")
    if picture:
        beside(records, (str(before), str(now)), path=picture)
        click.echo(f"\n{picture}")
    if gantt:
        gantt.write_bytes(plots.encoded(ranks))
        click.echo(f"\n{gantt}")
    return 0


def ranks_of_both(profiles: Mapping[str, Mapping[str, Any]]) -> Any:
    """Returns the work of the ranks of both runs in three steps, and how many did what."""
    for name, found in profiles.items():
        if "timeline" not in found:
            raise InputError(
                f"{name} has no events to draw: `fathom profile --json F --pictures DIR` keeps"
                " those of three steps"
            )
    return plots.side_by_side(
        {Path(name).stem: found["timeline"] for name, found in profiles.items()},
        title="Three steps, before and after",
    )


def _step(found: Mapping[str, Any]) -> str:
    return (
        f"{1e3 * found['seconds_per_step']:.3f} ms, {found.get('steps')} steps,"
        f" {found.get('ranks')} × {found.get('threads')}"
    )


def configuration(path: Path, found: Mapping[str, Any]) -> dict[str, Any]:
    """Returns the settings of a run with all defaults: from a profile, or from resolved.toml next
    to a summary. {}: not known.
    """
    beside_it = (path if path.is_dir() else path.parent) / "resolved.toml"
    if text := found.get("configuration"):
        return tomllib.loads(text)
    is_run = path.is_dir() or path.name == "summary.json"
    return tomllib.loads(beside_it.read_text()) if is_run and beside_it.is_file() else {}


def parameters(before: Mapping[str, Any], now: Mapping[str, Any]) -> list[str]:
    """Returns the different settings: "model.friction.viscosity: 10000.0, then 20000.0". [] where
    the settings of one are not known.
    """
    if not (before and now):
        return []
    a, b = dict(_flat(before)), dict(_flat(now))
    return [
        f"{key}: {a.get(key, 'not set')}, then {b.get(key, 'not set')}"
        for key in dict.fromkeys((*a, *b))
        if a.get(key) != b.get(key)
    ]


def _flat(table: Mapping[str, Any], above: str = "") -> Iterator[tuple[str, Any]]:
    for name, value in table.items():
        if isinstance(value, Mapping):
            yield from _flat(value, f"{above}{name}.")
        else:
            yield f"{above}{name}", value


@styled
def beside(records: list[dict[str, Any]], names: tuple[str, str]) -> Any:
    """Returns two bars for each of the regions that take longest: milliseconds of a step before and
    now.
    """
    longest = sorted(records, key=lambda r: -max(r["before"], r["now"]))[:most]
    figure = new_figure(7.4, 1.0 + 0.34 * len(longest))
    height = figure.get_figheight()
    axes = figure.add_axes((0.34, 0.5 / height, 0.58, 1 - 1.0 / height))
    for shift, what, colour, name in zip(
        (-0.19, 0.19), ("before", "now"), (phases[0], phases[1]), names
    ):
        rows = [n + shift for n in range(len(longest))]
        axes.barh(rows, [1e3 * r[what] for r in longest], height=0.36, color=colour, label=name)
    reach = 1e3 * max((max(r["before"], r["now"]) for r in longest), default=1.0)
    for n, r in enumerate(longest):
        if r["verdict"]:
            end = 1e3 * max(r["before"], r["now"]) + 0.01 * reach
            axes.text(end, n, r["verdict"], va="center", fontsize=7.5, color=ink)
    axes.set_yticks(range(len(longest)), [r["region"] for r in longest])
    axes.set(xlim=(0, 1.12 * reach), ylim=(len(longest) - 0.4, -0.6), xlabel="ms a step")
    axes.legend(frameon=False, fontsize=7.5, loc="lower right")
    return figure
