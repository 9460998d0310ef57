"""Benchmarks against the machine's limits and against peers."""
