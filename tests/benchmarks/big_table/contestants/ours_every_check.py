"""Ours with the same spec and nothing switched off: spelling, blanks, near-equal keys and so on are looked for too."""

from __future__ import annotations

from pathlib import Path

from checks import review_table
from tests.benchmarks.big_table.contestants.our_spec import as_answers, make_spec
from tests.benchmarks.big_table.work import Answers


def run(path: Path) -> Answers:
    """Answer the eight checks and those that come by themselves."""
    return as_answers(review_table(path, make_spec(only_asked_for=False)).findings)
