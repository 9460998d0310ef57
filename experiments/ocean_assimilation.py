"""A twin of the ocean: 3D-Var of profiles, altimetry and surface temperature in the global model at
3 degrees, against a run without data.

    python experiments/ocean_assimilation.py --json ocean.json --days 60

Nature is experiments/ocean-3deg.toml from Levitus and smooth anomalies, drawn with other lengths
and sizes than B has; both runs start from Levitus alone. Every five days nature is observed, with
errors, at 60 places down to 1500 m (as Argo sees it), along tracks of an altimeter (a cell in ten)
and by surface temperatures (a cell in five); 3D-Var adds its increment to temperature, salinity and
the height of the surface. This is a twin experiment: its scores are not skill.
"""

from __future__ import annotations

import argparse
import json
import tempfile
from pathlib import Path

import numpy as np

from fathom.assimilation import Cost, Matrix, Slot, lanczos, sea
from fathom.run.experiment.experiment import Experiment

here = Path(__file__).resolve().parent
fields = ("temperature", "salinity", "sea_surface_height")
errors = {"temperature": 0.2, "salinity": 0.04, "surface": 0.3, "height": 0.03}  # of the data


class Ocean:
    """One run of the model."""

    def __init__(self, levels: int):
        settings = [f"grid.levels.nz={levels}"]
        experiment = Experiment.read(here / "ocean-3deg.toml", settings)
        self.run = experiment.simulation(Path(tempfile.mkdtemp()))
        self.run.prepare()

    def fields(self):
        return [np.nan_to_num(np.asarray(self.run.state[name])) for name in fields]

    def add(self, increment):
        for name, change in zip(fields, increment):
            field = self.run.state[name].variable._data
            field.write(np.nan_to_num(field.read()) + change.reshape(field.shape))

    def days(self, number: float):
        self.run.advance(round(number * 86400 / self.run.time_step))


def cells(grid) -> sea.Sea:
    x, y = (np.asarray(c) for c in grid.coordinates("center"))
    thickness = np.asarray(grid.levels.weights, float)
    return sea.Sea(x, y, thickness, np.asarray(grid.wet_levels))


def background(of: sea.Sea, size: float, length: float, depth: float, seed: int):
    """Errors that decrease downward from the thermocline, and upward to the surface."""
    z = np.cumsum(of.thickness) - of.thickness / 2
    shape = np.exp(-(((z - 150) / 500) ** 2)) + 0.3 * np.exp(-z / 1500)
    expansion = np.interp(z, [0, 1000, 4000], [2.2e-4, 1.4e-4, 1.3e-4])
    return sea.SeaBackground(
        of,
        sea.SeaErrors(size * shape, 0.12 * size * shape, 0.02, length, depth, length,
                      expansion, np.full(len(z), 7.6e-4)),
        samples=200, seed=seed,
    )  # fmt: skip


def seen(of: sea.Sea, nature, random, levels: int) -> Slot:
    """Data of a time with their errors; departures are values of `nature` until those of the run
    are subtracted."""
    wet = np.argwhere(of.wet_levels > 0)
    places = wet[random.choice(len(wet), 60, replace=False)].T
    track = wet[(3 * wet[:, 0] + wet[:, 1] + random.integers(10)) % 10 == 0].T
    skin = wet[random.choice(len(wet), len(wet) // 5, replace=False)].T
    profiles = sea.columns(of, tuple(places), levels)
    from scipy import sparse

    H = sparse.vstack([profiles, sea.surface(of, tuple(track), "height"),
                       sea.surface(of, tuple(skin), "temperature")]).tocsr()  # fmt: skip
    half = profiles.shape[0] // 2
    deviation = np.concatenate([
        np.full(half, errors["temperature"]), np.full(half, errors["salinity"]),
        np.full(track.shape[1], errors["height"]), np.full(skin.shape[1], errors["surface"]),
    ])  # fmt: skip
    values = H @ of.vector(*nature) + deviation * random.standard_normal(H.shape[0])
    return Slot(values, deviation**2, Matrix(H))


def distance(of: sea.Sea, a, b) -> dict[str, float]:
    """rms by volume above 1500 m: temperature, salinity; by area: the height [m]."""
    *_, area = of.distances()
    upper = (np.cumsum(of.thickness) < 1500)[:, None, None] & of.wet
    volume = np.where(upper, area * of.thickness[:, None, None], 0)
    flat = np.where(of.wet_levels > 0, area, 0)
    weights = (volume, volume, flat)
    return {
        name: float(np.sqrt(np.sum(w * (x - y).reshape(w.shape) ** 2) / w.sum()))
        for name, w, x, y in zip(fields, weights, a, b)
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--days", type=int, default=60)
    parser.add_argument("--levels", type=int, default=15)
    parser.add_argument("--json", type=Path)
    given = parser.parse_args()
    nature, free, analysed = (Ocean(given.levels) for _ in range(3))
    of, random = cells(nature.run.model.grid), np.random.default_rng(3)
    drawn = background(of, 0.9, 8e5, 400, seed=1)
    nature.add(of.fields(drawn.apply(random.standard_normal(drawn.controls))))
    L = background(of, 0.6, 6e5, 300, seed=2)
    levels = int(np.searchsorted(np.cumsum(of.thickness), 1500))
    told = []
    for n in range(given.days // 5):
        for one in (nature, free, analysed):
            one.days(5)
        truth, before = nature.fields(), analysed.fields()
        slot = seen(of, truth, random, levels)
        slot.departures = slot.departures - slot.observation.apply(of.vector(*before))
        found = lanczos(Cost(L, [slot]), iterations=30, tolerance=1e-2)
        analysed.add(of.fields(found.increment))
        told.append({
            "days": 5 * (n + 1), "data": len(slot.departures), "iterations": found.iterations,
            "free": distance(of, free.fields(), truth), "background": distance(of, before, truth),
            "analysis": distance(of, analysed.fields(), truth),
        })  # fmt: skip
        print(
            f"day {5 * (n + 1):3d}: "
            + "; ".join(f"{name} free {told[-1]['free'][name]:.3f}, background"
                        f" {told[-1]['background'][name]:.3f}, analysis"
                        f" {told[-1]['analysis'][name]:.3f}" for name in fields),
            flush=True,
        )  # fmt: skip
    last = told[-1]
    ratio = {name: last["background"][name] / last["free"][name] for name in fields}
    print("errors of the background over those of the free run: "
          + ", ".join(f"{name} {r:.2f}" for name, r in ratio.items()))  # fmt: skip
    if given.json:
        given.json.write_text(json.dumps({"windows": told, "ratio": ratio}, indent=1) + "\n")


if __name__ == "__main__":
    main()
