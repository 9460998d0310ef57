"""Work of a step of each model, counted and not timed, against the record: an error where it grew
by more than 3 %.

    python tools/counted_work.py            # count, compare, and say what grew; status 1 if any did
    python tools/counted_work.py --record   # take these counts as the new record
    python tools/counted_work.py --history  # the records of all commits, by the day

Seconds change from machine to machine and from minute to minute; these counts do not:

    operations      arithmetic of the column processes and of the parts of the spectral step
    bytes           that their declarations read and write
    launches        of processes, exchanges and sums
    messages, sent  between two ranks, and their bytes
    memory          of all fields, bytes

The record is bench/counted-work.json, one entry for each case. It has one record for each length of
vectors, in numbers of 8 bytes: fields travel and are transformed as many at a time. A deliberate
change is recorded in its commit, so that the history of the record is that of the work of a step.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
from collections import Counter
from pathlib import Path

root = Path(__file__).parents[1]
file = root / "bench" / "counted-work.json"
limit = 0.03
ranks, spin_up, steps = 2, 2, 4

# An experiment and its size.
cases: dict[str, tuple[str, list[str]]] = {
    "ocean": ("ocean-3deg", []),
    "double gyre": (
        "double-gyre",
        ["grid.nx=30", "grid.ny=30", "grid.levels.nz=3", "simulation.time_step=1h"],
    ),
    "spectral, dry": ("held-suarez-t42", ["grid.truncation=21", "grid.levels.nz=8"]),
    "spectral, forecast": ("forecast-t106", ["grid.truncation=21", "simulation.time_step=30min"]),
    "limited area, hydrostatic": (
        "aladin-europe",
        ["grid.resolution=100e3", "grid.points=[36,30]", "simulation.time_step=20min"],
    ),
    "grid point, plane": (
        "straka",
        ["grid.nx=64", "grid.levels.nz=16", "simulation.time_step=20s"],
    ),
    "grid point, sphere": ("held-suarez-gridpoint", ["grid.nx=24"]),
}


def numbers_of_a_vector() -> str:
    """Returns how many numbers of 8 bytes a vector of the core's instructions has."""
    from fathom import built

    return "8" if "avx512f" in built.instructions.split() else "4"


def on_record(text: str, vector: str) -> dict[str, dict[str, float]]:
    """Returns the record of the cases for that length of vectors; {}: there is none. Records of
    earlier commits are of vectors of 8 numbers.
    """
    found = json.loads(text)
    return found.get(vector, {}) if set(found) <= {"4", "8"} else found


def count(case: str) -> dict[str, float]:
    """Of one step of a case, the sum over these ranks."""
    from fathom.base import mpi, regions
    from fathom.performance.work import declared_bytes
    from fathom.run.experiment.experiment import Experiment

    name, settings = cases[case]
    s = Experiment.read(
        root / "experiments" / f"{name}.toml", [*settings, "parallel.tile=4"]
    ).simulation(".", True)
    s.prepare()
    s.advance(spin_up)
    dynamics = s.find(mpi.core.SpectralProcess)
    before = getattr(dynamics, "spent", {})
    s.sequence.reset_timings()
    s.sequence.counting = True
    regions.begin(s.comm)
    s.advance(steps)
    s.sequence.counting = False
    nodes = regions.mine()
    after = getattr(dynamics, "spent", {})
    listed = s.model.processes(s.time_step, s.surface)
    moved = declared_bytes(s, listed, s.bytes_of_number)
    calls = Counter()
    for node in nodes:
        calls[node["region"]] += node["calls"]
    counted = {
        "operations": sum(t.get("operations", 0) for t in s.sequence.timings)
        + sum(after[part][1] - before[part][1] for part in after),
        "bytes": sum(size * calls[process] for process, size in moved.items())
        + sum(after[part][2] - before[part][2] for part in after),
        "launches": sum(node["calls"] for node in nodes[1:]),
        "messages": nodes[0]["messages"],
        "sent": nodes[0]["bytes"],
    }
    of_a_step = {what: s.comm.allreduce(float(n)) / steps for what, n in counted.items()}
    return of_a_step | {"memory": s.comm.allreduce(float(s.sequence.bytes_allocated))}


