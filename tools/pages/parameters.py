"""One page of the parameters of all models, from the docstrings and signatures of their classes: a
table for atmospheres side by side, one for the ocean.
"""

from __future__ import annotations

import inspect
import re

import fathom as fm
from fathom.run.experiment.schema import meanings

atmospheres = ("SpectralAtmosphere", "LimitedAreaAtmosphere", "GridPointAtmosphere", "ShallowWater")


def parameters_of_models() -> dict[str, str]:
    """The page: path -> text in Markdown."""
    text = [
        "# Parameters of models",
        "A number is the default; – : the model has no such parameter. In a file they are keys of"
        " `[model]`, in Python keywords of the class.",
        "## Atmospheres",
        _table(atmospheres),
        "## Ocean",
        _table(("Ocean",)),
    ]
    return {"reference/parameters.md": "\n\n".join(text) + "\n"}


def _table(names: tuple[str, ...]) -> str:
    classes = [getattr(fm, name) for name in names]
    defaults = [_defaults(one) for one in classes]
    known: dict[str, str] = {}
    for one in reversed(classes):
        known.update(meanings(one))
    rows = dict.fromkeys(key for those in defaults for key in those)
    lines = [f"| parameter | {' | '.join(names)} | meaning |", "|---" * (len(names) + 2) + "|"]
    for key in rows:
        cells = [f"`{those[key]}`" if those.get(key) else "–" for those in defaults]
        lines.append(f"| `{key}` | {' | '.join(cells)} | {_cell(known.get(key, ''))} |")
    return "\n".join(lines)


def _defaults(model: type) -> dict[str, str]:
    """Parameters with their defaults as in code; "needed" where there is none."""
    found = {}
    for name, one in inspect.signature(model).parameters.items():
        if one.kind not in (one.VAR_KEYWORD, one.VAR_POSITIONAL):
            found[name] = "needed" if one.default is one.empty else repr(one.default)
    return found


def _cell(text: str) -> str:
    return re.sub(r"([|*_<\[\]])", r"\\\1", text)
