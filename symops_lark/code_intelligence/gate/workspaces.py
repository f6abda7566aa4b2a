"""The sessions of a folder, on disk and in memory."""

from __future__ import annotations

import os
import re
import secrets
import time
from collections import OrderedDict
from pathlib import Path

from ...core.ground.errors import SymOpsError
from ...core.ground.json_objects import write_object
from ...core.ground.numbers import counted, grouped
from ...models import Model
from ..requests.frame import IntentType, QueryFrame
from ..requests.hints import language_of
from ..requests.router import guess_intent
from ..requests.words import Antonyms, Synonyms
from .arguments import MOST_TEXT
from .decision_log import DecisionLog
from .record import LEVELS, Start
from .session import Session
from .surroundings import Surroundings

SESSION_ID = re.compile(r"(?<![0-9a-f])[0-9a-f]{32}(?![0-9a-f])")
_MAX_SESSIONS = 200  # in memory
_UNKNOWN = "there is no such session"
_START = "start_session returns the id of a new one"


class SessionError(SymOpsError):
    """There is no such session.

    Attributes:
        reason_code: The reason, for programs.
    """

    reason_code = "unknown_session"


class Workspace(Surroundings):
    """A folder in which sessions look before they write.

    Args:
        root: The folder.
        model: Reads the slots of requests. None: clients send them.
        level: `auto` requires exploration by risk; `strict` always requires most, without
            exceptions; `off` records, reports what it would refuse, and refuses only unsafe paths.
        strict_seed: Whether quotes are compared by the strict rule.
        state: The folder for sessions. None: in the user's state folder.
        synonyms: Synonyms besides those of the package.
        antonyms: Antonyms besides those of the package.
        allow: Globs of protected files whose text is shown.

    Attributes:
        model: Reads the slots of requests.
        level: The level of the gate.
        strict_seed: Whether quotes are compared by the strict rule.
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
            levels = ", ".join(LEVELS)
            raise SymOpsError(f"level: {level!r} is not one of {levels}")
        super().__init__(root, state=state, synonyms=synonyms, antonyms=antonyms, allow=allow)
        self.model = model
        self.level = level
        self.strict_seed = strict_seed
        self._sessions: OrderedDict[str, Session] = OrderedDict()

    def start_session(self, query: str, intent: IntentType | str | None = None) -> Session:
        """Return a new session for a request. The model reads its slots, if there is one.

        Args:
            query: The request.
            intent: What the caller wants to do. None: it is guessed from the request.

        Raises:
            SymOpsError: The request is empty or too long, or there is no such intent.
        """
        if not isinstance(query, str) or not query.strip():
            raise SymOpsError("query: the request is empty")
        if len(query) > MOST_TEXT:
            characters = counted(len(query), "character")
            limit = grouped(MOST_TEXT)
            raise SymOpsError(f"query: the request has {characters}, at most {limit} are read")
        if intent in (None, ""):
            intent = guess_intent(query)
        intent = IntentType.read(intent)
        frame = QueryFrame(query)
        if self.model is not None:
            # Imported here: it loads models, which no other call needs.
            from ..requests.decomposer import Decomposer

            decomposer = Decomposer(
                self.model, strict_seed=self.strict_seed, antonyms=self.antonyms
            )
            frame = decomposer.decompose(query, intent)
        # The first line of the log: these values never change.
        start = Start(
            id=secrets.token_hex(16),
            root=self.root,
            intent=intent,
            level=self.level,
            strict_seed=self.strict_seed,
            frame=frame,
            language=language_of(query),
            stated=tuple(frame.slot_quotes),
            begun=time.time(),
        )
        log = DecisionLog(self._path_of(start.id))
        log.create({"start": write_object(start)})
        return self.session(start.id)

    def session(self, session_id: str) -> Session:
        """Return a session that was started here, also by another process.

        Args:
            session_id: The id of the session.

        Raises:
            SessionError: There is no such session.
        """
        if not isinstance(session_id, str) or not SESSION_ID.fullmatch(session_id):
            raise SessionError(f"{_UNKNOWN}: {_START}")
        with self._lock:
            path = self._path_of(session_id)
            if not os.path.lexists(path):
                raise SessionError(f"{_UNKNOWN} in this folder: {_START}")
            session = self._sessions.get(session_id)
            if session is None:
                session = Session(self, session_id, DecisionLog(path))
                self._sessions[session_id] = session
            # The session that was used longest ago leaves the memory; its log stays.
            self._sessions.move_to_end(session_id)
            if len(self._sessions) > _MAX_SESSIONS:
                self._sessions.popitem(last=False)
            return session

    def _path_of(self, session_id: str) -> Path:
        return self.folder / f"{session_id}.jsonl"
