"""Compressed files: the content as it was before it was compressed."""

from __future__ import annotations

from typing import TYPE_CHECKING

from review_graph.adapters.sources import content
from review_graph.adapters.sources.refusal import one_line, refusal

if TYPE_CHECKING:
    from pathlib import Path

CODECS = {".gz": "gzip", ".zst": "zstd"}
"""By last suffix in lower case: what the content is compressed with."""


def unpacked(path: Path) -> bytes:
    """Return the content of a file of delimited text, decompressed when its suffix says that it is compressed.

    gzip keeps a checksum of the content, zstd only when its writer asked for one: a changed bit can go unseen.

    Raises:
        InputError: It is truncated or damaged, or what was compressed is no text.
    """
    codec = CODECS.get(path.suffix.lower())
    if codec is None:
        return path.read_bytes()
    import pyarrow as pa

    try:
        with pa.OSFile(str(path)) as file, pa.CompressedInputStream(file, codec) as stream:
            data: bytes = stream.read()
    except (pa.ArrowException, OSError, ValueError) as error:
        raise refusal(path, f"is truncated or damaged {codec} data ({one_line(error)})", "copy it again") from error
    if not data:
        raise refusal(path, "holds nothing once unpacked (0 bytes)", "copy it again or ask its sender")
    found = content.sniff(data[: content.HEAD_BYTES])
    if found is not content.TEXT:
        raise refusal(path, f"holds, once unpacked, {found.title}, not text", "unpack it and read what is in it")
    return data
