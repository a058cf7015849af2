"""Each promise of `docs/disclosure.md` names tests that exist."""

from __future__ import annotations

import re
from pathlib import Path

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "disclosure.md").read_text(encoding="utf-8")


def test_each_promise_names_a_test_that_exists() -> None:
    promises = [line for line in PAGE.splitlines() if line.startswith("|")][2:]
    assert len(promises) >= 10
    for promise in promises:
        named = re.findall(r"`(tests/[\w/]+\.py)::(\w+)`", promise)
        assert named, promise
        for path, name in named:
            assert f"def {name}(" in (ROOT / path).read_text(encoding="utf-8"), name


def test_the_numbers_are_those_of_the_code() -> None:
    from review_graph.core.disclosure.auditing import MAX_ATOMS
    from review_graph.core.disclosure.indicators import ENUMERATED
    from review_graph.settings import Settings
    from review_graph.tools.units import MAX_IDENTITIES

    assert f"`k` is {Settings().smallest_group}" in PAGE
    assert f"more than {MAX_IDENTITIES:_} rows".replace("_", " ") in PAGE
    assert f"more than {MAX_ATOMS:_} groups".replace("_", " ") in PAGE
    assert f"more than {ENUMERATED} independent" in PAGE
