"""Whose fault it is that a model gave no answer. Nothing that an endpoint or a library says is passed on."""

from __future__ import annotations

from review_graph.errors import ModelTrouble
from review_graph.vocabulary import ErrorCode

_LATE = {"APITimeoutError", "ModelTimeoutError", "TimeoutError", "TimeoutException"}
_AWAY = {"APIConnectionError", "ModelConnectionError", "OSError", "TransportError"}
_UNREADABLE = {"APIError", "AttributeError", "LookupError", "ModelError", "TypeError", "ValueError", "Warning"}

_BUSY_STATUSES = {408, 409, 425, 429}
_NOT_ADMITTED_STATUSES = {401, 403, 404, 407}


def trouble_of(error: Exception) -> ModelTrouble:
    """Return what to raise in place of an error.

    An error's own text is left out: it may quote the address with a key in it, the key, or what was asked.
    """
    if isinstance(error, ModelTrouble):
        return error
    # By name: the libraries that raise them are not imported for this, and LangChain wraps some and lets others pass.
    names = {kind.__name__ for kind in type(error).__mro__}
    status = getattr(error, "status_code", None)
    shown = type(error).__name__ + (f", status {status}" if isinstance(status, int) else "")
    code, what = _judged(names, status if isinstance(status, int) else None)
    return ModelTrouble(code, f"{what} ({shown})")


def _judged(names: set[str], status: int | None) -> tuple[ErrorCode, str]:
    if names & _LATE:
        return ErrorCode.MODEL_UNAVAILABLE, "the model did not answer in time"
    if status is not None:
        if status in _BUSY_STATUSES or status >= 500:
            return ErrorCode.MODEL_UNAVAILABLE, "the endpoint of the model is busy, or has trouble of its own"
        if status in _NOT_ADMITTED_STATUSES or status < 400:
            return ErrorCode.MODEL_UNAVAILABLE, "the endpoint of the model refused: are address, key and name right?"
        return ErrorCode.MODEL_ERROR, "the endpoint of the model did not accept the request"
    if names & _AWAY:
        return ErrorCode.MODEL_UNAVAILABLE, "the endpoint of the model cannot be reached, or broke off"
    if names & _UNREADABLE:
        return ErrorCode.MODEL_ERROR, "the reply of the model cannot be read"
    return ErrorCode.GENERIC, "the model could not be asked"
