"""The page on the investigator: its file runs, and its tables name what there is."""

from __future__ import annotations

import re
import runpy
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from review_graph import Settings
from review_graph.adapters.models.scripted import Call, Reply, ScriptedChatModel
from review_graph.tools.toolbox import TOOLS
from review_graph.vocabulary import AnswerStatus

if TYPE_CHECKING:
    from tests.docs.conftest import Page

ADSL = Path(__file__).parents[2] / "data" / "adsl.parquet"
OpenPage = Callable[[str], "Page"]


def test_the_file_of_the_page_asks(page: OpenPage, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    page("investigator").write_files(tmp_path)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("REVIEW_GRAPH_ASK_GATE", "0")
    model = ScriptedChatModel(
        turns=[
            Reply(calls=(Call(name="count_subjects", arguments={"arm": "Placebo"}),)),
            "86 subjects are on placebo.",
        ]
    )
    ask = runpy.run_path("asking.py")["ask"]
    assert ask(str(ADSL), "How many are on placebo?", model) == "answered: 86 subjects are on placebo."


def test_the_tables_of_the_page_name_all_tools_statuses_and_settings(page: OpenPage) -> None:
    named = set(re.findall(r"`([A-Za-z_]+)`", page("investigator").text))
    assert {tool.name for tool in TOOLS} <= named
    assert {status.value for status in AnswerStatus} <= named
    about = [name for name in Settings.model_fields if name.startswith(("ask_", "model"))]
    text = page("investigator").text
    assert [name for name in about if f"REVIEW_GRAPH_{name.upper()}" not in text] == []
