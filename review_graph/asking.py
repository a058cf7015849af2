"""Questions about a review: its dataset is read again, the investigator asked, and the trail told that it was."""

from __future__ import annotations

import threading
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from checks.vocabulary import JSON, digest
from review_graph.core.persons import MAX_NAME, one_line
from review_graph.errors import DecisionNotAllowed, SetupError
from review_graph.ports import Artifacts, Clock, Entry, Ledgers, Located, Store
from review_graph.state import spec_of
from review_graph.vocabulary import Answer, AnswerStatus, AuditAction, Dataset, Pending

if TYPE_CHECKING:
    import polars as pl

    from checks.table import Table
    from review_graph.advancing import Advancing
    from review_graph.agent.events import Approval, Approver, Listener
    from review_graph.agent.investigator import Investigator
    from review_graph.tables import Tables
    from review_graph.tools.disclosing import Disclosure
    from review_graph.tools.matter import Matter, Write

KEPT = 4
"""Datasets of which it is kept whose each row is and what the ledger says: each may take as much as its identities."""

OpenRows = Callable[[str], "pl.DataFrame"]
"""Reads a file of offending rows, wherever it is kept."""

HOW_TO_SET = (
    "no model is set, so nobody can be asked: set REVIEW_GRAPH_MODEL, and REVIEW_GRAPH_MODEL_URL for any endpoint but "
    "OpenAI's own. Reviews need none"
)


@dataclass(frozen=True, kw_only=True)
class Telling:
    """What may be told of a dataset.

    Attributes:
        ledgers: What was told of each dataset before.
        open_rows: Reads a file of offending rows.
        smallest_group: Statistics over fewer subjects are not told.
        hidden: Columns that no tool reads or names.
        can_query: Whether aggregates may be asked in SQL.
    """

    ledgers: Ledgers
    open_rows: OpenRows
    smallest_group: int = 5
    hidden: Collection[str] = ()
    can_query: bool = False


