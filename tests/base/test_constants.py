"""Constants that the core and Python both need are the same numbers."""

from fathom.base import earth
from fathom.base.mpi import core


def test_earth_is_one():
    assert core.earth == {name: value for name, value in vars(earth).items() if name.isupper()}
