"""Objects in stores and on servers: each is fetched once, as a stream, and then reviewed as a local file.

The copy is kept because a review may outlive what it is about: the fingerprint is that of the very bytes that are
checked, and the object may be gone or another one by the time somebody decides. Copies are named by their content
and lie in the folder of the columnar cache, within its bound.

fsspec and its packages do the fetching; they are an extra, and credentials are theirs to find.
"""

from __future__ import annotations

import os
import shutil
import tempfile
import time
import weakref
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import unquote

from review_graph.adapters.own_files import own_folder
from review_graph.adapters.sources.cache_folder import copies_in
from review_graph.adapters.sources.files import fingerprint
from review_graph.adapters.sources.refusal import cause
from review_graph.adapters.sources.refusal import shown as shown_path
from review_graph.adapters.sources.remote_trouble import demand_whole, refused, telling
from review_graph.core.addresses import holds_credentials, protocol_of, shown_address
from review_graph.errors import SetupError

if TYPE_CHECKING:
    from collections.abc import Mapping

    from review_graph.adapters.sources.cache_folder import Bound

FETCH_BYTES = 4_000_000_000
"""The largest object that is fetched where the cache has no bound."""

CONNECT_TIMEOUT_S = 20
STALL_TIMEOUT_S = 60
"""How long a web server may be silent in the middle; how long all of it takes does not matter."""

_NAME_BYTES = 200
_WEB = ("http", "https")
_KEYED = ("s3", "s3a", "gs", "gcs", "az")
_IN_THE_EXTRA = ("http", "https", "s3", "s3a")
_PACKAGES = {"gs": "gcsfs", "gcs": "gcsfs", "abfs": "adlfs", "abfss": "adlfs", "az": "adlfs", "sftp": "paramiko"}
_TELLS_A_CHANGE = frozenset(
    {"etag", "generation", "versionid", "content-md5", "md5hash", "digest", "crc32c"}
    | {"last-modified", "last_modified", "lastmodified", "modified", "modify", "mtime", "updated", "created"}
)
"""What stores and servers say of an object that is another when its content is."""


@dataclass(frozen=True, kw_only=True)
class Copy:
    """A local copy of an object.

    Attributes:
        path: Where it is; its name is the object's own.
        fingerprint: Sha256 of its content.
    """

    path: Path
    fingerprint: str


class RemoteFiles:
    """Fetches objects into a folder of copies.

    Args:
        cache: The folder of the cache, made when needed; None uses a folder that goes with this object.
        bound: Keeps the cache within its bound, which is that of a single object too; None sets none to the cache.
    """

    def __init__(self, cache: Path | None, bound: Bound | None = None) -> None:
        self._cache = cache
        self._bound = bound
        self._whole: dict[str, str] = {}
        self._known: dict[str, tuple[_State, Copy]] = {}

    def locate(self, address: str) -> Copy:
        """Return a copy of what an address holds now.

        It is fetched again only when the store cannot tell that it is what was fetched before.

        Args:
            address: The address, or what is shown of one that this object has fetched from.

        Raises:
            InputError: There is nothing, it may not be read, or it cannot be reached.
            SetupError: A package is missing, or the folder of the cache cannot be used.
        """
        shown = shown_address(address)
        whole = self._whole.get(shown, shown) if address == shown else address
        demand_whole(whole)
        try:
            copy = self._fetch(whole, shown)
        except OSError as error:
            raise self._unusable(error) from error
        self._whole[shown] = whole
        return copy

    def kept(self, shown: str, digest: str) -> Path | None:
        """Return the copy that was made under that name of that content, when it is still there."""
        path = copies_in(self._folder()) / digest / _name(shown)
        try:
            os.utime(path, ns=(time.time_ns(), path.stat().st_mtime_ns))  # it was used; its content is as old as it was
        except FileNotFoundError:
            return None
        except OSError:
            pass
        return path

    def _fetch(self, whole: str, shown: str) -> Copy:
        with telling(shown):
            system, path = connect(whole)
        before = self._state(system, path, shown)
        state, copy = self._known.get(shown, ((), None))
        if before and state == before and copy is not None and self.kept(shown, copy.fingerprint):
            return copy
        copy = self._download(system, path, shown)
        if self._state(system, path, shown) != before:
            raise refused(shown, "changed while it was fetched", "try again")
        self._known[shown] = (before, copy)
        return copy

    def _state(self, system: Any, path: str, shown: str) -> _State:  # noqa: ANN401 - fsspec has no types
        """What tells an object from a later one at the same address; nothing when the store does not say."""
        with telling(shown):
            system.invalidate_cache()
            told: Mapping[str, Any] = system.info(path)
        if told.get("type") == "directory":
            found = "is a folder, and one that holds a dataset in Parquet parts is not read from an address"
            raise refused(shown, found, "end the address with / to review each file in it, or copy the folder here")
        self._demand_size(told.get("size"), shown)
        pairs = {(name.lower(), str(value)) for name, value in told.items() if value}
        return tuple(sorted(pair for pair in pairs if pair[0] in _TELLS_A_CHANGE))

    def _demand_size(self, size_bytes: int | None, shown: str) -> None:
        limit = FETCH_BYTES if self._bound is None else self._bound.max_bytes
        if size_bytes is not None and size_bytes > limit:
            found = f"holds {size_bytes:,} bytes or more, and the cache may hold {limit:,}"
            raise refused(shown, found, "raise REVIEW_GRAPH_CACHE_BYTES, or copy it to a local drive")

    def _download(self, system: Any, path: str, shown: str) -> Copy:  # noqa: ANN401 - fsspec has no types
        import fsspec

        def watch(size_bytes: int | None, so_far_bytes: int, **_: object) -> None:
            self._demand_size(max(size_bytes or 0, so_far_bytes), shown)

        folder = copies_in(self._folder())
        own_folder(folder)
        handle, name = tempfile.mkstemp(dir=folder, prefix=".")
        os.close(handle)
        temporary = Path(name)
        try:
            with telling(shown):
                system.get_file(path, name, callback=fsspec.Callback(hooks={"limit": watch}))
            copy = Copy(fingerprint=(digest := fingerprint(temporary)), path=folder / digest / _name(shown))
            copy.path.parent.mkdir(exist_ok=True)
            temporary.replace(copy.path)
        finally:
            temporary.unlink(missing_ok=True)
        if self._bound is not None:
            self._bound.added(copy.path.stat().st_size)
        return copy

    def _folder(self) -> Path:
        if self._cache is None:
            self._cache = Path(tempfile.mkdtemp(prefix="review-graph-"))
            weakref.finalize(self, shutil.rmtree, self._cache, ignore_errors=True)
        return self._cache

    def _unusable(self, error: OSError) -> SetupError:
        found = f"the cache folder {shown_path(self._folder())} cannot be used ({cause(error)})"
        return SetupError(f"{found}; make it writable, free some space, or name another folder")


