"""Questions with known answers: what is asked of which dataset, how the answer is computed, what was recorded."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Literal, Self

import yaml
from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator

from checks.plain import quote
from checks.vocabulary import JSON
from review_graph.errors import InputError
from review_graph.vocabulary import AnswerStatus

Operator = Literal["=", "!=", "<", "<=", ">", ">=", "is null", "is not null"]


class _Part(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class Where(_Part):
    """A condition on a row. Blank text counts as null; null meets no condition but `is null`."""

    column: str
    op: Operator
    value: str | float | None = None


class Known(_Part):
    """A figure that a right answer holds, and how it is computed from the data.

    Attributes:
        compute: `count` rows or the different values of `distinct`; `mean`, `sd` (n - 1) or `values` (how many
            different ones) of `column`; `percent`, how many of those that meet `of` meet `where` too; `columns`.
        column: The column.
        where: Conditions that all hold.
        of: Conditions of the whole, for `percent`.
        distinct: A column whose different values are counted in place of rows.
        decimals: Decimals that the answer gives at least.
        small: The figure is one that is not told: the answer says that it is below the threshold.
    """

    compute: Literal["count", "mean", "sd", "values", "percent", "columns"]
    column: str = ""
    where: tuple[Where, ...] = ()
    of: tuple[Where, ...] = ()
    distinct: str = ""
    decimals: int = Field(default=0, ge=0, le=9)
    small: bool = False


class Expected(_Part):
    """What a right answer is.

    Attributes:
        ends: Whether there is an answer, or the question is refused.
        cannot: The answer says that it cannot tell, and gives no figure.
        figures: The figures that it holds.
        says: Text that it holds, in any case.
        cites: What it cites, each as `kind:name`.
    """

    ends: Literal["answered", "refused"] = "answered"
    cannot: bool = False
    figures: tuple[Known, ...] = ()
    says: tuple[str, ...] = ()
    cites: tuple[str, ...] = ()

    @model_validator(mode="after")
    def _says_something(self) -> Self:
        holds = self.figures or self.says or self.cites
        if self.ends == "answered" and bool(holds) is self.cannot:
            raise ValueError("an expected answer either cannot tell, or has figures, says or cites")
        return self


class Recorded(_Part):
    """The turns of a model that was recorded, so that the question can be asked without one.

    Attributes:
        turns: Its turns, as a scripted model takes them.
        status: How the run ends with them.
        gate: Whether the first turn answers the scope gate.
    """

    turns: tuple[JSON, ...]
    status: AnswerStatus = AnswerStatus.ANSWERED
    gate: bool = False


class Question(_Part):
    """A question.

    Attributes:
        id: Its id.
        dataset: What it is about, one of the datasets of the file.
        ask: The question.
        expected: What a right answer is.
        recorded: What a model said.
        reference: Whether it is one of those by which limits are chosen.
    """

    id: str = Field(pattern=r"^[A-Za-z0-9_-]{1,40}$")
    dataset: str
    ask: str = Field(min_length=1)
    expected: Expected
    recorded: Recorded
    reference: bool = False


class Asked(_Part):
    """A dataset that is asked about.

    Attributes:
        path: Where it is, from the folder of the file of questions.
        spec: Where its spec is; a built-in one when not given.
        hidden: Columns that are hidden from the investigator.
    """

    path: Path
    spec: Path | None = None
    hidden: tuple[str, ...] = ()


class QuestionSet(_Part):
    """A file of questions.

    Attributes:
        datasets: What is asked about, by name.
        questions: The questions.
    """

    datasets: Mapping[str, Asked]
    questions: tuple[Question, ...] = Field(min_length=1)

    @model_validator(mode="after")
    def _belongs_together(self) -> Self:
        seen: set[str] = set()
        for question in self.questions:
            if question.dataset not in self.datasets:
                raise ValueError(f"question {question.id} is about {quote(question.dataset)}, which is no dataset here")
            if question.id in seen:
                raise ValueError(f"question {question.id} occurs twice")
            seen.add(question.id)
        return self


def load_questions(path: Path) -> QuestionSet:
    """Read a file of questions; paths of datasets are made to start from where we are.

    Raises:
        InputError: It cannot be read, or is no such file.
    """
    try:
        plain = yaml.safe_load(path.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError, yaml.YAMLError) as error:
        told = " ".join(str(getattr(error, "strerror", None) or error).split())
        raise InputError(f"cannot read the questions {path}: {told}") from error
    try:
        questions = QuestionSet.model_validate(plain)
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False)[0]
        place = ".".join(map(str, first["loc"]))
        raise InputError(f"{path}{f': {place}' if place else ''}: {first['msg']}") from None
    datasets = {name: _from(path.parent, asked) for name, asked in questions.datasets.items()}
    return questions.model_copy(update={"datasets": datasets})


def _from(folder: Path, asked: Asked) -> Asked:
    spec = None if asked.spec is None else folder / asked.spec
    return asked.model_copy(update={"path": folder / asked.path, "spec": spec})
