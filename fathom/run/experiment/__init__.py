"""Descriptions of runs: TOML files and their contents."""
