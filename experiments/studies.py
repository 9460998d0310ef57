"""The rows of the five studies of performance on which Fathom stands: what each is, the command
that shows it, the figure wanted, the figure got, the verdict, the limit.

    python experiments/studies.py --json studies.json                 # what takes minutes here
    python experiments/studies.py --json studies.json --only MF49 PX25
    python experiments/studies.py --json studies.json --draw          # the page alone

The rows are docs/results/studies.toml, the page is docs/results/studies.md. Results are kept in the
JSON file: a row that is not run keeps its last one, or what the page says of it. Tests need the
packages of `make test`.
"""

from __future__ import annotations

import argparse
import datetime
import json
import os
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
import time
import tomllib
import xml.etree.ElementTree as XML
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

root = Path(__file__).resolve().parent.parent
table = root / "docs" / "results" / "studies.toml"
page = root / "docs" / "results" / "studies.md"
long_commands = 5.0  # minutes, from which a row is run only when it is named
patience = 1800.0  # seconds of one command

Result = dict[str, Any]


class Mistake(Exception):
    """A table or a call that cannot be, in one sentence."""


@dataclass(frozen=True)
class Shown:
    """One command of a row, and the figure of it that counts."""

    command: str
    figure: str = ""  # a path in its JSON, "a / b" of two, or /a regular expression/ of its words
    least: float | None = None
    most: float | None = None
    unit: str = ""  # "%": the figure is a fraction
    minutes: float = 1.0


@dataclass(frozen=True)
class Row:
    """One row of a study."""

    id: str
    what: str
    wanted: str = ""
    shown: tuple[Shown, ...] = ()
    tests: tuple[str, ...] = ()
    by: str = "measured"  # measured, simulated (priced by the simulator), fitted, or context
    missing: str = ""  # what of the row Fathom does not have
    limit: str = ""  # why a figure is not reached
    why: str = ""  # why there is no command

    @property
    def minutes(self) -> float:
        return sum(each.minutes for each in self.shown) + 0.2 * len(self.tests)


@dataclass
class Done:
    """What came of the commands and tests of this call, each run once."""

    folder: Path
    commands: dict[str, tuple[int, str, Any]] = field(default_factory=dict)
    tests: dict[str, str] = field(default_factory=dict)


def rows(file: Path = table) -> dict[str, Row]:
    """Returns the rows of the table by name."""
    known = set(Row.__dataclass_fields__) - {"id"}
    found = {}
    for name, given in tomllib.loads(file.read_text(encoding="utf-8")).items():
        if unknown := set(given) - known:
            raise Mistake(f"{name}: no key {', '.join(sorted(unknown))} in {file.name}")
        shown = tuple(Shown(**each) for each in given.pop("shown", ()))
        row = Row(name, shown=shown, tests=tuple(given.pop("tests", ())), **given)
        if not (shown or row.tests or row.why):
            raise Mistake(f"{name}: a row without a command says why")
        found[name] = row
    return found


def value(found: Any, path: str) -> float:
    """Returns the number at a path of a JSON object; "a / b": the ratio of two; "*": the least of
    all there are in a list or an object. A list is asked by place or by name."""
    if " / " in path:
        above, below = path.split(" / ")
        return value(found, above) / value(found, below)
    for n, key in enumerate(parts := path.split(".")):
        if key == "*":
            each = found.values() if isinstance(found, dict) else found
            return min(value(one, ".".join(parts[n + 1 :])) for one in each)
        found = one_of(found, key) if isinstance(found, list) else found[key]
    return float(found)


def one_of(found: list[Any], key: str) -> Any:
    """Returns what a list has at a place, or under a name."""
    if key.isdigit():
        return found[int(key)]
    return next(one for one in found if one["name"] == key)


def figure(shown: Shown, words: str, found: Any) -> float:
    """Returns the figure of a command from its words or its JSON."""
    if not shown.figure.startswith("/"):
        return value(found, shown.figure)
    match = re.search(shown.figure.strip("/"), words)
    if match is None:
        raise LookupError(f"no {shown.figure} in what the command says")
    return float(match[1])


