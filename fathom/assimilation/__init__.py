"""Variational assimilation: one cost function of four linear maps, and its minimisers.

    J(chi) = 1/2 chi.chi + 1/2 sum over slots (H M L chi - d).R^-1 (H M L chi - d),   dx = L chi

`background` L (B = L L^T), `propagation` M, `observation` H by slots, and the minimiser. 3D-Var,
FGAT, 4D-Var and ensembles are choices of maps, never separate programs:

    cost = Cost(background=L, slots=[Slot(departures, variances, observation=H, propagation=M)])
    found = lanczos(cost, iterations=30)
    increment = cost.increment(found.control)
"""

from fathom.assimilation.cost import Cost, Slot
from fathom.assimilation.maps import (
    Ensemble,
    Identity,
    LinearMap,
    Matrix,
    Product,
    adjoint_error,
    tangent_error,
)
from fathom.assimilation.minimisers import (
    Found,
    RitzPreconditioner,
    b_pcg,
    lanczos,
    quasi_newton,
    rpcg,
)

__all__ = [
    "Cost",
    "Ensemble",
    "Found",
    "Identity",
    "LinearMap",
    "Matrix",
    "Product",
    "RitzPreconditioner",
    "Slot",
    "adjoint_error",
    "b_pcg",
    "lanczos",
    "quasi_newton",
    "rpcg",
    "tangent_error",
]
