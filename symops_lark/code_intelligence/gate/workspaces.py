"""A folder with its index, its sessions on disk, and what all sessions there share."""

from __future__ import annotations

import hashlib
import inspect
import json
import os
import re
import secrets
import time
from collections import OrderedDict
from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from importlib import import_module
from pathlib import Path
from threading import Lock
from typing import Any, get_type_hints

from ...acting.files.protected import is_protected
from ...acting.files.view import FolderView
from ...core.ground.errors import SymOpsError
from ...core.ground.json_objects import FieldError, write_object
from ...core.ground.numbers import counted
from ...core.ground.resources import state_folder
from ...models import Model
from ..requests.folding import content_words
from ..requests.frame import IntentType, QueryFrame
from ..requests.hints import language_of
from ..requests.router import guess_intent
from ..requests.words import Antonyms, Synonyms, our_antonyms, our_synonyms, weak_words
from .arguments import MOST_TEXT, as_text, coerce
from .decision_log import DecisionLog
from .events import LEVELS
from .outcome_log import OutcomeLog
from .phases import SEARCHES, SEMANTIC_SEARCH
from .record import State
from .session import Session
from .write_gate import is_markup

SESSION_ID = re.compile(r"(?<![0-9a-f])[0-9a-f]{32}(?![0-9a-f])")
_MOST_LINES = 1_000  # in which a target is looked for
_SMALL = 50  # files up to which there may be less than is asked for
_KEPT = 200  # sessions in memory
_PATIENCE = 20.0  # seconds that an answer waits for files that are new or changed to be read


class SessionError(SymOpsError):
    """There is no such session; `reason_code` says so for machines."""

    reason_code = "unknown_session"


