"""A folder as its sessions share it: its files, its index with the tools, words and outcomes."""

from __future__ import annotations

import hashlib
import inspect
import json
import os
from collections.abc import Callable, Sequence
from functools import cached_property
from importlib import import_module
from pathlib import Path
from threading import Lock
from typing import Any, get_type_hints

from ...acting.files.protected import is_protected
from ...acting.files.view import FolderView
from ...core.ground.errors import SymOpsError
from ...core.ground.json_objects import FieldError
from ...core.ground.resources import state_folder
from ..requests.folding import content_words
from ..requests.words import Antonyms, Synonyms, our_antonyms, our_synonyms, weak_words
from .arguments import Values, as_text, coerce
from .outcomes import OutcomeLog
from .phases import SEARCHES, SEMANTIC_SEARCH
from .write_gate import is_markup

Names = dict[str, list[tuple[int, str]]]  # lines and names, by path
_MAX_LINES = 1_000  # in which a target is searched
_SMALL = 50  # files; a project with fewer may have less than the requirements
_PATIENCE = 20.0  # seconds that an answer waits for the index to read new or changed files
_TOOLS = "symops_lark.code_intelligence.tools"


class Surroundings:
    """A folder.

    Args:
        root: The folder.
        state: The folder for sessions. None: in the user's state folder.
        synonyms: Synonyms besides those of the package.
        antonyms: Antonyms besides those of the package.
        allow: Globs of protected files whose text is shown.

    Attributes:
        view: The folder, seen without following links.
        root: The path of the folder.
        allow: Globs of protected files whose text is shown.
        folder: The folder for sessions.
        outcomes: The outcomes of the sessions.
    """

    def __init__(
        self,
        root: str | os.PathLike[str],
        *,
        state: str | os.PathLike[str] | None = None,
        synonyms: Synonyms | None = None,
        antonyms: Antonyms | None = None,
        allow: tuple[str, ...] = (),
    ) -> None:
        self.view = FolderView(root)
        self.root = self.view.root
        self.allow = tuple(allow)
        self.folder = _state_of(self.root, state)
        self.outcomes = OutcomeLog(self.folder / "outcomes.jsonl")
        self._synonyms = synonyms
        self._antonyms = antonyms
        self._index: Any = None
        self._lock = Lock()

    @cached_property
    def synonyms(self) -> Synonyms:
        """Words of code for the terms of requests."""
        # Read here: a check of a path needs none.
        synonyms = our_synonyms()
        return synonyms + self._synonyms if self._synonyms else synonyms

    @cached_property
    def antonyms(self) -> Antonyms:
        """Words that rule each other out."""
        antonyms = our_antonyms()
        return antonyms + self._antonyms if self._antonyms else antonyms

    @property
    def index(self) -> Any:
        """The index of the folder, made at the first access."""
        with self._lock:
            if self._index is None:
                # Imported here: hooks of clients wait, and most of them need no index.
                module = import_module("symops_lark.code_intelligence.index")
                self._index = module.Index.open(self.root, patience=_PATIENCE, allow=self.allow)
            return self._index

    def read_params(self, tool: str, params: Values) -> dict[str, Any]:
        """Return the parameters of a tool, read from strings of JSON if need be.

        Args:
            tool: The tool.
            params: The parameters.

        Raises:
            FieldError: Parameters are unknown, missing or too long.
        """
        run = _load(tool)
        signature = inspect.signature(run)
        try:
            signature.bind(None, **params)
        except TypeError as error:
            # The first parameter is the index.
            names = ", ".join(list(signature.parameters)[1:])
            raise FieldError(f"{tool}: {error}; there are {names}") from None
        hints = get_type_hints(run)
        values: dict[str, Any] = {}
        for name, value in params.items():
            for text in value if isinstance(value, list) else [value]:
                # Refuses long texts.
                if isinstance(text, str):
                    as_text(text, name)
            values[name] = coerce(value, hints.get(name, Any))
        return values

    def run_tool(self, tool: str, params: Values) -> dict[str, Any]:
        """Return the answer of a tool, without a session. A failure is an answer, too."""
        options: dict[str, Any] = {}
        try:
            run = _load(tool)
            if tool == SEMANTIC_SEARCH:
                choose_backend = import_module(run.__module__).choose_backend
                options["backend"] = choose_backend(self.synonyms.of)
            if tool == "query":
                text = str(params.get("text", ""))
                options["synonyms"] = self.synonyms.of(text)
            return dict(run(self.index, **{**options, **params}))
        except (SymOpsError, OSError, ValueError) as error:
            # Imported here: without the package of the index, nothing else of it is loaded.
            from ..tools.answers import fail

            return fail("tool_failed", f"{tool}: {error}")

    def hides(self, path: str) -> bool:
        """Return whether the text of a file is not shown, because it may hold secrets."""
        return is_protected(path, self.allow)

    def names_in(self, paths: Sequence[str]) -> Names:
        """Return the lines and names of definitions, by path; nothing if there is no index."""
        from ..tools.get_symbols import list_names

        try:
            return list_names(self.index, paths)
        except (SymOpsError, OSError):
            return {}

    def is_only_markup(self, target: str) -> bool:
        """Return whether a target is found in markup and style files, and in no other file."""
        weak = weak_words()[0]
        words = [word for word in content_words(target) if word not in weak]
        params = {"patterns": words or [target], "ignore_case": True, "limit": _MAX_LINES}
        answer = self.run_tool("search_text", params)
        # A file that was not searched may be code.
        if not answer["items"] or answer["incomplete"] or answer["truncated"]:
            return False
        return all(is_markup(item["path"]) for item in answer["items"])

    def sizes(self) -> dict[str, int]:
        """Return the number of files and symbols of a small project; nothing for a larger one."""
        files = self.run_tool("search_files", {"pattern": "*", "limit": 1})
        if files.get("error") or files["total"] > _SMALL or self.index.unread:
            return {}
        sizes = {"files_analyzed": files["total"]}
        symbols = self.run_tool("get_symbols", {"path": ".", "limit": 1})
        if not symbols.get("error"):
            sizes["symbols_identified"] = symbols["total"]
        return sizes


def _load(tool: str) -> Callable[..., Values]:
    if tool not in (*SEARCHES, SEMANTIC_SEARCH):
        raise FieldError(f"there is no tool {tool!r} that searches")
    module = import_module(f"{_TOOLS}.{tool}")
    run: Callable[..., Values] = module.run
    return run


def _state_of(root: str, state: str | os.PathLike[str] | None) -> Path:
    """Return the folder for the sessions of a root."""
    base = Path(state) if state is not None else state_folder()
    if base is None:
        problem = "there is no home folder to keep sessions in"
        raise SymOpsError(f"{problem}: give `state`, or set XDG_STATE_HOME")
    digest = hashlib.sha256(json.dumps(root).encode())
    return base / "sessions" / digest.hexdigest()[:32]
