"""Drafts: actions that a reply only thinks about or names again, told by what stands around them.

A plan or a summary repeats the heads of actions without their contents; sections of thinking have tags of many names.
What is surely a draft is dropped as one; of an action that may be one the reader is told (`draft-action`).
"""

from __future__ import annotations

import unicodedata
from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from ...grammar.codes import DRAFT_ACTION, EARLY_CLOSE
from ...grammar.mistakes import BETWEEN, FENCE_CLOSER, STRAY_FENCE, Tagged
from ...ground.file_types import WITH_FENCES, language_of
from ...patterns.regexes import Pattern, compile_pattern
from ...text.source import size
from ..lines.kinds import BLANK, NEAR_DELIMITERS, TEXT, Kind, Line
from ..outline.groups import Group, Part
from ..outline.heads import HeadReader
from ..outline.outline import Outline

# How words in the names of tags begin: of what is no answer, and of what is one.
_DRAFT = compile_pattern(
    "analy[sz]|approach|brainstorm|consider|critique|deliberat|draft|example|explor|hypothes|idea|inner|internal|meta|"
    "monolog|note|outline|plan|reason|reflect|rethink|review|sample|scratch|sketch|strateg|think|thought|todo"
)
_ANSWER = compile_pattern(
    "act|answer|artifact|block|change|code|command|content|document|edit|file|final|function|implement|invoke|output|"
    "protocol|reply|response|result|solution|step|sym|task|tool"
)
_TAG = compile_pattern(
    r"[ \t]*(?:(?P<comment><!--)|(?:<\|?|\[|◁|\{[{%])[ \t]*(?:(?P<end>/)[ \t]*)?"
    r"(?P<name>[^\x00-@\[-`{-\x7f◁▷][^\x00-,/:-@\[-^`{-\x7f◁▷]*)(?:[ \t][^<>\[\]{}]*)?(?:\|?>|\]|▷|[}%]\}))[^\n]*"
)
_WORDS = compile_pattern(r"[a-z]+")


class Region(NamedTuple):
    """A stretch of lines by places in the list of them, the tags included; `name` is that of the tags, or ""."""

    first: int
    last: int
    name: str

    def speaks_of(self, words: Pattern) -> bool:
        """Return whether a word of the name begins like one of these."""
        return any(map(words.match, _WORDS.findall(self.name.lower())))


class Drafts(NamedTuple):
    """The kinds that lines of drafts have, by their places in the list, and by where doubtful actions begin, why."""

    kinds: Mapping[int, Kind]
    doubtful: Mapping[int, str]


def find_drafts(outline: Outline, lines: Sequence[Line], heads: HeadReader) -> Drafts:
    """Return the drafts of a reading, and the actions whose contents may have ended too early."""
    groups = outline.groups
    actions = [group for group in groups if group.role == "head"]
    if not actions:
        return Drafts({}, {})
    return _Finder(outline.text, lines, groups, actions, heads, outline.tagged).find()


