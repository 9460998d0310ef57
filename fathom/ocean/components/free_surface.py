"""The free surface of the ocean: the solver for its height, and the effect of fresh water."""

from fathom.base import constants, earth, mpi
from fathom.base.configurable import Configurable
from fathom.base.failure import InputError
from fathom.base.near import near
from fathom.grids.arguments import integer, number_of


class FreeSurface(Configurable):
    """Implicit free surface (Dukowicz & Smith 1994), solved by an iteration and a preconditioner of
    the catalogues in docs/barotropic.md.

    Parameters
    ----------
    tolerance : float
        residual at which the solve ends, relative to the right-hand side. Volume and tracers are
        conserved to round-off for any tolerance; 1e-8 of a step's change of pressure is far below
        the error of the scheme.
    maximum_iterations : int
    implicitness : float
        weight of the new height in the pressure gradient, in [0.5, 1].
    preconditioner : "factorisation" (two or three iterations; the factors of the whole matrix are
        kept, some 300 bytes a column), "diagonal"
        (hundreds of iterations, no memory), "evp", "polynomial", "none", or "automatic" (default):
        the first up to 200 000 columns of water, then the second; the second on a device.
    solver : "pcg", "chrongear", "pipelined", "s-step", "pcsi", or "automatic" (default): "pcg" with
        the factorised matrix, else "chrongear"; "pcsi" on a device, which has it with "diagonal".
    precision : "mixed" (fp32 iterations inside fp64 refinement, where the solver has them) or
        "fp64".
    steps : int
        iterations per sum of "s-step": 2, 3 or 4.
    freshwater : "salt" (default), fluxes of fresh water change the salt of the surface and not its
        volume; or "volume": they raise the surface, and all
        layers of a column follow its height (z*, Adcroft & Campin 2004), so that the surface is not
        linear and no layer becomes empty.
    compactness : float
        share, in [0, 0.9], of the slope between the two cells of a face in the transport that the
        slope of the surface drives through the face; the rest is the mean at its corners. Without
        it a height that alternates from cell to cell drives no flow (docs/numerics.md).
    reproducible : bool
        sums with the same bits on any number of ranks. Else ranks add plain numbers: shorter
        messages, and runs that depend on ranks.
    """

    factorised = (
        200_000  # columns of water up to which the matrix is factorised unless told otherwise
    )

    def __init__(
        self,
        tolerance=1e-8,
        maximum_iterations=2000,
        implicitness=constants.usual["implicitness"],
        preconditioner="automatic",
        solver="automatic",
        precision="mixed",
        steps=4,
        reproducible=True,
        freshwater="salt",
        compactness=constants.usual["compactness"],
    ) -> None:
        if not 0 < number_of("FreeSurface tolerance", tolerance, "1") < 1:
            raise InputError(f"FreeSurface tolerance = {tolerance} must lie between 0 and 1")
        if not 0.5 <= number_of("FreeSurface implicitness", implicitness, "1") <= 1:
            raise InputError(f"FreeSurface implicitness = {implicitness} must lie in [0.5, 1]")
        if not 0 <= number_of("FreeSurface compactness", compactness, "1") <= 0.9:
            raise InputError(f"FreeSurface compactness = {compactness} must lie in [0, 0.9]")
        if integer("FreeSurface maximum_iterations", maximum_iterations) < 1:
            raise InputError(
                f"FreeSurface maximum_iterations = {maximum_iterations} must be at least 1"
            )
        if steps not in (2, 3, 4):
            raise InputError(f"FreeSurface steps = {steps} must be 2, 3 or 4")
        if not isinstance(reproducible, bool):
            raise InputError(f"FreeSurface reproducible = {reproducible!r} must be true or false")
        if freshwater not in ("salt", "volume"):
            raise InputError(f"FreeSurface freshwater = {freshwater!r} must be 'salt' or 'volume'")
        preconditioner = "none" if preconditioner is None else preconditioner
        names = lambda catalogue: [*(name for name, _ in catalogue), "automatic"]
        for what, given, allowed in (
            ("preconditioner", preconditioner, names(mpi.core.preconditioners())),
            ("solver", solver, names(mpi.core.solvers())),
            ("precision", precision, ["mixed", "fp64"]),
        ):
            if given not in allowed:
                raise InputError(
                    f"no {what} '{given}'{near(str(given), allowed) or ';'} allowed:"
                    f" {', '.join(allowed)}"
                )
        self.tolerance, self.maximum_iterations, self.implicitness = (
            float(tolerance),
            maximum_iterations,
            float(implicitness),
        )
        self.preconditioner, self.solver, self.precision, self.steps = (
            preconditioner,
            solver,
            precision,
            int(steps),
        )
        self.reproducible, self.freshwater = reproducible, freshwater
        self.compactness = float(compactness)

    def on(self, columns, device=False):
        """The free surface for a grid of so many columns of water: with a definite preconditioner
        and solver; device: those that compute in the memory of one.
        """
        preconditioner, solver = self.preconditioner, self.solver
        if preconditioner == "automatic":
            few = columns <= self.factorised and not device
            preconditioner = "factorisation" if few else "diagonal"
        if solver == "automatic":
            usual = "pcsi" if device and preconditioner == "diagonal" else "chrongear"
            solver = "pcg" if preconditioner == "factorisation" else usual
        return FreeSurface(**self.__dict__ | {"preconditioner": preconditioner, "solver": solver})

    def solve(self, step):
        """The solver, a global process."""
        how = {
            name: value
            for name, value in self.__dict__.items()
            if name not in ("implicitness", "freshwater")
        }
        return mpi.core.BarotropicSolve(step, self.implicitness, earth.GRAVITY, **how)

    def slope(self):
        """The parameters of processes that use the slope of the surface."""
        return {"implicitness": self.implicitness, "compactness": self.compactness}

    def __repr__(self):
        given = [f"{name}={value!r}" for name, value in vars(self).items()]
        return f"FreeSurface({', '.join(given)})"
