"""The benchmark of kernels and the sweep of tiles at their smallest."""

import json

import pytest

import box


def test_bench_kernels(tmp_path):
    file = tmp_path / "k.json"
    status, out, err = box.fathom(
        "bench",
        "kernels",
        "--truncation",
        21,
        "--levels",
        8,
        "--repetitions",
        1,
        "--json",
        file,
        folder=tmp_path,
    )
    assert (status, err) == (0, "") and "of its limit" in out and "times as long" in out
    kernels = {k["name"]: k for k in json.loads(file.read_text())["kernels"]}
    wanted = {
        "quasi-monotone interpolation",
        "quasi-cubic interpolation",
        "trilinear interpolation",
        "interpolation weights",
        "departure points",
        "halo packing",
        "Legendre transform",
        "Fourier transform",
        "semi-implicit solve",
        "horizontal diffusion",
        "PrimitiveEquations",
        "HydrostaticGeopotential",
        "Radiation",
        "BettsMiller",
        "KProfileDiffusion",
        "VerticalDiffusion",
    }
    assert wanted <= set(kernels)
    measured = [k for k in kernels.values() if k["limit"] != "not measured"]  # beside other work
    assert len(measured) > len(kernels) // 2
    for k in measured:
        assert (
            k["seconds"] > 0
            and k["fraction"] > 0
            and k["gflops"] * k["seconds"] * 1e9 == pytest.approx(k["operations"], abs=1)
        )


def test_one_kernel_and_an_unknown_one(tmp_path):
    small = ("bench", "kernels", "--truncation", 21, "--levels", 8, "--repetitions", 1, "--kernel")
    status, out, _ = box.fathom(*small, "Legendre transform", folder=tmp_path)
    assert status == 0 and "Legendre transform" in out and "BettsMiller" not in out
    status, _, err = box.fathom(*small, "BettsMilner", folder=tmp_path)
    assert status == 2 and "did you mean 'BettsMiller'" in err


def test_tiles_change_no_bit(tmp_path):
    file, picture = tmp_path / "t.json", tmp_path / "t.png"
    status, out, err = box.fathom(
        "bench",
        "atmosphere",
        "--case",
        "physics-t31l8",
        "--tile",
        "16,2046,measured",
        "--steps",
        6,
        "--spin-up",
        2,
        "--json",
        file,
        "--out",
        picture,
        folder=tmp_path,
    )
    assert (status, err) == (0, "") and "the same bits" in out and picture.stat().st_size > 10_000
    tiles = json.loads(file.read_text())["tiles"]
    assert [t["tile"] for t in tiles] == [16, 2046, "measured"] and len(
        {t["checksum"] for t in tiles}
    ) == 1
    status, _, err = box.fathom("bench", "atmosphere", "--tile", "16,best", folder=tmp_path)
    assert status == 2 and "tile = 'best'" in err
