"""Builds this package and installs it with what it needs, with a line of progress: the core takes
some minutes to compile, and meanwhile the packages that it needs are loaded.

.venv/bin/python tools/install.py --no-build-isolation '.[test]'
"""

import re
import subprocess
import sys
import tempfile
import tomllib
from pathlib import Path

compiled = re.compile(r"\[(\d+)/(\d+)\] Building")
pip = [sys.executable, "-m", "pip", "--disable-pip-version-check"]
# what is imported is compiled then: half a minute less than all modules of all packages
install = [*pip, "install", "--no-compile"]


def main(arguments: list[str]) -> int:
    """pip's exit status. Where it fails, the end of its output."""
    *options, package = arguments
    folder, _, extras = package.rstrip("]").partition("[")
    with tempfile.TemporaryDirectory() as made, tempfile.TemporaryFile("w+") as said:
        others = subprocess.Popen(
            [*install, *options, *needed(Path(folder), extras)],
            stdout=said,
            stderr=subprocess.STDOUT,
        )
        wheel = [*pip, "wheel", "--verbose", "--no-deps", *options, "--wheel-dir", made, folder]
        failed = shown(wheel)
        if others.wait() and not failed:
            said.seek(0)
            print(said.read())
        built = [str(path) for path in Path(made).iterdir()]
        again = [*install, "--quiet", "--no-deps", "--force-reinstall", *built]
        return failed or others.returncode or subprocess.run(again, check=False).returncode


def needed(folder: Path, extras: str) -> list[str]:
    """The packages that the package of this folder needs, with these extras (a,b)."""
    if not (folder / "pyproject.toml").is_file():
        return ["pip"]
    project = tomllib.loads((folder / "pyproject.toml").read_text())["project"]
    of_extras = [project["optional-dependencies"][name] for name in extras.split(",") if name]
    return sum(of_extras, project["dependencies"])


def shown(command: list[str]) -> int:
    """The exit status of a build, with a line of progress; the end of its output if it fails."""
    said = []
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace"
    ) as build:
        assert build.stdout
        for line in build.stdout:
            said.append(line)
            if found := compiled.search(line):
                tell(int(found[1]), int(found[2]))
    if any(map(compiled.search, said)):
        print()
    if build.returncode:
        print("".join(said[-200:]))
    return build.returncode


def tell(number: int, of: int) -> None:
    """One line in a terminal; elsewhere, as in a log, a line for each tenth."""
    if sys.stdout.isatty():
        print(f"\rcompiled: {number} of {of} files", end="", flush=True)
    elif number * 10 // of > (number - 1) * 10 // of:
        print(f"compiled: {number} of {of} files", flush=True)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
