"""Limited areas: what comes in over the edge, and the models of such an area."""
