#!/usr/bin/env python3
"""The tree is the architecture: fails where an #include under core/ or an import under fathom/
points the wrong way.

base -> machine, grid -> parallel -> field -> { sequence, transform, solver, trajectory, physics }
-> { ocean, atmosphere } -> catalogue -> bindings -> fathom

tools/check_architecture.py [directory]
    exit status 1, and a line for each arrow that is wrong
tools/check_architecture.py --counts
    what is counted, and its limits
"""

from __future__ import annotations

import ast
import re
import sys
from collections.abc import Iterator
from pathlib import Path

Arrow = tuple[str, int, str]  # file, line, message

# The folders of core/, from the lowest up: what each may include, besides itself.
_machine = {"base", "machine"}
_ground = _machine | {"grid", "parallel", "field"}
core: dict[str, set[str]] = {
    "base": set(),
    "machine": {"base"},
    "grid": {"base"},
    "parallel": _machine | {"grid"},
    "field": _machine | {"grid", "parallel"},
    "sequence": _ground,
    "transform": _ground,
    "solver": _ground | {"transform"},
    "semi_lagrangian": _ground,
    "physics": {"base", "field"},  # columns only: a scheme is tested without a grid or MPI
    "post": {"base"},  # columns of air: for output, observations and coupling
    "ocean": _ground | {"sequence", "solver", "physics"},
    "atmosphere": _ground | {"sequence", "transform", "semi_lagrangian", "solver", "physics"},
    "catalogue": _ground | {"sequence", "physics", "ocean", "atmosphere"},
    "performance": _ground | {"sequence"},  # measurements of parts of the core
    "output": _ground,
    "observation": {"base", "post"},  # columns and messages only: no grid, no MPI
}
core["device"] = core["catalogue"] | {"catalogue", "solver", "semi_lagrangian", "transform"}
core["bindings"] = set(core)

# Exceptions, each with its reason. One that is not needed any more is an
# error too.
exceptions: dict[tuple[str, str], str] = {}

# Rooms and modules of fathom/ from the ground up: each may import those above it in this list, and
# its own line. A module stands for its folder unless it is named itself.
fathom: list[set[str]] = [
    {"base"},
    {"names"},
    {"grids.transform", "data.sets"},
    {"model"},
    {"grids.regrid"},
    {"output", "plots"},  # know no model
    {"data.input", "plots.report"},
    {"data", "grids"},
    {"output.post", "assimilation.observations", "assimilation"},  # know fields and places alone
    {"atmosphere.radiation"},
    {"ocean", "atmosphere"},  # a model each
    {
        "run.experiment.toml",
        "run.experiment.expression",
        "run.experiment.tables",
        "run.experiment.words",
        "run.experiment.stretch",
        "run.experiment.written",
    },
    {"run"},
    {"run.experiment", "coupled"},
    {"assimilation.cycle", "calibration"},
    {"performance"},
    {"performance.scaling"},
    {"commands", "__main__"},
]

# What is counted, and the most of it. A number may fall, never grow.
most = {
    "rooms": 15,  # entries of fathom/: folders and modules
    "arrows": 70,  # ordered pairs of rooms, one of which imports the other
    "mutual arrows": 3,  # pairs of rooms that know each other
    "probes of a model": 0,  # getattr or hasattr on a model
    "probes of a grid": 3,
    "forward declarations": 0,  # in headers of core/, of types of folders that they must not know
}

# Libraries that take long to load, or that need not be installed: they are imported where they are
# used. A verb (fathom/commands) loads its libraries when it is called.
slow = {
    "cf_units", "cftime", "contourpy", "duckdb", "ducc0", "eccodes", "eccodeslib", "google_crc32c",
    "gsw", "matplotlib", "mpi4py", "netCDF4", "numcodecs", "otf2", "pandas", "PIL", "pyarrow",
    "pyodc", "rich", "scipy", "shtns", "veros", "xarray", "zarr",
}  # fmt: skip


def wrong_includes(root: Path) -> Iterator[Arrow]:
    """#include "folder/file" that a folder of core/ may not have."""
    needed = set()
    for file in sorted((root / "core").rglob("*.[chi]pp")):
        here = file.relative_to(root / "core").parts[0]
        for number, line in enumerate(file.read_text(encoding="utf-8").splitlines(), 1):
            if not (match := re.match(r'\s*#\s*include\s*"([^"]+)"', line)):
                continue
            there, name = match[1].split("/")[0], str(file.relative_to(root))
            if here not in core:
                yield (
                    name,
                    number,
                    (
                        f"core/{here} has no place in the architecture; say in"
                        f" {Path(__file__).name} where it belongs"
                    ),
                )
            elif (f"core/{here}", f"core/{match[1]}") in exceptions:
                needed.add((f"core/{here}", f"core/{match[1]}"))
            elif not (root / "core" / match[1]).is_file():
                yield name, number, f'"{match[1]}": includes are written from core/ on'
            elif there != here and there not in core[here]:
                yield (
                    name,
                    number,
                    (
                        f"{here} must not know {there} (it may know"
                        f" {', '.join(sorted(core[here])) or 'nothing'})"
                    ),
                )
    for here, there in exceptions.keys() - needed if (root / "core").is_dir() else ():
        yield here, 0, f"the exception for {there} is not needed any more; remove it"


