"""Write the repair of a text with signs as edits of the blanks in the given text."""

from __future__ import annotations

from .edits import NEAR, Edit, Leaf, Repair, list_leaves
from .indentation import Indentation, Layout


def convert_repair(layout: Layout, repair: Repair) -> Repair:
    """Return a repair of the text with signs as one of the given text.

    Args:
        layout: The text for the search.
        repair: The repair; its derivation is returned unchanged.
    """
    if layout.indentation is None:
        return repair
    writer = _Writer(layout, layout.indentation)
    leaves = list_leaves(repair.root)
    of_leaves: set[Edit] = set()
    for leaf in leaves:
        of_leaves.update(leaf.edits)
        writer.add_leaf(leaf)
    # Mistakes, and edits after the last token, belong to no token.
    for edit in repair.edits:
        if edit not in of_leaves:
            writer.add_edit(edit)
    price = repair.price + layout.price
    return repair._replace(price=price, edits=writer.finish(price))


class _Writer:
    """Writes the indentation of a repaired text, line by line."""

    def __init__(self, layout: Layout, indentation: Indentation) -> None:
        self.layout = layout
        self.indentation = indentation
        self.edits: list[Edit] = []
        # The blanks of the open blocks, the outermost first.
        self.levels = [""]
        # The line end whose next line has no token yet, and the edit that writes it.
        self.line: Leaf | None = None
        self.line_edit = -1
        self.price = 0

    def add_edit(self, edit: Edit) -> None:
        """Add an edit; those of signs only cost their price until the line is complete."""
        layout = self.layout
        if edit.name in self.indentation.marks and edit.kind != "mistake":
            self.price += edit.price
            return
        start = layout.to_given(edit.start)
        stop = layout.to_given(edit.stop)
        self.edits.append(edit._replace(start=start, stop=stop))

    def add_leaf(self, leaf: Leaf) -> None:
        """Add the next token."""
        indentation = self.indentation
        for edit in leaf.edits:
            self.add_edit(edit)
        if leaf.name == indentation.indent:
            self.levels.append(self._deepen())
        elif leaf.name == indentation.dedent:
            if len(self.levels) > 1:
                self.levels.pop()
        elif leaf.name == indentation.line_end:
            self.line = leaf
            self.line_edit = -1
            # An inserted line end gets the blanks of its line.
            if leaf.edits and leaf.edits[-1].new:
                self.line_edit = len(self.edits) - 1
        elif self.line is not None:
            self._indent_line(self.line, leaf)
            self.line = None

    def _blanks(self) -> str:
        """Return the blanks of the current line in the given text."""
        if self.line is None:
            return ""
        return self.line.value.rpartition("\n")[2]

    def _deepen(self) -> str:
        layout = self.layout
        blanks = self._blanks()
        outer = self.levels[-1]
        if self.indentation.width(blanks) > self.indentation.width(outer):
            return blanks
        return outer + layout.step

    def _write_line_end(self, edit: Edit, line: Leaf, leaf: Leaf) -> Edit:
        """Return the edit that writes a line end, with the blanks of the next token."""
        layout = self.layout
        # What is left of the text between the two, without what is deleted there.
        between = ""
        place = line.stop
        for part in leaf.edits:
            if part.kind == "delete":
                between += layout.text[place : part.start]
                place = part.stop
        between += layout.text[place : leaf.start]
        new = edit.new + self.levels[-1]
        edit = edit._replace(new=new)
        # The blanks before the next token would indent it.
        if between.isspace():
            start = layout.to_given(leaf.start)
            if edit.kind == "insert":
                edit = edit._replace(start=start, stop=start)
            else:
                edit = self._cover_blanks(edit, start)
        return edit

    def _cover_blanks(self, edit: Edit, stop: int) -> Edit:
        """Extend the edit of a line end and the deletions after it, so that no blank is left."""
        place = stop
        for index in range(len(self.edits) - 1, self.line_edit, -1):
            deleted = self.edits[index]
            self.edits[index] = deleted._replace(stop=place)
            place = deleted.start
        return edit._replace(stop=place)

    def _indent_line(self, line: Leaf, leaf: Leaf) -> None:
        """Give a line the blanks of its block."""
        layout = self.layout
        wanted = self.levels[-1]
        if self.line_edit >= 0:
            edit = self.edits[self.line_edit]
            self.edits[self.line_edit] = self._write_line_end(edit, line, leaf)
            return
        stop = layout.to_given(line.stop)
        end = layout.to_given(leaf.start)
        self._delete_blanks(stop, end)
        price = self.price
        if line.stop in layout.moved:
            price += NEAR
        self.price = 0
        blanks = self._blanks()
        width = self.indentation.width(blanks)
        wanted_width = self.indentation.width(wanted)
        if width == wanted_width:
            return
        name = self.indentation.indent
        if wanted_width < width:
            name = self.indentation.dedent
        # Blanks that stay are no part of the edit.
        same = 0
        while blanks[same : same + 1] == wanted[same : same + 1] != "":
            same += 1
        kind = "replace"
        if same == len(blanks):
            kind = "insert"
        elif same == len(wanted):
            kind = "delete"
        start = stop - len(blanks) + same
        new = wanted[same:]
        edit = Edit(kind, start, stop, name, new, price)
        self.edits.append(edit)

    def _delete_blanks(self, start: int, end: int) -> int:
        """Delete the blanks after tokens that are deleted between two places of the given text.

        They would indent the line. The place of the first of these tokens is returned, or the end.
        """
        place = end
        for index, edit in reversed(list(enumerate(self.edits))):
            if edit.kind == "delete" and start <= edit.start < place:
                between = self.layout.given[edit.stop : place]
                stop = place - len(between.lstrip(" \t"))
                self.edits[index] = edit._replace(stop=stop)
                place = edit.start
        return place

    def _clear_last_line(self, line: Leaf) -> None:
        """Leave no blanks after the last line end: Lark's `Indenter` reads them as a line."""
        layout = self.layout
        blanks = self._blanks()
        start = layout.to_given(line.stop) - len(blanks)
        ends = [edit.start for edit in self.edits if edit.kind == "skip"]
        end = min(ends, default=len(layout.given))
        place = self._delete_blanks(start, end)
        # A comment stays.
        is_blank = not layout.given[start:place].strip()
        price = self.price
        if line.stop in layout.moved:
            price += NEAR
        if self.line_edit >= 0:
            edit = self.edits[self.line_edit]
            if edit.kind == "insert":
                edit = edit._replace(start=place, stop=place)
            elif is_blank:
                edit = edit._replace(stop=place)
            self.edits[self.line_edit] = edit
        elif blanks and (price or ends or place < end):
            stop = place
            if not is_blank:
                stop = start + len(blanks)
            name = self.indentation.dedent
            self.edits.append(Edit("delete", start, stop, name, "", price))

    def finish(self, price: int) -> tuple[Edit, ...]:
        """Return the edits by place; together they cost the price of the repair."""
        if self.line is not None:
            self._clear_last_line(self.line)
        missing = price - sum(edit.price for edit in self.edits)
        marks = self.indentation.marks
        if missing:
            for index, edit in enumerate(self.edits):
                if edit.name in marks:
                    # The end of a block belongs to the line that was moved for it.
                    total = edit.price + missing
                    self.edits[index] = edit._replace(price=total)
                    break
            else:
                # The end of the text, or of the part that was read.
                ends = [edit.start for edit in self.edits if edit.kind == "skip"]
                end = min(ends, default=len(self.layout.given))
                name = self.indentation.dedent
                edit = Edit("insert", end, end, name, "", missing)
                self.edits.append(edit)
        return tuple(sorted(self.edits, key=self._order))

    def _order(self, edit: Edit) -> tuple[int, int, bool]:
        # The blanks of a line precede what is inserted in it.
        is_mark = edit.name in self.indentation.marks
        is_blank = is_mark and edit.new != ""
        return edit.start, edit.stop, not is_blank
