"""pip install, with a line of progress: the core takes some minutes to compile.

.venv/bin/python tools/install.py --no-build-isolation '.[test]'
"""

import re
import subprocess
import sys

compiled = re.compile(r"\[(\d+)/(\d+)\] Building")


def main(arguments: list[str]) -> int:
    """pip's exit status. Where it fails, the end of its output."""
    options = ["--verbose", "--disable-pip-version-check"]
    command = [sys.executable, "-m", "pip", "install", *options, *arguments]
    said = []
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace"
    ) as pip:
        assert pip.stdout
        for line in pip.stdout:
            said.append(line)
            if found := compiled.search(line):
                tell(int(found[1]), int(found[2]))
    if any(map(compiled.search, said)):
        print()
    if pip.returncode:
        print("".join(said[-200:]))
    return pip.returncode


def tell(number: int, of: int) -> None:
    """One line in a terminal; elsewhere, as in a log, a line for each tenth."""
    if sys.stdout.isatty():
        print(f"\rcompiled: {number} of {of} files", end="", flush=True)
    elif number * 10 // of > (number - 1) * 10 // of:
        print(f"compiled: {number} of {of} files", flush=True)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
