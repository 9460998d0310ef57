"""Several programs under one clock: each has its own grid, step and ranks (docs/coupled.md)."""
