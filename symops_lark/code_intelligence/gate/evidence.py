"""Find the call that evidence names, and judge whether it shows the value of a slot.

Evidence is true if its call is in the session's record, and found what the evidence claims.

Invariants
    1. Only results in files that are older than the session count (`Call.found`).
    2. An issue counts only in a home file of the target: a file that defines or uses something that
       is related to the target, or that is named after it; of markup one that has all its words.
    3. A slot that the request states needs one of its words in the code. Another one needs a quote
       of the code, or all its words in one file.

Known weaknesses
    A model that quotes real code of the target and invents the rest is believed, and so are the
    numbers of lines that a summary names. A word may begin another one by chance ("form" of
    "format"). The evidence is a part of the session's record (`symops gate why`), so that a person
    can compare.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

from ..requests.folding import content_words, fold_text, has_word, squeeze
from ..requests.frame import Evidence, QueryFrame
from ..requests.relatedness import is_related
from ..requests.words import Synonyms, weak_words
from .arguments import Values, as_list
from .phases import SEARCHES, SEMANTIC_SEARCH
from .record import Call, Found, State, last_part, list_params, names_in, paths_in
from .write_gate import is_markup

_MAX_SHOWN = 200  # characters of arguments in a message
_SHORT = 3  # letters of words such as "has" and "its", which are not plurals
_LEAST_COMPOUND = 4  # letters of a word that is found at an end of another one
_LEAST_REST = 3  # letters before a word in a compound: "re" of "return" is a prefix
_LEAST_QUOTE = 8  # characters of code that a summary may quote
_DEFINING = ("find_definitions", "get_symbols", "get_function_at_line", "add_explored_files")
_MARKS = ",;:.!?()[]{}<>'\"`*"  # around the name of a file in a sentence
# 'Incorrect username.', `raise LoginError`, 「見つかりません」
_QUOTED = re.compile(r"""['"`「『]([^'"`」』]{6,200})['"`」』]""")


def tells_of(summary: str, call: Call) -> bool:
    """Return whether a summary names a result of a call, and no other file.

    A path is compared as a whole, as the call gives it, relative to the folder: a file of the same
    name elsewhere is another one.
    """
    # A slash at an end alone, as in `login/`, makes no path.
    paths = [path for path in paths_in(summary) if _is_path(path)]
    files = set(call.files)
    # One true path does not excuse a wrong one.
    if files and any(_is_other_file(path, files) for path in paths):
        return False
    pieces = [piece.strip(_MARKS).partition(":")[0] for piece in summary.split()]
    if not files.isdisjoint((*paths, *pieces)):
        return True
    words = set(names_in(summary))
    if not words.isdisjoint(map(last_part, call.names)):
        return True
    # Names of some languages are not words: `operator==`. A word is not looked for in other words.
    if any(name in summary for name in call.names if names_in(name) != [name]):
        return True
    line = fold_text(summary)
    return len(line) >= _LEAST_QUOTE and line in fold_text(call.text)


def _is_path(text: str) -> bool:
    return "." in text or "/" in text.strip("/")


def _is_other_file(path: str, files: set[str]) -> bool:
    name = path.rpartition("/")[2]
    return path not in files and "." in name


class Checked(NamedTuple):
    """The call that evidence names, or the reason why it is refused."""

    call: Call | None
    reason_code: str = ""
    message: str = ""


def find_call(
    state: State, evidence: Evidence, *, semantic: bool = False, empty: bool = False, since: int = 0
) -> Checked:
    """Return the last call that evidence names, or the reason why there is none.

    Args:
        state: The session.
        evidence: The evidence.
        semantic: Whether it must be a semantic search, not a search for facts.
        empty: Whether it must be a search that found nothing.
        since: The number of the call after which it must have been made.
    """
    tool = evidence.tool
    tools = (SEMANTIC_SEARCH,) if semantic else SEARCHES
    if tool not in tools:
        accepted = ", ".join(tools)
        problem = "gives hypotheses, not facts" if tool == SEMANTIC_SEARCH else "gives no evidence"
        message = f"{tool} {problem}; there are {accepted}"
        return Checked(None, "evidence_from_wrong_tool", message)
    later_calls = state.calls[since:]
    calls = [call for call in later_calls if call.tool == tool and call.ok]
    no_call = f"this session made no call of {tool}"
    if not calls:
        later = " since the hypotheses were made" if since else ""
        return Checked(None, "evidence_not_recorded", no_call + later)
    if not evidence.params and not evidence.result_summary:
        message = "evidence says with what the tool was called, or what it found"
        return Checked(None, "evidence_incomplete", message)
    calls = [call for call in calls if _fits(evidence.params, call.params)]
    if not calls:
        params = list_params(evidence.params)[:_MAX_SHOWN]
        return Checked(None, "evidence_not_recorded", f"{no_call} with {params}")
    # From here on, the call was made: only its result can be wrong.
    last = calls[-1]
    fitting = [call for call in calls if _ended_as(call, empty)]
    if not fitting and empty:
        return Checked(None, "evidence_found_something", f"{last.summary} found something")
    if not fitting and last.fresh:
        message = f"{last.fresh[0]} changed after this session began, so it is not evidence"
        return Checked(None, "evidence_too_new", message)
    if not fitting:
        return Checked(None, "evidence_found_nothing", f"{last.summary} found nothing")
    if empty or not evidence.result_summary:
        return Checked(fitting[-1])
    # The last one: a client that searches again means the new answer.
    for call in reversed(fitting):
        if tells_of(evidence.result_summary, call):
            return Checked(call)
    summary = evidence.result_summary[:_MAX_SHOWN]
    call_summary = fitting[-1].summary
    message = f"{call_summary} did not find {summary!r}: name a file or symbol that it did"
    return Checked(None, "evidence_summary_mismatch", message)


def _ended_as(call: Call, empty: bool) -> bool:
    """Return whether a call found nothing (`empty`), or something that is evidence."""
    if empty:
        # What is in a file that is too new shows nothing, but it was found.
        return not call.shown and not call.fresh
    return bool(call.shown)


def supports_symbol(call: Call, name: str) -> bool:
    """Return whether a call found a symbol."""
    names = set(map(last_part, call.names))
    names.update(names_in(call.text))
    return last_part(name) in names


def as_recorded(evidence: Evidence, call: Call) -> Evidence:
    """Return evidence as the record has it: with the parameters of the call, and its time."""
    files = ", ".join(call.files[:3])
    summary = evidence.result_summary or files
    return Evidence(call.tool, dict(call.params), summary, call.at)


def _fits(params: Values, recorded: Values) -> bool:
    """Return whether parameters are those of a call; under another name the value must be equal."""
    for name, value in params.items():
        candidates = [recorded[name]] if name in recorded else recorded.values()
        if not any(_same(value, candidate) for candidate in candidates):
            return False
    return True


def _same(value: Any, recorded: Any) -> bool:
    if isinstance(recorded, list | tuple):
        if isinstance(value, str):
            items = as_list(value, "params")
            value = items[0] if len(items) == 1 else items
        # One of several patterns is enough.
        if not isinstance(value, list | tuple):
            return value in recorded
        return list(value) == list(recorded)
    return bool(value == recorded)


class Judge:
    """Compares calls with the slots of a request.

    Args:
        state: The session.
        frame: The request.
        synonyms: Words of code for the terms of requests.
    """

    def __init__(self, state: State, frame: QueryFrame, synonyms: Synonyms) -> None:
        self._state = state
        self._frame = frame
        self._synonyms = synonyms

    def is_of_target(self, value: str, call: Call) -> bool:
        """Return whether a call found something that is related to a target, or all words of it."""
        words = self._words(value)
        for path, result in call.found.items():
            if self._is_related(value, (path, *result.names)):
                return True
            if words and self._has_all(words, result):
                return True
        return False

    def is_about(self, value: str, call: Call) -> bool:
        """Return whether a call found an issue in a home file of the target."""
        homes = [call.found[path] for path in call.found if self._is_home(path)]
        words = self._words(value)
        if self._is_stated(value):
            in_code = list(filter(self._in_code, words))
            # A text in Japanese without synonyms cannot be found in code.
            if not in_code:
                return bool(homes)
            return any(self._has_any(in_code, result) for result in homes)
        long_quotes = filter(_is_long, _QUOTED.findall(value))
        quotes = list(map(fold_text, long_quotes))
        for result in homes:
            folded = fold_text(result.text)
            if any(quote in folded for quote in quotes):
                return True
            if words and self._has_all(words, result):
                return True
        return False

    def _is_stated(self, value: str) -> bool:
        """Return whether the request itself states an issue."""
        quote = self._frame.slot_quotes.get("observed_issue", "")
        return bool(quote) and squeeze(value) in squeeze(quote)

    def _is_home(self, path: str) -> bool:
        target = self._frame.target_feature
        if not target:
            return False
        # `login.py` is a home of the target "login", whatever it defines.
        name = path.rpartition("/")[2]
        stem = name.partition(".")[0]
        if self._is_related(target, [stem]):
            return True
        return any(self._makes_home(call, path, target) for call in self._state.calls)

    def _makes_home(self, call: Call, path: str, target: str) -> bool:
        result = call.found.get(path)
        if not call.ok or result is None:
            return False
        # Markup defines nothing: the words of the target decide.
        if is_markup(path):
            words = self._words(target)
            return bool(words) and self._has_all(words, result)
        if call.tool == "find_references":
            symbol = str(call.params.get("symbol", ""))
            return self._is_related(target, [symbol])
        return call.tool in _DEFINING and self._is_related(target, result.names)

    def _words(self, value: str) -> list[str]:
        weak = weak_words()[0]
        return [word for word in content_words(value) if word not in weak]

    def _in_code(self, word: str) -> bool:
        """Return whether code may have a word: code is English, or a synonym of the word is."""
        return word.isascii() or bool(self._synonyms.of(word))

    def _has_all(self, words: list[str], result: Found) -> bool:
        return all(self._find_words(words, result))

    def _has_any(self, words: list[str], result: Found) -> bool:
        return any(self._find_words(words, result))

    def _find_words(self, words: list[str], result: Found) -> Iterator[bool]:
        """Yield of each word whether a result has it. The result is folded once for all of them."""
        names = " ".join(result.names)
        code = f"{result.text} {names}"
        # The parts of identifiers are words, too; "age" is none of "message".
        parts = content_words(code)
        folded = " ".join((fold_text(code), *parts))
        for word in words:
            forms = [*_forms(word), *self._synonyms.of(word)]
            yield any(has_word(folded, form) or _is_in_compound(form, parts) for form in forms)

    def _is_related(self, term: str, symbols: Iterable[str]) -> bool:
        return any(is_related(term, symbol, self._synonyms) for symbol in symbols)


def _is_in_compound(word: str, parts: Iterable[str]) -> bool:
    """Return whether a word begins or ends another one: "file" of "filename", not "age".

    "return" does not end with the word "turn", nor "latest" with "test".
    """
    least = len(word)
    if least < _LEAST_COMPOUND:
        return False
    shortest = least + _LEAST_REST
    return any(
        part.startswith(word) or (part.endswith(word) and len(part) >= shortest) for part in parts
    )


def _is_long(quote: str) -> bool:
    """Return whether a quote is more than a word, which any file may have by chance."""
    return len(quote.split()) > 1 or not quote.isascii()


def _forms(word: str) -> list[str]:
    """Return a word and what it may be the plural of: "retries" of "retry", "boxes" of "box"."""
    forms = [word]
    if len(word) <= _SHORT:
        return forms
    for ending, singular in (("s", ""), ("es", ""), ("ies", "y")):
        if word.endswith(ending):
            forms.append(word.removesuffix(ending) + singular)
    return forms
