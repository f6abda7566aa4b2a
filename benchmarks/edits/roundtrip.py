"""Write real changes in each notation, read them with `edit_text`, and count the outcomes.

exact: the new version, without a doubt. asked: the new version, with one. refused: no text. asked, other: another text,
with a doubt. silent: another text without a doubt, which is what must not happen.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

from edit_changes import Change, plain
from edit_notations import NOTATIONS
from read_notations import READ

from symops_lark.core.edits import Edited, edit_text
from symops_lark.core.ground.numbers import counted

from .versions import Version

OUTCOMES = ("exact", "asked", "refused", "asked, other", "silent")
# A wrong number may be that of an equal line, and without a head a diff looks like a list: they are counted alone.
UNJUDGED = ("- and + lines, the whole file", *(name for name in READ if "wrong numbers" in name or "off by" in name))
ONE_PLACE = '{"command": "str_replace"}'  # it writes the first place of a change alone


def read_again(versions: Sequence[Version], shown: int) -> tuple[dict[str, Counter[str]], list[str]]:
    """Write each change in each notation, and read it.

    Args:
        versions: Files before and after a change. Files with carriage returns are left out.
        shown: How many examples of silent outcomes to return.

    Returns:
        The outcomes of each notation, those that are read first, and the examples.
    """
    writers = {**READ, **{name: write for name, write in NOTATIONS.items() if name not in (*READ, ONE_PLACE)}}
    table = {name: Counter[str]() for name in writers}
    examples: list[str] = []
    for version in versions:
        if "\r" in version.before + version.after:
            continue
        change = Change(version.before, version.after, version.path)
        if not list(change.hunks(0)):
            continue  # only the end of the last line changes, which few notations can write
        for name, write in writers.items():
            content = write(change)
            if not content.strip() or plain(content.encode()) == plain(version.after.encode()):
                continue
            outcome = judge(change, content)
            table[name][outcome] += 1
            if outcome == "silent" and len(examples) < shown:
                examples.append(f"{name}, {version.path}: {content!r}")
    return table, examples


def judge(change: Change, content: str) -> str:
    """Return the outcome of a content that means a change."""
    result = edit_text(change.before, content, change.path)
    if not isinstance(result, Edited):
        return "refused"
    is_right = plain(result.text.encode()) == plain(change.after.encode())
    if result.doubts:
        return "asked" if is_right else "asked, other"
    return "exact" if is_right else "silent"


def print_table(table: dict[str, Counter[str]]) -> Iterator[str]:
    """Yield the rows of a table in Markdown."""
    total = sum(row.total() for row in table.values())
    yield f"Real changes written in {counted(len(table), 'notation')} and read again: {counted(total, 'content')}\n"
    yield "| notation | " + " | ".join(OUTCOMES) + " |\n|---|" + "---|" * len(OUTCOMES)
    for name, row in table.items():
        title = name.replace("|", "\\|")
        is_read = name in READ
        yield (
            f"| {f'**{title}**' if is_read else title} | "
            + " | ".join(str(row[outcome]) for outcome in OUTCOMES)
            + " |"
        )
    for label, names in (("read", READ), ("not read", table.keys() - READ.keys())):
        row = sum((table[name] for name in names), Counter[str]())
        yield f"| all that are {label} | " + " | ".join(str(row[single_outcome]) for single_outcome in OUTCOMES) + " |"


def silent_count(table: dict[str, Counter[str]]) -> int:
    """Return the number of silent outcomes of the notations that are read and judged."""
    return sum(table[name]["silent"] for name in READ if name not in UNJUDGED)
