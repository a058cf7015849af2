"""An evaluation on stdout: a line a run, the table of budgets, and another one beside it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from checks.plain import count_of
from checks.vocabulary import JSON
from review_graph.doors.cli.sheets import Listing, Sheet

if TYPE_CHECKING:
    from review_graph.evaluation.results import Evaluation

_RUN_COLUMNS = ("question", "dataset", "status", "verdict", "calls", "tokens in", "tokens out", "credits")


def evaluation_sheet(evaluation: Evaluation, other: Mapping[str, JSON] | None = None) -> Sheet:
    """Return what a model made of the questions.

    Args:
        evaluation: What it made of them.
        other: Another evaluation that it is held against, as plain data.
    """
    counts = evaluation.summary()
    listings = [Listing(columns=_RUN_COLUMNS, rows=[_cells(run.to_plain()) for run in evaluation.runs])]
    if evaluation.budgets:
        listings.append(_budgets(evaluation))
    plain = evaluation.to_plain()
    if other is not None:
        listings += _beside(plain, other)
        plain["compared_with"] = dict(other)
    return Sheet(
        title=f"{evaluation.model}: {counts['answered']} of {counts['questions']} questions answered",
        facts=[
            ("right", str(counts["right"])),
            ("wrong", str(counts["wrong"])),
            ("grounded", f"{counts['grounded']}, and {counts['ungrounded']} withheld as ungrounded"),
            ("credits", f"{counts['credits']:.3f}"),
        ],
        listings=listings,
        notes=_notes(evaluation),
        plain=plain,
    )


def _cells(run: Mapping[str, JSON]) -> list[str]:
    estimated = "~" if run["tokens_estimated"] else ""
    verdict = run["verdict"] if run["as_recorded"] is not False else f"{run['verdict']}, not as recorded"
    return [
        run["question"],
        run["dataset"],
        run["status"] if run["error"] is None else f"{run['status']} ({run['error']})",
        verdict,
        str(run["calls"]),
        f"{estimated}{run['tokens_in']}",
        f"{estimated}{run['tokens_out']}",
        f"{run['credits']:.3f}",
    ]


def _budgets(evaluation: Evaluation) -> Listing:
    rows = [(str(budget.steps), str(budget.answered), f"{budget.credits:.3f}") for budget in evaluation.budgets]
    title = f"With so many steps, of {count_of(evaluation.budgets[0].questions, 'question')}"
    return Listing(title=title, columns=("steps", "answered", "credits"), rows=rows)


def _beside(plain: Mapping[str, JSON], other: Mapping[str, JSON]) -> list[Listing]:
    from review_graph.evaluation.results import COMPARED, differing

    names = ("", f"this: {plain['model']}", f"other: {other['model']}")
    counts = [(name, str(plain[name]), str(other[name])) for name in COMPARED]
    return [
        Listing(title="Beside each other", columns=names, rows=counts),
        Listing(title="What ended differently", columns=("question", *names[1:]), rows=differing(plain, other)),
    ]


def _notes(evaluation: Evaluation) -> list[str]:
    notes = []
    if evaluation.recommended is not None:
        notes.append(f"recommended: {evaluation.recommended} steps, the smallest number that answers the most")
    faults = [run.question.id for run in evaluation.runs if run.is_fault]
    if faults:
        notes.append(f"to be looked into: {', '.join(faults)}")
    if any(run.answer.tokens_estimated for run in evaluation.runs):
        notes.append("~ tokens are counted by their characters, four to a token")
    return notes
