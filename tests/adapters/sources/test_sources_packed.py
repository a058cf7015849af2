from __future__ import annotations

from typing import TYPE_CHECKING

import pyarrow as pa
import pytest

from review_graph.adapters.sources import decode, fingerprint, name_of
from review_graph.adapters.sources.formats import suffix_of
from review_graph.errors import InputError

if TYPE_CHECKING:
    from pathlib import Path

CODECS = {".gz": "gzip", ".zst": "zstd"}


def packed(content: bytes, suffix: str) -> bytes:
    sink = pa.BufferOutputStream()
    with pa.CompressedOutputStream(sink, CODECS[suffix]) as stream:
        stream.write(content)
    return bytes(sink.getvalue())


@pytest.mark.parametrize("suffix", CODECS)
@pytest.mark.parametrize(("inner", "text"), [(".csv", "A;B\n007;é\n"), (".TSV", "A\tB\n007\té\n")], ids=["csv", "tsv"])
def test_compressed_text_is_what_it_was(tmp_path: Path, suffix: str, inner: str, text: str) -> None:
    plain, path = tmp_path / f"plain{inner}", tmp_path / f"dm.v2{inner}{suffix}"
    plain.write_text(text, encoding="utf-8")
    path.write_bytes(packed(text.encode(), suffix))
    expected, table = decode(plain), decode(path)
    assert table.frame.collect().equals(expected.frame.collect())
    assert table.notes == expected.notes
    assert name_of(path) == "dm.v2"
    assert fingerprint(path) != fingerprint(plain)


@pytest.mark.parametrize("suffix", CODECS)
@pytest.mark.parametrize(
    ("content", "cut", "found"),
    [
        pytest.param(b"A,B\n1,2\n" * 50, 5, "is truncated or damaged", id="cut"),
        pytest.param(b"PAR1\x15\x04\x15\x10PAR1", 0, "holds, once unpacked, a Parquet file, not text", id="Parquet"),
        pytest.param(b"", 0, "holds nothing once unpacked (0 bytes)", id="nothing"),
        pytest.param(b"A,B\n1\n", 0, "has 1 row with another number of fields", id="a ragged row"),
    ],
)
def test_what_is_not_whole_or_no_text_is_refused(
    tmp_path: Path, suffix: str, content: bytes, cut: int, found: str
) -> None:
    path = tmp_path / f"x.csv{suffix}"
    whole = packed(content, suffix)
    path.write_bytes(whole[: len(whole) - cut])
    with pytest.raises(InputError) as refused:
        decode(path)
    assert found in str(refused.value)
    assert str(refused.value).isprintable()


@pytest.mark.parametrize(
    ("name", "found"),
    [
        pytest.param(
            "x.csv", "holds gzip-compressed data, not CSV text; unpack it first, or name it .csv.gz", id="csv"
        ),
        pytest.param("x.csv.zst", "holds gzip-compressed data, not zstd-compressed CSV text", id="another codec"),
        pytest.param("x.xpt.gz", "has the suffix '.xpt.gz', for which there is no reader, and holds gzip", id="xpt"),
        pytest.param("x.gz", "has the suffix '.gz', for which there is no reader", id="no inner suffix"),
    ],
)
def test_compression_and_suffix_must_agree(tmp_path: Path, name: str, found: str) -> None:
    (tmp_path / name).write_bytes(packed(b"A\n1\n", ".gz"))
    with pytest.raises(InputError) as refused:
        decode(tmp_path / name)
    assert found in str(refused.value)


@pytest.mark.parametrize(
    ("name", "suffix", "stem"),
    [
        pytest.param("dm.csv.gz", ".csv.gz", "dm", id="compressed"),
        pytest.param("DM.CSV", ".csv", "DM", id="capitals"),
        pytest.param("a.b.xpt", ".xpt", "a.b", id="a dot in the name"),
        pytest.param("dm.dat", ".dat", "dm", id="unknown"),
        pytest.param("dm", "", "dm", id="none"),
        pytest.param(".csv", "", ".csv", id="hidden"),
    ],
)
def test_a_name_is_a_stem_and_a_suffix(tmp_path: Path, name: str, suffix: str, stem: str) -> None:
    assert (suffix_of(tmp_path / name), name_of(tmp_path / name)) == (suffix, stem)