def connect(address: str) -> tuple[Any, str]:
    """Return the fsspec file system of an address, and the path in it.

    Raises:
        InputError: The address is of no known kind, is a chain of several, or carries a key.
        SetupError: A package is missing.
    """
    protocol, shown = protocol_of(address), shown_address(address)
    try:
        import fsspec
    except ImportError:
        raise _missing(shown, "'review-graph[remote]'") from None
    if "::" in address:
        raise refused(shown, "is a chain of addresses (::), which is not read", "copy the file to a local drive")
    if protocol in _KEYED and holds_credentials(address):
        raise refused(
            shown,
            "was given with a key in front of it",
            "set the key up as the store's own tools want it (environment, profile)",
        )
    try:
        fsspec.get_filesystem_class(protocol)
    except ValueError:
        raise refused(shown, "is of no kind that can be read", "give s3://, gs://, abfs:// or https://") from None
    except ImportError:
        extra = "'review-graph[remote]'" if protocol in _IN_THE_EXTRA else _PACKAGES.get(protocol)
        raise _missing(shown, extra) from None
    system, path = fsspec.core.url_to_fs(address, **_options(protocol, address))
    return system, path


def _missing(shown: str, package: str | None) -> SetupError:
    from checks.plain import visible

    advice = f"pip install {package}" if package else "install the package that fsspec names for it"
    return SetupError(f"reading {visible(shown)} needs a package that is not installed: {advice}")


def _options(protocol: str, address: str) -> dict[str, Any]:
    """What a file system is told beyond its own settings: on the web, patience, proxies, and to change no address."""
    if protocol not in _WEB:
        return {}
    import aiohttp

    timeout = aiohttp.ClientTimeout(total=None, sock_connect=CONNECT_TIMEOUT_S, sock_read=STALL_TIMEOUT_S)
    return {"client_kwargs": {"timeout": timeout, "trust_env": True}, "encoded": "%" in address}


def _name(shown: str) -> str:
    """The object's own name, fit for a file; its end is kept, because the suffix is there."""
    name = unquote(shown.partition("?")[0].rstrip("/").rpartition("/")[2]).replace("/", "_").replace("\0", "_")
    short = name.encode(errors="replace")[-_NAME_BYTES:].decode(errors="ignore")
    return short if short.strip(".") else "object"


_State = tuple[tuple[str, str], ...]
