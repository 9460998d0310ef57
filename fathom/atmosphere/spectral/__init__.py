"""Spectral atmospheres: hydrostatic, compressible, shallow water."""
