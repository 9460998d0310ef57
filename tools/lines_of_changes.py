"""What a port or a tuning costs in lines of the core, from the history of this repository.

    python tools/lines_of_changes.py [--json FILE]

A kind of change is known by words of its commits. Counted are lines that they add, in files of
their own (made for the device) and in files that serve every machine; the share is that of lines of
the core today. A commit that does several things counts whole, so shares are upper bounds; the
least is what there is today: lines that name a device in files that serve every machine. The port
of POP to vectors of the Earth Simulator, for comparison: 701 of 45 000 lines, 1.6 %.
"""

import argparse
import json
import re
import subprocess
import sys
from pathlib import Path

root = Path(__file__).resolve().parent.parent
kinds = {
    "port to a device": r"\b(devices?|GPUs?|CUDA|nvcc)\b",
    "tuning": r"\b(faster|prefetch|large pages|second-level cache|registers?|tiles?)\b",
    "vectors": r"\b(vectori[sz]ed?|in vectors|vector fma|lanes?)\b",
}
own = re.compile(r"device")  # in the path of a file made for a device


def git(*words: str) -> str:
    return subprocess.run(
        ["git", "-C", str(root), *words], check=True, capture_output=True, text=True
    ).stdout


def commits() -> list[tuple[str, list[tuple[str, int]]]]:
    """Returns subjects of commits with lines that they add to files of the core."""
    text = git("log", "--no-merges", "--format=%x00%s", "--numstat", "--", "core")
    found = []
    for part in text.split("\0")[1:]:
        subject, *rest = part.splitlines()
        rows = [row.split("\t") for row in rest if "\t" in row]
        found.append((subject, [(row[2], int(row[0])) for row in rows if row[0].isdigit()]))
    return found


def lines_today() -> int:
    return sum(
        len((root / file).read_text(encoding="utf-8").splitlines())
        for file in git("ls-files", "core").splitlines()
        if file.endswith((".hpp", ".cpp"))
    )


def naming_a_device() -> int:
    """Returns lines of files that serve every machine in which a device is named."""
    found = git("grep", "-i", "-c", "device", "--", "core").splitlines()
    counts = [line.rpartition(":") for line in found]
    return sum(int(count) for file, _, count in counts if not own.search(file))


def costs() -> dict[str, dict[str, float]]:
    """Returns commits and lines of each kind of change."""
    history, total = commits(), lines_today()
    table = {}
    for name, words in kinds.items():
        of_kind = [files for subject, files in history if re.search(words, subject, re.I)]
        added = [
            (own.search(file) is not None, count) for files in of_kind for file, count in files
        ]
        shared = sum(count for is_own, count in added if not is_own)
        table[name] = {
            "commits": len(of_kind),
            "own_files": sum(count for is_own, count in added if is_own),
            "shared_files": shared,
            "shared_fraction": shared / total,
        }
    return table


def main() -> int:
    ask = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    ask.add_argument("--json", type=Path)
    given = ask.parse_args()
    try:
        table, total = costs(), lines_today()
    except (OSError, subprocess.CalledProcessError):
        print("lines_of_changes: here is no history (git log fails)", file=sys.stderr)
        return 2
    print(f"{total} lines of the core today")
    for name, row in table.items():
        print(
            f"{name}: {row['commits']} commits, {row['own_files']} lines in files of its own,"
            f" {row['shared_files']} in files of all machines"
            f" (at most {100 * row['shared_fraction']:.1f} % of the core)"
        )
    named = naming_a_device() / total
    print(f"lines that name a device in files of all machines: {100 * named:.1f} % of the core")
    if given.json:
        found = {"lines": total, "kinds": table, "naming_a_device_fraction": named}
        given.json.write_text(json.dumps(found, indent=1) + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
