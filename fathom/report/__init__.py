"""What a run leaves behind: summary, tables, time lines, the page."""
