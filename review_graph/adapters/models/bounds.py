"""What a connection to a model may bring and take: so much time, so many bytes, and no way to another host."""

from __future__ import annotations

import time
from collections.abc import Iterator
from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from openai import DefaultHttpxClient

MAX_BYTES = 20_000_000
"""Of one response. Each word of a reply comes in some hundred bytes of its own."""


def bounded_client() -> DefaultHttpxClient:
    """Return a client that leaves no request running for ever.

    The limit of time of the libraries is for each read: one byte now and then keeps a response alive without end, and
    with it the thread that was left behind with it.
    """
    from openai import DefaultHttpxClient

    # httpx or its successor, whichever this version of the client uses.
    library = import_module(next(kind.__module__ for kind in DefaultHttpxClient.__mro__ if kind.__name__ == "Client"))

    class Bounded(library.SyncByteStream):  # type: ignore[misc, name-defined]  # known only now
        def __init__(self, stream: Any, seconds: float | None) -> None:  # noqa: ANN401 - the library's
            self._stream = stream
            self._end = None if seconds is None else time.monotonic() + seconds

        def __iter__(self) -> Iterator[bytes]:
            size = 0
            for part in self._stream:
                size += len(part)
                if size > MAX_BYTES:
                    raise ValueError("the response is too large")
                if self._end is not None and time.monotonic() > self._end:
                    raise library.ReadTimeout("the response takes too long")
                yield part

        def close(self) -> None:
            self._stream.close()

    def bound(response: Any) -> None:  # noqa: ANN401 - the library's
        response.stream = Bounded(response.stream, response.request.extensions.get("timeout", {}).get("read"))

    # What is asked goes to the address of the settings, and is not sent on to another.
    return DefaultHttpxClient(follow_redirects=False, event_hooks={"response": [bound]})
