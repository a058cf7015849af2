"""The tree of errors, by whose it is to mend. Doors turn them into exit codes and status codes.

::

    ReviewGraphError
    ├── InputError            the data is wrong: a file is missing, unreadable, truncated or not a table
    ├── SetupError            the set-up is wrong: a database or folder cannot be used, a package is missing
    ├── GateError             the reviewer's act is not possible
    │   ├── ReviewNotFound    no review has that id
    │   ├── InvalidDecision   name, reason, severity or finding is missing or unknown
    │   ├── DecisionNotAllowed  the review is not in a state in which this can be decided
    │   └── DecisionConflict  somebody else decided first; carries the decision that stands
    ├── GraphVersionError     the review was paused under another version of the graph
    ├── ModelTrouble          a chat model gave no answer that can be used
    └── LeaseLost             another process took the review over
    checks.errors.SpecError   the spec is wrong (the checks library knows nothing of this one)

Anything else that is raised is a bug of ours.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from review_graph.vocabulary import Decision, ErrorCode


class ReviewGraphError(Exception):
    """Any error of review-graph that a caller may want to catch. The text is one line for a person."""


class InputError(ReviewGraphError):
    """The data cannot be read as a table: what was found, what was expected, what to do."""


class SetupError(ReviewGraphError):
    """Something around the data is not as it must be: database, folder, package, setting."""


class EntryError(SetupError):
    """An entry of the audit trail says what no entry can; it has its number."""

    def __init__(self, number: int, message: str) -> None:
        super().__init__(message)
        self.number = number


class GateError(ReviewGraphError):
    """A reviewer's act was refused; nothing was written."""


class ReviewNotFound(GateError):  # noqa: N818 - says what happened
    """No review has that id."""


class InvalidDecision(GateError):  # noqa: N818 - says what happened
    """A decision lacks something or names something that does not exist."""


class DecisionNotAllowed(GateError):  # noqa: N818 - says what happened
    """The review is not in a state in which this can be decided."""


class DecisionConflict(GateError):  # noqa: N818 - says what happened
    """Another decision came first.

    Attributes:
        decision: The first one that the reviewer had not seen; None when it was something else that moved.
    """

    def __init__(self, message: str, decision: Decision | None = None) -> None:
        super().__init__(message)
        self.decision = decision


class GraphVersionError(ReviewGraphError):
    """The review was paused under another version of the graph."""


class ModelTrouble(ReviewGraphError):  # noqa: N818 - says what happened
    """A chat model gave no answer that can be used.

    Attributes:
        code: What a user is told of it; the text is for the log.
    """

    def __init__(self, code: ErrorCode, message: str) -> None:
        super().__init__(message)
        self.code = code


class LeaseLost(ReviewGraphError):  # noqa: N818 - says what happened
    """A process did not answer for so long that another one took over its review; it must not write any more."""
