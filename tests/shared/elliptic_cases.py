"""A free surface to solve: metrics and depth of any topology, distributed over the blocks of a
rank, and the same matrix for SciPy.
"""

import numpy as np

from fathom import _core

HALO = 2


class Case:
    def __init__(self, nx, ny, periodic, fold, seed=0, land=0.3, mass=2e-8, compactness=0.0):
        self.compactness = compactness
        self.nx, self.ny, self.topology, self.mass = (
            nx,
            ny,
            _core.Topology(nx, ny, periodic, fold),
            mass,
        )
        rng = np.random.default_rng(seed)
        y, x = np.mgrid[:ny, :nx]
        waves = sum(
            rng.normal()
            * np.cos(2 * np.pi * (p * x / nx + rng.random()))
            * np.cos(np.pi * q * y / ny + rng.random())
            / (p + q)
            for p in range(1, 5)
            for q in range(1, 5)
        )
        self.wet = (waves > np.quantile(waves, land)).astype(float)
        self.wet[0] = 0
        if fold:  # the grid poles are land
            for i in (nx // 2 - 1, nx // 2, nx - 1, 0):
                self.wet[-1, i] = 0
        self.depth = np.where(self.corner(self.wet), 200 + 5000 * rng.random((ny, nx)), 0)
        self.dx, self.dy = 1e5 * (0.3 + rng.random((ny, nx))), 1e5 * (0.5 + rng.random((ny, nx)))
        self.area = 1e10 * (0.5 + rng.random((ny, nx)))
        for a in (
            self.depth,
            self.dx,
            self.dy,
        ):  # both names of a corner on the seam hold one value
            self.original("corner", a)

    def original(self, place, a):
        j = self.ny - 1
        a[j] = [a[self.topology.source(place, i, j)[1::-1]] for i in range(self.nx)]

    def at(self, place, i, j):
        si, sj, inside, _ = self.topology.source(place, i, j)
        return (sj, si) if inside else None

    def corner(self, wet):
        """True where all four cells round a corner are wet."""
        value = lambda i, j: wet[self.at("center", i, j)] if self.at("center", i, j) else 0
        return np.array(
            [
                [all(value(i + a, j + b) for a in (0, 1) for b in (0, 1)) for i in range(self.nx)]
                for j in range(self.ny)
            ]
        )

    def matrix(self):
        """M + K from G' W G: for each corner the squared gradients of its four cells, and in part
        what the squared differences of its faces are more. Nothing in common with the solver's
        assembly.
        """
        from scipy.sparse import coo_matrix, diags

        rows, columns, values = [], [], []
        n = 0
        for j in range(self.ny):
            for i in range(self.nx):
                if not self.depth[j, i] or self.at("corner", i, j) != (j, i):
                    continue
                cells = [
                    np.ravel_multi_index(self.at("center", i + a, j + b), self.wet.shape)
                    for b in (0, 1)
                    for a in (0, 1)
                ]  # SW SE NW NE
                for signs, over, along in (
                    ((-1, 1, -1, 1), self.dx, self.dy),
                    ((-1, -1, 1, 1), self.dy, self.dx),
                ):
                    root = np.sqrt(self.depth[j, i] * along[j, i] / over[j, i])
                    rows += [n] * 4
                    columns += cells
                    values += [0.5 * root * s for s in signs]
                    n += 1
                    rows += [n] * 4
                    columns += cells
                    values += [0.5 * root * self.compactness**0.5 * s for s in (-1, 1, 1, -1)]
                    n += 1
        G = coo_matrix((values, (rows, columns)), shape=(n, self.nx * self.ny)).tocsr()
        water = self.wet.ravel() > 0
        return (diags(self.mass * self.area.ravel()) + G.T @ G).tocsr()[water][:, water]

    def dealt(self, ranks, width, height):
        """Blocks dealt out in turn, also those without water: some ranks may get only such."""
        i, j = [*range(0, self.nx, width), self.nx], [*range(0, self.ny, height), self.ny]
        return _core.arrange(
            self.topology,
            self.wet.astype(np.int32).ravel(),
            ranks,
            i,
            j,
            [n % ranks for n in range((len(i) - 1) * (len(j) - 1))],
            HALO,
        )

    def distribute(self, comm, block=(0, 0), decomposition=None, **options):
        self.decomposition = decomposition or _core.decompose(
            self.topology, self.wet.astype(np.int32).ravel(), comm.size, *block, halo=HALO
        )
        self.blocks = [b for b in self.decomposition.blocks if b[5] == comm.rank]
        fields = [self.scatter(a) for a in (self.wet, self.area, self.depth, self.dx, self.dy)]
        return _core.EllipticSolver(
            comm.py2f(),
            self.decomposition,
            HALO,
            *fields,
            mass=self.mass,
            compactness=self.compactness,
            **options,
        )

    def scatter(self, a):
        """Own points of the blocks; halos hold nonsense, nobody may read them."""
        list = []
        for _, i0, j0, nx, ny, _ in self.blocks:
            b = np.full((ny + 2 * HALO, nx + 2 * HALO), np.nan)
            b[HALO:-HALO, HALO:-HALO] = a[j0 : j0 + ny, i0 : i0 + nx]
            list.append(b)
        return list

    def gather(self, comm, blocks):
        a = np.zeros((self.ny, self.nx))
        for (_, i0, j0, nx, ny, _), b in zip(self.blocks, blocks):
            a[j0 : j0 + ny, i0 : i0 + nx] = b[HALO:-HALO, HALO:-HALO]
        return comm.allreduce(np.where(self.wet > 0, a, 0))
