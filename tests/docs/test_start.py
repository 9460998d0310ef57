"""What a new user meets first: make, the workflows, and messages that name packages."""

import re
import subprocess
from pathlib import Path

import pytest

root = Path(__file__).parents[2]


def test_make_alone_builds_and_says_what_next():
    """It would build; what it would say names targets that there are."""
    planned = subprocess.run(
        ["make", "--dry-run", "--always-make"], cwd=root, capture_output=True, text=True, check=True
    ).stdout
    assert "tools/install.py" in planned and "fathom new" in planned
    makefile = (root / "Makefile").read_text()
    targets = set(re.findall(r"(?m)^([a-z-]+):", makefile))
    said = set(re.findall(r"make ([a-z-]+)", planned)) | set(
        re.findall(r"(?m)^#   make ([a-z-]+)", makefile)
    )
    assert {"first", "run"} <= said <= targets


def test_no_message_names_a_package_that_is_not_there():
    """The package is in no index before its first release: extras are installed from the tree."""
    wrong = [
        f"{file.relative_to(root)}: {line.strip()}"
        for folder in ("fathom", "docs", "bench")
        for ending in ("*.py", "*.md")
        for file in (root / folder).rglob(ending)
        for line in file.read_text().splitlines()
        if re.search(r"pip install ['\"]?fathom-models", line)
    ]
    assert not wrong


@pytest.mark.parametrize("name", ["tests", "wheels", "site"])
def test_workflows_call_what_there_is(name):
    yaml = pytest.importorskip("yaml")
    flow = yaml.safe_load((root / ".github" / "workflows" / f"{name}.yml").read_text())
    steps = [step for job in flow["jobs"].values() for step in job["steps"]]
    targets = set(re.findall(r"(?m)^([a-z-]+):", (root / "Makefile").read_text()))
    for step in steps:
        assert ("uses" in step) != ("run" in step), step
        words = step.get("run", "").split()
        if words[:1] == ["make"]:
            assert words[1] in targets
        elif words and words[0].startswith(".ci/"):
            assert (root / words[0]).is_file()
    assert steps[0]["uses"].startswith("actions/") and all(
        job["runs-on"] for job in flow["jobs"].values()
    )
