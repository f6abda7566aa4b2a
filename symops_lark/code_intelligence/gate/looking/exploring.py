"""Explore the code of a request without a model: many searches, then the best files are opened.

Theory of operation
    Sources, in this order. Each gives a file its weight, divided by the square root of the number
    of files in that answer; tests count half, markup and data a tenth (`findings`).

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

import re
import time
from collections.abc import Iterable
from functools import cache
from typing import TYPE_CHECKING, Any, Protocol

from ....core.ground.numbers import counted
from ...requests.folding import content_words, split_identifier
from ...requests.frame import QueryFrame
from ...requests.relatedness import is_related
from ...requests.words import weak_words
from ..record import State, paths_in
from ..slot_steps import Answer, refuse
from ..surroundings import Surroundings
from ..write_gate import is_markup
from .findings import Findings, Item

if TYPE_CHECKING:
    from ....models.prompts.tokens import TokenCounter

# The weights were set with one request, and tried on seven others in four public projects.
_QUOTED = 6.0
_NAMED = 4.0
_PLAIN = 2.0
_ASKED = 2.0
_USED = 1.0
_SECONDS = 20.0
_MOST_FILES = 12  # that are opened
_MOST_NAMES = 12  # that are looked up
_MOST_TEXTS = 4  # that are searched for
_MOST_PATHS = 3  # that the request names
_MOST_WORDS = 6  # of the issue that are searched for, and synonyms that are looked up
_BEST = 3  # words that are asked for, files whose definitions count, names that an answer adds
_LEAST = 200  # tokens that are worth another file
_BYTES = 4  # a token has seldom more: longer texts are not counted, they do not fit
# 'the cart is empty', 「ログイン」; not: don't do it
_QUOTE = re.compile(r"""['"「『`]([^'"」』`]{3,80})['"」』`]""")
# Two English words or more inside Japanese are a quote without marks: ..に、login failed という..
_EMBEDDED = re.compile(
    r"(?<=[\u3000-\u9fff])\s*([A-Za-z]\w*(?: \w+)+)\s*(?=[\u3000-\u9fff])", re.ASCII
)
# parseText, Cart, read_text, prompt(); a capitalized word without a definition finds nothing
_NAME = re.compile(r"\b(?:[a-z]+[A-Z]\w*|[A-Z][a-z]+\w*|\w+_\w+|\w+(?=\())", re.ASCII)
_EARLY = "the search ended early: its calls, seconds or tokens are spent"
_NOTHING = "no file was found by the words of the request"


class Looking(Protocol):
    """A session, as far as an explorer uses it."""

    @property
    def state(self) -> State:
        """The record."""

    @property
    def workspace(self) -> Surroundings:
        """The folder."""

    def call(self, tool: str, **params: Any) -> Answer:
        """Return what a search finds."""

    def add_explored_files(self, paths: list[str]) -> Answer:
        """Return the texts of files."""


class Explorer:
    """One exploration, with its bounds: `tokens` of all texts, at most half of them for searches.

    Args:
        session: The session that searches, and records.
        words: The words to explore; empty for those of the request.
        tokens: The most tokens of the answer's texts.
        calls: The most searches.
    """

    def __init__(self, session: Looking, words: str, tokens: int, calls: int) -> None:
        self._session = session
        self._tokens = tokens
        self._calls = calls
        self._frame: QueryFrame = session.state.frame
        self._request = words or self._frame.raw_query
        self._target = words or self._frame.target_feature or self._request
        self._synonyms = session.workspace.synonyms
        self._counter = _load_counter()
        self._end = time.monotonic() + _SECONDS
        self._call_count = 0
        self._search_tokens = 0
        self._ended_early = False
        self._findings = Findings()
        self._opened: list[Item] = []

    def explore(self) -> Answer:
        """Return the texts of the best files, the definitions, and arguments to submit."""
        words = self._choose_words()
        self._search_texts()
        self._find_definitions([*_NAME.findall(self._request), *words])
        self._ask(words)
        self._find_uses()
        self._search_issue()
        self._open_files()
        if not self._opened:
            following = ["search_text", "query", "find_definitions"]
            return refuse("nothing_found", _NOTHING, {"words": words}, following)
        return self._answer()

    # ---- searching

    def _choose_words(self) -> list[str]:
        """Return the words of the target that carry meaning, and synonyms of it in code."""
        weak = weak_words()[0]
        words: dict[str, None] = {}
        for word in content_words(self._target):
            if len(word) > 2 and word not in weak:
                words[word] = None
        words |= dict.fromkeys(self._synonyms.of(self._target)[:_MOST_WORDS])
        return [word for word in words if word.isascii()]

    def _search_texts(self) -> None:
        paths = dict.fromkeys(paths_in(self._request))
        for path in list(paths)[:_MOST_PATHS]:
            self._findings.rank(self._look("search_files", pattern=path, limit=5), _QUOTED)
        quotes = (*_QUOTE.findall(self._request), *_EMBEDDED.findall(self._request))
        texts = dict.fromkeys(text.strip(" .") for text in quotes)
        if texts:
            patterns = list(texts)[:_MOST_TEXTS]
            items = self._look("search_text", patterns=patterns)
            self._findings.rank(items, _QUOTED)
            self._keep_hits(items, patterns=patterns)

    def _find_definitions(self, names: Iterable[str]) -> None:
        words = set(self._choose_words())
        for name in list(dict.fromkeys(names))[:_MOST_NAMES]:
            # A part of a name that was found, such as `split` of `split_identifier`, finds others.
            if name in self._covered():
                continue
            is_plain = name in words and "_" not in name
            self._define(name, _PLAIN if is_plain else _NAMED)

    def _covered(self) -> set[str]:
        """Return the names that were found, and their parts."""
        covered = set(self._findings.definitions)
        for name in self._findings.definitions:
            covered.update(split_identifier(name))
        return covered

    def _ask(self, words: Iterable[str]) -> None:
        """Ask for words that no definition covers, and look up related names of the answers."""
        covered = self._covered()
        related: dict[str, None] = {}
        request_words = " ".join(content_words(self._request))
        for word in [request_words, *(word for word in words if word not in covered)][: _BEST + 1]:
            items = []
            for item in self._look("query", text=word, limit=10):
                if is_markup(item["path"]):
                    continue
                items.append(item)
                if self._is_related(item.get("name")):
                    related[item["name"]] = None
            self._findings.rank(items, _ASKED)
        for name in [name for name in related if name not in covered][:_BEST]:
            self._define(name, _PLAIN)

    def _find_uses(self) -> None:
        best = self._findings.ranked()[:_BEST]
        for name, items in list(self._findings.definitions.items())[: _BEST + 1]:
            near = [item for item in items if item["path"] in best]
            for item in near[:2]:
                place = f"{item['path']}:{item['line']}"
                uses = self._look("find_references", symbol=name, definition=place, limit=50)
                self._findings.rank(uses, _USED)
                self._findings.mark(uses)
                if self._is_related(name):
                    self._findings.homes.update(use["path"] for use in uses)

    def _search_issue(self) -> None:
        """Search the files of the target for the words of the issue, where no text was quoted."""
        issue = self._frame.observed_issue
        if self._findings.hits or not issue:
            return
        weak = weak_words()[0]
        words = dict.fromkeys((*content_words(issue), *self._synonyms.of(issue)))
        patterns = [word for word in words if word.isascii() and word not in weak]
        target_call = self._findings.evidence.get("target_feature")
        if not patterns and target_call:
            # Code has no word of it: the user states it, and the definition shows where.
            self._findings.evidence["observed_issue"] = target_call
        params = {"patterns": patterns[:_MOST_WORDS], "ignore_case": True}
        homes = [path for path in self._findings.ranked() if path in self._findings.homes]
        for path in homes[:_MOST_FILES]:
            if patterns and not self._findings.hits:
                items = self._look("search_text", path=path, **params)
                self._keep_hits(items, path=path, **params)

    def _look(self, tool: str, **params: Any) -> list[Item]:
        """Return the items that a call finds; nothing where calls, time or tokens are spent."""
        is_late = time.monotonic() > self._end
        is_full = self._search_tokens > self._tokens // 2
        if is_late or is_full or self._call_count >= self._calls:
            self._ended_early = True
            return []
        self._call_count += 1
        items: list[Item] = self._session.call(tool, **params).get("items", [])
        self._search_tokens += self._count(items[:10])
        return items

    def _define(self, name: str, weight: float) -> None:
        """Look up the definitions of a name."""
        items = self._look("find_definitions", symbol=name, limit=20)
        if not items:
            return
        self._findings.definitions[name] = items
        self._findings.rank(items, weight)
        self._findings.mark(items)
        if self._is_related(name):
            self._findings.homes.update(item["path"] for item in items)
            call = {"tool": "find_definitions", "params": {"symbol": name}}
            self._findings.evidence.setdefault("target_feature", call)

    def _keep_hits(self, items: list[Item], **params: Any) -> None:
        if items:
            self._findings.hits = items
            self._findings.mark(items)
            call = {"tool": "search_text", "params": params}
            self._findings.evidence["observed_issue"] = call

    def _is_related(self, name: str | None) -> bool:
        return bool(name) and is_related(self._target, str(name), self._synonyms)

    # ---- opening

    def _open_files(self) -> None:
        budget = self._tokens - self._count(self._findings.lines())
        for path in self._findings.likely():
            if len(self._opened) >= _MOST_FILES or budget < _LEAST:
                return
            for part in self._choose_parts(path, budget):
                items = self._session.add_explored_files([part]).get("items", ())
                for item in items:
                    budget -= self._counter.count(item["text"])
                    self._opened.append(item)

    def _choose_parts(self, path: str, budget: int) -> list[str]:
        """Return a file, or those of its lines that matter, as they fit into a number of tokens."""
        workspace = self._session.workspace
        if workspace.hides(path):
            return []
        data = workspace.view.look(path).data
        if data is None:
            return []
        text = data.decode("utf-8", "replace")
        if len(data) <= _BYTES * budget and self._counter.count(text) <= budget:
            return [path]
        lines = text.split("\n")
        parts: list[str] = []
        # Half: other files matter, too.
        share = budget // 2
        for start, end in self._findings.ranges(path, len(lines)):
            share -= self._counter.count("\n".join(lines[start - 1 : end]))
            if share < 0:
                break
            parts.append(f"{path}:{start}-{end}")
        return parts

    # ---- answering

    def _answer(self) -> Answer:
        opened = list(dict.fromkeys(item["path"] for item in self._opened))
        names: list[str] = []
        for call in self._session.state.calls:
            if call.tool == "add_explored_files":
                names += call.names
        understanding = self._findings.understanding(opened, names)
        for slot in list(understanding["slot_evidence"]):
            if not self._frame.get(slot):
                del understanding["slot_evidence"][slot]
        files = counted(len(opened), "file")
        calls = counted(self._call_count, "call")
        total = len(self._findings.scores)
        answer = {
            "ok": True,
            "message": f"{files} opened after {calls}",
            "items": self._opened,
            "shown": len(opened),
            "total": total,
            "truncated": len(opened) < total,
            "incomplete": self._ended_early,
            **self._findings.summary(),
            "understanding": understanding,
            "calls": self._call_count,
            "tokens": self._count([*self._findings.lines(), *self._opened]),
            "next": ["submit_understanding"],
        }
        if self._ended_early:
            answer["notes"] = [_EARLY]
        return answer

    def _count(self, items: Iterable[Item]) -> int:
        """Return the tokens of lines with their places, and of opened texts."""
        total = 0
        for item in items:
            total += self._counter.count(str(item.get("text", "")))
            if "line" in item:
                total += self._counter.count(f"{item['path']}:{item['line']}")
        return total


@cache
def _load_counter() -> TokenCounter:
    # Imported here: prompts take longer to load than all of the gate, and hooks of clients wait.
    from ....models.prompts.tokens import load_counter

    return load_counter()
