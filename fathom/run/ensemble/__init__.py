"""Ensembles: one model, many states, in one run."""
