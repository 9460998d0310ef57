"""C++ schemes of the user: a header, compiled once with the available compiler, kept in the user's
cache, and then a scheme like any other: parameters, bounds, show, timers, TOML.

    fm.load_scheme("my_scheme.hpp")            # in a script: its class
    fathom run ocean.toml --scheme my_scheme.hpp

The header holds schemes as those of core/ (examples/own_scheme.hpp is a lesson), and at its end the
lines of its catalogue:

    inline fathom::Entries schemes() { return {fathom::entry<Relaxation>("Relaxation")}; }
"""

from __future__ import annotations

import hashlib
import os
import re
import runpy
import shlex
import shutil
import subprocess
from pathlib import Path
from typing import Any

from fathom.base import mpi
from fathom.base.cache import folder, once
from fathom.base.configurable import explained
from fathom.base.constants import headers
from fathom.base.failure import InputError, MissingFileError
from fathom.model import schemes

source = """#include <new>
#include "field/entry.hpp"
#include "base/standard_names.hpp"
#include "{header}"
extern "C" __attribute__((visibility("default"))) const char* fathom_layout() {{
    return FATHOM_LAYOUT;
}}
extern "C" __attribute__((visibility("default"))) void fathom_schemes(fathom::Entries* found) {{
    auto made = schemes();
    found->swap(made);
}}
"""


loaded: dict[Path, tuple[str, ...]] = {}  # file -> names of its schemes


def load(header: str | Path) -> tuple[str, ...]:
    """Makes the schemes of a header known from now on. Returns their names.

    FileNotFoundError; ValueError where it does not compile, or a name is taken.
    """
    header = Path(header).resolve()
    if header not in loaded:
        loaded[header] = tuple(mpi.core.load_schemes(str(library(header))))
        schemes.schemes.cache_clear()
    return loaded[header]


@explained()
def load_scheme(what: Any, inputs: Any = None, outputs: Any = None, **more: Any) -> Any:
    """Returns the class of a scheme: of the catalogue, by its name, or of the user's C++ header
    ("my_scheme.hpp"), which is compiled if necessary; several where a header holds several.

    Of a net ("net.onnx") or a function of columns it returns a LearnedScheme, with the fields of
    its inputs and outputs and its other arguments.

    >>> Relaxation = fm.load_scheme("relaxation.hpp")
    >>> ocean.insert(Relaxation(time=86400), before="ImplicitTracer of temperature")
    >>> air.insert(fm.load_scheme("net.onnx", fallback="Radiation"), instead_of="Radiation")
    """
    is_class = isinstance(what, type) and issubclass(what, schemes.Scheme)
    if (callable(what) and not is_class) or str(what).endswith(".onnx"):
        from fathom.model.learned import LearnedScheme  # start-up time

        return LearnedScheme(what, inputs, outputs, **more)
    if inputs is not None or outputs is not None or more:
        raise InputError(f"inputs and outputs are of a net or a function; {what!r} is a scheme")
    if not str(what).endswith((".hpp", ".h")):
        return type(schemes.scheme(str(what)))
    loaded = load(what)
    known = schemes.schemes()  # of cells of varying thickness: under the name of the scheme
    found = tuple(known[name] for name in loaded if name in known)
    return found[0] if len(found) == 1 else found


def load_python(file: str | Path) -> None:
    """Runs a file of Python that registers output formats, data sets or diagnostics; once.

    FileNotFoundError; ValueError with the error in it.
    """
    path = Path(file).resolve()
    if path in loaded:
        return
    if not path.is_file():
        raise MissingFileError(f"{path}: no such file; it registers formats, data or diagnostics")
    try:
        runpy.run_path(str(path), run_name=path.stem)
    except Exception as error:
        raise InputError(f"{path}: {type(error).__name__}: {error}") from error
    loaded[path] = ()


def compiler() -> str:
    """Returns the C++ compiler: $CXX, or c++ or g++ on the path. ValueError where there is none."""
    named = os.environ.get("CXX")
    found = shutil.which(named) if named else shutil.which("c++") or shutil.which("g++")
    if found is None:
        raise InputError(
            f"no C++ compiler{f' {named!r} (CXX)' if named else ''} to compile a scheme with;"
            " install g++ 12 or newer, or name another in CXX"
        )
    return found


def library(header: str | Path) -> Path:
    """Returns the compiled library of a header; compiled if it is not in the cache.

    FileNotFoundError, ValueError with the first message of the compiler.
    """
    header = Path(header).resolve()
    if not header.is_file():
        raise MissingFileError(f"{header}: no such file; a scheme is a C++ header (.hpp)")
    cxx, flags = compiler(), shlex.split(mpi.core.compile_flags)
    version = subprocess.run([cxx, "--version"], capture_output=True, text=True, check=False).stdout
    key = hashlib.sha256("\0".join([version, *flags, str(header)]).encode())
    for text in made_of(header, headers(), header.parent).values():
        key.update(text)
    target = folder("schemes") / f"{header.stem}-{key.hexdigest()[:20]}.so"
    return once(target, lambda made: _compile(cxx, flags, header, made))


def made_of(source: Path, *folders: Path) -> dict[Path, bytes]:
    """Returns a source and the headers of these folders that it includes, all the way down: their
    texts.
    """
    found: dict[Path, bytes] = {}
    ahead = [source]
    while ahead:
        if (file := ahead.pop()) not in found:
            found[file] = file.read_bytes()
            names = re.findall(rb'^\s*#\s*include\s*"([^"]+)"', found[file], re.MULTILINE)
            places = [place / name.decode() for name in names for place in folders]
            ahead += [place for place in places if place.is_file()]
    return dict(sorted(found.items()))


def _compile(cxx: str, flags: list[str], header: Path, made: Path) -> None:
    unit = made.with_suffix(".cpp")
    unit.write_text(source.format(header=header))
    command = [cxx, *flags, "-fPIC", "-shared", "-fvisibility=hidden", "-Wno-psabi"]
    command += [f"-I{headers()}", f"-I{header.parent}", str(unit), "-o", str(made)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        raise InputError(f"{header} does not compile: {first_errors(done.stderr)}")


def first_errors(said: str, most: int = 6) -> str:
    """Returns the first errors of a compiler, in one line."""
    lines = [line.strip() for line in said.splitlines()]
    wrong = [line for line in lines if "error" in line] or lines
    return "; ".join(wrong[:most])
