"""The checks in one command: chosen by name, those that fail are shown and make it fail."""

import importlib.util
import sys
from pathlib import Path

import pytest

file = Path(__file__).resolve().parents[2] / "tools" / "check.py"
specification = importlib.util.spec_from_file_location("check", file)
check = importlib.util.module_from_spec(specification)
sys.modules["check"] = check  # where its dataclass looks for types
specification.loader.exec_module(check)


@pytest.fixture
def two(monkeypatch):
    python = [sys.executable, "-c"]
    commands = {"good": [*python, "print('fine')"], "bad": [*python, "exit('line 7 is odd')"]}
    monkeypatch.setattr(check, "commands", lambda: commands)


def test_what_fails_is_shown(two, capsys):
    assert check.main([]) == 1
    told = capsys.readouterr().out
    assert "line 7 is odd" in told and "fine" not in told
    assert "ok    good" in told and "FAILS bad" in told


def test_some_by_name(two, capsys):
    assert check.main(["good"]) == 0
    assert "bad" not in capsys.readouterr().out


def test_names_that_are_not_there(two, capsys):
    assert check.main(["god"]) == 2
    assert "god; there are good, bad" in capsys.readouterr().err


def test_a_program_that_is_missing(capsys, monkeypatch):
    monkeypatch.setattr(check, "commands", lambda: {"lost": ["/no/such/program"]})
    assert check.main([]) == 1
    assert "make check" in capsys.readouterr().out
