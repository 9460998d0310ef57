"""Colour maps of even lightness steps, after cmocean (Thyng et al. 2016,
doi:10.5670/oceanog.2016.66).
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import Any

import numpy as np

from fathom.base.failure import InputError
from fathom.base.near import unknown

land = "#d4d3cf"
coast = "#77756f"
ink = "#22303c"
faint = "#8a949c"
phases = ["#1f6f8b", "#e08e45", "#7a5195", "#5c9e6e", "#c8553d", "#99a8b2", "#b59a3c", "#4b6fb5"]
# What a rank does, and the phases of a step: one colour each in all charts of a page.
state_colours = {
    "tracer update": phases[2],
    "baroclinic": phases[0],
    "baroclinic boundary": "#9fd0de",
    "barotropic": phases[1],
    "barotropic boundary": "#f6d2ab",
    "solver": phases[4],
    "sum": phases[6],
    "halo": "#9fd0de",
    "other": phases[5],
    "computing": phases[3],
    "communication": phases[6],
    "waiting": "#8c2f39",
    "boundary": "#9fd0de",
    "physics": phases[3],
    "dynamics": phases[0],
    "surface": "#8fae5d",
    "tracer": phases[2],
    "semi-Lagrangian": phases[1],
    "spectral": phases[4],
    "output": phases[7],
    "input": "#a3b6dd",
    "run": "#5d6b75",
    "others": phases[5],
    "output and the rest": "#d9dee2",
}


def mixed(colour: str, other: str, share: float) -> str:
    """Returns a colour with a share of another in it."""
    parts = [[int(c[n : n + 2], 16) for n in (1, 3, 5)] for c in (colour, other)]
    return "#" + "".join(f"{round(a + share * (b - a)):02x}" for a, b in zip(*parts))


def colours_of(states: Sequence[str]) -> dict[str, str]:
    """Returns a colour for each state: always the same for those that are known."""
    free = [
        c for c in phases if c not in {state_colours[s] for s in states if s in state_colours}
    ] or list(phases)
    unknown = [s for s in states if s not in state_colours]
    return {
        s: state_colours[s] if s in state_colours else free[unknown.index(s) % len(free)]
        for s in states
    }


_points = {
    "thermal": [
        "#042333",
        "#0f2a5e",
        "#2c3395",
        "#5a3d94",
        "#744992",
        "#96558f",
        "#b15f82",
        "#cf6a6b",
        "#eb7958",
        "#f79a45",
        "#fbb43d",
        "#f5d74a",
        "#e8fa5b",
    ],
    "haline": ["#2a186c", "#14439c", "#206e8b", "#3c9387", "#5ab978", "#aad85c", "#fdef9a"],
    "speed": [
        "#0a1128",
        "#132a55",
        "#1c4f82",
        "#2679a0",
        "#3fa3a6",
        "#79c8a4",
        "#c3e6a5",
        "#fdf7b8",
    ],
    "deep": ["#fdfecc", "#a5dfa7", "#5dbaa4", "#488e9e", "#3e6495", "#3f396c", "#281a2c"],
    "weather": [
        "#3b0f5c",
        "#5b2a8c",
        "#4550b8",
        "#2f7fd0",
        "#49aede",
        "#8ad3e0",
        "#c9ecd9",
        "#f3f3c0",
        "#fbdc82",
        "#f7b14f",
        "#ee7d36",
        "#d8452e",
        "#a81e33",
        "#66102f",
    ],
    "wind": [
        "#ffffff",
        "#dfe9f3",
        "#b3d3e8",
        "#7db8da",
        "#4d97c9",
        "#3b6fb5",
        "#5b4ba5",
        "#8a3d99",
        "#b83280",
        "#d8485a",
        "#ee7b3f",
        "#f8b84a",
    ],
    "rain": [
        "#fdfdfb",
        "#dceef2",
        "#b0d9e6",
        "#73b9d8",
        "#3f8fc4",
        "#2c64a8",
        "#2f3d8f",
        "#5a2d82",
        "#8d2f7d",
        "#c23b6e",
        "#ec6a57",
    ],
    "moisture": [
        "#f7f3e3",
        "#e3e6c3",
        "#bcdcb0",
        "#84cbab",
        "#4fb3ad",
        "#3291ab",
        "#2b6c9c",
        "#2d4583",
        "#2b2460",
    ],
    "dense": ["#e6f1f1", "#a2cee2", "#76a4e5", "#7871d5", "#7642a5", "#621d62", "#360e24"],
    "balance": [
        "#181c43",
        "#1b4f9e",
        "#3e8fc4",
        "#9cc6d6",
        "#f4f1ef",
        "#e0ad97",
        "#cd6750",
        "#9f2233",
        "#3c0911",
    ],
    "drift": ["#f2b134", "#e8743b", "#c8385a", "#85297f", "#3b2277"],
    "drifting sea": ["#edf2f4", "#dfe8ec"],
    "height": [
        "#13293d",
        "#1f4e79",
        "#3b82b0",
        "#8fc1d4",
        "#eef3ee",
        "#f3d9a4",
        "#e59a53",
        "#b9502f",
        "#5e1f1a",
    ],
}

diverging = {"balance", "height"}


@cache
def colour_map(name: str) -> Any:
    """Returns the matplotlib colour map of that name: ours, or else one of matplotlib's own
    (ValueError).
    """
    import matplotlib
    from matplotlib.colors import ListedColormap, to_rgb

    if name not in _points:
        if name not in matplotlib.colormaps:
            raise InputError(unknown("colour map", name, [*_points, *matplotlib.colormaps]))
        return matplotlib.colormaps[name]
    points = _to_oklab(np.array([to_rgb(colour) for colour in _points[name]]))
    at = np.linspace(0, len(points) - 1, 256)
    smooth = np.stack(
        [np.interp(at, np.arange(len(points)), points[:, c]) for c in range(3)], axis=1
    )
    return ListedColormap(np.clip(_from_oklab(smooth), 0, 1), name=name)


_to_cone = np.array(
    [
        [0.4122214708, 0.5363325363, 0.0514459929],
        [0.2119034982, 0.6806995451, 0.1073969566],
        [0.0883024619, 0.2817188376, 0.6299787005],
    ]
)
_to_lab = np.array(
    [
        [0.2104542553, 0.7936177850, -0.0040720468],
        [1.9779984951, -2.4285922050, 0.4505937099],
        [0.0259040371, 0.7827717662, -0.8086757660],
    ]
)


def _to_oklab(rgb: np.ndarray) -> np.ndarray:
    linear = np.where(rgb <= 0.04045, rgb / 12.92, ((rgb + 0.055) / 1.055) ** 2.4)
    result: np.ndarray = np.cbrt(linear @ _to_cone.T) @ _to_lab.T
    return result


def _from_oklab(lab: np.ndarray) -> np.ndarray:
    linear = np.clip((lab @ np.linalg.inv(_to_lab).T) ** 3 @ np.linalg.inv(_to_cone).T, 0, None)
    result: np.ndarray = np.where(
        linear <= 0.0031308, 12.92 * linear, 1.055 * linear ** (1 / 2.4) - 0.055
    )
    return result