def run(command: str, done: Done) -> tuple[int, str, Any]:
    """Runs a command once in a call; returns its status, its words and its JSON."""
    if command not in done.commands:
        file = done.folder / f"{len(done.commands)}.json"
        words = shlex.split(command.format(json=file, folder=done.folder))
        of_script = words[0] == "python" and words[1] != "-c"  # which imports what lies beside it
        safe = [] if of_script else ["-P"]  # not from the sources here
        program = ["-m", "fathom"] if words[0] == "fathom" else []
        words = [sys.executable, *safe, *program, *words[1:]]
        print(f"    {command}", flush=True)
        try:
            ended = subprocess.run(
                words, cwd=root, capture_output=True, text=True, timeout=patience
            )
            status, text = ended.returncode, ended.stdout + ended.stderr
        except subprocess.TimeoutExpired:
            status, text = -1, f"no end after {patience:g} s"
        found = json.loads(file.read_text()) if file.exists() else None
        done.commands[command] = status, text, found
    return done.commands[command]


def of_command(shown: Shown, done: Done) -> Result:
    """Returns what a command gave: its figure, and whether that is the one wanted."""
    status, words, found = run(shown.command, done)
    if status:
        last = (words.strip().splitlines() or [""])[-1]
        return {"fault": f"status {status}: {last[:200]}"}
    if not shown.figure:
        return {"good": True}
    try:
        got = figure(shown, words, found)
    except (LookupError, StopIteration, TypeError, ValueError) as error:
        return {"fault": f"no {shown.figure}: {error}"}
    low = shown.least is None or got >= shown.least
    high = shown.most is None or got <= shown.most
    return {"got": got, "good": low and high}


def run_tests(chosen: Iterable[Row], done: Done) -> None:
    """Runs all tests of the rows in one call of pytest."""
    nodes = sorted({node for row in chosen for node in row.tests})
    if not nodes:
        return
    print(f"    pytest: {len(nodes)} tests", flush=True)
    junit = done.folder / "tests.xml"
    options = ["-q", "-p", "no:cacheprovider", "-m", "long or not long", f"--junit-xml={junit}"]
    ran = subprocess.run(
        [sys.executable, "-P", "-m", "pytest", *options, *nodes],
        cwd=root,
        capture_output=True,
        text=True,
    )
    if ran.returncode > 1:  # pytest itself could not do what was asked
        print("\n".join((ran.stdout + ran.stderr).strip().splitlines()[-3:]), flush=True)
    cases = list(XML.parse(junit).iter("testcase")) if junit.exists() else []
    for node in nodes:
        done.tests[node] = of_test(node, cases)


def of_test(node: str, cases: Iterable[XML.Element]) -> str:
    """Returns "passed", "failed", "skipped" or "not found" of a test with all its parameters."""
    file, _, name = node.partition("::")
    of_file = file.removesuffix(".py").replace("/", ".")
    outcomes = set()
    for case in cases:
        here, said = str(case.get("classname") or ""), str(case.get("name"))
        here = here or said  # a whole file that is skipped
        if here != of_file or (name and said != name and not said.startswith(f"{name}[")):
            continue
        kinds = {one.tag for one in case}
        bad = kinds & {"failure", "error"}
        outcomes.add("failed" if bad else "skipped" if "skipped" in kinds else "passed")
    for worst in ("failed", "passed", "skipped"):
        if worst in outcomes:
            return worst
    return "not found"


def verdict(row: Row, shown: list[Result], tests: dict[str, str]) -> str:
    """Returns the verdict of a row: works, short of its figure, partly, fails, or context."""
    if row.by == "context":
        return "context"
    if not (shown or tests):
        return "partly" if row.missing else "not here"
    if any("fault" in each for each in shown) or set(tests.values()) & {"failed", "not found"}:
        return "fails"
    if set(tests.values()) == {"skipped"} and not shown:
        return "not here"
    if not all(each["good"] for each in shown):
        return "short"
    return "partly" if row.missing else "works"


