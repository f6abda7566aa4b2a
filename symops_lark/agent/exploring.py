"""Explore before any candidate is asked: by the searches of the session, or by a model's choice.

Both return the members of the event EXPLORED: the files that were opened, with their hashes and
lines, definitions, lines that show the issue, and what is submitted as understood.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from hashlib import sha256
from typing import Any

from ..answers.structured import Answer, ask_json
from ..code_intelligence import Session
from ..core.ground.numbers import counted
from ..models import Message, Model
from .task import Task

MAX_TURNS = 12  # of a model that explores
_MAX_INVALID = 2  # answers that are not in the form, before the search without a model takes over
_MIN_TOKENS = 1_000  # of an exploration: less finds nothing, also where there is a file
_MAX_ANSWER = 6_000  # characters of an answer to a model
_TEXTS = {"type": "array", "items": {"type": "string"}, "maxItems": 8}
SCHEMA: Mapping[str, Any] = {
    "type": "object",
    "description": "Exactly one of the members.",
    "properties": {
        "look": {**_TEXTS, "description": "Names and texts to search for"},
        "open": {
            **_TEXTS,
            "description": "Paths of files to open, or PATH:FIRST-LAST for some lines",
        },
        "submit": {
            **_TEXTS,
            "description": "Names of the code that is to change, when you have seen enough",
        },
        "ask_user": {
            "type": "string",
            "minLength": 1,
            "description": "A question, if the request cannot be understood",
        },
    },
    "additionalProperties": False,
    "minProperties": 1,
    "maxProperties": 1,
}
_HOW = (
    "You explore a code base before a change is made. Each turn, answer with one JSON object: look "
    "for names or texts, open files, submit the names that matter, or ask the user. You have "
    "{turns} turns. Open every file that must change."
)


def explore(task: Task, session: Session, model: Model | None) -> dict[str, Any]:
    """Return what was found; `question` is there if the user must be asked first.

    Args:
        task: The task.
        session: The session, which records every search.
        model: The model that explores. None: the session's own searches.
    """
    if model is not None and task.explore == "model":
        members = _Looking(task, session, model).explore()
        if members is not None:
            return members
    answer = session.explore(tokens=max(task.context_tokens, _MIN_TOKENS))
    if not answer["ok"]:
        return {"question": answer["message"], "calls": answer.get("calls", 0)}
    names = ("definitions", "hits", "understanding", "calls", "tokens", "notes")
    members = {name: answer[name] for name in names if name in answer}
    return {"way": "deterministic", "files": _list_parts(answer["items"]), **members}


def _last_text(answer: Answer) -> str:
    """Return the last text of a model; some providers refuse a turn without one."""
    return (answer.attempts[-1].response if answer.attempts else "") or "{}"


def _list_parts(items: list[dict[str, Any]]) -> list[dict[str, Any]]:
    parts = []
    for item in items:
        digest = sha256(item["text"].encode("utf-8", "replace")).hexdigest()
        parts.append({"path": item["path"], "lines": item.get("lines"), "sha256": digest})
    return parts


@dataclass
class _Looking:
    """A model that explores, in turns of one closed form, which needs no tool calling."""

    task: Task
    session: Session
    model: Model
    files: dict[str, dict[str, Any]] = field(default_factory=dict)
    definitions: dict[str, list[str]] = field(default_factory=dict)
    hits: list[dict[str, Any]] = field(default_factory=list)
    evidence: dict[str, Any] = field(default_factory=dict)
    calls: int = 0

    def explore(self) -> dict[str, Any] | None:
        """Return what was found; None if the model does not answer in the form."""
        # The system message says how; the request alone says what, as it says to candidates.
        talk = [Message("system", _HOW.format(turns=MAX_TURNS)), Message("user", self.task.request)]
        invalid = 0
        for _ in range(MAX_TURNS):
            answer = ask_json(self.model, talk, SCHEMA, name="step")
            step = dict(answer.value or {})
            if "ask_user" in step and not str(step["ask_user"]).strip():
                step = {}  # blanks are not a question
            # One member each, by the schema; a text that is none of them is answered below.
            if "ask_user" in step:
                return {"question": str(step["ask_user"]), "calls": self.calls}
            if "submit" in step:
                return self._submit([str(name) for name in step["submit"]])
            if not step:
                invalid += 1
                if invalid >= _MAX_INVALID:
                    return None
            reply = (
                self._act(step)
                if step
                else "Answer with one JSON object with look, open, submit or ask_user."
            )
            talk += [Message("assistant", _last_text(answer)), Message("user", reply[:_MAX_ANSWER])]
        return self._submit(list(self.definitions)) if self.files else None

    def _act(self, step: Mapping[str, Any]) -> str:
        if "open" in step:
            return self._open([str(path) for path in step["open"]])
        return "\n".join(self._look(str(word)) for word in step["look"])

    def _look(self, word: str) -> str:
        """Return the definitions of a name, or else the lines that have the text."""
        self.calls += 1
        is_name = re.fullmatch(r"\w+", word) is not None
        items = self.session.find_definitions(word, limit=20).get("items", []) if is_name else []
        if items:
            self.definitions[word] = [f"{item['path']}:{item['line']}" for item in items[:3]]
            self.evidence.setdefault(
                "target_feature", {"tool": "find_definitions", "params": {"symbol": word}}
            )
        else:
            items = self.session.search_text([word], limit=20).get("items", [])
            self.hits += [
                {name: item[name] for name in ("path", "line", "text")} for item in items[:5]
            ]
            if items:
                self.evidence["observed_issue"] = {
                    "tool": "search_text",
                    "params": {"patterns": [word], "limit": 20},
                }
        rows = [f"{word}: {counted(len(items), 'place')}"]
        for item in items:
            text = item.get("text", "")
            rows.append(f"{item['path']}:{item['line']}: {text}")
        return "\n".join(rows)

    def _open(self, paths: list[str]) -> str:
        answer = self.session.add_explored_files(paths)
        self.calls += 1
        for part in _list_parts(answer.get("items", [])):
            self.files[f"{part['path']}{part['lines']}"] = part
        texts = []
        for item in answer.get("items", []):
            text = item["text"]
            texts.append(f"{item['path']}:\n{text}")
        # A file that is not there, or may hold secrets: the model may choose another one.
        if not answer["ok"]:
            texts.append(answer["message"])
        return "\n".join(texts)

    def _submit(self, names: list[str]) -> dict[str, Any]:
        """Return what was found, with the names that the model chose."""
        for name in names:
            if name not in self.definitions:
                self._look(name)
        opened = list(dict.fromkeys(part["path"] for part in self.files.values()))
        symbols = [name for name in (*names, *self.definitions) if name in self.definitions]
        for call in self.session.state.calls:
            # Names of opened files were seen as well; the record has them.
            if call.tool == "add_explored_files":
                symbols += call.names
        patterns = [
            f"{hit['path']}:{hit['line']} {hit['text'].strip()}"[:200] for hit in self.hits[:3]
        ]
        places = []
        for name, path in zip(symbols, opened, strict=False):
            places.append(f"{name} in {path}")
        if symbols:
            # References are a part of looking that models leave out, and the gate asks for.
            self.session.find_references(symbols[0], limit=50)
        frame = self.session.state.frame
        understanding = {
            "symbols_identified": list(dict.fromkeys(symbols))[:8],
            "entry_points": symbols[:2] or opened[:2],
            "files_analyzed": opened,
            "existing_patterns": patterns or places,
            "slot_evidence": {
                slot: call for slot, call in self.evidence.items() if frame.get(slot)
            },
        }
        members = {
            "files": list(self.files.values()),
            "definitions": self.definitions,
            "hits": self.hits[:10],
        }
        return {"way": "model", **members, "understanding": understanding, "calls": self.calls}
