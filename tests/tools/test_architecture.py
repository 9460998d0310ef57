"""Arrows between folders point one way, and the checker sees one that does not."""

import importlib.util
from pathlib import Path

import pytest

root = Path(__file__).resolve().parents[2]


def tool(name):
    specification = importlib.util.spec_from_file_location(name, root / "tools" / f"{name}.py")
    module = importlib.util.module_from_spec(specification)
    specification.loader.exec_module(module)
    return module


check = tool("check_architecture")


@pytest.mark.long
def test_this_tree():
    assert [*check.wrong_includes(root), *check.wrong_imports(root)] == []


@pytest.fixture
def tree(tmp_path, monkeypatch):
    monkeypatch.setattr(check, "exceptions", {})

    def write(**files):
        for name, text in files.items():
            path = tmp_path.joinpath(*name.split("__"))
            path = path.with_suffix(
                ".py" if path.parts[-2] == "fathom" or "fathom" in path.parts else ".hpp"
            )
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
        return tmp_path

    return write


def test_wrong_include(tree):
    top = tree(
        core__grid__a='#include "base/b.hpp"\n',
        core__base__b='#include "grid/a.hpp"\n',
        core__physics__c="",
    )
    assert [(f, n) for f, n, _ in check.wrong_includes(top)] == [("core/base/b.hpp", 1)]
    top = tree(
        core__physics__c='#pragma once\n#include "parallel/p.hpp"\n',
        core__parallel__p="",
        core__base__b="",
    )
    assert [(f, n) for f, n, _ in check.wrong_includes(top)] == [("core/physics/c.hpp", 2)]
    top = tree(core__cellar__a="#include <vector>\n", core__physics__c='#include "c.hpp"\n')
    assert len(list(check.wrong_includes(top))) == 1  # not from core/ on
    top = tree(core__cellar__a='#include "base/b.hpp"\n')
    assert any("no place" in m for _, _, m in check.wrong_includes(top))


def test_exception_that_is_not_needed(tree, monkeypatch):
    top = tree(core__base__b="")
    monkeypatch.setattr(check, "exceptions", {("core/base", "core/grid/a.hpp"): "for a test"})
    assert ["not needed" in m for _, _, m in check.wrong_includes(top)] == [True]


@pytest.mark.parametrize(
    "line",
    [
        "from fathom import ocean",
        "from fathom.ocean import Ocean",
        "import fathom.ocean",
        "from ..ocean import Ocean",
        "def f():\n    from fathom import ocean",
    ],
)
def test_wrong_import(tree, line):
    top = tree(
        fathom__output__zarr=line + "\n",
        fathom__ocean="from fathom import names\n",
        fathom__names="",
    )
    assert [f for f, _, _ in check.wrong_imports(top)] == ["fathom/output/zarr.py"]
    assert (
        list(check.wrong_imports(tree(fathom__output__zarr="from fathom.names import near\n")))
        == []
    )


def test_unknown_module(tree):
    assert ["no place" in m for _, _, m in check.wrong_imports(tree(fathom__utils=""))] == [True]


def test_lines_of_one_machine(capsys, monkeypatch):
    """The core is one source: a hundredth of it knows the machine, and the lines are those between
    the conditions.
    """
    lines = tool("machine_lines")
    assert (
        lines.machine_lines("a\n#if defined(__AVX__)\nb\n#if X\nc\n#endif\n#else\nd\n#endif\ne\n")
        == 8
    )
    assert lines.machine_lines("#if MPI_VERSION > 4\na\n#endif\n") == 0
    monkeypatch.setattr("sys.argv", ["machine_lines", str(root)])
    lines.main()
    assert 0.1 < float(capsys.readouterr().out.split()[-2]) < 3
