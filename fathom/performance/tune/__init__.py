"""The fastest way to run a case here."""
