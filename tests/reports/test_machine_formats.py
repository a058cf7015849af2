"""NDJSON, JUnit and SARIF: what other programs rely on."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any
from xml.etree import ElementTree as ET

import jsonschema
import pytest

from checks.vocabulary import Severity
from review_graph.vocabulary import Dataset, FindingStatus, Review, ReviewedFinding
from tests.reports.conftest import ANCHOR

Render = Callable[..., bytes]
MakeReview = Callable[..., Review]

SCHEMA = Path(__file__).parent / "schemas" / "sarif-2.1.0-rtm.5.json"


def events(content: bytes) -> list[dict[str, Any]]:
    return [json.loads(line) for line in content.decode().splitlines()]


def test_ndjson_tells_each_review_from_dataset_to_review_then_the_summary(
    make_review: MakeReview, failed: Review, render: Render
) -> None:
    told = events(render("ndjson", make_review(), failed, skipped=["notes.txt"]))
    kinds = ["dataset", *["check"] * 6, *["finding"] * 3, "decision", "review", "dataset", "review", "summary"]
    assert [event["type"] for event in told] == kinds
    assert {event["schema_version"] for event in told} == {1}
    assert [event["review"] for event in told[:-1]] == ["dm-1"] * 12 + [None] * 2
    assert told[-1]["totals"]["failed"] == 1
    assert told[-1]["skipped"] == ["notes.txt"]


def test_ndjson_says_of_a_finding_what_json_says(make_review: MakeReview, render: Render) -> None:
    told = [event for event in events(render("ndjson", make_review())) if event["type"] == "finding"]
    plain = json.loads(render("json", make_review(), alone=True))["findings"]
    about = {"schema_version": 1, "type": "finding", "review": "dm-1", "dataset": "dmtext"}
    assert told == [about | finding for finding in plain]


def junit(content: bytes) -> ET.Element:
    return ET.fromstring(content)  # noqa: S314 - our own


def test_junit_has_a_suite_a_dataset_and_a_case_a_check(
    make_review: MakeReview, failed: Review, render: Render
) -> None:
    root = junit(render("junit", make_review(), failed))
    assert [suite.get("name") for suite in root] == ["dmtext", "broken"]
    outcomes = {case.get("name"): [child.tag for child in case] for case in root[0].iter("testcase")}
    assert outcomes == {
        "ranges.outside_limits": ["failure"],
        "ranges.rule.sum": ["error"],
        "structure.duplicate_key": ["skipped"],
        "structure.empty_table": [],
        "structure.padded_text": ["system-out"],  # dismissed, and who did it
    }
    for element, counts in ((root[0], "5 1 1 1"), (root[1], "1 0 1 0"), (root, "6 1 2 1")):
        assert [element.get(key) for key in ("tests", "failures", "errors", "skipped")] == counts.split()


def test_junit_tells_how_many_rows_who_dismissed_and_what_else_came_out(
    make_review: MakeReview, render: Render
) -> None:
    cases = {case.get("name"): case for case in junit(render("junit", make_review())).iter("testcase")}
    failure = cases["ranges.outside_limits"][0]
    assert failure.get("type") == "major"
    assert "first 20 of 25 rows: row 1 (Ktext=text, Ctext=1, T=text)" in (failure.text or "")
    assert "inconclusive (X): absent text" in (failure.text or "")
    assert "dismiss by Ada text at 2026-03-04T05:06:07+00:00" in (cases["structure.padded_text"][0].text or "")


def test_ndjson_closes_a_review_with_what_changed_notices_and_the_trail(make_full: MakeReview, render: Render) -> None:
    (closes,) = [event for event in events(render("ndjson", make_full())) if event["type"] == "review"]
    plain = json.loads(render("json", make_full(), alone=True))
    assert {key: closes[key] for key in ("notices", "diff", "anchor")} == {
        "notices": plain["notices"],
        "diff": plain["diff"],
        "anchor": {"number": ANCHOR.number, "hash": ANCHOR.hash},
    }
    assert len(plain["notices"]) == 2


def test_junit_passes_over_what_is_waived_and_says_by_whom(make_full: MakeReview, render: Render) -> None:
    quiet = make_full(verdicts=())
    cases = {case.get("name"): case for case in junit(render("junit", quiet)).iter("testcase")}
    (waived,) = cases["ranges.outside_limits"]
    assert (waived.tag, "waived: waiver w-0123456789ab by Grace text" in (waived.get("message") or "")) == (
        "skipped",
        True,
    )


@pytest.fixture(scope="module")
def sarif_schema() -> jsonschema.Draft4Validator:
    return jsonschema.Draft4Validator(json.loads(SCHEMA.read_text(encoding="utf-8")))


def runs(content: bytes, schema: jsonschema.Draft4Validator) -> list[dict[str, Any]]:
    log = json.loads(content)
    schema.validate(log)
    listed: list[dict[str, Any]] = log["runs"]
    return listed


def test_schema_refuses_what_is_not_sarif(sarif_schema: jsonschema.Draft4Validator) -> None:
    assert not sarif_schema.is_valid({"version": "2.1.0", "runs": [{}]})


@pytest.mark.parametrize("text", ["text", "[a](http://example.invalid) {0} <b> \udc80\x00 ?#%"])
def test_sarif_is_valid(
    text: str, make_review: MakeReview, failed: Review, render: Render, sarif_schema: jsonschema.Draft4Validator
) -> None:
    frame = make_review(text, dataset=Dataset(name="frame", uri="memory:abc", fingerprint="ab" * 32, rows=1, columns=1))
    assert len(runs(render("sarif", make_review(text), failed, frame), sarif_schema)) == 3


def test_sarif_results(make_review: MakeReview, render: Render, sarif_schema: jsonschema.Draft4Validator) -> None:
    review: Review = make_review()
    (run,) = runs(render("sarif", review), sarif_schema)
    results = {result["ruleId"]: result for result in run["results"]}
    assert {code: result["level"] for code, result in results.items()} == {
        "ranges.outside_limits": "error",
        "ranges.rule.sum": "warning",
        "structure.padded_text": "warning",
    }
    for item in review.findings:
        result = results[item.finding.code]
        assert result["partialFingerprints"] == {"finding/v1": item.finding.id}
        assert run["tool"]["driver"]["rules"][result["ruleIndex"]]["id"] == item.finding.code
        assert result["locations"][0]["physicalLocation"]["artifactLocation"]["uri"] == "file:///data/text/dm.csv"
    many = results["ranges.outside_limits"]
    rows = [at["physicalLocation"]["region"]["startLine"] for at in [*many["locations"], *many["relatedLocations"]]]
    assert rows == list(range(1, 21))
    assert (many["properties"]["failed"], many["suppressions"]) == (25, [])
    assert "region" not in results["ranges.rule.sum"]["locations"][0]["physicalLocation"]


def test_sarif_suppresses_what_was_dismissed(
    make_review: MakeReview, render: Render, sarif_schema: jsonschema.Draft4Validator
) -> None:
    (run,) = runs(render("sarif", make_review()), sarif_schema)
    (suppression,) = run["results"][2]["suppressions"]
    assert (suppression["kind"], suppression["status"]) == ("external", "accepted")
    assert suppression["justification"] == (
        "dismiss by Ada text at 2026-03-04T05:06:07+00:00, major → major: known text"
    )


def test_sarif_suppresses_what_was_waived(
    make_review: MakeReview, render: Render, sarif_schema: jsonschema.Draft4Validator
) -> None:
    waived = ReviewedFinding(finding=make_review().findings[0].finding, status=FindingStatus.WAIVED)
    (run,) = runs(render("sarif", make_review(findings=(waived,))), sarif_schema)
    assert run["results"][0]["suppressions"] == [{"kind": "external", "status": "accepted", "justification": "waived"}]


def test_sarif_rules_say_what_the_catalogue_says(
    make_review: MakeReview, render: Render, sarif_schema: jsonschema.Draft4Validator
) -> None:
    from checks import catalogue

    (run,) = runs(render("sarif", make_review()), sarif_schema)
    rules = {rule["id"]: rule for rule in run["tool"]["driver"]["rules"]}
    entries = {entry.code: entry for entry in catalogue()}
    assert rules["structure.padded_text"]["help"]["text"] == entries["structure.padded_text"].what_to_do
    assert rules["ranges.rule.sum"]["help"]["text"] == entries["ranges.rule"].what_to_do


def test_sarif_notes_what_was_not_judged(
    make_review: MakeReview, failed: Review, render: Render, sarif_schema: jsonschema.Draft4Validator
) -> None:
    first, second = runs(render("sarif", make_review(), failed), sarif_schema)
    notes = first["invocations"][0]["toolExecutionNotifications"]
    assert [note["level"] for note in notes] == ["warning", "error", "warning"]
    assert (first["invocations"][0]["executionSuccessful"], second["invocations"][0]["executionSuccessful"]) == (1, 0)


def test_nothing_in_a_sarif_message_is_a_link_or_a_placeholder(
    make_review: MakeReview, render: Render, sarif_schema: jsonschema.Draft4Validator
) -> None:
    (run,) = runs(render("sarif", make_review("[a](b) {0}")), sarif_schema)
    assert "\\[a\\](b) {{0}}" in run["results"][0]["message"]["text"]


def test_severity_none_is_a_note(
    make_review: MakeReview, render: Render, sarif_schema: jsonschema.Draft4Validator
) -> None:
    from dataclasses import replace

    item = make_review().findings[0]
    quiet = ReviewedFinding(finding=replace(item.finding, severity=Severity.NONE))
    (run,) = runs(render("sarif", make_review(findings=(quiet,))), sarif_schema)
    assert run["results"][0]["level"] == "note"


def test_sarif_says_what_waits_for_an_approval_and_suppresses_nothing_by_it(
    make_full: MakeReview, render: Render, sarif_schema: jsonschema.Draft4Validator
) -> None:
    (run,) = runs(render("sarif", make_full()), sarif_schema)
    told = {result["ruleId"]: [one["status"] for one in result["suppressions"]] for result in run["results"]}
    assert told == {
        "ranges.outside_limits": ["accepted"],
        "ranges.rule.sum": ["underReview"],
        "structure.blank_text": [],
        "structure.padded_text": ["accepted"],
    }


def test_a_dismissal_that_waits_beside_one_that_counts_takes_nothing_from_it(
    make_full: MakeReview, render: Render, sarif_schema: jsonschema.Draft4Validator
) -> None:
    from dataclasses import replace

    full = make_full()
    signed, waits, approval = full.decisions
    both = (signed, replace(waits, findings=signed.findings), approval)
    (run,) = runs(render("sarif", replace(full, decisions=both)), sarif_schema)
    (suppression,) = run["results"][3]["suppressions"]
    assert (suppression["status"], "approved by Bob" in suppression["justification"]) == ("accepted", True)


def test_sarif_notes_what_changed_and_waivers_that_do_not_hold(
    make_full: MakeReview, render: Render, sarif_schema: jsonschema.Draft4Validator
) -> None:
    full = make_full()
    (run,) = runs(render("sarif", full), sarif_schema)
    notes = run["invocations"][0]["toolExecutionNotifications"]
    by_kind = {
        kind: [note for note in notes if note.get("descriptor") == {"id": kind}] for kind in ("waiver", "changes")
    }
    assert [note["level"] for note in by_kind["waiver"]] == ["warning", "warning"]
    texts = [note["message"]["text"] for note in by_kind["changes"]]
    assert [text.partition(":")[0] for text in texts[1:]] == ["fixed", "no longer judged"]
    changes = [result["properties"]["change"] for result in run["results"]]
    assert changes == ["persisting", "new", "reopened", "persisting"]
    assert run["properties"]["anchor"] == {"number": ANCHOR.number, "hash": ANCHOR.hash}
    assert run["properties"]["diff"] == json.loads(render("json", full, alone=True))["diff"]
