"""Errors of libraries become one line that tells whose they are, without the libraries' words."""

from __future__ import annotations

import errno
import socket
import ssl

import pytest

from review_graph.adapters.sources.remote_trouble import telling
from review_graph.errors import InputError, SetupError

SHOWN = "s3://bucket/dm.csv"
WORDS = "GET https://ada:p4ss@host/dm.csv?sig=s1gnature failed"


def error_named(name: str, base: type[Exception] = Exception, **told: object) -> Exception:
    made: Exception = type(name, (base,), told)(WORDS)
    return made


def caused(error: Exception, by: Exception) -> Exception:
    error.__cause__ = by
    return error


@pytest.mark.parametrize(
    ("error", "said"),
    [
        (error_named("NoCredentialsError"), "needs credentials, and there are none; set them up as the store's own"),
        (PermissionError(WORDS), "may not be read with the credentials at hand; check the credentials"),
        (error_named("HttpError", status=403), "may not be read with the credentials at hand; check the credentials"),
        (caused(FileNotFoundError(WORDS), by=error_named("ResponseError", status=401)), "may not be read with the"),
        (error_named("ResponseError", status=407), "is behind a proxy that wants credentials; check HTTPS_PROXY"),
        (error_named("ResponseError", status=0), "cannot be fetched (ResponseError); try again later"),
        (FileNotFoundError(WORDS), "does not exist; check the address and its spelling"),
        (error_named("ConnectTimeoutError"), "did not answer in time; try again later"),
        (error_named("FSTimeoutError", TimeoutError), "did not answer in time; try again later"),
        (socket.gaierror(-2, WORDS), "cannot be reached; check the address and the network"),
        (caused(error_named("EndpointConnectionError"), by=OSError(WORDS)), "cannot be reached; check the address and"),
        (ssl.SSLCertVerificationError(1, WORDS), "cannot be trusted: its certificate is not valid here; check the"),
        (error_named("ResponseStreamingError"), "came incomplete; try again later, or copy it to a local drive"),
        (ValueError(WORDS), "cannot be fetched (ValueError); try again later, or copy it to a local drive"),
    ],
    ids=lambda value: type(value).__name__ if isinstance(value, Exception) else "",
)
def test_error_is_told_in_our_words_alone(error: Exception, said: str) -> None:
    with pytest.raises(InputError) as told, telling(SHOWN):
        raise error
    assert str(told.value).startswith(f"{SHOWN} {said}")
    assert not any(word in str(told.value) for word in ("p4ss", "s1gnature", "GET"))
    assert (told.value.__cause__, told.value.__suppress_context__) == (None, True)


@pytest.mark.parametrize("error", [OSError(errno.ENOSPC, "no room"), SetupError("ours"), KeyboardInterrupt()])
def test_what_is_not_the_addresss_fault_goes_on(error: BaseException) -> None:
    with pytest.raises(type(error)) as same, telling(SHOWN):
        raise error
    assert same.value is error
