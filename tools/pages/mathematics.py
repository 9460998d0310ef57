"""Equations become MathML when the site is built: readers load no script for them."""

from __future__ import annotations

from typing import Any

from docutils import nodes
from latex2mathml.converter import convert


def mathml(equation: str, display: str) -> str:
    """ValueError where it is no equation, or a command of TeX would stay in the text."""
    try:
        made = convert(equation, display=display)
    except Exception as error:
        raise ValueError(f"no MathML of this equation: {equation}") from error
    if "\\" in made:
        raise ValueError(f"this equation has a command without MathML: {equation}")
    return made


def inline(writer: Any, node: nodes.Element) -> None:
    writer.body.append(mathml(node.astext(), "inline"))
    raise nodes.SkipNode


def block(writer: Any, node: nodes.Element) -> None:
    writer.body.append(f'<div class="math">{mathml(node.astext(), "block")}</div>\n')
    raise nodes.SkipNode
