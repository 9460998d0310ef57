"""What describes a run: TOML files and what stands in them."""
