"""A state of the air on other points, levels or ground. In the order of its way:

given_state          what is given: a simulation, a restart or a file of an area, in blocks
forecast             an analysis of the earth: air, ground and sea in one call, of a date
at_places            fields at places on earth, of a globe or of a map
initial              columns on levels of pressure, brought to the model's ground and layers
columns_over_ground  columns on hybrid levels
columns_of_heights   columns on levels of height
change_of_ground     orography, land and sea
change_of_geometry   all of these for a globe
change_to_area       and for an area
change_to_heights    and for a grid-point atmosphere
stored_area          the states of an area in a file at the columns of a smaller one
around_area          what an area takes: its points with those around, and fields
"""
