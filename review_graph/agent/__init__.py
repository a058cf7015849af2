"""The bounded investigator: a small state graph of its own, whose every number is traced to the data."""
