"""An evaluation that was kept as JSON, read again."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path

from pydantic import BaseModel, ConfigDict, ValidationError, create_model

from checks.plain import quote
from checks.vocabulary import JSON
from review_graph.errors import InputError
from review_graph.evaluation.results import COMPARED


class _KeptRun(BaseModel):
    model_config = ConfigDict(extra="allow", strict=True)

    question: str
    status: str
    verdict: str


class _Named(BaseModel):
    model_config = ConfigDict(extra="allow", strict=True, allow_inf_nan=False)

    model: str
    runs: list[_KeptRun]


_Kept = create_model("_Kept", __base__=_Named, **dict.fromkeys(COMPARED, (float, ...)))  # type: ignore[call-overload]


def is_kept(name: str) -> bool:
    """Whether a name is that of a file and not of a model: there is such a path, or it ends in `.json`."""
    try:
        return name.lower().endswith(".json") or Path(name).exists()
    except OSError:  # no path can have such a name
        return False


def load_kept(path: str) -> Mapping[str, JSON]:
    """Return an evaluation that was kept.

    Args:
        path: A file that `--output json:FILE` wrote.

    Raises:
        InputError: It cannot be read, or is no evaluation.
    """
    try:
        written = Path(path).read_bytes()
        _Kept.model_validate_json(written)
    except OSError as error:
        raise InputError(f"cannot read the evaluation {path}: {error.strerror or error}") from error
    except ValidationError as error:
        first = error.errors(include_url=False, include_context=False)[0]
        at = ".".join(map(str, first["loc"]))
        raise InputError(
            f"{path} is no evaluation: {quote(at) + ': ' if at else ''}{first['msg']}; "
            f"make one with `review-graph eval --output json:{path}`"
        ) from error
    plain: dict[str, JSON] = json.loads(written)  # as it stands: a count stays a whole number
    return plain
