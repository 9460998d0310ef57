"""Hundreds of experiments with something wrong in them: each is an error in one message, or runs
with the value; none ends in a traceback, hangs, or is taken for something else. `make fuzz` tries
thousands.
"""

import pytest

import run


@pytest.mark.timeout(300)
def test_nothing_ends_in_a_traceback_or_in_silence():
    found = run.tried(300, seed=7)
    assert len(found) == 300
    wrong = [one for one in found if one["what"] not in ("error", "ran")]
    assert not wrong, "\n".join(f"{one['what']}: {one['case']}: {one['said']}" for one in wrong)
    count = [one["what"] for one in found].count
    assert count("error") > 100 and count("ran") > 10
