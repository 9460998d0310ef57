#!/usr/bin/env python3
"""Whether every scheme really computes in vectors: of the arithmetic that the compiler has made of
a kernel, the part in registers as long as a pack of columns, or the machine's longest; and
functions of the mathematical library, which take one number at a time. (What all columns of a
level have in common is computed once, as one number: so the part is never all.)

    tools/check_vectors.py [build folder] [--all]

Reads the objects of a build (build/*/), so it looks at what is run. --all: a line for each kernel.
"""

from __future__ import annotations

import argparse
import re
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

root = Path(__file__).resolve().parent.parent
least = 0.2  # of a kernel's arithmetic: one number at a time would be less than an eighth
few = 12  # instructions: with no more than these, what is in common may be most
# Kernels with a function of what all columns have in common.
common = {"physics::BulkForcing": "logarithms of the heights at which the air is measured"}
functions = {
    *("exp", "exp2", "expm1", "log", "log2", "log10", "log1p"),
    *("pow", "cbrt", "sin", "cos", "tan", "asin", "acos", "atan", "atan2"),
    *("sinh", "cosh", "tanh", "erf", "erfc", "fmod"),
}
kernel = re.compile(
    r"<void fathom::process_detail::run_in_one_piece<(?P<scheme>.+),"
    r" fathom::Pack<(?P<type>double|float), (?P<width>\d+)l?>, \d+>\(.*>:$"
)
arithmetic = re.compile(
    r"\tv?(?:add|sub|mul|div|sqrt|min|max|fn?m(?:add|sub)\d+)(?P<kind>p|s)[ds]\s+(?P<operands>.*)"
)
called = re.compile(r"R_X86_64_PLT32\s+(\w+?)f?-0x4")
bytes_of = {"zmm": 64, "ymm": 32, "xmm": 16}
number = {"double": 8, "float": 4}


@dataclass(frozen=True)
class Kernel:
    """A scheme in one precision: instructions of arithmetic."""

    scheme: str
    precision: str
    whole: int  # on whole packs, or registers as long as the machine has
    all: int
    functions: frozenset[str]  # of the mathematical library

    @property
    def part(self) -> float:
        return self.whole / self.all if self.all else 1.0

    @property
    def falls_back(self) -> bool:
        """To one number at a time, or to short registers."""
        slow = self.all > few and self.part < least
        return slow or bool(self.functions and self.scheme not in common)


def objects(build: Path) -> list[Path]:
    """Those that hold kernels."""
    return sorted(build.rglob("core/**/schemes.cpp.o"))


def kernels(file: Path) -> list[Kernel]:
    said = subprocess.run(
        ["objdump", "--disassemble", "--demangle", "--reloc", "--no-show-raw-insn", str(file)],
        capture_output=True,
        text=True,
        check=True,
    ).stdout
    widest = max(size for name, size in bytes_of.items() if f"%{name}" in said)
    found = []
    for block in said.split("\n\n"):
        head, _, body = block.strip().partition("\n")
        if named := kernel.search(head):
            pack = int(named["width"]) * number[named["type"]]
            whole, every = count(body, min(pack, widest))
            precision = f"fp{8 * number[named['type']]}"
            used = frozenset(called.findall(body)) & functions
            scheme = named["scheme"].removeprefix("fathom::")
            found.append(Kernel(scheme, precision, whole, every, used))
    return found


def count(body: str, length: int) -> tuple[int, int]:
    """Instructions of arithmetic on registers of so many bytes, and all."""
    whole = every = 0
    for found in arithmetic.finditer(body):
        registers = [size for name, size in bytes_of.items() if f"%{name}" in found["operands"]]
        every += 1
        whole += found["kind"] == "p" and max(registers, default=0) == length
    return whole, every


def newest_build() -> Path | None:
    """The folder of the build that was made last."""
    made = [f for f in root.glob("build/*/") if objects(f) and "sanitize" not in f.name]
    return max(made, key=lambda folder: folder.stat().st_mtime, default=None)


def catalogue(build: Path) -> list[Kernel]:
    """All kernels of a build, those with the smallest part in vectors first."""
    with ThreadPoolExecutor(2) as pool:
        parts = pool.map(kernels, objects(build))
        return sorted((k for part in parts for k in part), key=lambda k: (k.part, k.scheme))


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("build", nargs="?", type=Path)
    parser.add_argument("--all", action="store_true", help="a line for each kernel")
    given = parser.parse_args()
    if (build := given.build or newest_build()) is None:
        print("no build in build/: make one first")
        return 1
    found = catalogue(build)
    wrong = [k for k in found if k.falls_back]
    for k in found if given.all else wrong:
        words = " ".join(sorted(k.functions))
        print(f"{k.scheme:70}{k.precision:6}{k.whole:6} of {k.all:6}{100 * k.part:6.0f} % {words}")
    middle = sorted(k.part for k in found)[len(found) // 2] if found else 0.0
    print(
        f"{len(found)} kernels; in whole vectors {100 * middle:.0f} % of the arithmetic of the"
        f" middle one; {len(wrong)} fall back to one number at a time"
    )
    return 1 if wrong or not found else 0


if __name__ == "__main__":
    sys.exit(main())
