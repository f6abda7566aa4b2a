"""Find drafts: actions that a reply only considers, or only names before or after it writes them.

A plan or a summary repeats the heads of actions without their contents, and thinking is between
tags of many names. Lines that are certainly a draft get another kind, so that no action is read
there. An action that is perhaps a draft is doubtful (`draft-action`).

    draft     <plan>
    draft     ::delete @a.py    between tags of drafts; other actions are outside of them
    draft     </plan>
    draft     ::create @b.py    b.py comes again, with a content
    doubtful  ::delete @c.py    c.py does not come again, but is in the same list as b.py
    action    ::create @b.py
              <<<
              x = 1
              >>>

Not here: the words in the names of tags (`elements` of discourse/speakers.yaml), and what
sentences report about actions (`core.discourse`).
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from typing import NamedTuple

from ...discourse.tables import our_tables
from ...grammar.codes import DRAFT_ACTION
from ...patterns.regexes import Match, compile_pattern
from ..lines.kinds import BLANK, TEXT, Kind, Line, text_of
from ..outline.groups import Group
from ..outline.heads import HeadReader
from ..outline.outline import Outline

# Matches "<plan>", "[/PLAN] text", "<|think|>", "{% note %}", "◁think▷" and "<!-- a comment";
# does not match "<3" (not a name) or "text <plan>" (not at the beginning).
_TAG = compile_pattern(
    r"[ \t]*(?:(?P<comment><!--)|(?:<\|?|\[|◁|\{[{%])[ \t]*(?:(?P<end>/)[ \t]*)?"
    r"(?P<name>[^\x00-@\[-`{-\x7f◁▷][^\x00-,/:-@\[-^`{-\x7f◁▷]*)"
    r"(?:[ \t][^<>\[\]{}]*)?(?:\|?>|\]|▷|[}%]\}))[^\n]*"
)
_WORDS = compile_pattern(r"[a-z]+")
_COMMENT_END = "-->"
_PLAIN = frozenset((TEXT, Kind.TAG, Kind.THINK_OPEN, Kind.THINK_CLOSE))  # lines that tags are on
_MAX_REGIONS = 100  # more are not looked at: each may be around all actions


class Region(NamedTuple):
    """The lines between two tags, with the lines of the tags.

    Attributes:
        first: The index of the line with the opening tag.
        last: The index of the line with the closing tag.
        name: The name of the tags.
    """

    first: int
    last: int
    name: str


class Drafts(NamedTuple):
    """The drafts of a reading.

    Attributes:
        kinds: The new kinds of the lines of certain drafts, by the index of the line.
        doubtful: The code of the doubt, by the offset at which an action begins.
    """

    kinds: Mapping[int, Kind]
    doubtful: Mapping[int, str]


def find_drafts(outline: Outline, lines: Sequence[Line], heads: HeadReader) -> Drafts:
    """Return the drafts of a reading.

    Args:
        outline: The reading.
        lines: The lines that were read.
        heads: Parses the heads of the actions.
    """
    actions = [group for group in outline.groups if group.role == "head"]
    if not actions:
        return Drafts({}, {})
    return _Finder(outline, lines, actions, heads).find()


class _Finder:
    """Finds the drafts of one reading."""

    def __init__(
        self, outline: Outline, lines: Sequence[Line], actions: Sequence[Group], heads: HeadReader
    ) -> None:
        self.text = outline.text
        self.groups = outline.groups
        self.lines = lines
        self.actions = actions
        self.heads = heads
        self.kinds: dict[int, Kind] = {}
        self.doubtful: dict[int, str] = {}
        self._starts = [group.first.line.start for group in actions]
        self._ends = [group.end + 1 for group in actions]  # after the ending of the last line
        self._line_starts = [line.start for line in lines]

    def find(self) -> Drafts:
        """Return all drafts."""
        regions = self._find_regions()
        self._judge_regions(regions[:_MAX_REGIONS])
        if len(self.actions) > 1:
            for run in self._runs():
                self._judge_run(run)
        return Drafts(self.kinds, self.doubtful)

    def _doubt(self, actions: Iterable[Group]) -> None:
        """Mark actions as doubtful."""
        for group in actions:
            self.doubtful[group.first.line.start] = DRAFT_ACTION

    # ---- actions between tags

    def _find_regions(self) -> list[Region]:
        """Return the regions outside of actions, the inner ones first.

        The actions after a tag of a draft that nothing closes become doubtful.
        """
        regions = []
        opened: dict[str, list[int]] = {}  # the indexes of the lines with open tags, by name
        for index in self._find_outside():
            line = self.lines[index]
            if line.kind not in _PLAIN:
                continue
            content = text_of(line, self.text)
            match = _TAG.match(content)
            # A line that opens and closes a tag does neither.
            opening = _name_opened_by(match, content)
            closing = _name_closed_by(match)
            if opening:
                opened.setdefault(opening, []).append(index)
            elif opened.get(closing):
                first = opened[closing].pop()
                regions.append(Region(first, index, closing))
            elif opened.get(_COMMENT_END) and content.rstrip().endswith(_COMMENT_END):
                # Comments do not nest: this is the end of all that have begun.
                first = opened.pop(_COMMENT_END)[0]
                regions.append(Region(first, index, "notes"))
        for name, indexes in opened.items():
            if indexes and _has_word(name, our_tables().drafts):
                start = self._line_starts[indexes[0]]
                following = bisect_right(self._starts, start)
                self._doubt(self.actions[following:])
        return regions

    def _find_outside(self) -> list[int]:
        """Return the indexes of the lines outside of all actions."""
        outside: list[int] = []
        index = 0
        for start, end in zip(self._starts, self._ends, strict=True):
            first = bisect_left(self._line_starts, start)
            outside += range(index, first)
            index = bisect_left(self._line_starts, end)
        outside += range(index, len(self.lines))
        return outside

    def _judge_regions(self, regions: Sequence[Region]) -> None:
        """Judge the actions between tags."""
        contents = [self._actions_in(region) for region in regions]
        # If all actions of a reply are between tags of drafts, none is left out.
        drafted = set()  # the indexes of actions between tags of drafts
        drafts = our_tables().drafts
        for region, indexes in zip(regions, contents, strict=True):
            if _has_word(region.name, drafts):
                drafted.update(indexes)
        has_others = len(drafted) < len(self.actions)
        for region, indexes in zip(regions, contents, strict=True):
            actions = [self.actions[index] for index in indexes]
            if actions:
                self._judge_region(region, actions, has_others)

    def _actions_in(self, region: Region) -> list[int]:
        """Return the indexes of the actions in a region."""
        start = self.lines[region.first].start
        end = self.lines[region.last].end
        first = bisect_right(self._starts, start)
        following = bisect_right(self._starts, end)
        indexes = range(first, following)
        return [index for index in indexes if self._ends[index] <= end]

    def _judge_region(self, region: Region, actions: Sequence[Group], has_others: bool) -> None:
        """Judge the actions between two tags.

        They are left out if the tags name a draft, or if each of them comes again; but not if the
        reply has no other actions. They are doubtful if they are only probably a draft.
        """
        tables = our_tables()
        # A model that invents the result of a tool may show our notation in it.
        words = _WORDS.findall(region.name)
        name = "".join(words)
        if name.startswith(tables.shown):
            self._doubt(actions)
            return
        is_draft = _has_word(region.name, tables.drafts)
        is_answer = _has_word(region.name, tables.answers)
        if is_answer:
            # A name with words of both is that of a plan of steps, or of the content of thinking.
            if is_draft:
                self._doubt(actions)
            return
        if has_others and (is_draft or all(self._come_again(actions))):
            self.kinds[region.first] = Kind.THINK_OPEN
            self.kinds[region.last] = Kind.THINK_CLOSE
        elif is_draft or not any(group.opened for group in actions):
            self._doubt(actions)

    # ---- lists of actions that come again

    def _runs(self) -> Iterator[list[Group]]:
        """Yield the successive actions without blocks of which at least one needs a block."""
        run = []
        for group in (*self.groups, None):
            if group is not None and group.role == "head" and not group.opened:
                run.append(group)
                continue
            if any(action.lacks_content for action in run):
                yield run
            run = []

    def _judge_run(self, run: Sequence[Group]) -> None:
        """Leave out the actions of a list that come again, if all its files do.

        The other actions of such a list become doubtful.
        """
        repeated = []
        unique = []
        for group, comes_again in zip(run, self._come_again(run), strict=True):
            if comes_again:
                repeated.append(group)
            elif group.lacks_content:
                return
            else:
                unique.append(group)
        self._doubt(unique)
        for group in repeated:
            start = group.first.line.start
            first = bisect_right(self._line_starts, start) - 1
            following = bisect_right(self._line_starts, group.end)
            for index in range(first, following):
                if self.lines[index].kind is not BLANK:
                    self.kinds[index] = Kind.DRAFT

    def _come_again(self, actions: Sequence[Group]) -> Iterator[bool]:
        """Yield for each of these actions whether one outside of them has the same target.

        An action that has or needs a content comes again only with a content.
        """
        inside = self._count(actions)
        for group in actions:
            action = self.heads.action(group)
            path = action.path if action is not None else ""
            has_content = group.lacks_content or group.opened
            key = (path, has_content)
            yield self._all_counts[key] > inside[key]

    @cached_property
    def _all_counts(self) -> Counter[tuple[str, bool]]:
        """The counts of all actions of the reply."""
        return self._count(self.actions)

    def _count(self, groups: Iterable[Group]) -> Counter[tuple[str, bool]]:
        """Return how often each path is named (False), and how often with a block (True)."""
        counts: Counter[tuple[str, bool]] = Counter()
        for group in groups:
            action = self.heads.action(group)
            if action is None:
                continue
            counts[action.path, False] += 1
            if group.opened:
                counts[action.path, True] += 1
        return counts


def _name_opened_by(match: Match | None, content: str) -> str:
    """Return the name of the tag that a line opens, in small letters; empty if it opens none.

    The name of a comment is the mark that ends it.
    """
    if match is None or match["end"]:
        return ""
    if match["comment"]:
        return "" if _COMMENT_END in content else _COMMENT_END
    if "</" in content:
        return ""
    return match["name"].lower()


def _name_closed_by(match: Match | None) -> str:
    """Return the name of the tag that a line closes, in small letters; empty if it closes none."""
    if match is None or not match["end"]:
        return ""
    return match["name"].lower()


def _has_word(name: str, beginnings: tuple[str, ...]) -> bool:
    """Return whether a word of the name of a tag begins in one of these ways."""
    words = _WORDS.findall(name.lower())
    return any(word.startswith(beginnings) for word in words)
