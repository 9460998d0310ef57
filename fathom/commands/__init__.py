"""The command `fathom`: a verb a file."""
