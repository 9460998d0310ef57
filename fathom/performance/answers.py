"""`fathom compare`, the answers: two stores, or the stores of two runs, and the settings that
differ.
"""

from __future__ import annotations

import json
from dataclasses import asdict
from pathlib import Path
from typing import Any

import click

from fathom import output
from fathom.base.failure import InputError
from fathom.performance.comparison import parameters
from fathom.plots.differences import Difference, difference_map, differences
from fathom.plots.report.tables import lines
from fathom.run.experiment.toml import Document
from fathom.run.tree import Entry, tree

endings = (".zarr", ".nc")


def are_stores(*paths: Path) -> bool:
    """Returns whether all are stores of output."""
    return all(path.suffix in (*endings, ".grib2", ".fa") for path in paths)


def are_runs(*paths: Path) -> bool:
    """Returns whether all are directories of runs."""
    return all((path / "resolved.toml").is_file() for path in paths)


def present(a: Path, b: Path, file: Path | None = None, maps: Path | None = None) -> None:
    """Prints how far the answers are apart. maps: a folder for pictures of the differences. file:
    gets all rows as JSON. InputError: nothing can be compared.
    """
    rows, refused = _compared(a, b, maps)
    entries: list[Entry] = []
    if are_runs(a, b):
        entries = [("parameters", _settings(a, b)), ("state", _state(a, b))]
    entries.append(("not compared", refused))
    click.echo(tree(f"{a} and {b}: answers", [(n, text) for n, text in entries if text]))
    for name, found in rows.items():
        click.echo("\n".join(["", *lines(*_table(name, found), left=(0, 6, 7))]))
    if file:
        told = {name: [asdict(row) for row in found] for name, found in rows.items()}
        file.write_text(json.dumps(told, indent=2) + "\n", encoding="utf-8")


def _compared(a: Path, b: Path, maps: Path | None) -> tuple[dict[str, list[Difference]], list[str]]:
    """Returns the rows of each store of both, and what cannot be compared. InputError: nothing
    can.
    """
    rows: dict[str, list[Difference]] = {}
    refused: list[str] = []
    for name, first, second in _pairs(a, b):
        with output.open(first) as one, output.open(second) as other:
            try:
                rows[name] = list(differences(one, other))
            except InputError as error:
                refused.append(f"{name}: {error}" if name else str(error))
                continue
            if maps is not None:
                _draw(maps, name, one, other, rows[name])
    if not rows:
        raise InputError(f"{a} and {b}: {'; '.join(refused) or 'no store in common'}")
    return rows, refused


def present_if_any(a: Path, b: Path) -> None:
    """Prints how far the answers of two runs are apart, or why that cannot be told."""
    try:
        present(a, b)
    except InputError as error:
        click.echo(f"answers: {error}")


def _pairs(a: Path, b: Path) -> list[tuple[str, Path, Path]]:
    """Returns the stores that are compared, by name."""
    if are_stores(a, b):
        return [("", a, b)]
    names = [path.name for path in sorted(a.iterdir()) if path.suffix in endings]
    return [(name, a / name, b / name) for name in names if (b / name).exists()]


def _settings(a: Path, b: Path) -> list[str]:
    before, now = (Document.read(path / "resolved.toml").tables for path in (a, b))
    return parameters(before, now) or ["the same"]


def _state(a: Path, b: Path) -> str:
    """Returns whether both ended with the same bits."""
    sums = [_summary(path).get("checksum") for path in (a, b)]
    if None in sums:
        return ""
    return "the same bits at the end" if sums[0] == sums[1] else "other bits at the end"


def _summary(path: Path) -> dict[str, Any]:
    try:
        found: dict[str, Any] = json.loads((path / "summary.json").read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    return found


def _table(name: str, rows: list[Difference]) -> tuple[list[str], list[list[str]]]:
    until = rows[0].until
    head = [name or "variable", "bias", "rms", "greatest", "correlation", "units",
            "differs since", f"at {until}"]  # fmt: skip
    found = [
        [
            row.name,
            f"{row.bias:+.3g}",
            f"{row.rms:.3g}",
            f"{row.greatest:.3g}",
            f"{row.correlation:.6f}",
            row.units,
            row.since or "never",
            "" if row.until == until else f"at {row.until}",
        ]
        for row in rows
    ]
    return head, found


def _draw(maps: Path, name: str, a: Any, b: Any, rows: list[Difference]) -> None:
    """Draws the fields that differ."""
    maps.mkdir(parents=True, exist_ok=True)
    for row in rows:
        if row.since and a[row.name].ndim > 2:
            stem = f"{Path(name).stem}-" if name else ""
            path = maps / f"{stem}{row.name}.png"
            difference_map(a, b, row.name, path)
            click.echo(path)
