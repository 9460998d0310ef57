"""What the compiler has made of the kernels of the core: the part of their arithmetic in vectors,
and the numbers that an instruction holds on average.

    part in vectors = instructions on registers as long as the machine has / all of arithmetic
    lanes           = mean numbers of an instruction

They are static: each instruction of a kernel counts once, however often it runs. The names of the
functions are in the core itself (`nm`), their instructions come from `objdump`; where there is no
objdump, or on other processors than x86, nothing is found.
"""

from __future__ import annotations

import re
import shutil
import subprocess
import tempfile
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from fathom.base import mpi

arithmetic = re.compile(
    r"\tv?(?:add|sub|mul|div|sqrt|min|max|fn?m(?:add|sub)\d+)(?P<kind>p|s)[ds]\s+(?P<operands>.*)"
)
bytes_of = {"zmm": 64, "ymm": 32, "xmm": 16}
numbers = {"double": 8, "float": 4}
instruction = re.compile(r"^\s*([0-9a-f]+):\t(.*)$", re.MULTILINE)
call = re.compile(r"\tcall\s+0x([0-9a-f]+)")
calls_followed = 3  # from a kernel into functions that are parts of it
end = b"\x90" * 16  # between functions: the next one begins with its own instruction

# regions that are not one scheme -> names of their functions; T: the type of numbers
of_regions = {
    "departure points": r"(MapTracing|Tables::trace|Tables::depart|OnPlane<T>::trace|Departure<T>)",
    "interpolation": r"(Gathered<T, \d|gather_(cubic|linear)|OnPlane<T>::interpolate|"
    r"SemiLagrangian<T>::interpolate)",
    "Legendre transform": r"Legendre<T>|SphereJob<T>|SphericalHarmonics<T>::(to|from)_waves",
    "Fourier transform": r"fourier_steps::.*T, fathom::Pack<T, (?!1>)\d",
    "Fourier transform of columns": r"fourier_steps::.*T, fathom::Pack<T, (?!1>)\d",
    "semi-implicit solve and diffusion": r"(TermsOn\w+<T|SemiImplicit<T).*::(solve|diffuse)\(",
    "Coupling": r"Coupling<T>::apply",
    "RRTMGP": r"rrtmgp::.*(<T, (?!1>)\d|<T>\()",
}


@dataclass(frozen=True)
class Vectors:
    """Of one region: the part of its arithmetic in whole vectors, mean numbers of an instruction,
    instructions of arithmetic.
    """

    part: float
    lanes: float
    instructions: int


def count(body: str, length: int, number: int = 8) -> tuple[int, int, float]:
    """Returns instructions of arithmetic on registers of so many bytes, and all; mean numbers of
    one. body: lines of objdump; number: bytes of a number.
    """
    whole = every = lanes = 0
    for found in arithmetic.finditer(body):
        registers = [size for name, size in bytes_of.items() if f"%{name}" in found["operands"]]
        every += 1
        packed, size = found["kind"] == "p", max(registers, default=0)
        whole += packed and size == length
        lanes += size // number if packed else 1
    return whole, every, lanes / every if every else 0.0


def of_core(
    names: Collection[str], bytes_: int, kernels: Mapping[str, int] | None = None
) -> dict[str, Vectors]:
    """Returns name of a region -> Vectors of the core's functions for numbers of so many bytes;
    {}: no tools to read them. Regions without a known function are left out.

    kernels : of processes, where their function begins in the core (`Process.kernel`).
    """
    if not (shutil.which("nm") and shutil.which("objdump")):
        return {}
    code = _Code(Path(str(mpi.core.__file__)))
    number = next(name for name, size in numbers.items() if size == bytes_)
    found = _functions_of(names, code, number, kernels or {})
    code.follow(list(found.values()))
    made = {name: code.vectors(of_name, bytes_) for name, of_name in found.items()}
    return {name: of_kernel for name, of_kernel in made.items() if of_kernel.instructions}


def _functions_of(
    names: Collection[str], code: _Code, number: str, kernels: Mapping[str, int]
) -> dict[str, set[int]]:
    """Returns where the functions of each region begin: those named above, or its kernel."""
    found: dict[str, set[int]] = {}
    for name in names:
        if (known := of_regions.get(name.partition(" of ")[0])) is not None:
            pattern = re.compile(re.sub(r"\bT\b", number, known))
            found[name] = {at for at, (_, symbol) in code.plain() if pattern.search(symbol)}
        elif kernels.get(name) in code.functions:
            found[name] = {kernels[name]}
    return found


