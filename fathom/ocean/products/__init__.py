"""Diagnostics, series, sections and reports of the ocean."""
