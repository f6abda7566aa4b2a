"""Search the code for the words of a request, within bounds of calls, seconds and tokens."""

from __future__ import annotations

import re
import time
from collections.abc import Iterable
from functools import cache
from typing import TYPE_CHECKING, Any

from ...requests.folding import content_words, split_identifier
from ...requests.relatedness import is_related
from ...requests.words import weak_words
from ..record import paths_in
from ..write_gate import is_markup
from .findings import Findings, Item, name_place
from .searches import Searches

if TYPE_CHECKING:
    from ....models.prompts.tokens import TokenCounter

# The weights were set with one request, and tried on seven others in four public projects.
_QUOTED = 6.0
_NAMED = 4.0
_PLAIN = 2.0
_QUERY = 2.0
_USE = 1.0
_SECONDS = 20.0
_MAX_FILES = 12  # whose lines are searched for the words of the issue
_MAX_NAMES = 12  # that are looked up
_MAX_TEXTS = 4  # that are searched for
_MAX_PATHS = 3  # that the request names
_MAX_WORDS = 6  # of the issue that are searched for, and synonyms that are looked up
_BEST = 3  # words of a query, files whose definitions count, names that an answer adds
# 'the cart is empty', 「ログイン」; not: don't do it
_QUOTE = re.compile(r"""['"「『`]([^'"」』`]{3,80})['"」』`]""")
# Two English words or more inside Japanese are a quote without marks: ..に、login failed という..
_EMBEDDED = re.compile(
    r"(?<=[\u3000-\u9fff])\s*([A-Za-z]\w*(?: \w+)+)\s*(?=[\u3000-\u9fff])", re.ASCII
)
# parseText, Cart, read_text, prompt(); a capitalized word without a definition finds nothing
_NAME = re.compile(r"\b(?:[a-z]+[A-Z]\w*|[A-Z][a-z]+\w*|\w+_\w+|\w+(?=\())", re.ASCII)


