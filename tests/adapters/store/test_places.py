"""What a person may give for the database, and what is never shown of it."""

from __future__ import annotations

from pathlib import Path

import pytest

from review_graph.adapters.store import PostgresPlace, SqlitePlace, place_of
from review_graph.errors import SetupError


@pytest.mark.parametrize(
    ("given", "path"),
    [
        ("kept/reviews.sqlite", "kept/reviews.sqlite"),
        ("/abs/reviews.sqlite", "/abs/reviews.sqlite"),
        ("sqlite:///kept/reviews.sqlite", "kept/reviews.sqlite"),
        ("sqlite:////abs/reviews.sqlite", "/abs/reviews.sqlite"),
        ("C:\\kept\\reviews.sqlite", "C:\\kept\\reviews.sqlite"),
        ("my reviews: 2026.sqlite", "my reviews: 2026.sqlite"),
        ("postgresql.sqlite", "postgresql.sqlite"),
    ],
)
def test_file(given: str, path: str) -> None:
    assert place_of(given) == SqlitePlace(Path(path))


@pytest.mark.parametrize("scheme", ["postgresql", "postgres", "postgresql+psycopg", "PostgreSQL"])
def test_server(scheme: str) -> None:
    assert place_of(f"{scheme}://ada@host:5432/reviews?sslmode=require") == PostgresPlace(
        "postgresql://ada@host:5432/reviews?sslmode=require"
    )


@pytest.mark.parametrize(
    "given",
    ["", ":memory:", "sqlite://", "sqlite:///", "sqlite:///:memory:", "sqlite:reviews", "mysql://ada:s3cret@host/db",
     "http://host/db", "a\x00b", "postgresql://ada:s3cret@host/d\x00b", "sqlite+pysqlite:///x", "mysql://a:s3cret/x@h"],
)  # fmt: skip
def test_anything_else_is_refused_with_what_to_give(given: str) -> None:
    with pytest.raises(SetupError, match="postgresql://user@host/database") as refusal:
        place_of(given)
    assert "s3cret" not in str(refusal.value)
    assert "\n" not in str(refusal.value)


@pytest.mark.parametrize(
    ("given", "shown"),
    [
        ("postgresql://ada@host/db", "postgresql://ada@host/db"),
        ("postgresql://host/db", "postgresql://host/db"),
        ("postgresql:///db", "postgresql:///db"),
        ("postgresql://ada:s3cret@host:5432/db", "postgresql://ada:…@host:5432/db"),
        ("postgresql://ada:s3@cret@host/db", "postgresql://ada:…@host/db"),
        ("postgresql://ada:s3/s3cret@host/db", "postgresql://ada:…@host/db"),
        ("postgresql://ada@host/db?password=s3cret", "postgresql://ada@host/db?…"),
        ("postgresql://ada:s3cret?x@host/db", "postgresql://ada:…@host/db"),
    ],
)
def test_password_is_never_shown(given: str, shown: str) -> None:
    place = place_of(given)
    assert place.shown == shown
    assert "cret" not in repr(place)


def test_pieces_of_a_password_are_taken_out_of_what_a_driver_says() -> None:
    place = place_of("postgresql://ada:s3cret%zz/more@host/db?sslpassword=other")
    assert isinstance(place, PostgresPlace)
    said = place.scrub('invalid token: "s3cret%zz/more";\n  host "more" is not\nsslpassword other')
    assert not [piece for piece in ("s3cret", "more", "other") if piece in said]
    assert "\n" not in said
