"""Open edges of a regional ocean: where they are, what is given there, and their part of a step."""