def wrong_imports(root: Path) -> Iterator[Arrow]:
    """Imports of fathom.x, at any depth of a function, that module y may not have."""
    for file in sorted((root / "fathom").rglob("*.py")):
        module = ".".join(file.relative_to(root).with_suffix("").parts).removesuffix(".__init__")
        if module in ("fathom", "fathom.built"):
            continue  # the public names are looked up when used; CMake writes the other
        here = _layer(module)
        name = str(file.relative_to(root))
        if here is None:
            yield (
                name,
                0,
                (
                    f"{module} has no place in the architecture; say in {Path(__file__).name} where"
                    " it belongs"
                ),
            )
            continue
        for number, target in _imports(
            ast.parse(file.read_text(encoding="utf-8")), module, file.name == "__init__.py", root
        ):
            there = _layer(target)
            if there is not None and there > here and _folder(target) != _folder(module):
                yield name, number, f"{module} must not know {target}"


def _imports(tree: ast.Module, module: str, package: bool, root: Path) -> Iterator[tuple[int, str]]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (
                (node.lineno, alias.name)
                for alias in node.names
                if alias.name.startswith("fathom.")
            )
        elif isinstance(node, ast.ImportFrom):
            parts = module.split(".")
            base = parts[: len(parts) - node.level + package] if node.level else []
            source = ".".join([*base, *([node.module] if node.module else [])])
            for alias in node.names:
                inner = f"{source}.{alias.name}"
                if source.startswith("fathom"):
                    yield node.lineno, inner if _exists(root, inner) else source


def hidden_imports(root: Path) -> Iterator[Arrow]:
    """Imports inside functions that do not load something slow and have no reason in a comment on
    the line.
    """
    for file in sorted((root / "fathom").rglob("*.py")):
        if file.is_relative_to(root / "fathom" / "commands"):
            continue
        text = file.read_text(encoding="utf-8")
        lines, name = text.splitlines(), str(file.relative_to(root))
        functions = [n for n in ast.walk(ast.parse(text)) if isinstance(n, ast.FunctionDef)]
        inside = {n for function in functions for n in ast.walk(function)}
        for node in sorted(
            (n for n in inside if isinstance(n, (ast.Import, ast.ImportFrom))),
            key=lambda n: n.lineno,
        ):
            source = getattr(node, "module", None) or node.names[0].name
            if source.split(".")[0] not in slow and "#" not in lines[node.end_lineno - 1]:
                yield name, node.lineno, f"{ast.unparse(node)}: at the top, or say why not"


def circles(root: Path) -> Iterator[Arrow]:
    """Modules that import each other, inside functions too; not for types alone."""
    known = {}
    for file in sorted((root / "fathom").rglob("*.py")):
        module = ".".join(file.relative_to(root).with_suffix("").parts).removesuffix(".__init__")
        tree = ast.parse(file.read_text(encoding="utf-8"))
        for node in ast.walk(tree):
            if isinstance(node, ast.If) and "TYPE_CHECKING" in ast.unparse(node.test):
                node.body = []
        known[module] = {
            target for _, target in _imports(tree, module, file.name == "__init__.py", root)
        }
    for module in known:
        if path := _way_back(module, known):
            yield module.replace(".", "/") + ".py", 0, f"a circle: {' -> '.join(path)}"


def _way_back(module: str, known: dict[str, set[str]]) -> list[str]:
    """Modules through which one imports itself; none where it does not."""
    paths, seen = [[module]], set()
    while paths:
        path = paths.pop()
        for target in sorted(known.get(path[-1], ())):
            if target == module:
                return [*path, module]
            if target not in seen:
                seen.add(target)
                paths.append([*path, target])
    return []


def same_names(root: Path) -> Iterator[Arrow]:
    """Tests of one name in two folders: pytest and their helpers are imported by name alone."""
    seen = {}
    for file in sorted((root / "tests").rglob("*.py")):
        if file.name != "conftest.py" and (other := seen.setdefault(file.name, file)) != file:
            yield str(file.relative_to(root)), 0, f"{other.relative_to(root)} has the same name"


