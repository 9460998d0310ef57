"""Threads of a rank by OMP_NUM_THREADS, where nothing else says them."""

import pytest

import box
from fathom.run import launch


@pytest.mark.parametrize(
    "given, threads", [(None, 1), ("", 1), (" ", 1), ("3", 3), ("4,2", 4), (" 2 ", 2)]
)
def test_of_the_environment(given, threads, monkeypatch):
    monkeypatch.delenv("OMP_NUM_THREADS", raising=False)
    if given is not None:
        monkeypatch.setenv("OMP_NUM_THREADS", given)
    assert launch.threads_of_environment() == threads


@pytest.mark.parametrize("given", ["x", "0", "-1", "1.5", "x,2"])
def test_what_is_no_number(given, monkeypatch):
    monkeypatch.setenv("OMP_NUM_THREADS", given)
    message = f"OMP_NUM_THREADS = '{given}' must be a whole number, at least 1"
    with pytest.raises(ValueError, match=message.replace(".", r"\.")):
        launch.threads_of_environment()


@pytest.mark.parametrize("given, expected", [("", 0), ("many", 2)])
def test_a_command(given, expected, tmp_path):
    file = box.write(tmp_path)
    status, _, err = box.fathom("show", file, folder=tmp_path, OMP_NUM_THREADS=given)
    assert status == expected and ("'many' must be" in err) == bool(given)
