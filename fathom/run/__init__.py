"""A model in time: simulation, forcing, restarts, progress, ranks."""
