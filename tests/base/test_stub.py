"""The types of public names that mypy and editors see are those that there are."""

import ast
import importlib.util
from pathlib import Path

import pytest

import fathom as fm
from fathom.base import mpi
from fathom.model import plugins

root = Path(__file__).resolve().parents[2]
installed = Path(fm.__file__).parent


def test_every_public_name_has_a_type():
    tree = ast.parse((installed / "__init__.pyi").read_text())
    (schemes,) = (one for one in tree.body if isinstance(one, ast.ClassDef))
    named = {schemes.name}
    for node in tree.body:
        if isinstance(node, ast.ImportFrom) and node.level:
            named |= {alias.asname for alias in node.names if alias.asname}
        elif isinstance(node, ast.AnnAssign):
            named.add(node.target.id)
        elif isinstance(node, ast.Assign) and node.targets[0].id != "__all__":
            named.add(node.targets[0].id)
    own = {name for names in plugins.loaded.values() for name in names}
    assert named == {*dir(fm), "public", "usual_schemes"}
    of_schemes = {one.name for one in schemes.body}
    assert of_schemes == {*dir(fm.schemes)} - own
    assert (installed / "py.typed").is_file()


def test_the_files_are_what_the_tool_writes():
    pytest.importorskip("nanobind")
    specification = importlib.util.spec_from_file_location("stub", root / "tools" / "stub.py")
    stub = importlib.util.module_from_spec(specification)
    specification.loader.exec_module(stub)
    for file, text in stub.texts().items():
        assert file.read_text() == text, f"python tools/stub.py writes {file.name} anew"


def test_the_core_has_types():
    """Of each name of the compiled core; every parameter of its functions has one."""
    core, tree = mpi.core, ast.parse((installed / "_core.pyi").read_text())
    named = {node.name for node in tree.body if isinstance(node, (ast.FunctionDef, ast.ClassDef))}
    named |= {node.target.id for node in tree.body if isinstance(node, ast.AnnAssign)}
    assert named == {name for name in dir(core) if not name.startswith("_")}
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef):
            given = [a for a in node.args.args if a.arg != "self"]
            assert node.returns and all(a.annotation for a in given), node.name
