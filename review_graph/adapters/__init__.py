"""All input and output: readers, files, checkpoints, the store. Each implements a Protocol of `ports`."""
