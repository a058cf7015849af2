"""What went wrong with an address, as one line for a person.

The libraries that speak to stores and servers say it in their own words, and these may repeat the address with all
that is secret in it. So their words are never passed on: the kind of the error and a server's status tell enough.
"""

from __future__ import annotations

import errno
from collections.abc import Iterator
from contextlib import contextmanager

from review_graph.core.addresses import is_cut
from review_graph.errors import InputError, ReviewGraphError

_CREDENTIALS = "set them up as the store's own tools want them (environment, profile), not in the address"
_SPELLING = "check the address and its spelling"
_PERMISSION = "check the credentials that this machine uses, or ask its owner for permission"
_LATER = "try again later, or copy it to a local drive"

_BY_STATUS = {
    401: ("may not be read with the credentials at hand", _PERMISSION),
    403: ("may not be read with the credentials at hand", _PERMISSION),
    404: ("does not exist", _SPELLING),
    407: ("is behind a proxy that wants credentials", "check HTTPS_PROXY"),
    410: ("does not exist any more", _SPELLING),
}
_BY_KIND: tuple[tuple[frozenset[str], str, str], ...] = (
    (
        frozenset({"NoCredentialsError", "PartialCredentialsError", "DefaultCredentialsError", "NoAuthTokenError"}),
        "needs credentials, and there are none",
        _CREDENTIALS,
    ),
    (frozenset({"PermissionError", "ClientAuthenticationError"}), *_BY_STATUS[403]),
    (frozenset({"TimeoutError", "ConnectTimeoutError", "ReadTimeoutError"}), "did not answer in time", _LATER),
    (
        frozenset({"SSLError", "ClientSSLError", "ClientConnectorCertificateError"}),
        "cannot be trusted: its certificate is not valid here",
        "check the address, or have the certificate of its issuer installed",
    ),
    (
        frozenset({"gaierror", "ConnectionError", "ClientConnectionError", "EndpointConnectionError"}),
        "cannot be reached",
        "check the address and the network",
    ),
    (frozenset({"TooManyRedirects"}), "cannot be fetched: the server sends from one address to another", _SPELLING),
    (frozenset({"ClientPayloadError", "IncompleteRead", "ResponseStreamingError"}), "came incomplete", _LATER),
    (frozenset({"FileNotFoundError", "NotADirectoryError", "ResourceNotFoundError"}), *_BY_STATUS[404]),
)
"""By the names of an error's classes, so that no library is imported to recognise its errors. The first fits."""

_NO_ROOM = (errno.ENOSPC, errno.EDQUOT, errno.EROFS, errno.EFBIG)


@contextmanager
def telling(shown: str) -> Iterator[None]:
    """Around all that is asked of an address: whatever goes wrong becomes one line without secrets.

    Args:
        shown: The address as it may be shown.

    Raises:
        InputError: It does not exist, may not be read, cannot be reached, or the like.
        OSError: There is no room here for what was to be fetched.
    """
    try:
        yield
    except ReviewGraphError:
        raise
    except Exception as error:
        if isinstance(error, OSError) and error.errno in _NO_ROOM:
            raise
        # Without its cause: a trace would show the library's words.
        raise refused(shown, *_reason(error)) from None


def refused(shown: str, found: str, advice: str) -> InputError:
    """Return the error for an address that gives no table.

    Args:
        shown: The address as it may be shown.
        found: What is the matter, as the rest of a sentence that begins with the address.
        advice: What to do next.
    """
    from checks.plain import visible

    return InputError(f"{visible(shown)} {found}; {advice}")


def demand_whole(shown: str) -> None:
    """Refuse an address that was kept without something it was given with.

    Raises:
        InputError: It was.
    """
    if is_cut(shown):
        found = "has to be fetched again, and what stands as … was not kept because it may be secret"
        raise refused(shown, found, "run the same command again, with the whole address")


def _reason(error: BaseException) -> tuple[str, str]:
    """What is the matter, and what to do."""
    chain = [error]
    while (cause := chain[-1].__cause__) is not None and cause not in chain:
        chain.append(cause)
    for status in (getattr(each, "status", None) for each in chain):
        if isinstance(status, int) and status >= 400:
            return _BY_STATUS.get(status, (f"cannot be fetched: the server answered {status}", _LATER))
    kinds = {kind.__name__ for each in chain for kind in type(each).__mro__}
    for known, found, advice in _BY_KIND:
        if kinds & known:
            return found, advice
    return f"cannot be fetched ({type(error).__name__})", _LATER
