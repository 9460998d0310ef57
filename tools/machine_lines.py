#!/usr/bin/env python3
"""The part of the core for one kind of machine: lines that only some instruction sets,
processors, compilers or systems compile.

tools/machine_lines.py [directory]     lines by file, and their share of the core
"""

from __future__ import annotations

import re
import sys
from pathlib import Path

of_a_machine = re.compile(
    r"__(AVX|SSE|FMA|x86|aarch|ARM|linux|clang|has_include)|MADV_|_SC_|_OPENMP"
)


def machine_lines(text: str) -> int:
    """Lines within conditions on the machine, including the conditions."""
    count, inside = 0, []  # of each open condition whether it asks for a machine
    for line in text.splitlines():
        word = line.split()[0] if line.split() else ""
        if word.startswith("#if"):
            inside.append(bool(of_a_machine.search(line)))
        count += any(inside)
        if word == "#endif":
            inside.pop()
    return count


def main() -> None:
    root = Path(sys.argv[1] if len(sys.argv) > 1 else ".")
    found, total = {}, 0
    for file in sorted((root / "core").rglob("*.[ch]pp")):
        text = file.read_text(encoding="utf-8")
        total += len(text.splitlines())
        if count := machine_lines(text):
            found[file.relative_to(root)] = count
    for file, count in found.items():
        print(f"{count:5} {file}")
    print(f"{sum(found.values())} of {total} lines, {100 * sum(found.values()) / total:.2f} %")


if __name__ == "__main__":
    main()
