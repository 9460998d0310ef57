"""The same bits on any layout: every model on 1 to 32 ranks, without and with an I/O server, alone
and beside (or within) another program. A sample here; all of them with the marker `long`.
"""

import functools
import itertools

import pytest

import layouts_on_ranks as layouts

ranks = (1, 2, 3, 5, 8, 32)
every = list(itertools.product(layouts.models, ranks, (0, 1), (layouts.alone, layouts.nested)))
sample = {
    ("ocean_with_ice", 3, 1, layouts.alone),
    ("spectral", 2, 1, layouts.nested),
    ("area", 2, 1, layouts.nested),
    ("gridpoint", 3, 0, layouts.alone),
}
cases = [
    pytest.param(*one, marks=() if one in sample else pytest.mark.long, id="-".join(map(str, one)))
    for one in every
]


@functools.cache
def on_one_rank(name, placed):
    return layouts.run(name, placed=placed)


@pytest.mark.parametrize("name, count, servers, placed", cases)
def test_same_bits(name, count, servers, placed, on_ranks):
    asked = "run", f'name="{name}"', f"server={servers}", f'placed="{placed}"'
    found = on_ranks(count + servers, layouts, *asked)
    assert found == on_one_rank(name, placed)
