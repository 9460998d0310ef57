"""The part of a step of a small ocean that has an adjoint, for test_ocean_adjoint.py, and the
gradient of a number of it, for test_ocean_gradient.py.
"""

import hashlib

import numpy as np

import small_seas
from fathom.base.mpi import core, world


def has_adjoint(process):
    """Not of the surface: the air that it needs is made by processes without adjoint."""
    return process.phase != "surface" and core.has_adjoint(process)


class Part:
    """Those processes of a step that `wanted` names, by default all that have an adjoint."""

    def __init__(self, sea, wanted=has_adjoint):
        model, simulation = sea.model, sea.simulation
        self.domain = simulation.domain
        step = model.processes(simulation.time_step, simulation.surface)
        processes = [p for p in step if wanted(p)]
        self.names = [p.name for p in processes]
        fields = sorted({f["name"] for p in processes for f in p.fields})
        rotations = [r for r in model.rotations if set(r) <= set(fields)]
        self.sequence = core.StepProgram(self.domain, processes, 8, fields, rotations)
        self.fields = core.FieldSet(self.sequence)
        self.sequence.prepare(self.fields, lambda fields: fields.copy(sea.first))
        self.linear = core.LinearStepProgram(self.sequence)
        self.depth = np.asarray(model.grid.wet_levels)

    def random(self, seed, inverse=False):
        """Random numbers where there is water, of the size of the state, or of its inverse."""
        random, made = np.random.default_rng(seed), core.FieldSet(self.sequence)
        kept = self.fields.state
        for f in self.fields.fields:
            if f["name"] not in kept:
                continue
            size = np.abs(self.whole(self.fields, f)).max() or 1.0
            values = random.uniform(-1, 1, (f["levels"], *self.depth.shape))
            values *= 1 / size if inverse else size
            made.set(f["name"], values * self.water(f))
        return made

    def water(self, f):
        """Where a field varies, (levels, ny, nx)."""
        depth = self.depth + (f["vertical"] == "interface")
        return (np.arange(f["levels"])[:, None, None] < depth) & (self.depth > 0)

    def whole(self, fields, f):
        """A field of all ranks, where there is water."""
        whole = np.zeros((f["levels"], *self.depth.shape))
        for (j, i, ny, nx), part in zip(self.domain.blocks, fields.windows(f["name"])):
            whole[:, j : j + ny, i : i + nx] = part
        return world.allreduce(np.where(self.water(f), whole, 0.0)) + 0.0  # no -0

    def values(self, fields):
        """All fields but profiles and the memory of schemes' own."""
        return {
            f["name"]: self.whole(fields, f)
            for f in fields.fields
            if f["horizontal"] != "profile" and (f["stays"] or not f["scratch"])
        }


def transposed(part, steps=1):
    """|<M' x, y> - <x, M'* y>| by the sum of the magnitudes of their terms; M' x and M'* y."""
    part.linear.follow(part.fields, steps)
    x, forward = part.random(1), part.random(1)
    y, backward = part.random(2, True), part.random(2, True)
    part.linear.tangent(forward, 0, steps)
    part.linear.adjoint(backward, 0, steps)
    X, F, Y, B = (part.values(fields) for fields in (x, forward, y, backward))
    terms = [F[n] * Y[n] for n in X] + [-X[n] * B[n] for n in X]
    total, size = sum(t.sum() for t in terms), sum(np.abs(t).sum() for t in terms)
    return abs(total) / size, F, B


def bits():
    """Of both after two steps."""
    _, forward, backward = transposed(Part(small_seas.sea()), 2)
    return [
        hashlib.sha256(b"".join(one[n].tobytes() for n in sorted(one))).hexdigest()
        for one in (forward, backward)
    ]


cost = {"longitude": (150, 250), "latitude": (-10, 20), "depth": (0, 800)}


def smooth(surface=None):
    """A sea of which only the vertical mixing, which is constant, is frozen."""
    import fathom as fm

    still = fm.ConstantMixing(viscosity=1e-3, diffusivity=1e-4, convective_diffusivity=1e-4)
    sim = small_seas.simulation(surface, vertical_mixing=still).prepare()
    sim.advance(12)
    return sim


def gradient(stored=3):
    """Of a temperature after six hours."""
    import fathom as fm

    return fm.adjoint(smooth(), fm.Average("temperature", **cost), "6h", stored=stored)


def bits_of_gradient(stored=3):
    """Of all its fields."""
    values = [np.ascontiguousarray(v.values) for v in gradient(stored).dataset.data_vars.values()]
    return hashlib.sha256(b"".join(v.tobytes() for v in values)).hexdigest()


if __name__ == "__main__":
    from small_atmospheres import main

    main(globals())
