"""Repair a text of any grammar for the page: the tree, the repairs and the alternatives.

A grammar of the page is untrusted: its regular expressions, or its ambiguities, can take any time
and memory. So each question is answered by another process, which gets at most `MOST_MEMORY` and is
killed after `SECONDS`. The grammar can import Lark's own grammars, but no file of this machine.
"""

from __future__ import annotations

import contextlib
import json
import os
import subprocess
import sys
from collections import defaultdict
from collections.abc import Sequence
from pathlib import PurePath
from typing import Any

from ...core.grammar.compiling.bounds import MOST_BYTES
from ...core.ground.errors import GrammarError
from ...core.ground.json_objects import write_object
from ...core.ground.numbers import counted, grouped
from ...core.ground.python_processes import python_start
from ...error_correcting import ErrorCorrectingParser
from ...error_correcting.drawing import draw_tree
from ...error_correcting.languages import list_languages, load_language
from ...error_correcting.messages import explain_edits

SECONDS = 10.0  # for one question, the start of a process included
MOST_MEMORY = 1 << 30  # bytes of the process, this interpreter included; Windows has no such limit
_OWN_GRAMMARS = ("common", "lark", "python", "unicode")  # of Lark, in its package
_AROUND = 16  # characters on each side of a difference that is shown
MOST_CHARACTERS = 20_000  # of a text


def list_examples() -> list[dict[str, str]]:
    """Return the example languages: name, grammar, named mistakes, and a broken text."""
    examples = []
    for name in list_languages():
        language = load_language(name)
        mistakes = ""
        if language.mistakes is not None:
            mistakes = language.mistakes.read_text("utf-8")
        grammar = language.grammar.read_text("utf-8")
        examples.append(
            {"name": name, "grammar": grammar, "mistakes": mistakes, "text": language.text}
        )
    return examples


def recover_apart(
    grammar: str, mistakes: str, text: str, seconds: float = SECONDS
) -> dict[str, Any]:
    """Return what `recover` returns, from another process.

    Args:
        grammar: The grammar.
        mistakes: The recovery grammar with the named mistakes; empty for none.
        text: The text.
        seconds: The time after which the process is killed.

    Raises:
        GrammarError: The grammar or the text is too long, or the answer takes too long.
    """
    if len((grammar + mistakes).encode("utf-8", "replace")) > MOST_BYTES:
        raise GrammarError(f"the grammar is longer than {grouped(MOST_BYTES)} bytes")
    if len(text) > MOST_CHARACTERS:
        raise GrammarError(f"the text is longer than {grouped(MOST_CHARACTERS)} characters")
    question = json.dumps([grammar, mistakes, text]).encode()
    start = python_start("-m", __name__)
    try:
        process = subprocess.run(
            start.command,
            env=start.environment,
            cwd=start.folder,
            input=question,
            capture_output=True,
            timeout=seconds,
            check=False,
        )
    except subprocess.TimeoutExpired:
        message = f"the text is not read within {counted(int(seconds), 'second')} by this grammar"
        raise GrammarError(
            f"{message}: make the grammar less ambiguous, or the text shorter"
        ) from None
    if process.returncode != 0:
        raise GrammarError(
            f"the process that read the text ended with {process.returncode}: please report this "
            "grammar"
        )
    answer: dict[str, Any] = json.loads(process.stdout)
    return answer


def recover(grammar: str, mistakes: str, text: str) -> dict[str, Any]:
    """Return the tree of a text, its repairs and the other repairs that cost as little.

    Args:
        grammar: The grammar.
        mistakes: The recovery grammar; empty for none.
        text: The text.
    """
    try:
        parser = ErrorCorrectingParser(
            grammar, mistakes=mistakes or None, import_paths=[_refuse_files]
        )
    except GrammarError as error:
        return {"error": {"message": str(error)}}
    parse = parser.parse(text)
    alternatives = []
    for edits in parse.alternatives:
        diagnostics = explain_edits(parser.compiled, text, edits)
        messages = [f"line {note.span.line}: {note.message}" for note in diagnostics]
        price = sum(edit.price for edit in edits)
        repaired = parser.apply(text, edits)
        alternatives.append({"price": price, "messages": messages, "text": repaired})
    _add_differences(alternatives)
    return {
        **write_object(parse, "price", "text", "complete", "minimal", "why", "steps"),
        "diagnostics": [diagnostic.to_dict() for diagnostic in parser.diagnostics(text, parse)],
        "alternatives": alternatives,
        "notes": list(parser.notes),
        **draw_tree(parse.tree),
    }


def _refuse_files(base: object, name: str) -> tuple[str, str]:
    """Refuse to import a file that is not Lark's own; Lark asks here first."""
    is_own = PurePath(name).with_suffix("").as_posix() in _OWN_GRAMMARS
    # `%import .name` is relative to a file of this machine.
    if isinstance(base, str | os.PathLike):
        is_own = False
    if is_own:
        # Then Lark looks in its own folder.
        raise FileNotFoundError(name)
    own = ", ".join(_OWN_GRAMMARS)
    raise GrammarError(
        f"a grammar of the page cannot import {name}: only grammars of Lark can be imported: {own}"
    )


def _add_differences(alternatives: Sequence[dict[str, Any]]) -> None:
    """Add to alternatives with the same messages the places in which their texts differ."""
    groups: dict[tuple[str, ...], list[dict[str, Any]]] = defaultdict(list)
    for alternative in alternatives:
        groups[tuple(alternative["messages"])].append(alternative)
    for group in groups.values():
        texts = [alternative["text"] for alternative in group]
        for alternative in group if len(group) > 1 else ():
            text = alternative["text"]
            places = sorted({_find_difference(text, second) for second in texts if second != text})
            parts = [text[max(0, place - _AROUND) : place + _AROUND].strip() for place in places]
            excerpt = " … ".join(" ".join(part.split()) for part in parts)
            alternative["messages"].append(f"it becomes `{excerpt}`")


def _find_difference(text: str, second: str) -> int:
    """Return the first place in which two texts differ."""
    for place, (left, right) in enumerate(zip(text, second, strict=False)):
        if left != right:
            return place
    return min(len(text), len(second))


def _limit_memory() -> None:
    """Let a grammar that takes too much memory end this process, and no other one."""
    # Windows has no such limit, and the system may have a lower one.
    with contextlib.suppress(ImportError, ValueError, OSError):
        import resource

        resource.setrlimit(resource.RLIMIT_AS, (MOST_MEMORY, MOST_MEMORY))


def _answer() -> None:
    """Answer the question on standard input."""
    _limit_memory()
    grammar, mistakes, text = json.load(sys.stdin)
    try:
        answer = recover(grammar, mistakes, text)
    except (MemoryError, RecursionError):
        answer = {"error": {"message": "the grammar or the text is too large for this machine"}}
    json.dump(answer, sys.stdout)


if __name__ == "__main__":
    _answer()