def counts(root: Path) -> dict[str, int]:
    """What `most` limits."""
    modules = [file for file in (root / "fathom").rglob("*.py") if file.parent.name != "fathom"]
    made = ("__init__.py", "built.py")  # public names; what CMake writes
    modules += [f for f in (root / "fathom").glob("*.py") if f.name not in made]
    room = lambda module: module.split(".")[1]
    rooms, arrows = set(), set()
    probed = dict.fromkeys(("model", "grid"), 0)
    for file in modules:
        module = ".".join(file.relative_to(root).with_suffix("").parts).removesuffix(".__init__")
        tree = ast.parse(file.read_text(encoding="utf-8"))
        rooms.add(room(module))
        targets = _imports(tree, module, file.name == "__init__.py", root)
        arrows |= {(room(module), room(there)) for _, there in targets if there != "fathom"}
        for name in _probed(tree):
            probed[name] += 1
    arrows = {(here, there) for here, there in arrows if here != there}
    return {
        "rooms": len(rooms),
        "arrows": len(arrows),
        "mutual arrows": sum((there, here) in arrows for here, there in arrows) // 2,
        "probes of a model": probed["model"],
        "probes of a grid": probed["grid"],
        "forward declarations": len([*_forward_declarations(root)]),
    }


def _probed(tree: ast.Module) -> Iterator[str]:
    """ "model" or "grid" for each getattr or hasattr that asks one for an attribute by its name."""
    asks = ("getattr", "hasattr")
    for node in ast.walk(tree):
        if not (isinstance(node, ast.Call) and isinstance(node.func, ast.Name)):
            continue
        if node.func.id in asks and isinstance(node.args[1], ast.Constant):
            words = re.findall(r"\w+", ast.unparse(node.args[0]))
            if words[-1] in ("model", "ocean", "simulation", "atmosphere", "dynamics"):
                yield "model"
            elif words[-1] == "grid":
                yield "grid"


def _forward_declarations(root: Path) -> Iterator[str]:
    """Types that a header of core/ declares, outside of classes, and that a folder defines which it
    must not know.
    """
    headers = {file: file.read_text(encoding="utf-8") for file in (root / "core").rglob("*.hpp")}
    folder = {file: file.relative_to(root / "core").parts[0] for file in headers}
    defined: dict[str, set[str]] = {}
    for file, text in headers.items():
        for name in re.findall(r"^\s*(?:struct|class) (\w+)[^;{(]*\{", text, re.MULTILINE):
            defined.setdefault(name, set()).add(folder[file])
    for file, text in headers.items():
        may = core.get(folder[file], set()) | {folder[file]}
        for name in re.findall(r"^(?:template <[^>]*> )?(?:struct|class) (\w+);", text, re.M):
            if name in defined and not defined[name] & may:
                yield f"{file.relative_to(root)}: {name}"


def grown(root: Path) -> Iterator[Arrow]:
    """Counts that are larger than they may be."""
    for name, count in counts(root).items() if (root / "core").is_dir() else ():
        if count > most[name]:
            yield f"tools/{Path(__file__).name}", 0, f"{count} {name}; at most {most[name]}"


def _exists(root: Path, module: str) -> bool:
    path = root.joinpath(*module.split("."))
    return path.with_suffix(".py").is_file() or path.is_dir()


def _layer(module: str) -> int | None:
    """Place of a module in the list, by its longest name there."""
    parts = module.split(".")[1:]
    for length in range(len(parts), 0, -1):
        for number, layer in enumerate(fathom):
            if ".".join(parts[:length]) in layer:
                return number
    return None


def _folder(module: str) -> str:
    """Modules of one folder may import each other, unless the list has them separately."""
    parts = module.split(".")[1:]
    named = {name for layer in fathom for name in layer}
    return ".".join(parts[:2]) if ".".join(parts[:2]) in named else parts[0]


def main(root: Path) -> int:
    checks = (wrong_includes, wrong_imports, hidden_imports, circles, same_names, grown)
    wrong = [found for check in checks for found in check(root)]
    for file, line, message in wrong:
        print(f"{file}:{line}: {message}" if line else f"{file}: {message}")
    return 1 if wrong else 0


def tell(root: Path) -> int:
    """Prints the counts and their limits."""
    for name, count in counts(root).items():
        print(f"{name:24}{count:4}   at most {most[name]}")
    return 0


if __name__ == "__main__":
    here = Path(__file__).resolve().parent.parent
    asked = sys.argv[1:]
    sys.exit(tell(here) if asked == ["--counts"] else main(Path(*asked) if asked else here))
