"""Profiles of one machine over time, and two profiles side by side: which region became
slower, beyond the noise of repeats.

A history is a folder with a file for each machine, case and shape, one profile a line. Seconds of a
region are those of a step, exclusive, in pieces of a run; the noise of a region is the spread of
its pieces:

    change = present median / median of before - 1,
        error = 1.25 sqrt(sigma1^2 / n1 + sigma2^2 / n2),
        sigma = 1.4826 median |x - median| / median

A change that all regions have in common, the median of now / before over the large ones, is shown
separately. A further change counts if it is larger than three times its error, than 3 % of the
region, and than 0.3 % of the step. The noise of profiles without pieces, as those of runs, is
unknown: there 10 % of a region counts.
"""

from __future__ import annotations

import hashlib
import json
import re
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from fathom.base import regions
from fathom.base.failure import InputError, MissingFileError
from fathom.base.near import near

kept = (
    "case",
    "machine",
    "grid",
    "precision",
    "ranks",
    "threads",
    "blocks",
    "step",
    "steps",
    "seconds_per_step",
    "checksum",
    "load",
)


def read(path: Path) -> dict[str, Any]:
    """Returns a profile, from its file, from summary.json, or from the directory of a run.
    ValueError where it is none.
    """
    file = path / "summary.json" if path.is_dir() else path
    try:
        found = json.loads(file.read_text(encoding="utf-8"))
    except FileNotFoundError:
        there = [p.name for p in file.parent.iterdir()] if file.parent.is_dir() else []
        raise MissingFileError(f"{file} does not exist{near(file.name, there)}") from None
    except OSError as error:
        raise InputError(f"{file} cannot be read: {error.strerror}") from None
    except ValueError:
        raise InputError(
            f"{file} is no profile: it is not JSON. Allowed: what `fathom profile --json` writes,"
            " summary.json, or the directory of a run"
        ) from None
    if not isinstance(found, dict) or ("profile" not in found and "samples" not in found):
        raise InputError(
            f"{file} is no profile: it has no regions. Allowed: what `fathom profile --json`"
            " writes, summary.json, or the directory of a run"
        )
    return found


def of_regions(found: Mapping[str, Any]) -> dict[str, np.ndarray]:
    """Returns seconds of a step in each region, one number for each piece."""
    if found.get("samples"):
        return {name: np.asarray(values, float) for name, values in found["samples"].items()}
    return {
        r["region"]: np.array([r["seconds"] / max(found.get("steps", 1), 1)])
        for r in regions.exclusive(found["profile"])
    }


