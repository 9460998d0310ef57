"""Building the embedded data sets: sources, files, and one module for each subject."""
