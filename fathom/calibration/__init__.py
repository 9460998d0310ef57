"""Calibration: parameters of an experiment from data, by an ensemble of runs
(docs/calibration.md).
"""
