"""All input and output: readers, files, checkpoints, the ledger. Each implements a Protocol of `ports`."""
