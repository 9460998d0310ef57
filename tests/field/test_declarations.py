"""Declarations of schemes: what contradicts them does not compile, and they are short."""

import re
import shutil
import subprocess
from pathlib import Path

import pytest

core = Path(__file__).parents[2] / "core"
compiler = shutil.which("c++") or shutil.which("g++") or shutil.which("clang++")

source = """
#include "field/entry.hpp"
using namespace fathom;
template <class Real> struct Winds {{
    Reads<Real, "eastward_wind", place::center_layer, "m s-1", 1> u;
    Reads<Real, "northward_wind", place::center_layer, "m s-1"> v;
}};
struct Scheme {{
    static constexpr std::string_view summary = "a scheme";
    template <class Real>
    constexpr void operator()(Winds<Real> wind,
                              Updates<Real, "tendency", place::center_layer, "m s-2"> tendency,
                              Writes<Real, "speed", place::center_layer, "m s-1"> speed) const {{
        {body}
    }}
}};
const Entries entries{{entry<Scheme>("Scheme")}};
"""


def compiles(body, tmp_path):
    path = tmp_path / "scheme.cpp"
    path.write_text(source.format(body=body))
    flags = ["-std=c++20", "-fsyntax-only", "-w", "-march=native", f"-I{core}"]
    return subprocess.run([compiler, *flags, str(path)], capture_output=True).returncode == 0


@pytest.mark.skipif(compiler is None, reason="no C++ compiler")
@pytest.mark.parametrize(
    "body, right",
    [
        ("speed[0] = wind.u(east)[0] * Real(wind.v[0]); tendency[0] += Real(1);", True),
        ("wind.u[0] = Real(1);", False),  # writes what it reads
        ("tendency[0] += speed[0];", False),  # reads its output
        ("Real before = speed[0]; tendency[0] += before;", False),
        ("speed[0] += Real(1);", False),
        ("speed[0] = wind.v(north)[0];", False),  # reads farther than it declares
        ("speed[0] = wind.w[0];", False),  # no such member
    ],
)
def test_what_contradicts_the_declaration_does_not_compile(body, right, tmp_path):
    assert compiles(body, tmp_path) == right


def schemes():
    """Name and lines of every scheme that has a kernel: from `struct` to its closing brace."""
    for path in sorted(core.rglob("*.hpp")):
        lines = path.read_text().splitlines()
        for n, line in enumerate(lines):
            name = re.match(r"(?:template <[^{]*> )?struct (\w+)[^;]*\{$", line)
            if name is None:
                continue
            body = lines[n : lines.index("};", n) + 1]
            text = "\n".join(body)
            of_columns = "void operator()(" in text and "bool global = true" not in text
            if "std::string_view summary" in text and of_columns:
                yield name[1], body


def declared(body):
    """Lines of a scheme that only describe it: its `summary` and its `parameters`.

    Arguments are none of them: a kernel needs them anyway. Nor are comments.
    """
    count, within = 0, False
    for line in body:
        within |= (
            re.match(r"    static constexpr std::(string_view summary|tuple parameters)", line)
            is not None
        )
        count += within
        within &= not line.endswith(";")
    return count


def test_declarations_are_at_most_a_third_of_a_scheme():
    shares = {name: (declared(body), len(body)) for name, body in schemes()}
    assert len(shares) > 100
    long = {name: share for name, share in shares.items() if 3 * share[0] > share[1]}
    # almost only parameters: the first scheme has nine; the kernels of the others have a few lines
    assert set(long) <= {"HeldSuarez", "LinearExpansion", "FreshwaterContent", "GridPointExner"}
    assert all(5 * share[0] <= 2 * share[1] for share in long.values())
    whole = [sum(numbers) for numbers in zip(*shares.values(), strict=True)]
    assert 6 * whole[0] < whole[1]  # together less than a sixth
