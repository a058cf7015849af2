"""The command line: parse, ask the service, render. It decides nothing."""

from review_graph.doors.cli.app import main

__all__ = ["main"]
