"""Staging: everything comes to its place, in order and complete; a full folder is not used; damage
there is an error.
"""

import errno
import os
import subprocess
import sys
import threading
import time

import numpy as np
import pytest

from fathom.output import files
from fathom.output.staging import Stage, together


def test_everything_is_delivered_in_order(tmp_path):
    stage, came = Stage(tmp_path), []
    hold = threading.Event()
    for n in range(20):
        stage.put(
            [np.full(100, n, np.uint8), b"end"],
            lambda data, n=n: (hold.wait(5), came.append((n, bytes(data)))),
        )
    ticket = stage.put_so_far
    assert not stage.is_delivered(ticket) and len(list(stage.folder.iterdir())) > 0
    hold.set()
    stage.wait(ticket)
    assert (
        stage.is_delivered(ticket)
        and came == [(n, bytes([n]) * 100 + b"end") for n in range(20)]
        and stage.bytes == 20 * 103
    )
    rates = together([stage.figures, stage.figures])
    assert rates["bytes"] == 2 * stage.bytes and rates["megabytes_a_second_delivering"] > 0
    assert together([]) == {}
    stage.close()
    assert not list(tmp_path.iterdir())


def test_what_killed_runs_have_left_is_deleted(tmp_path):
    """The folder of a process that was killed goes; those of a living one and of others stay."""
    code = (
        "import os, sys; from fathom.output.staging import Stage; stage = Stage(sys.argv[1]);"
        " open(stage.folder / 'piece', 'w'); print(stage.folder); os.kill(os.getpid(), 9)"
    )
    made = subprocess.run(
        [sys.executable, "-c", code, str(tmp_path)], stdout=subprocess.PIPE, text=True
    )
    left = next(tmp_path.iterdir())
    assert made.returncode == -9 and (left / "piece").exists()
    other = tmp_path / "fathom-of-somebody"
    other.mkdir()
    living = Stage(tmp_path)
    assert left.exists()  # it has just been made
    for folder in (left, living.folder, other):
        os.utime(folder, (1e9, 1e9))
    again = Stage(tmp_path)
    assert not left.exists() and living.folder.exists() and other.exists()
    living.close()
    again.close()
    assert list(tmp_path.iterdir()) == [other]


def full(*_):
    raise OSError(errno.ENOSPC, "No space left on device")


def test_a_full_folder_is_passed_by(tmp_path, monkeypatch):
    monkeypatch.setattr(files, "write", full)
    stage, came = Stage(tmp_path), []
    stage.put([b"a", b"b"], lambda data: came.append(bytes(data)))
    assert came == [b"ab"] and stage.passed_by == 1 and stage.is_delivered(stage.put_so_far)
    stage.close()


def test_what_passes_by_the_folder_keeps_its_turn(tmp_path, monkeypatch):
    stage, came, hold, begun = Stage(tmp_path), [], threading.Event(), threading.Event()
    stage.put([b"1"], lambda data: (begun.set(), hold.wait(5), came.append(bytes(data))))
    first, write = stage.put_so_far, files.write
    begun.wait(5)
    monkeypatch.setattr(
        files, "write", lambda file, *rest: full() if file.name == "2" else write(file, *rest)
    )
    other = threading.Thread(
        target=lambda: stage.put([b"2"], lambda data: came.append(bytes(data)))
    )
    other.start()
    while stage.put_so_far < 2:
        time.sleep(0.001)
    assert not stage.is_delivered(first)
    hold.set()
    other.join()
    assert came == [b"1", b"2"] and stage.is_delivered(2)
    stage.close()


def test_damage_in_the_folder_and_errors_of_the_place(tmp_path):
    stage, hold = Stage(tmp_path), threading.Event()
    stage.put([b"first"], lambda data: hold.wait(5))
    stage.put([b"second"], lambda data: None)
    (stage.folder / "2").write_bytes(b"sekond")
    hold.set()
    with pytest.raises(OSError, match="is damaged"):
        stage.wait()
    with pytest.raises(OSError, match="is damaged"):
        stage.close()
    stage = Stage(tmp_path)

    def no_room(data):
        raise OSError(errno.ENOSPC, "no room")

    stage.put([b"x"], no_room)
    with pytest.raises(OSError, match="no room"):
        stage.close()
    with pytest.raises(OSError, match="folder for staging"):
        Stage(tmp_path / "nowhere")
    assert not list(tmp_path.iterdir())
