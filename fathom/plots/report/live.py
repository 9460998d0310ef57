"""The page of a run that is under way: how far it is, its series, and the last maps of its stores.
The browser loads it again by itself.
"""

from __future__ import annotations

import html
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from fathom import output, plots
from fathom.plots.report.page import figures, template

most = 6  # maps of a page


def page(directory: Path, told: Mapping[str, Any], again: float | None) -> str:
    """Returns the page. told: what the run says of itself (fathom/run/live.py); again: seconds
    after which it is loaded again, None: the run has ended.
    """
    series = {name: tuple(map(_array, held)) for name, held in told.get("series", {}).items()}
    grown = {name: held for name, held in series.items() if len(held[0]) > 1}
    parts: dict[str, list[Any]] = {
        "In time": [("series", partial(plots.time_series, grown))] if grown else [],
        "Now": list(_maps(directory)),
    }
    title = told.get("title", str(directory))
    line = told.get("line", "no step yet" if again else "the run has ended")
    body = "".join(
        f"<section><h2>{name}</h2>{figures(iter(drawn))}</section>"
        for name, drawn in parts.items()
        if drawn
    )
    whole = template("page.html").format(
        title=html.escape(title),
        style=template("page.css"),
        cards=f'<div class="card"><span>{html.escape(line)}</span></div>',
        links=_links(directory),
        body=body or "<p>Nothing is written yet.</p>",
    )
    reload = f'<meta http-equiv="refresh" content="{again:g}">' if again else ""
    return whole.replace("<meta charset", f"{reload}<meta charset", 1)


def _array(part: Any) -> Any:
    return part if isinstance(part, str) else np.asarray(part, float)


def _links(directory: Path) -> str:
    known = ("report.html", "resolved.toml")
    return "".join(f'<a href="{n}">{n}</a>' for n in known if (directory / n).exists())


def _maps(directory: Path) -> Iterator[tuple[str, Callable[[], Any]]]:
    """Yields the last time of variables of each store that has a time, some of each."""
    stores = [path for path in sorted(directory.iterdir()) if path.suffix in (".zarr", ".nc")]
    room = max(1, most // max(len(stores), 1))
    for path in stores:
        try:
            data = output.open(path)
        except (OSError, ValueError):
            continue  # it is being written
        if not data.sizes.get("time"):
            continue
        names = [str(n) for n, held in data.data_vars.items() if "time" in held.dims]
        for name in [n for n in names if not n.endswith("_bounds")][:room]:
            yield f"{path.name}: {name}", partial(plots.picture, data, name)
