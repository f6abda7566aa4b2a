"""The searches of a session: each call is recorded, with the files that it showed."""

from __future__ import annotations

from typing import Any

from ....core.ground.json_objects import FieldError
from ..arguments import as_list, as_text
from ..decision_log import now
from ..phases import FACTS_FIRST, SEMANTIC_SEARCH, Phase, should_allow_devrag
from ..record import Call, Found, State, read_result
from ..session_record import SessionRecord
from ..slot_steps import Answer, Step, refuse
from .opening import Opening
from .seen import Seen, find_fresh, name_fresh


class Searches(SessionRecord):
    """A session that searches; more arguments of a tool are passed by their names."""

    def call(self, tool: str, **params: Any) -> Answer:
        """Return the answer of a search."""
        # Before the search: in a wrong phase it is not made.
        blocked = self._blocked(tool)
        if blocked:
            return blocked
        workspace = self.workspace
        try:
            params = workspace.read_params(tool, params)
        except FieldError as error:
            return self._refuse(tool, params, refuse("bad_arguments", str(error), {}, [tool]))
        result = workspace.run_tool(tool, params)
        # The search is done before the log is held: other processes need not wait for it.
        result = name_fresh(result, workspace.root, self.state.begun)
        view = Seen.read(result, workspace)
        with self._turn() as (added, state):
            call = read_result(
                number=len(state.calls) + 1,
                tool=tool,
                params=params,
                result=result,
                phase=str(state.phase),
                at=now(),
            )
            event = {"call": call.to_dict(), "explored": view.hashes, "ranges": view.ranges}
            added.append(event)
            state.take(event)
        return {"ok": call.ok, "call": call.number, "phase": call.phase, **result}

    def query(self, text: str, **options: Any) -> Answer:
        """Return the code that is about some words."""
        return self.call("query", text=text, **options)

    def get_symbols(self, path: str, **options: Any) -> Answer:
        """Return the definitions of a file or folder."""
        return self.call("get_symbols", path=path, **options)

    def analyze_structure(self, path: str | None = None, **options: Any) -> Answer:
        """Return the structure of a folder or file."""
        # Without a path, the tool describes the whole folder.
        if path is not None:
            options["path"] = path
        return self.call("analyze_structure", **options)

    def search_text(self, patterns: list[str] | str, **options: Any) -> Answer:
        """Return the lines that contain one of several texts."""
        texts = as_list(patterns, "patterns")
        return self.call("search_text", patterns=texts, **options)

    def search_files(self, pattern: str, **options: Any) -> Answer:
        """Return files by their names."""
        return self.call("search_files", pattern=pattern, **options)

    def find_definitions(self, symbol: str, **options: Any) -> Answer:
        """Return where a symbol is defined."""
        return self.call("find_definitions", symbol=symbol, **options)

    def find_references(self, symbol: str, **options: Any) -> Answer:
        """Return where a symbol is used."""
        return self.call("find_references", symbol=symbol, **options)

    def get_function_at_line(self, path: str, line: int | str, **options: Any) -> Answer:
        """Return the function or class that a line belongs to."""
        return self.call("get_function_at_line", path=path, line=line, **options)

    def semantic_search(self, query: str, reason: str | None = None, **options: Any) -> Answer:
        """Return hypotheses, only in the phase SEMANTIC.

        Args:
            query: The text to search for.
            reason: Why facts do not suffice. None: the first one that fits.
            options: More arguments of the tool.
        """
        state = self.state
        results = {"tools_used": state.used(), "reason": reason}
        allowance = should_allow_devrag(state.frame, results)
        if state.phase is Phase.SEMANTIC and not allowance.allowed:
            missing = {"tools": list(FACTS_FIRST)}
            following = ["submit_semantic"]
            refusal = refuse("semantic_not_allowed", allowance.reason, missing, following)
            return self._refuse(SEMANTIC_SEARCH, results, refusal)
        return self.call(SEMANTIC_SEARCH, query=query, **options)

    def add_explored_files(self, paths: list[str] | str) -> Answer:
        """Return the texts of files, which count as looked at from now on."""

        def act(state: State) -> Step:
            targets = [as_text(path, "paths") for path in as_list(paths, "paths")]
            opening = Opening.read(targets, self.workspace)
            fresh = find_fresh(self.workspace.root, opening.hashes, state.begun)
            # A file that changed during the session is shown, but it is not evidence.
            results = {}
            for path, names in opening.names(self.workspace).items():
                if path not in fresh:
                    results[path] = Found(names)
            call = Call(
                number=len(state.calls) + 1,
                tool="add_explored_files",
                params={"paths": list(opening.ranges)},
                phase=str(state.phase),
                at=now(),
                ok=True,
                shown=len(opening.items),
                files=tuple(opening.hashes),
                found=results,
                fresh=tuple(fresh),
            )
            changes = {"explored": opening.hashes, "ranges": opening.ranges, "call": call.to_dict()}
            return opening.answer(), changes

        return self._decide("add_explored_files", {"paths": paths}, act)
