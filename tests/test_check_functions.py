"""The tool that counts lines and branches sees a function that is too long, and a reason for it."""

import importlib.util
from pathlib import Path

import pytest

pytest.importorskip("lizard")
file = Path(__file__).resolve().parent.parent / "tools" / "check_functions.py"
specification = importlib.util.spec_from_file_location("check_functions", file)
check = importlib.util.module_from_spec(specification)
specification.loader.exec_module(check)

LINES = "    x += 1;\n" * 70
BRANCHES = "    if (x > 1) ++x;\n" * 13
CPP = "template <class T>\nint grow(T x) {{\n{}    return x;\n}}\n"
PYTHON = "@given\ndef grow(x):\n" + "    if x > 1:\n        x += 1\n" * 13 + "    return x\n"


@pytest.mark.parametrize(
    "name, text, faults",
    [
        ("a.cpp", CPP.format(LINES), 1),
        ("a.cpp", CPP.format(BRANCHES), 1),
        ("a.cpp", CPP.format("    ++x;\n"), 0),
        ("a.cpp", "// long: a table of cases\n" + CPP.format(LINES), 0),
        ("a.cpp", "/// Grows.\n// long: a table of cases\n" + CPP.format(BRANCHES), 0),
        ("a.cpp", "// long:\n" + CPP.format(LINES), 1),
        ("a.cpp", "// long: of another\nint x = 0;\n\n" + CPP.format(LINES), 1),
        ("a.py", PYTHON, 1),
        ("a.py", "# long: a table of cases\n" + PYTHON, 0),
    ],
)
def test_functions(tmp_path, name, text, faults):
    path = tmp_path / name
    path.write_text(text)
    assert len(list(check.too_long(path))) == faults
    assert check.main([path]) == (1 if faults else 0)
