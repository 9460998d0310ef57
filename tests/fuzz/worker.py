"""Tries cases that come line by line, and prints the outcome of each. A separate process: it is
killed when it takes too long.
"""

import json
import resource
import sys
import tempfile
import warnings
from pathlib import Path

import configured
import experiments

memory = 6 << 30  # bytes that a case may have


def main() -> None:
    resource.setrlimit(resource.RLIMIT_AS, (memory, memory))
    warnings.simplefilter("ignore")
    said, sys.stdout = sys.stdout, sys.stderr
    with tempfile.TemporaryDirectory() as folder:
        for number, line in enumerate(sys.stdin):
            name, *settings = json.loads(line)
            case = experiments.Case(name, *settings)
            kind = configured if name in configured.ways else experiments
            found = kind.outcome(case, Path(folder) / str(number))
            print(json.dumps(found), file=said, flush=True)


if __name__ == "__main__":
    main()
