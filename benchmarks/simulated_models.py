"""Simulated models over HTTP: a server on loopback that speaks OpenAI's protocol and damages replies by profiles.

    python -m benchmarks.simulated_models frontier mid weak --manifests models

It prints its address and serves until its standard input ends. Each profile, a name or a file, is a model of its name:
asked for a task of the benchmark, it says the right reply with the mistakes that the profile draws. With `--manifests`
a folder a model is written, whose weights are the profile and whose base is the list of kinds of mistakes: what they
really are made of.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import shutil
import sys
import time
from collections import Counter
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Lock, Thread
from typing import Any

from symops_lark.core.ground.resources import find_folder
from symops_lark.lab.benchmark.formats import load_format
from symops_lark.lab.benchmark.records import Case
from symops_lark.lab.benchmark.sources.simulated import Simulated
from symops_lark.lab.benchmark.tasks import load_tasks
from symops_lark.models import Finish, Reply

_LOST = "I only know the tasks of the benchmark."
_MOST = 10_000_000


class Writers:
    """The simulated writers by profile; asked again for a task, one makes other mistakes."""

    def __init__(self, profiles: list[str], format: str, seed: int) -> None:
        self._format = load_format(format, (), 0)
        self._writers = {Path(profile).stem: Simulated(profile, seed) for profile in profiles}
        self._tasks = sorted(load_tasks(), key=lambda task: -len(task.request))
        self._asked: Counter[tuple[str, str]] = Counter()
        self._lock = Lock()

    def answer(self, model: str, prompt: str) -> Reply | None:
        """Return the reply of a model; None if there is no such model."""
        if model not in self._writers:
            return None
        task = next((task for task in self._tasks if task.request in prompt), None)
        if task is None:
            return Reply(_LOST, Finish.STOP)
        with self._lock:
            repetition = self._asked[model, task.name]
            self._asked[model, task.name] += 1
        return self._writers[model].give(Case(self._format.name, task.name, repetition), self._format, task).reply


def make_server(writers: Writers) -> ThreadingHTTPServer:
    """Return a server on a free port of loopback."""

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_POST(self) -> None:
            try:
                body = json.loads(self.rfile.read(min(_MOST, int(self.headers.get("content-length", 0)))))
                model, prompt = str(body["model"]), str(body["messages"][-1]["content"])
            except (ValueError, LookupError, TypeError):
                return self._send(400, {"error": {"message": "this is no request for a chat completion"}})
            reply = writers.answer(model, prompt)
            if reply is None:
                return self._send(404, {"error": {"message": f"there is no model {model!r}"}})
            return self._stream(model, reply) if body.get("stream") else self._send(200, _completion(model, reply))

        def _send(self, status: int, value: dict[str, Any]) -> None:
            data = json.dumps(value).encode()
            self.send_response(status)
            self.send_header("content-type", "application/json")
            self.send_header("content-length", str(len(data)))
            self.end_headers()
            self.wfile.write(data)

        def _stream(self, model: str, reply: Reply) -> None:
            head = {"id": "simulated", "object": "chat.completion.chunk", "created": int(time.time()), "model": model}
            begun = {"index": 0, "delta": {"role": "assistant", "content": reply.text}, "finish_reason": None}
            ended = {"index": 0, "delta": {}, "finish_reason": str(reply.finish)}
            self.send_response(200)
            self.send_header("content-type", "text/event-stream")
            self.send_header("connection", "close")
            self.end_headers()
            for choice in (begun, ended):
                self.wfile.write(b"data: " + json.dumps({**head, "choices": [choice]}).encode() + b"\n\n")
            self.wfile.write(b"data: [DONE]\n\n")
            self.close_connection = True

        def log_message(self, *_: Any) -> None:
            """Say nothing."""

    return ThreadingHTTPServer(("127.0.0.1", 0), Handler)


def _completion(model: str, reply: Reply) -> dict[str, Any]:
    tokens = len(reply.text.encode()) // 4  # no model has written it, so nobody counts
    message = {"role": "assistant", "content": reply.text}
    return {
        "id": "simulated",
        "object": "chat.completion",
        "created": int(time.time()),
        "model": model,
        "choices": [{"index": 0, "message": message, "finish_reason": str(reply.finish)}],
        "usage": {"prompt_tokens": 0, "completion_tokens": tokens, "total_tokens": tokens},
    }


_MANIFEST = """\
model_id: simulated-{name}
version: "1.0.0"
base_model: {{model_id: fault-model, version: "1", base_hash: "{base}", path: kinds.yaml}}
artifacts: {{weights: {{filename: profile.yaml, sha256: "{weights}"}}}}
license: MIT
scope: {{tasks: [edit], non_scope: [chat]}}
io_contract:
  input: {{max_tokens: 100000, required_format: prompt+symops}}
  output: {{format: symops, schema_ref: profile.yaml}}
verifier: {{type: symops, pass_condition: "valid == true and actions > 0", config: {{format: {format}}}}}
routing: {{tags: ["format:symops"], recommended_min_confidence: 0.5, fallback: unsure}}
provider: {{name: vllm, model: {name}, base_url: "{address}"}}
metadata: {{simulated: true}}
"""


def write_manifests(folder: Path, profiles: list[str], format: str, address: str) -> None:
    """Write a folder with a manifest and its files for each model."""
    source = find_folder("benchmarks/profiles")
    for profile in profiles:
        name = Path(profile).stem
        path = Path(profile) if profile.endswith(".yaml") else source / f"{profile}.yaml"
        place = folder / f"simulated-{name}"
        place.mkdir(parents=True, exist_ok=True)
        hashes = {}
        for key, file, to in (("weights", path, "profile.yaml"), ("base", source / "kinds.yaml", "kinds.yaml")):
            shutil.copyfile(file, place / to)
            hashes[key] = hashlib.sha256((place / to).read_bytes()).hexdigest()
        text = _MANIFEST.format(name=name, format=format, address=address, **hashes)
        (place / "model.yaml").write_text(text, encoding="utf-8")


def main() -> None:
    """Serve until standard input ends."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.simulated_models", description=__doc__)
    parser.add_argument("profiles", nargs="+")
    parser.add_argument("--format", default="v2")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--manifests", type=Path)
    chosen = parser.parse_args()
    server = make_server(Writers(chosen.profiles, chosen.format, chosen.seed))
    address = f"http://127.0.0.1:{server.server_port}/v1"
    if chosen.manifests is not None:
        write_manifests(chosen.manifests, chosen.profiles, chosen.format, address)
    Thread(target=server.serve_forever, daemon=True).start()
    print(address, flush=True)
    sys.stdin.read()


if __name__ == "__main__":
    main()
