#!/usr/bin/env python3
"""Kernels that use functions or data of the processor alone. The compiler does not report this
where a function is `constexpr`: a call of a host function becomes a call of null, a constant host
array has address 0, and optimisation removes all code that depends on them.

    tools/device_code.py [SOURCE ...]       exit status 1, and a line for each function that does

In the code before optimisation (nvcc -G -ptx) both can be seen. No GPU is needed.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from fathom.base.constants import headers
from fathom.model import device, plugins

null = r"\d{1,6}"  # address 0, and elements of an array near it
register = r"%rd\d+"
head = r"\s*(?:\.weak |\.visible )?\.(?:func|entry)\b"


def functions(code: str) -> Iterator[tuple[str, str]]:
    """Name and code of each function of PTX."""
    for part in re.split(rf"\n(?={head})", code):
        found = re.match(rf"{head}\s+(?:\([^)]*\)\s*)?([\w$]+)", part)
        if found and "{" in part:
            yield found[1], part


def told(names: list[str]) -> dict[str, str]:
    """Names as in the source."""
    said = subprocess.run(
        ["c++filt"], input="\n".join(names), capture_output=True, text=True, check=True
    ).stdout
    return dict(zip(names, said.splitlines()))


def arguments(function: str) -> list[str]:
    """Types of the arguments of a function, and of the object of a member that is const."""
    end = function.rfind(")")
    depth, start = 0, end
    for start in range(end, -1, -1):
        depth += {")": 1, "(": -1}.get(function[start], 0)
        if depth == 0:
            break
    types, depth = [""], 0
    for letter in function[start + 1 : end]:
        depth += (letter in "<([{") - (letter in ">)]}")
        if letter == "," and depth == 0:
            types.append("")
        else:
            types[-1] += letter
    return (["&"] if function[end:].startswith(") const") else []) + [t.strip() for t in types]


def reads_null(code: str) -> bool:
    """From an address that is a number, an index, or a sum of them."""
    numbers = set(re.findall(rf"mov\.[ub]64\s+({register}), {null};", code))
    known = numbers | set(re.findall(rf"(?:shl\.b64|mul\.\w+\.[su]\d+)\s+({register}),", code))
    sums = re.findall(rf"add\.s64\s+({register}), ({register}), ({register}|\d+);", code)
    for _ in range(3):  # an array of arrays of structures
        for total, *parts in sums:
            if not numbers.isdisjoint(parts) or all(p in known or p.isdigit() for p in parts):
                known.add(total)
    used = re.findall(rf"\b(?:ld|st)(?:\.\w+)*\s+[^;]*\[({register})(?:\+\d+)?\]", code)
    return not known.isdisjoint(used)


def null_arguments(code: str) -> Iterator[tuple[str, list[int]]]:
    """Functions that are called, and which of their arguments are numbers."""
    known = set(re.findall(rf"mov\.[ub]64\s+({register}), {null};", code))
    for call in re.findall(r"\{ // callseq(.*?)\} // callseq", code, re.DOTALL):
        given = re.findall(rf"st\.param\.b64\s+\[param(\d+)\+0\], ({register}|\d+);", call)
        numbers = [int(n) for n, what in given if what in known or re.fullmatch(null, what)]
        called = re.search(r"call(?:\.uni)?\s+(?:\([^)]*\),\s*)?([\w$]+)", call)
        if numbers and called:
            yield called[1], numbers


def on_processor(code: str) -> set[tuple[str, str]]:
    """(function, what it uses that is not on a device)"""
    found, calls = set(), []
    for name, body in functions(code):
        if ".callprototype" in body:
            found.add((name, "calls a function that is not constexpr"))
        if reads_null(body):
            found.add((name, "reads an array"))
        calls += [(name, called, numbers) for called, numbers in null_arguments(body)]
    names = told(sorted({called for _, called, _ in calls}))
    for name, called, numbers in calls:
        types = arguments(names[called])
        if any(n < len(types) and types[n].endswith("&") for n in numbers):
            found.add((name, f"gives an object to {names[called]}"))
    names = told(sorted({name for name, _ in found}))
    return {(names[name], what) for name, what in found}


def compiled(source: Path, architecture: str = "sm_90") -> str:
    """Its PTX, before optimisation. RuntimeError with the message of the compiler."""
    with tempfile.TemporaryDirectory() as folder:
        to = Path(folder) / "code.ptx"
        command = [str(device.compiler()), *device.flags, f"-arch={architecture}", "-G", "-ptx"]
        done = subprocess.run(
            [*command, f"-I{headers()}", str(source), "-o", str(to)],
            capture_output=True,
            text=True,
        )
        if done.returncode:
            raise RuntimeError(f"{source}: {plugins.first_errors(done.stdout + done.stderr)}")
        return to.read_text()


def check(sources: list[Path]) -> list[tuple[Path, str, str]]:
    """(source, function, what it uses)"""
    with ThreadPoolExecutor(len(os.sched_getaffinity(0))) as pool:
        parts = pool.map(lambda source: on_processor(compiled(source)), sources)
        return [(source, *use) for source, uses in zip(sources, parts) for use in sorted(uses)]


def main() -> int:
    if lacking := device.compiler_missing():
        print(lacking)
        return 1
    found = check([Path(name) for name in sys.argv[1:]] or device.sources())
    for source, function, what in found:
        print(f"{source.parent.name}/{source.name}: {function} {what}")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
