"""Pure functions, one verb a file: no input or output, no clock, no graph."""
