"""One call of a tool, and its answer: always a JSON object, never a traceback.

A call that cannot be made is answered as a session refuses: `reason_code`, `message`, what is `missing`, and what is
`next`. Sessions are found by their ids alone, so that any process may go on with them.
"""

from __future__ import annotations

import logging
from collections.abc import Awaitable, Callable, Mapping
from contextlib import suppress
from difflib import get_close_matches
from functools import partial
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
from .short_tools import SHORT_TOOLS, ShortTool, Status, Submit, add_forms, find_calls, listed_tools, rename_tools
from .texts import spell_answer
from .tools import TOOLS

Further = tuple[type[Tool], Callable[..., dict[str, Any]]]
_LOG = logging.getLogger("symops")
_THREADS = 16  # calls that are worked on at once


class Desk:
    """Answers calls by the sessions of a workspace; several threads may call at once.

    Args:
        workspace: The sessions.
        version: What clients are told of the server.
        tools: Which tools are listed, `few` or `all`. Calls of the others are answered too.
        further: Tools of rooms that this one does not know, which have a session as well; by name the
            arguments, and the function that answers.
    """

    def __init__(
        self, workspace: Workspace, version: str = "", tools: str = "few", further: Mapping[str, Further] | None = None
    ) -> None:
        self.workspace, self.version = workspace, version
        self.further = dict(further or {})
        self.tools = listed_tools(tools)
        if tools == "all":
            self.tools |= {name: tool for name, (tool, _) in self.further.items()}
        self._warming: Thread | None = None
        self._lock = Lock()

    def answer(self, name: str, arguments: Mapping[str, Any]) -> dict[str, Any]:
        """Return what a call gives, or why it was not made."""
        try:
            return self._answer(name, arguments)
        except ArgumentsError as error:
            return refuse("invalid_arguments", str(error), {"arguments": error.problems}, [name])
        except (SessionError, BadLogError) as error:
            return refuse(error.reason_code, str(error), {"session_id": "of a session here"}, ["start_session"])
        except SymOpsError as error:
            return refuse("failed", str(error))
        except OSError as error:
            return refuse("failed", f"{error.filename or 'the session'}: {error.strerror or error}")
        except Exception:  # noqa: BLE001  (a client is shown no traceback, and the next call goes on)
            _LOG.exception("the tool %s failed", name)
            return refuse("internal_error", "this is a bug of the server: its log, on standard error, says more")

    def _answer(self, name: str, arguments: Mapping[str, Any]) -> dict[str, Any]:
        if name in SHORT_TOOLS:
            return self._answer_short(SHORT_TOOLS[name], arguments)
        if name in self.further:
            tool, act = self.further[name]
            given = read_arguments(tool, arguments)
            given.pop("format", None)
            return act(self.workspace.session(given.pop("session_id")), **given)
        kind = TOOLS.get(name)
        if kind is None:
            near = get_close_matches(name, (*self.tools, *TOOLS), 1, 0.5)
            return refuse("unknown_tool", f"there is no tool {name[:100]!r}", {"tools": list(self.tools)}, near)
        given = read_arguments(kind, arguments)
        given.pop("format", None)
        if name == "start_session":
            self._warm()
            return self.workspace.start_session(**given).get_session_status()
        if name == "get_outcome_stats":
            return count_outcomes(*self.workspace.outcomes.read())
        session = self.workspace.session(given.pop("session_id"))
        return dict(getattr(session, name)(**given))

    def _warm(self) -> None:
        """Compare definitions in a thread from the first session on, so that a later search by meaning has them all."""
        with self._lock:
            if self._warming is None and is_installed():
                self._warming = Thread(target=self._compare, name="symops-warm", daemon=True)
                self._warming.start()

    def _compare(self) -> None:
        with suppress(SymOpsError, OSError):  # the search itself says what is wrong
            VectorBackend().warm(self.workspace.index)

    def _answer_short(self, tool: type[ShortTool], arguments: Mapping[str, Any]) -> dict[str, Any]:
        """Return the answer to a short tool: that of the long one, or those of several."""
        given = read_arguments(tool, arguments)
        given.pop("format", None)
        given_part = given.get("part", "")
        if "content" in given:
            given["content"] = find_calls(given["content"], self.workspace.session(given["session_id"]).state.calls)
        answers = [rename_tools(self.answer(name, call)) for name, call in tool.calls(given)]
        if len(answers) == 1:
            return add_forms(answers[0], given_part) if tool in (Submit, Status) else dict(answers[0])
        whole = {"ok": all(answer.get("ok", True) for answer in answers), "answers": answers}
        if all("allowed" in answer for answer in answers):
            whole["allowed"] = all(answer["allowed"] for answer in answers)
        return whole


def is_refusal(answer: Mapping[str, Any]) -> bool:
    """Return whether an answer says that nothing was done; whether a write is allowed is an answer either way."""
    return answer.get("ok") is False and "allowed" not in answer


def make_caller(desk: Desk) -> Callable[[str, dict[str, Any] | None], Awaitable[dict[str, Any]]]:
    """Return what has a call answered in a thread, and gives its result as clients see it: as lines or as JSON."""
    limiter: list[CapacityLimiter] = []  # made where the loop runs

    async def call(name: str, arguments: dict[str, Any] | None) -> dict[str, Any]:
        if not limiter:
            limiter.append(CapacityLimiter(_THREADS))
        answer = await to_thread.run_sync(partial(desk.answer, name, arguments or {}), limiter=limiter[0])
        answer = replace_halves(answer)  # the name of a file may hold some, and no message may
        if (arguments or {}).get("format") != "json":
            return {"content": [{"type": "text", "text": spell_answer(answer)}], "isError": is_refusal(answer)}
        text = {"type": "text", "text": spell_json(answer)}
        return {"content": [text], "structuredContent": answer, "isError": is_refusal(answer)}

    return call
