#!/usr/bin/env python3
"""The area that thirty great rivers drain, on the shipped heights of 1/4 degree, against published
ones.

    python docs/results/river_basins.py [--json FILE] [--oracle]

A basin is the largest one that passes a cell within 1.4 degrees of a place on the lower course.
Published areas are those at the mouth in Dai & Trenberth (2002, J. Hydrometeorol. 3, 660-687,
table 2), else those that are commonly given; others differ from these by up to half. --oracle: the
basins of `pyflwdir` (PyPI; Wang & Liu 2006) on the same carved heights: its code is another's, and
its rule of the way over flats. It is no part of Fathom.
"""

from __future__ import annotations

import argparse
import json
from typing import Any

import numpy as np

from fathom.grids import drainage

NEAR = 1.4  # degrees
# name: longitude and latitude of a place on the lower course [degrees], published area [1e3 km2]
RIVERS = {
    "Amazon": (-51.5, -1.0, 5854),
    "Congo": (12.9, -5.9, 3699),
    "Nile": (31.0, 30.6, 3255),
    "Mississippi": (-90.5, 30.0, 3203),
    "Paraná": (-59.5, -33.7, 2661),
    "Yenisey": (83.5, 69.9, 2582),
    "Ob": (68.5, 66.5, 2570),
    "Lena": (127.0, 71.5, 2418),
    "Niger": (6.6, 5.3, 2240),
    "Amur": (140.0, 52.7, 1855),
    "Changjiang": (120.5, 31.9, 1794),
    "Mackenzie": (-134.5, 68.3, 1713),
    "Ganges and Brahmaputra": (90.2, 23.4, 1539),
    "Zambezi": (35.8, -18.2, 1390),
    "Saint Lawrence": (-72.0, 46.5, 1267),
    "Indus": (68.0, 24.6, 1143),
    "Murray": (139.4, -35.0, 1061),
    "Nelson": (-93.6, 56.8, 1047),
    "Orinoco": (-62.3, 8.5, 1039),
    "Orange": (16.8, -28.5, 973),
    "Shatt al-Arab": (47.9, 30.6, 880),
    "Yukon": (-163.0, 62.2, 852),
    "Danube": (28.5, 45.3, 788),
    "Mekong": (105.5, 11.0, 774),
    "Tocantins": (-49.3, -2.5, 769),
    "Huanghe": (118.3, 37.5, 752),
    "Columbia": (-123.2, 46.1, 724),
    "Kolyma": (160.5, 69.0, 666),
    "Colorado": (-114.8, 32.3, 640),
    "São Francisco": (-36.7, -10.3, 615),
}


def basins(latitude: np.ndarray, longitude: np.ndarray, area: np.ndarray) -> dict[str, float]:
    """Returns the drained area of each river [1e3 km2], of those of cells (cells,) [m2] at latitude
    and longitude [degrees].
    """
    found = {}
    for name, (x, y, _) in RIVERS.items():
        east = np.abs((longitude - x + 180) % 360 - 180)
        near = (east <= NEAR) & (np.abs(latitude - y) <= NEAR)
        found[name] = float(area[near].max()) / 1e9
    return found


def of_fathom() -> dict[str, float]:
    """Returns the drained area of each river [1e3 km2]."""
    ways = drainage.of_earth()
    return basins(*ways.places(ways.cells), ways.drained(ways.area))


def of_oracle() -> tuple[dict[str, float], float]:
    """Returns the drained areas of `pyflwdir` [1e3 km2], and the share of cells above 1e5 km2, but
    for Antarctica, of which both have the same area within 10 %.
    """
    import pyflwdir
    from affine import Affine

    ways = drainage.of_earth()
    height, land = drainage.carved_earth()
    cut = int(np.searchsorted(ways.longitude, 191))  # its map ends in Bering Strait
    values = np.roll(np.where(land, height, -9999.0), -cut, 1)[::-1].astype(np.float32)
    step = 180 / ways.latitude.size
    transform = Affine(step, 0, ways.longitude[cut] - step / 2, 0, -step, 90)
    found = pyflwdir.from_dem(values, nodata=-9999.0, transform=transform, latlon=True)
    area = np.roll(found.upstream_area("km2")[::-1], cut, 1) * 1e6
    theirs, own = area.ravel()[ways.cells], ways.drained(ways.area)
    latitude, longitude = ways.places(ways.cells)
    large = (own > 1e11) & (latitude > -60)
    same = np.abs(theirs[large] / own[large] - 1) < 0.1
    return basins(latitude, longitude, theirs), float(same.mean())


def table() -> dict[str, Any]:
    """Returns areas of each river, and how many lie within a factor 2 and within 25 %."""
    found = of_fathom()
    ratio = {name: area / RIVERS[name][2] for name, area in found.items()}
    return {
        "area": {name: round(area) for name, area in found.items()},
        "within_factor_2": sum(0.5 <= r <= 2 for r in ratio.values()),
        "within_25_percent": sum(0.8 <= r <= 1.25 for r in ratio.values()),
    }


def main() -> None:
    """Prints the table of the page."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--json")
    parser.add_argument("--oracle", action="store_true")
    arguments = parser.parse_args()
    found = table()
    print("| river | published, 10³ km² | here | ratio |\n|---|---|---|---|")
    for name, area in found["area"].items():
        published = RIVERS[name][2]
        print(f"| {name} | {published} | {area} | {area / published:.2f} |")
    if arguments.oracle:
        other, same = of_oracle()
        found["oracle"], found["same_as_oracle"] = other, same
        near = sum(abs(other[name] / area - 1) < 0.1 for name, area in found["area"].items())
        print(f"same area of pyflwdir within 10 %: of {near} rivers, of {same:.1%} of the cells")
    print(f"within a factor 2: {found['within_factor_2']}; in 25 %: {found['within_25_percent']}")
    if arguments.json:
        with open(arguments.json, "w", encoding="utf-8") as file:
            json.dump(found, file, indent=1, ensure_ascii=False)


if __name__ == "__main__":
    main()
