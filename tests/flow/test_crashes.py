"""R6 and R9: a process killed in any node; the next one goes on from the last checkpoint, and nothing is doubled."""

from __future__ import annotations

import datetime as dt
import json
import re
import signal
from collections import Counter
from collections.abc import Callable
from functools import wraps
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from review_graph import DecisionRequest, Review, ReviewService, Settings, Status, build
from review_graph.errors import DecisionConflict
from review_graph.nodes import Nodes

NODES = ("intake", "structure", "ranges", "triage", "summarise", "escalate")
SIBLING = {"structure": "ranges", "ranges": "structure"}

KILLED = """
import datetime as dt, json, os, signal, sqlite3, sys, time
from functools import wraps
from pathlib import Path
from langgraph.checkpoint.sqlite import SqliteSaver
from review_graph import DecisionRequest, Settings, build
from review_graph.nodes import Nodes

db, marks, doomed, when, sibling, act, *rest = sys.argv[1:]

def sibling_is_kept():
    with sqlite3.connect(db) as connection:
        return connection.execute("SELECT count(*) FROM writes WHERE channel = 'verdicts'").fetchone()[0] > 0

def die():
    deadline = time.monotonic() + 20
    while sibling and not sibling_is_kept() and time.monotonic() < deadline:
        time.sleep(0.02)
    os.kill(os.getpid(), signal.SIGKILL)

def marked(name):
    original = getattr(Nodes, name)
    @wraps(original)
    def node(*arguments, **named):
        with open(marks, "a") as file:
            file.write(name + "\\n")
        if name == doomed and when == "before":
            die()
        update = original(*arguments, **named)
        if name == doomed:
            die()
        return update
    setattr(Nodes, name, node)

for name in ("intake", "structure", "ranges", "triage", "summarise", "escalate"):
    marked(name)

if doomed.startswith("save "):
    saves = 0
    save = SqliteSaver.put
    def put(*arguments, **named):
        global saves
        saves += 1
        if saves == int(doomed.removeprefix("save ")):
            die()
        return save(*arguments, **named)
    SqliteSaver.put = put

service = build(Settings(db=db), clock=lambda: dt.datetime(2026, 3, 4, 5, 6, 7, tzinfo=dt.UTC))
if act == "start":
    service.start(rest[0], json.loads(rest[1]))
else:
    service.decide(rest[0], DecisionRequest(**json.loads(rest[1])))
"""
"""A process that does one thing and kills itself before a node's work, after it, or when a step is to be saved."""

DATA: dict[str, list[Any]] = {"ID": [f"S-{n}" for n in range(60)] + ["S-1"], "A": [99] * 61}
"""A repeated key, and more offending rows than the evidence holds."""


class Place:
    """A folder with a dataset and a database of its own, and what ran there."""

    def __init__(self, folder: Path, elsewhere: Callable[..., Any], clock: Callable[[], dt.datetime]) -> None:
        self.folder = folder
        self.folder.mkdir()
        self.dataset = folder / "dataset.parquet"
        self.marks = folder / "marks.txt"
        self.settings = Settings(db=str(folder / "db" / "reviews.sqlite"))
        self._elsewhere = elsewhere
        self._clock = clock

    def service(self) -> ReviewService:
        return build(self.settings, clock=self._clock)

    def killed(self, node: str, when: str, act: str, *rest: str, sibling: str = "") -> None:
        """Do something in a process that dies in a node."""
        ended = self._elsewhere("-c", KILLED, self.settings.db, str(self.marks), node, when, sibling, act, *rest)
        assert ended.returncode == -signal.SIGKILL, ended.stderr

    def ran(self) -> Counter[str]:
        return Counter(self.marks.read_text().split()) if self.marks.exists() else Counter()

    def files(self) -> dict[str, bytes]:
        """The files of reviews; what depends on the folder, or tells of the trail, is taken out."""
        root = self.settings.out_path
        here = str(self.folder).encode()
        return {
            str(path.relative_to(root)): re.sub(rb"\nAudit trail: .*\n", b"", path.read_bytes()).replace(here, b"")
            for path in sorted(root.rglob("*"))
            if path.is_file()
        }


@pytest.fixture
def place(tmp_path: Path, elsewhere: Callable[..., Any], clock: Callable[[], dt.datetime]) -> Callable[..., Place]:
    """Makes a place whose dataset is major, minor or clean."""

    def make(name: str, kind: str) -> Place:
        made = Place(tmp_path / name, elsewhere, clock)
        data = {"major": DATA, "minor": {"ID": DATA["ID"][:60], "A": DATA["A"][:60]}}[kind]
        pl.DataFrame(data).write_parquet(made.dataset)
        return made

    return make


@pytest.fixture
def watched(monkeypatch: pytest.MonkeyPatch) -> Counter[str]:
    """How often each node ran in this process."""
    ran: Counter[str] = Counter()

    def counted(name: str) -> Callable[..., Any]:
        original = getattr(Nodes, name)

        @wraps(original)  # LangGraph reads the signature
        def node(*arguments: Any, **named: Any) -> Any:
            ran[name] += 1
            return original(*arguments, **named)

        return node

    for name in NODES:
        monkeypatch.setattr(Nodes, name, counted(name))
    return ran


def plain(review: Review, place: Place) -> str:
    told = review.to_plain()
    assert told.pop("anchor")  # a run that was killed has a longer trail
    return str(told).replace(str(place.folder), "")


