#!/usr/bin/env python3
"""The core's tests with a core that finds its own faults: wrong addresses and undefined behaviour
(address), data races of two threads (thread), indices beyond a container (assertions).

    tools/sanitize/run.py [address] [thread] [assertions] [--one-a-day] [-- arguments of pytest]

Each is a separate build in build/sanitize-*, -O1 with the checks of the C++ library and, but for
assertions, of the compiler's sanitizers. A fault ends a test with its kind and place. Needs gcc's
libasan and libtsan. --one-a-day: of each kind the tests of one folder, another one each day.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import time
from pathlib import Path

root = Path(__file__).resolve().parents[2]
kinds = {"address": "address;undefined", "thread": "thread", "assertions": "assertions"}
usual = ["address", "thread"]
library = {"address": "libasan.so", "thread": "libtsan.so"}
# Folders of the core, and the models that use them.
rooms = [
    *("base", "catalogue", "field", "grid", "parallel", "physics", "sequence", "solver"),
    *("trajectory", "transform", "ocean", "atmosphere", "radiation", "post"),
]
without_arrow = ["observations/test_operators.py", "observations/test_radiances.py"]
tests = {
    "address": [*rooms, "observations"],
    "thread": [*rooms, *without_arrow],
    "assertions": ["field", "solver"],
}
options = {
    # Python keeps its memory until it ends; a process of MPI has memory of others
    "ASAN_OPTIONS": "detect_leaks=0:halt_on_error=1",
    "UBSAN_OPTIONS": "print_stacktrace=1:halt_on_error=1",
    "TSAN_OPTIONS": "ignore_noninstrumented_modules=1:halt_on_error=1:second_deadlock_stack=1"
    f":suppressions={root / 'tools/sanitize/threads.supp'}",
}


def build(kind: str) -> Path:
    """The package with such a core; its folder."""
    folder = root / "build" / f"sanitize-{kind}"
    tool = Path(sys.executable).parent
    path = f"{tool}{os.pathsep}{os.environ['PATH']}"
    cmake = shutil.which("cmake", path=path) or "cmake"
    environment = {**os.environ, "PATH": path}
    configure = [
        *(cmake, "-S", root, "-B", folder, "-DCMAKE_BUILD_TYPE=Release"),
        *("-G", "Ninja") * bool(shutil.which("ninja", path=path)),
        *(f"-DPython_EXECUTABLE={sys.executable}", f"-DFATHOM_SANITIZE={kinds[kind]}"),
        "-DCMAKE_DISABLE_PRECOMPILE_HEADERS=ON",  # a file that lacks an include is found
    ]
    subprocess.run([*map(str, configure)], check=True, env=environment, stdout=subprocess.DEVNULL)
    subprocess.run([cmake, "--build", str(folder), "--parallel", "2"], check=True, env=environment)
    package = folder / "package" / "fathom"
    shutil.rmtree(package, ignore_errors=True)
    package.mkdir(parents=True)
    for part in (root / "fathom").iterdir():
        if not part.name.startswith("_core"):
            (package / part.name).symlink_to(part)
    for core in folder.glob("_core*.so"):
        (package / core.name).symlink_to(core)
    return package.parent


def of_compiler(name: str) -> str:
    """Path of a library of the compiler."""
    asked = ["g++", f"-print-file-name={name}"]
    return subprocess.run(asked, capture_output=True, text=True, check=True).stdout.strip()


def preloaded(kind: str) -> list[str]:
    """Returns the libraries that a process must load before all others."""
    return [library[kind], "libstdc++.so"] if kind in library else []


def check(kind: str, arguments: list[str]) -> int:
    package = build(kind)
    reports = package.parent / "reports"
    shutil.rmtree(reports, ignore_errors=True)
    reports.mkdir()
    environment = {
        **os.environ,
        **{name: f"{given}:log_path={reports}/report" for name, given in options.items()},
        "LD_PRELOAD": " ".join(map(of_compiler, preloaded(kind))),
        "PYTHONPATH": str(package),
        "LD_LIBRARY_PATH": str(Path(sys.prefix) / "lib"),  # MPI, where the wheel puts it
        "PYTHONMALLOC": "malloc",
        # What MPI reads of other processes, and hooks into threads that end, is not for the
        # thread sanitizer.
        "UCX_TLS": "^cma",
        "UCX_MEM_EVENTS": "no",
        "UCX_MEM_MMAP_HOOK_MODE": "none",
        "FATHOM_SANITIZED": kind,
    }
    # Ends at once: the clean-up of Python and of the threads' runtime is not tested.
    tests = "import os, sys, pytest; status = pytest.main(sys.argv[1:]); os._exit(status)"
    if kind == "thread":  # it takes more locks at a fork than the sanitizer can follow
        tests = f"import sys; sys.modules['pyarrow'] = None; {tests}"
    quiet = ["-p", "no:cacheprovider", "--capture=sys", "-q"]  # messages of C++ go to its report
    patient = "--timeout=1800"  # a test takes some ten times as long
    command = [sys.executable, "-P", "-c", tests, *quiet, patient, *arguments]
    if kind == "thread" and shutil.which("setarch"):
        command = ["setarch", os.uname().machine, "-R", *command]  # where its memory may lie
    undefined = reports / "undefined"  # goes to no separate file
    with undefined.open("w") as errors:
        status = subprocess.run(command, cwd=root, env=environment, stderr=errors).returncode
    if "runtime error" not in undefined.read_text(errors="replace"):
        undefined.unlink()
    found = sorted(reports.iterdir())
    for report in found:
        print(report.read_text(errors="replace"))
    print(f"{kind}: {len(found)} faults, tests end with {status}")
    return 1 if found else status


def folders(kind: str, one_a_day: bool) -> list[str]:
    """Returns the tests of a kind: all, or those whose turn is today."""
    of_kind = [f"tests/{room}" for room in tests[kind]]
    day = int(time.time()) // 86400
    return [of_kind[day % len(of_kind)]] if one_a_day else of_kind


def main(words: list[str]) -> int:
    cut = words.index("--") if "--" in words else len(words)
    asked, after = words[:cut], words[cut + 1 :]
    one_a_day = "--one-a-day" in asked
    chosen = [word for word in asked if word != "--one-a-day"] or usual
    if unknown := [kind for kind in chosen if kind not in kinds]:
        print(f"unknown: {', '.join(unknown)}; there are {', '.join(kinds)}", file=sys.stderr)
        return 2
    return max(check(kind, after or folders(kind, one_a_day)) for kind in chosen)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