def result(row: Row, done: Done) -> Result:
    """Runs a row; returns its figures and its verdict."""
    began = time.monotonic()
    shown = [of_command(each, done) for each in row.shown]
    tests = {node: done.tests[node] for node in row.tests}
    return {
        "shown": shown,
        "tests": tests,
        "verdict": verdict(row, shown, tests),
        "date": datetime.date.today().isoformat(),
        "seconds": round(time.monotonic() - began, 1),
    }


def number(got: float, unit: str) -> str:
    """Returns a figure with its unit, with the digits that a figure of a machine has."""
    scaled = 100 * got if unit == "%" else got
    digits = f"{scaled:.3g}" if abs(scaled) < 1e5 else f"{scaled:.0f}"
    return f"{digits} {unit}".strip()


def bar(shown: Shown) -> str:
    """Returns what is wanted of a figure in words."""
    parts = [
        f"{word} {number(limit, shown.unit)}"
        for word, limit in (("at least", shown.least), ("at most", shown.most))
        if limit is not None
    ]
    return " and ".join(parts)


def got(row: Row, found: Result) -> str:
    """Returns the column of figures of a row."""
    if "said" in found:
        return str(found["said"])
    words = []
    for shown, each in zip(row.shown, found.get("shown", ())):
        if "fault" in each:
            words.append(each["fault"])
        elif "got" in each:
            wanted = bar(shown)
            words.append(number(each["got"], shown.unit) + (f" ({wanted})" if wanted else ""))
    tests = found.get("tests", {})
    if tests:
        count = sum(one == "passed" for one in tests.values())
        words.append(f"{count} of {len(tests)} tests pass")
    return "; ".join(words)


def said_before(file: Path) -> dict[str, Result]:
    """Returns the figures and the verdicts of a page, by row: of those that no result replaces."""
    found: dict[str, Result] = {}
    if file.exists():
        for line in file.read_text(encoding="utf-8").splitlines():
            cells = [cell.strip() for cell in re.split(r"(?<!\\)\|", line)]
            if len(cells) == 10 and re.fullmatch("[A-Z]{2}[0-9]{2}", cells[1]):
                found[cells[1]] = {"said": cells[4].replace("\\|", "|"), "verdict": cells[5]}
    return found


def lines(row: Row, found: Result) -> Iterator[str]:
    """Yields the row of the page."""
    how = [f"`{each.command.replace(' --json {json}', '')}`" for each in row.shown]
    how += [f"`pytest {node}`" for node in row.tests]
    notes = [row.limit, f"missing: {row.missing}" if row.missing else "", row.why]
    cells = [
        row.id,
        row.what,
        row.wanted,
        got(row, found),
        found.get("verdict", "not run"),
        "" if row.by == "context" else row.by,
        "; ".join(how),
        "; ".join(filter(None, notes)),
    ]
    yield "| " + " | ".join(cell.replace("|", "\\|").replace("\n", " ") for cell in cells) + " |"


studies = {
    "MF": "ARPEGE, ALADIN, AROME, observations and post-processing on the NEC SX8R",
    "PX": "the Parallel Ocean Program on the Cray X1",
    "UM": "the Unified Model on the NEC SX-6",
    "SS": "sub-space I/O for AROME",
    "KC": "the solver of POP (CGPOP) on the K computer",
}
head = """# The five studies, row by row

Fathom stands on five performance studies. Each row below is a feature or a figure of one of them:
what it is, what is wanted, what Fathom gives, and the command that shows it. `python
experiments/studies.py --json studies.json` runs the commands and draws this page; `--only MF49
PX25` runs some rows. The rows are `docs/results/studies.toml`.

* **measured**: by the command, on the machine named; **simulated**: another machine is needed, and
  the simulator prices it from what is measured here; **fitted**: parameters come from the study
  itself, so that agreement is no prediction.
* **works**: all of the row is there and its figure is reached; **short**: the figure is missed;
  **partly**: something of the row is missing; **fails**: the command or a test fails; **not here**:
  needs what this machine does not have; **context**: no feature.
"""


