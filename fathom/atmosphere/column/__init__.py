"""Single columns of air, alone or forced."""