class _Code:
    """The functions of the core: (bytes, name) by address, and what was read of them so far."""

    def __init__(self, core: Path) -> None:
        self.content, self.offset = core.read_bytes(), _offset_of_text(core)
        self.functions = {at: (size, name) for at, size, name in _functions(core)}
        self.text: dict[int, str] = {}
        self.called: dict[int, list[int]] = {}  # other functions of this library

    def plain(self) -> Iterator[tuple[int, tuple[int, str]]]:
        """Yields functions of plain numbers, not of those that count or carry a tangent."""
        for at, (size, name) in self.functions.items():
            if not any(word in name for word in ("Counted", "Dual", "[clone .cold]")):
                yield at, (size, name)

    def follow(self, kernels: Sequence[set[int]]) -> None:
        """Adds to each kernel the functions that it calls and that are a part of it."""
        for _ in range(calls_followed):
            self.read(set().union(*kernels))
            for functions in kernels:
                functions.update([to for at in functions for to in self.called[at]])
        self.read(set().union(*kernels))

    def vectors(self, functions: Collection[int], bytes_: int) -> Vectors:
        """Returns what functions that are read are made of; no instructions: no arithmetic."""
        text = "\n".join(self.text[at] for at in functions)
        whole, every, lanes = count(text, self.widest, bytes_)
        return Vectors(whole / max(every, 1), lanes, every)

    @property
    def widest(self) -> int:
        """Returns bytes of the longest register in what was read."""
        whole = "\n".join(self.text.values())
        return max((size for name, size in bytes_of.items() if f"%{name}" in whole), default=16)

    def read(self, wanted: Collection[int]) -> None:
        """Reads the instructions of functions that are not read yet, all at once."""
        new = sorted(at for at in wanted if at not in self.text)
        with tempfile.NamedTemporaryFile(suffix=".code") as file:
            starts = []
            for at in new:
                starts.append(file.tell())
                first = at - self.offset
                file.write(self.content[first : first + self.functions[at][0]] + end)
            file.flush()
            lines = _instructions(file.name)
        for at, start, after in zip(new, starts, [*starts[1:], 1 << 62]):
            mine = [(place, text) for place, text in lines if start <= place < after]
            self.text[at] = "\n".join(text for _, text in mine)
            targets = (int(to, 16) - start + at for to in call.findall(self.text[at]))
            self.called[at] = [to for to in targets if self._is_part(to)]

    def _is_part(self, at: int) -> bool:
        """Returns whether a function that a kernel calls is a part of it."""
        name = self.functions.get(at, (0, ""))[1]
        return "fathom::" in name and "Pack<" in name and "Counted" not in name


def _instructions(file: str) -> list[tuple[int, str]]:
    """Returns (place, line) of the instructions of a file of code."""
    said = subprocess.run(
        [
            *("objdump", "--disassemble-all", "--no-show-raw-insn", "--target=binary"),
            *("--architecture=i386:x86-64", file),
        ],
        capture_output=True,
        text=True,
        check=False,
    ).stdout
    return [(int(at, 16), f"\t{line}") for at, line in instruction.findall(said)]


def _functions(core: Path) -> list[tuple[int, int, str]]:
    """Returns (address, bytes, name) of the functions of the core."""
    said = subprocess.run(
        ["nm", "--demangle", "--print-size", "--defined-only", str(core)],
        capture_output=True,
        text=True,
        check=False,
    ).stdout
    line = re.compile(r"^([0-9a-f]+) ([0-9a-f]+) [tTwWuV] (.*)$", re.MULTILINE)
    return [(int(at, 16), int(size, 16), name) for at, size, name in line.findall(said)]


def _offset_of_text(core: Path) -> int:
    """Returns by how much addresses of functions lie above their place in the file."""
    said = subprocess.run(
        ["objdump", "--section-headers", "--section=.text", str(core)],
        capture_output=True,
        text=True,
        check=False,
    ).stdout
    found = re.search(r"\.text\s+\w+\s+(\w+)\s+\w+\s+(\w+)", said)
    return int(found[1], 16) - int(found[2], 16) if found else 0