def draw(all_rows: dict[str, Row], results: dict[str, Any]) -> str:
    """Returns the page."""
    found = results.get("rows", {})
    text = [head]
    if machine := results.get("machine"):
        text.append(f"Machine: {machine}. Dates of the figures: {dates(found)}.\n")
    counts: dict[str, dict[str, int]] = {}
    for name in all_rows:
        said = found.get(name, {}).get("verdict", "not run")
        of_study = counts.setdefault(name[:2], {})
        of_study[said] = of_study.get(said, 0) + 1
    kinds = [k for k in order if any(k in of_study for of_study in counts.values())]
    text.append("| study | " + " | ".join(kinds) + " |\n|" + "---|" * (len(kinds) + 1))
    for study, of_study in counts.items():
        numbers = " | ".join(str(of_study.get(kind, 0)) for kind in kinds)
        text.append(f"| {study}: {studies[study]} | {numbers} |")
    for study, title in studies.items():
        text.append(f"\n## {study}: {title}\n")
        text.append("| row | what | wanted | got | verdict | how known | shown by | notes |")
        text.append("|---|---|---|---|---|---|---|---|")
        for name, row in all_rows.items():
            if name.startswith(study):
                text += lines(row, found.get(name, {}))
    return "\n".join(text) + "\n"


order = ("works", "short", "partly", "fails", "not here", "context", "not run")


def dates(found: dict[str, Result]) -> str:
    """Returns the first and the last day on which a row was run."""
    days = sorted({each["date"] for each in found.values() if "date" in each})
    return " to ".join(dict.fromkeys((days[0], days[-1]))) if days else "none"


def machine() -> str:
    """Returns the processor's name and its cores."""
    text = Path("/proc/cpuinfo").read_text() if Path("/proc/cpuinfo").exists() else ""
    name = re.search(r"model name\s*:\s*(.*)", text)
    return f"{name[1] if name else 'unknown processor'}, {os.cpu_count()} cores"


def chosen(all_rows: dict[str, Row], only: list[str], everything: bool) -> list[Row]:
    """Returns the rows to run."""
    if unknown := [name for name in only if name not in all_rows]:
        raise Mistake(f"no row {', '.join(unknown)}; there are {' '.join(all_rows)}")
    if only:
        return [all_rows[name] for name in only]
    return [row for row in all_rows.values() if everything or row.minutes < long_commands]


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--json", type=Path, required=True, help="results, kept from call to call")
    parser.add_argument("--only", nargs="+", default=[], metavar="ROW", help="only these rows")
    parser.add_argument("--all", action="store_true", help="also rows that take long")
    parser.add_argument("--draw", action="store_true", help="run nothing, draw the page")
    parser.add_argument("--page", type=Path, default=page)
    given = parser.parse_args()
    try:
        all_rows = rows()
        work = [] if given.draw else chosen(all_rows, given.only, given.all)
    except Mistake as mistake:
        print(f"studies: {mistake}", file=sys.stderr)
        return 2
    results = json.loads(given.json.read_text()) if given.json.exists() else {"rows": {}}
    folder = Path(tempfile.mkdtemp(prefix="fathom-studies-"))
    done = Done(folder)
    try:
        run_tests(work, done)
        for row in work:
            print(f"{row.id} {row.what}", flush=True)
            found = results["rows"][row.id] = result(row, done)
            results["machine"] = machine()
            print(f"    {found['verdict']}: {got(row, found)}", flush=True)
            given.json.write_text(json.dumps(results, indent=1) + "\n")
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    kept = results | {"rows": said_before(given.page) | results["rows"]}
    given.page.write_text(draw(all_rows, kept), encoding="utf-8")
    return 1 if any(results["rows"][row.id]["verdict"] == "fails" for row in work) else 0


if __name__ == "__main__":
    sys.exit(main())
