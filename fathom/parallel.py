"""How a simulation is spread over a machine: what `Simulation(parallel=...)` and [parallel] take. It never changes a bit of the answer."""

from fathom.grids.arguments import integer
from fathom.names import near

usual = {"threads": 1, "blocks": None, "distribution": "auto", "tile": "measured", "synchronise": False}
tiles = {"measured": -1, "cache": 0}  # as the core takes them


def checked(given):
    """All of `usual`, with what was given; ValueErrors of what cannot be."""
    for name in given:
        if name not in usual:
            raise ValueError(f"unknown key '{name}' of parallel{near(name, usual) or ';'} allowed: {', '.join(usual)}")
    how = usual | given
    if integer("threads", how["threads"]) < 1:
        raise ValueError(f"threads = {how['threads']!r} must be at least 1")
    if not isinstance(how["synchronise"], bool):
        raise ValueError(f"synchronise = {how['synchronise']!r} must be true or false")  # noqa: TRY004  all errors of the user are ValueErrors
    columns(how["tile"])
    return how


def columns(tile):
    """A tile as the core takes it: columns, 0 by the cache, -1 measured."""
    if isinstance(tile, str) and tile in tiles:
        return tiles[tile]
    if isinstance(tile, bool) or not isinstance(tile, int) or tile < 0:
        raise ValueError(f"parallel tile = {tile!r} must be a number of columns, {' or '.join(map(repr, tiles))}")
    return tile
