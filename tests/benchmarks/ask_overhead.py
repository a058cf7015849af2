"""What an investigation costs beside the model and the tools: per step, against a bare loop.

python tests/benchmarks/ask_overhead.py [--steps 8] [--rounds 5]

Both ask the same scripted model, which answers at once, and call the same tool. The bare loop keeps nothing; the graph
checkpoints each node durably, keeps its counters, traces and checks the answer, and writes the account.
"""

from __future__ import annotations

import argparse
import datetime as dt
import statistics
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path

from langgraph.checkpoint.base import BaseCheckpointSaver
from langgraph.checkpoint.memory import InMemorySaver

from review_graph import Settings, build
from review_graph.adapters.ask_log import AskLogFile
from review_graph.adapters.checkpoints import SqliteCheckpoints
from review_graph.adapters.in_memory import MemoryOfProcess
from review_graph.adapters.models.langchain_model import LangChainModel
from review_graph.adapters.models.scripted import Call, Reply, ScriptedChatModel
from review_graph.agent.investigator import Investigator, Means
from review_graph.tools.matter import Matter
from review_graph.tools.toolbox import Toolbox
from review_graph.vocabulary import AnswerStatus, Limits, Message

ADSL = Path(__file__).parents[2] / "data" / "adsl.parquet"


def now() -> dt.datetime:
    return dt.datetime.now(dt.UTC)


def model_of(steps: int) -> LangChainModel:
    """A model that calls a tool in each step but the last."""
    calls = [
        Reply(calls=(Call(name="calculate", arguments={"expression": f"{'6 + ' * n}6"}),)) for n in range(steps - 1)
    ]
    return LangChainModel(ScriptedChatModel(turns=[*calls, "That is all."]), "scripted")


def bare(matter: Matter, steps: int) -> None:
    """Ask and call in a loop."""
    model, toolbox = model_of(steps), Toolbox(matter)
    messages: list[Message] = [{"role": "user", "content": "What is 6?"}]
    while (reply := model.reply(messages, toolbox.schemas(), seconds=30)).calls:
        messages.append(
            {"role": "assistant", "content": reply.text, "calls": [each.to_plain() for each in reply.calls]}
        )
        for call in reply.calls:
            text = toolbox.call(call.name, call.arguments or {}).text
            messages.append({"role": "tool", "content": text, "call_id": call.id})


def investigated(matter: Matter, steps: int, saver: BaseCheckpointSaver[str], log: Path) -> None:
    """Ask the investigator."""
    means = Means(
        model=model_of(steps),
        checkpointer=saver,
        memory=MemoryOfProcess(now, dt.timedelta(hours=1)),
        log=AskLogFile(log),
        once=lambda *_: True,
        clock=now,
        limits=Limits(steps=steps),
        has_gate=False,
    )
    answer = Investigator(means).ask("What is 6?", matter)
    assert answer.status is AnswerStatus.ANSWERED, answer


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--steps", type=int, default=8)
    parser.add_argument("--rounds", type=int, default=5)
    given = parser.parse_args(arguments)
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        with build(Settings(db=str(folder / "r.sqlite"))) as service:
            matter = service.asking.matter(service.start(ADSL).id or "")
        contenders: dict[str, Callable[[], None]] = {
            "bare loop": lambda: bare(matter, given.steps),
            "investigator, in memory": lambda: investigated(matter, given.steps, InMemorySaver(), folder / "a.jsonl"),
            "investigator, SQLite": lambda: investigated(
                matter, given.steps, SqliteCheckpoints(folder / "c.sqlite"), folder / "b.jsonl"
            ),
        }
        took: dict[str, list[float]] = {name: [] for name in contenders}
        for turn in range(given.rounds + 1):
            for name, run in contenders.items():
                begun = time.perf_counter()
                run()
                if turn:  # the first one imports
                    took[name].append((time.perf_counter() - begun) * 1000 / given.steps)
    floor = statistics.median(took["bare loop"])
    for name, milliseconds in took.items():
        median = statistics.median(milliseconds)
        print(f"{name:<26} {median:7.2f} ms a step   {median / floor:5.2f} x")


if __name__ == "__main__":
    main()
