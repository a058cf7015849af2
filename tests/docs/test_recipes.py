"""The recipes for schedulers run on the real thing, where it is installed: the gate holds, and a decision opens it."""

from __future__ import annotations

import importlib.util
import json
import os
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Any

import pytest

from review_graph import DecisionRequest, ReviewService, Settings, Status, build

if TYPE_CHECKING:
    from tests.docs.conftest import Page, Shell

pytestmark = pytest.mark.slow

Ask = Callable[..., DecisionRequest]
OpenPage = Callable[[str], "Page"]

LONG_S = 300
FAULTY = "data/faults/adsl.parquet"


def needs(module: str) -> pytest.MarkDecorator:
    name = {"airflow": "apache-airflow"}.get(module, module)
    return pytest.mark.skipif(
        importlib.util.find_spec(module) is None, reason=f"{name} is not installed: pip install {name}"
    )


def until(is_so: Callable[[], object], what: str) -> None:
    """Wait for another process."""
    give_up_at = time.monotonic() + LONG_S
    while not is_so():
        assert time.monotonic() < give_up_at, f"in vain waited until {what}"
        time.sleep(0.2)


@pytest.fixture
def reviews(study: Path) -> Iterator[ReviewService]:
    """The reviews, as a reviewer in the same folder sees them."""
    with build(Settings(db=str(study / "checkpoints" / "reviews.sqlite"))) as service:
        yield service


def waiting(reviews: ReviewService) -> str:
    """Id of the one review that waits."""
    (identity,) = (review.id for review in reviews.list() if review.status is Status.PAUSED)
    return identity or ""


@contextmanager
def started(command: list[str], folder: Path, **environment: str) -> Iterator[tuple[subprocess.Popen[bytes], Path]]:
    """A process with its log; it is ended at the end."""
    log = folder / f"{Path(command[-1]).stem}.log"
    with log.open("w", encoding="utf-8") as stream:
        process = subprocess.Popen(  # noqa: S603 - the commands of the page
            command,
            cwd=folder,
            env={**os.environ, "NO_COLOR": "1", **environment},
            stdout=stream,
            stderr=subprocess.STDOUT,
            stdin=subprocess.DEVNULL,
        )
        try:
            yield process, log
        finally:
            process.terminate()
            process.wait(LONG_S)


# Dagster


