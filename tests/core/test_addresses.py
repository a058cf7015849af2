"""What counts as an address, and that nothing secret is left in one that is shown."""

from __future__ import annotations

import pytest

from review_graph.core.addresses import holds_credentials, is_address, is_cut, local_path, protocol_of, shown_address

SECRETS = ("p4ss", "t0ken", "s1gnature", "k3y")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("s3://bucket/dm.xpt", True),
        ("HTTPS://host/dm.csv", True),
        ("memory://dm.csv", True),
        ("file:///data/dm.xpt", False),
        ("data/dm.xpt", False),
        ("memory:0f3c", False),
        ("C:/data/dm.xpt", False),
        ("c://data/dm.xpt", False),
        ("a folder/s3://x", False),
        ("", False),
    ],
)
def test_address_is_told_from_a_path(text: str, expected: bool) -> None:
    assert is_address(text) is expected


@pytest.mark.parametrize(
    ("address", "shown"),
    [
        pytest.param("s3://bucket/a/dm.xpt", "s3://bucket/a/dm.xpt", id="nothing secret"),
        pytest.param("https://ada:p4ss@host:8080/dm.csv", "https://…@host:8080/dm.csv", id="name and password"),
        pytest.param("https://t0ken@host/dm.csv", "https://…@host/dm.csv", id="token as name"),
        pytest.param("https://ada:p4@ss@host/dm.csv", "https://…@host/dm.csv", id="@ in the password"),
        pytest.param("s3://k3y:p4ss@bucket/dm.xpt", "s3://…@bucket/dm.xpt", id="key of a store"),
        pytest.param("https://host/dm.csv?token=t0ken", "https://host/dm.csv?…", id="token"),
        pytest.param("https://host/dm.csv?X-Amz-Signature=s1gnature&id=2", "https://host/dm.csv?…", id="signature"),
        pytest.param("https://host/dm.csv?t0ken", "https://host/dm.csv?…", id="query without a name"),
        pytest.param("https://host/dm.csv?versionId=3&sig=s1gnature", "https://host/dm.csv?…", id="behind a version"),
        pytest.param("https://host/dm.csv#access_token=t0ken", "https://host/dm.csv", id="fragment"),
        pytest.param("https://host?sv=t0ken", "https://host?…", id="no path"),
        pytest.param("https://host/dm.csv?a=1\n&sig=s1gnature", "https://host/dm.csv?…", id="line break"),
        pytest.param("s3://bucket/dm.xpt?versionId=3sL4_k", "s3://bucket/dm.xpt?versionId=3sL4_k", id="version"),
        pytest.param("s3://bucket/a#1/dm.xpt", "s3://bucket/a#1/dm.xpt", id="# in a store's key"),
        pytest.param("abfs://box@ada.dfs.core.windows.net/dm.csv", "abfs://box@ada.dfs.core.windows.net/dm.csv"),
        pytest.param("sftp://ada:p4ss@host/dm.csv", "sftp://ada:…@host/dm.csv", id="name that is part of the place"),
        pytest.param("https://host/a@b/dm.csv", "https://host/a@b/dm.csv", id="@ in the path"),
        pytest.param("data/a?b#c@d.csv", "data/a?b#c@d.csv", id="a path"),
    ],
)
def test_address_is_shown_without_what_is_secret(address: str, shown: str) -> None:
    assert shown_address(address) == shown
    assert shown_address(shown) == shown
    assert not any(secret in shown for secret in SECRETS)
    assert is_cut(shown) is ("…" in shown)
    assert not is_cut(address)


@pytest.mark.parametrize(
    ("text", "path"),
    [
        ("file:///data/my%20dm.xpt", "/data/my dm.xpt"),
        ("FILE://localhost/data/dm.xpt", "/data/dm.xpt"),
        ("file:///data/what%3F.csv", "/data/what?.csv"),
        ("file://other-host/data/dm.xpt", "file://other-host/data/dm.xpt"),
        ("data/my%20dm.xpt", "data/my%20dm.xpt"),
        ("s3://bucket/my%20dm.xpt", "s3://bucket/my%20dm.xpt"),
    ],
)
def test_file_address_of_this_machine_is_a_path(text: str, path: str) -> None:
    assert local_path(text) == path


def test_parts_of_an_address() -> None:
    assert protocol_of("S3://Bucket/dm.xpt") == "s3"
    assert holds_credentials("s3://k3y:p4ss@bucket/dm.xpt")
    assert not holds_credentials("s3://bucket/a@b.xpt")
    assert not holds_credentials("abfs://box@ada.dfs.core.windows.net/dm.csv")
