"""Pages made from the code of Fathom: the Python interface, every scheme, every command, the
experiments. Each function gives pages: path -> text in Markdown.
"""

from __future__ import annotations

import inspect
import re
from collections import defaultdict
from collections.abc import Iterator
from functools import cache
from importlib import import_module
from itertools import takewhile
from pathlib import Path

import click
from parameters import parameters_of_models

import fathom as fm
from fathom.commands.main import cli
from fathom.commands.new import names
from fathom.model.schemes import Scheme, schemes

root = Path(__file__).resolve().parents[2]
Pages = dict[str, str]

# ---- the Python interface ------------------------------------------------------------------------

parts = {
    "The ocean": ("ocean",),
    "The atmosphere": ("atmosphere", "radiation"),
    "Grids and levels": ("grids",),
    "Runs, data, output": ("run.simulation", "input.records", "output", "failure"),
    "Schemes of your own": ("schemes", "plugins", "order", "output.diagnostics"),
}
packages = ("output", "plots", "transform", "assimilation", "radiation", "observations.base")


def python() -> Pages:
    """A page for each part of `fathom`, and one for each package that is used alone."""
    return {
        f"reference/{_slug(title)}.md": _part(title, modules) for title, modules in parts.items()
    } | {f"reference/fathom-{name.replace('.', '-')}.md": _package(name) for name in packages}


def _part(title: str, modules: tuple[str, ...]) -> str:
    """ValueError: a module makes something public, and no page has it."""
    if missing := set(fm.public.values()) - {name for those in parts.values() for name in those}:
        raise ValueError(f"no page has what these modules make public: {sorted(missing)}")
    names = sorted(name for name, module in fm.public.items() if module in modules)
    blocks = [_automatic(f"fathom.{name}", getattr(fm, name)) for name in names]
    return f"# {title}\n\n" + "\n".join(blocks)


def _package(name: str) -> str:
    module = import_module(f"fathom.{name}")
    known = getattr(module, "__all__", None) or _own(module)
    things = {one: getattr(module, one) for one in known if one not in fm.public}
    blocks = [
        _automatic(f"{module.__name__}.{one}", thing)
        for one, thing in things.items()
        if callable(thing) and thing.__module__.startswith("fathom")
    ]
    text = (inspect.getdoc(module) or "").split("\n\n")[0]
    return f"# fathom.{name}\n\n{text}\n\n" + "\n".join(blocks)


def _own(module) -> list[str]:
    """Names of the functions and classes that a module makes itself."""
    return [
        name
        for name, thing in vars(module).items()
        if not name.startswith("_") and getattr(thing, "__module__", "") == module.__name__
    ]


def _automatic(name: str, thing: object) -> str:
    kind = "class" if inspect.isclass(thing) else "function" if callable(thing) else "data"
    members = "   :members:\n   :inherited-members: tuple, object\n" if kind == "class" else ""
    return f"```{{eval-rst}}\n.. auto{kind}:: {name}\n{members}```\n"


# ---- schemes -------------------------------------------------------------------------------------

rooms = {
    "physics": "Schemes: columns of the ocean and the atmosphere",
    "ocean": "Schemes: the ocean's equations",
    "atmosphere": "Schemes: the atmosphere's equations",
}


def every_scheme() -> Pages:
    """A page for each folder of the core: schemes by phenomenon, with the comment at the top of
    their header, which has their equations, with parameters and fields.
    """
    pages = {}
    for room, title in rooms.items():
        text = [f"# {title}"]
        for listed in sorted((root / "core" / room).rglob("schemes.cpp")):
            folder = " ".join(listed.relative_to(root / "core" / room).parts[:-1])
            those = list(_those_of(listed))
            if those and folder:
                text.append(f"## {folder.replace('_', ' ').capitalize()}")
            header = None
            for scheme, made_in in those:
                if made_in != header and made_in is not None:
                    text += _comment(made_in)
                header = made_in
                text += _scheme(scheme)
        pages[f"reference/schemes-{room}.md"] = "\n\n".join(text) + "\n"
    return pages


