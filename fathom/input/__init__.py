"""What a user gives – numbers, arrays, functions, files –, as fields of a grid."""
