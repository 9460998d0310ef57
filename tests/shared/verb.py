"""A command of `fathom` in this process: without the second that the start of a process takes."""

import contextlib
import os
import sys
import tempfile

from as_it_was import as_it_was
from fathom.commands.main import main


def fathom(*arguments, folder, environment=None):
    """Runs the command in a folder; ranks, where it asks for several, are processes. Returns exit
    status, output, errors.
    """
    words = [str(word) for word in arguments]
    variables = os.environ if environment is None else environment
    with _caught() as (out, err), as_it_was(folder, dict(variables), ["fathom", *words]):
        try:
            main(words)
        except SystemExit as end:
            status = end.code
        sys.stdout.flush()
        sys.stderr.flush()
        texts = [(file.seek(0), file.read())[1] for file in (out, err)]
    return status, *texts


@contextlib.contextmanager
def _caught():
    """Output and errors of this process and of those that it starts, as two files."""
    before = sys.stdout, sys.stderr
    for stream in before:
        stream.flush()
    with contextlib.ExitStack() as stack:
        files = []
        for number in (1, 2):
            file = stack.enter_context(tempfile.TemporaryFile("w+", encoding="utf-8"))
            kept = os.dup(number)
            stack.callback(os.close, kept)
            stack.callback(os.dup2, kept, number)
            os.dup2(file.fileno(), number)
            files.append(file)
        sys.stdout, sys.stderr = (
            stack.enter_context(open(os.dup(f.fileno()), "w", encoding="utf-8")) for f in files
        )
        try:
            yield files
        finally:
            sys.stdout, sys.stderr = before
