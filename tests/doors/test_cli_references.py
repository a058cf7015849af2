"""`run` with datasets that refer to others: found in the same folder, or named with `--with`."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from review_graph.doors.cli.app import app

Cli = Callable[..., Any]

AE = (
    "STUDYID,DOMAIN,USUBJID,AESEQ,AETERM,AEDECOD,AESTDTC\n"
    "X,AE,S-1,1,ache,Ache,2024-01-05\n"
    "X,AE,S-9,1,ache,Ache,2024-01-05\n"
)
DM = (
    "STUDYID,DOMAIN,USUBJID,SUBJID,RFSTDTC,RFENDTC,SITEID,AGE,AGEU,SEX,ARMCD,ARM,COUNTRY,DTHDTC\n"
    "X,DM,S-1,1,2024-01-01,2024-02-01,1,40,YEARS,F,A,A,DEU,2024-01-03\n"
)


@pytest.fixture
def cli(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Cli:
    """Runs commands in a folder of the test's own that holds a study."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("REVIEW_GRAPH_DB", "kept/reviews.sqlite")
    Path("study").mkdir()
    Path("study/ae.csv").write_text(AE)
    Path("study/dm.csv").write_text(DM)
    Path("spec.txt").write_text("no table at all")
    return lambda *arguments: CliRunner().invoke(app, list(arguments))


def findings(ran: Any, name: str = "ae") -> dict[str, str]:
    reviews = json.loads(ran.stdout)["reviews"]
    checks = next(review["checks"] for review in reviews if review["dataset"]["name"] == name)
    return {check["code"]: check["outcome"] for check in checks}


def test_a_folder_brings_its_own(cli: Cli) -> None:
    found = findings(cli("run", "study", "--format", "json"))
    assert found["structure.foreign_key"] == "failed"
    assert found["ranges.rule.no-start-after-death"] == "failed"


def test_alone_it_is_inconclusive_and_says_what_to_do(cli: Cli) -> None:
    ran = cli("run", "study/ae.csv", "--format", "json")
    assert findings(ran)["structure.foreign_key"] == "inconclusive"
    notes = json.loads(ran.stdout)["reviews"][0]["dataset"]["notes"]
    assert any("--with dm=PATH" in note for note in notes)


def test_with_names_it(cli: Cli) -> None:
    Path("study/dm.csv").rename("other.csv")
    found = findings(cli("run", "study", "--with", "DM=other.csv", "--format", "json"))
    assert found["structure.foreign_key"] == "failed"


def test_with_goes_before_the_folders_own(cli: Cli) -> None:
    Path("other.csv").write_text(DM + DM.splitlines()[1].replace("S-1", "S-9") + "\n")
    ran = cli("run", "study", "--with", "dm=other.csv", "--format", "json")
    assert findings(ran)["structure.foreign_key"] == "passed"


def test_two_that_may_be_meant_are_named(cli: Cli) -> None:
    Path("study/dm.csv").rename("study/a_dm.csv")
    Path("study/b_dm.csv").write_text(DM)
    ran = cli("run", "study", "--format", "json")
    assert "ae.csv: dm may be any of a_dm.csv, b_dm.csv: --with dm=PATH says which" in ran.stderr
    assert findings(ran)["structure.foreign_key"] == "inconclusive"


def test_one_that_nothing_refers_to_is_named(cli: Cli) -> None:
    ran = cli("run", "study/ae.csv", "--with", "dn=study/dm.csv")
    assert "--with dn: no dataset of this run was held against dn" in ran.stderr


def test_what_stands_at_an_address_is_held_against_what_stands_beside_it(cli: Cli) -> None:
    """`memory://` is fsspec's own store: it goes the way of every address."""
    fsspec = pytest.importorskip("fsspec")
    memory = fsspec.filesystem("memory")
    for name, text in (("ae", AE), ("dm", DM)):
        memory.pipe(f"/study/{name}.csv", text.encode())
    found = findings(cli("run", "memory://study/", "--format", "json"))
    assert found["structure.foreign_key"] == "failed"
    ran = cli("run", "study/ae.csv", "--with", "dm=memory://study/dm.csv", "--format", "json")
    assert findings(ran)["structure.foreign_key"] == "failed"


WRONG = {
    "a-folder": (["--with", "dm=study"], "--with dm: study"),
    "no-dataset": (["--with", "dm=spec.txt"], "spec.txt has the suffix '.txt'"),
    "a-token-is-not-shown": (["--with", "https://h/x?token=SECRET"], "'https://h/x?…' is not NAME=PATH"),
    "no-name": (["--with", "other.csv"], "'other.csv' is not NAME=PATH"),
    "no-path": (["--with", "dm="], "'dm=' is not NAME=PATH"),
    "not-there": (["--with", "dm=gone.csv"], "--with dm: gone.csv does not exist"),
    "twice": (["--with", "dm=study/dm.csv", "--with", "DM=study/dm.csv"], "--with names dm twice"),
}


@pytest.mark.parametrize(("arguments", "message"), WRONG.values(), ids=WRONG.keys())
def test_a_wrong_with_is_refused_before_anything_is_reviewed(arguments: list[str], message: str, cli: Cli) -> None:
    ran = cli("run", "study", *arguments)
    assert ran.exit_code == 2
    assert message in ran.stderr
    assert "SECRET" not in ran.stderr
    assert not list(Path().glob("kept/reviews/*"))


def test_a_report_never_goes_to_an_address(cli: Cli) -> None:
    ran = cli("run", "study/ae.csv", "--output", "html:http://h/o.html?token=SECRET")
    assert ran.exit_code == 2
    assert "http://h/o.html?… is an address" in ran.stderr
    assert "SECRET" not in ran.stderr


def test_a_report_never_lands_on_what_is_referred_to(cli: Cli) -> None:
    ran = cli("run", "study/ae.csv", "--with", "dm=study/dm.csv", "--output", "csv:study/dm.csv")
    assert ran.exit_code == 2
    assert Path("study/dm.csv").read_text() == DM
