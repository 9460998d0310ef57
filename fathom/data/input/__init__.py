"""Input of a user – numbers, arrays, functions, files – as fields of a grid."""
