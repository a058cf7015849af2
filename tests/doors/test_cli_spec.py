"""`review-graph spec`: what is printed, what is written, and with which exit code."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import yaml
from typer.testing import CliRunner, Result

from checks.builtin import builtin, builtin_names
from review_graph.doors.cli.app import app

Spec = Callable[..., Result]
DATA = Path(__file__).parents[2] / "data"

RIGHT = "name: t\nfields:\n  - { name: A, type: integer, x-mine: 1 }\n"
WRONG = (
    "fields:\n  - { name: A, type: intger }\n  - { name: B, constraints: { minimun: 1 } }\n"
    "checks:\n  structure.pad: {}\n"
)
PACKAGE = (
    "resources:\n  - { name: a, schema: { fields: [{ name: A }] } }\n"
    "  - { name: b, schema: { fields: [{ name: A, type: txt }] } }\n  - { name: c, path: c.pdf }\n"
)
DEFINE = (
    '<ODM xmlns="http://www.cdisc.org/ns/odm/v1.3" xmlns:def="http://www.cdisc.org/ns/def/v2.0"><Study OID="S">'
    '<MetaDataVersion OID="M" Name="M" def:DefineVersion="2.0.0">'
    '<ItemGroupDef OID="G" Name="DM"><ItemRef ItemOID="I" Mandatory="Yes"/></ItemGroupDef>'
    '<ItemGroupDef OID="H" Name="VS"><ItemRef ItemOID="I" Mandatory="No"/></ItemGroupDef>'
    '<ItemDef OID="I" Name="A" DataType="text" Length="3"/></MetaDataVersion></Study></ODM>'
)


@pytest.fixture
def spec(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Spec:
    """Runs `review-graph spec` in a folder that holds a right, a wrong and a packed spec, and a define.xml."""
    monkeypatch.chdir(tmp_path)
    for name, text in {"right": RIGHT, "wrong": WRONG, "package": PACKAGE}.items():
        Path(f"{name}.yaml").write_text(text, encoding="utf-8")
    Path("define.xml").write_text(DEFINE, encoding="utf-8")
    Path("t.csv").write_text("ID,AGE\nS-1,34\nS-2,51\n", encoding="utf-8")
    return lambda *arguments: CliRunner().invoke(app, ["spec", *map(str, arguments)])


def test_show_lists_the_built_in_specs(spec: Spec) -> None:
    result = spec("show")
    assert result.exit_code == 0
    assert [line.split()[0] for line in result.stdout.splitlines()] == list(builtin_names())
    assert [item["name"] for item in json.loads(spec("show", "--format", "json").stdout)] == list(builtin_names())


@pytest.mark.parametrize("name", builtin_names())
def test_show_prints_a_built_in_spec(spec: Spec, name: str) -> None:
    assert yaml.safe_load(spec("show", name).stdout)["name"] == name
    assert json.loads(spec("show", name.upper(), "--format", "json").stdout) == builtin(name).to_plain()


def test_show_prints_a_users_spec_as_it_is_understood(spec: Spec) -> None:
    result = spec("show", "right.yaml")
    assert result.exit_code == 0
    assert result.stdout == "name: t\nfields:\n  - name: A\n    type: integer\n"
    assert "fields[0].x-mine: custom property, ignored" in result.stderr
    assert json.loads(spec("show", "right.yaml", "--format", "json").stdout) == yaml.safe_load(result.stdout)


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("dmm",), "did you mean 'dm'?"),
        (("nowhere.yaml",), "nowhere.yaml: no such file"),
        (("wrong.yaml",), "wrong.yaml:2: fields[0].type"),
        (("package.yaml",), "expected one of: a, b, c"),
    ],
    ids=["no-such-name", "no-such-file", "wrong", "which-resource"],
)
def test_show_says_what_is_wrong(spec: Spec, arguments: tuple[str, ...], said: str) -> None:
    result = spec("show", *arguments)
    assert (result.exit_code, result.stdout) == (2, "")
    assert said in result.stderr


def test_show_takes_one_resource_of_a_package(spec: Spec) -> None:
    assert spec("show", "package.yaml", "--dataset", "A").stdout == "fields:\n  - name: A\n"


def test_validate_says_all_that_is_wrong_by_line_with_the_nearest_name(spec: Spec) -> None:
    result = spec("validate", "wrong.yaml", "right.yaml", "nowhere.yaml")
    assert result.exit_code == 2
    lines = result.stdout.splitlines()
    assert lines[0].startswith("wrong.yaml:2: fields[0].type: found the text 'intger', expected one of")
    assert lines[0].endswith("did you mean 'integer'?")
    assert "wrong.yaml:3: fields[1].constraints.minimun: unknown property" in lines[1]
    assert "did you mean 'minimum'?" in lines[1]
    assert lines[2].startswith('wrong.yaml:5: checks["structure.pad"]: there is no check')
    assert lines[3:] == [
        "wrong.yaml: 3 problems",
        "right.yaml:3: fields[0].x-mine: custom property, ignored",
        "right.yaml: valid, 1 field, 1 property ignored",
        "nowhere.yaml: no such file",
        "nowhere.yaml: 1 problem",
    ]


def test_validate_is_content_with_what_is_right(spec: Spec) -> None:
    assert spec("validate", "right.yaml").exit_code == 0
    assert spec("validate", DATA / "specs" / "sites.yaml").exit_code == 0


def test_validate_looks_at_every_resource(spec: Spec) -> None:
    result = spec("validate", "package.yaml", "--format", "json")
    assert result.exit_code == 2
    assert [(item["resource"], item["valid"], item["note"]) for item in json.loads(result.stdout)] == [
        ("a", True, None),
        ("b", False, None),
        ("c", True, "no schema, so nothing to look at"),
    ]


@pytest.mark.parametrize(
    ("resources", "said"),
    [
        ("[{ name: a, schema: { fields: [] } }, { name: A, schema: { fields: [] } }]", "given twice"),
        ("[{ schema: { fields: [] } }, { name: a, schema: { fields: [] } }]", "name is missing"),
    ],
    ids=["twice", "nameless"],
)
def test_validate_needs_names_that_tell_resources_apart(spec: Spec, resources: str, said: str) -> None:
    Path("p.yaml").write_text(f"resources: {resources}\n", encoding="utf-8")
    assert said in spec("validate", "p.yaml").stdout


def test_infer_prints_a_draft_that_is_valid_and_fits(spec: Spec) -> None:
    result = spec("infer", "t.csv")
    assert result.exit_code == 0
    assert result.stdout.startswith("# Draft of a spec, inferred from t.csv\n")
    assert str(Path.cwd()) not in result.stdout
    assert yaml.safe_load(result.stdout)["primaryKey"] == ["ID"]
    assert spec("infer", "t.csv").stdout == result.stdout
    Path("draft.yaml").write_text(result.stdout, encoding="utf-8")
    assert spec("validate", "draft.yaml").exit_code == 0


@pytest.mark.parametrize(
    ("arguments", "load"),
    [
        (("-o", "out/d.yaml"), yaml.safe_load),
        (("-o", "out/d.json"), json.loads),
        (("--output", "out/d.txt", "--format", "json"), json.loads),
    ],
    ids=["yaml", "json-by-suffix", "json-by-format"],
)
def test_infer_writes_a_file(spec: Spec, arguments: tuple[str, ...], load: Any) -> None:
    result = spec("infer", "t.csv", "--name", "subjects", *arguments)
    assert (result.exit_code, result.stdout) == (0, "")
    assert load(Path(arguments[1]).read_text(encoding="utf-8"))["name"] == "subjects"
    assert ("JSON has no comments" in result.stderr) is (load is json.loads)


def test_a_spec_somebody_may_have_worked_on_is_not_written_over(spec: Spec) -> None:
    result = spec("infer", "t.csv", "-o", "right.yaml")
    assert result.exit_code == 2
    assert "right.yaml exists already" in result.stderr
    assert Path("right.yaml").read_text(encoding="utf-8") == RIGHT
    assert spec("infer", "t.csv", "-o", "right.yaml", "--force").exit_code == 0
    assert Path("right.yaml").read_text(encoding="utf-8") != RIGHT


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("infer", "nowhere.csv"), "nowhere.csv"),
        (("infer", "right.yaml"), "no reader"),
        (("infer", "empty.csv"), "no rows"),
        (("infer", "t.csv", "-o", "t.csv/x.yaml"), "cannot be written"),
        (("from-define", "t.csv"), "t.csv:1: not XML"),
        (("from-define", "define.xml", "--dataset", "D"), "there are: DM, VS"),
    ],
    ids=lambda value: "-".join(value) if isinstance(value, tuple) else "",
)
def test_what_cannot_be_drafted_gets_a_line_and_2(spec: Spec, arguments: tuple[str, ...], said: str) -> None:
    Path("empty.csv").write_text("A,B\n", encoding="utf-8")
    result = spec(*arguments)
    assert (result.exit_code, result.stdout) == (2, "")
    assert said in result.stderr


def test_from_define_makes_a_package_one_spec_or_a_folder(spec: Spec) -> None:
    assert [item["name"] for item in yaml.safe_load(spec("from-define", "define.xml").stdout)["resources"]] == [
        "DM",
        "VS",
    ]
    assert yaml.safe_load(spec("from-define", "define.xml", "--dataset", "dm").stdout)["name"] == "DM"
    assert spec("from-define", "define.xml", "-o", "specs").exit_code == 0
    assert sorted(path.name for path in Path("specs").iterdir()) == ["dm.yaml", "vs.yaml"]
    assert spec("from-define", "define.xml", "-o", "specs").exit_code == 2
    assert spec("from-define", "define.xml", "-o", "all.json").exit_code == 0
    assert spec("validate", "all.json", "specs/dm.yaml", "specs/vs.yaml").exit_code == 0


def test_run_takes_the_resource_named_as_the_dataset(spec: Spec) -> None:
    spec("from-define", "define.xml", "-o", "all.yaml")
    Path("vs.csv").write_text("A\nTOO LONG\n", encoding="utf-8")
    result = CliRunner().invoke(app, ["run", "vs.csv", "--spec", "all.yaml", "--db", "r.sqlite", "--format", "json"])
    (review,) = json.loads(result.stdout)["reviews"]
    assert "structure.length_outside_limits" in {finding["code"] for finding in review["findings"]}


@pytest.mark.parametrize("command", ["show", "validate", "infer", "from-define"])
def test_help_says_what_it_is_for(spec: Spec, command: str) -> None:
    result = spec(command, "--help")
    assert result.exit_code == 0
    assert len(result.stdout) > 400
