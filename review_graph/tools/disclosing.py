"""Which counts of a dataset may be told, in view of everything that was told of it before."""
