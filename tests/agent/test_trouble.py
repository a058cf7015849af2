"""A14, A16, A18: whatever breaks ends in a status and a code, with a line in the account."""

from __future__ import annotations

import hashlib
import logging
from collections.abc import Callable
from pathlib import Path

import pytest

from review_graph.adapters.models.scripted import Reply
from review_graph.agent.events import Called, Event
from review_graph.errors import SetupError
from review_graph.tools.toolbox import Toolbox
from review_graph.vocabulary import AnswerStatus, AuditAction, ErrorCode
from tests.agent.things import ADSL, Desk, divide

At = Callable[..., Desk]


@pytest.mark.parametrize(
    ("turn", "code"),
    [
        (ConnectionError("https://user:secret@host"), ErrorCode.MODEL_UNAVAILABLE),
        (TimeoutError(), ErrorCode.MODEL_UNAVAILABLE),
        (ValueError("secret"), ErrorCode.MODEL_ERROR),
        (Reply(text="There are", ended="length"), ErrorCode.MODEL_ERROR),
        (Reply(text="There are", ended=""), ErrorCode.MODEL_ERROR),
    ],
)
def test_trouble_with_the_model_is_a_code(
    desk: At, turn: Reply | Exception, code: ErrorCode, caplog: pytest.LogCaptureFixture
) -> None:
    at = desk(divide("6/3"), turn)
    answer = at.ask()
    assert (answer.status, answer.error) == (AnswerStatus.FAILED, code)
    assert "secret" not in answer.text + caplog.text
    assert (at.lines("run")[0]["status"], at.lines("run")[0]["error"]) == ("failed", code.value)
    assert len(answer.steps) == 1


def test_a_bug_of_ours_is_generic(desk: At, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO, logger="review_graph")  # another test may have asked for more
    at = desk(divide("6/3"), "2")
    monkeypatch.setattr(Toolbox, "call", lambda *_, **__: 1 / 0)
    answer = at.ask()
    assert (answer.status, answer.error) == (AnswerStatus.FAILED, ErrorCode.GENERIC)
    assert "ZeroDivisionError" in caplog.text
    assert "Traceback" not in caplog.text
    assert at.lines("run")[0]["error"] == "generic"


def test_a_run_that_is_interrupted_is_put_down(desk: At) -> None:
    def interrupted(event: Event) -> None:
        if isinstance(event, Called):
            raise KeyboardInterrupt

    at = desk(divide("6/3"), "never")
    with pytest.raises(KeyboardInterrupt):
        at.ask(listener=interrupted)
    assert len(at.model.asked) == 1
    assert at.lines("run")[0]["status"] == "failed"
    told = [entry for entry in at.service.trail.entries(at.id) if entry.action is AuditAction.ASKED]
    assert [entry.detail["status"] for entry in told] == ["failed"]


def test_an_account_that_cannot_be_kept_stops_the_run(desk: At, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    at = desk(divide("6/3"), "2")
    at = at.again([divide("6/3"), "2"], out=tmp_path / "file")
    with pytest.raises(SetupError):
        at.ask()


def test_the_account_of_a_run(desk: At) -> None:
    at = desk(divide("6/3"), "There are 2.", ask_cost=1)
    answer = at.ask("What is 6 by 3?")
    (call,), (run,) = at.lines("call"), at.lines("run")
    assert call == {
        "kind": "call",
        "run_id": answer.run_id,
        "review_id": at.id,
        "fingerprint": at.review.dataset.fingerprint,
        "step": 1,
        "tool": "calculate",
        "arguments": {"expression": "6/3"},
        "approved": None,
        "ok": True,
        "rows": 0,
        "digest": answer.steps[0].digest,
    }
    assert run == {
        "kind": "run",
        "run_id": answer.run_id,
        "review_id": at.id,
        "at": "2026-03-04T05:06:07+00:00",
        "question": hashlib.sha256(b"What is 6 by 3?").hexdigest(),
        "answer": hashlib.sha256(b"There are 2.").hexdigest(),
        "steps": 2,
        "tools": ["calculate"],
        "approvals": [],
        "tokens_in": answer.tokens_in,
        "tokens_out": answer.tokens_out,
        "tokens_estimated": False,
        "cost": round(answer.cost, 6),
        "elapsed": 0.0,
        "status": "answered",
        "error": None,
        "model": "scripted-2026-01-01",
    }


def test_without_a_model_a_review_works_and_ask_says_what_to_set(desk: At) -> None:
    from review_graph import Settings, build

    at = desk()
    at.service.close()
    with build(Settings(db=at.settings.db)) as service:
        assert service.start(ADSL).id
        with pytest.raises(SetupError, match="REVIEW_GRAPH_MODEL"):
            service.asking.ask(at.id, "How many?")


def test_the_dataset_is_not_touched(desk: At) -> None:
    at = desk(divide("6/3"), "2")
    before = hashlib.sha256(at.data.read_bytes()).hexdigest()
    at.ask()
    assert hashlib.sha256(at.data.read_bytes()).hexdigest() == before
