"""Tables of a profile (fathom.base.regions), as lines of text and as HTML: by exclusive time; by
elapsed time with communication; imbalance by rank; efficiencies.
"""

from __future__ import annotations

import html
from collections.abc import Mapping, Sequence
from typing import Any

from fathom.base.regions import exclusive, tree
from fathom.plots.report.markup import escaped, table

Record = Mapping[str, Any]


def by_exclusive_time(
    records: Sequence[Record], rates: Mapping[str, Record] | None = None, share: float = 0.002
) -> tuple[list[str], list[list[str]]]:
    """Returns head and rows: each name once, the longest first, those that took less than a share
    of the whole together. rates: GF/s, GB/s, the fraction of the machine's limit, the part of
    the arithmetic in vectors, mean numbers of an instruction, and the cache that holds the data,
    where known.
    """
    wall, rates = records[0]["elapsed"] or 1.0, rates or {}
    held = exclusive(records)
    rows = [
        [
            r["region"],
            r["phase"],
            f"{r['calls']:.0f}",
            f"{r['seconds']:.4f}",
            f"{100 * r['seconds'] / wall:.2f}",
            f"{1e3 * r['seconds'] / max(r['calls'], 1):.4f}",
            *([f"{r['minimum']:.4f}", f"{r['maximum']:.4f}"]),
            *(_rates(rates.get(r["region"])) if rates else []),
        ]
        for r in held
        if r["seconds"] >= share * wall
    ]
    rest = sum(r["seconds"] for r in held if r["seconds"] < share * wall)
    sums = {f"{len(held) - len(rows)} others": rest} if rest else {}
    sums["all"] = sum(r["seconds"] for r in held)
    empty = [""] * (10 if rates else 3)
    rows += [
        [name, "", "", f"{seconds:.4f}", f"{100 * seconds / wall:.2f}", *empty]
        for name, seconds in sums.items()
    ]
    return [
        "region",
        "phase",
        "calls",
        "seconds",
        "%",
        "mean [ms]",
        "least [s]",
        "most of a rank [s]",
        *(["GF/s", "GB/s", "of limit", "limit", "in vectors", "lanes", "data in"] if rates else []),
    ], rows


def _rates(found: Record | None) -> list[str]:
    if not found:
        return [""] * 7
    vectors = "in_vectors" in found
    return [
        f"{found['gflops']:.1f}" if found["operations"] else "",
        f"{found['gigabytes_per_second']:.1f}" if found["bytes"] else "",
        f"{100 * found['fraction']:.0f} %",
        found["limit"],
        f"{100 * found['in_vectors']:.0f} %" if vectors else "",
        f"{found['lanes']:.1f}" if vectors else "",
        found.get("data_in", ""),
    ]


def by_elapsed_time(
    records: Sequence[Record], share: float = 0.002
) -> tuple[list[str], list[list[str]]]:
    """Returns head and rows: the tree of regions; communication and waiting are in
    seconds, and in percent of the elapsed ones.
    """
    wall = records[0]["elapsed"] or 1.0
    rows = []
    for r, depth in tree(records):
        if r["elapsed"] < share * wall:
            continue
        elapsed = r["elapsed"] or 1.0
        moved = (
            [
                f"{r['communication']:.4f}",
                f"{100 * r['communication'] / elapsed:.1f}",
                f"{r['waiting']:.4f}",
                f"{100 * r['waiting'] / elapsed:.1f}",
            ]
            if r["communication"]
            else [""] * 4
        )
        messages = (
            [f"{r['messages']:.0f}", length(r["bytes"] / r["messages"]), length(r["bytes"])]
            if r["messages"]
            else [""] * 3
        )
        rows.append(
            [
                "\u2003" * depth + r["region"],
                f"{r['calls']:.0f}",
                f"{r['elapsed']:.4f}",
                f"{100 * r['elapsed'] / wall:.2f}",
                *moved,
                *messages,
            ]
        )
    return [
        "region",
        "calls",
        "elapsed [s]",
        "%",
        "communication [s]",
        "%",
        "waiting [s]",
        "%",
        "messages",
        "mean size",
        "total size",
    ], rows


def length(size: float) -> str:
    """Returns 24 B, 1.59 kB, 7.8 MB."""
    return next(
        f"{size / unit:.3g} {name}"
        for unit, name in ((1e9, "GB"), (1e6, "MB"), (1e3, "kB"), (1, "B"))
        if size >= unit or unit == 1
    )


