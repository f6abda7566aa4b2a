"""Find the sections of formats in a reply, whatever is around them.

An item is one section that was found. The leftmost opener wins; of equal ones the order of the
sections, with `sample` last. After an opener, a free text ends at the first place where an edge
out of it matches.

The time is linear: each search moves forward, and what a pattern matches next is remembered. The
text of SAME_X is kept instead of looked up.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from ..grammar.codes import EARLY_CLOSE, HOLDS_ANOTHER_SECTION, NO_CLOSING_MARK, UNSIGNED_LINES
from ..patterns.regexes import Match, Pattern, compile_pattern
from ..text.hunk_counts import count_missing_lines
from ..text.json_ends import MOST_BROKEN, JsonScanner
from ..text.python_calls import translate_calls
from .doubts import LOOKED_AT, end_before_another, find_doubts, may_continue
from .expressions import CLOSE, FENCE
from .sections import FINAL, VALUES, Exits, Item, LineStarts, Part, Section

ROWS = ("PATCH", "ADDED", "REMOVED")  # lines with signs: they end where a line has none
_MOST_AGAIN = 30  # each may be as long as the text
_FENCE = "```"  # diffs are often in one
_FENCE_END = compile_pattern(rf"[ \t\n]*{_FENCE}")
_FENCE_LINE = compile_pattern(rf"{_FENCE}[ \t]*\n")
Accept = Callable[[str, Item], bool]


def find_items(text: str, sections: Sequence[Section], accept: Accept) -> list[Item]:
    """Return the sections in a text, in order.

    Args:
        text: The text; its lines end with line feeds only, the last one too.
        sections: The sections to look for.
        accept: Whether an item is a section. It is asked when the opener is read, and at the end.
    """
    return find_items_in(LineStarts(text, sections), sections, accept)


def find_items_in(lines: LineStarts, sections: Sequence[Section], accept: Accept) -> list[Item]:
    """Return the sections in a text whose lines were found before, in order.

    Args:
        lines: The lines of the text; all end with line feeds only, the last one too.
        sections: The sections to look for.
        accept: Whether an item is a section. It is asked when the opener is read, and at the end.
    """
    return _Finder(lines, sections, accept).find()


class _Finder:
    """Finds the sections of one text."""

    def __init__(self, lines: LineStarts, sections: Sequence[Section], accept: Accept) -> None:
        text = lines.text
        self.text = text
        self.accept = accept
        self.lines = lines
        self.sections: list[Section] = []
        self.openers: list[Match | None] = []
        # `sample` is last: of two sections that begin at one place the first is taken.
        for section in sorted(sections, key=lambda section: section.rule == "sample"):
            opener = section.find_opener(self.lines, 0)
            # Most sections are not in the text.
            if opener is not None:
                self.sections.append(section)
                self.openers.append(opener)
        self.matches: dict[Pattern, tuple[int, Match | None]] = {}  # from where what comes next
        self.siblings: dict[Section, tuple[int, int]] = {}  # from where which opener is the next
        self.scanner = JsonScanner(text)
        self.end = len(text.rstrip())
        self.again = 0  # how many items were read that only took others with them

    def find(self) -> list[Item]:
        items = []
        start = 0
        while start < len(self.text):
            index = self._next_opener(start)
            if index is None:
                break
            section = self.sections[index]
            opener = self.openers[index]
            assert opener is not None
            # Its whole text, or nothing.
            item = self._read(section, opener)
            is_section = item is not None and self.accept(self.text, item)
            if item is not None and is_section:
                siblings = self.openers_of(section)
                find_doubts(self.text, item, siblings)
                # One that lacks its end, or says nothing, may have taken the next one with it.
                if HOLDS_ANOTHER_SECTION in item.doubts and self.again < _MOST_AGAIN:
                    end_before_another(self.text, item, siblings)
                    is_section = self.accept(self.text, item)
                    is_divided = HOLDS_ANOTHER_SECTION not in item.doubts
                    if is_divided or not is_section:
                        self.again += 1
            if item is None or not is_section:
                # The next place where such a section may begin.
                after = opener.start() + 1
                self.openers[index] = section.find_opener(self.lines, after)
                continue
            items.append(item)
            # At least one character forward, so that the loop ends.
            start = max(item.end, opener.start() + 1)
        self._find_early_closes(items)
        self._find_open_envelopes(items)
        return items

    def openers_of(self, section: Section) -> list[Section]:
        """Return the sections of a format whose openers may be in the text."""
        return [other for other in self.sections if other.format_name == section.format_name]

    def _next_opener(self, start: int) -> int | None:
        """Return the index of the section that begins first."""
        best: int | None = None
        # Ties go to the first section, because only an earlier start wins.
        best_start = len(self.text)
        for index, section in enumerate(self.sections):
            opener = self.openers[index]
            if opener is not None and opener.start() < start:
                opener = section.find_opener(self.lines, start)
                self.openers[index] = opener
            if opener is None:
                continue
            if opener.start() < best_start:
                best = index
                best_start = opener.start()
        return best

    def _search(self, pattern: Pattern, start: int) -> Match | None:
        """Search a pattern; remember what comes next, which is the same from many places."""
        if pattern in self.matches:
            searched, match = self.matches[pattern]
            is_next = match is None or start <= match.start()
            if is_next and searched <= start:
                return match
        match = pattern.search(self.text, start)
        self.matches[pattern] = (start, match)
        return match

    def _read(self, section: Section, opener: Match) -> Item | None:
        """Read a section from its opener on; None if it is not one."""
        parts: list[Part] = []
        # What SAME_X repeats.
        same: dict[str, str] = {}
        state = _take(opener, section.opener, parts, same)
        place = opener.end()
        begin = section.start_of(opener)
        item = Item(section, begin, place, parts, is_opened=True)
        if not self.accept(self.text, item):
            return None
        item.is_opened = False
        while state != FINAL:
            name = section.free[state].name
            exits = section.exits(state, same)
            pattern = compile_pattern(exits.pattern)
            end = self._find_value_end(name, place) if name in VALUES else place
            # There is no JSON, so this is not a section.
            if end is None:
                return None
            is_open = state in section.open_states
            if name in VALUES and (is_open or FINAL in exits.targets.values()):
                closing = self._close_json(item, pattern, place, end)
                if closing is None:
                    value = Part(name, place, end or item.end)
                    parts.append(value)
                    # Of some calls the value is the end; others lack their mark.
                    if not is_open:
                        item.doubts.append(NO_CLOSING_MARK)
                        is_last = item.end == len(self.text)
                        item.is_truncated = is_last and not end
                    return item
            else:
                closing = self._search(pattern, place)
            if closing is None:
                item.end = len(self.text)
                parts.append(Part(name, place, item.end))
                item.is_truncated = True
                item.awaited = pattern
                return item
            parts.append(Part(name, place, closing.start()))
            state = _take(closing, exits, parts, same)
            place = closing.end()
            item.ending = pattern
        # A grammar may let all terminals out; then nothing is said.
        if not parts:
            return None
        item.end = place
        self._read_unsigned_lines(item)
        self._find_missing_close(item)
        return item

    def _find_value_end(self, name: str, place: int) -> int | None:
        """Return where a value ends; 0 if it is broken; None if there is none."""
        if name == "JSON":
            return self.scanner.find_end(place)
        if self.scanner.broken_count >= MOST_BROKEN:
            return None
        calls = translate_calls(self.text, place)
        if calls is not None and calls.end < len(self.text):
            return calls.end
        # It was translated up to the end of the text.
        self.scanner.broken_count += 1
        return None if calls is None else calls.end

    def _close_json(self, item: Item, pattern: Pattern, place: int, end: int) -> Match | None:
        """Return the closing mark of a value of JSON; None if it is missing: the item ends before.

        Args:
            item: The item. Its end is set where the mark is missing.
            pattern: The closing mark.
            place: Where the value begins.
            end: Where it ends; 0 if it is broken.
        """
        if end:
            # The value shows where it ends, so a mark further on belongs to another call.
            item.end = end
            closing = pattern.match(self.text, end)
            # The end of a fence that the call opened does not begin another one.
            if closing is None and self.text.find(_FENCE, item.start, place) >= 0:
                fence = _FENCE_END.match(self.text, end)
                item.end = end if fence is None else fence.end()
            return closing
        # Any line with a brace begins a call that needs no mark, so it shows no end.
        if item.section.is_bare_json:
            item.end = len(self.text)
        else:
            item.end = place
            item.end = self._next_sibling(item)
        closing = self._search(pattern, place)
        if closing is None or closing.start() > item.end:
            return None
        # An ending that may be empty is everywhere.
        if closing.end() == closing.start():
            return None
        return closing

    def _read_unsigned_lines(self, item: Item) -> None:
        """Read lines without a sign that follow lines with signs, up to the end of the patch.

        Models forget the blank that context begins with. Without these lines, the patch would be
        another one. What they mean is decided where it is applied.
        """
        last = item.parts[-1]
        end = item.end
        if last.name not in ROWS or last.end != end:
            return
        stop = self._next_sibling(item)
        # The next section follows directly, or nothing does.
        if stop == end or end == len(self.text):
            return
        closer = self._closer_of(item)
        if not closer:
            if may_continue(self.text, item, stop):
                item.doubts.append(UNSIGNED_LINES)
            return
        # The line feed before the closer may be the last one of the item.
        mark = "\n" + closer
        first = end - 1
        before = self.text.find(mark, first, stop)
        is_closed = before >= 0
        if is_closed:
            stop = before + 1
        begin, _ = item.section.envelope
        if begin and self.text.startswith(begin, stop):
            return
        if not self.text[end:stop].strip():
            return
        item.doubts.append(UNSIGNED_LINES)
        item.parts[-1] = last._replace(end=stop)
        item.end = stop
        item.is_truncated = stop == len(self.text)
        if is_closed:
            line_feed = self.text.find("\n", stop)
            item.end = line_feed + 1
            fence = _FENCE_LINE.match(self.text, item.end)
            if fence is not None:
                item.end = fence.end()

    def _next_sibling(self, item: Item) -> int:
        """Return where the next section of the format may begin; else the end of the text."""
        first = len(self.text)
        for sibling in self.openers_of(item.section):
            # The same place is the next one for many items, so it is kept.
            searched, place = self.siblings.get(sibling, (0, -1))
            if not searched <= item.end <= place:
                place = len(self.text)
                opener = sibling.find_opener(self.lines, item.end)
                if opener is not None:
                    place = opener.start()
                self.siblings[sibling] = (item.end, place)
            first = min(first, place)
        return first

    def _closer_of(self, item: Item) -> str:
        """Return the mark that ends what a patch is in; "" if it is in nothing."""
        fence = ""
        if self.text.startswith(_FENCE, item.start):
            fence = _FENCE
        begin, end = item.section.envelope
        if not begin:
            return fence
        # An envelope that ended before is not around this section.
        opened = self.text.rfind(begin, 0, item.end)
        if opened < 0 or self.text.find(end, opened, item.end) >= 0:
            return fence
        if not fence:
            return end
        # The end of the fence may be nearer than that of another envelope.
        closed = self.text.find("\n" + fence, item.end)
        ended = self.text.find(end, item.end)
        is_nearer = 0 <= closed < ended
        return fence if is_nearer or ended < 0 else end

    def _find_missing_close(self, item: Item) -> None:
        """Doubt a section that ends with the text, without a mark that could have followed."""
        # Only the beginning of the rest: all of it for each item would take quadratic time.
        end = item.end + LOOKED_AT
        following = self.text[item.end : end].strip()
        if item.find(CLOSE) is None and self._is_open(item, following):
            item.doubts.append(NO_CLOSING_MARK)
        if not following:
            return
        if self.end > end:
            return
        # The text may end inside a mark.
        for mark in item.section.inner_marks:
            if mark.startswith(following):
                item.is_truncated = True

    def _is_open(self, item: Item, following: str) -> bool:
        """Return whether an item without `_CLOSE` may be longer.

        Args:
            item: The item.
            following: The text after it.
        """
        last = item.parts[-1]
        is_last = not following
        if item.find(FENCE) is not None:
            return is_last and last.name not in VALUES
        if last.end != item.end or last.name in (*VALUES, "PATH"):
            return False
        missing = None
        if last.name in ROWS:
            missing = count_missing_lines(self.text, item.start, item.end)
        if missing is None or is_last:
            return is_last and missing != 0
        # The context of an edit shows what is missing; the lines of a new file do not.
        return missing > 0 and last.name == "ADDED"

    def _find_early_closes(self, items: list[Item]) -> None:
        """Doubt an item if another ending of its section is between it and the next one."""
        for index, item in enumerate(items):
            next_start = len(self.text)
            if index + 1 < len(items):
                next_start = items[index + 1].start
            if item.ending is None or not item.section.needed_text:
                continue
            if item.ending.search(self.text, item.end, next_start):
                item.doubts.append(EARLY_CLOSE)

    def _find_open_envelopes(self, items: list[Item]) -> None:
        """Doubt the last item of an envelope if another envelope begins before its end."""
        for index, item in enumerate(items):
            section = item.section
            begin, _ = section.envelope
            last = item.parts[-1]
            # Only what ends with a content may be longer.
            if not begin or last.end != item.end or last.name == CLOSE:
                continue
            # The mark may be a part of the next item.
            limit = len(self.text)
            if index + 1 < len(items):
                limit = items[index + 1].start + len(begin)
            # Each envelope is looked up once, so the time is linear.
            following = self.text.find(begin, item.end, limit)
            if following < 0:
                continue
            if self._closer_of(item):
                item.doubts.append(NO_CLOSING_MARK)


def _take(match: Match, exits: Exits, parts: list[Part], same: dict[str, str]) -> int:
    """Add the terminals of a mark to the parts; return the state after it."""
    for group, name in exits.groups.items():
        start, end = match.span(group)
        if start < 0:
            continue
        part = Part(name, start, end)
        parts.append(part)
        same[name] = match[group]
    for group, target in exits.targets.items():
        if match.start(group) >= 0:
            return target
    raise AssertionError("an alternation matches by one of its edges")
