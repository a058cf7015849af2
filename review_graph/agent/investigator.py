"""Asks one question about one review, within limits, and says what came of it."""

from __future__ import annotations

import logging
import uuid
from collections.abc import Callable
from dataclasses import asdict, dataclass, field
from typing import TYPE_CHECKING, Any, cast

from langgraph.types import Command

from checks.plain import quote
from review_graph.agent.answering import answer_of, run_line
from review_graph.agent.calling import pending_of
from review_graph.agent.context import Once, RunContext
from review_graph.agent.events import Approval, Approver, Listener, nobody
from review_graph.agent.graph import compile_investigation
from review_graph.agent.prompts import stopped
from review_graph.agent.state import AGENT_VERSION, InvestigationState
from review_graph.core.persons import MAX_NAME, one_line, says_something
from review_graph.core.spending import Spent
from review_graph.errors import DecisionConflict, GraphVersionError, InputError, ReviewGraphError, ReviewNotFound
from review_graph.ports import AskLog, ChatModel, Clock, Memory
from review_graph.tools.matter import Matter
from review_graph.tools.toolbox import Toolbox
from review_graph.untraced import untraced
from review_graph.vocabulary import Answer, AnswerStatus, ErrorCode, Limits, Pending, Prices

if TYPE_CHECKING:
    from langchain_core.runnables import RunnableConfig
    from langgraph.checkpoint.base import BaseCheckpointSaver
    from langgraph.pregel import Pregel

_log = logging.getLogger("review_graph")

WINDOW = 4
"""Turns of a conversation that the model is shown."""

MAX_QUESTION = 4_000
"""Characters of a question."""

CLAIM_S = 60.0
"""Seconds by which whoever goes on from a pause may be late before another may."""

GRAPH_STEPS = 10_000
"""LangGraph's own limit, out of the way of ours."""

NOBODY = Approval(approved=False, by="nobody")
"""What is put down where there is no one to ask."""


@dataclass(frozen=True, kw_only=True)
class Means:
    """What every investigation works with.

    Attributes:
        model: The chat model.
        checkpointer: Keeps runs, so that a pause outlives the process.
        memory: Keeps conversations.
        log: The account of calls and runs.
        once: Lets an act with an effect happen once.
        clock: Gives the present time.
        limits: What one run may spend.
        prices: What it costs.
        has_gate: Whether the model is asked first if the question belongs to the review.
        new_id: Gives the id of a run.
    """

    model: ChatModel
    checkpointer: BaseCheckpointSaver[str]
    memory: Memory
    log: AskLog
    once: Once
    clock: Clock
    limits: Limits = field(default_factory=Limits)
    prices: Prices = field(default_factory=Prices)
    has_gate: bool = True
    new_id: Callable[[], str] = lambda: uuid.uuid4().hex[:12]


