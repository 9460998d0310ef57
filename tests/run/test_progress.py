"""The progress line: its text, redrawn on a terminal, logged every 5 % otherwise."""

import io
import sys
from datetime import datetime
from types import SimpleNamespace

import pytest

import fathom as fm
from cases import earth
from fathom.base.failure import InputError
from fathom.base.shown import number
from fathom.run.progress import Progress, chosen, duration, line


def test_text():
    text = line(datetime(1994, 2, 14), 0.56, 14.2, "|u| ≤ 1.4 m/s  T [-1.9, 31.4] °C", 62400)
    assert (
        text
        == "1994-02-14   56%  14.2 years/day  |u| ≤ 1.4 m/s  T [-1.9, 31.4] °C  17 h 20 min left"
    )


def test_numbers_and_dates_as_people_write_them():
    text = line(datetime(2000, 1, 1, 6, 30), 1.0, 20961.3, "", 0, hours=True)
    assert text.startswith("2000-01-01 06:30  100%  21 000 years/day")
    assert [number(x, 4) for x in (20961.3, 171.23, 0.00131, 1e-7)] == [
        "20 960", "171.2", "0.00131", "1e-07",
    ]  # fmt: skip


@pytest.mark.parametrize(
    "seconds, text",
    [
        (0.254, "0.25 s"),
        (12.3, "12 s"),
        (60, "1 min"),
        (200, "3 min 20 s"),
        (62400, "17 h 20 min"),
        (3599.9, "1 h"),
        (86400 * 4 + 3 * 3600, "4 d 3 h"),
    ],
)
def test_duration(seconds, text):
    assert duration(seconds) == text


def steps(progress, number=100):
    for n in range(1, number + 1):
        simulation = SimpleNamespace(
            wall_seconds=n * 0.1,
            elapsed_seconds=n * 0.1,
            count=n,
            start_steps=0,
            time_step=3600.0,
            seconds=n * 3600.0,
            date=datetime(2000, 1, 1),
            now="|u| ≤ 1 m/s",
        )
        progress(simulation, n / number)


def test_log_has_a_line_every_5_percent():
    stream = io.StringIO()
    steps(Progress(stream, terminal=0))
    lines = stream.getvalue().splitlines()
    assert len(lines) == 20 and "\r" not in stream.getvalue()
    assert " 5%" in lines[0] and "100%" in lines[-1] and "left" not in lines[-1]


def test_log_of_a_long_run_has_a_line_every_ten_minutes():
    stream = io.StringIO()
    progress = Progress(stream, terminal=0)
    progress.every, progress.patience = 1.0, 0.95  # steps of 0.1 s
    steps(progress)
    assert len(stream.getvalue().splitlines()) == 10


def test_terminal_has_one_line():
    stream = io.StringIO()
    steps(Progress(stream, terminal=50))
    text = stream.getvalue()
    assert text.count("\n") == 1 and text.endswith("\n")
    assert all(len(piece) < 50 for piece in text.strip("\r\n").split("\r"))


@pytest.mark.parametrize("terminal", [0, 60])
def test_a_stream_of_few_signs_ends_no_run(terminal):
    stream = io.TextIOWrapper(io.BytesIO(), encoding="ascii")
    steps(Progress(stream, terminal=terminal))
    assert b"|u| ? 1 m/s" in stream.buffer.getvalue()


def test_a_notebook_has_a_bar(monkeypatch):
    shown = []
    handle = SimpleNamespace(update=shown.append)
    display = lambda first, display_id: shown.append(first) or handle
    shell = type("ZMQInteractiveShell", (), {})()
    ipython = SimpleNamespace(get_ipython=lambda: shell, display=SimpleNamespace(display=display))
    monkeypatch.setitem(sys.modules, "IPython", ipython)
    monkeypatch.setitem(sys.modules, "IPython.display", ipython.display)
    progress = chosen(True)
    steps(progress, 3)
    progress.close()
    assert len(shown) == 3 and "100%" in shown[-1]._repr_mimebundle_([], [])["text/html"]


def test_what_a_run_shows():
    assert isinstance(chosen(True), Progress) and chosen(False) is chosen(None) is None
    assert chosen(print) is print
    with pytest.raises(InputError, match="progress = 'yes' must be True, False or a function"):
        chosen("yes")


def test_a_run_logs(tmp_path, caplog, capsys):
    with caplog.at_level("INFO", "fathom"):
        simulation = fm.Simulation(earth(), "1h", directory=tmp_path)
        simulation.output("all.zarr", ["temperature"], every="1h")
        simulation.run("1h", report=False)
    assert "100%" in capsys.readouterr().err
    said = [record.getMessage() for record in caplog.records]
    assert said[0].startswith("Simulation of Ocean at 2000-01-01 to 2000-01-01 01:00:00")
    assert "all.zarr at 2000-01-01 01:00:00" in said and said[-1].startswith("1 steps in")
