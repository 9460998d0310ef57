"""Experiments with something wrong in them: each is an error in one message, or runs with the
value; none ends in a traceback, hangs, or is taken for something else. And damaged files: none is
read as other values; command lines; calls in Python; and files of others with odd levels,
longitudes, dates, fill values and names. `make fuzz` tries thousands.
"""

import pytest

import calls
import commands
import configured
import damaged
import fathom as fm
import files
import run


@pytest.mark.timeout(300)
def test_nothing_ends_in_a_traceback_or_in_silence():
    found = run.tried(60, seed=7)
    assert len(found) == 60
    assert not run.wrong(found), told(run.wrong(found))
    count = [one["what"] for one in found].count
    assert count("error") > 20 and count("ran") > 0


@pytest.mark.timeout(300)
def test_files_of_cycles_calibration_and_machines():
    found = run.tried(30, 7, configured.resolved)
    assert not run.wrong(found), told(run.wrong(found))
    count = [one["what"] for one in found].count
    assert count("error") > 10 and count("ran") > 0


@pytest.mark.timeout(300)
def test_damaged_files_are_told_of():
    found = damaged.tried(12, seed=7)
    assert not run.wrong(found), told(run.wrong(found))
    count = [one["what"] for one in found].count
    assert count("error") > 4 and count("same") > 0


@pytest.mark.timeout(300)
def test_command_lines():
    found = commands.tried(12, seed=8)
    assert not run.wrong(found), told(run.wrong(found))
    count = [one["what"] for one in found].count
    assert count("error") > 4 and count("ran") > 0


@pytest.mark.timeout(300)
def test_calls():
    found = calls.tried(60, seed=7)
    assert not run.wrong(found), told(run.wrong(found))
    count = [one["what"] for one in found].count
    assert count("error") > 30 and count("ran") > 1


def test_a_name_that_no_system_takes(tmp_path, monkeypatch):
    """Wherever it is given, it is told of in one line."""
    monkeypatch.chdir(tmp_path)
    long = "a" * 300
    uses = (
        lambda: calls.sea().set(temperature=long),
        lambda: calls.simulation(directory=long).run("1h"),
        lambda: calls.simulation().restore(long).run("1h"),
        lambda: fm.open(long),
    )
    for use in uses:
        with pytest.raises(fm.Error) as error:
            use()
        assert "too long" in str(error.value) and len(str(error.value)) < 250


@pytest.mark.timeout(300)
def test_files_of_others():
    found = files.tried(30, seed=7)
    assert not run.wrong(found), told(run.wrong(found))
    count = [one["what"] for one in found].count
    assert count("error") > 10 and count("same") > 3


def told(wrong):
    return "\n".join(f"{one['what']}: {one['case']}: {one['said']}" for one in wrong)