class Investigator:
    """Asks questions about reviews, within limits.

    Args:
        means: What it works with.
    """

    def __init__(self, means: Means) -> None:
        self._means = means

    def ask(
        self,
        question: str,
        matter: Matter,
        *,
        session: str = "",
        listener: Listener = nobody,
        approver: Approver | None = None,
        wait: bool = False,
    ) -> Answer:
        """Ask one question.

        Args:
            question: The question.
            matter: The review that it is about.
            session: The conversation that it belongs to; what was said before is remembered.
            listener: Told what happens on the way.
            approver: Asks a person about a call that has an effect.
            wait: Whether such a call waits for `settle` where there is no approver; it is rejected otherwise.

        Returns:
            The answer; where something went wrong its status and error say what, and no exception does.

        Raises:
            InputError: The question says nothing, or is too long.
            SetupError: The database or the log cannot be used.
        """
        run_id = self._means.new_id()
        window = self._means.memory.turns(session)[-WINDOW:] if session else ()
        state: InvestigationState = {
            "version": AGENT_VERSION,
            "run_id": run_id,
            "review_id": matter.review.id or "",
            "fingerprint": matter.review.dataset.fingerprint,
            "question": demand_question(question),
            "session": session,
            "window": [turn.to_plain() for turn in window],
            "messages": [],
            "steps": [],
            "limits": asdict(self._means.limits),
            "prices": asdict(self._means.prices),
            "spent": Spent().going(self._now()).to_plain(),
            "approvals": [],
            "second_chance": False,
        }
        return self._run(state, run_id, self._context(matter, listener), approver, wait=wait)

    def settle(
        self,
        run_id: str,
        matter: Matter,
        approval: Approval,
        *,
        of: str,
        listener: Listener = nobody,
        approver: Approver | None = None,
    ) -> Answer:
        """Say whether a call that waits may be made, and go on.

        Args:
            run_id: The run that waits.
            matter: The review that it is about.
            approval: What was said, and by whom.
            of: Digest of the call that was looked at; an approval is for that one and no other.
            listener: Told what happens on the way.
            approver: Asks a person about any further call that has an effect.

        Raises:
            GateError: No run waits under this id, its call is another one, or somebody was quicker.
            InputError: The dataset is not the one any more that was asked about.
            GraphVersionError: It was started by another version.
        """
        context = self._context(matter, listener)
        values = self._waiting(run_id, context)
        if values["fingerprint"] != matter.review.dataset.fingerprint or values["review_id"] != matter.review.id:
            raise InputError(f"run {run_id} asked about another dataset or review: ask again")
        by = one_line(approval.by, "the name of who approves", MAX_NAME)
        pending = pending_of(values)
        if pending is None or pending.digest != of:
            raise DecisionConflict("the call that waits is not the one that was looked at: look at it again")
        self._claim(values)
        said: Command[Any] = Command(resume={"approved": approval.approved, "by": by, "digest": of})
        return self._run(said, run_id, context, approver, wait=approver is None)

    def pending(self, run_id: str, matter: Matter) -> Pending:
        """Return the call that waits for an approval.

        Raises:
            ReviewNotFound: No run waits under this id.
        """
        pending = pending_of(self._waiting(run_id, self._context(matter, nobody)))
        if pending is None:
            raise ReviewNotFound(f"no investigation waits under the id {quote(run_id)}")
        return pending

    def _run(
        self,
        given: InvestigationState | Command[Any],
        run_id: str,
        context: RunContext,
        approver: Approver | None,
        *,
        wait: bool,
    ) -> Answer:
        graph = compile_investigation(context, self._means.checkpointer)
        while True:
            values = self._advanced(graph, given, run_id, context)
            if "status" in values:
                return answer_of(values, None, self._now())
            pending = pending_of(values)
            if pending is None:
                raise RuntimeError(f"run {run_id} stopped and nobody knows why")
            if approver is None and wait:
                context.log.write(run_line(values, self._now()) | {"status": AnswerStatus.WAITING.value})
                return answer_of(values, pending, self._now())
            said = NOBODY if approver is None else approver(pending)
            by = one_line(said.by, "the name of who approves", MAX_NAME)
            self._claim(values)
            given = Command(resume={"approved": said.approved, "by": by, "digest": pending.digest})

    def _claim(self, values: InvestigationState) -> None:
        """Let one go on from a pause; when a process died with it, another may after the time that a run has.

        Raises:
            DecisionConflict: Somebody else is at it.
        """
        longest = values["limits"]["seconds"] + CLAIM_S
        term = int(self._now() // longest)
        if not self._means.once(values["run_id"], f"approval {len(values['steps'])}", term):
            raise DecisionConflict(
                "somebody else has decided on this call already; if their process died, it can be decided on again in "
                f"{longest:.0f} seconds at the latest"
            )

    def _advanced(
        self,
        graph: Pregel[Any, Any, Any, Any],
        given: InvestigationState | Command[Any],
        run_id: str,
        context: RunContext,
    ) -> InvestigationState:
        """Let the graph run until it ends or waits. Whatever breaks in it ends the run and is put down."""
        try:
            with untraced():
                graph.invoke(given, _thread(run_id), durability="sync")
        except ReviewGraphError:
            raise
        except BaseException as error:
            values: InvestigationState = {**_values(graph, run_id), "status": AnswerStatus.FAILED.value}
            values["error"] = ErrorCode.GENERIC.value
            values["text"] = stopped(AnswerStatus.FAILED, values["error"])
            context.log.write(run_line(values, self._now()))
            if not isinstance(error, Exception):
                raise
            _log.error("run %s broke: %s", run_id, type(error).__name__)  # its text may hold values of the dataset
            _log.debug("run %s", run_id, exc_info=error)
            return values
        return _values(graph, run_id)

    def _waiting(self, run_id: str, context: RunContext) -> InvestigationState:
        graph = compile_investigation(context, self._means.checkpointer)
        snapshot = graph.get_state(_thread(run_id))
        if snapshot.next != ("approve",):
            raise ReviewNotFound(f"no investigation waits under the id {quote(run_id)}")
        if snapshot.values.get("version") != AGENT_VERSION:
            raise GraphVersionError(f"run {run_id} was started by another version of review-graph: ask again")
        return cast("InvestigationState", snapshot.values)

    def _context(self, matter: Matter, listener: Listener) -> RunContext:
        means = self._means
        return RunContext(
            matter=matter,
            toolbox=Toolbox(matter),
            model=means.model,
            has_gate=means.has_gate,
            now=self._now,
            memory=means.memory,
            log=means.log,
            once=means.once,
            tell=listener,
        )

    def _now(self) -> float:
        return self._means.clock().timestamp()


def demand_question(question: str) -> str:
    """Return a question without outer blanks.

    Raises:
        InputError: It says nothing, or is longer than `MAX_QUESTION`.
    """
    text = question.strip()
    if not says_something(text):
        raise InputError("the question says nothing: ask in words")
    if len(text) > MAX_QUESTION:
        raise InputError(f"the question has {len(text):,} characters; {MAX_QUESTION:,} are read")
    return text


def _thread(run_id: str) -> RunnableConfig:
    return {"configurable": {"thread_id": f"ask-{run_id}"}, "recursion_limit": GRAPH_STEPS}


def _values(graph: Pregel[Any, Any, Any, Any], run_id: str) -> InvestigationState:
    return cast("InvestigationState", graph.get_state(_thread(run_id)).values)
