"""From any grid onto any other."""