def dagster_module(page: OpenPage, study: Path) -> ModuleType:
    page("dagster").write_files(study)
    spec = importlib.util.spec_from_file_location("dagster_review", study / "dagster_review.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@needs("dagster")
@pytest.mark.filterwarnings("default")
@pytest.mark.parametrize(
    ("action", "status", "severity", "built"),
    [("override", "summarised", "WARN", True), ("confirm", "escalated", "ERROR", False)],
)
def test_dagster_builds_on_an_asset_only_what_its_review_lets_through(
    page: OpenPage,
    study: Path,
    reviews: ReviewService,
    ask: Ask,
    monkeypatch: pytest.MonkeyPatch,
    action: str,
    status: str,
    severity: str,
    built: bool,
) -> None:
    dagster: Any = pytest.importorskip("dagster")
    monkeypatch.chdir(study)
    recipe: Any = dagster_module(page, study)

    def run() -> tuple[bool, Any]:
        assets = [recipe.adsl, recipe.adsl_is_reviewed, recipe.subjects_by_sex]
        ran = dagster.materialize(assets, raise_on_error=False)
        (evaluation,) = ran.get_asset_check_evaluations()
        return ran.success, evaluation

    success, evaluation = run()
    identity = waiting(reviews)
    assert (success, evaluation.passed, evaluation.severity.name) == (False, False, "ERROR")
    assert evaluation.description == f"waits for a reviewer: review-graph show {identity}"
    assert evaluation.metadata["review"].value == identity
    assert evaluation.metadata["status"].value == "paused"
    assert not (study / "warehouse" / "subjects_by_sex.csv").exists()

    reviews.decide(identity, ask(action))
    success, evaluation = run()
    assert (success, evaluation.passed, evaluation.severity.name) == (built, False, severity)
    assert evaluation.metadata["status"].value == status
    assert (study / "warehouse" / "subjects_by_sex.csv").exists() is built


@needs("dagster")
def test_dagster_runs_the_recipe_from_its_command_line(
    page: OpenPage, study: Path, shell: Shell, reviews: ReviewService, ask: Ask
) -> None:
    page("dagster").write_files(study)
    (study / "home").mkdir()
    (study / "home" / "dagster.yaml").write_text("telemetry: { enabled: false }\n", encoding="utf-8")
    environment = {"DAGSTER_HOME": str(study / "home")}
    command = "dagster asset materialize --select '*' -f dagster_review.py"
    assert shell(command, **environment).returncode == 1
    assert not (study / "warehouse" / "subjects_by_sex.csv").exists()
    reviews.decide(waiting(reviews), ask("override"))
    ran = shell(command, **environment)
    assert ran.returncode == 0, ran.stderr
    assert (study / "warehouse" / "subjects_by_sex.csv").exists()


# Airflow


@pytest.fixture
def airflow(page: OpenPage, study: Path, shell: Shell) -> dict[str, str]:
    """A new Airflow that holds the recipe and looks again after a second; its environment."""
    (study / "dags").mkdir()
    (path,) = page("airflow").write_files(study / "dags")
    text = path.read_text(encoding="utf-8")
    assert "poke_interval=600" in text
    path.write_text(text.replace("poke_interval=600", "poke_interval=1"), encoding="utf-8")
    environment = {
        "AIRFLOW_HOME": str(study / "airflow"),
        "AIRFLOW__CORE__DAGS_FOLDER": str(study / "dags"),
        "AIRFLOW__CORE__LOAD_EXAMPLES": "False",
        "AIRFLOW__USAGE_DATA_COLLECTION__ENABLED": "False",
    }
    migrated = shell("airflow db migrate", **environment)
    assert migrated.returncode == 0, migrated.stderr
    return environment


@needs("airflow")
@pytest.mark.parametrize(("action", "published"), [("override", True), ("confirm", False)])
def test_airflow_waits_for_the_decision_and_does_as_it_says(
    study: Path, airflow: dict[str, str], reviews: ReviewService, ask: Ask, action: str, published: bool
) -> None:
    with started([sys.executable, "dags/airflow_review.py", FAULTY], study, **airflow) as (process, log):

        def said(what: str) -> int:
            return log.read_text(encoding="utf-8").count(what)

        until(lambda: said("waits for a reviewer") > 1 or process.poll() is not None, "it looked twice")
        identity = waiting(reviews)
        assert said(f"review-graph show {identity}") > 1
        assert said("published after review") == 0
        reviews.decide(identity, ask(action))
        until(lambda: process.poll() is not None, "the run ended")
        assert bool(said(f"published after review {identity}")) is published
        assert bool(said(f"{identity} was escalated")) is not published


@needs("airflow")
@pytest.mark.parametrize(("path", "published"), [("data/dm.xpt", True), ("data/nothing.csv", False)])
def test_airflow_does_not_wait_where_nobody_has_to_look(
    study: Path, airflow: dict[str, str], path: str, published: bool
) -> None:
    with started([sys.executable, "dags/airflow_review.py", path], study, **airflow) as (process, log):
        until(lambda: process.poll() is not None, "the run ended")
        said = log.read_text(encoding="utf-8")
    assert ("published after review" in said) is published
    assert ("cannot be read" in said) is not published


# Prefect


class Prefect:
    """Prefect's API, as far as a reader of the page uses its commands and its page."""

    def __init__(self, url: str) -> None:
        self._url = url

    def call(self, path: str, body: dict[str, Any] | None = None) -> Any:
        request = urllib.request.Request(  # noqa: S310 - our own server
            f"{self._url}{path}",
            data=None if body is None else json.dumps(body).encode(),
            headers={"Content-Type": "application/json"},
        )
        with urllib.request.urlopen(request, timeout=10) as answer:  # noqa: S310
            return json.loads(answer.read())

    def is_up(self, path: str) -> bool:
        try:
            self.call(path)
        except OSError:
            return False
        return True

    def run(self, path: str) -> str:
        deployment = self.call("/deployments/name/delivery/reviewed")["id"]
        return str(self.call(f"/deployments/{deployment}/create_flow_run", {"parameters": {"path": path}})["id"])

    def resume(self, run: str) -> None:
        self.call(f"/flow_runs/{run}/resume", {})

    def state(self, run: str) -> Any:
        return self.call(f"/flow_runs/{run}")["state"]

    def comes_to(self, run: str, name: str, *, before: str = "") -> Any:
        """Wait until a run comes to a state of that name, other than one it was in before."""

        def is_there() -> bool:
            state = self.state(run)
            assert state["name"] in {name, "Failed", "Completed"} or state["type"] not in {"FAILED", "CRASHED"}
            return bool(state["name"] == name and state["id"] != before)

        until(is_there, f"the run is {name}")
        return self.state(run)


@pytest.fixture
def prefect(page: OpenPage, study: Path) -> Iterator[Prefect]:
    """A Prefect server with the recipe's deployment."""
    page("prefect").write_files(study)
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    url = f"http://127.0.0.1:{port}/api"
    environment = {
        "PREFECT_HOME": str(study / "prefect"),
        "PREFECT_API_URL": url,
        "PREFECT_RUNNER_POLL_FREQUENCY": "1",
        "PREFECT_SERVER_ANALYTICS_ENABLED": "false",
        "DO_NOT_TRACK": "1",
    }
    api = Prefect(url)
    serve = [sys.executable, "-m", "prefect", "server", "start", "--no-ui", "--host", "127.0.0.1", "--port", str(port)]
    with started(serve, study, **environment):
        until(lambda: api.is_up("/health"), "the server is up")
        with started([sys.executable, "prefect_review.py"], study, **environment):
            until(lambda: api.is_up("/deployments/name/delivery/reviewed"), "the flow is served")
            yield api


@needs("prefect")
@pytest.mark.allow_hosts(["127.0.0.1"])
def test_prefect_suspends_until_the_decision_and_does_as_it_says(
    prefect: Prefect, reviews: ReviewService, ask: Ask
) -> None:
    run = prefect.run(FAULTY)
    suspended = prefect.comes_to(run, "Suspended")
    prefect.resume(run)
    prefect.comes_to(run, "Suspended", before=suspended["id"])
    reviews.decide(waiting(reviews), ask("override"))
    prefect.resume(run)
    prefect.comes_to(run, "Completed")

    run = prefect.run("data/faults/dm_empty.csv")
    prefect.comes_to(run, "Suspended")
    identity = waiting(reviews)
    reviews.decide(identity, ask("confirm"))
    prefect.resume(run)
    assert f"{identity} is escalated" in prefect.comes_to(run, "Failed")["message"]

    assert "cannot be read" in prefect.comes_to(prefect.run("data/nothing.csv"), "Failed")["message"]
