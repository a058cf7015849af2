"""A whole run with a scripted model is the same twice, to the byte."""

from __future__ import annotations

import datetime as dt
import shutil
from pathlib import Path

from langgraph.checkpoint.memory import InMemorySaver

from checks.vocabulary import canonical
from review_graph import Settings, build
from review_graph.adapters.ask_log import AskLogFile
from review_graph.adapters.in_memory import MemoryOfProcess
from review_graph.adapters.models.langchain_model import LangChainModel
from review_graph.adapters.models.scripted import ScriptedChatModel
from review_graph.agent.events import Event
from review_graph.agent.investigator import Investigator, Means
from tests.agent.things import ADSL, ALLOW, calls, divide
from tests.conftest import NOW


def run(folder: Path) -> tuple[str, bytes, list[Event], list[str]]:
    folder.mkdir()
    shutil.copy(ADSL, folder / "adsl.parquet")
    model = ScriptedChatModel(
        turns=[
            ALLOW,
            calls(("count_subjects", {"age_min": 65, "age_max": 74}), ("list_findings", {})),
            calls(("count_subjects", {"age_min": 75})),
            divide("1 / 3"),
            "None of it is 4711.",
            "I cannot tell.",
        ]
    )
    log = folder / "log.jsonl"
    events: list[Event] = []
    with build(Settings(db=str(folder / "r.sqlite")), clock=lambda: NOW) as service:
        review = service.start(folder / "adsl.parquet")
        means = Means(
            model=LangChainModel(model, "scripted"),
            checkpointer=InMemorySaver(),
            memory=MemoryOfProcess(lambda: NOW, dt.timedelta(hours=1)),
            log=AskLogFile(log),
            once=lambda *_: True,
            clock=lambda: NOW,
            new_id=lambda: "run-1",
        )
        matter = service.asking.matter(review.id or "")
        answer = Investigator(means).ask("How many are 65 to 74?", matter, listener=events.append)
    shown = [canonical([message.model_dump() for message in asked]) for asked in model.asked]
    return canonical(answer.to_plain()), log.read_bytes(), events, shown


def test_a_run_is_the_same_twice(tmp_path: Path) -> None:
    assert run(tmp_path / "one") == run(tmp_path / "two")