class Workspace:
    """A folder in which sessions look before they write.

    `level`: `auto` asks for exploration by risk; `strict` always for the most, without exceptions; `off` records and
    says what it would refuse, and refuses only unsafe paths. `strict_seed` takes the rules of the source document to
    the letter. `state` is the folder for sessions (by default in the user's state folder). `synonyms` and `antonyms`
    are known besides those that come with the package. `allow` are globs of protected files whose text is shown.
    """

    def __init__(
        self,
        root: str | os.PathLike[str],
        model: Model | None = None,
        *,
        level: str = "auto",
        strict_seed: bool = False,
        state: str | os.PathLike[str] | None = None,
        synonyms: Synonyms | None = None,
        antonyms: Antonyms | None = None,
        allow: tuple[str, ...] = (),
    ) -> None:
        if level not in LEVELS:
            raise SymOpsError(f"level: {level!r} is none of {', '.join(LEVELS)}")
        self.view = FolderView(root)
        self.root = self.view.root
        self.model, self.level, self.strict_seed, self.allow = model, level, strict_seed, tuple(allow)
        self._synonyms, self._antonyms = synonyms, antonyms
        self.folder = _state_of(self.root, state)
        self.outcomes = OutcomeLog(self.folder / "outcomes.jsonl")
        self._sessions: OrderedDict[str, Session] = OrderedDict()
        self._index: Any = None
        self._lock = Lock()

    @cached_property
    def synonyms(self) -> Synonyms:
        """What may stand in code for a term; read when it is asked for, as a check of a path needs none."""
        return our_synonyms() + self._synonyms if self._synonyms else our_synonyms()

    @cached_property
    def antonyms(self) -> Antonyms:
        """What rules a word out; read when it is asked for."""
        return our_antonyms() + self._antonyms if self._antonyms else our_antonyms()

    def start_session(self, query: str, intent: IntentType | str | None = None) -> Session:
        """Return a new session for a request; its slots are read by the model, if there is one.

        Without an intent the words of the request say it. Raises `SymOpsError` for an empty request or no such intent.
        """
        if not isinstance(query, str) or not query.strip():
            raise SymOpsError("query: the request is empty")
        if len(query) > MOST_TEXT:
            raise SymOpsError(
                f"query: the request has {counted(len(query), 'character')}, at most {MOST_TEXT:,} are read"
            )
        meant = guess_intent(query) if intent in (None, "") else IntentType.read(intent)
        frame = QueryFrame(query)
        if self.model is not None:
            from ..requests.decomposer import Decomposer  # it loads models, which no other call needs

            frame = Decomposer(self.model, strict_seed=self.strict_seed, antonyms=self.antonyms).decompose(query, meant)
        state = State(secrets.token_hex(16), self.root, meant, self.level, self.strict_seed, frame, language_of(query))
        state.stated += frame.slot_quotes
        state.begun = time.time()
        told = write_object(
            state, "id", "root", "intent", "level", "strict_seed", "frame", "language", "stated", "begun"
        )
        DecisionLog(self.folder / f"{state.id}.jsonl").create({"start": told})
        return self.session(state.id)

    def session(self, session_id: str) -> Session:
        """Return a session that was started here, also by another process; raise `SessionError` if there is none."""
        if not isinstance(session_id, str) or not SESSION_ID.fullmatch(session_id):
            raise SessionError("there is no such session: start_session returns the id of a new one")
        with self._lock:
            log = DecisionLog(self.folder / f"{session_id}.jsonl")
            if not os.path.lexists(log.path):
                raise SessionError("there is no such session in this folder: start_session returns the id of a new one")
            known = self._sessions.get(session_id) or Session(self, session_id, log)
            self._sessions[session_id] = known
            self._sessions.move_to_end(session_id)
            if len(self._sessions) > _KEPT:
                self._sessions.popitem(last=False)
            return known

    @property
    def index(self) -> Any:
        """The index of the folder, made when it is first asked for."""
        with self._lock:
            if self._index is None:
                opens = import_module("symops_lark.code_intelligence.index").Index.open
                self._index = opens(self.root, patience=_PATIENCE, allow=self.allow)
            return self._index

    def read_params(self, tool: str, params: Mapping[str, Any]) -> dict[str, Any]:
        """Return the parameters of a tool as it wants them, where they came as strings of JSON.

        Raises `FieldError` for those that it does not have, or that lack.
        """
        run = _load(tool)
        try:
            inspect.signature(run).bind(None, **params)
        except TypeError as error:
            known = ", ".join(list(inspect.signature(run).parameters)[1:])
            raise FieldError(f"{tool}: {error}; there are {known}") from None
        for name, value in params.items():
            for text in value if isinstance(value, list) else [value]:
                if isinstance(text, str):
                    as_text(text, name)  # it refuses what is too long
        hints = get_type_hints(run)
        return {name: coerce(value, hints.get(name, Any)) for name, value in params.items()}

    def run_tool(self, tool: str, params: Mapping[str, Any]) -> dict[str, Any]:
        """Return what a tool finds, without a session; failures are results too."""
        try:
            run = _load(tool)
            if tool == SEMANTIC_SEARCH:
                choose: Callable[..., Any] = import_module(run.__module__).choose_backend
                params = {"backend": choose(self.synonyms.of), **params}
            if tool == "query":
                params = {"synonyms": self.synonyms.of(str(params.get("text", ""))), **params}
            return dict(run(self.index, **params))
        except (SymOpsError, OSError, ValueError) as error:
            from ..tools.answers import fail

            return fail("tool_failed", f"{tool}: {error}")

    def hides(self, path: str) -> bool:
        """Return whether the text of a file is not shown: it may hold secrets by its name, and is not allowed."""
        return is_protected(path, self.allow)

    def names_in(self, paths: Sequence[str]) -> dict[str, list[tuple[int, str]]]:
        """Return what files define: lines and names, by path; nothing where there is no index."""
        from ..tools.get_symbols import list_names

        try:
            return list_names(self.index, paths)
        except (SymOpsError, OSError):
            return {}

    def is_only_markup(self, target: str) -> bool:
        """Return whether a target is found in markup and style files, and in no other file."""
        words = [word for word in content_words(target) if word not in weak_words()[0]]
        patterns = {"patterns": words or [target], "ignore_case": True, "limit": _MOST_LINES}
        answer = self.run_tool("search_text", patterns)
        paths = {item["path"] for item in answer["items"]}
        return bool(paths) and not answer["incomplete"] and not answer["truncated"] and all(map(is_markup, paths))

    def sizes(self) -> dict[str, int]:
        """Return how many files and symbols there are at all in a small project; nothing of a larger one."""
        files = self.run_tool("search_files", {"pattern": "*", "limit": 1})
        if files.get("error") or files["total"] > _SMALL or self.index.unread:
            return {}
        symbols = self.run_tool("get_symbols", {"path": ".", "limit": 1})
        counted = {"files_analyzed": files["total"]}
        return counted if symbols.get("error") else {**counted, "symbols_identified": symbols["total"]}


def _load(tool: str) -> Callable[..., Mapping[str, Any]]:
    if tool not in (*SEARCHES, SEMANTIC_SEARCH):
        raise FieldError(f"there is no tool {tool!r} that searches")
    run: Callable[..., Mapping[str, Any]] = import_module(f"symops_lark.code_intelligence.tools.{tool}").run
    return run


def _state_of(root: str, state: str | os.PathLike[str] | None) -> Path:
    """Return the folder for the sessions of a root."""
    base = Path(state) if state is not None else state_folder()
    if base is None:
        raise SymOpsError("there is no home folder to keep sessions in: give `state`, or set XDG_STATE_HOME")
    name = hashlib.sha256(json.dumps(root).encode()).hexdigest()[:32]
    return base / "sessions" / name
