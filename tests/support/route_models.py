"""Manifests, scripted models and simulated servers for tests of routing."""

from __future__ import annotations

import hashlib
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from copy import deepcopy
from pathlib import Path
from typing import Any

import yaml
from command_line import environment

from symops_lark.models import Model, ScriptedModel
from symops_lark.routing import Contestant, Manifest

ROOT = Path(__file__).resolve().parent.parent.parent
WEIGHTS = b"weights"
SCHEMA = '{"type": "object", "required": ["x"], "properties": {"x": {"type": "integer"}}}'
GOOD: dict[str, Any] = {
    "model_id": "json-writer",
    "version": "0.1.0",
    "base_model": {"model_id": "Base/Model-1B", "version": "3", "base_hash": hashlib.sha256(b"base").hexdigest()},
    "artifacts": {"weights": {"filename": "adapter.bin", "sha256": hashlib.sha256(WEIGHTS).hexdigest()}},
    "license": "Apache-2.0",
    "scope": {"tasks": ["transform"], "non_scope": ["chat"]},
    "io_contract": {
        "input": {"max_tokens": 4096, "required_format": "prompt"},
        "output": {"format": "json", "schema_ref": "schemas/output.schema.json"},
    },
    "verifier": {"type": "json_schema", "pass_condition": "schema_valid == true"},
    "routing": {"tags": ["format:json"], "recommended_min_confidence": 0.5, "fallback": "unsure"},
}


def changed(path: str, value: Any = None, *, drop: bool = False) -> dict[str, Any]:
    """Return the good manifest with another value at a dotted path, or without what is there."""
    data = deepcopy(GOOD)
    *parents, last = path.split(".")
    place = data
    for key in parents:
        place = place[key]
    if drop:
        del place[last]
    else:
        place[last] = value
    return data


def write_model(folder: Path, data: Mapping[str, Any] = GOOD) -> Path:
    """Write a manifest with the files that it names; return its folder."""
    (folder / "schemas").mkdir(parents=True, exist_ok=True)
    (folder / "adapter.bin").write_bytes(WEIGHTS)
    (folder / "base.bin").write_bytes(b"base")
    (folder / "schemas" / "output.schema.json").write_text(SCHEMA, encoding="utf-8")
    (folder / "model.yaml").write_text(yaml.safe_dump(dict(data), sort_keys=False), encoding="utf-8")
    return folder


def make_contestant(
    folder: Path, model_id: str, model: Model | str, state: str = "experimental", **more: Any
) -> Contestant:
    """Return a contestant that gives one reply, or is a model; `more` are values of its manifest by dotted paths."""
    data = changed("model_id", model_id)
    for path, value in more.items():
        *parents, last = path.split("__")
        place = data
        for key in parents:
            place = place[key]
        place[last] = value
    manifest = Manifest.load(write_model(folder / model_id, data))
    return Contestant(manifest, ScriptedModel([model] * 20) if isinstance(model, str) else model, state)


@contextmanager
def simulated_models(folder: Path, *groups: Sequence[str]) -> Iterator[list[Path]]:
    """Serve profiles, each group in a process of its own; yields the folders of their manifests."""
    command = [sys.executable, "-m", "benchmarks.simulated_models", "--manifests", str(folder)]
    pipe = subprocess.PIPE
    servers = [
        subprocess.Popen([*command, *group], stdin=pipe, stdout=pipe, text=True, cwd=ROOT, env=environment())
        for group in groups
    ]
    try:
        for server in servers:
            assert server.stdout is not None and server.stdout.readline().startswith("http://127.0.0.1:")
        yield sorted(folder.iterdir())
    finally:
        for server in servers:
            server.communicate("")
