"""1 = N ranks = any blocks = any threads, bit for bit; restart = no restart."""

import pytest

import cases


@pytest.fixture(scope="module")
def alone(on_ranks):
    return on_ranks(1, cases, "bits")


@pytest.mark.parametrize(
    "ranks, threads, arguments",
    [
        (3, 1, []),
        (4, 1, ["blocks=[11,9]"]),
        pytest.param(*(1, 2, []), marks=pytest.mark.long),
        pytest.param(*(2, 1, []), marks=pytest.mark.long),
        pytest.param(
            *(7, 1, ["blocks=[8,7]", 'distribution="space-filling"']), marks=pytest.mark.long
        ),
        (2, 2, ["blocks=[40,5]", 'distribution="cartesian"']),
    ],
)
def test_box_same_bits(on_ranks, alone, ranks, threads, arguments):
    assert (
        on_ranks(ranks, cases, "bits", f"threads={threads}", *arguments, threads=threads)[
            "checksum"
        ]
        == alone["checksum"]
    )
    assert alone["speed"] > 1e-3


@pytest.mark.parametrize(
    "ranks, arguments",
    [
        (3, ["blocks=[17,13]", 'distribution="space-filling"']),
        pytest.param(2, [], marks=pytest.mark.long),
    ],
)
def test_globe_same_bits(on_ranks, ranks, arguments):
    """Across the fold of the tripolar grid, with dropped land blocks and real forcing."""
    one = on_ranks(1, cases, "bits", 'case="globe"', "steps=2")
    assert (
        on_ranks(ranks, cases, "bits", 'case="globe"', "steps=2", *arguments)["checksum"]
        == one["checksum"]
    )


@pytest.mark.parametrize(
    "schemes",
    [
        ['advection="UpwindAdvection"', 'friction="BiharmonicFriction"', 'precision="fp32"'],
        [
            'advection="QuickestAdvection"',
            'mixing="KPP"',
            'eddies={"diffusivity": 500}',
            'preconditioner="diagonal"',
        ],
    ],
)
def test_schemes_same_bits(on_ranks, schemes):
    assert (
        on_ranks(1, cases, "bits", *schemes)["checksum"]
        == on_ranks(3, cases, "bits", "blocks=[13,8]", *schemes)["checksum"]
    )
