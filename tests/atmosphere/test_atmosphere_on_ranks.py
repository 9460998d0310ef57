"""1 = N ranks bit for bit, whole rows or squares, and what a halo on demand brings."""

import pytest

import small_atmospheres

single = ('reduced="classical"', "mountain=1500", 'tracers=["dye"]', 'precision="fp32"')


@pytest.mark.parametrize(
    "options, on",
    [
        ((), [(3, "cartesian", 2)]),
        pytest.param((), [(2, "north-south", 1), (4, "square", 1)], marks=pytest.mark.long),
        (single, [(4, "square", 1)]),
        pytest.param(
            single,
            [(2, "square", 1), (4, "north-south", 1), (4, "equal-area", 1)],
            marks=pytest.mark.long,
        ),
        (
            (
                "stretching=2.4",
                "pole=[2.6,46.5]",
                "mountain=1500",
                'tracers=["dye"]',
                'reduced="classical"',
            ),
            [(2, "north-south", 2)],
        ),
        pytest.param(
            ("stretching=1.7", 'precision="fp32"'), [(3, "square", 1)], marks=pytest.mark.long
        ),
    ],
)
def test_same_bits_on_ranks(on_ranks, options, on):
    alone = on_ranks(1, small_atmospheres, "bits", *options)
    assert alone["received"] == alone["plans"] == 0
    for ranks, distribution, threads in on:
        assert (
            on_ranks(
                ranks,
                small_atmospheres,
                "bits",
                *options,
                f'distribution="{distribution}"',
                f"threads={threads}",
                threads=threads,
            )["checksum"]
            == alone["checksum"]
        )


def test_only_what_departures_need(on_ranks):
    """30 m/s and 20 minutes, 36 km of rows 420 km apart: at the border of two hemispheres a few
    rows of 64 points, one plan for a day.
    """
    result = on_ranks(
        2,
        small_atmospheres,
        "bits",
        "truncation=21",
        'step="1200s"',
        "steps=72",
        'distribution="north-south"',
    )
    assert 0 < result["received"] <= 4 * 64 and result["plans"] <= 2


def test_synchronised_messages_carry_the_same_bits(on_ranks):
    alone, met = (
        on_ranks(1, small_atmospheres, "bits"),
        on_ranks(2, small_atmospheres, "bits", "synchronise=true"),
    )
    assert (
        met["checksum"] == alone["checksum"]
        and met["synchronising"] > 0
        and alone["synchronising"] == 0
    )
