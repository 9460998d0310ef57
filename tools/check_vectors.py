#!/usr/bin/env python3
"""Check that every scheme computes in vectors: of the arithmetic in the compiled kernel, the part
in registers as long as a pack of columns, or the machine's longest; and functions of the
mathematical library, which take one number at a time. (Values common to all columns of a level are
computed once, as one number: so the part is never all.)

    tools/check_vectors.py [build folder] [--all]
    tools/check_vectors.py --table docs/results/vectors.md profile.json ...

Reads the objects of a build (build/*/), so it checks the code that runs. --all: a line for each
kernel. --table: the table of a release, of the kernels that ran in what `fathom profile --json`
wrote: part of the arithmetic in vectors and mean lanes, operations, bytes and rates; caches and
files of each.
"""

from __future__ import annotations

import argparse
import json
import re
import subprocess
import sys
import textwrap
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

from fathom import __version__
from fathom.performance.vectors import bytes_of, count, numbers
from fathom.plots.report.tables import by_file, by_input, of_counters

root = Path(__file__).resolve().parent.parent
cases = (
    """ocean-3deg.toml --ranks 1 --set 'output."surface.zarr".every="1d"'""",
    "held-suarez-t42.toml --ranks 1",
    "aquaplanet-t31l8.toml --ranks 1",
    "forecast-t106.toml --ranks 1",
    "arome-alps.toml --ranks 1 --set model.physics=AromePhysics",
)  # of the table
least = 0.2  # of a kernel's arithmetic: one number at a time would be less than an eighth
few = 12  # instructions: in a shorter kernel the common part may be most of it
# Kernels with a function of values common to all columns.
common = {"physics::BulkForcing": "logarithms of the heights at which the air is measured"}
functions = {
    *("exp", "exp2", "expm1", "log", "log2", "log10", "log1p"),
    *("pow", "cbrt", "sin", "cos", "tan", "asin", "acos", "atan", "atan2"),
    *("sinh", "cosh", "tanh", "erf", "erfc", "fmod"),
}
kernel = re.compile(r"<fathom::Kernels<(?P<scheme>.+), (?P<type>double|float)>::packs\(.*>:$")
called = re.compile(r"R_X86_64_PLT32\s+(\w+?)f?-0x4")
aside = ("sanitize", "simulated")  # builds whose speed does not matter


@dataclass(frozen=True)
class Kernel:
    """A scheme in one precision: instructions of arithmetic."""

    scheme: str
    precision: str
    whole: int  # on whole packs, or registers as long as the machine has
    all: int
    functions: frozenset[str]  # of the mathematical library
    lanes: float = 0.0  # numbers of an instruction, mean

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
            whole, every, lanes = count(body, widest, numbers[named["type"]])
            precision = f"fp{8 * numbers[named['type']]}"
            used = frozenset(called.findall(body)) & functions
            scheme = named["scheme"].removeprefix("fathom::")
            found.append(Kernel(scheme, precision, whole, every, used, lanes))
    return found


def newest_build() -> Path | None:
    """The folder of the build that was made last."""
    made = [f for f in root.glob("build/*/") if objects(f) and f.name not in aside]
    return max(made, key=lambda folder: folder.stat().st_mtime, default=None)


def catalogue(build: Path) -> list[Kernel]:
    """All kernels of a build, those with the smallest part in vectors first."""
    with ThreadPoolExecutor(2) as pool:
        parts = pool.map(kernels, objects(build))
        return sorted((k for part in parts for k in part), key=lambda k: (k.part, k.scheme))


shown_from = 0.003  # share of the time of a region in a table


def together(share: dict, rates: dict) -> list[str]:
    """Of all kernels in the table: their share of the time, and the rate of the whole run."""
    shown = [name for name in rates if share[name] >= shown_from]
    part = sum(share[name] for name in shown)
    all_time = sum(share[name] * rates[name]["gflops"] for name in shown)
    return [
        f"Together: {100 * part:.0f} % of the time, {all_time / (part or 1.0):.2f} GF/s in it,",
        f"{all_time:.2f} GF/s over all of the time.",
    ]


# long: one column after the other
def table(profiles: list[Path]) -> list[str]:
    """Lines of the page of a release."""
    lines = [
        "# Vectors and rates of each kernel",
        "",
        f"Fathom {__version__}. What the compiler has made of each kernel (part of the arithmetic",
        "in whole vectors, mean numbers of an instruction), what it reached on one rank of a",
        "machine without other work, and the files of the run: those read, with decoding, and",
        "those written. Regions below 0.3 % of the time are left out; –: made otherwise than as",
        "one kernel. Made again for each release:",
        "",
        *(f"    fathom profile experiments/{c} --json {c.partition('.')[0]}.json" for c in cases),
        "    python tools/check_vectors.py --table docs/results/vectors.md *.json",
    ]
    for file in profiles:
        run = json.loads(file.read_text())
        seconds = {}
        for record in run["profile"]:
            name = record["path"][-1]
            seconds[name] = seconds.get(name, 0.0) + record["seconds"]
        whole = sum(seconds.values()) or 1.0
        counters = of_counters(run["counters"])
        counters = counters if isinstance(counters, str) else "; ".join(counters)
        lines += [
            *("", f"## {file.stem}, {run['precision']}", ""),
            *textwrap.wrap(
                f"{run['machine']}; {run['grid']}; limits: {run['limits']}. Counters of the"
                f" processor, caches among them: {counters}.",
                100,
            ),
            *("", "| kernel | % of time | in vectors | lanes | GF/s | GB/s | of the limit |"),
            "|---|---|---|---|---|---|---|",
        ]
        share = {name: seconds.get(name, 0.0) / whole for name in run["rates"]}
        for name, rate in sorted(run["rates"].items(), key=lambda one: -share[one[0]]):
            if share[name] < shown_from:
                continue
            k = "in_vectors" in rate
            lines.append(
                f"| {name} | {100 * share[name]:.1f} | "
                + (f"{100 * rate['in_vectors']:.0f} % | {rate['lanes']:.1f}" if k else "– | –")
                + f" | {rate['gflops']:.2f} | {rate['gigabytes_per_second']:.1f}"
                + f" | {100 * rate['fraction']:.0f} % of {rate['limit']} |"
            )
        lines += ["", *together(share, run["rates"])]
        written = {path: f for path, f in run["files"].items() if f["calls"]}
        for head, rows in (by_input(run["input"]["files"]), by_file(written)):
            if rows:
                lines.append("")
                lines += [f"| {' | '.join(row)} |" for row in (head, ["---"] * len(head), *rows)]
    return [*lines, ""]


# long: one option after the other
def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("build", nargs="?", type=Path)
    parser.add_argument("--all", action="store_true", help="a line for each kernel")
    parser.add_argument("--table", type=Path, metavar="MD", help="the table of a release")
    parser.add_argument("profiles", nargs="*", type=Path, help="of --table")
    given = parser.parse_args()
    if given.table:  # the first argument is no build then
        given.profiles, given.build = [p for p in (given.build, *given.profiles) if p], None
    if given.table:
        given.table.write_text("\n".join(table(given.profiles)), encoding="utf-8")
        return 0
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