def _those_of(listed: Path) -> Iterator[tuple[type[Scheme], Path | None]]:
    """The schemes of one list of the core, each with its header."""
    text = listed.read_text()
    aliases = dict(re.findall(r"using (\w+) =\s*([^;]+);", text))
    for made, name in re.findall(r"entry<(.+?)>\(\s*\"(\w+)\"", text):
        if name in schemes():
            words = re.findall(r"\w+", f"{made} {aliases.get(made, '')}")
            places = [_headers()[word] for word in words if word in _headers()]
            yield schemes()[name], places[0] if places else None


@cache
def _headers() -> dict[str, Path]:
    """Names defined in the core's headers, with their header."""
    return {
        name: path
        for path in sorted((root / "core").rglob("*.hpp"))
        for name in re.findall(
            r"^(?:template <[^>]*>\s*)?(?:struct|using) (\w+)\b", path.read_text(), re.M
        )
    }


def _comment(header: Path) -> list[str]:
    """The comment at the top of a header."""
    said = []
    for line in header.read_text().splitlines():
        if not line.startswith("///"):
            break
        said.append(line.removeprefix("///").removeprefix(" "))
    place = header.relative_to(root)
    return ["```text\n" + "\n".join(said) + f"\n```\n*`{place}`*"] if said else []


def _scheme(scheme: type[Scheme]) -> list[str]:
    entry = scheme.entry
    text = [f"### {scheme.__name__}", entry["summary"][:1].upper() + entry["summary"][1:] + "."]
    if entry["parameters"]:
        rows = [
            f"| `{p['name']}` | {p['value']:g} | {p['units']} | {p['least']:g} to {p['most']:g} |"
            f" {_cell(p['meaning'])} |"
            for p in entry["parameters"]
        ]
        head = "| parameter | default | units | allowed | |\n|---|---|---|---|---|"
        text.append("\n".join([head, *rows]))
    uses = defaultdict(list)
    for field in entry["fields"]:
        uses[field["access"]].append(f"`{field['name']}`")
    text.append("; ".join(f"{access} {', '.join(those)}" for access, those in uses.items()) + ".")
    return text


def _cell(text: str) -> str:
    return text.replace("|", "\\|").replace("*", "\\*").replace("_", "\\_")


# ---- the command line ----------------------------------------------------------------------------


def command_line() -> Pages:
    """All commands with their options, as `--help` shows them."""
    text = [
        "# Commands and options",
        "As `fathom VERB --help` shows them; [how to use them](../cli.md).",
    ]
    for words, command in commands():
        if isinstance(command, click.Group) and not words:
            continue
        context = click.Context(command, info_name=" ".join(["fathom", *words]))
        context.max_content_width = context.terminal_width = 96
        head = f"{'##' if len(words) < 2 else '###'} fathom {' '.join(words)}"
        text.append(f"{head}\n\n```text\n{command.get_help(context)}\n```")
    return {"reference/commands.md": "\n\n".join(text) + "\n"}


def commands(group: click.Command = cli, words: tuple[str, ...] = ()) -> Iterator:
    """(words, command) of all commands, a group before its own."""
    yield words, group
    if isinstance(group, click.Group):
        for name, command in group.commands.items():
            yield from commands(command, (*words, name))


# ---- experiments ---------------------------------------------------------------------------------


def experiments() -> Pages:
    """Every experiment of Fathom: its comment, and its file."""
    text = [
        "# Experiment files",
        "`fathom new NAME` writes one, `fathom run NAME.toml` runs it; what the idealised ones"
        " show: [experiments](../experiments.md).",
    ]
    for name in names():
        lines = (root / "experiments" / f"{name}.toml").read_text().splitlines()
        said = [line.lstrip("# ") for line in takewhile(lambda line: line.startswith("#"), lines)]
        rest = "\n".join(lines[len(said) :]).strip()
        quoted = _cell(" ".join(said)).replace("<", "&lt;")
        text += [f"## {name}", quoted, f"```toml\n{rest}\n```"]
    return {"reference/experiment-files.md": "\n\n".join(text) + "\n"}


def all_pages() -> Pages:
    return python() | parameters_of_models() | every_scheme() | command_line() | experiments()


def _slug(title: str) -> str:
    return re.sub(r"\W+", "-", title.lower()).strip("-")
