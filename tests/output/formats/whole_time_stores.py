"""A store of a format of whole times on a small Gaussian grid, and what is written to it."""

import numpy as np

from fathom import output
from fathom.grids import GaussianGrid, HybridLevels
from fathom.grids.regrid.chosen import ChosenLevels, pressure

grid = GaussianGrid(10, levels=HybridLevels(4))


def create(path, statistic=None, levels=None, *, chosen, **options):
    mapping = grid.mapping() | {
        "land_fraction": np.linspace(0, 1, grid.shape[1] * grid.shape[2]).reshape(grid.shape[1:])
    }
    if levels is not None:
        mapping |= {"chosen_levels": ChosenLevels(pressure, tuple(levels))}
    specs = [output.variable(name, mapping, statistic=statistic) for name in chosen]
    return output.create(
        path,
        output.coordinates(mapping, specs),
        specs,
        time=output.TimeAxis("2001-02-27 06:00:00", bounds=statistic is not None),
        **options,
    )


def fields(writer, seed):
    random = np.random.default_rng(seed)
    return {
        name: 250 + 30 * random.standard_normal([writer.sizes[d] for d in v.dims[1:]])
        for name, v in writer.variables.items()
        if v.varies and len(v.dims) > 2
    }


def fill(writer, times, mean=False, *, every=3600.0):
    for n in range(len(writer.times), times):
        for name, field in fields(writer, n).items():
            for region in writer.regions(name):
                writer.write(name, n, region, field)
        writer.extend(n, every * (n + 0.5 * mean), (every * n, every * (n + 1)) if mean else None)
    return writer
