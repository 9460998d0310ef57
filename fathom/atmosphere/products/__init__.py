"""Diagnostics, budgets and reports of the air."""
