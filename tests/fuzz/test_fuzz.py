"""Experiments with something wrong in them: each is an error in one message, or runs with the
value; none ends in a traceback, hangs, or is taken for something else. And damaged files: none is
read as other values; command lines; and files of others with odd levels, longitudes, dates, fill
values and names. `make fuzz` tries thousands.
"""

import pytest

import commands
import damaged
import files
import run


@pytest.mark.timeout(300)
def test_nothing_ends_in_a_traceback_or_in_silence():
    found = run.tried(60, seed=7)
    assert len(found) == 60
    assert not run.wrong(found), told(run.wrong(found))
    count = [one["what"] for one in found].count
    assert count("error") > 20 and count("ran") > 1


@pytest.mark.timeout(300)
def test_damaged_files_are_told_of():
    found = damaged.tried(12, seed=7)
    assert not run.wrong(found), told(run.wrong(found))
    count = [one["what"] for one in found].count
    assert count("error") > 4 and count("same") > 0


@pytest.mark.timeout(300)
def test_command_lines():
    found = commands.tried(12, seed=7)
    assert not run.wrong(found), told(run.wrong(found))
    count = [one["what"] for one in found].count
    assert count("error") > 4 and count("ran") > 0


@pytest.mark.timeout(300)
def test_files_of_others():
    found = files.tried(40, seed=7)
    assert not run.wrong(found), told(run.wrong(found))
    count = [one["what"] for one in found].count
    assert count("error") > 15 and count("same") > 5


def told(wrong):
    return "\n".join(f"{one['what']}: {one['case']}: {one['said']}" for one in wrong)
