"""Compare an understanding with the record. Each gap has its code, and the tools that fill it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from typing import Any

from ...core.ground.json_objects import JsonObject
from ..requests.folding import content_words, fold_text, split_identifier, squeeze
from ..requests.frame import FACT, QueryFrame
from ..requests.requirements import COUNTED, get_exploration_requirements
from .arguments import Values, as_list
from .phases import SEMANTIC_SEARCH, validate_for_ready
from .record import Call, State, last_part, names_in, paths_in

Related = Callable[[str, str], bool]
_LONGEST = 500  # characters of an item
_MAX_WORDS = 20  # of a pattern that are compared
_MAX_NAMED = 5  # symbols and files that messages name
_MAX_PATTERNS = 3  # that a message names
_LEAST_PATTERN = 4  # characters of a pattern in another script
_NEXT = {
    "symbols_identified": ("find_definitions", "get_symbols"),
    "entry_points": ("find_references", "get_symbols"),
    "files_analyzed": ("search_text", "get_symbols"),
    "existing_patterns": ("search_text", "query"),
}
_NO_TARGET = "target_feature is not resolved: which feature or module is it?"


@dataclass(frozen=True, slots=True)
class Gap(JsonObject):
    """A reason why a session is not ready.

    Attributes:
        reason_code: The reason, for programs.
        message: The reason in words.
        missing: What is missing.
        next: The tools that fill it.
    """

    reason_code: str
    message: str
    missing: Values
    next: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Understanding(JsonObject):
    """What a model claims to understand, each item once."""

    symbols_identified: tuple[str, ...]
    entry_points: tuple[str, ...]
    files_analyzed: tuple[str, ...]
    existing_patterns: tuple[str, ...]

    @classmethod
    def read(cls, arguments: Values) -> Understanding:
        """Return what was submitted. Items that differ in width, case or blanks count once."""
        items = {}
        for name in COUNTED:
            values = as_list(arguments.get(name), name)
            items[name] = _unique(values, name)
        return cls(**items)


class Examination:
    """An understanding, compared with the record.

    Args:
        state: The session.
        understanding: The understanding.
        risk: The risk whose requirements hold.
        sizes: The number of symbols and files in a small project: no more are needed.
        related: Decides whether a term and a symbol may mean the same.
        markup: Whether markup and style files are sufficient for the request.
    """

    def __init__(
        self,
        state: State,
        understanding: Understanding,
        risk: str,
        sizes: Mapping[str, int],
        related: Related,
        *,
        markup: bool = False,
    ) -> None:
        self._state = state
        self._understanding = understanding
        self._sizes = sizes
        self._related = cache(related)
        self._markup = markup
        self._frame: QueryFrame = state.frame
        self._requirements = get_exploration_requirements(risk, state.intent)
        self._gaps: list[Gap] = []
        # The calls that found a symbol, by its name.
        self._finders: dict[str, list[Call]] = {}
        for call in state.calls:
            if call.ok and call.tool != SEMANTIC_SEARCH:
                for name in call.names:
                    self._finders.setdefault(last_part(name), []).append(call)

    def find_gaps(self) -> list[Gap]:
        """Return what is missing or untrue; nothing if the session may be ready."""
        files = self._check_files()
        symbols = self._check_symbols()
        counts = {
            "symbols_identified": len(symbols),
            "entry_points": self._check_entry_points(symbols),
            "files_analyzed": len(files),
            "existing_patterns": self._check_patterns(files),
        }
        # Last: a gap with a name helps more than a number.
        for name, count in counts.items():
            self._count(name, count)
        if self._state.intent.writes:
            self._check_tools()
            self._check_target(symbols)
            self._check_evidence()
        for message in validate_for_ready(self._frame):
            name = message.split("'")[1]
            self._add("hypothesis_left", message, {"hypotheses": [name]}, "submit_verification")
        return self._gaps

    def _add(self, code: str, message: str, missing: Values, *following: str) -> None:
        self._gaps.append(Gap(code, message, missing, following))

    def _check_symbols(self) -> list[str]:
        """Return the symbols that searches have found, each once however it is qualified."""
        seen_names: dict[str, None] = {}
        unseen = []
        for symbol in self._understanding.symbols_identified:
            name = last_part(symbol)
            if name in self._finders:
                seen_names[name] = None
            else:
                unseen.append(symbol)
        if unseen:
            names = ", ".join(unseen[:_MAX_NAMED])
            message = f"no search of this session found {names}"
            missing = {"symbols_identified": unseen}
            self._add("symbol_not_seen", message, missing, "find_definitions")
        return list(seen_names)

    def _check_files(self) -> list[str]:
        """Return the files that were looked at."""
        explored = self._state.explored
        paths = self._understanding.files_analyzed
        unseen = [path for path in paths if path not in explored]
        for path in unseen[:_MAX_NAMED]:
            message = f"{path} was not looked at in this session"
            for twin in explored:
                # A frequent mistake: the name alone.
                if _file_name(twin) == _file_name(path):
                    message += f"; {twin} was, write the whole path"
                    break
            missing = {"files_analyzed": [path]}
            self._add("file_not_explored", message, missing, "add_explored_files", "get_symbols")
        return [path for path in paths if path in explored]

    def _check_entry_points(self, symbols: list[str]) -> int:
        """Return the number of entry points that were seen and lead to the symbols."""
        homes: set[str] = set()
        for name in symbols:
            for call in self._calls(name):
                homes.update(call.files)
        # Two texts that name the same are one entry point.
        entries = set()
        for point in self._understanding.entry_points:
            names = tuple(filter(self._finders.__contains__, names_in(point)))
            paths = tuple(filter(self._state.explored.__contains__, paths_in(point)))
            is_seen = bool(names or paths or point in self._state.explored)
            leads = not homes.isdisjoint((*paths, point))
            if is_seen and (leads or self._are_related(names, symbols)):
                entries.add((names, paths))
                continue
            problem = "was not seen in this session"
            following = "find_definitions"
            if is_seen:
                problem = "leads to none of the symbols"
                following = "find_references"
            missing = {"entry_points": [point]}
            self._add("entry_point_unrelated", f"{point} {problem}", missing, following)
        return len(entries)

    def _are_related(self, names: Sequence[str], symbols: Sequence[str]) -> bool:
        return any(self._related(name, symbol) for name in names for symbol in symbols)

    def _calls(self, name: str) -> list[Call]:
        """Return the calls that searched for a symbol, or found it."""
        calls = list(self._finders.get(name, ()))
        succeeded = [call for call in self._state.calls if call.ok]
        calls += [call for call in succeeded if name in call.params.values()]
        return calls

    def _check_patterns(self, files: list[str]) -> int:
        """Return the number of patterns that name something that was seen in analyzed files."""
        patterns = self._understanding.existing_patterns
        if patterns and not files:
            message = "patterns are found in files: none was analyzed"
            self._add("patterns_without_files", message, {"files_analyzed": 1}, "get_symbols")
            return 0
        vague = [pattern for pattern in patterns if not self._is_grounded(pattern)]
        if vague:
            listed = "; ".join(vague[:_MAX_PATTERNS])
            message = f"name a file or symbol that shows it: {listed[:200]}"
            self._add("pattern_not_seen", message, {"existing_patterns": vague}, "search_text")
        return len(patterns) - len(vague)

    def _is_grounded(self, pattern: str) -> bool:
        words = list(filter(str.isascii, content_words(pattern)))
        # Code has no words of another script.
        if not words:
            return len(fold_text(pattern)) >= _LEAST_PATTERN
        paths = (*paths_in(pattern), *pattern.split())
        if any(path in self._state.explored for path in paths):
            return True
        compared = words[:_MAX_WORDS]
        if not self._parts.isdisjoint(compared):
            return True
        return any(word in self._text for word in compared)

    @cached_property
    def _parts(self) -> set[str]:
        """The names that were seen, and their words."""
        parts = set()
        for name in self._finders:
            parts.add(name.lower())
            parts.update(split_identifier(name))
        return parts

    @cached_property
    def _text(self) -> str:
        """The texts that the calls of the session found, folded."""
        succeeded = [call for call in self._state.calls if call.ok]
        return " ".join(fold_text(call.text) for call in succeeded)

    def _count(self, name: str, count: int) -> None:
        needed = self._requirements[name]
        # Entry points and patterns are about symbols: a project has no more of them.
        size = "files_analyzed" if name == "files_analyzed" else "symbols_identified"
        if self._state.level != "strict":
            needed = min(needed, self._sizes.get(size, needed))
        if self._markup:
            needed = min(needed, 1) if name == "files_analyzed" else 0
        if count < needed:
            code = f"too_few_{name}"
            message = f"{name}: {count} of {needed} that are needed"
            self._add(code, message, {name: needed - count}, *_NEXT[name])

    def _check_tools(self) -> None:
        tools = ["search_text"] if self._markup else ["find_definitions", "find_references"]
        used = self._state.used()
        unused = [tool for tool in tools if tool not in used]
        if unused:
            names = ", ".join(unused)
            message = f"not called in this session: {names}"
            self._add("tools_not_used", message, {"tools": unused}, *unused)

    def _check_target(self, symbols: list[str]) -> None:
        target = self._frame.target_feature
        if not target:
            missing = {"slots": ["target_feature"]}
            self._add("slot_missing", _NO_TARGET, missing, "update_slot", "find_definitions")
            return
        if self._markup or not self._understanding.symbols_identified:
            return
        if not self._are_related([target], symbols):
            message = f"none of the symbols is related to {target!r}"
            if self._state.language == "ja":
                message = f"'{target}'に関連するシンボルが見つかっていません"
            missing_symbols = {"symbols_related_to": target}
            self._add("target_unrelated", message, missing_symbols, "find_definitions", "query")

    def _check_evidence(self) -> None:
        frame = self._frame
        slots = list(self._requirements["required_slot_evidence"])
        # An issue that the request states is shown at each risk.
        if "observed_issue" in self._state.stated:
            slots.append("observed_issue")
        for slot in dict.fromkeys(slots):
            is_missing = slot == "target_feature" and not frame.target_feature
            if is_missing or slot in self._state.not_applicable:
                continue
            if frame.slot_source.get(slot) == FACT and slot in frame.slot_evidence:
                continue
            message = f"{slot} needs evidence: the call of a tool in this session that shows it"
            missing = {"slot_evidence": [slot]}
            self._add("slot_evidence_missing", message, missing, "search_text", "update_slot")


def _unique(items: list[Any], name: str) -> tuple[str, ...]:
    """Return the texts of a list, each once."""
    is_path = name == "files_analyzed"
    is_exact = is_path or name == "symbols_identified"
    unique: dict[str, str] = {}
    for item in items:
        text = _read_item(item)
        if is_path:
            text = text.removeprefix("./")
        if text:
            unique.setdefault(text if is_exact else squeeze(text), text)
    return tuple(unique.values())


def _read_item(item: Any) -> str:
    # Some models send an object with the name and the place.
    if isinstance(item, Mapping):
        values = [str(value) for value in item.values() if isinstance(value, str | int)]
        item = " ".join(values)
    return item[:_LONGEST].strip() if isinstance(item, str) else ""


def _file_name(path: str) -> str:
    return path.rpartition("/")[2]