class _Finder:
    def __init__(
        self,
        text: str,
        lines: Sequence[Line],
        groups: Sequence[Group],
        actions: Sequence[Group],
        heads: HeadReader,
        tagged: Tagged,
    ) -> None:
        self.text, self.lines, self.groups, self.actions, self.heads = text, lines, groups, actions, heads
        self._tagged = tagged
        self._starts = [group.first.line.start for group in actions]
        self._ends = [group.end + 1 for group in actions]  # behind the ending of its last line
        self._line_starts = [line.start for line in lines]
        self._end = len(text.rstrip())  # what stands behind is blank
        self._outside = self._find_outside()  # the places of the lines that stand outside of all actions
        self._signs = set(unicodedata.normalize("NFKC", "".join((*heads.dialect.fences, *heads.dialect.closers))))
        self.kinds: dict[int, Kind] = {}
        self.doubtful: dict[int, str] = {}
        self._named: Counter[tuple[str, bool]] = Counter()
        self._unclosed: list[int] = []  # where sections of thinking begin that nothing closes

    def find(self) -> Drafts:
        for group, behind in zip(self.groups, (*self.groups[1:], None), strict=True):
            if group.role == "head" and (self._may_hold_its_end(group) or self._leaves_text(group, behind)):
                self.doubtful[group.first.line.start] = EARLY_CLOSE
        self._find_outer_fence()
        self._find_drafts()
        return Drafts(self.kinds, self.doubtful)

    def _may_hold_its_end(self, group: Group) -> bool:
        """Return whether a delimiter may be content: a fence in a file that may hold some, or odd signs."""
        if group.closer is None or group.opener is None:
            return False
        line, opener = group.closer.line, group.opener.line
        same = self._shown(line) == self._shown(opener)
        if line.kind in _BEHIND_TEXT and line.end == line.stop:  # which may go on
            return True
        if line.kind in NEAR_DELIMITERS and not same and self._may_be_content(line, opener):
            return True
        if line.kind in NEAR_DELIMITERS and group.body and self._underlines(line, group.body[-1].line):
            return True
        if line.kind in NEAR_DELIMITERS and group.body and self._goes_on(line, group.body[-1].line):
            return True
        if self._is_turned(line) and self._shown(opener) in self.heads.dialect.fences and line.stop >= self._end:
            return True
        near = [each for each in (opener, line) if each.kind in NEAR_DELIMITERS and not same]
        if any(self._stands_again(group, self._shown(each)) for each in near):
            return True
        if self._has(group.closer, FENCE_CLOSER):
            action = self.heads.action(group)
            return action is None or language_of(action.path) in WITH_FENCES
        return self._is_foreign(group.closer) != self._is_foreign(group.opener)

    def _has(self, part: Part, tag: str) -> bool:
        """Return whether a line has a mistake with a tag."""
        return not self._tagged[tag].isdisjoint(part.step.mistakes)

    def _stands_again(self, group: Group, shown: str) -> bool:
        """Return whether a content has a line like one read as its delimiter: front matter ends as it begins."""
        return any(shown in self.text[part.line.start : part.line.stop].split("\n") for part in group.body)

    def _is_turned(self, line: Line) -> bool:
        """Return whether what is nearly a closer has the signs of an opener, as a conflict's first line has."""
        signs = set(self._shown(line))
        opening = set("".join(self.heads.dialect.fences))
        return bool(signs) and signs <= opening and signs.isdisjoint("".join(self.heads.dialect.closers))

    def _underlines(self, line: Line, above: Line) -> bool:
        """Return whether a line of signs is as long as the one above, as headings are written."""
        heading = self.text[above.start : above.stop].rstrip().rpartition("\n")[2]
        shown = self._shown(line)
        return len(heading) == len(shown) > 2 and shown[0] in _UNDERLINES and any(map(str.isalnum, heading))

    def _goes_on(self, line: Line, above: Line) -> bool:
        """Return whether a delimiter stands behind a sign that the line above begins with, such as that of a diff."""
        begun = self.text[above.start : above.stop].rstrip().rpartition("\n")[2].lstrip()
        shown = self._shown(line)
        listed = shown[1:2] in (" ", "\t") and shown[:1] == begun[:1] and not shown[:1].isalnum()
        return listed and not self._signs.issuperset(begun)

    def _leaves_text(self, group: Group, behind: Group | None) -> bool:
        """Return whether text that is no sentence stands behind what is nearly a closer, not only indented."""
        if group.closer is None or group.closer.line.kind not in NEAR_DELIMITERS or behind is None:
            return False
        right = self._shown(group.closer.line) in self.heads.dialect.closers
        return not right and self._has(behind.first, BETWEEN)

    def _may_be_content(self, line: Line, opener: Line) -> bool:
        """Return whether more may follow: the text ends in a line of signs, or odd ones end a right block."""
        shown = self._shown(line)
        if any(map(str.isalnum, shown)):
            return False
        return line.end == line.stop or (not 1 < size(shown) <= _LONGEST and not opener.kind.is_respelt)

    def _shown(self, line: Line) -> str:
        return self.text[line.start : line.stop].strip()

    def _find_outer_fence(self) -> None:
        """Tell the fence that ends a fenced reply from one that ends a content: it is one too many."""
        strays = [group.first.line.start for group in self.groups if self._has(group.first, STRAY_FENCE)]
        for group in self.actions:
            if group.opener is None or bisect_right(strays, group.first.line.start) % 2 == 0:
                continue
            if group.closer is not None and self._has(group.closer, FENCE_CLOSER):
                self._relabel(group.closer.line.start, Kind.OUTER_FENCE)
            elif group.missing and group.at_end:
                start = group.opener.line.end
                inside = [line for line in self.lines if start <= line.start and line.kind in _FENCES]
                if len(inside) % 2 and inside[-1].kind is Kind.FENCE:
                    self._relabel(inside[-1].start, Kind.OUTER_FENCE)

    def _relabel(self, start: int, kind: Kind) -> None:
        self.kinds[bisect_right(self._line_starts, start) - 1] = kind

    def _is_foreign(self, part: Part) -> bool:
        """Return whether a delimiter has no sign in common with those of the dialect."""
        if part.line.kind not in NEAR_DELIMITERS:
            return False
        return self._signs.isdisjoint(unicodedata.normalize("NFKC", self._shown(part.line)))

    def _find_drafts(self) -> None:
        wrapped = [(region, self._inside(region)) for region in list(self._wrapped())[:_MOST]]
        drafted = {at for region, inside in wrapped if region.speaks_of(_DRAFT) for at in inside}
        for region, inside in wrapped:
            answers = region.speaks_of(_ANSWER)
            if answers and region.speaks_of(_DRAFT):  # such as a plan of the steps, or a content of reasoning
                self._doubt(self._actions(inside))
            elif inside and not answers:
                self._judge_wrapped(region, self._actions(inside), len(drafted) < len(self.actions))
        if self._unclosed:
            self._doubt(self.actions[bisect_right(self._starts, min(self._unclosed)) :])
        for run in self._runs() if len(self.actions) > 1 else ():
            self._judge_run(run)

    def _doubt(self, few: Iterable[Group]) -> None:
        self.doubtful |= {group.first.line.start: DRAFT_ACTION for group in few}

    # ---- regions

    def _find_outside(self) -> list[int]:
        outside: list[int] = []
        at = 0
        for start, end in zip(self._starts, self._ends, strict=True):
            outside += range(at, bisect_left(self._line_starts, start))
            at = bisect_left(self._line_starts, end)
        return [*outside, *range(at, len(self.lines))]

    def _wrapped(self) -> Iterator[Region]:
        """Yield what stands between tags of one name, the inner ones first."""
        opened: dict[str, list[int]] = {}
        for at in self._outside:
            line = self.lines[at]
            if line.kind not in _PLAIN:
                continue
            shown = self.text[line.start : line.stop]
            found = _TAG.match(shown)
            if found and found["comment"] and "-->" not in shown:
                opened.setdefault("-->", []).append(at)
            elif found and found["name"] and not found["end"] and "</" not in shown:
                opened.setdefault(found["name"].lower(), []).append(at)
            elif found and found["end"] and opened.get(found["name"].lower()):
                yield Region(opened[found["name"].lower()].pop(), at, found["name"])
            elif shown.rstrip().endswith("-->") and opened.get("-->"):
                yield Region(opened.pop("-->")[0], at, "notes")
        left = [(at, name) for name, places in opened.items() for at in places]
        self._unclosed = [self.lines[at].start for at, name in left if Region(at, at, name).speaks_of(_DRAFT)]

    def _inside(self, region: Region) -> list[int]:
        """Return the places of the actions in a region."""
        start, end = self.lines[region.first].start, self.lines[region.last].end
        begin, stop = bisect_right(self._starts, start), bisect_right(self._starts, end)
        return [at for at in range(begin, stop) if self._ends[at] <= end]

    def _actions(self, places: Iterable[int]) -> list[Group]:
        return [self.actions[at] for at in places]

    def _judge_wrapped(self, region: Region, few: Sequence[Group], others: bool) -> None:
        """Drop a section of drafts; of what else stands between tags, what comes again, or is no more than heads."""
        drafted = region.speaks_of(_DRAFT)
        if others and (drafted or all(self._come_again(few))):
            self.kinds |= {region.first: Kind.THINK_OPEN, region.last: Kind.THINK_CLOSE}
        elif drafted or not any(group.opened for group in few):
            self._doubt(few)

    # ---- what comes again

    def _count(self, groups: Iterable[Group]) -> Counter[tuple[str, bool]]:
        """Return how often each path is named, and how often with a block."""
        count: Counter[tuple[str, bool]] = Counter()
        for group in groups:
            action = self.heads.action(group)
            if action is not None:
                count.update(((action.path, False), (action.path, True)) if group.opened else ((action.path, False),))
        return count

    def _come_again(self, few: Sequence[Group]) -> Iterator[bool]:
        """Yield of a few actions whether each is named again outside of them, with a content if it wants one."""
        inside: Counter[tuple[str, bool]] = Counter()
        if 2 * len(few) > len(self.actions):
            within = {group.first.line.start for group in few}
            named = self._count(group for group in self.actions if group.first.line.start not in within)
        else:
            if not self._named:
                self._named = self._count(self.actions)
            named, inside = self._named, self._count(few)
        for group in few:
            action = self.heads.action(group)
            wanted = (action.path if action else "", group.lacks_content or group.opened)
            yield named[wanted] > inside[wanted]

    def _runs(self) -> Iterator[list[Group]]:
        """Yield the actions without blocks that follow each other and of which at least one wants a block."""
        run: list[Group] = []
        for group in (*self.groups, None):
            if group is not None and group.role == "head" and not group.opened:
                run.append(group)
                continue
            if any(each.lacks_content for each in run):
                yield run
            run = []

    def _judge_run(self, run: Sequence[Group]) -> None:
        """Drop what comes again of a list of actions if all files in it come again, with their contents."""
        again: list[Group] = []
        others: list[Group] = []
        for group, comes in zip(run, self._come_again(run), strict=True):
            if group.lacks_content and not comes:
                return
            (again if comes else others).append(group)
        self._doubt(others)
        for group in again:
            first = bisect_right(self._line_starts, group.first.line.start) - 1
            last = bisect_right(self._line_starts, group.end)
            self.kinds |= {at: Kind.DRAFT for at in range(first, last) if self.lines[at].kind is not BLANK}


_MOST = 100  # wrappers that are looked at: each may stand around all actions
_UNDERLINES = "-=~^"  # of headings in reStructuredText and Markdown
_BEHIND_TEXT = frozenset((Kind.LAST_TEXT, Kind.TEXT_CLOSE))
_LONGEST = 8  # of a delimiter; what is longer is a line drawn in a file
_FENCES = frozenset((Kind.FENCE, Kind.FENCE_INFO))
_PLAIN = frozenset((TEXT, Kind.TAG, Kind.THINK_OPEN, Kind.THINK_CLOSE))