@pytest.mark.parametrize(
    ("node", "kind", "redone"),
    [
        ("intake", "minor", {"intake", "structure", "ranges", "triage", "summarise"}),
        ("structure", "minor", {"structure", "triage", "summarise"}),
        ("ranges", "major", {"ranges", "triage"}),
        ("triage", "major", {"triage"}),
        ("summarise", "minor", {"summarise"}),
    ],
    ids=["intake", "structure", "ranges", "triage", "summarise"],
)
def test_killed_run_goes_on_and_redoes_only_what_was_not_finished(
    place: Callable[..., Place], watched: Counter[str], spec: dict[str, Any], node: str, kind: str, redone: set[str]
) -> None:
    here, undisturbed = place("killed", kind), place("undisturbed", kind)
    expected = undisturbed.service().start(undisturbed.dataset, spec)
    watched.clear()

    sibling = SIBLING.get(node, "")
    here.killed(node, "after", "start", str(here.dataset), json.dumps(spec), sibling=sibling)
    killed = here.service().list()
    assert [review.status for review in killed] == [Status.RUNNING]
    review = here.service().start(here.dataset, spec)

    assert plain(review, here) == plain(expected, undisturbed)
    assert set(watched) == redone
    assert set(watched.values()) == {1}
    assert (here.ran() + watched)[sibling or "triage"] == (1 if node != "triage" else 2)
    assert here.files() == undisturbed.files()
    assert len(here.service().list()) == 1


@pytest.mark.parametrize(("when", "how"), [("before", "resume"), ("after", "run")])
@pytest.mark.parametrize(
    ("node", "action", "status"),
    [("escalate", "confirm", Status.ESCALATED), ("summarise", "override", Status.SUMMARISED)],
    ids=["confirm", "override"],
)
def test_killed_decision_is_carried_out_once_and_nothing_is_asked_again(
    place: Callable[..., Place],
    watched: Counter[str],
    spec: dict[str, Any],
    ask: Callable[..., DecisionRequest],
    node: str,
    action: str,
    status: Status,
    when: str,
    how: str,
) -> None:
    here, undisturbed = place("killed", "major"), place("undisturbed", "major")
    request = ask(action)
    paused = undisturbed.service().start(undisturbed.dataset, spec)
    expected = undisturbed.service().decide(paused.id or "", request)
    identity = here.service().start(here.dataset, spec).id or ""
    watched.clear()

    fields = {"action": action, "by": request.by, "reason": request.reason, "severity": request.severity}
    here.killed(node, when, "decide", identity, json.dumps(fields))
    assert here.service().get(identity).status is Status.RUNNING
    with pytest.raises(DecisionConflict, match=f"Ada recorded {action}"):
        here.service().decide(identity, ask("override", by="Bob"))
    service = here.service()
    review = service.start(here.dataset, spec) if how == "run" else service.resume(identity)

    assert review.status is status
    assert plain(review, here) == plain(expected, undisturbed)
    assert watched == {node: 1}
    assert here.files() == undisturbed.files()


@pytest.mark.slow
def test_run_that_dies_again_and_again_ends_at_last(
    place: Callable[..., Place], watched: Counter[str], spec: dict[str, Any]
) -> None:
    here = place("killed", "minor")
    for node in ("intake", "triage", "summarise"):
        here.killed(node, "before", "start", str(here.dataset), json.dumps(spec))
    assert here.service().start(here.dataset, spec).status is Status.SUMMARISED
    assert watched == {"summarise": 1}
    assert here.ran() == {"intake": 2, "structure": 1, "ranges": 1, "triage": 2, "summarise": 1}


SLOW = pytest.mark.slow


@pytest.mark.parametrize(
    "save",
    [
        pytest.param(1, id="input", marks=SLOW),
        pytest.param(2, id="intake"),
        pytest.param(3, id="families"),
        pytest.param(4, id="triage", marks=SLOW),
        pytest.param(5, id="summarise", marks=SLOW),
    ],
)
def test_run_killed_between_the_work_and_its_checkpoint_goes_on(
    place: Callable[..., Place], spec: dict[str, Any], save: int
) -> None:
    here, undisturbed = place("killed", "minor"), place("undisturbed", "minor")
    expected = undisturbed.service().start(undisturbed.dataset, spec)
    here.killed(f"save {save}", "", "start", str(here.dataset), json.dumps(spec))
    assert [review.status for review in here.service().list()] == [Status.RUNNING]
    review = here.service().start(here.dataset, spec)
    assert plain(review, here) == plain(expected, undisturbed)
    assert here.files() == undisturbed.files()


@pytest.mark.parametrize("save", [1, 2], ids=["decision", "escalate"])
def test_decision_killed_between_the_work_and_its_checkpoint_is_kept_once(
    place: Callable[..., Place], spec: dict[str, Any], save: int
) -> None:
    here = place("killed", "major")
    identity = here.service().start(here.dataset, spec).id or ""
    fields = json.dumps({"action": "confirm", "by": "Ada", "reason": "looked at it"})
    here.killed(f"save {save}", "", "decide", identity, fields)
    review = here.service().resume(identity)
    assert (review.status, len(review.decisions)) == (Status.ESCALATED, 1)
    assert here.service().trail.verify() is None
