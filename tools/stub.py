#!/usr/bin/env python3
"""Writes fathom/__init__.pyi: every public name of Fathom with its type, for mypy and for the
completion of editors. Public names are looked up when first used (fathom/__init__.py), and the
classes of schemes are made from the core's catalogue, so that neither sees them without it.

    tools/stub.py            writes the file
    tools/stub.py --check    exit status 1 where the file is not what it would write
"""

from __future__ import annotations

import subprocess
import sys
import textwrap
from pathlib import Path

import fathom
from fathom.model import plugins
from fathom.model.schemes import Scheme, schemes

file = Path(__file__).resolve().parent.parent / "fathom" / "__init__.pyi"
head = '''"""Types of Fathom's public names. Made by tools/stub.py: change that, not this."""

from .model.schemes import Scheme

'''


def text() -> str:
    """The text of the file."""
    own = {name for names in plugins.loaded.values() for name in names}  # of headers of a user
    found = {name: scheme for name, scheme in schemes().items() if name not in own}
    named = {*fathom.public, *fathom.usual_schemes, "__version__"}
    modules = [name for name in dir(fathom) if name not in named]
    lines = [f"from . import {name} as {name}" for name in modules]
    lines += [
        f"from .{module} import {name} as {name}"
        for name, module in sorted(fathom.public.items(), key=lambda item: (item[1], item[0]))
        if name != "schemes"
    ]
    listed = ", ".join(f'"{name}"' for name in fathom.__all__)
    lines += ["", f"__all__ = [{listed}]", "__version__: str", "public: dict[str, str]"]
    lines += ["usual_schemes: tuple[str, ...]", "", "class schemes:"]
    lines += [indented(made(name, scheme)) for name, scheme in sorted(found.items())]
    lines += [f"{name} = schemes.{name}" for name in sorted(fathom.usual_schemes)]
    return formatted(head + "\n".join(lines) + "\n")


def made(name: str, scheme: type[Scheme]) -> str:
    """The class of a scheme with its parameters."""
    given = [f"{p['name']}: float = {p['value']:g}" for p in scheme.entry["parameters"]]
    keywords = ", ".join([*given, "every: str | None = None"])
    return f"class {name}(Scheme):\n    def __init__(self, *, {keywords}) -> None: ...\n"


def indented(block: str) -> str:
    """Returns the lines of a block, inside of another."""
    return textwrap.indent(block, "    ")


def formatted(source: str) -> str:
    """The text as ruff writes it: imports in order, lines as long as others."""
    ruff = str(Path(sys.executable).parent / "ruff")
    for command in (["check", "--fix", "--select=I,RUF022", "--quiet"], ["format", "--quiet"]):
        source = subprocess.run(
            [ruff, *command, "--stdin-filename", str(file), "-"],
            input=source,
            text=True,
            stdout=subprocess.PIPE,
            check=True,
        ).stdout
    return source


if __name__ == "__main__":
    if sys.argv[1:] == ["--check"]:
        sys.exit(None if file.read_text() == text() else f"{file} is old: python {sys.argv[0]}")
    if file.read_text() != (new := text()):  # else make would build again
        file.write_text(new)
