"""A device next to the processor: the part of the core that runs on it, compiled for it when it is
first used, with nvcc, kept in the user's cache. Its kernels are compiled from the same sources as
those of the processor (core/machine/launch.hpp).

    pip install '.[cuda]'    # the compiler, from PyPI
    fathom run ocean.toml --set parallel.device=cuda

On a machine with the compiler and no device, `fathom.model.device.library("sm_90")` compiles ahead;
where the device is, no compiler is needed then.
"""

from __future__ import annotations

import ctypes
import hashlib
import os
import shutil
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor, as_completed
from importlib import metadata
from pathlib import Path
from typing import Any

from fathom.base import mpi
from fathom.base.cache import folder, once
from fathom.base.constants import headers
from fathom.base.failure import FileError, InputError
from fathom.model import plugins

names = ("cuda", "processor")  # processor: the kernels of a device, for tests
flags = [
    "-x=cu",
    "-std=c++20",
    "-O3",
    "--expt-relaxed-constexpr",  # constexpr functions are device code
    "--fmad=false",  # rounds as on the processor: no contraction
    "-Xptxas=-v",  # registers and stack of each kernel (tools/compile_for_device.py)
    "-Werror=cross-execution-space-call",  # a host function in a kernel is a warning otherwise
    # Two libraries of the same templates in one process: each has its own.
    "-Xcompiler=-fPIC,-fvisibility=hidden,-fno-gnu-unique,-Wno-psabi",
]
install = "pip install nvidia-cuda-nvcc nvidia-cuda-runtime nvidia-cuda-crt nvidia-nvvm"
parts = {  # of the compiler, where it is of PyPI
    "nvidia-cuda-runtime": "include/cuda_runtime.h",
    "nvidia-cuda-crt": "include/crt/host_config.h",
    "nvidia-nvvm": "nvvm/bin/cicc",
}


def open(name: str, place: int = 0) -> Any:
    """Returns the device of that name, of `names`; place: of this rank on its node, whose ranks
    share its devices. ValueError, in one line: what is missing.
    """
    if name == "processor":
        return mpi.core.processor_device()
    if name not in _opened:
        if lacking := missing():
            raise InputError(f"device 'cuda': {lacking}")
        _opened[name] = mpi.core.load_device(str(library()), place)
    return _opened[name]


_opened: dict[str, Any] = {}


def place(name: str | None, comm: Any) -> int:
    """Returns the place of this rank among those of comm, or all ranks, on its node: they share
    devices.
    """
    if name != "cuda":
        return 0
    node = (comm or mpi.world).Split_type(mpi.MPI.COMM_TYPE_SHARED)
    number = int(node.rank)
    node.Free()
    return number


def missing() -> str:
    """Returns the reason why a GPU cannot be used here, in one line; "" where there is none."""
    try:
        architecture = _architecture()
        library_there = _kept(architecture) is not None
    except OSError as error:
        return str(error)
    return "" if library_there else compiler_missing()


def library(architecture: str | None = None) -> Path:
    """Returns the compiled library; compiled if it is not in the cache.

    architecture: such as "sm_90", that of the device here otherwise. OSError: there is none, or no
    compiler. ValueError with what the compiler said first.
    """
    architecture = architecture or _architecture()
    if lacking := compiler_missing():
        if (kept := _kept(architecture)) is None:
            raise FileError(lacking)
        return kept
    made = Library(architecture)
    return once(made.path, made.make)


def sources() -> list[Path]:
    """Returns the sources of the library: the schemes, their catalogue, and what a device does for
    a model; those that take longest to compile come first.
    """
    core = headers()
    schemes = sorted(core.rglob("schemes.cpp"), key=lambda f: (-f.read_text().count("entry<"), f))
    return [
        *schemes,
        core / "catalogue" / "catalogue.cpp",
        *sorted((core / "device").glob("*.cpp")),
    ]


def compiler() -> str | None:
    """Returns nvcc: the one that NVCC names, of PyPI, or on the path; None where there is none."""
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


def compiler_missing() -> str:
    """Returns the parts that are missing to compile, in one line; "" where nothing is."""
    if (nvcc := compiler()) is None:
        named = os.environ.get("NVCC")
        return f"no CUDA compiler{f' {named!r} (NVCC)' if named else ''}: {install}"
    root = Path(nvcc).resolve().parent.parent
    if root.parent.name == "nvidia":  # each part is a package
        for package, file in parts.items():
            if not (root / file).is_file():
                return f"the CUDA compiler {nvcc} lacks {package}: {install}"
    return ""


