#!/usr/bin/env python3
"""All schemes compiled for a GPU, one column a thread: registers, stack and spills of each kernel.

    tools/compile_for_device.py [--architecture sm_90] [--json FILE]

The catalogue's own sources are compiled as CUDA (core/machine/launch.hpp). The compiler is nvcc of
the PyPI packages nvidia-cuda-nvcc, nvidia-cuda-runtime, nvidia-cuda-crt and nvidia-nvvm beside this
Python (pip install '.[cuda]'), the one that NVCC names, or one on the path. No GPU is needed.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass
from importlib import metadata
from pathlib import Path

root = Path(__file__).resolve().parent.parent
flags = [
    "-x",
    "cu",
    "-std=c++20",
    "--expt-relaxed-constexpr",  # what is constexpr is device code
    "--fmad=false",  # rounds as on the processor: no contraction
    "-Werror=all-warnings",  # a host function called from a kernel is a warning otherwise
    "-Xptxas=-v",
]


@dataclass(frozen=True)
class Kernel:
    """What ptxas says of a scheme in one precision."""

    scheme: str
    precision: str
    registers: int
    stack: int  # bytes a thread, arrays and what is spilled
    spilled: int  # bytes stored


def compiler() -> str | None:
    """nvcc; None where there is none."""
    if named := os.environ.get("NVCC"):
        return shutil.which(named)
    try:
        files = metadata.files("nvidia-cuda-nvcc") or []
    except metadata.PackageNotFoundError:
        files = []
    for file in files:
        if file.name == "nvcc" and (found := Path(str(file.locate()))).is_file():
            return str(found)
    return shutil.which("nvcc")


def sources() -> list[Path]:
    """Files that hold lines of the catalogue."""
    return [p for p in sorted((root / "core").rglob("schemes.cpp")) if "entry<" in p.read_text()]


def compiled(nvcc: str, source: Path, architecture: str) -> list[Kernel]:
    """The kernels of a source. RuntimeError with what the compiler said first."""
    with tempfile.TemporaryDirectory() as folder:
        where = [f"-I{root / 'core'}", "-o", f"{folder}/kernels.o", "-c", str(source)]
        done = subprocess.run(
            [nvcc, *flags, f"-arch={architecture}", *where], capture_output=True, text=True
        )
    said = done.stdout + done.stderr
    if done.returncode:
        wrong = [line for line in said.splitlines() if "error" in line] or said.splitlines()
        raise RuntimeError(f"{source.relative_to(root)}: {'; '.join(wrong[:3])}")
    return kernels(said)


def kernels(said: str) -> list[Kernel]:
    """From the words of ptxas -v."""
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
    """Scheme and precision of a kernel's name: the first argument of Columns, and its pack."""
    name = subprocess.run(
        ["c++filt", mangled], capture_output=True, text=True, check=True
    ).stdout.strip()
    inside = name.split("Columns<", 1)[1]
    scheme, pack = inside.split(", fathom::Pack<", 1)
    return scheme.removeprefix("fathom::"), {"d": "fp64", "f": "fp32"}[pack[0]]


def catalogue(nvcc: str, architecture: str = "sm_90", at_once: int = 2) -> list[Kernel]:
    """All kernels of the catalogue, the hungriest first. RuntimeError: one does not compile."""
    with ThreadPoolExecutor(at_once) as pool:
        parts = pool.map(lambda source: compiled(nvcc, source, architecture), sources())
        found = {(k.scheme, k.precision): k for part in parts for k in part}
    return sorted(found.values(), key=lambda k: (-k.stack, -k.registers, k.scheme, k.precision))


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--architecture", default="sm_90")
    parser.add_argument("--json", type=Path, help="write all figures")
    given = parser.parse_args()
    if (nvcc := compiler()) is None:
        print("no CUDA compiler: pip install '.[cuda]', or say where nvcc is in NVCC")
        return 1
    found = catalogue(nvcc, given.architecture)
    print(f"{len(found)} kernels of {len({k.scheme for k in found})} schemes, {given.architecture}")
    print(f"{'scheme':60}{'':6}{'registers':>10}{'stack':>8}{'spilled':>9}")
    for k in found:
        print(f"{k.scheme:60}{k.precision:6}{k.registers:10}{k.stack:8}{k.spilled:9}")
    if given.json:
        given.json.write_text(json.dumps([asdict(k) for k in found], indent=1) + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
