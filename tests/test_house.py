"""The house stands as CONTRIBUTING.md draws it."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest
from importlinter.cli import lint_imports

import checks
import review_graph
from checks import catalogue

ROOT = Path(__file__).parents[1]
SOURCES = sorted([*ROOT.glob("checks/**/*.py"), *ROOT.glob("review_graph/**/*.py")])


def test_imports_go_down_only(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)
    assert lint_imports(config_filename=".importlinter", cache_dir=None, no_cache=True) == 0


@pytest.mark.parametrize("package", [checks, review_graph], ids=["checks", "review_graph"])
def test_public_names_are_all_there_and_once(package: object) -> None:
    names: list[str] = package.__all__  # type: ignore[attr-defined]
    assert len(names) == len(set(names))
    assert all(hasattr(package, name) for name in names)


@pytest.mark.parametrize("path", SOURCES, ids=[str(path.relative_to(ROOT)) for path in SOURCES])
def test_a_file_says_one_thing(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    assert len(text.splitlines()) <= 320, "split it by idea"
    assert ast.get_docstring(ast.parse(text)), "say what it is for"


def test_no_file_is_a_drawer_for_everything() -> None:
    assert not [path for path in SOURCES if path.stem in {"utils", "helpers", "common", "misc"}]


@pytest.mark.parametrize("entry", catalogue(), ids=[entry.code for entry in catalogue()])
def test_every_check_says_what_why_and_what_to_do(entry: checks.Check) -> None:
    assert entry.summary.endswith(".")
    assert entry.why.endswith(".")
    assert entry.what_to_do.endswith(".")


def test_the_top_level_is_as_agreed() -> None:
    agreed = {"review_graph", "checks", "tests", "data", "checkpoints", "pyproject.toml", "README.md"}
    present = {path.name for path in ROOT.iterdir()}
    assert agreed <= present


def test_the_catalogue_has_no_code_that_the_tests_do_not_know() -> None:
    known = "\n".join(
        path.read_text(encoding="utf-8") for path in (ROOT / "tests").glob("**/*.*") if path.suffix in (".py", ".yaml")
    )
    known += "\n".join(path.read_text(encoding="utf-8") for path in ROOT.glob("data/faults/*.yaml"))
    untested = [entry.code for entry in catalogue() if not re.search(rf"\b{re.escape(entry.code)}\b", known)]
    assert untested == []
