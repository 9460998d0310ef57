"""The catalogue of exchanges: the same halos from each."""

from pathlib import Path

import pytest

from fathom.mpi import core

script = Path(__file__).with_name("transports_on_ranks.py")


@pytest.mark.parametrize("ranks", [1, 2, 3, 4, 7])
def test_every_transport(on_ranks, ranks):
    assert (on_ranks(ranks, script) > 0) == (ranks > 1)


def test_unknown():
    from mpi4py import MPI

    d = core.decompose(core.Topology(4, 4), [1] * 16, 1)
    with pytest.raises(ValueError, match="unknown exchange 'put-flag'; did you mean 'put-flags'"):
        core.Exchange(
            MPI.COMM_SELF.py2f(), d, 1, 8, [("center", False, 1, 1)], transport="put-flag"
        )
