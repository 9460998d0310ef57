"""Tables whose rows are shown by commands: what each is, the command or the test that shows it, the
figure wanted, the figure got, the verdict, the limit. studies.py and standard_tests.py have one
each.

The rows are a TOML file, the page is drawn from it and from results. Results are kept in a JSON
file: a row that is not run keeps its last one, or what the page says of it. Tests need the packages
of `make test`.
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
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

root = Path(__file__).resolve().parent.parent
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
    """One row of a table."""

    id: str
    what: str
    section: str = ""  # of the page
    source: str = ""  # a paper, or another code
    wanted: str = ""
    shown: tuple[Shown, ...] = ()
    tests: tuple[str, ...] = ()
    by: str = "measured"  # measured, simulated (priced by the simulator), fitted, or context
    missing: str = ""  # what of the row Fathom does not have
    limit: str = ""  # why a figure is not reached
    why: str = ""  # why there is no command
    stands: str = ""  # the figure of a long run, as a page of results has it
    stood: str = "works"  # the verdict of that figure
    commit: str = ""  # at which it was measured

    @property
    def minutes(self) -> float:
        return sum(each.minutes for each in self.shown) + 0.2 * len(self.tests)


@dataclass(frozen=True)
class Page:
    """A page with a table for each section."""

    name: str  # of the script, the table docs/results/NAME.toml, and the page beside it
    head: str
    sections: dict[str, str]  # key and title
    section_of: Callable[[Row], str]
    column: str  # title of the column beside the verdict
    beside: Callable[[Row], str]

    @property
    def table(self) -> Path:
        return root / "docs" / "results" / f"{self.name}.toml"

    @property
    def file(self) -> Path:
        return root / "docs" / "results" / f"{self.name}.md"


@dataclass
class Done:
    """What came of the commands and tests of this call, each run once."""

    folder: Path
    commands: dict[str, tuple[int, str, Any]] = field(default_factory=dict)
    tests: dict[str, str] = field(default_factory=dict)


def rows(file: Path) -> dict[str, Row]:
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
    if "said" in found or not found:
        return str(found.get("said", f"{row.stands} (at {row.commit})" if row.stands else ""))
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
            if len(cells) == 10 and cells[5] in order[:-1]:
                found[cells[1]] = {"said": cells[4].replace("\\|", "|"), "verdict": cells[5]}
    return found


def lines(of: Page, row: Row, found: Result) -> Iterator[str]:
    """Yields the row of the page."""
    how = [f"`{each.command.replace(' --json {json}', '')}`" for each in row.shown]
    how += [f"`pytest {node}`" for node in row.tests]
    notes = [row.limit, f"missing: {row.missing}" if row.missing else "", row.why]
    cells = [
        row.id,
        row.what,
        row.wanted,
        got(row, found),
        said_of(row, found),
        of.beside(row),
        "; ".join(how),
        "; ".join(filter(None, notes)),
    ]
    yield "| " + " | ".join(cell.replace("|", "\\|").replace("\n", " ") for cell in cells) + " |"


def said_of(row: Row, found: Result) -> str:
    """Returns the verdict of a row, that of a page of results where it was not run here."""
    return str(found.get("verdict", row.stood if row.stands else "not run"))


def draw(of: Page, all_rows: dict[str, Row], results: dict[str, Any]) -> str:
    """Returns the page."""
    found = results.get("rows", {})
    text = [of.head]
    if machine := results.get("machine"):
        text.append(f"Machine: {machine}. Dates of the figures: {dates(found)}.\n")
    counts: dict[str, dict[str, int]] = {}
    for name, row in all_rows.items():
        said = said_of(row, found.get(name, {}))
        of_section = counts.setdefault(of.section_of(row), {})
        of_section[said] = of_section.get(said, 0) + 1
    kinds = [k for k in order if any(k in of_section for of_section in counts.values())]
    text.append("| | " + " | ".join(kinds) + " |\n|" + "---|" * (len(kinds) + 1))
    for section, of_section in counts.items():
        numbers = " | ".join(str(of_section.get(kind, 0)) for kind in kinds)
        text.append(f"| {of.sections[section]} | {numbers} |")
    for section, title in of.sections.items():
        text.append(f"\n## {title}\n")
        text.append(f"| row | what | wanted | got | verdict | {of.column} | shown by | notes |")
        text.append("|---|---|---|---|---|---|---|---|")
        for name, row in all_rows.items():
            if of.section_of(row) == section:
                text += lines(of, row, found.get(name, {}))
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


def main(of: Page, text: str) -> int:
    """Runs what the command line asks for, and draws the page. text: of the script."""
    parser = argparse.ArgumentParser(description=text.splitlines()[0])
    parser.add_argument("--json", type=Path, required=True, help="results, kept from call to call")
    parser.add_argument("--only", nargs="+", default=[], metavar="ROW", help="only these rows")
    parser.add_argument("--all", action="store_true", help="also rows that take long")
    parser.add_argument("--draw", action="store_true", help="run nothing, draw the page")
    parser.add_argument("--page", type=Path, default=of.file)
    given = parser.parse_args()
    try:
        all_rows = rows(of.table)
        work = [] if given.draw else chosen(all_rows, given.only, given.all)
    except Mistake as mistake:
        print(f"{of.name}: {mistake}", file=sys.stderr)
        return 2
    results = json.loads(given.json.read_text()) if given.json.exists() else {"rows": {}}
    folder = Path(tempfile.mkdtemp(prefix=f"fathom-{of.name}-"))
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
    given.page.write_text(draw(of, all_rows, kept), encoding="utf-8")
    return 1 if any(results["rows"][row.id]["verdict"] == "fails" for row in work) else 0
