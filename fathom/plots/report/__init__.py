"""Results of a run: summary, tables, time lines, the page."""
