"""Every scheme computes in vectors, as the compiler made it (tools/check_vectors.py). Skipped where
there is no build folder next to the source, or no objdump.
"""

import shutil
import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parents[2] / "tools"))
import check_vectors as vectors

build = vectors.newest_build()
needs_objects = pytest.mark.skipif(
    build is None or not shutil.which("objdump"), reason="no objects of a build, or no objdump"
)

listing = """\
   0:\tvmovupd (%rdi),%ymm1
   4:\tvaddpd %ymm1,%ymm0,%ymm0
   8:\tvfmadd213pd %ymm1,%ymm0,%ymm2
   c:\tvmulsd %xmm1,%xmm0,%xmm0
  10:\tvmulpd %xmm1,%xmm0,%xmm0
"""


def test_instructions_are_counted():
    """Two on four numbers, one on one, one on two."""
    assert vectors.count(listing, 32) == (2, 4, 2.75)


def test_a_function_of_one_number_is_a_fall_back():
    kernel = vectors.Kernel("physics::Some", "fp64", 90, 100, frozenset({"exp"}))
    assert kernel.falls_back
    assert vectors.Kernel("physics::Some", "fp64", 10, 100, frozenset()).falls_back
    assert not vectors.Kernel("physics::Some", "fp64", 90, 100, frozenset()).falls_back
    assert vectors.called.findall("12:\tcall 17\n\t\t\t13: R_X86_64_PLT32\tlogf-0x4") == ["log"]


@needs_objects
def test_no_scheme_falls_back_to_one_number_at_a_time():
    found = vectors.catalogue(build)
    assert {k.precision for k in found} == {"fp64", "fp32"}
    assert len(found) > 200
    assert not [k for k in found if k.falls_back]
    middle = sorted(k.part for k in found)[len(found) // 2]
    assert middle > 0.9


def test_the_rate_of_a_whole_run():
    """Of two kernels; one below the least share counts neither."""
    rates = {name: {"gflops": gflops} for name, gflops in (("a", 4.0), ("b", 2.0), ("c", 100.0))}
    line = " ".join(vectors.together({"a": 0.25, "b": 0.5, "c": 0.001}, rates))
    assert line == "Together: 75 % of the time, 2.67 GF/s in it, 2.00 GF/s over all of the time."
