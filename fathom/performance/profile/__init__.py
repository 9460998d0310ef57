"""The time of a run by region."""