def compared(before: Mapping[str, Any], now: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Returns a record for each region of either: seconds before and now, change and its error (a
    part of before), verdict; those that changed most seconds first.
    """
    a, b = of_regions(before), of_regions(now)
    whole = sum(float(np.median(x)) for x in a.values()) or 1.0
    shared = common(before, now)
    none = np.zeros(1)
    found = [
        {"region": name, **_change(a.get(name, none), b.get(name, none), shared, whole)}
        for name in dict.fromkeys((*a, *b))
    ]
    return sorted(found, key=lambda r: -abs(r["now"] - r["before"]))


def _change(before: np.ndarray, now: np.ndarray, shared: float, whole: float) -> dict[str, Any]:
    """Returns the change of a region; shared: the factor that all have in common, whole: seconds of
    a step before.
    """
    x, y = float(np.median(before)), float(np.median(now))
    if x <= 0 or y <= 0:
        verdict = "new" if y > 0 else "gone"
        matters = max(x, y) > 0.003 * whole
        verdict = verdict if matters else ""
        return {"before": x, "now": y, "change": None, "error": None, "verdict": verdict}
    error = _error_of_change(before, now)
    beyond = y / (shared * x) - 1
    least = 0.1 if error is None else max(3 * error, 0.03)
    counts = abs(beyond) > least and abs(y - shared * x) > 0.003 * shared * whole
    verdict = "slower" if beyond > 0 else "faster"
    return {
        "before": x,
        "now": y,
        "change": y / x - 1,
        "error": error,
        "verdict": verdict if counts else "",
    }


def _error_of_change(before: np.ndarray, now: np.ndarray) -> float | None:
    """Returns standard error of the ratio of medians; None where there are too few pieces to
    tell."""
    if min(len(before), len(now)) < 3:
        return None
    errors = [_spread(pieces) / np.sqrt(len(pieces)) for pieces in (before, now)]
    return 1.25 * float(np.hypot(*errors))


def common(before: Mapping[str, Any], now: Mapping[str, Any]) -> float:
    """Returns the factor by which all regions that matter became slower: the median of theirs."""
    a, b = of_regions(before), of_regions(now)
    whole = sum(float(np.median(x)) for x in a.values())
    ratios = [
        float(np.median(b[name]) / np.median(x))
        for name, x in a.items()
        if np.median(x) > 0.003 * whole and name in b and np.median(b[name]) > 0
    ]
    return float(np.median(ratios)) if ratios else 1.0


def _spread(values: np.ndarray) -> float:
    middle = float(np.median(values))
    return 1.4826 * float(np.median(np.abs(values - middle))) / middle if middle > 0 else 0.0


def table(records: list[dict[str, Any]], least: float = 0.003) -> tuple[list[str], list[list[str]]]:
    """Returns head and rows of regions that take a part of a step worth naming, or changed."""
    whole = sum(r["before"] for r in records) or 1.0
    rows = [
        [
            r["region"],
            f"{1e3 * r['before']:.4f}",
            f"{1e3 * r['now']:.4f}",
            f"{1e3 * (r['now'] - r['before']):+.4f}",
            "" if r["change"] is None else f"{100 * r['change']:+.1f} %",
            "" if r["error"] is None else f"± {100 * r['error']:.1f} %",
            r["verdict"],
        ]
        for r in records
        if r["verdict"] or max(r["before"], r["now"]) >= least * whole
    ]
    total = [sum(r[what] for r in records) for what in ("before", "now")]
    rows.append(
        [
            "all",
            *(f"{1e3 * t:.4f}" for t in total),
            f"{1e3 * (total[1] - total[0]):+.4f}",
            f"{100 * (total[1] / (total[0] or 1.0) - 1):+.1f} %",
            "",
            "",
        ]
    )
    return ["region", "before, ms a step", "now", "difference", "change", "noise", ""], rows


def differences(before: Mapping[str, Any], now: Mapping[str, Any]) -> list[str]:
    """Returns other differences between the two, in words."""
    return [
        f"{key}: {before.get(key)}, then {now.get(key)}"
        for key in kept
        if key not in ("steps", "seconds_per_step", "load")
        and before.get(key) is not None
        and now.get(key) is not None
        and before[key] != now[key]
    ]


def file_of(folder: Path, found: Mapping[str, Any]) -> Path:
    """Returns one for a machine, a case, and how it is spread."""
    what = [
        str(found.get(key)) for key in ("machine", "case", "grid", "precision", "ranks", "threads")
    ]
    plain = re.sub(
        r"[^a-z0-9]+",
        "-",
        f"{found.get('case')} {found.get('ranks')}x{found.get('threads')}"
        f" {str(found.get('machine')).split(',')[0]}".lower(),
    ).strip("-")
    return folder / f"{plain}-{hashlib.sha256(json.dumps(what).encode()).hexdigest()[:6]}.jsonl"


def record(folder: Path, found: Mapping[str, Any], against: int = 5) -> list[str]:
    """Append a profile to its history; returns in words what became slower or faster than in the
    last few profiles.
    """
    folder.mkdir(parents=True, exist_ok=True)
    file = file_of(folder, found)
    earlier = []
    if file.exists():
        written = file.read_text(encoding="utf-8").splitlines()
        earlier = [json.loads(line) for line in written][-against:]
    entry = json.dumps(_entry(found))
    with file.open("a", encoding="utf-8") as to:
        to.write(entry + "\n")
    if not earlier:
        return [f"{file}: the first of this machine, case and shape"]
    before = _together(earlier)
    changed = [_in_words(r) for r in compared(before, found) if r["verdict"]]
    shared = common(before, found)
    of_all = f"all regions together: {100 * (shared - 1):+.1f} %; what follows is beyond that"
    return [
        f"{file}: {len(earlier) + 1} compared, the last of them now",
        *([of_all] if abs(shared - 1) > 0.03 else []),
        *(changed or ["nothing became slower or faster beyond the noise"]),
    ]


def _entry(found: Mapping[str, Any]) -> dict[str, Any]:
    """Returns the entry of a profile in a history."""
    return {
        "recorded": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime()),
        **{key: found.get(key) for key in kept},
        "samples": {
            name: [float(f"{x:.5g}") for x in values] for name, values in of_regions(found).items()
        },
    }


def _together(entries: list[dict[str, Any]]) -> dict[str, Any]:
    """Returns some entries of a history as one profile, with the pieces of all."""
    samples: dict[str, list[float]] = {}
    for entry in entries:
        for name, values in entry["samples"].items():
            samples.setdefault(name, []).extend(values)
    return {"samples": samples}


def _in_words(change: Mapping[str, Any]) -> str:
    noise = ""
    if change["error"] is not None:
        noise = f" ({100 * change['change']:+.1f} %, noise {100 * change['error']:.1f} %)"
    return (
        f"{change['region']} {change['verdict']}: {1e3 * change['before']:.4f} ms a step,"
        f" now {1e3 * change['now']:.4f}{noise}"
    )
