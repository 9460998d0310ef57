"""Simulations in threads take turns; a process that is forked after a run goes on."""

import multiprocessing
import threading

import pytest

import cases
import fathom as fm
from fathom.base import turns


def checksum(folder, threads=1):
    """Of a day of a small ocean."""
    ocean = cases.box(nx=12, ny=10, nz=3).set(temperature=10.0, salinity=35.0)
    wind = fm.SurfaceForcing(stress_x=0.1)
    simulation = fm.Simulation(
        ocean, "1h", directory=folder, surface=wind, parallel={"threads": threads}
    )
    simulation.run("1d", report=False, progress=False)
    return simulation.checksum()


def test_threads_beside_each_other(tmp_path):
    found, alone = {}, checksum(tmp_path / "alone")
    threads = [
        threading.Thread(target=lambda n=n: found.__setitem__(n, checksum(tmp_path / f"{n}")))
        for n in range(3)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    assert found == dict.fromkeys(range(3), alone)


@pytest.mark.skipif("fork" not in multiprocessing.get_all_start_methods(), reason="no fork here")
@pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")
def test_fork_after_a_run_with_threads(tmp_path):
    """OpenMP's threads of the parent are not in the copy."""
    alone = checksum(tmp_path / "alone", threads=2)
    with multiprocessing.get_context("fork").Pool(1) as pool:
        copy = pool.apply_async(checksum, (tmp_path / "copy", 2))
        assert copy.get(timeout=60) == alone
    assert checksum(tmp_path / "again", threads=2) == alone


def test_one_waits_for_the_other(monkeypatch):
    held, done, order = threading.Event(), threading.Event(), []

    def other():
        with turns.turn():
            held.set()
            done.wait(10)
            order.append("other")

    thread = threading.Thread(target=other)
    thread.start()
    held.wait(10)
    monkeypatch.setattr(turns, "_ranks", lambda: 2)
    with pytest.raises(ValueError, match="on 2 ranks, which would wait"), turns.turn():
        pass
    monkeypatch.undo()
    done.set()
    with turns.turn(), turns.turn():
        order.append("this")
    thread.join(10)
    assert order == ["other", "this"]


def test_copy_of_a_rank(monkeypatch):
    monkeypatch.setattr(turns, "_forked", True)
    with pytest.raises(ValueError, match=r"of one of several ranks.*spawn"), turns.turn():
        pass
