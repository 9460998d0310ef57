"""Observations: a base of one row a datum, ingest, screening, and the analysis of the surface.

from fathom.observations import base, ingest
made, account = ingest.collect(["synop.bufr"])
base.write(made, "synop.parquet")
"""
