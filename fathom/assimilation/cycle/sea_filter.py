"""The local ensemble filter of cycles of a sea (local_filter.py, letkf.py).

Members differ at the start by draws of B (assimilation/sea.py). The weights of a column and a layer
are those of all fields of the state there, currents and both time levels too, so that an analysis
is a sum of states of the model. A datum counts by its distance along the sphere and, of profiles
and of the surface's temperature, by that in depth; a height of the surface depends on the whole
column, and counts for all of its layers. The height itself takes all data of its column.

Columns are distributed among the ranks; each is computed by one of them, so no bit depends on them.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import numpy as np

from fathom.assimilation import letkf
from fathom.assimilation.cycle import kept
from fathom.assimilation.cycle.local_filter import LocalWindow
from fathom.assimilation.cycle.members import without_mean
from fathom.assimilation.cycle.twin import as_numbers
from fathom.assimilation.ensembles import gaspari_cohn
from fathom.assimilation.ocean_trajectory import InState
from fathom.base import earth, mpi

if TYPE_CHECKING:
    from fathom.assimilation.cycle.sea import SeaCycles
    from fathom.assimilation.variational import Seen

Array = np.ndarray


def run(cycles: SeaCycles) -> list[dict[str, Any]]:
    """Returns the results of the windows at whose ends all methods have seen the same data."""
    e, folder = cycles.experiment, cycles.out / "letkf"
    together = cycles.steps["window"] // cycles.steps["analyses"]
    into = InState(cycles.model, cycles.sea)

    def drawn(number: int, share: float) -> Array:
        """Returns changes of a state by draws of B without their mean, one for each member."""
        L = cycles.background
        random = (np.random.default_rng([e.ensemble.seed, number, i]) for i in range(count))
        draws = np.array([L.apply(r.standard_normal(L.controls)) for r in random])
        return share * np.array([into.apply(x) for x in without_mean(draws)])

    count, inflation, results = e.ensemble.members, 1.0, list[dict[str, Any]]()
    starts: Array | None = None
    for number in range(together * e.cycle.windows):
        path, states = (folder / f"{n}-{number:04d}.npz" for n in ("window", "members"))
        if not path.exists():
            if starts is None:
                before = folder / f"members-{number - 1:04d}.npz"
                first = cycles.first + drawn(0, 1.0) if number == 0 else None
                starts = kept.read(before)["end"].astype(float) if first is None else first
            if number and e.ensemble.model_error:
                starts = starts + drawn(number, e.ensemble.model_error)
            starts, inflation = _after(cycles, number, starts, inflation, (path, states))
        made = kept.read(path)
        inflation = float(made["inflation"])
        cycles.seconds.setdefault("letkf", []).append(json.loads(str(made["seconds"])))
        told = json.loads(str(made["summary"]))
        if (number + 1) % together == 0:
            results.append(told)
        cycles.tell("letkf", told)
    return results


def _after(
    cycles: SeaCycles, number: int, starts: Array, inflation: float, paths: tuple[Any, Any]
) -> tuple[Array, float]:
    """Computes a window; returns its members at its end, and the inflation of the next one."""
    found = SeaFiltered(cycles, cycles.seen(number))
    _, _, ends = found.analyse(starts, inflation)
    model, seen_of = cycles.model, cycles.seen_of
    truth = cycles.truth(number)["end"]
    mean = ends.mean(0)
    here = {
        "background": model.run(starts.mean(0), found.steps),
        "analysis": mean,
        "free": cycles.free(number),
    }
    hours = (number + 1) * found.steps * model.simulation.time_step / 3600
    said = found.said | {"hours": hours, "inflation": found.inflation}
    said |= {n: cycles.distance(seen_of.apply(x), truth) for n, x in here.items()}
    each = [cycles.distance(seen_of.apply(x), seen_of.apply(mean)) for x in ends]
    said["spread"] = {
        n: float(np.sqrt(np.sum([one[n] ** 2 for one in each]) / (len(each) - 1))) for n in each[0]
    }
    whole = model.simulation.bytes_of_number == 4  # of the numbers of a state
    kept.write(paths[1], end=ends.astype(np.float32) if whole else ends)
    kept.write(paths[0], inflation=np.array(found.inflation),
               summary=json.dumps(as_numbers(said)),
               seconds=json.dumps(dict(found.clock)))  # fmt: skip
    if mpi.is_root:
        for old in paths[1].parent.glob("members-*.npz"):
            if old < paths[1]:
                old.unlink()
    mpi.world.barrier()  # those of before are gone for all
    return ends, found.inflation


class SeaFiltered(LocalWindow):
    """A window of the sea."""

    def __init__(self, cycles: SeaCycles, seen: dict[int, Seen]) -> None:
        self.of = cycles.experiment.ensemble
        super().__init__(seen, cycles.steps["analyses"], self.of.relaxation)
        self.cycles, self.sea = cycles, cycles.sea

    def forecast(self, state: Array, steps: int) -> Array:
        return np.asarray(self.cycles.model.run(state, steps)) if steps else state

    def changed(self, X: Array, Y: Array, d: Array, precision: Array) -> Array:
        """Column by column on the own ranks, a place for each layer and one for the height."""
        sea, model = self.sea, self.cycles.model
        at, depth = self.places()
        z = np.cumsum(sea.thickness) - sea.thickness / 2
        in_depth = np.ones((len(z) + 1, len(d)))
        profile = np.isfinite(depth)
        apart = (z[:, None] - depth[profile]) / self.of.depth
        in_depth[:-1, profile] = gaspari_cohn(apart)
        change = np.zeros_like(X)
        parts = [model.split(x) for x in change], [model.split(x) for x in X]
        wet = np.argwhere(sea.wet_levels > 0)
        for j, i in wet[mpi.world.rank :: mpi.world.size]:
            here = earth.unit_vectors(sea.longitude[j, i], sea.latitude[j, i])
            along = earth.RADIUS * np.arccos(np.clip(at @ here, -1, 1))
            weight = gaspari_cohn(along / (1e3 * self.of.length)) * precision
            near = np.flatnonzero(weight > 0)
            layers = int(sea.wet_levels[j, i])
            used = [*range(layers), len(z)]
            T = letkf.transforms(Y[:, near], d[near], weight[near] * in_depth[np.ix_(used, near)])
            for name, levels in model.levels.items():
                # a field of one level, as the height, has the weights of the whole column
                own = T[-1:] if levels == 1 else T[:-1]
                column = np.stack([one[name][: len(own), j, i] for one in parts[1]])
                made = np.einsum("jk,kji->ik", column, own, optimize=True)
                for one, values in zip(parts[0], made):
                    one[name][: len(own), j, i] = values
        mpi.world.Allreduce(mpi.MPI.IN_PLACE, change)  # each number is of one rank
        return change

    def places(self) -> tuple[Array, Array]:
        """Returns vectors to the places of the data (m, 3), and their depths [m]; infinite of a
        height, which is of the whole column.
        """
        sea = self.sea
        z = np.cumsum(sea.thickness) - sea.thickness / 2
        level, j, i = np.nonzero(sea.wet)
        below = np.nonzero(sea.wet_levels > 0)
        rows, columns = (np.concatenate([a, a, b]) for a, b in ((j, below[0]), (i, below[1])))
        depths = np.concatenate([z[level], z[level], np.full(len(below[0]), np.inf)])
        places = earth.unit_vectors(sea.longitude, sea.latitude)[rows, columns]
        # a datum is one number of the state (sea.columns, sea.surface)
        which = [self.cycles.numbers_of(one) for one in self.seen.values()]
        of = np.concatenate(which)
        return places[of], depths[of]
