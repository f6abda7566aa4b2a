"""A reply in a tokenizer's characters for bytes says what the reply says; a text with such letters stays."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from symops_lark import Action, Document, dialects, process, render

# Bytes that a tokenizer of GPT-2's kind shows as themselves; all others are shown above U+0100, in their order.
SHOWN = [*range(33, 127), *range(161, 173), *range(174, 256)]
HIDDEN = [byte for byte in range(256) if byte not in SHOWN]
CHARACTERS = {byte: chr(byte) for byte in SHOWN} | {byte: chr(256 + at) for at, byte in enumerate(HIDDEN)}
CONTENTS = st.text("ab =\t'äĠĊ日😀\xad", max_size=20).map(lambda text: f"x{text}y\nz = 1")
MALTESE = st.text("Ġgantija Ċirku, ġobon\n", max_size=30)


def leak(text: str) -> str:
    """Return a text as a byte-level tokenizer shows its tokens."""
    return "".join(CHARACTERS[byte] for byte in text.encode())


@given(st.sampled_from(dialects()), CONTENTS)
def test_a_reply_in_characters_for_bytes_is_read(dialect: str, content: str) -> None:
    document = Document((Action("create", "src/ä.py", content), Action("run", "pytest -q")))
    result = process(leak(render(document, format=dialect)), format=dialect)
    assert [(a.type, a.path, a.content) for a in result.document.actions] == [
        (a.type, a.path, a.content) for a in document.actions
    ]
    assert all(action.confidence < 0.9 for action in result.document.actions)
    assert ("byte-level-text", "warning") in [
        (diagnostic.code, diagnostic.severity) for diagnostic in result.diagnostics
    ]


@given(st.sampled_from(dialects()), MALTESE, st.booleans())
def test_letters_of_maltese_stay(dialect: str, words: str, broken: bool) -> None:
    content = f'pairs = {{"Ġ": " ", "Ċ": "n"}}\n{words}.'
    text = render(Document((Action("create", "src/a.py", content),)), format=dialect)
    result = process("Hekk:\n\n" + text if broken else text, format=dialect)
    assert [action.content for action in result.document.actions] == [content]
    assert "byte-level-text" not in [diagnostic.code for diagnostic in result.diagnostics]
