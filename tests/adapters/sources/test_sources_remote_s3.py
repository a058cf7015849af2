"""Tables in an S3 store, played by moto on this machine."""

from __future__ import annotations

import hashlib
import io
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from review_graph.adapters.datasets import Datasets
from review_graph.adapters.sources import ColumnarCache, find_tables
from review_graph.errors import InputError

s3fs = pytest.importorskip("s3fs", reason="needs the extra [remote]")
moto = pytest.importorskip("moto.server", reason="needs moto[server], which plays the store")
pytestmark = pytest.mark.allow_hosts(["127.0.0.1"])


@pytest.fixture(scope="module")
def store() -> Iterator[str]:
    server = moto.ThreadedMotoServer(ip_address="127.0.0.1", port=0, verbose=False)
    server.start()
    host, port = server.get_host_and_port()
    yield f"http://{host}:{port}"
    server.stop()


@pytest.fixture
def bucket(store: str, monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    """An empty bucket; what is set here is what the AWS tools read too."""
    for name in ("AWS_PROFILE", "HTTP_PROXY", "http_proxy"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("AWS_ENDPOINT_URL", store)
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "ada")
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "moto")
    monkeypatch.setenv("AWS_DEFAULT_REGION", "us-east-1")
    monkeypatch.setenv("AWS_EC2_METADATA_DISABLED", "true")
    s3fs.S3FileSystem.clear_instance_cache()
    system = s3fs.S3FileSystem()
    system.makedirs("study", exist_ok=True)
    yield system
    system.rm("study", recursive=True)
    s3fs.S3FileSystem.clear_instance_cache()


@pytest.fixture
def datasets(tmp_path: Path) -> Datasets:
    return Datasets(ColumnarCache(tmp_path / "cache"))


def parquet(rows: int) -> bytes:
    written = io.BytesIO()
    pl.DataFrame({"A": range(rows)}).write_parquet(written)
    return written.getvalue()


def test_object_is_fetched_reviewed_as_a_file_and_told_from_a_later_one(bucket: Any, datasets: Datasets) -> None:
    bucket.pipe_file("study/2026/adsl.parquet", parquet(3))
    located = datasets.locate("s3://study/2026/adsl.parquet")
    assert (located.name, located.uri) == ("adsl", "s3://study/2026/adsl.parquet")
    assert located.fingerprint == hashlib.sha256(parquet(3)).hexdigest()
    bucket.pipe_file("study/2026/adsl.parquet", parquet(4))
    assert datasets.open(located).frame.collect().height == 3
    later = datasets.locate("s3://study/2026/adsl.parquet")
    assert datasets.open(later).frame.collect().height == 4


@pytest.mark.slow
def test_large_object_in_several_requests_is_whole(bucket: Any, datasets: Datasets) -> None:
    content = b"A\n" + b"0123456\n" * 7_000_000
    bucket.pipe_file("study/big.csv", content)
    assert datasets.locate("s3://study/big.csv").fingerprint == hashlib.sha256(content).hexdigest()


def test_folders_and_patterns(bucket: Any) -> None:
    for name in ("dm.xpt", "ae.csv", "notes.md", "old/dm.xpt", "adlb.parquet/part-0.parquet"):
        bucket.pipe_file(f"study/in/{name}", b"x")
    below = find_tables(["s3://study/in/"])
    assert below.addresses == ("s3://study/in/ae.csv", "s3://study/in/dm.xpt", "s3://study/in/old/dm.xpt")
    assert below.skipped_addresses == ("s3://study/in/notes.md",)
    assert ["s3://study/in/adlb.parquet is one dataset in many" in line for line in below.missing] == [True]
    assert find_tables(["s3://study/in/*.xpt"]).addresses == ("s3://study/in/dm.xpt",)
    assert find_tables(["s3://study/in"]) == below


def test_what_the_store_refuses_is_one_line(bucket: Any, datasets: Datasets, monkeypatch: pytest.MonkeyPatch) -> None:
    for address in ("s3://study/gone.csv", "s3://nobody/dm.csv"):
        with pytest.raises(InputError, match=rf"^{address} does not exist; check the address and its spelling$"):
            datasets.locate(address)
    bucket.pipe_file("study/in/dm.csv", b"A\n1\n")
    with pytest.raises(InputError, match=r"^s3://study/in is a folder, and one that holds a dataset in Parquet parts"):
        datasets.locate("s3://study/in")
    (line,) = find_tables(["s3://nobody/*.csv"]).missing
    assert "s3://nobody/*.csv" in line
    for name in ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"):
        monkeypatch.delenv(name)
    monkeypatch.setenv("AWS_SHARED_CREDENTIALS_FILE", "/dev/null")
    monkeypatch.setenv("AWS_CONFIG_FILE", "/dev/null")
    s3fs.S3FileSystem.clear_instance_cache()
    with pytest.raises(InputError, match="needs credentials, and there are none; set them up as the store's own tools"):
        datasets.locate("s3://study/in/dm.csv")


@pytest.mark.slow
def test_store_that_is_not_there_is_one_line(bucket: Any, datasets: Datasets, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AWS_ENDPOINT_URL", "http://127.0.0.1:9")
    monkeypatch.setattr(s3fs.S3FileSystem, "retries", 1)
    s3fs.S3FileSystem.clear_instance_cache()
    with pytest.raises(InputError, match=r"^s3://study/dm.csv cannot be reached; check the address and the network$"):
        datasets.locate("s3://study/dm.csv")
    assert bucket is not None
