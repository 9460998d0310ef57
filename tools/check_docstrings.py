#!/usr/bin/env python3
"""Public functions and methods of fathom/ that nobody has described: without a docstring, also in
the classes that they inherit from (told by their names).

    tools/check_docstrings.py        exit status 1, and a line for each
"""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

package = Path(__file__).resolve().parent.parent / "fathom"


@dataclass
class Found:
    """Classes with their bases, described methods (class, name), and functions without a text."""

    bases: dict[str, set[str]] = field(default_factory=dict)
    described: set[tuple[str, str]] = field(default_factory=set)
    bare: list[tuple[Path, int, str, str]] = field(default_factory=list)

    def inherits(self, owner: str, name: str) -> bool:
        """Whether a class above this one describes the method."""
        above = self.bases.get(owner, set()) - {owner}
        return any((base, name) in self.described or self.inherits(base, name) for base in above)


def is_setter(node: ast.FunctionDef) -> bool:
    """Whether it sets a property: what reads it has the text."""
    return any(ast.unparse(mark).endswith(".setter") for mark in node.decorator_list)


def look(file: Path, node: ast.Module | ast.ClassDef, public: bool, found: Found) -> None:
    """Adds what stands in a file or class; what is private may do without a text."""
    owner = node.name if isinstance(node, ast.ClassDef) else ""
    for part in node.body:
        if isinstance(part, ast.ClassDef):
            names = (ast.unparse(base).split("[")[0] for base in part.bases)
            found.bases.setdefault(part.name, set()).update(n.split(".")[-1] for n in names)
            look(file, part, public and not part.name.startswith("_"), found)
        elif isinstance(part, ast.FunctionDef):
            if ast.get_docstring(part):
                found.described.add((owner, part.name))
            elif public and not part.name.startswith("_") and not is_setter(part):
                found.bare.append((file, part.lineno, owner, part.name))


def undescribed() -> Iterator[str]:
    """A line for each."""
    found = Found()
    for file in sorted(package.rglob("*.py")):
        look(file, ast.parse(file.read_text(encoding="utf-8")), True, found)
    for file, line, owner, name in found.bare:
        if not found.inherits(owner, name):
            of = f"{owner}.{name}" if owner else name
            yield f"{file.relative_to(package.parent)}:{line}: {of} has no docstring"


def main() -> int:
    lines = list(undescribed())
    print(*lines, sep="\n", end="\n" if lines else "")
    return 1 if lines else 0


if __name__ == "__main__":
    sys.exit(main())
