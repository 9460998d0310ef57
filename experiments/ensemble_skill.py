"""Spread over error of an ensemble in a twin: the last member is the truth, which the others do not
know.

    python experiments/ensemble_skill.py runs/ensemble-air/height.zarr --start 2000-04-20
    python experiments/ensemble_skill.py runs/ensemble-air/height.zarr --json skill.json

    spread^2 = (N + 1)/N <1/(N-1) sum (x_n - mean)^2>,   error^2 = <(mean - truth)^2>

<>: mean over the globe, weighted with the cosine of latitude. An ensemble whose members and truth
are drawn alike has spread = error (Leutbecher & Palmer 2008).
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path

import numpy as np

import fathom as fm


def skill(
    path: Path, variable: str | None = None, start: str | None = None
) -> list[dict[str, float]]:
    """Returns day, spread and error at each time of a store, of its first variable or of one."""
    store = fm.open(path)
    name = variable or next(n for n in store.data_vars if "member" in store[n].dims)
    field = store[name].load()
    weight = np.cos(np.radians(store.latitude if "latitude" in store else store.lat))
    members, truth = field.isel(member=slice(0, -1)), field.isel(member=-1)
    number = members.sizes["member"]
    squares = members.var("member", ddof=1) * (number + 1) / number
    fault = (members.mean("member") - truth) ** 2
    over = [dim for dim in fault.dims if dim != "time"]
    spread, error = (np.sqrt(x.weighted(weight).mean(over)).values for x in (squares, fault))
    begin = field.time.values[0] if start is None else np.datetime64(start)
    days = (field.time.values - begin) / np.timedelta64(1, "D")
    return [
        {"day": float(d), "spread": float(s), "error": float(e)}
        for d, s, e in zip(days, spread, error)
    ]


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("store", type=Path)
    parser.add_argument("--variable")
    parser.add_argument("--start", help="date of day 0; the first of the store by default")
    parser.add_argument("--json", type=Path)
    given = parser.parse_args()
    found = skill(given.store, given.variable, given.start)
    for row in found:
        ratio = row["spread"] / max(row["error"], 1e-30)
        print(
            f"day {row['day']:4.1f}  spread {row['spread']:8.3f}  error {row['error']:8.3f}"
            f"  spread/error {ratio:.2f}"
        )
    if given.json:
        given.json.write_text(json.dumps(found, indent=1))
