"""The pages of `docs/` run as they stand: their files, their commands, and what these print."""

from __future__ import annotations

import ast
import os
import re
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

import review_graph

if TYPE_CHECKING:
    from tests.docs.conftest import Page

DOCS = Path(__file__).parents[2] / "docs"
NAMES = sorted(path.stem for path in DOCS.glob("*.md"))
OpenPage = Callable[[str], "Page"]


@pytest.mark.slow
def test_the_session_prints_what_it_shows(page: OpenPage, session: Callable[[Page], str]) -> None:
    shown = page("embedding")
    printed = session(shown)
    if os.environ.get("WRITE_DOCS"):
        shown.path.write_text(printed, encoding="utf-8")
    assert printed == shown.text


@pytest.mark.parametrize("name", NAMES)
def test_every_python_block_is_a_file_that_something_runs(page: OpenPage, name: str) -> None:
    """Run by a command of the page, imported by a file that is, or started by the test of the page."""
    shown = page(name)
    started_by_tests = "".join(path.read_text(encoding="utf-8") for path in Path(__file__).parent.glob("test_*.py"))
    for block in shown.blocks:
        if block.language != "python":
            continue
        assert block.file, f"say which file this is:\n{block.text}"
        others = "".join(other.text for other in shown.blocks if other is not block)
        runs = (f"python {block.file}" in others, f"from {block.file.removesuffix('.py')} import" in others)
        assert any(runs) or f'"{block.file}"' in started_by_tests


@pytest.mark.parametrize("name", NAMES)
def test_every_name_of_ours_on_a_page_exists(page: OpenPage, name: str) -> None:
    for block in page(name).blocks:
        tree = ast.parse(block.text if block.language == "python" else "")
        for node in ast.walk(tree):
            if isinstance(node, ast.ImportFrom) and (node.module or "").split(".")[0] == "review_graph":
                assert node.module == "review_graph", "pages show what is public"
                assert {alias.name for alias in node.names} <= set(review_graph.__all__)


@pytest.mark.parametrize("name", NAMES)
def test_every_link_between_pages_leads_somewhere(page: OpenPage, name: str) -> None:
    shown = page(name)
    for target in re.findall(r"\]\(([^)#:]+)(?:#[^)]*)?\)", shown.text):
        assert (shown.path.parent / target).exists(), target
