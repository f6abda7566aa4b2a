"""Texts for the laws: all that the suite has on file, and damaged ones made from documents.

The damage is that of models: lines lost, doubled, indented, fenced, decorated, of the other dialect; characters lost.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import lru_cache

import pytest
from corpus_reader import corpus_files, read_corpus
from hypothesis import strategies as st
from repository import TESTS
from strategies import documents, replies

from symops_lark import dialects, render
from symops_lark.core.repairs.loader import all_rules

OnFile = tuple[str, str, str]  # its name, its dialect, the text
_GROUP = 20  # texts on file
ODD = "\u200b\u00a0\u3000\ufeff\u2028\x85\x0b\x0c\0＠：＃"
WRAPS: tuple[Callable[[str], str], ...] = (
    lambda line: "  " + line,
    lambda line: "- " + line,
    lambda line: "1. " + line,
    lambda line: "### " + line,
    lambda line: f"**{line}**",
    lambda line: f"`{line}`",
    lambda line: line + ":",
    lambda line: line + "\r",
    lambda line: "\u200b" + line,
    lambda line: line[1:],
    lambda line: line[:-1],
    lambda line: line + line[-1:],
    str.upper,
    str.title,
    lambda line: line.replace("@", "", 1),
    lambda line: line.replace("::", "$ ", 1),
    lambda line: line.replace("$", "::", 1),
    lambda line: line.replace("<<<", "```python").replace(">>>", "```"),
    lambda line: line.replace(">>>", ">>").replace("<<<", "<"),
    lambda line: line.replace("--", "---"),
    lambda line: line.replace("c0", "c .").replace("m0", "m: "),
    lambda line: line.replace(">>>", ">>>END"),
    lambda line: line.replace("<<<", "<<<<<"),
    lambda line: line.replace("::", "::1. ", 1),
    lambda line: line.replace("[", "").replace("]", ":"),
    lambda line: line.replace("[", "<").replace("]", ">"),
    lambda line: line.replace("] ", "]"),
)
STRAY = (
    "",
    "Sure! Here it is:",
    "```",
    "```python",
    "<think>",
    "</think>",
    "---",
    "<<<",
    ">>>",
    "--",
    "run pytest",
    "create b.py",
    "Done.",
    "[REPORT]",
    "<|im_end|>",
    "~ hm",
    ">> hm",
    "confidence: 0.8",
    "    x = 1",
    "> quoted",
    "  @path: a.py",
    "@deps: b.py",
    ">>>END",
    "<<<<",
    ">>>>",
    "[REASONING]",
    "[CONTENT_END]",
    "[ACTION_PATH] a.py",
)

NEWER = (
    "::1 create @a.py",
    "::2 create",
    "  @path: b.py",
    "  @deps: a.py, c.py",
    "  @note: x",
    ">>>END",
    "<<<<",
    ">>>> ",
)
PLAIN = (
    "[REASONING]",
    "one",
    "[CONFIDENCE] 0.5",
    "[MOOD] 1",
    "[ACTION_TYPE] create",
    "[ACTION_TYPE] run",
    "[ACTION_PATH] a.py",
    "[ACTION_PATH] ls > x",
    "[ACTION_DEPENDS] a.py,c.py",
    "[CONTENT_START]",
    "[CONTENT_END] ",
    "[QUESTION] what",
    "[ERROR] Slow @ a.py no",
    "[Content End]",
)


@lru_cache(maxsize=1)
def texts_on_file() -> tuple[OnFile, ...]:
    """Give all texts on file as (name, dialect, text): corpus cases, rules' examples, transcripts, each once."""
    table: dict[tuple[str, str], str] = {}
    for name, dialect, text in _on_file():
        table.setdefault((dialect, text), name)
    return tuple((name, dialect, text) for (dialect, text), name in table.items())


def groups_on_file() -> pytest.MarkDecorator:
    """Give a test the argument `texts`: some of the texts on file at a time, for one test each would cost more."""
    texts = texts_on_file()
    groups = [texts[first : first + _GROUP] for first in range(0, len(texts), _GROUP)]
    return pytest.mark.parametrize("texts", groups, ids=[group[0][0] for group in groups])


@contextmanager
def noted(name: str, dialect: str) -> Iterator[None]:
    """Let a failure say of which text on file it is."""
    try:
        yield
    except Exception as error:
        error.add_note(f"This was {name}, read as {dialect}.")
        raise


def _on_file() -> Iterator[OnFile]:
    for case in read_corpus(corpus_files()):
        yield case.id, case.dialect, case.text
    for rule in all_rules():
        for number, example in enumerate(rule.examples):
            yield f"{rule.id}:{number}", example.dialect, example.before
    for path in sorted((TESTS / "transcripts").glob("*.txt")):
        text = path.read_bytes().decode("utf-8")
        for dialect in ("v1", "v2"):
            yield path.stem, dialect, text


def _damage(text: str, wounds: list[tuple[int, int, str]]) -> str:
    """Apply wounds (kind, place, stray line) one after the other."""
    lines = text.split("\n")
    for kind, place, stray in wounds:
        at = place % len(lines)
        match kind % 6:
            case 0:
                lines[at : at + 1] = [] if len(lines) > 1 else [""]
            case 1:
                lines.insert(at, lines[at])
            case 2:
                lines.insert(at, stray)
            case 3:
                lines[at] = WRAPS[place % len(WRAPS)](lines[at])
            case 4:
                lines = lines[: at + 1]
            case _:
                cut = place % (len(lines[at]) + 1)
                lines[at] = lines[at][:cut] + ODD[place % len(ODD)] + lines[at][cut + 1 :]
    return "\n".join(lines)


@lru_cache
def damaged(dialect: str) -> st.SearchStrategy[str]:
    """Canonical texts of generated documents with up to four wounds."""
    wound = st.tuples(st.integers(0, 5), st.integers(0, 400), st.sampled_from(STRAY))
    text = documents(dialect).map(lambda document: render(document, dialect))
    return st.builds(_damage, text, st.lists(wound, max_size=4))


@lru_cache
def soups(dialect: str) -> st.SearchStrategy[str]:
    """Lines at random that look like markup, well-made and nearly."""
    heads = {
        "v1": ("$ create @ a.py", "$edit@b.py>a.py,c.py", "$ run @ ls > x", "~ hm", "#c0.5 #m1", "--", "-- "),
        "v2": ("::create @a.py", "::edit@b.py>a.py,c.py", ":: run @ ls > x", ">> hm", "::c0.5 ::m1", "<<<", ">>> "),
        "plain": PLAIN,
    }
    own = heads.get(dialect) or (*heads["v2"], *NEWER)
    pieces = (*own, *STRAY, '? "what"', "  1. this", "  2.", "! Error @ a.py no", "x = 1", "  ")
    line = st.sampled_from(pieces) | st.builds(
        lambda wrap, piece: wrap(piece), st.sampled_from(WRAPS), st.sampled_from(pieces)
    )
    ending = st.sampled_from(("\n", "\n", "\r\n", ""))
    return st.builds(lambda lines, end: "\n".join(lines) + end, st.lists(line, max_size=10), ending)


@lru_cache
def any_text(dialect: str) -> st.SearchStrategy[str]:
    """Any text at all: damaged documents, soups, replies, and characters at random, lone surrogates among them."""
    return st.one_of(damaged(dialect), soups(dialect), replies(), st.text(st.characters(), max_size=60))


DIALECTS = tuple(dialects())
