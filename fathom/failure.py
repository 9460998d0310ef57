"""What Fathom raises. A mistake in what was given is a ValueError, a file that cannot be read or
written an OSError; below are the failures of a run. `Error` is all of them together:

    try:
        simulation.run("10y")
    except fm.Error as error:
        print(error)
"""

stopped_status = 3  # on request, with a restart


class RunFailure(RuntimeError):
    """A run that cannot go on. `left`: ranks have been lost before; those that are left all have
    this failure, and end by themselves.
    """

    left = False


class Unstable(RunFailure):
    """A field is no longer finite, or absurd."""


class LaunchFailure(RuntimeError):
    """Ranks that could not be started, or that do not know each other."""


Error = (ValueError, OSError, RunFailure, LaunchFailure)  # all that is raised on purpose
