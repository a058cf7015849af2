"""Forks processes that work on reviews, as it is told on its standard input; run by `Forks` in `things`.

A fork has all imports done, so that a moment at which it is killed falls into its work and not into its start.
"""

from __future__ import annotations

import json
import os
import sys
import tempfile
import traceback
from collections.abc import Mapping
from functools import wraps
from pathlib import Path
from typing import Any

from review_graph import DecisionRequest, ReviewService, Settings, build
from review_graph.errors import DecisionConflict, GateError
from review_graph.nodes import Nodes


def mark_escalations(marks: Path) -> None:
    """Add a line with the review's id for each time that escalate begins."""
    escalate = Nodes.escalate

    @wraps(escalate)  # LangGraph reads the signature
    def marked(self: Nodes, state: Any) -> Any:
        append(marks, state["review_id"])
        return escalate(self, state)

    Nodes.escalate = marked  # type: ignore[method-assign]


def append(file: Path, line: str) -> None:
    """Add a line in one write, so that lines of several processes do not mix."""
    handle = os.open(file, os.O_WRONLY | os.O_APPEND | os.O_CREAT)
    os.write(handle, f"{line}\n".encode())
    os.close(handle)


def done(service: ReviewService, verb: str, *rest: Any) -> Any:
    """Do one thing and return what it came to as plain data."""
    try:
        if verb == "start":
            path, spec, name = rest
            review = service.start(path, spec, name=name)
        elif verb == "decide":
            review = service.decide(rest[0], DecisionRequest.from_plain(rest[1]))
        else:
            review = service.resume(rest[0])
    except GateError as refusal:
        decision = refusal.decision if isinstance(refusal, DecisionConflict) else None
        return ["refused", rest[0], str(refusal), None if decision is None else decision.to_plain()]
    return [verb, review.id, review.status.value, [decision.to_plain() for decision in review.decisions]]


def work(order: Mapping[str, Any]) -> int:
    """Do what is asked for in a process that has just been forked."""
    try:
        with build(Settings(**order["settings"])) as service:
            for act in order["acts"]:
                append(Path(order["to"]), json.dumps(done(service, *act)))
    except BaseException:  # noqa: BLE001 - whatever it is, it is shown, and the process says so
        traceback.print_exc()
        return 1
    return 0


def main() -> None:
    """Fork, and wait for what was forked."""
    mark_escalations(Path(sys.argv[1]))
    with tempfile.TemporaryDirectory() as folder:
        build(Settings(db=f"{folder}/reviews.sqlite")).close()  # whatever is imported late is imported by now
    for line in sys.stdin:
        order = json.loads(line)
        if "wait" in order:
            _, status = os.waitpid(order["wait"], 0)
            answer = os.waitstatus_to_exitcode(status)
        else:
            answer = os.fork()
            if answer == 0:
                os._exit(work(order))
        sys.stdout.write(f"{answer}\n")
        sys.stdout.flush()


if __name__ == "__main__":
    main()
