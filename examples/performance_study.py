"""A study of performance as a weather service makes it: all shapes of a run, the profile of the
best one, its tuning, and a forecast with what was found.

The forecast starts from an analysis of GFS, with full physics. A matrix measures ranks × threads in
turn; the profile of the fastest shape tells where its time goes; the tuner looks for tiles and
exchanges that leave every bit as it is; the tuned forecast has the checksum of the one before.

    python examples/performance_study.py [truncation] [seconds for the tuner]
"""

import json
import subprocess
import sys
import tempfile
import time
from pathlib import Path

truncation = int(sys.argv[1]) if len(sys.argv) > 1 else 42
patience = int(sys.argv[2]) if len(sys.argv) > 2 else 30
hours = 6

folder = Path(tempfile.mkdtemp(prefix="study-"))
took: dict[str, float] = {}


def fathom(part, *words):
    """Runs a command of Fathom in the folder of the study, and notes its seconds."""
    began = time.perf_counter()
    command = [sys.executable, "-P", "-m", "fathom", *map(str, words)]
    subprocess.run(command, cwd=folder, check=True, stdout=subprocess.DEVNULL)
    took[part] = took.get(part, 0.0) + time.perf_counter() - began


def read(name):
    return json.loads((folder / name).read_text())


smaller = ["--set", f"grid.truncation={truncation}", "--set", "simulation.time_step=30min"]
fathom("experiment", "new", "forecast-t106", "forecast.toml")

# 1. the matrix: medians of repeated samples, all shapes on this machine
shapes = ["--ranks", "1,2", "--threads", "1,2", "--repeats", 3, "--steps", 3]
fathom("matrix", "bench", "matrix", "forecast.toml", *smaller, *shapes, "--json", "matrix.json")
measured = [record for record in read("matrix.json")["records"] if "seconds" in record]
best = min(measured, key=lambda record: record["seconds"])
shape = ["--ranks", best["ranks"], "--threads", best["threads"]]

# 2. the profile of the fastest shape
few = ["--steps", 8, "--spin-up", 4]
fathom("profile", "profile", "forecast.toml", *smaller, *shape, *few, "--json", "profile.json")

# 3. tuning, within the bits
fathom(
    "tune",
    *("tune", "forecast.toml", *smaller, *shape, "--seconds", patience, "--no-proposals"),
)

# 4. the forecast, as it was and tuned
length = ["--for", f"{hours}h", "--no-report"]
fathom("before", "run", "forecast.toml", *smaller, *shape, *length, "--out", "before")
fathom("tuned", "run", "tuned.toml", *shape, *length, "--out", "after")
before, after = read("before/summary.json"), read("after/summary.json")

print(f"T{truncation}: {best['ranks']} ranks × {best['threads']} threads")
for part, seconds in took.items():
    print(f"{part:<12} {seconds:6.1f} s")
gain = before["wall_seconds"] / after["wall_seconds"]
same = before["checksum"] == after["checksum"]
print(f"tuned: {gain:.2f} times as fast, {'the same bits' if same else 'OTHER BITS'}")
