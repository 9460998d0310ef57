"""What code that is written for a process of its own changes of this one is put back."""

import contextlib
import os
import signal
import sys
import warnings

asked = [getattr(signal, name) for name in ("SIGTERM", "SIGINT", "SIGUSR1")]


@contextlib.contextmanager
def as_it_was(folder, environment, argv):
    """Within it the process is in a folder and has these variables and arguments; a script finds
    its neighbours.
    """
    variables, words, form, path = dict(os.environ), sys.argv, warnings.formatwarning, [*sys.path]
    handlers = [signal.getsignal(number) for number in asked]
    try:
        with contextlib.chdir(folder), warnings.catch_warnings():
            warnings.simplefilter("default")
            warnings.showwarning = _printed
            sys.argv = argv
            sys.path.insert(0, os.path.dirname(argv[0]))
            _set(environment)
            yield
    finally:
        _set(variables)
        sys.argv, sys.path[:], warnings.formatwarning = words, path, form
        for number, handler in zip(asked, handlers):
            signal.signal(number, handler)


def _set(variables):
    os.environ.clear()
    os.environ.update(variables)


def _printed(message, category, filename, lineno, file=None, line=None):
    sys.stderr.write(warnings.formatwarning(message, category, filename, lineno, line))
