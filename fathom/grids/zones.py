"""Where a point lies in the coupling zone of a limited area: 0 within, 1 on the edge.

Along one edge z is the distance from the inner side, over the width. Where two zones meet, with x
and y for theirs,
    z^e = x^e + y^e,   e = 1 / (A z^n (1 - z)),   A = (n + 1)^(n + 1) / (2 n^n)
a rounded square inside, whose corners are sharp again on the edge of the area (e = 2, a circle, at
z = n / (n + 1)). As in ALADIN n is 3 for zones of up to 10 points, 2 up to 26, 1 for wider ones.
"""

from __future__ import annotations

import numpy as np


def zone_of(points: tuple[int, int], width: int) -> np.ndarray:
    """Returns z of the points (along x, along y) of an area, (ny, nx)."""
    if not width:
        return np.zeros(points[::-1])
    depth = (np.minimum(np.arange(n), n - 1 - np.arange(n)) for n in points)
    x, y = (np.maximum(1 - d / width, 0) for d in depth)
    return rounded(*np.meshgrid(x, y), 3 if width <= 10 else 2 if width <= 26 else 1)


def rounded(x: np.ndarray, y: np.ndarray, n: int) -> np.ndarray:
    """Returns z of x and y within [0, 1], by halving the interval from the larger of both to 1."""
    a = (n + 1) ** (n + 1) / (2 * n**n)
    most, least = np.maximum(x, y), np.minimum(x, y)
    meet = (least > 0) & (most < 1)
    ratio = np.divide(least, most, out=np.zeros_like(most), where=meet)
    low, high = most, np.ones_like(most)
    for _ in range(48):
        z = np.where(meet, 0.5 * (low + high), 0.5)
        e = 1 / (a * z**n * (1 - z))
        more = z < most * (1 + ratio**e) ** (1 / e)
        low, high = np.where(more, z, low), np.where(more, high, z)
    result: np.ndarray = np.where(meet, 0.5 * (low + high), most)
    return result
