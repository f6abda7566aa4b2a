"""Read diffs without any head: nothing but lines with the marks ` `, `-` and `+`.

    -x = 1
    +x = 3
     y = 2

Only the file shows that such lines are a diff, and not a list in YAML or Markdown: no line is in
the file as it is, and each line with a blank or `-` is, without its mark.
"""

from __future__ import annotations

from ..diff_lines import Head, read_hunk
from ..hunks import Example, Reading
from ..lines import filled_lines, split_lines

KIND = "diff without a head"
RANK = 10


def read_against(content: str, path: str, old: str) -> Reading | None:
    """Read a diff without a head.

    Args:
        content: The content of an edit.
        path: The edited file.
        old: Its text.

    Returns:
        The reading; None if the lines do not fit those of the file.
    """
    lines = filled_lines(content)
    signs = {line[:1] for line in lines}
    if not {"-", "+"} <= signs <= {"-", "+", " ", ""}:
        return None
    file_lines = set(split_lines(old))
    for line in lines:
        if line.strip() and line in file_lines:
            return None
        # Lines with `+` are new, so they prove nothing.
        if line.startswith(("-", " ")) and line[1:] not in file_lines:
            return None
    hunk, _ = read_hunk(lines, 0, Head(), _never_ends)
    return None if hunk is None else Reading(KIND, (hunk,), ordered=True)


def _never_ends(index: int, is_counted: bool) -> bool:
    return False


EXAMPLES = (
    Example("-x = 1\n+x = 3\n y = 2\n", "x = 1\ny = 2\n", "x = 3\ny = 2\n"),
    # A list of YAML: its lines are in the file as they are.
    Example("- a\n- b\n+ c\n", "- a\n- b\n", "- a\n- b\n+ c\n", True, "a.yaml"),
)
