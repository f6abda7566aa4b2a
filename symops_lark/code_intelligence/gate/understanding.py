"""What was understood, compared with what was seen: each gap says its code, what is missing, and how to fill it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache, cached_property
from typing import Any

from ...core.ground.json_objects import JsonObject
from ..requests.folding import content_words, fold_text, split_identifier
from ..requests.frame import FACT, QueryFrame
from ..requests.requirements import COUNTED, get_exploration_requirements
from .arguments import as_list
from .events import Call
from .phases import SEMANTIC_SEARCH, validate_for_ready
from .record import State, last_part, names_in, paths_in

Related = Callable[[str, str], bool]
_LONGEST = 500  # characters of a thing that was understood
_WORDS = 20  # of a pattern that are looked for
_NEXT = {
    "symbols_identified": ("find_definitions", "get_symbols"),
    "entry_points": ("find_references", "get_symbols"),
    "files_analyzed": ("search_text", "get_symbols"),
    "existing_patterns": ("search_text", "query"),
}


@dataclass(frozen=True, slots=True)
class Gap(JsonObject):
    """What keeps a session from being ready."""

    reason_code: str
    message: str
    missing: Mapping[str, Any]
    next: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Understanding(JsonObject):
    """What a model says that it understood, each thing once."""

    symbols_identified: tuple[str, ...]
    entry_points: tuple[str, ...]
    files_analyzed: tuple[str, ...]
    existing_patterns: tuple[str, ...]

    @classmethod
    def read(cls, given: Mapping[str, Any]) -> Understanding:
        """Return what was submitted; things said twice, in other letters or with other blanks, are there once."""
        return cls(*(_unique(as_list(given.get(name), name), name) for name in COUNTED))


class Examination:
    """An understanding, compared with what was seen.

    `sizes` says how much of each there is at all (`symbols_identified`, `files_analyzed`): no more is asked for.
    `markup` says that markup and style files are enough for the request.
    """

    def __init__(
        self,
        state: State,
        said: Understanding,
        risk: str,
        sizes: Mapping[str, int],
        related: Related,
        *,
        markup: bool = False,
    ) -> None:
        self.state, self.said, self.related, self.sizes = state, said, cache(related), sizes
        self.frame: QueryFrame = state.frame
        self.needed = get_exploration_requirements(risk, state.intent)
        self.finders: dict[str, list[Call]] = {}  # by the symbols that searches named
        for call in state.calls:
            if call.ok and call.tool != SEMANTIC_SEARCH:
                for name in call.names:
                    self.finders.setdefault(last_part(name), []).append(call)
        self.found: list[Gap] = []
        self.markup = markup

    def gaps(self) -> list[Gap]:
        """Return what is missing or untrue; nothing if the session may be ready."""
        files = self._files()
        symbols = self._symbols()
        counted = {
            "symbols_identified": len(symbols),
            "entry_points": self._entry_points(symbols, files),
            "files_analyzed": len(files),
            "existing_patterns": self._patterns(files),
        }
        self._count(counted)
        if self.state.intent.writes:
            self._tools()
            self._slots(symbols)
        for message in validate_for_ready(self.frame):
            self._object("hypothesis_left", message, {"hypotheses": [message.split("'")[1]]}, "submit_verification")
        return self.found

    def _object(self, code: str, message: str, missing: Mapping[str, Any], *following: str) -> None:
        self.found.append(Gap(code, message, missing, following))

    def _symbols(self) -> list[str]:
        """Return the symbols that searches have found, each once however it is qualified."""
        unseen = [name for name in self.said.symbols_identified if last_part(name) not in self.finders]
        if unseen:
            message = f"no search of this session found {', '.join(unseen[:5])}"
            self._object("symbol_not_seen", message, {"symbols_identified": unseen}, "find_definitions")
        return list(dict.fromkeys(last_part(name) for name in self.said.symbols_identified if name not in unseen))

    def _files(self) -> list[str]:
        unseen = [path for path in self.said.files_analyzed if path not in self.state.explored]
        for path in unseen[:5]:
            name = path.rpartition("/")[2]
            twin = next((each for each in self.state.explored if each.rpartition("/")[2] == name), "")
            same = f"; {twin} was, write the whole path" if twin else ""
            message = f"{path} was not looked at in this session{same}"
            self._object("file_not_explored", message, {"files_analyzed": [path]}, "add_explored_files", "get_symbols")
        return [path for path in self.said.files_analyzed if path not in unseen]

    def _entry_points(self, symbols: list[str], files: list[str]) -> int:
        """Return how many entry points were seen, and lead to the symbols or their files."""
        homes = {path for name in symbols for call in self._calls(name) for path in call.files}
        good = set()
        for point in self.said.entry_points:
            named = [word for word in names_in(point) if word in self.finders]
            paths = [path for path in paths_in(point) if path in self.state.explored]
            seen = bool(named or paths or point in self.state.explored)
            leads = any(self.related(word, symbol) for word in named for symbol in symbols) or any(
                path in homes for path in (*paths, point)
            )
            if seen and leads:
                good.add((tuple(named), tuple(paths)))
            else:
                why = "leads to none of the symbols" if seen else "was not seen in this session"
                following = "find_references" if seen else "find_definitions"
                self._object("entry_point_unrelated", f"{point} {why}", {"entry_points": [point]}, following)
        return len(good)

    def _calls(self, name: str) -> list[Call]:
        """Return the calls that asked for a symbol, or found it."""
        return self.finders.get(name, []) + [
            call for call in self.state.calls if call.ok and name in call.params.values()
        ]

    def _patterns(self, files: list[str]) -> int:
        """Return how many patterns there are in files that were analyzed: they name what was seen there."""
        if self.said.existing_patterns and not files:
            message = "patterns are found in files: none was analyzed"
            self._object("patterns_without_files", message, {"files_analyzed": 1}, "get_symbols")
            return 0
        vague = [each for each in self.said.existing_patterns if not self._is_grounded(each)]
        if vague:
            message = f"name a file or symbol that shows it: {'; '.join(vague[:3])[:200]}"
            self._object("pattern_not_seen", message, {"existing_patterns": vague}, "search_text")
        return len(self.said.existing_patterns) - len(vague)

    def _is_grounded(self, pattern: str) -> bool:
        words = [word for word in content_words(pattern) if word.isascii()]
        if not words:
            return len(fold_text(pattern)) >= 4  # in words of another script, which code does not have
        if any(path in self.state.explored for path in (*paths_in(pattern), *pattern.split())):
            return True
        return any(word in self.parts or word in self.text for word in words[:_WORDS])

    @cached_property
    def parts(self) -> set[str]:
        """The names that were seen, and their words."""
        return {part for name in self.finders for part in (name.lower(), *split_identifier(name))}

    @cached_property
    def text(self) -> str:
        """What the calls of the session found, folded."""
        return " ".join(fold_text(call.text) for call in self.state.calls if call.ok)

    def _count(self, counted: Mapping[str, int]) -> None:
        for name, have in counted.items():
            most = self.sizes.get("symbols_identified" if name != "files_analyzed" else name, self.needed[name])
            need = min(self.needed[name], most) if self.state.level != "strict" else self.needed[name]
            if self.markup:
                need = min(need, 1) if name == "files_analyzed" else 0
            if have < need:
                message = f"{name}: {have} of {need} that are needed"
                self._object("too_few_" + name, message, {name: need - have}, *_NEXT[name])

    def _tools(self) -> None:
        wanted = ("search_text",) if self.markup else ("find_definitions", "find_references")
        used = self.state.used()
        if unused := [tool for tool in wanted if tool not in used]:
            message = f"not called in this session: {', '.join(unused)}"
            self._object("tools_not_used", message, {"tools": unused}, *unused)

    def _slots(self, symbols: list[str]) -> None:
        target = self.frame.target_feature
        if not target:
            message = "target_feature is not resolved: which feature or module is it?"
            self._object("slot_missing", message, {"slots": ["target_feature"]}, "update_slot", "find_definitions")
        elif not self.markup and self.said.symbols_identified and not any(self.related(target, s) for s in symbols):
            message = f"none of the symbols is related to {target!r}"
            if self.state.language == "ja":
                message = f"'{target}'に関連するシンボルが見つかっていません"
            missing = {"symbols_related_to": target}
            self._object("target_unrelated", message, missing, "find_definitions", "query")
        stated = [slot for slot in self.state.stated if slot == "observed_issue"]
        for slot in dict.fromkeys((*self.needed["required_slot_evidence"], *stated)):
            if slot in self.state.not_applicable or (slot == "target_feature" and not target):
                continue
            if self.frame.slot_source.get(slot) != FACT or slot not in self.frame.slot_evidence:
                message = f"{slot} needs evidence: the call of a tool in this session that shows it"
                self._object("slot_evidence_missing", message, {"slot_evidence": [slot]}, "search_text", "update_slot")


def _unique(items: list[Any], name: str) -> tuple[str, ...]:
    """Return the texts of a list, each once."""
    found: dict[str, str] = {}
    for item in items:
        if said := _one(item):
            said = said.removeprefix("./") if name == "files_analyzed" else said
            key = said if name in ("files_analyzed", "symbols_identified") else "".join(fold_text(said).split())
            found.setdefault(key, said)
    return tuple(found.values())


def _one(item: Any) -> str:
    if isinstance(item, Mapping):
        item = " ".join(str(value) for value in item.values() if isinstance(value, str | int))
    return item[:_LONGEST].strip() if isinstance(item, str) else ""
