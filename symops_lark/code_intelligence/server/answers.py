"""Answer the calls of tools, always with a JSON object, never with a traceback.

A call that cannot be made gets a refusal as those of sessions: `reason_code`, `message`, what is
`missing`, and the `next` tools. Sessions are found by their ids, so any process can continue them.
"""

from __future__ import annotations

import logging
from collections.abc import Awaitable, Callable, Mapping
from contextlib import suppress
from difflib import get_close_matches
from threading import Lock, Thread
from typing import Any

from anyio import CapacityLimiter, to_thread

from ...core.ground.errors import SymOpsError
from ...core.ground.json_text import replace_halves, spell_json
from .. import Workspace
from ..gate.outcomes import count_outcomes
from ..gate.sealed_lines import BadLogError
from ..gate.slot_steps import refuse
from ..gate.workspaces import SessionError
from ..tools.vectors import VectorBackend, is_installed
from .arguments import ArgumentsError, Tool, read_arguments
from .short_tools import (
    SHORT_TOOLS,
    ShortTool,
    Status,
    Submit,
    add_forms,
    find_calls,
    listed_tools,
    rename_tools,
)
from .texts import spell_answer
from .tools import TOOLS

Answer = dict[str, Any]
Further = tuple[type[Tool], Callable[..., Answer]]
_LOG = logging.getLogger("symops")
_THREADS = 16  # calls that are answered at once
_BUG = "this is a bug of the server: see its log, on standard error"


class Desk:
    """Answers calls with the sessions of a workspace. Several threads may call at once.

    Args:
        workspace: The sessions.
        version: The version of the server, for clients.
        tools: The tools that are listed, `few` or `all`. Calls of the others are answered, too.
        further: Tools of other packages that need a session. By name, the arguments, and the
            function that answers.
    """

    def __init__(
        self,
        workspace: Workspace,
        version: str = "",
        tools: str = "few",
        further: Mapping[str, Further] | None = None,
    ) -> None:
        self.workspace = workspace
        self.version = version
        self.further = dict(further or {})
        self.tools = listed_tools(tools)
        if tools == "all":
            for name, (tool, _) in self.further.items():
                self.tools[name] = tool
        self._warming: Thread | None = None
        self._lock = Lock()

    def answer(self, name: str, arguments: Mapping[str, Any]) -> Answer:
        """Return the result of a call, or the reason why it was not made."""
        try:
            return self._answer(name, arguments)
        except ArgumentsError as error:
            return refuse("invalid_arguments", str(error), {"arguments": error.problems}, [name])
        except (SessionError, BadLogError) as error:
            missing = {"session_id": "of a session here"}
            return refuse(error.reason_code, str(error), missing, ["start_session"])
        except SymOpsError as error:
            return refuse("failed", str(error))
        except OSError as error:
            place = error.filename or "the session"
            reason = error.strerror or error
            return refuse("failed", f"{place}: {reason}")
        except Exception:  # noqa: BLE001  (no client sees a traceback, and the next call works)
            _LOG.exception("the tool %s failed", name)
            return refuse("internal_error", _BUG)

    def _answer(self, name: str, arguments: Mapping[str, Any]) -> Answer:
        if name in SHORT_TOOLS:
            return self._answer_short(SHORT_TOOLS[name], arguments)
        further = self.further.get(name)
        kind = further[0] if further else TOOLS.get(name)
        if kind is None:
            # A tool that is not listed is answered, too, so its name may be the right one.
            near = get_close_matches(name, (*self.tools, *TOOLS), 1, 0.5)
            message = f"there is no tool {name[:100]!r}"
            return refuse("unknown_tool", message, {"tools": list(self.tools)}, near)
        values = read_arguments(kind, arguments)
        # Not for the tool: `make_caller` reads it.
        values.pop("format", None)
        if name == "start_session":
            self._warm()
            return self.workspace.start_session(**values).get_session_status()
        if name == "get_outcome_stats":
            return count_outcomes(*self.workspace.outcomes.read())
        session = self.workspace.session(values.pop("session_id"))
        if further:
            return further[1](session, **values)
        method = getattr(session, name)
        return dict(method(**values))

    def _warm(self) -> None:
        """Compare definitions in a thread, so that a later search by meaning has them all."""
        with self._lock:
            if self._warming is None and is_installed():
                self._warming = Thread(target=self._compare, name="symops-warm", daemon=True)
                self._warming.start()

    def _compare(self) -> None:
        # The search itself reports the error.
        with suppress(SymOpsError, OSError):
            VectorBackend().warm(self.workspace.index)

    def _answer_short(self, tool: type[ShortTool], arguments: Mapping[str, Any]) -> Answer:
        """Return the answer to a short tool: that of the long one, or those of several."""
        values = read_arguments(tool, arguments)
        values.pop("format", None)
        part = values.get("part", "")
        if "content" in values:
            session = self.workspace.session(values["session_id"])
            values["content"] = find_calls(values["content"], session.state.calls)
        answers = []
        # Each call is recorded and judged as if the client had made it.
        for name, call in tool.calls(values):
            answers.append(rename_tools(self.answer(name, call)))
        if len(answers) == 1:
            answer = answers[0]
            return add_forms(answer, part) if tool in (Submit, Status) else answer
        result = {"ok": all(answer.get("ok", True) for answer in answers), "answers": answers}
        if all("allowed" in answer for answer in answers):
            result["allowed"] = all(answer["allowed"] for answer in answers)
        return result


def is_refusal(answer: Mapping[str, Any]) -> bool:
    """Return whether an answer reports that nothing was done."""
    # Whether a write is allowed is an answer either way.
    return answer.get("ok") is False and "allowed" not in answer


def make_caller(desk: Desk) -> Callable[[str, Answer | None], Awaitable[Answer]]:
    """Return a function that has a call answered in a thread, and returns its result.

    The result is as clients see it: lines of text, or JSON if the call has the format `json`.
    """
    limiters: list[CapacityLimiter] = []

    async def call(name: str, arguments: Answer | None) -> Answer:
        # A limiter belongs to the event loop, which does not run before the first call.
        if not limiters:
            limiters.append(CapacityLimiter(_THREADS))
        values = arguments or {}
        answer = await to_thread.run_sync(desk.answer, name, values, limiter=limiters[0])
        # Names of files may have halves of surrogate pairs, but no message may.
        answer = replace_halves(answer)
        is_json = values.get("format") == "json"
        text = spell_json(answer) if is_json else spell_answer(answer)
        result = {"content": [{"type": "text", "text": text}], "isError": is_refusal(answer)}
        if is_json:
            result["structuredContent"] = answer
        return result

    return call
