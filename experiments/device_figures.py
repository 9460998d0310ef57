"""Figures of a machine with a GPU, in order: the library, the benchmarks, the tests. Each command
writes one JSON file and ends within eight minutes (the compilation of the library has no limit). A
file that is there is not measured again, so that the script can be started as often as needed. At
the end it prints the tables of docs/results/device.md.

    python experiments/device_figures.py --folder runs/device                # measure, then tables
    python experiments/device_figures.py --folder runs/device --only ocean   # names that begin so
    python experiments/device_figures.py --folder runs/device --table        # tables alone
"""

import argparse
import json
import os
import signal
import subprocess
import sys
import time
import xml.etree.ElementTree as XML
from pathlib import Path

limit = 480  # [s] of a command
pcsi = "--solver pcsi --preconditioner diagonal"
few = "--steps 2 --spin-up 1"
benches = {  # name: options, and those that make it small, to try the script
    "ocean-x1-lean": (f"ocean --grid x1 --physics lean {pcsi} --steps 96", "--grid 3deg " + few),
    "ocean-x1-full": (f"ocean --grid x1 --physics full {pcsi} --steps 96", "--grid 3deg " + few),
    "ocean-1deg-full": (
        f"ocean --grid 1deg --physics full {pcsi} --steps 96",
        "--grid 3deg " + few,
    ),
    "ocean-0.25deg-lean": (
        f"ocean --grid 0.25deg --physics lean {pcsi} --step 5min",
        "--grid 3deg --step 2h " + few,
    ),
    "radiation": (
        "radiation --columns 32768 --layers 60",
        "--columns 16 --layers 8",
    ),
    "radiation-fp32": (
        "radiation --columns 32768 --layers 60 --precision fp32",
        "--columns 16 --layers 8",
    ),
    "transform-t159": ("transform --truncation 159", "--truncation 21 --fields 8"),
    "transform-t399": ("transform --truncation 399", "--truncation 31 --fields 8"),
    "transform-t399-fp32": (
        "transform --truncation 399 --precision fp32",
        "--truncation 31 --fields 8",
    ),
    "atmosphere-held-suarez-t159l60": (
        "atmosphere --case held-suarez-t159l60",
        "--case physics-t31l8 " + few,
    ),
    "atmosphere-physics-t106l60": (
        "atmosphere --case physics-t106l60",
        "--case physics-t31l8 " + few,
    ),
    "gridpoint-sphere": (
        "gridpoint --nx 288 --levels 60 --steps 48 --spin-up 36",
        "--nx 16 --levels 8 " + few,
    ),
    "gridpoint-sphere-physics": (
        "gridpoint --case sphere-physics --nx 288 --levels 60 --steps 48 --spin-up 36",
        "--nx 16 --levels 8 " + few,
    ),
    "limited-area-arome": (
        "limited-area --case arome-64800-l41 --spin-up 36",
        "--case area-7680-l31 --step 1h " + few,
    ),
}
tests = {
    "tests-catalogue": "tests/device/test_catalogue_on_device.py",
    "tests-steps": "tests/device/test_steps.py tests/device/test_global_processes.py"
    " tests/device/test_slices.py tests/device/test_halos.py tests/device/test_watch.py",
    "tests-atmosphere": "tests/device/test_spectral_on_device.py"
    " tests/device/test_gridpoint_on_device.py tests/device/test_helmholtz_on_device.py"
    " tests/device/test_radiation_on_device.py",
    "tests-solver": "tests/device/test_device_solver.py",
    "tests-library": "tests/device/test_library.py",
}


def measured(name, words, file):
    """Runs the command that writes the file. Its last message where it fails."""
    began = time.monotonic()
    print(f"{name}: {' '.join(words)}", flush=True)
    command = subprocess.Popen(
        words, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, start_new_session=True
    )
    try:
        said, _ = command.communicate(timeout=limit)
    except subprocess.TimeoutExpired:
        os.killpg(command.pid, signal.SIGKILL)  # with all that it has started
        command.communicate()
        return f"no answer within {limit} s"
    if not file.exists():
        return (said.strip().splitlines() or ["no message"])[-1]
    print(f"    {time.monotonic() - began:.0f} s", flush=True)
    return ""


def library(folder, device):
    """The library of the device, compiled ahead; its seconds."""
    began = time.monotonic()
    code = f"from fathom.model import device; print(device.open({device!r}).name)"
    done = subprocess.run([sys.executable, "-P", "-c", code], capture_output=True, text=True)
    if done.returncode:
        return done.stderr.strip().splitlines()[-1]
    found = {"name": done.stdout.strip(), "seconds": time.monotonic() - began}
    (folder / "library.json").write_text(json.dumps(found))
    return ""


def tested(file):
    """Numbers of tests from JUnit's file, as JSON; "" or the names of those that fail."""
    suite = XML.parse(file).getroot().find("testsuite")
    names = ("tests", "failures", "errors", "skipped")
    found = {key: int(suite.get(key)) for key in names} | {"seconds": float(suite.get("time"))}
    bad = [
        f"{case.get('classname')}::{case.get('name')}"
        for case in suite.iter("testcase")
        if case.find("failure") is not None or case.find("error") is not None
    ]
    file.with_suffix(".json").write_text(json.dumps(found | {"failed": bad}, indent=2))
    return ", ".join(bad)


