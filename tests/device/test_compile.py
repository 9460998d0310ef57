"""Every scheme compiles for a GPU, without arrays on its stack. Skipped where there is no CUDA
compiler (pip install '.[cuda]'). That needs no GPU.
"""

import re
import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parents[2] / "tools"))
import compile_for_device as tool
import device_code
from fathom.base import mpi
from fathom.model import device

# as it is before the tests of own schemes add theirs to it
known = {entry["name"] for entry in mpi.core.catalogue() if not entry["in_cells_of"]}
lacking = device.compiler_missing()
hungry = ("physics::Radiation",)
needs_compiler = pytest.mark.skipif(bool(lacking), reason=lacking)


def test_what_ptxas_says_is_understood():
    name = (
        "_ZN6fathom6launch8a_columnILi8ENS_4CellENS_14process_detail7ColumnsINS_7physics15"
        "DoubleDiffusionENS_4PackIdLi1EEESt5arrayINS_3RawELm9EEEEEEvT1_PKT0_i"
    )
    said = f"""\
ptxas info    : Compiling entry function '{name}' for 'sm_90'
ptxas info    : Function properties for _ZN6fathom6launch8a_columnILi8ENS_4Cell
    16 bytes stack frame, 8 bytes spill stores, 8 bytes spill loads
ptxas info    : Used 72 registers, used 0 barriers
"""
    kernel = tool.Kernel("physics::DoubleDiffusion", "fp64", 72, 16, 8)
    assert tool.kernels(said) == [kernel]


def entries() -> list[tuple[str, str]]:
    """Lines of the catalogue in the sources: type and name of a scheme."""
    return [
        entry
        for source in device.sources()
        for entry in re.findall(r'entry<([^;]*?)>\(\s*"(\w+)"', source.read_text())
    ]


def other_names() -> set[str]:
    """Types that are other words for a template: `using Word = Template<...>`."""
    folder = Path(__file__).parents[2] / "core"
    return {
        word
        for source in folder.rglob("*.[ch]pp")
        for word in re.findall(r"using (\w+) = ", source.read_text())
    }


def test_all_sources_of_the_catalogue_are_found():
    names = {name for _, name in entries()}
    # names of equations of state are composed
    made = ("MWJF", "JMCD", "UNESCO", "TEOS10", "LinearEquation")
    assert len(names) > 100
    assert not {name for name in known - names if not name.startswith(made)}


@needs_compiler
@pytest.mark.timeout(900)
def test_every_scheme_is_device_code_without_a_stack():
    """What a column needs for its levels is memory of the field set, and what is at work fits into
    registers: those of a thread are 255.
    """
    found = tool.catalogue()
    compiled = {(k.scheme.split("<")[0].split("::")[-1], k.precision) for k in found}
    wanted = {type.split("<")[0].split("::")[-1] for type, _ in entries()} - other_names()
    assert len(wanted) > 100
    assert not {(t, p) for t in wanted for p in ("fp64", "fp32")} - compiled
    # the two-band radiation spills 48 bytes in fp64
    too_many = [k for k in found if max(k.stack, k.spilled) > (64 if k.scheme in hungry else 0)]
    assert not too_many
    assert all(k.registers < 255 for k in found if k.scheme not in hungry)


@needs_compiler
@pytest.mark.timeout(900)
def test_the_compiler_warns_of_nothing():
    for made in device.Library("sm_90").objects():
        assert "warning" not in made.with_suffix(".txt").read_text()


processor_only = """
#include <array>
#include "machine/launch.hpp"
double twice(double x) { return 2 * x; }
inline constexpr std::array numbers{1., 2.};
struct Plain { static constexpr double numbers[2] = {1, 2}; };
template <class T> struct Kernel {
    T* to;
    constexpr void operator()(std::size_t n) const { to[n] = %s; }
};
void launched(double* to) { fathom::launch::each(8, Kernel<double>{to}); }
"""


@needs_compiler
@pytest.mark.parametrize(
    "expression, said",
    [
        ("twice(to[n])", "calls a function that is not constexpr"),
        ("Plain::numbers[n % 2]", "reads an array"),
        ("numbers[n % 2]", "gives an object to std::array"),
        ("2 * to[n]", None),
    ],
)
def test_what_only_the_processor_has_is_seen(tmp_path, expression, said):
    file = tmp_path / "kernel.cpp"
    file.write_text(processor_only.replace("%s", expression))
    found = [what for _, _, what in device_code.check([file])]
    assert all(what.startswith(said or "") for what in found) and bool(found) == bool(said)


@needs_compiler
@pytest.mark.timeout(900)
def test_kernels_use_nothing_that_only_the_processor_has():
    """The compiler says nothing, and leaves out what depends on it."""
    assert not device_code.check(device.sources())
