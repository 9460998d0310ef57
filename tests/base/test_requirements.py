"""Every package that Fathom's Python imports is one that it declares, in pyproject.toml and in the
conda recipe.
"""

import re
import sys
import tomllib
from pathlib import Path

import pytest
from packaging.requirements import Requirement

root = Path(__file__).resolve().parents[2]
project = tomllib.loads((root / "pyproject.toml").read_text(encoding="utf-8"))["project"]
packages = {"PIL": "pillow"}  # packages whose name differs from their module
found_where_used = {
    "IPython": "progress in a notebook",
    "eccodeslib": "comes with the wheel of eccodes, which says where its tables are",
    "torch": "a module of it that a user gives as a scheme",
    "shtns": "a peer of the benchmark of transforms; it is built with FFTW",
}
in_conda = {"eccodes": "python-eccodes", "matplotlib": "matplotlib-base"}


def names(requirements):
    return {canonical(re.match(r"[\w.-]+", one)[0]) for one in requirements}


def canonical(name):
    return re.sub(r"[-_.]+", "-", name).lower()


statement = re.compile(r"^( *)(?:import +([\w., ]+)|from +([\w.]+) +import)\b", re.MULTILINE)


def imported(file):
    """(module, whether it is imported with the file)"""
    code = re.sub(r'""".*?"""', '""', file.read_text(encoding="utf-8"), flags=re.DOTALL)
    for space, several, one in statement.findall(code):
        modules = [words.split()[0] for words in several.split(",")] if several else [one]
        yield from ((module.split(".")[0], not space) for module in modules if module[0] != ".")


needed = names(project["dependencies"])
extra = {name for some in project["optional-dependencies"].values() for name in names(some)}


@pytest.mark.parametrize("folder", ["fathom", "examples"])
def test_imports_are_declared(folder):
    files = sorted((root / folder).rglob("*.py"))
    here = {"fathom", *(file.stem for file in files)}
    missing = []
    for file in files:
        for module, at_once in imported(file):
            package = canonical(packages.get(module, module))
            optional = package in extra or module in found_where_used
            known = package in needed or module in sys.stdlib_module_names or module in here
            if not (known or (optional and (not at_once or folder != "fathom"))):
                missing.append(f"{file.relative_to(root)}: {module}")
    assert not missing


def test_the_conda_recipe_needs_the_same():
    recipe = (root / "packaging/recipe.yaml").read_text(encoding="utf-8")
    run = recipe.split("  run:\n")[1].split("\n\n")[0]
    given = {line.strip(" -").replace(" ", "") for line in run.splitlines()}
    expected = {"python" + project["requires-python"], "mpich"}  # mpich: a requirement of its build
    for requirement in project["dependencies"]:
        name, bounds = re.fullmatch(r"([\w.-]+)(.*)", requirement).groups()
        if name != "mpich":
            expected.add(in_conda.get(name, canonical(name)) + bounds)
    assert given == expected


def versions(name):
    """{package: version} of a file of exact versions."""
    lines = (root / "packaging/versions" / name).read_text(encoding="utf-8").split()
    return {
        canonical(package): version for package, version in (line.split("==") for line in lines)
    }


def test_the_oldest_versions_are_the_lower_bounds():
    bounds = {}
    for requirement in project["dependencies"]:
        name, lowest = re.match(r"([\w.-]+)>=([\w.]+)", requirement).groups()
        bounds[canonical(name)] = lowest
    assert versions("oldest.txt") == bounds


def test_the_locked_versions_lie_within_the_bounds():
    locked = versions("locked.txt")
    for requirement in map(Requirement, project["dependencies"]):
        assert requirement.specifier.contains(locked[canonical(requirement.name)]), requirement
