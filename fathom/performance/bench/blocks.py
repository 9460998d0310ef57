"""How a grid falls into blocks: how many hold water, how full they are, and the balance of each
distribution.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import numpy as np

import fathom as fm
from fathom import plots
from fathom.base import mpi
from fathom.base.failure import InputError
from fathom.base.near import near
from fathom.performance.bench.ocean import grids

distributions = ("cartesian", "rake", "space-filling")


def size_of(text: str) -> tuple[int, int]:
    """Returns (36, 24) of "36x24"."""
    width, _, height = text.partition("x")
    if not (width.isdigit() and height.isdigit()):
        raise InputError(f"blocks: block = '{text}' is not WIDTHxHEIGHT, as in 36x24")
    return int(width), int(height)


def wet_columns(name: str) -> tuple[Any, np.ndarray]:
    """Returns (grid, wet levels (ny, nx)) of a named global grid."""
    known = {**{key: value[:2] for key, value in grids.items()}, "0.1deg": ("DipoleGrid", "0.1deg")}
    if name not in known:
        raise InputError(
            f"blocks: grid = '{name}'{near(name, known) or ';'} allowed: {', '.join(known)}"
        )
    maker, resolution = known[name]
    grid = getattr(fm, maker)(resolution)
    return grid, np.asarray(grid.wet_levels)


def count(wet: np.ndarray, width: int, height: int) -> dict[str, Any]:
    """Returns blocks of width x height points: their number, how many hold water (`kept`), and the
    water share of the columns of these (`fill`).
    """
    ny, nx = wet.shape
    if not (1 <= width <= nx and 1 <= height <= ny):
        raise InputError(f"blocks: {width}x{height} points do not fit into a grid of {nx}x{ny}")
    rows, columns = np.arange(0, ny, height), np.arange(0, nx, width)
    water = np.add.reduceat(np.add.reduceat(wet > 0, rows, 0, dtype=np.int64), columns, 1)
    points = np.outer(np.diff(np.append(rows, ny)), np.diff(np.append(columns, nx)))
    kept = water > 0
    return {
        "block": [width, height],
        "blocks": int(kept.size),
        "kept": int(kept.sum()),
        "fill": float(water.sum() / points[kept].sum()),
    }


def deal(
    grid: Any, wet: np.ndarray, width: int, height: int, ranks: int, distribution: str
) -> tuple[dict[str, Any], np.ndarray]:
    """Returns the blocks on ranks: (figures, owner of each column, -1 without a block).

    balance: water of all ranks over (ranks x that of the fullest); of columns, and of cells.
    imbalance: greatest estimated time over the mean. messages: the most neighbours of a rank;
    halo_points: received by all ranks for a halo of one point.
    """
    h = grid.horizontal
    topology = mpi.core.Topology(h.nx, h.ny, h.periodic, h.fold)
    d = mpi.core.decompose(
        topology,
        np.ascontiguousarray(wet, np.int32).ravel().tolist(),
        ranks,
        width,
        height,
        distribution=distribution,
        halo=min(2, width - 1, height - 1) or 1,
    )
    owner, columns, cells = np.full(wet.shape, -1, np.int32), np.zeros(ranks), np.zeros(ranks)
    for _, i0, j0, nx, ny, rank in d.blocks:
        if rank >= 0:
            part = wet[j0 : j0 + ny, i0 : i0 + nx]
            owner[j0 : j0 + ny, i0 : i0 + nx] = rank
            columns[rank] += (part > 0).sum()
            cells[rank] += part.sum()
    messages = np.array(
        [m for m in mpi.core.halo_plan(d, "center", 1, 1).messages if m[0] != m[1]]
    ).reshape(-1, 3)
    return {
        "distribution": distribution,
        "ranks": ranks,
        "balance_columns": float(columns.mean() / columns.max()),
        "balance_cells": float(cells.mean() / cells.max()),
        "imbalance": float(d.imbalance),
        "messages": int(np.bincount(messages[:, 1], minlength=ranks).max()) if len(messages) else 0,
        "halo_points": int(messages[:, 2].sum()),
        "blocks_of_a_rank": [
            int(n)
            for n in np.percentile(
                np.bincount(d.blocks[d.blocks[:, 5] >= 0, 5], minlength=ranks), [0, 100]
            )
        ],
    }, owner


def study(
    name: str, sizes: Iterable[tuple[int, int]], ranks: int | None
) -> tuple[dict[str, Any], Any, np.ndarray | None]:
    """Returns (figures, grid, owners of the first size along the space-filling curve) of a named
    grid.
    """
    grid, wet = wet_columns(name)
    figures: dict[str, Any] = {
        "grid": name,
        "columns": int(wet.size),
        "wet_columns": int((wet > 0).sum()),
        "sizes": [],
        "distributions": [],
    }
    owners = None
    for width, height in sizes:
        figures["sizes"].append(count(wet, width, height))
        if ranks is None:
            continue
        for distribution in distributions:
            try:
                dealt, owner = deal(grid, wet, width, height, ranks, distribution)
            except ValueError as why:
                refused = {"distribution": distribution, "ranks": ranks, "refused": str(why)}
                figures["distributions"].append({"block": [width, height]} | refused)
                continue
            figures["distributions"].append({"block": [width, height]} | dealt)
            owners = owner if owners is None and distribution == "space-filling" else owners
    figures["blocks"], figures["kept"] = figures["sizes"][0]["blocks"], figures["sizes"][0]["kept"]
    return figures, grid, owners


def present(
    found: tuple[dict[str, Any], Any, np.ndarray | None], file: Path | None, picture: Path | None
) -> int:
    """Print the tables, write the figures, draw the map."""
    figures, grid, owners = found
    print(
        f"{figures['grid']}: {figures['wet_columns']:,} of {figures['columns']:,} columns are water"
    )
    print(f"\n{'block':>9} {'blocks':>8} {'kept':>8} {'dropped':>8} {'fill':>7}")
    for s in figures["sizes"]:
        print(
            f"{s['block'][0]:>5}x{s['block'][1]:<3} {s['blocks']:8} {s['kept']:8}"
            f" {s['blocks'] - s['kept']:8} {100 * s['fill']:6.1f}%"
        )
    if figures["distributions"]:
        print(
            f"\non {figures['distributions'][0]['ranks']}"
            f" ranks{'balance of':>24}{'greatest':>19}{'most':>12}{'halo':>10}"
        )
        print(
            f"{'block':>9}"
            f" {'':14}{'columns':>9}{'cells':>8}{'time / mean':>15}{'neighbours':>12}{'points':>10}"
            "  blocks of a rank"
        )
        for d in figures["distributions"]:
            if "refused" in d:
                size = f"{d['block'][0]:>5}x{d['block'][1]:<3}"
                print(f"{size} {d['distribution']:14}   {d['refused']}")
                continue
            print(
                f"{d['block'][0]:>5}x{d['block'][1]:<3}"
                f" {d['distribution']:14}{d['balance_columns']:9.3f}{d['balance_cells']:8.3f}"
                f"{d['imbalance']:15.3f}{d['messages']:12}{d['halo_points']:10}"
                f"  {d['blocks_of_a_rank'][0]}-{d['blocks_of_a_rank'][1]}"
            )
    if file:
        file.write_text(json.dumps(figures, indent=1) + "\n")
    if picture:
        if owners is None:
            raise InputError(
                "blocks: the picture shows who owns the blocks along the space-filling curve; give"
                " --ranks, for which there are blocks enough"
            )
        plots.map(
            np.where(owners >= 0, owners % 20, np.nan),
            grid.mapping(),
            title=f"Blocks of {owners.max() + 1} ranks",
            note=f"{figures['grid']}, space-filling curve; rank modulo 20",
            units="",
            limits=(-0.5, 19.5),
            colours="tab20",
        ).savefig(picture, dpi=150)
        print(picture)
    return 0
