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
region, and than 0.3 % of the step, and if the region itself became slower or faster. The noise of
profiles without pieces, as those of runs, is unknown: there 10 % of a region counts.

The alarm is about the whole step: its processor time where one thread of one rank computes, which
other programs hardly change, else its time by the wall. A machine that is slower as a whole makes
all that it does slower; its multiply-adds and its memory are measured beside each profile
(`speeds`):

    machine = greatest, over these, of  speed of before / speed now, at least 1
    the program is slower if  step now / step of before > machine (1 + max(3 error, 0.1))
"""

from __future__ import annotations

import hashlib
import json
import re
import time
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from fathom.base import provenance, regions
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
    "processor_seconds_per_step",
    "checksum",
    "load",
    "speeds",
    "commit",
)


figures_of_a_run = (  # differ from run to run
    "steps",
    "seconds_per_step",
    "processor_seconds_per_step",
    "load",
    "speeds",
    "commit",
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
    counts = counts and (y - x) * beyond > 0  # what became slower is not called faster
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
        if key not in figures_of_a_run
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


@dataclass(frozen=True)
class Recorded:
    """What a history says of a new entry. lines: in words; slower: whether the alarm rings."""

    lines: list[str]
    slower: bool = False

    @property
    def status(self) -> int:
        """Returns the exit status of the command."""
        return 1 if self.slower else 0


def record(folder: Path, found: Mapping[str, Any], against: int = 5) -> Recorded:
    """Append a profile to its history; returns in words what became slower or faster than in the
    last few profiles that did not ring the alarm, and whether the program is slower.
    """
    folder.mkdir(parents=True, exist_ok=True)
    file = file_of(folder, found)
    earlier = []
    if file.exists():
        written = file.read_text(encoding="utf-8").splitlines()
        entries = [json.loads(line) for line in written]
        earlier = [e for e in entries if not e.get("alarm")][-against:]
    slower, alarm = alarmed(earlier, found) if earlier else (False, [])
    entry = json.dumps(_entry(found) | {"alarm": slower})
    with file.open("a", encoding="utf-8") as to:
        to.write(entry + "\n")
    if not earlier:
        return Recorded([f"{file}: the first of this machine, case and shape"])
    before = _together(earlier)
    changed = [_in_words(r) for r in compared(before, found) if r["verdict"]]
    shared = common(before, found)
    of_all = f"all regions together: {100 * (shared - 1):+.1f} %; what follows is beyond that"
    return Recorded(
        [
            f"{file}: {len(earlier) + 1} compared, the last of them now",
            *alarm,
            *([of_all] if abs(shared - 1) > 0.03 else []),
            *(changed or ["nothing became slower or faster beyond the noise"]),
        ],
        slower,
    )


def alarmed(earlier: list[dict[str, Any]], found: Mapping[str, Any]) -> tuple[bool, list[str]]:
    """Returns whether the whole step is slower than in earlier entries by more than the machine is
    and repeats differ; and the reasons in words.
    """
    of_processor = [entry.get("processor_seconds_per_step") for entry in (*earlier, found)]
    by_processor = all(of_processor)
    steps = np.array(
        of_processor if by_processor else [_step(of_regions(e)) for e in (*earlier, found)]
    )
    (*_, now), steps = steps, steps[:-1]
    if not (before := float(np.median(steps))) > 0:
        return False, []
    machine = _slower_machine(earlier, found)
    repeats = _spread(steps) / np.sqrt(len(steps)) if len(steps) > 2 else 0.0
    within = 0.0 if by_processor else _spread_of_pieces(of_regions(found))
    error = 1.25 * float(np.hypot(repeats, within))
    ratio, least = now / before, max(3 * error, 0.1)
    words = []
    if machine > 1.03:
        words.append(
            f"the machine is slower: its own limits by up to {100 * (machine - 1):.0f} %"
            + " (other programs use it)" * bool((found.get("load") or {}).get("busy"))
        )
    if ratio <= machine * (1 + least):
        return False, words
    what = "ms of the processor" if by_processor else "ms"
    said = f"SLOWER: a step takes {1e3 * now:.4g} {what}, {100 * (ratio - 1):+.0f} % of its record"
    beyond = ", beyond what the machine explains" if words else ""
    return True, [*words, f"{said}{beyond} (repeats differ by {100 * error:.1f} %)"]


def _step(samples: Mapping[str, Any]) -> float:
    """Returns seconds of a step, the sum of its regions."""
    return sum(float(np.median(values)) for values in samples.values())


def _spread_of_pieces(samples: Mapping[str, np.ndarray]) -> float:
    """Returns the error of the sum of all regions, from its pieces; 0 of a single one."""
    pieces = {len(values) for values in samples.values()}
    if len(pieces) != 1 or max(pieces) < 3:
        return 0.0
    whole = np.sum([np.asarray(values, float) for values in samples.values()], axis=0)
    return float(_spread(whole) / np.sqrt(len(whole)))


def _slower_machine(earlier: list[dict[str, Any]], found: Mapping[str, Any]) -> float:
    """Returns the factor by which the machine is slower than it was: of what it does, that which
    lost most; at least 1.
    """
    now, ratios = found.get("speeds") or {}, [1.0]
    for what, speed in now.items():
        was = [entry["speeds"][what] for entry in earlier if (entry.get("speeds") or {}).get(what)]
        if was and speed > 0:
            ratios.append(float(np.median(was)) / speed)
    return max(ratios)


def _entry(found: Mapping[str, Any]) -> dict[str, Any]:
    """Returns the entry of a profile in a history."""
    return {
        "recorded": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime()),
        **{key: found.get(key) for key in kept},
        "commit": found.get("commit") or provenance.build().get("commit", ""),
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
