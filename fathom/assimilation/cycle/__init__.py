"""Cycles of forecast and analysis from one TOML file: an observing-system experiment, whose
truth is the run of a finer model (docs/assimilation.md).
"""
