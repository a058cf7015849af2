"""Addresses of datasets that lie elsewhere (`s3://…`, `https://…`), and how they are shown without what is secret."""

from __future__ import annotations

import re
from urllib.parse import unquote

CUT = "…"
"""Stands in an address for what is not shown; nothing can be fetched from such a one."""

_ADDRESS = re.compile(
    r"(?P<protocol>[a-z][a-z0-9+.-]+)://(?P<place>[^/?#]*)(?P<path>[^?]*)(?P<query>\?.*)?", re.IGNORECASE | re.DOTALL
)
_FILE = "file"
_WEB = ("http", "https")
_USER_IS_PLACE = ("abfs", "abfss", "ftp", "hdfs", "sftp", "smb", "ssh", "wasb", "wasbs", "webhdfs")
"""Where the part before the `@` names a container or an account; elsewhere it may be a key."""

_NAMES_A_VERSION = re.compile(r"\?(versionId|generation)=[\w.~-]+")


def is_address(text: str) -> bool:
    """Say whether text is the address of something elsewhere, not a path and not `file://`."""
    found = _ADDRESS.match(text)
    return found is not None and found["protocol"].lower() != _FILE


def protocol_of(address: str) -> str:
    """Return what an address starts with, in lower case: of `S3://bucket/dm.xpt` it is `s3`."""
    return address.partition("://")[0].lower()


def holds_credentials(address: str) -> bool:
    """Say whether the place in an address is preceded by a name and a password, or by a key."""
    found = _ADDRESS.match(address)
    return found is not None and found["place"] != _place(found)


def is_cut(shown: str) -> bool:
    """Say whether an address lacks something that it was given with."""
    found = _ADDRESS.match(shown)
    return found is not None and (found["query"] == f"?{CUT}" or f"{CUT}@" in found["place"])


def shown_address(text: str) -> str:
    """Return an address as it may be kept, logged and shown: without name, password, key, query and fragment.

    A query is left out as a whole, since any part of it may be a token or a signature; only one that names the
    version of an object stays. Where something was left out there is `…`. Other text is returned as it is.
    """
    found = _ADDRESS.fullmatch(text)
    if found is None or found["protocol"].lower() == _FILE:
        return text
    path, query = found["path"], found["query"] or ""
    if found["protocol"].lower() in _WEB:
        path = path.partition("#")[0]
    if query and not _NAMES_A_VERSION.fullmatch(query):
        query = f"?{CUT}"
    return f"{found['protocol']}://{_place(found)}{path}{query}"


def local_path(text: str) -> str:
    """Return the path that a `file://` address of this machine means; other text as it is."""
    found = _ADDRESS.fullmatch(text)
    if found is None or found["protocol"].lower() != _FILE or found["place"] not in ("", "localhost"):
        return text
    return unquote(found["path"] + (found["query"] or ""))


def _place(found: re.Match[str]) -> str:
    user, at, host = found["place"].rpartition("@")
    if not at:
        return host
    name, colon, _ = user.partition(":")
    if found["protocol"].lower() not in _USER_IS_PLACE:
        return f"{CUT}@{host}"
    return f"{name}:{CUT}@{host}" if colon else f"{name}@{host}"