def of_ranks(metrics: Mapping[str, float]) -> list[str]:
    """Returns a line of efficiencies."""
    if not metrics:
        return []
    m = {name: f"{100 * value:.1f} %" for name, value in metrics.items()}
    return [
        f"parallel efficiency {m['parallel_efficiency']} = load balance {m['load_balance']} ×"
        f" serialisation {m['serialisation']} × transfer {m['transfer']}"
    ]


def by_rank(seconds: Mapping[str, Sequence[float]]) -> tuple[list[str], list[list[str]]]:
    """Returns head and rows: the least, the mean and the most of all ranks, and which they are."""
    rows = []
    for name, held in seconds.items():
        least, most = (
            min(range(len(held)), key=held.__getitem__),
            max(range(len(held)), key=held.__getitem__),
        )
        rows.append(
            [
                name,
                f"{held[least]:.4f}",
                f"{sum(held) / len(held):.4f}",
                f"{held[most]:.4f}",
                str(least),
                str(most),
            ]
        )
    return ["seconds", "least", "mean", "most", "rank of least", "of most"], rows


def by_file(files: Mapping[str, Record]) -> tuple[list[str], list[list[str]]]:
    """Returns head and rows."""
    rows = [
        [
            path,
            f"{f['calls']}",
            length(f["bytes"]),
            length(f["bytes"] / f["calls"]) if f["calls"] else "",
            f"{f['seconds']:.4f}",
            f"{length(f['bytes'] / f['seconds'])}/s" if f["seconds"] else "",
            str(f["opened"]),
            str(f["closed"]),
        ]
        for path, f in files.items()
    ]
    return ["file", "writes", "written", "mean", "seconds", "rate", "opened", "closed"], rows


def by_input(files: Mapping[str, Record]) -> tuple[list[str], list[list[str]]]:
    """Returns head and rows, the most bytes first."""
    rows = [
        [
            name,
            f"{f['reads']}",
            length(f["bytes"]),
            f"{f['seconds']:.4f}",
            f"{length(f['bytes'] / f['seconds'])}/s" if f["seconds"] else "",
        ]
        for name, f in sorted(files.items(), key=lambda item: -item[1]["bytes"])
        if f["bytes"]
    ]
    return ["read", "times", "bytes", "seconds", "rate"], rows


def of_counters(counted: Mapping[str, float] | str) -> str | list[str]:
    """Returns the counters of the processor, in words."""
    if isinstance(counted, str):
        return f"this machine offers none ({counted})"
    words = [f"{value:.4g} {name}" for name, value in counted.items()]
    if counted.get("cycles") and "instructions" in counted:
        words.append(f"{counted['instructions'] / counted['cycles']:.2f} instructions a cycle")
    return ", ".join(words)


def lines(
    head: Sequence[str], rows: Sequence[Sequence[str]], left: Sequence[int] = (0,)
) -> list[str]:
    """Returns a table as text, columns as wide as what stands in them."""
    most = 46
    cells = [
        [str(cell) if len(str(cell)) <= most else str(cell)[: most - 1] + "…" for cell in row]
        for row in (head, *rows)
    ]
    wide = [max(len(row[n]) for row in cells) for n in range(len(head))]
    return [
        "  ".join(
            cell.ljust(w) if n in left else cell.rjust(w)
            for n, (cell, w) in enumerate(zip(row, wide))
        ).rstrip()
        for row in cells
    ]


def page(
    records: Sequence[Record],
    metrics: Mapping[str, float],
    rates: Mapping[str, Record] | None = None,
) -> str:
    """Returns both tables and the efficiencies as HTML."""
    if not records:
        return ""
    words_of = "".join(f"<p>{html.escape(line)}</p>" for line in of_ranks(metrics))
    exclusive_, elapsed = by_exclusive_time(records, rates), by_elapsed_time(records)
    return (
        words_of
        + "<details><summary>By exclusive time</summary>"
        + table(tuple(exclusive_[0]), escaped(exclusive_[1]), "tight")
        + "</details><details><summary>By elapsed time, with communication and waiting</summary>"
        + table(tuple(elapsed[0]), escaped(elapsed[1]), "tight")
        + "</details>"
    )
