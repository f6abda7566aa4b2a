"""Explore the code of a request without a model: many searches, then the best files are opened.

Theory of operation
    Sources, in this order (`searching`). Each gives a file its weight, divided by the square root
    of the number of files in that answer; tests count half, markup and data a tenth (`findings`).

        paths that the request names, and texts that it quotes            6
        definitions of its names, of its words, and of their synonyms     4, of a plain word 2
        `query` of the request, and of its first three words without a
        definition, code alone                                            2
        uses of the definitions in the three best files                   1

    The best files are opened until the tokens are spent: whole if they fit, else the lines around
    the definitions and texts that were found. The same folder gives the same answer.

Not here
    Judging: all calls go through the session, and its record decides (`understanding`).
"""

from __future__ import annotations

from typing import Any

from ....core.ground.numbers import counted
from ..slot_steps import Answer, refuse
from .findings import Item
from .searches import Searches
from .searching import Search, count_tokens, load_token_counter

_MAX_FILES = 12  # that are opened
_FEW_TOKENS = 200  # with fewer, no other file is opened
_BYTES = 4  # a token has seldom more: longer texts are not counted, they do not fit
_EARLY = "the search ended early: its calls, seconds or tokens are spent"
_NOTHING = "no file was found by the words of the request"


class Explorer:
    """One exploration, with its bounds: `tokens` of all texts, at most half of them for searches.

    Args:
        session: The session that searches, and records.
        words: The words to explore; empty for those of the request.
        tokens: The most tokens of the answer's texts.
        calls: The most searches.
    """

    def __init__(self, session: Searches, words: str, tokens: int, calls: int) -> None:
        self._session = session
        self._tokens = tokens
        self._search = Search(session, words, tokens=tokens // 2, calls=calls)
        self._findings = self._search.findings
        self._opened: list[Item] = []

    def explore(self) -> Answer:
        """Return the texts of the best files, the definitions, and arguments to submit."""
        self._search.run()
        self._open_files()
        if self._opened:
            return self._answer()
        return refuse(
            "nothing_found",
            _NOTHING,
            missing={"words": self._search.words},
            following=["search_text", "query", "find_definitions"],
        )

    def _open_files(self) -> None:
        lines = self._findings.lines()
        budget = self._tokens - count_tokens(lines)
        for path in self._findings.likely():
            if len(self._opened) >= _MAX_FILES or budget < _FEW_TOKENS:
                return
            for part in self._choose_parts(path, budget):
                answer = self._session.add_explored_files([part])
                items = answer.get("items", [])
                budget -= count_tokens(items)
                self._opened += items

    def _choose_parts(self, path: str, budget: int) -> list[str]:
        """Return a file, or those of its lines that matter, as they fit into a number of tokens."""
        workspace = self._session.workspace
        if workspace.hides(path):
            return []
        data = workspace.view.look(path).data
        if data is None:
            return []
        counter = load_token_counter()
        text = data.decode("utf-8", "replace")
        if len(data) <= _BYTES * budget and counter.count(text) <= budget:
            return [path]
        lines = text.split("\n")
        parts = []
        # Half: other files matter, too.
        share = budget // 2
        ranges = self._findings.ranges(path, len(lines))
        for start, end in ranges:
            part = "\n".join(lines[start - 1 : end])
            share -= counter.count(part)
            if share < 0:
                break
            parts.append(f"{path}:{start}-{end}")
        return parts

    def _answer(self) -> Answer:
        paths = dict.fromkeys(item["path"] for item in self._opened)
        opened = list(paths)
        files = counted(len(opened), "file")
        calls = counted(self._search.call_count, "call")
        total = len(self._findings.scores)
        is_early = self._search.ended_early
        answer = {
            "ok": True,
            "message": f"{files} opened after {calls}",
            "items": self._opened,
            "shown": len(opened),
            "total": total,
            "truncated": len(opened) < total,
            "incomplete": is_early,
            **self._findings.summary(),
            "understanding": self._understanding(opened),
            "calls": self._search.call_count,
            "tokens": count_tokens([*self._findings.lines(), *self._opened]),
            "next": ["submit_understanding"],
        }
        if is_early:
            answer["notes"] = [_EARLY]
        return answer

    def _understanding(self, opened: list[str]) -> dict[str, Any]:
        """Return arguments for `submit_understanding`; a slot without a value has no evidence."""
        state = self._session.state
        names: list[str] = []
        for call in state.calls:
            if call.tool == "add_explored_files":
                names += call.names
        understanding = self._findings.understanding(opened, names)
        for slot in list(understanding["slot_evidence"]):
            if not state.frame.get(slot):
                del understanding["slot_evidence"][slot]
        return understanding
