"""A format of output a module; fathom.output finds it by the ending."""
