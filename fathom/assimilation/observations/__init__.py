"""Observations: a base of one row a datum, ingest, screening, operators, the surface analysis.

from fathom.assimilation.observations import base, ingest
made, account = ingest.collect(["synop.bufr"])
base.write(made, "synop.parquet")
"""
