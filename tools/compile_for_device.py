#!/usr/bin/env python3
"""All schemes compiled for a GPU, one column a thread: registers, stack and spills of each kernel.

    tools/compile_for_device.py [--architecture sm_90] [--json FILE]

The sources are those of the library that a GPU runs, and the compiler is its own
(fathom/model/device.py). No GPU is needed.
"""

from __future__ import annotations

import argparse
import json
import re
import subprocess
import sys
from dataclasses import asdict, dataclass
from pathlib import Path

from fathom.model import device


@dataclass(frozen=True)
class Kernel:
    """The output of ptxas for a scheme in one precision."""

    scheme: str
    precision: str
    registers: int
    stack: int  # bytes a thread, arrays and spills
    spilled: int  # bytes stored


def kernels(said: str) -> list[Kernel]:
    """From the output of ptxas -v."""
    found = []
    pattern = (
        r"Compiling entry function '(\S+)'.*?(\d+) bytes stack frame, (\d+) bytes spill stores"
        r".*?Used (\d+) registers"
    )
    for mangled, stack, spilled, registers in re.findall(pattern, said, re.DOTALL):
        scheme, precision = _of(mangled)
        found.append(Kernel(scheme, precision, int(registers), int(stack), int(spilled)))
    return found


def _of(mangled: str) -> tuple[str, str]:
    """Scheme and precision of a kernel's name: the first argument of Columns, and its pack; of
    others the launched function.
    """
    name = subprocess.run(
        ["c++filt", mangled], capture_output=True, text=True, check=True
    ).stdout.strip()
    if "Columns<" not in name:
        return name.partition("<")[2].rpartition(">")[0] or name, ""
    inside = name.split("Columns<", 1)[1]
    scheme, pack = inside.split(", fathom::Pack<", 1)
    return scheme.removeprefix("fathom::"), {"d": "fp64", "f": "fp32"}[pack[0]]


def catalogue(architecture: str = "sm_90") -> list[Kernel]:
    """All kernels, those with the most registers first. ValueError: one does not compile."""
    objects = device.Library(architecture).objects()
    parts = [kernels(made.with_suffix(".txt").read_text()) for made in objects]
    found = {(k.scheme, k.precision): k for part in parts for k in part}
    return sorted(found.values(), key=lambda k: (-k.stack, -k.registers, k.scheme, k.precision))


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--architecture", default="sm_90")
    parser.add_argument("--json", type=Path, help="write all figures")
    given = parser.parse_args()
    if lacking := device.compiler_missing():
        print(lacking)
        return 1
    found = catalogue(given.architecture)
    print(f"{len(found)} kernels of {len({k.scheme for k in found})} schemes, {given.architecture}")
    print(f"{'scheme':60}{'':6}{'registers':>10}{'stack':>8}{'spilled':>9}")
    for k in found:
        print(f"{k.scheme:60}{k.precision:6}{k.registers:10}{k.stack:8}{k.spilled:9}")
    if given.json:
        given.json.write_text(json.dumps([asdict(k) for k in found], indent=1) + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
