"""The grid that a file describes."""

from fathom.names.name import Name

rows = (
    # the grid
    Name(
        "bottom_depth",
        "deptho",
        "sea_floor_depth_below_geoid",
        "depth of the sea floor",
        "m",
        "center",
        "column",
        "deep",
    ),
    Name(
        "sea_fraction",
        "sftof",
        "sea_area_fraction",
        "part of the cell that is sea in the model",
        "1",
        "center",
        "column",
        "deep",
    ),
    Name(
        "covered_fraction",
        "covered_fraction",
        "",
        "part of the cell that lies in the model's area",
        "1",
        "center",
        "column",
        "deep",
    ),
    Name("wet_levels", "wet_levels", "", "number of wet levels", "1", "center", "column", "deep"),
    Name(
        "cell_thickness",
        "thkcello",
        "cell_thickness",
        "thickness of the cell",
        "m",
        "center",
        "layer",
        "deep",
    ),
    Name(
        "cell_area", "areacello", "cell_area", "area of the cell", "m2", "center", "column", "deep"
    ),
)
