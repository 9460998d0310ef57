"""A state of the air on other points, levels or ground."""
