"""Declarations of schemes: what contradicts them does not compile, and they are short."""

import re
import shutil
import subprocess
from pathlib import Path

import pytest

core = Path(__file__).parents[2] / "core"
compiler = shutil.which("c++") or shutil.which("g++") or shutil.which("clang++")

winds = """
#include "field/entry.hpp"
using namespace fathom;
template <class Real> struct Winds {
    Reads<Real, "eastward_wind", place::center_layer, "m s-1", 1> u;
    Reads<Real, "northward_wind", place::center_layer, "m s-1"> v;
};
"""
scheme = """
struct Scheme{number} {{
    static constexpr std::string_view summary = "a scheme";
    template <class Real>
    constexpr void operator()(Winds<Real> wind,
                              Updates<Real, "tendency", place::center_layer, "m s-2"> tendency,
                              Writes<Real, "speed", place::center_layer, "m s-1"> speed) const {{
#line {number} "body"
        {body}
#line 1 "after"
    }}
}};
const Entries entries{number}{{entry<Scheme{number}>("Scheme{number}")}};
"""
right = "speed[0] = wind.u(east)[0] * Real(wind.v[0]); tendency[0] += Real(1);"
wrong = [
    "wind.u[0] = Real(1);",  # writes what it reads
    "tendency[0] += speed[0];",  # reads its output
    "Real before = speed[0]; tendency[0] += before;",
    "speed[0] += Real(1);",
    "speed[0] = wind.v(north)[0];",  # reads farther than it declares
    "speed[0] = wind.w[0];",  # no such member
]


def compiled(tmp_path, *bodies):
    """The exit status of a compiler, and the numbers of the bodies, from 1 on, in its messages."""
    path = tmp_path / "scheme.cpp"
    schemes = [scheme.format(number=n, body=body) for n, body in enumerate(bodies, 1)]
    path.write_text(winds + "".join(schemes))
    flags = ["-std=c++20", "-fsyntax-only", "-w", "-march=native", f"-I{core}"]
    done = subprocess.run([compiler, *flags, str(path)], capture_output=True, text=True)
    return done.returncode, {int(n) for n in re.findall(r"^body:(\d+)", done.stderr, re.MULTILINE)}


@pytest.mark.long
@pytest.mark.skipif(compiler is None, reason="no C++ compiler")
def test_what_follows_the_declaration_compiles(tmp_path):
    assert compiled(tmp_path, right) == (0, set())


@pytest.mark.skipif(compiler is None, reason="no C++ compiler")
def test_what_contradicts_the_declaration_does_not_compile(tmp_path):
    status, named = compiled(tmp_path, *wrong, right)
    assert status and named == {n for n, _ in enumerate(wrong, 1)}


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