class Library:
    """The library for an architecture, by the installed compiler."""

    def __init__(self, architecture: str) -> None:
        self.nvcc, cxx = str(compiler()), plugins.compiler()
        said = [_said([program, "--version"]) for program in (self.nvcc, cxx)]
        self.compilers = hashlib.sha256("\0".join(said).encode()).hexdigest()
        self.command = [self.nvcc, "-ccbin", cxx, f"-arch={architecture}"]
        self.architecture = architecture
        self.path = Path(f"{_stem(architecture)}-{self.compilers[:12]}.so")

    def make(self, made: Path) -> None:
        """Links the library `made` from its objects, those that are missing compiled first.
        RunError: nvcc fails.
        """
        objects = self.objects()
        root = Path(self.nvcc).resolve().parent.parent
        places = [f"-L{root / name}" for name in ("lib", "lib64") if (root / name).is_dir()]
        self._run(["-shared", "-cudart=static", *places, *map(str, objects)], made, "the library")

    def objects(self) -> list[Path]:
        """Compiles each of the sources; next to each object, as .txt, are the messages of the
        compiler.
        """
        files = sources()
        _tell(self.architecture, 0, len(files))
        with ThreadPoolExecutor(len(os.sched_getaffinity(0))) as pool:
            made = [pool.submit(self._object, file) for file in files]
            for done, _ in enumerate(as_completed(made), 1):
                _tell(self.architecture, done, len(files))
        return [one.result() for one in made]

    def _object(self, source: Path) -> Path:
        key = hashlib.sha256("\0".join([self.compilers, self.architecture]).encode())
        key.update(_key([source]).encode())
        name = source.relative_to(headers()).with_suffix("").as_posix().replace("/", "-")
        path = folder("device") / f"{name}-{key.hexdigest()[:20]}.o"

        return once(
            path, lambda made: path.with_suffix(".txt").write_text(self.compiled(source, made))
        )

    def compiled(self, source: Path, to: Path) -> str:
        """Returns the messages of the compiler. ValueError: its first errors."""
        return self._run([*flags, f"-I{headers()}", "-c", str(source)], to, str(source))

    def _run(self, command: list[str], made: Path, what: str) -> str:
        done = subprocess.run(
            [*self.command, *command, "-o", str(made)], capture_output=True, text=True, check=False
        )
        said = done.stdout + done.stderr
        if done.returncode:
            raise InputError(
                f"{what} does not compile for the GPU with {self.nvcc}: "
                f"{plugins.first_errors(said)}"
            )
        return said


def _kept(architecture: str) -> Path | None:
    """Returns the newest library of these sources in the cache, of any compiler."""
    stem = _stem(architecture)
    kept = stem.parent.glob(f"{stem.name}-*.so")
    return max(kept, key=lambda file: file.stat().st_mtime, default=None)


def _stem(architecture: str) -> Path:
    return folder("device") / f"{architecture}-{_key(sources())[:20]}"


def _key(files: list[Path]) -> str:
    """Returns a key of all sources of objects of these files, apart from the compiler."""
    key = hashlib.sha256("\0".join(flags).encode())
    texts: dict[Path, bytes] = {}
    for file in files:
        texts |= plugins.made_of(file, headers())
    for text in dict(sorted(texts.items())).values():
        key.update(text)
    return key.hexdigest()


def _architecture() -> str:
    """Returns the architecture of the first device, "sm_90". OSError, in one line: there is
    none."""
    try:
        driver = ctypes.CDLL("libcuda.so.1")
    except OSError:
        raise FileError("no GPU: there is no NVIDIA driver here (libcuda.so.1)") from None
    device = ctypes.c_int()
    version = [ctypes.c_int(), ctypes.c_int()]
    major, minor = 75, 76  # of the compute capability, as cuda.h numbers attributes
    for call, *arguments in (
        ("cuInit", 0),
        ("cuDeviceGet", ctypes.byref(device), 0),
        ("cuDeviceGetAttribute", ctypes.byref(version[0]), major, device),
        ("cuDeviceGetAttribute", ctypes.byref(version[1]), minor, device),
    ):
        if failure := getattr(driver, call)(*arguments):
            raise FileError(f"no GPU: the NVIDIA driver says {_meaning(driver, failure)}")
    return f"sm_{version[0].value}{version[1].value}"


def _meaning(driver: Any, failure: int) -> str:
    text = ctypes.c_char_p()
    driver.cuGetErrorString(failure, ctypes.byref(text))
    return f"'{text.value.decode()}'" if text.value else f"error {failure}"


def _said(command: list[str]) -> str:
    return subprocess.run(command, capture_output=True, text=True, check=False).stdout


def _tell(architecture: str, done: int, files: int) -> None:
    """Prints progress in one line, redrawn on a terminal; elsewhere that it has begun."""
    text = f"compiling for the GPU, {architecture}, once: {done} of {files} files"
    if sys.stderr.isatty():
        print("\r" + text, end="\n" if done == files else "", file=sys.stderr, flush=True)
    elif done == 0:
        print(text.partition(":")[0], file=sys.stderr, flush=True)
