"""A machine for the prices of the tests: one node of two cores without noise."""

from fathom.performance.scaling import load

here = load("cray-ex").but(
    {
        "node.cores": 2,
        "node.nodes": 1,
        "node.triad": 4e10,
        "node.triad_of_core": 2.5e10,
        "noise.frequency": 0.0,
    }
)
