"""`review-graph eval`: questions with known answers, asked of recorded turns or of a model."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from review_graph.doors.cli.exits import Exit, complain, guard, stop
from review_graph.doors.cli.options import Format, OutputFormat

if TYPE_CHECKING:
    from collections.abc import Sequence

    from review_graph.evaluation.evaluating import Bench, Trial
    from review_graph.evaluation.questions import Question
    from review_graph.evaluation.results import Evaluation

QUESTIONS = Path("data/questions/questions.yaml")
"""The questions that are shipped."""

_FORMATS = ("html", "json")


def evaluate_questions(  # noqa: PLR0913 - a command's options are its arguments
    questions: Annotated[Path, typer.Argument(metavar="QUESTIONS", help="Questions with known answers.")] = QUESTIONS,
    *,
    model: Annotated[
        str | None,
        typer.Option(
            metavar="NAME",
            help="Ask this model, at the endpoint of the settings. Default: the recorded turns; no model is called.",
            show_default=False,
        ),
    ] = None,
    compare: Annotated[
        str | None,
        typer.Option(
            metavar="NAME|FILE",
            help="Hold it against another model, or against an evaluation that was kept with --output json:FILE.",
            show_default=False,
        ),
    ] = None,
    only: Annotated[
        list[str] | None,
        typer.Option(metavar="ID", help="Only this question; may be repeated.", show_default=False),
    ] = None,
    reference: Annotated[bool, typer.Option("--reference", help="Only those by which limits are chosen.")] = False,
    max_steps: Annotated[
        int | None, typer.Option(min=0, help="Calls of the model a question. Default: as set.", show_default=False)
    ] = None,
    max_credits: Annotated[
        float | None,
        typer.Option("--credits", min=0, help="Credits a question. Default: as set.", show_default=False),
    ] = None,
    budgets: Annotated[
        bool | None,
        typer.Option(
            "--budgets/--no-budgets",
            help="Ask again with 1 to 10 steps, and recommend a number. Default: only of recorded turns.",
            show_default=False,
        ),
    ] = None,
    output: Annotated[
        list[str] | None,
        typer.Option(
            metavar="FMT:PATH",
            help="Write a page that steps through the runs (html) or all of it (json) into a file; may be repeated.",
            show_default=False,
        ),
    ] = None,
    output_format: OutputFormat = Format.TABLE,
) -> None:
    """Ask questions whose answers are known, and say what is answered, what is right, and what it costs.

    Exit code 0 when each question is answered right; one with recorded turns may also end without an answer, if it was
    recorded so. Otherwise 1. What it is held against is not judged.
    """
    from review_graph.doors.cli.eval_printing import evaluation_sheet
    from review_graph.doors.cli.sheets import print_sheet
    from review_graph.evaluation.evaluating import Bench
    from review_graph.evaluation.kept import is_kept, load_kept
    from review_graph.evaluation.questions import load_questions

    with guard():
        targets = _targets(output)
        asked = load_questions(questions)
        wanted = _wanted(asked.questions, only, reference=reference)
        earlier = load_kept(compare) if compare is not None and is_kept(compare) else None
        with Bench(asked.datasets) as bench:
            evaluation = _evaluated(bench, wanted, _trial(model, max_steps, max_credits), budgets=budgets)
            if compare is not None and earlier is None:
                earlier = _evaluated(bench, wanted, _trial(compare, max_steps, max_credits), budgets=False).to_plain()
        print_sheet(evaluation_sheet(evaluation, earlier), output_format)
        _write(evaluation, targets)
    stop(Exit.FAULT if evaluation.has_faults else Exit.DONE)


def _evaluated(bench: Bench, questions: Sequence[Question], trial: Trial, *, budgets: bool | None) -> Evaluation:
    from dataclasses import replace

    from review_graph.evaluation.evaluating import budget_table, evaluate

    evaluation = evaluate(bench, questions, trial)
    if not (trial.is_recorded if budgets is None else budgets):
        return evaluation
    chosen = [question for question in questions if question.reference] or questions
    return replace(evaluation, budgets=budget_table(bench, chosen, trial))


def _trial(name: str | None, max_steps: int | None, max_credits: float | None) -> Trial:
    """What is evaluated: the recorded turns, or a model at the endpoint of the settings."""
    from dataclasses import replace

    from review_graph.adapters.models.openai import open_model
    from review_graph.core.spending import CREDITS_A_DOLLAR
    from review_graph.errors import SetupError
    from review_graph.evaluation.evaluating import Trial
    from review_graph.evaluation.recorded import recorded_model
    from review_graph.gate import system_clock
    from review_graph.settings import Settings

    settings = Settings.from_environment()
    limits = settings.limits
    if max_steps is not None:
        limits = replace(limits, steps=max_steps)
    if max_credits is not None:
        limits = replace(limits, cost=max_credits / CREDITS_A_DOLLAR)
    if name is None:
        return Trial(model_for=recorded_model, limits=limits, prices=settings.prices)
    opened = open_model(settings.model_copy(update={"model": name}))
    if opened is None:
        raise SetupError("--model needs the name of a model")
    return Trial(
        model_for=lambda _question: opened,
        is_recorded=False,
        has_gate=settings.ask_gate,
        limits=limits,
        prices=settings.prices,
        clock=system_clock,
    )


def _wanted(questions: Sequence[Question], only: Sequence[str] | None, *, reference: bool) -> list[Question]:
    from review_graph.errors import InputError

    unknown = set(only or ()) - {question.id for question in questions}
    found = [q for q in questions if (not only or q.id in only) and (q.reference or not reference)]
    if unknown or not found:
        raise InputError(f"there is no question {', '.join(sorted(unknown)) or 'left'}; look at the file of questions")
    return found


def _targets(given: Sequence[str] | None) -> list[tuple[str, Path]]:
    from review_graph.errors import SetupError

    targets = []
    for text in given or ():
        name, _, place = text.partition(":")
        if name not in _FORMATS or not place or "://" in place or "\0" in place:
            raise SetupError(f"--output {text!r} is not FMT:PATH with one of the formats {', '.join(_FORMATS)}")
        targets.append((name, Path(place)))
    return targets


def _write(evaluation: Evaluation, targets: Sequence[tuple[str, Path]]) -> None:
    from review_graph.adapters.own_files import write_whole
    from review_graph.errors import SetupError
    from review_graph.evaluation.page import page

    for name, path in targets:
        text = page(evaluation) if name == "html" else json.dumps(evaluation.to_plain(), indent=2) + "\n"
        try:
            write_whole(path, lambda temporary, text=text: temporary.write_text(text, encoding="utf-8"))  # type: ignore[misc]
        except OSError as error:
            complain(f"cannot write {path}: {error.strerror or error}; give --output another path")
            raise SetupError("a file of the evaluation was not written") from error