class Search:
    """The searches of one exploration.

    Args:
        session: The session that searches, and records.
        words: The words to explore. An empty text stands for those of the request.
        tokens: The limit of tokens of all answers.
        calls: The limit of searches.

    Attributes:
        findings: What was found.
        words: The words that were looked up.
        call_count: The number of searches.
        ended_early: Whether calls, seconds or tokens were spent before the last search.
    """

    def __init__(self, session: Searches, words: str, tokens: int, calls: int) -> None:
        frame = session.state.frame
        self.findings = Findings()
        self.call_count = 0
        self.ended_early = False
        self._session = session
        self._token_limit = tokens
        self._call_limit = calls
        self._issue = frame.observed_issue
        self._request = words or frame.raw_query
        self._target = words or frame.target_feature or self._request
        self._synonyms = session.workspace.synonyms
        self._end = time.monotonic() + _SECONDS
        self._token_count = 0
        self.words = self._choose_words()

    def run(self) -> None:
        """Search for texts, definitions, words, uses and the issue, in this order."""
        self._search_texts()
        self._find_definitions()
        self._query_words()
        self._find_uses()
        if self._issue and not self.findings.hits:
            self._search_issue(self._issue)

    def _choose_words(self) -> list[str]:
        """Return the words of the target that carry meaning, and synonyms of it in code."""
        weak = weak_words()[0]
        words: dict[str, None] = {}
        for word in content_words(self._target):
            if len(word) > 2 and word not in weak:
                words[word] = None
        synonyms = self._synonyms.of(self._target)
        words |= dict.fromkeys(synonyms[:_MAX_WORDS])
        return list(filter(str.isascii, words))

    def _search_texts(self) -> None:
        """Search for the paths that the request names, and for the texts that it quotes."""
        paths = dict.fromkeys(paths_in(self._request))
        for path in list(paths)[:_MAX_PATHS]:
            items = self._look("search_files", pattern=path, limit=5)
            self.findings.rank(items, _QUOTED)
        quotes = _QUOTE.findall(self._request)
        quotes += _EMBEDDED.findall(self._request)
        texts = dict.fromkeys(text.strip(" .") for text in quotes)
        patterns = list(texts)[:_MAX_TEXTS]
        if patterns:
            items = self._look("search_text", patterns=patterns)
            self.findings.rank(items, _QUOTED)
            self._keep_hits(items, patterns=patterns)

    def _find_definitions(self) -> None:
        names = _NAME.findall(self._request)
        names += self.words
        unique = dict.fromkeys(names)
        for name in list(unique)[:_MAX_NAMES]:
            # A part of a name that was found, such as `split` of `split_identifier`, finds others.
            if name in self._covered():
                continue
            is_plain = name in self.words and "_" not in name
            self._define(name, weight=_PLAIN if is_plain else _NAMED)

    def _covered(self) -> set[str]:
        """Return the names that were found, and their parts."""
        covered = set(self.findings.definitions)
        for name in self.findings.definitions:
            covered.update(split_identifier(name))
        return covered

    def _query_words(self) -> None:
        """Query words that no definition covers, and look up related names of the answers."""
        covered = self._covered()
        related: dict[str, None] = {}
        texts = [" ".join(content_words(self._request))]
        texts += [word for word in self.words if word not in covered]
        for text in texts[: _BEST + 1]:
            items = []
            for item in self._look("query", text=text, limit=10):
                if is_markup(item["path"]):
                    continue
                items.append(item)
                name = item.get("name")
                if name and name not in covered and self._is_related(name):
                    related[name] = None
            self.findings.rank(items, _QUERY)
        for name in list(related)[:_BEST]:
            self._define(name, weight=_PLAIN)

    def _find_uses(self) -> None:
        """Find uses of the definitions in the best files."""
        findings = self.findings
        best = findings.ranked()[:_BEST]
        definitions = list(findings.definitions.items())
        for name, items in definitions[: _BEST + 1]:
            near = [item for item in items if item["path"] in best]
            for item in near[:2]:
                place = name_place(item)
                uses = self._look("find_references", symbol=name, definition=place, limit=50)
                findings.rank(uses, _USE)
                findings.mark(uses)
                if self._is_related(name):
                    findings.homes.update(use["path"] for use in uses)

    def _search_issue(self, issue: str) -> None:
        """Search the files of the target for the words of the issue."""
        findings = self.findings
        weak = weak_words()[0]
        words = content_words(issue)
        words += self._synonyms.of(issue)
        ascii_words = filter(str.isascii, dict.fromkeys(words))
        patterns = [word for word in ascii_words if word not in weak]
        if not patterns:
            # Code has no word of it: the user states it, and the definition shows where.
            target_call = findings.evidence.get("target_feature")
            if target_call:
                findings.evidence["observed_issue"] = target_call
            return
        homes = [path for path in findings.ranked() if path in findings.homes]
        params = {"patterns": patterns[:_MAX_WORDS], "ignore_case": True}
        for path in homes[:_MAX_FILES]:
            items = self._look("search_text", path=path, **params)
            if items:
                self._keep_hits(items, path=path, **params)
                return

    def _look(self, tool: str, **params: Any) -> list[Item]:
        """Return the items that a call finds; none if calls, seconds or tokens are spent."""
        is_late = time.monotonic() > self._end
        is_full = self._token_count > self._token_limit
        if is_late or is_full or self.call_count >= self._call_limit:
            self.ended_early = True
            return []
        self.call_count += 1
        answer = self._session.call(tool, **params)
        items: list[Item] = answer.get("items", [])
        self._token_count += count_tokens(items[:10])
        return items

    def _define(self, name: str, *, weight: float) -> None:
        """Look up the definitions of a name."""
        items = self._look("find_definitions", symbol=name, limit=20)
        if not items:
            return
        findings = self.findings
        findings.definitions[name] = items
        findings.rank(items, weight)
        findings.mark(items)
        if self._is_related(name):
            findings.homes.update(item["path"] for item in items)
            call = {"tool": "find_definitions", "params": {"symbol": name}}
            findings.evidence.setdefault("target_feature", call)

    def _keep_hits(self, items: list[Item], **params: Any) -> None:
        if items:
            self.findings.hits = items
            self.findings.mark(items)
            call = {"tool": "search_text", "params": params}
            self.findings.evidence["observed_issue"] = call

    def _is_related(self, name: str) -> bool:
        return is_related(self._target, name, self._synonyms)


def count_tokens(items: Iterable[Item]) -> int:
    """Return the tokens of lines with their places, and of opened texts."""
    counter = load_token_counter()
    total = 0
    for item in items:
        text = item.get("text", "")
        total += counter.count(text)
        if "line" in item:
            place = name_place(item)
            total += counter.count(place)
    return total


@cache
def load_token_counter() -> TokenCounter:
    """Return the counter of tokens."""
    # Imported here: prompts take longer to load than all of the gate, and hooks of clients wait.
    from ....models.prompts.tokens import load_counter

    return load_counter()