class Asking:
    """Asks questions about reviews.

    Args:
        store: What is known of reviews.
        advancing: Has them as they stand.
        tables: Reads their datasets.
        artifacts: Keeps what is exported.
        clock: Gives the present time.
        investigator: Opens the investigator when it is first needed; None where no model is set.
        telling: What may be told.
    """

    def __init__(
        self,
        *,
        store: Store,
        advancing: Advancing,
        tables: Tables,
        artifacts: Artifacts,
        clock: Clock,
        investigator: Callable[[], Investigator | None],
        telling: Telling,
    ) -> None:
        self._store = store
        self._advancing = advancing
        self._tables = tables
        self._artifacts = artifacts
        self._clock = clock
        self._opened = investigator
        self._telling = telling
        self._lock = threading.Lock()
        self._kept: dict[tuple[str, str, str], Disclosure] = {}

    def ask(
        self,
        identity: str,
        question: str,
        *,
        session: str = "",
        by: str | None = None,
        listener: Listener | None = None,
        approver: Approver | None = None,
        wait: bool = False,
    ) -> Answer:
        """Ask about a review; `Investigator.ask` says how.

        Args:
            identity: Id of the review.
            question: The question.
            session: The conversation that it belongs to.
            by: Who asks; the user of the program when not given.
            listener: Told what happens on the way.
            approver: Asks a person about a call that has an effect.
            wait: Whether such a call waits for `settle` where there is no approver.

        Raises:
            ReviewNotFound: No review has that id.
            InvalidDecision: A name is no name.
            SetupError: No model is set, or the database cannot be used.
            InputError: The dataset is not there any more as it was reviewed, or the question says nothing.
            DecisionNotAllowed: The review has not come so far that there is something to ask about.
        """
        investigator, entry = self._investigator(), self._advancing.known(identity)
        matter, actor = self._matter(entry), by if by is None else one_line(by, "the name of who asks", MAX_NAME)
        named = {} if listener is None else {"listener": listener}
        try:
            answer = investigator.ask(
                question, matter, session=_key(entry, session), approver=approver, wait=wait, **named
            )
        except KeyboardInterrupt:
            interrupted: dict[str, JSON] = {"question": digest(question), "status": AnswerStatus.FAILED.value}
            self._store.append([self._advancing.told(AuditAction.ASKED, entry, interrupted, by=actor)])
            raise
        self._put_down(entry, answer, actor)
        return answer

    def pending(self, identity: str, run_id: str) -> Pending:
        """Return the call of a run that waits for an approval.

        Raises:
            ReviewNotFound: No run waits under this id.
        """
        return self._investigator().pending(run_id, self.matter(identity))

    def settle(
        self,
        identity: str,
        run_id: str,
        approval: Approval,
        *,
        of: str,
        listener: Listener | None = None,
        approver: Approver | None = None,
    ) -> Answer:
        """Say whether a call that waits may be made, and go on; `Investigator.settle` says how.

        Raises:
            GateError: No run waits under this id, its call is another one, or somebody was quicker.
        """
        investigator, entry = self._investigator(), self._advancing.known(identity)
        matter = self._matter(entry)
        named = {} if listener is None else {"listener": listener}
        answer = investigator.settle(run_id, matter, approval, of=of, approver=approver, **named)
        self._put_down(entry, answer, approval.by)
        return answer

    def matter(self, identity: str) -> Matter:
        """Return what is asked about: the review and its dataset, read again.

        Raises:
            ReviewNotFound: No review has that id.
            InputError: The dataset is not there any more as it was reviewed.
            DecisionNotAllowed: The review has not come so far.
        """
        return self._matter(self._advancing.known(identity))

    def _matter(self, entry: Entry) -> Matter:
        from review_graph.tools.matter import Matter  # a review needs none of this

        look = self._advancing.look(entry.id)
        review, values = look.review, look.values
        if "spec" not in values:
            raise DecisionNotAllowed(f"review {entry.id} has not begun: there is nothing to ask about yet")
        dataset = review.dataset
        table, _ = self._tables.open(Located(name=dataset.name, uri=dataset.uri, fingerprint=dataset.fingerprint))
        telling = self._telling
        return Matter(
            review=review,
            table=table,
            spec=spec_of(values),
            disclosure=self._disclosure(table, dataset),
            write=self._writer(values.get("folder")),
            open_rows=telling.open_rows,
            hidden=frozenset(column.casefold() for column in telling.hidden),
            can_query=telling.can_query,
        )

    def _disclosure(self, table: Table, dataset: Dataset) -> Disclosure:
        """What may be told of a dataset: whose each row is, and what follows from the ledger, is found out once."""
        from review_graph.tools.disclosing import disclosure_of

        key, telling = (dataset.name, dataset.uri, dataset.fingerprint), self._telling
        with self._lock:
            if key not in self._kept:
                k = telling.smallest_group
                self._kept[key] = disclosure_of(table, dataset, telling.ledgers, k=k, clock=self._clock)
                while len(self._kept) > KEPT:
                    del self._kept[next(iter(self._kept))]
            return self._kept[key]

    def _writer(self, folder: str | None) -> Write | None:
        return None if folder is None else lambda name, text: self._artifacts.write(folder, name, text)

    def _investigator(self) -> Investigator:
        investigator = self._opened()
        if investigator is None:
            raise SetupError(HOW_TO_SET)
        return investigator

    def _put_down(self, entry: Entry, answer: Answer, by: str | None) -> None:
        detail: Mapping[str, JSON] = {
            "run": answer.run_id,
            "question": digest(answer.question),
            "status": answer.status.value,
            "tools": [step.tool for step in answer.steps],
            "approved": [step.tool for step in answer.steps if step.approved],
            "model": answer.model,
        }
        self._store.append([self._advancing.told(AuditAction.ASKED, entry, detail, by=by)])


def _key(entry: Entry, session: str) -> str:
    """The key of a conversation: it is about one review, whatever else has the same name."""
    return f"{entry.id}/{session}" if session else ""
