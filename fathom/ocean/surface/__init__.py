"""What the air does to the sea surface."""
