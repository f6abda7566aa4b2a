"""Runs for tests: tasks, logs, and records without what differs from one run to the next."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from symops_lark.core.document import Action, Document
from symops_lark.lab.benchmark.records import Record
from symops_lark.lab.benchmark.runlog import read_log
from symops_lark.lab.benchmark.settings import RunSettings
from symops_lark.lab.benchmark.tasks import Task

ADD = Action("create", "add.py", "def add(a, b):\n    return a + b")
LIST = Action("create", "docs/list.md", "- one\n- two", ("add.py",))
V2 = "::create @add.py\n<<<\ndef add(a, b):\n    return a + b\n>>>\n"


def make_task(name: str, *actions: Action, dictated: bool = True) -> Task:
    return Task(name, f"Please do {name}.", Document(actions or (ADD,)), dictated, ("python",), (), f"hash of {name}")


TASKS = (make_task("one"), make_task("two", ADD, LIST))


def faults(**more: Any) -> RunSettings:
    return RunSettings(**{"formats": ("v1", "v2"), "options": (("profile", "weak"),), **more})


def live(url: str, **more: Any) -> RunSettings:
    """A model behind the server of a test."""
    options = (("base_url", url), ("model", "a-model"), ("provider", "vllm"))
    return RunSettings(**{"formats": ("v2",), "source": "live", "options": options, **more})


def timeless(record: Record) -> dict[str, Any]:
    """Give a record as JSON, without times."""
    value: dict[str, Any] = json.loads(json.dumps(record.to_dict()))
    for phase in value["phases"]:
        phase["seconds"] = phase["seconds"] is not None
    value["writing"] = value["writing"] is not None
    return value


def read_records(path: Path) -> list[dict[str, Any]]:
    """Give the records of a log in an order of their own, without times."""
    return [timeless(record) for record in read_log(path).records]
