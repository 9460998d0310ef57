"""A sequence with its own field set, for tests of small programs."""

from fathom.base.mpi import core


class Program:
    """What is asked of it is asked of the fields, and else of the sequence."""

    def __init__(self, *arguments, **options):
        self.sequence = core.StepProgram(*arguments, **options)
        self.fields_ = core.FieldSet(self.sequence)

    def prepare(self):
        self.sequence.prepare(self.fields_, lambda fields: None)  # a test has set them
        return self

    def advance(self, steps):
        self.sequence.advance(self.fields_, steps)

    @property
    def count(self):
        return self.fields_.count

    @count.setter
    def count(self, steps):
        self.fields_.count = steps

    def __getattr__(self, name):
        return getattr(self.fields_ if hasattr(self.fields_, name) else self.sequence, name)
