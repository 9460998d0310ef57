"""Real data, embedded: topography, temperature and salinity, surface climatology, and regridding.

    from fathom.data import levitus, surface, bathymetry
    levitus.open()                                          # xarray.Dataset
    levitus.on_points(latitude, longitude, depth)           # the same on the points of a model grid

Importing this package costs nothing: files are read, and xarray, netCDF4 and scipy imported, when
asked for. `docs/data.md` has the sources of the numbers and all changes to them.
"""
