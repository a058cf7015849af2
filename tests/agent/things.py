"""What the tests of the investigator share: a review of the shipped ADSL, and a model that says what it is told to."""

from __future__ import annotations

import json
import shutil
import sqlite3
from collections.abc import Callable, Sequence
from contextlib import closing
from pathlib import Path
from typing import Any

from langchain_core.messages import BaseMessage

from review_graph import Review, ReviewService, Settings, build
from review_graph.adapters.models.scripted import Call, Reply, ScriptedChatModel, ScriptedTurn
from review_graph.vocabulary import Answer
from tests.flow.things import Hands

ADSL = Path(__file__).parents[2] / "data" / "adsl.parquet"

QUESTION = "How are 2, 3, 4, 6, 8 and 9 made of each other?"

ALLOW = '{"allow": true}'


def calls(*named: tuple[str, dict[str, Any] | str], **more: Any) -> Reply:
    """A reply that calls tools."""
    return Reply(calls=tuple(Call(name=name, arguments=arguments) for name, arguments in named), **more)


def divide(expression: str = "6 / 3") -> Reply:
    """A call of the one tool that needs no data."""
    return calls(("calculate", {"expression": expression}))


class Desk:
    """A reviewer at a desk: a review of ADSL, a scripted model, and whatever the settings say."""

    def __init__(self, folder: Path, turns: Sequence[ScriptedTurn], *, data: Path = ADSL, **settings: Any) -> None:
        self.folder = folder
        self.hands = Hands()
        self.data = folder / data.name
        if not self.data.exists():
            shutil.copy(data, self.data)
        self.settings = Settings(**{"db": str(folder / "r.sqlite"), "ask_gate": False, **settings})
        self.model = ScriptedChatModel(turns=list(turns))
        self.service: ReviewService = build(self.settings, clock=self.hands, model=self.model)
        self.review: Review = self.service.start(self.data)

    @property
    def id(self) -> str:
        return self.review.id or ""

    def ask(self, question: str = QUESTION, **more: Any) -> Answer:
        return self.service.asking.ask(self.id, question, **more)

    def again(self, turns: Sequence[ScriptedTurn], **settings: Any) -> Desk:
        """The same database, opened by another process with another model."""
        self.service.close()
        kept = self.settings.model_dump(exclude_unset=True)
        return Desk(self.folder, turns, data=self.data, **{**kept, **settings})

    def lines(self, kind: str) -> list[dict[str, Any]]:
        """Lines of a kind of the account of investigations."""
        path = self.settings.out_path / "investigations.jsonl"
        told = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()] if path.exists() else []
        return [line for line in told if line["kind"] == kind]

    def rewrite(self, old: bytes, new: bytes) -> None:
        """Change, behind the back of the service, what the checkpoints hold; both have to be of one length."""
        changed = 0
        with closing(sqlite3.connect(self.settings.db)) as connection, connection:
            for table, column in (("checkpoints", "checkpoint"), ("writes", "value")):
                for row, value in connection.execute(f"SELECT rowid, {column} FROM {table}").fetchall():  # noqa: S608
                    if isinstance(value, bytes) and old in value:
                        other = value.replace(old, new)
                        connection.execute(f"UPDATE {table} SET {column} = ? WHERE rowid = ?", (other, row))  # noqa: S608
                        changed += 1
        assert changed

    def roles(self, call: int) -> list[str]:
        """The roles of the messages of one call of the model."""
        return [message.type for message in self.model.asked[call - 1]]

    def shown(self, call: int) -> list[str]:
        """The names of the tools of one call of the model."""
        return [tool["function"]["name"] for tool in self.model.shown[call - 1]]


def texts(messages: Sequence[BaseMessage]) -> list[str]:
    return [str(message.text) for message in messages]


def then(act: Callable[[], object], turn: str | Reply | Exception) -> ScriptedTurn:
    """A turn before which something happens."""

    def said(_: list[BaseMessage]) -> str | Reply | Exception:
        act()
        return turn

    return said