def counted(case: str) -> dict[str, float]:
    """The same, on separate ranks."""
    with tempfile.TemporaryDirectory() as folder:
        done = subprocess.run(
            [
                str(Path(sys.prefix) / "bin" / "mpiexec"),
                *("-n", str(ranks), sys.executable, "-P", __file__, "--case", case),
            ],
            cwd=folder,
            capture_output=True,
            text=True,
        )
    if done.returncode:
        raise RuntimeError(f"{case}: {done.stderr[-4000:]}")
    return json.loads(done.stdout.strip().splitlines()[-1])


def changes(was: dict[str, float], now: dict[str, float]) -> dict[str, float]:
    """By count, now / was - 1."""
    return {what: now[what] / max(was.get(what, 0.0), 1e-30) - 1 for what in now if now[what]}


def grown(was: dict[str, float], now: dict[str, float]) -> list[str]:
    """In words, the counts that are more than the limit above the record."""
    return [
        f"{what}: {was.get(what, 0):.6g} on record, {now[what]:.6g} now, {100 * change:+.1f} %"
        for what, change in changes(was, now).items()
        if change > limit
    ]


def history() -> list[tuple[str, dict[str, dict[str, float]]]]:
    """(day and commit, record) of each commit that changed the record, the oldest first."""
    git = lambda *words: (
        subprocess.run(["git", *words], cwd=root, capture_output=True, text=True, check=True).stdout
    )
    path, vector = file.relative_to(root), numbers_of_a_vector()
    commits = git("log", "--reverse", "--format=%cs %h", "--", str(path)).splitlines()
    return [(one, on_record(git("show", f"{one.split()[1]}:{path}"), vector)) for one in commits]


def trend(records: list[tuple[str, dict[str, dict[str, float]]]]) -> list[str]:
    """Lines: of each case its counts and, in brackets, the change since the record before."""
    lines = []
    for case in records[-1][1]:
        lines.append(case)
        before: dict[str, float] = {}
        for commit, record_then in records:
            now = record_then.get(case)
            if now is None or now == before:
                continue
            change = changes(before, now) if before else {}
            counts = (
                f"{n:.6g} {what}" + (f" ({100 * change[what]:+.1f} %)" if change.get(what) else "")
                for what, n in now.items()
            )
            lines.append(f"  {commit}  " + ", ".join(counts))
            before = now
    return lines


def main() -> int:
    """The command."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--record", action="store_true", help="take the counts as the new record")
    parser.add_argument("--history", action="store_true", help="print the records of all commits")
    parser.add_argument("--case", choices=cases, help="on these ranks, one case alone")
    given = parser.parse_args()
    if given.history:
        print("\n".join(trend(history())))
        return 0
    if given.case:
        from fathom.base import mpi

        found = count(given.case)
        if mpi.world.rank == 0:
            print(json.dumps(found))
        return 0
    now, vector = {case: counted(case) for case in cases}, numbers_of_a_vector()
    alarms = compared(on_record(file.read_text(), vector), now)
    if given.record:
        all_of_them = json.loads(file.read_text()) | {vector: now}
        file.write_text(json.dumps(all_of_them, indent=2) + "\n")
        return 0
    print("\n".join(alarms) if alarms else f"nothing grew by more than {100 * limit:.0f} %")
    return 1 if alarms else 0


def compared(was: dict[str, dict[str, float]], now: dict[str, dict[str, float]]) -> list[str]:
    """Print the counts of each case and their changes. Returns in words what grew."""
    for case, counts in now.items():
        print(f"{case}:", ", ".join(f"{n:.6g} {what}" for what, n in counts.items()))
        change = changes(was.get(case, {}), counts) if case in was else {}
        if any(abs(c) > 1e-9 for c in change.values()):
            print("   ", ", ".join(f"{what} {100 * c:+.2f} %" for what, c in change.items()))
    return [
        f"{case}, {line}" for case in now for line in grown(was.get(case, now[case]), now[case])
    ]


if __name__ == "__main__":
    sys.exit(main())
