"""Results of `fathom tune`: a table on the terminal, and the experiment file with
[parallel] filled.
"""

from __future__ import annotations

import re
import shutil
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from fathom.performance.tune.search import Result
from fathom.performance.tune.ways import Tuned, value_text
from fathom.run.experiment.toml import Document, dumps, inline


def present(tuned: Tuned, file: Path, chosen_shapes: Mapping[str, Any]) -> None:
    """Prints the table of the settings, the proposals, and advice."""
    from rich.console import Console
    from rich.table import Table

    console = Console(
        width=max(80, shutil.get_terminal_size((120, 24)).columns), highlight=False, markup=False
    )
    result = tuned.result
    table = Table(
        title=(
            f"{tuned.ranks} rank{'s' * (tuned.ranks > 1)} × {tuned.threads}"
            f" thread{'s' * (tuned.threads > 1)}, {tuned.machine}"
        ),
        title_justify="left",
    )
    for column in ("setting", "usual", "tuned", "gain", "tried"):
        table.add_column(column)
    for row in _rows(result):
        table.add_row(*row)
    if chosen_shapes:
        least = {shape: min(samples) for shape, samples in chosen_shapes.items()}
        console.print(
            "ranks × threads, s a step: "
            + ", ".join(
                f"{shape.replace('x', ' × ')}: {seconds:.4g}"
                for shape, seconds in sorted(least.items(), key=lambda item: item[1])
            )
        )
    if tuned.serving:
        console.print(tuned.serving["told"])
    if result.start:
        console.print(table)
    console.print(
        verdict(result)
        + f"; the same bits in all {tuned.simulations} simulations" * (not wrong_bits(result))
    )
    for finding in wrong_bits(result):
        console.print(
            f"{finding.axis} = {value_text(finding.axis, finding.value)}: {finding.verdict}"
        )
    if tuned.named:
        console.print(f"left as given: {', '.join(tuned.named)}")
    if tuned.proposals is not None:
        for text in proposals(tuned.proposals):
            console.print(text)
    console.print(
        f"{file}" + (f"; kept for the next runs in {tuned.kept}" if tuned.kept else ""),
        soft_wrap=True,
    )


def wrong_bits(result: Result) -> list[Any]:
    """Returns the findings whose answers had other bits."""
    return [f for f in result.findings if f.verdict.startswith("OTHER BITS")]


def _rows(result: Result) -> list[tuple[str, ...]]:
    rows: list[tuple[str, ...]] = []
    for axis, best in result.best.items():
        seen = [f for f in result.findings if f.axis == axis]
        won = result.finding(axis)
        nothing = "none is surely faster" if best == result.start[axis] else "with the others"
        said = (
            f"{100 * won.gain:.1f} % (± {100 * won.error:.1f})"
            if won and won.gain is not None and won.error is not None
            else nothing
            if axis in result.examined
            else "no time"
        )
        rows.append(
            (
                axis,
                value_text(axis, result.start[axis]),
                value_text(axis, best),
                said,
                str(len({str(f.value) for f in seen})),
            )
        )
    return rows


def verdict(result: Result) -> str:
    """Returns "0.1500 → 0.1432 s a step: 4.7 % faster (± 0.5), 16 pairs"."""
    late = "; time was up before everything was tried" * result.out_of_time
    if result.best == result.start:
        return "the usual settings stay: nothing is surely faster" + late
    a, b = result.seconds["first"], result.seconds["best"]
    return (
        f"{a:.4g} → {b:.4g} s a step: {100 * result.gain:.1f} % faster (±"
        f" {100 * result.noise:.1f}), {result.pairs} pairs{late}"
    )


def proposals(found: Result) -> list[str]:
    """Returns settings that would be faster with other bits, in words."""
    changed = {
        name: value
        for name, value in found.best.items()
        if "." in name and value != found.start[name]
    }
    tried = [
        f
        for f in found.findings
        if f.log_ratio is not None or "slower" in f.verdict or "time" not in f.verdict
    ]
    late = "; time was up before everything was tried" * found.out_of_time
    if not changed:
        return [f"[model]: nothing of {len(tried)} tried is surely faster{late}"]
    text = ", ".join(
        f"{name.removeprefix('model.')} = {value_text(name, value)} (now"
        f" {value_text(name, found.start[name])})"
        for name, value in changed.items()
    )
    return [
        f"proposed for [model], other bits to the same tolerance: {text}: {100 * found.gain:.1f} %"
        f" faster (± {100 * found.noise:.1f}), {found.pairs} pairs{late}"
    ]


# ---- tuned.toml ----------------------------------------------------------------------------------


def tuned_text(document: Document, tuned: Tuned, settings: bool) -> str:
    """Returns the experiment with [parallel] filled, and why, as comments. The user's text stays
    where that can be; settings: whether it is not the whole case.
    """
    values = {"ranks": tuned.ranks, "threads": tuned.threads} | {
        k: v for k, v in document.section("parallel").items() if k not in ("ranks", "threads")
    }
    values |= {name: s["value"] for name, s in tuned.settings.items() if s["value"] is not None}
    values |= {"io_servers": tuned.serving["io_servers"]} if tuned.serving.get("io_servers") else {}
    values |= tuned.serving.get("spread", {})
    lines = {
        name: f"{name} = {inline(value)}" + _why(tuned, name) for name, value in values.items()
    }
    head = [
        f"# fathom tune, {tuned.date}, {tuned.machine}: {verdict(tuned.result)}",
        *(f"# {text}" for text in _proposed(tuned)),
    ]
    tables = document.tables | {"parallel": values}
    if not settings:
        text = _filled(document.text, head, lines)
        try:
            if tomllib.loads(text) == tables:
                return text
        except tomllib.TOMLDecodeError:
            pass
    rest = {name: content for name, content in tables.items() if name != "parallel"}
    return dumps(rest) + "\n".join(["", "[parallel]", *head, *lines.values(), ""])


def _filled(text: str, head: list[str], lines: dict[str, str]) -> str:
    """Returns the text with these lines in its [parallel], instead of the old ones."""
    rows = text.splitlines()
    at = next((n for n, row in enumerate(rows) if re.match(r"\s*\[\s*parallel\s*\]", row)), None)
    if at is None:
        return "\n".join([*rows, "", "[parallel]", *head, *lines.values(), ""])
    end = next((n for n in range(at + 1, len(rows)) if re.match(r"\s*\[", rows[n])), len(rows))
    held = [
        row
        for row in rows[at + 1 : end]
        if not ((key := re.match(r"\s*([A-Za-z_]+)\s*=", row)) and key[1] in lines)
    ]
    return "\n".join([*rows[: at + 1], *head, *lines.values(), *held, *rows[end:], ""])


def _why(tuned: Tuned, name: str) -> str:
    if name == "io_servers" and tuned.serving:
        return f"  # {tuned.serving['told']}"
    if why := tuned.serving.get("why", {}).get(name):
        return f"  # {why}"
    s = tuned.settings.get(name, {})
    return (
        f"  # {100 * s['gain']:.1f} % (± {100 * s['noise']:.1f}) over"
        f" {value_text(name, s['default'])}"
        if s.get("gain")
        else ""
    )


def _proposed(tuned: Tuned) -> list[str]:
    """Returns the proposals, as lines to be uncommented elsewhere."""
    if tuned.proposals is None:
        return []
    found = tuned.proposals
    changed = {
        name: value
        for name, value in found.best.items()
        if "." in name and value != found.start[name]
    }
    return [
        *proposals(found),
        *(f"    --set {name}={inline(value)}" for name, value in changed.items()),
    ]
