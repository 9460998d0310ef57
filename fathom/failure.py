"""Failures of a run that are not the user's mistake in a configuration: exit status 1, one clear
message. And the status of a run that was stopped, which is none.
"""

stopped_status = 3  # on request, with a restart


class RunFailure(RuntimeError):
    """A run that cannot go on. `left`: ranks have been lost before; those that are left all have
    this failure, and end by themselves.
    """

    left = False


class Unstable(RunFailure):
    """A field is no longer finite, or absurd."""
