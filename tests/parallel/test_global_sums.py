"""The catalogue of global sums: each the same, on any number of ranks; nothing that data can hold
is taken for a signal.
"""

from pathlib import Path

import pytest

from fathom.base.mpi import core

script = Path(__file__).with_name("sums_on_ranks.py")


@pytest.mark.parametrize(
    "ranks",
    [
        1,
        pytest.param(2, marks=pytest.mark.long),
        3,
        pytest.param(4, marks=pytest.mark.long),
        pytest.param(7, marks=pytest.mark.long),
    ],
)
def test_every_sum(on_ranks, ranks):
    digests = on_ranks(ranks, script)
    assert list(digests) == [name for name, _ in core.global_sums()]
    assert set(digests.values()) == {on_ranks(1, script)["allreduce"]}


def test_unknown():
    from mpi4py import MPI

    with pytest.raises(ValueError, match="unknown global sum 'tre'; did you mean 'tree'"):
        core.global_sum(MPI.COMM_SELF.py2f(), "tre")
