"""fathom bench output: the same stores from all variants, figures that fit together, mistakes."""

import json

import pytest

import box


@pytest.mark.long
def test_figures_fit_together(tmp_path):
    file, picture = tmp_path / "output.json", tmp_path / "steps.png"
    status, out, err = box.fathom(
        "bench",
        "output",
        "--case",
        "ocean-3deg",
        "--for",
        "12h",
        "--every",
        "4h",
        "--ranks",
        1,
        "--disk",
        400,
        "--paced",
        "--json",
        file,
        "--out",
        picture,
        folder=tmp_path,
    )
    assert (
        (status, err) == (0, "")
        and "the same byte for byte" in out
        and picture.stat().st_size > 5000
    )
    f = json.loads(file.read_text())
    assert (
        f["same_bytes"]
        and f["times"] == 4
        and f["copy_seconds_per_output"] > 0
        and f["pace_seconds_per_step"] > 0
        and 0 < f["output_share_of_processor"] < 1
        and 0 < f["gather_share_of_output"] < 1
    )
    assert set(f["run_seconds"]) == {
        "without_output",
        "synchronous",
        "servers_1",
        "servers_2",
    } and set(f["stall_seconds_per_output"]) == set(f["run_seconds"]) - {"without_output"}
    for name, protocol in f["protocol"].items():
        assert (
            protocol["events"] + protocol["fallen_back"] == 4
            and len(protocol["serving"]) == int(name[-1])
            and f["megabytes_per_second"][name] > 0
        )
    assert all(
        len(steps) == 5 for steps in f["step_seconds"].values()
    )  # of six; the first has nothing before it


@pytest.mark.long
def test_mistakes(tmp_path):
    for arguments, message in (
        (("--case", "ocean-2deg"), "ocean-1deg"),
        (("--case", "ocean-3deg", "--every", "3h"), "not a whole number of steps"),
    ):
        status, _, err = box.fathom("bench", "output", *arguments, folder=tmp_path)
        assert status in (1, 2) and message in err and "Traceback" not in err
