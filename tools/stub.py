#!/usr/bin/env python3
"""Writes the types that mypy and the completion of editors cannot see without them:

fathom/__init__.pyi    every public name. Names are looked up when first used
                       (fathom/__init__.py); the classes of schemes are made from the core's
                       catalogue
fathom/_core.pyi       the classes and functions of the compiled core, from what nanobind keeps
                       of their C++ types. Numbers that depend on a machine are left out

tools/stub.py            writes the files
tools/stub.py --check    exit status 1 where a file is not what it would write
"""

from __future__ import annotations

import re
import subprocess
import sys
import textwrap
from pathlib import Path

import fathom
from fathom.base import mpi
from fathom.model import plugins
from fathom.model.schemes import Scheme, schemes

folder = Path(__file__).resolve().parent.parent / "fathom"
head = '''"""Types of Fathom's public names. Made by tools/stub.py: change that, not this."""

from .model.schemes import Scheme

'''


core_head = '''"""Types of the compiled core. Made by tools/stub.py: change bindings, not this."""

'''
# what nanobind says of a type -> the same with all of its parameters
completed = {
    r"\bAnnotated\[(NDArray(?:\[[\w.]+\])?), dict\(.*?\)\]": r"\1",
    r"\bNDArray(?!\[)": "NDArray[Any]",
    r"\bdict(?![\[(])": "dict[str, Any]",
    r"\blist(?![\[(])": "list[Any]",
    r"\btuple(?![\[(])": "tuple[Any, ...]",
    r"\bCallable(?!\[)": "Callable[..., Any]",
    r"-> object": "-> Any",
    r"\*args\)": "*args: object)",
}


def texts() -> dict[Path, str]:
    """Returns the texts of the files."""
    return {folder / "__init__.pyi": text(), folder / "_core.pyi": text_of_core()}


def text_of_core() -> str:
    """Returns the text of fathom/_core.pyi."""
    from nanobind.stubgen import StubGen

    made = StubGen(module=mpi.core, include_private=True)  # names that end in _, too
    made.put(mpi.core)
    words, code = [], re.sub(r"^(\w+: \w+) = .*$", r"\1", made.get(), flags=re.M)

    def keep(match: re.Match[str]) -> str:
        """Puts a docstring aside, as lines of at most 100 characters."""
        indent = match[1]
        wide = textwrap.wrap(" ".join(match[2].split()), 94 - len(indent))
        joined, end = f"\n{indent}".join(wide), "" if len(wide) == 1 else f"\n{indent}"
        words.append(f'{indent}"""{joined}{end}"""')
        return f"{indent}'word {len(words) - 1}'"

    code = re.sub(r'^( *)"""(.*?)"""$', keep, code, flags=re.M | re.S)
    imports, code = code.split("\n\n\n", 1)
    imports = imports.replace("Annotated, ", "")
    for pattern, whole in completed.items():
        code = re.sub(pattern, whole, code)
    code = re.sub(r"^ *'word (\d+)'$", lambda m: words[int(m[1])], code, flags=re.M)
    return formatted(f"{core_head}from typing import Any\n{imports}\n\n{code}")


def text() -> str:
    """Returns the text of fathom/__init__.pyi."""
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
            [ruff, *command, "--stdin-filename", str(folder / "__init__.pyi"), "-"],
            input=source,
            text=True,
            stdout=subprocess.PIPE,
            check=True,
        ).stdout
    return source


if __name__ == "__main__":
    if sys.argv[1:] == ["--check"]:
        old = [str(file) for file, new in texts().items() if file.read_text() != new]
        sys.exit(f"{', '.join(old)} is old: python {sys.argv[0]}" if old else None)
    for file, new in texts().items():
        if not file.is_file() or file.read_text() != new:  # else make would build again
            file.write_text(new)
