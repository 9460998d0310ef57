"""The ground below: heights and what its slopes do."""
