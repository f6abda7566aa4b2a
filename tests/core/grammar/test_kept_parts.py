"""A dialect that is loaded loses nothing: a rule that reads more than its node holds is refused."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from symops_lark import GrammarError, parse
from symops_lark.core.grammar.loading import dialects, load_dialect

TWO_BLOCKS = ["head BLOCK BLOCK", "head BLOCK?  BLOCK?", "head BLOCK+", "head BLOCK*", "head BLOCK~2", "head _two"]


def write(folder: Path, action: str, *more: str) -> Path:
    path = folder / "mine.lark"
    path.write_text("\n".join(["%import .v2", f"%override action: {action}", *more, ""]), encoding="utf-8")
    return path


@pytest.mark.parametrize("action", [*TWO_BLOCKS, "head _twice{BLOCK}"])
def test_a_second_content_is_refused_with_its_place(action: str, tmp_path: Path) -> None:
    path = write(tmp_path, action, "_two: BLOCK BLOCK", "_twice{x}: x x")
    with pytest.raises(GrammarError, match=r"mine\.lark:2:\d+: .*'action' may read BLOCK more than once.*as a format"):
        load_dialect(path)


@pytest.mark.slow
@settings(max_examples=25, deadline=None)
@given(st.integers(0, 3), st.booleans())
def test_each_content_appears_or_the_dialect_is_refused(count: int, is_optional: bool) -> None:
    import tempfile

    with tempfile.TemporaryDirectory() as folder:
        path = write(Path(folder), " ".join(["head", *(["BLOCK?"] if is_optional else ["BLOCK"]) * count]))
        text = "::create @a.py\n" + "".join(f"<<<\ncontent {number}\n>>>\n" for number in range(count))
        try:
            output = str(parse(text, path).to_dict())
        except GrammarError:
            assert count > 1
        else:
            assert all(f"content {number}" in output for number in range(count))


@pytest.mark.parametrize(
    ("rule", "body", "part"),
    [
        ("thought", "_THOUGHT _SP TEXT _NL TEXT _NL", "TEXT"),
        ("error", "_ERROR _SP WORD (_SP MESSAGE _NL)+", "MESSAGE"),
        ("choice", "_SP NUMBER _DOT (_SP TEXT _NL)~1..2", "TEXT"),
        ("head", "_mark _writing _SP? _TARGET _SP? PATH _NL _mark PATH _NL", "PATH"),
        ("head", "_mark _writing _SP _writing _SP? _TARGET _SP? PATH _NL", "a verb"),
    ],
)
def test_two_of_what_a_node_holds_once(rule: str, body: str, part: str, tmp_path: Path) -> None:
    path = tmp_path / "mine.lark"
    path.write_text(f"%import .v2\n%override {rule}: {body}\n", encoding="utf-8")
    with pytest.raises(GrammarError, match=f"'{rule}' may read {part} more than once"):
        parse("-> x\n", path)


@pytest.mark.parametrize("name", dialects())
def test_installed_dialects_hold_what_they_read(name: str) -> None:
    assert load_dialect(name).table("served") is True  # its rules are judged when this is made
