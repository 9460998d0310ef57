"""A halo that is as wide everywhere, on rows of a sphere or a plane: what each rank receives."""

from __future__ import annotations

import numpy as np

segment = 8  # points that a halo on demand asks for at once


def messages_between(
    source: np.ndarray, target: np.ndarray, number: np.ndarray, ranks: int
) -> np.ndarray:
    """Returns (from, to, how many together) between different ranks."""
    keep = (source != target) & (number > 0)
    pairs, where = np.unique(
        source[keep].astype(np.int64) * ranks + target[keep], return_inverse=True
    )
    return np.stack(
        [
            pairs // ranks,
            pairs % ranks,
            np.bincount(where, number[keep], len(pairs)).astype(np.int64),
        ],
        axis=1,
    )


def halo_everywhere(
    blocks: np.ndarray, points: np.ndarray, reach: int, ranks: int, plane: bool = False
) -> np.ndarray:
    """Returns the halo of blocks whose trajectories come from at most so many rows away, and as far
    along the rows.
    """
    if not reach or ranks == 1:
        return np.zeros((0, 3), np.int64)
    ny = len(points)
    owner = np.full(
        (ny, -(-int(points.max()) // segment)), -1
    )  # of the first point of each segment
    for _, i0, j0, width, height, rank in blocks:
        owner[j0 : j0 + height, i0 // segment : -(-(i0 + width) // segment)] = rank
    found = []
    longest = points.max()  # and the cosine of the latitude
    distance = np.ones(ny) if plane else np.sin(np.pi * (np.arange(ny) + 0.5) / ny)
    for _, i0, j0, width, height, rank in blocks:
        for j in range(max(j0 - reach, 0), min(j0 + height + reach, ny)):
            count = -(-int(points[j]) // segment)
            beside = min(longest, reach / distance[j]) * points[j] / longest
            first, last = (
                int((i0 * points[j] / longest - beside) // segment),
                int((min(i0 + width, longest) * points[j] / longest + beside - 1) // segment),
            )
            wanted = np.arange(first, min(last, first + count - 1) + 1) % count
            found.append(
                np.stack(
                    [owner[j, wanted], np.full(len(wanted), rank), np.full(len(wanted), segment)],
                    axis=1,
                )
            )
    source, target, number = np.concatenate(found).T
    return messages_between(source[source >= 0], target[source >= 0], number[source >= 0], ranks)
