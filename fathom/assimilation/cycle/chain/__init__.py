"""A weather service's chain: observations, screening, analysis, forecast, again and again."""
