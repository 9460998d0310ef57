"""Measurements by commands of Fathom with --json, stored in build/figures, or measured now."""

import json
import subprocess
import sys
from pathlib import Path

from fathom.run.launch import mpiexec

kept = Path("build/figures")
here = Path(__file__).parent


def measured(name, *words, ranks=0, script=None):
    """The result of a command with --json, stored or measured again."""
    file = kept / f"{name}.json"
    if not file.exists():
        kept.mkdir(parents=True, exist_ok=True)
        program = ["-W", "ignore", str(here / script)] if script else ["-P", "-m", "fathom"]
        launcher = [mpiexec(), "-n", str(ranks)] if ranks else []
        command = [*launcher, sys.executable, *program, *words, "--json", file]
        run(*command)
    return json.loads(file.read_text())


def run(*command):
    """Without its words."""
    subprocess.run(list(map(str, command)), check=True, stdout=subprocess.DEVNULL)


def fathom(*words):
    run(sys.executable, "-P", "-m", "fathom", *words)
