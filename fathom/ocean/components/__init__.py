"""The parts of an ocean that a user chooses, one file each."""
