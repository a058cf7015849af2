"""The JSON that other programs read: its keys and types, and nothing else on stdout."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from pathlib import Path
from types import NoneType
from typing import Any

import pytest
from typer.testing import CliRunner

from review_graph.doors.cli.app import app

Kinds = tuple[type, ...]
JSON = Any
TEXT: Kinds = (str,)
MAYBE_TEXT: Kinds = (str, NoneType)
NUMBER: Kinds = (int,)
MAYBE_NUMBER: Kinds = (int, NoneType)
ANYTHING: Kinds = (str, int, float, bool, NoneType)

CONTRACT: Mapping[str, Kinds] = {
    "schema_version": NUMBER,
    "reviews[].id": MAYBE_TEXT,
    "reviews[].dataset.name": TEXT,
    "reviews[].dataset.uri": TEXT,
    "reviews[].dataset.fingerprint": TEXT,
    "reviews[].dataset.rows": MAYBE_NUMBER,
    "reviews[].dataset.columns": MAYBE_NUMBER,
    "reviews[].status": TEXT,
    "reviews[].severity": TEXT,
    "reviews[].needs_human": (bool,),
    "reviews[].checks[].code": TEXT,
    "reviews[].checks[].family": TEXT,
    "reviews[].checks[].outcome": TEXT,
    "reviews[].findings[].id": TEXT,
    "reviews[].findings[].code": TEXT,
    "reviews[].findings[].family": TEXT,
    "reviews[].findings[].severity": TEXT,
    "reviews[].findings[].columns[]": TEXT,
    "reviews[].findings[].message": TEXT,
    "reviews[].findings[].failed": NUMBER,
    "reviews[].findings[].rows": NUMBER,
    "reviews[].findings[].status": TEXT,
    "reviews[].findings[].evidence[].row": NUMBER,
    "reviews[].findings[].evidence[].key{}": ANYTHING,
    "reviews[].findings[].evidence[].values{}": ANYTHING,
    "reviews[].findings[].evidence_file": MAYBE_TEXT,
    "reviews[].decisions[].action": TEXT,
    "reviews[].decisions[].by": TEXT,
    "reviews[].decisions[].at": TEXT,
    "reviews[].decisions[].reason": TEXT,
    "reviews[].decisions[].from": TEXT,
    "reviews[].decisions[].to": TEXT,
    "reviews[].report": MAYBE_TEXT,
    "reviews[].error": (dict, NoneType),
    "totals.reviews": NUMBER,
    "totals.paused": NUMBER,
    "totals.failed": NUMBER,
}

WORDS: Mapping[str, set[str]] = {
    "reviews[].status": {"paused", "summarised", "escalated", "failed"},
    "reviews[].severity": {"none", "minor", "major"},
    "reviews[].checks[].family": {"structure", "ranges"},
    "reviews[].findings[].status": {"open", "dismissed"},
    "reviews[].decisions[].action": {"confirm", "dismiss"},
}
"""What occurs in the run below."""


def at(plain: JSON, path: str) -> list[JSON]:
    """All values at a path; `[]` is each item of a list, `{}` each value of an object. A missing key is an error."""
    found = [plain]
    for part in path.split("."):
        name = part.rstrip("[]{}")
        found = [value[name] for value in found]
        if part.endswith("[]"):
            assert all(isinstance(value, list) for value in found), path
            found = [item for value in found for item in value]
        elif part.endswith("{}"):
            assert all(isinstance(value, dict) for value in found), path
            found = [item for value in found for item in value.values()]
    return found


@pytest.fixture
def printed(tmp_path: Path, table: Callable[..., Path], spec: dict[str, Any], monkeypatch: pytest.MonkeyPatch) -> JSON:
    """What a run prints over a clean, a minor, a paused, an escalated, a partly dismissed and a broken dataset."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("REVIEW_GRAPH_DB", "reviews.sqlite")
    Path("spec.json").write_text(json.dumps(spec))
    paths = [table(kind).name for kind in ("clean", "minor", "major", "three-minor")]
    paths.append(table("major", "confirmed", A=[1, 2, 44]).name)
    Path("broken.csv").write_bytes(b"")
    command = ["run", *paths, "broken.csv", "--spec", "spec.json", "--format", "json"]

    def run(*arguments: str) -> JSON:
        return json.loads(CliRunner().invoke(app, list(arguments)).stdout)

    reviews = {review["dataset"]["name"]: review for review in run(*command)["reviews"]}
    who = ["--by", "Ada", "--reason", "seen", "--format", "json"]
    run("decide", reviews["confirmed"]["id"], "--action", "confirm", *who)
    finding = reviews["three-minor"]["findings"][0]["id"]
    why = ("--reason-code", "expected")
    run("decide", reviews["three-minor"]["id"], "--action", "dismiss", *why, "--finding", finding, *who)
    return run(*command)


def test_contract(printed: JSON) -> None:
    for path, kinds in CONTRACT.items():
        values = at(printed, path)
        assert values, f"{path} does not occur in this run"
        wrong = [value for value in values if type(value) not in kinds]
        assert not wrong, f"{path}: {wrong}"
    for path, words in WORDS.items():
        assert set(at(printed, path)) == words, path


def test_totals_agree_with_the_reviews(printed: JSON) -> None:
    statuses = at(printed, "reviews[].status")
    totals = printed["totals"]
    assert (totals["reviews"], totals["paused"], totals["failed"]) == (6, 1, 1)
    assert [totals[status] for status in sorted(set(statuses))] == [statuses.count(s) for s in sorted(set(statuses))]
    assert printed["schema_version"] == 1


def test_needs_human_goes_with_major_and_error_with_failed(printed: JSON) -> None:
    for review in printed["reviews"]:
        assert review["needs_human"] is (review["severity"] == "major")
        assert (review["error"] is not None) is (review["status"] == "failed")
        assert (review["report"] is not None) is (review["status"] in ("summarised", "escalated"))
        if review["error"] is not None:
            assert review["error"]["kind"] == "input"
            assert "broken.csv" in review["error"]["message"]


def test_show_and_list_print_the_review_as_run_does(
    printed: JSON, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    listed = json.loads(CliRunner().invoke(app, ["list", "--format", "json"]).stdout)
    known = {review["id"]: settled(review) for review in printed["reviews"] if review["id"]}
    assert {review["id"]: settled(review) for review in listed["reviews"]} == known
    for identity, review in known.items():
        shown = json.loads(CliRunner().invoke(app, ["show", identity, "--format", "json"]).stdout)
        assert shown["anchor"]["number"] > 0
        assert settled(shown) == review


def settled(review: JSON) -> JSON:
    """A review without the end of the audit trail, which each act moves on."""
    return {key: value for key, value in review.items() if key != "anchor"}


def test_checks_are_printed_as_json() -> None:
    entries = json.loads(CliRunner().invoke(app, ["checks", "--format", "json"]).stdout)
    assert {entry["family"] for entry in entries} == {"structure", "ranges"}
    for entry in entries:
        assert all(entry[key] for key in ("code", "severity", "summary", "why", "what_to_do")), entry["code"]
