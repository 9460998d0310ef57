"""What Fathom says of itself and of the machine."""

import json
import subprocess

import box
from fathom.run import doctor, launch


def test_the_version_says_what_was_built_and_what_runs(tmp_path):
    status, out, err = box.fathom("--version", folder=tmp_path)
    assert (status, err) == (0, "")
    version, commit, mpi = out.splitlines()
    assert version.startswith("fathom, version 0.") and commit.startswith("commit ")
    assert "MPI" in mpi


def test_the_doctor_looks_at_all_that_a_run_needs(tmp_path):
    status, out, err = box.fathom("doctor", "--json", "found.json", folder=tmp_path)
    assert (status, err) == (0, "")
    found = {row["name"]: row for row in json.loads((tmp_path / "found.json").read_text())}
    for name in ("packages", "core", "MPI", "BLAS", "threads", "disk", "cache", "compiler"):
        assert found[name]["text"], name
    assert "two ranks met" in found["launcher"]["text"] and not found["launcher"]["wrong"]
    assert all(name in out for name in found)


def test_two_ranks_may_write_in_any_order(monkeypatch):
    """Both lines may lie in one another: both numbers, then both ends of lines."""
    monkeypatch.setattr(doctor.launch, "mpiexec", lambda: "mpiexec")
    monkeypatch.setattr(doctor.launch, "on_this_machine", list)
    for said, wrong in (("22\n\n", ""), ("2\n2\n", ""), ("1\n1\n", "two ranks do not meet")):
        done = subprocess.CompletedProcess([], 0, said, "")
        monkeypatch.setattr(doctor.subprocess, "run", lambda *_, done=done, **__: done)
        (row,) = doctor._launcher("launcher")
        assert row.wrong.startswith(wrong) and bool(row.wrong) == bool(wrong)


def test_what_is_missing_is_named(monkeypatch):
    def none():
        raise launch.LaunchError("there is no mpiexec here")

    monkeypatch.setattr(launch, "mpiexec", none)
    monkeypatch.setenv("CXX", "no-such-compiler")
    monkeypatch.setenv("OMP_NUM_THREADS", "4096")
    found = {row.name: row for row in doctor.rows()}
    assert "no mpiexec" in found["launcher"].wrong and not found["launcher"].needed
    assert "no-such-compiler" in found["compiler"].wrong
    assert "OMP_NUM_THREADS" in found["threads"].wrong
    assert not found["core"].wrong
