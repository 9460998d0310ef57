"""Packages of column physics and their places in a step."""