def measure(folder, device, only, small):
    """Each figure that is not there; the messages of those that fail."""
    folder.mkdir(parents=True, exist_ok=True)
    # tests have a cache apart from the user's: one for all of them, in which the library stays
    os.environ["FATHOM_TESTS_CACHE"] = str((folder / "cache").resolve())
    failed = {}
    wanted = lambda name: name.startswith(only) and not (folder / f"{name}.json").exists()
    if wanted("library") and (said := library(folder, device)):
        return {"library": said}
    for name, (options, smaller) in benches.items():
        if not wanted(name):
            continue
        file, more = folder / f"{name}.json", smaller.split() if small else []
        words = [sys.executable, "-P", "-m", "fathom", "bench", *options.split(), *more]
        said = measured(name, [*words, "--device", device, "--json", str(file)], file)
        failed |= {name: said} if said else {}
    for name, files in tests.items():
        if small or not wanted(name):
            continue
        file = folder / f"{name}.xml"
        words = [sys.executable, "-m", "pytest", "-q", *files.split(), f"--junitxml={file}"]
        said = measured(name, words, file) or tested(file)
        failed |= {name: said} if said else {}
    return failed


# ---- tables --------------------------------------------------------------------------------------


def table(head, rows):
    """Lines of Markdown; none without rows."""
    if not rows:
        return []
    return ["", *(f"| {' | '.join(row)} |" for row in (head, ["---"] * len(head), *rows))]


def of_a_model(name, f):
    there, copies = f["device"], f["device"]["copy_bytes_per_second"]
    apart = f["bytes_per_step_one_by_one"] / f["seconds_per_step"] / copies
    many = f["simulated_years_per_day"] > 20
    speed = f["simulated_years_per_day"] * (1 if many else 365.2425)
    return [
        name,
        f"{f['step']:g} s",
        f"{f['solver_iterations']:.0f}" if f["solver_iterations"] else "",
        f"{1e3 * f['seconds_per_step']:.3g} ms",
        f"{speed:.0f} {'years' if many else 'days'}/day",
        f"{100 * f['fraction_of_bandwidth']:.0f} %",
        f"{100 * apart:.0f} %",
        joules(there),
        against(there),
    ]


def of_a_transform(name, f):
    there, copies = f["device"], f["device"]["copy_bytes_per_second"]
    apart = f["bytes_per_pair_one_by_one"] / f["milliseconds_per_pair"] * 1e3 / copies
    return [
        name,
        f"{1e3 * f['milliseconds_per_pair']:.3g} µs",
        f"{100 * f['fraction_of_bandwidth']:.0f} %",
        f"{100 * apart:.0f} %",
        f"{f['gflops']:.0f} GF/s",
        joules(there),
        against(there),
    ]


def of_radiation(name, f):
    there = f["device"]
    ratio = there["columns_per_second"] / there["columns_per_second_of_a_thread"]
    return [name, f"{there['columns_per_second']:.0f}", f"{ratio:.0f}", joules(there)]


def of_tests(name, f):
    failed = f["failures"] + f["errors"]
    passed = f["tests"] - failed - f["skipped"]
    return [name, f"{passed}", f"{failed}", f"{f['skipped']}", f"{f['seconds']:.0f} s"]


def joules(there):
    spent = next(value for key, value in there.items() if key.startswith("joules_per"))
    return "" if spent is None else f"{spent:.3g} J"


def against(there):
    found = there["processor"]
    return f"{found['over_device']:.1f} × {found['ranks']} ranks" if "ranks" in found else ""


def tables(folder):
    """Lines of all tables from the files that are there."""
    files = {name: folder / f"{name}.json" for name in ("library", *benches, *tests)}
    found = {name: json.loads(file.read_text()) for name, file in files.items() if file.exists()}
    rows = lambda make, *kinds: [
        make(name, f) for name, f in found.items() if name.startswith(kinds)
    ]
    lines = []
    for f in (f for name, f in found.items() if name.startswith("ocean")):
        there = f["device"]
        copies = there["copy_bytes_per_second"] / 1e12
        lines = [f"One {there['name']}, copies within it {copies:.2f} TB/s; {f['machine']}"]
    kinds = ("ocean", "atmosphere", "gridpoint", "limited-area")
    head = ["case", "step", "iterations", "a step", "speed", "bandwidth, fused", "one by one"]
    tail = ["energy", "the processor"]
    lines += table([*head, *tail], rows(of_a_model, *kinds))
    head = ["transforms", "field-level and pair", "bandwidth", "one by one", "rate"]
    lines += table([*head, *tail], rows(of_a_transform, "transform"))
    lines += table(["radiation", "columns/s", "threads", "energy"], rows(of_radiation, "radiation"))
    head = ["tests", "passed", "failed", "skipped", "time"]
    return lines + table(head, rows(of_tests, "tests"))


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--folder", type=Path, default=Path("runs/device"))
    parser.add_argument("--device", default="cuda")
    parser.add_argument("--only", default="", metavar="NAME", help="Names that begin so.")
    parser.add_argument("--table", action="store_true", help="No measurements.")
    parser.add_argument("--small", action="store_true", help="Small cases, to try the script.")
    given = parser.parse_args()
    folder = given.folder / "small" if given.small else given.folder
    failed = {}
    if not given.table:
        failed = measure(folder, given.device, given.only, given.small)
    print("\n".join(tables(folder)))
    for name, said in failed.items():
        print(f"{name} fails: {said}", file=sys.stderr)
    return bool(failed)


if __name__ == "__main__":
    sys.exit(main())
