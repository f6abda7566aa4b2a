"""Which wrapping around an edit is removed, and which contents are read as a notation."""

from __future__ import annotations

import pytest

from symops_lark.core.edits import kind_of
from symops_lark.core.edits.reading import READERS, UnreadableEdit, read_edit, shows_edit, unwrap

BLOCK = "<<<<<<< SEARCH\na\n=======\nb\n>>>>>>> REPLACE\n"
DIFF = "--- a.py\n+++ a.py\n@@\n-a\n+b\n"
PATCH = "*** Begin Patch\n*** Update File: a.py\n@@\n-a\n+b\n*** End Patch\n"
RANGE = "edit 1:1\nb\nend_of_edit\n"


def unwrapped(content: str, path: str = "a.py") -> list[tuple[str, tuple[str, ...]]]:
    first, *following = unwrap(content, path)
    assert first == (content, ())
    return following


@pytest.mark.parametrize(
    ("content", "text", "names"),
    [
        ("```\na\n```", "a\n", ()),
        ("```diff\na\nb\n```\n", "a\nb\n", ()),
        ("\n\n~~~~\na\n~~~~\n\n", "a\n", ()),
        ("```\na\n`````  ", "a\n", ()),
        ("  ```\na\n  ```\n", "a\n", ()),
        ("```python b.py\na\n```\n", "a\n", ("b.py",)),
        ("b.py\n```\na\n```\n", "a\n", ("b.py",)),
        ("## b.py\n```python\na\n```\n", "a\n", ("b.py",)),
        ("apply_patch <<EOF\na\nEOF\n", "a\n", ()),
        ("apply_patch <<'EOF' && ls\na\nb\n EOF\n", "a\nb\n", ()),
        ('git apply - <<-"END_1"\na\nEND_1\n', "a\n", ()),
        ("  cat > a.py << X\na\nX\n", "a\n", ()),
    ],
)
def test_a_wrapping_is_removed(content: str, text: str, names: tuple[str, ...]) -> None:
    assert unwrapped(content) == [(text, names)]


@pytest.mark.parametrize(
    "content",
    [
        "",
        "```\n```\n",
        "```\na\n``\n",
        "````\na\n```\n",
        "```\na\n~~~\n",
        "```\na\n```\nb\n",
        "```\na\n``` x\n",
        "words here\n```\na\n```\n",
        "b.py\nc.py\n```\na\n```\n",
        "apply_patch <<EOF\na\nEND\n",
        "run <<EOF\na\nEOF\n",
        "patched <<EOF\na\nEOF\n",
        "a\nb\nc\n",
    ],
)
def test_other_contents_have_no_wrapping(content: str) -> None:
    assert unwrapped(content) == []


@pytest.mark.parametrize("content", [BLOCK, DIFF, PATCH])
def test_marks_show_an_edit(content: str) -> None:
    assert shows_edit(content, "a.py") and shows_edit(f"```\n{content}```\n", "a.py")
    assert shows_edit(f"b.py\n```diff\n{content}```\n", "a.py")
    # A file of this type has a diff as its text.
    assert not shows_edit(content, "a.DIFF") and not shows_edit(content, "a/b.patch")
    assert shows_edit(content, "diff") and shows_edit(content, "a.diffs")


def test_an_edit_that_breaks_off_shows_it_too() -> None:
    assert shows_edit("<<<<<<< SEARCH\na\n", "a.py")
    assert shows_edit(PATCH.replace("-a\n+b\n", ""), "a.py")


def test_notations_without_marks_do_not_show_an_edit() -> None:
    for content in ("", "a = 1\n", RANGE, '{"old_str": "a", "new_str": "b"}\n', "-a\n+b\n"):
        assert not shows_edit(content, "a.py") and not shows_edit(f"```\n{content}```\n", "a.py")


def test_a_reading_names_the_files_in_and_around_it() -> None:
    reading = read_edit(f"c.py\n```\nb.py\n{BLOCK}```\n", "a.py")
    assert reading is not None and reading.kind == "search/replace blocks" and reading.names == ("c.py", "b.py")
    reading = read_edit(f"c.py\n```\n{DIFF}```\n", "a.py")
    assert reading is not None and reading.names == ("a.py", "c.py")


def test_a_content_has_the_kind_of_its_notation() -> None:
    assert kind_of(DIFF) == "unified diff" and kind_of(DIFF, "a.rej") == "whole text"
    assert kind_of("<<<<<<< SEARCH\na\n") == "search/replace blocks" and kind_of("a\n") == "whole text"
    assert kind_of("-a\n+b\n", "", "a\n") == "diff without a head" and kind_of("-a\n+b\n") == "whole text"
    with pytest.raises(UnreadableEdit, match=r"^the last block has no end$") as error:
        read_edit("<<<<<<< SEARCH\na\n")
    assert error.value.kind == "search/replace blocks" and error.value.error.reason == "the last block has no end"


def test_readers_that_need_the_file_come_last() -> None:
    kinds = [reader.kind for reader in READERS]
    assert kinds[0] == "anchors" and kinds[-2:] == ["diff without a head", "sketch"]
