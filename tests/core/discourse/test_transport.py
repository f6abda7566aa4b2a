"""Transport: what is found at the edges of contents, in commands and in paths, with its twins."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from symops_lark.core.discourse import transport
from symops_lark.core.discourse.transport import find_in_command, find_in_content, find_in_path
from symops_lark.core.ground.file_types import LANGUAGES

CODE = "x = 1\ny = 2\n"


def codes(path: str, content: str, is_edit: bool = False) -> list[str]:
    return [finding.code for finding in find_in_content(path, content, is_edit)]


@pytest.mark.parametrize(
    ("path", "content", "code"),
    [
        ("a.py", CODE + "</content>\n", "transport-line"),
        ("a.py", CODE + "</parameter></invoke>", "transport-line"),
        ("a.py", CODE + "</｜DSML｜parameter>", "transport-line"),
        ("a.py", CODE + "</x:parameter>", "transport-line"),
        ("a.md", "# A\n\nText.\n</content>\n", "transport-line"),
        ("a.md", "# A\n\n<parameter name='i'>Write it</parameter>", "transport-line"),
        ("a.html", "<file_content>\n<p>a</p>\n</file_content>", "transport-line"),
        ("a.py", "<file>\n" + CODE + "</file>", "transport-line"),
        ("a.py", "<content>\n" + CODE, "transport-line"),
        ("a.py", CODE + "<|im_end|>", "transport-line"),
        ("a.py", CODE + "z = 3<|eot_id|>", "transport-line"),
        ("a.py", CODE + "<｜end▁of▁sentence｜>", "transport-line"),
        ("a.py", "<|assistant|>\n" + CODE, "transport-line"),
        ("a.md", "# A\n\nText.\n<|im_end|>", "transport-line"),
        ("a.py", CODE + "</s>", "transport-line"),
        ("a.py", CODE + "EOF\n", "transport-line"),
        ("a.py", CODE + "*** End of File", "transport-line"),
        ("a.md", "# A\n\nText.\n*** End Patch", "transport-line"),
        ("a.py", "[PYTHON]\n" + CODE, "transport-line"),
        ("a.py", CODE + "User: thanks\n", "transport-line"),
        ("a.ts", "assistant\n" + CODE, "transport-line"),
        ("a.py", "Here is the file you asked for:\n" + CODE, "prose-in-code"),
        ("a.ts", CODE + "This adds the handler to the server.", "prose-in-code"),
        ("a.go", CODE + "これで処理が追加されました。", "prose-in-code"),
        ("src/a.py", "src/a.py\n" + CODE, "path-line"),
        ("src/a.py", "**src/a.py**\n" + CODE, "path-line"),
        ("src/a.py", "File: `src/a.py`\n" + CODE, "path-line"),
        ("src/a.ts", "## src/a.ts\n" + CODE, "path-line"),
        ("a.py", '{"content": "x = 1"}', "call-for-content"),
        ("a.png", "a picture of a cat", "text-for-binary"),
        ("a.py", "<<<<<<< HEAD\nx\n=======\ny\n>>>>>>> main\n", "conflict-marks"),
        ("a.css", "/* INPUT_REQUIRED {the style} */", "placeholder-content"),
    ],
)
def test_contents(path: str, content: str, code: str) -> None:
    assert codes(path, content) == [code]
    assert codes(path, content.replace("\n", "\r\n")) == [code]


@pytest.mark.parametrize(
    ("path", "content"),
    [
        ("a.py", ""),
        ("a.py", CODE),
        ("a.py", 'x = """\n</content>\n"""\n'),  # in a string
        ("a.py", CODE + "# </content>\n"),  # in a comment
        ("a.md", "```\n</content>\n```\n"),  # in a block
        ("a.jsx", "const a = (\n<div>\n</div>\n)\n</div>".replace("</div>\n)", ")")),
        ("a.tsx", "export default () =>\n<Tool>\n</Tool>"),
        ("a.html", "<content>\n</content>\n<p>\n</p>"),  # balanced
        ("a.svelte", "<script>\n</script>\n{#if a}\n</section>"),
        ("a.xml", "<response>\n<a>1</a>\n</response>"),
        ("a.html", "<div>\n</output>"),  # an element of HTML
        ("a.vue", "<template>\n</template>"),
        ("a.diff", "-a\n+</content>\n</content>"),
        ("a.md", "Write `<|im_end|>` at the end.\nIt is `<|im_end|>`"),
        ("a.py", CODE + "END = '<|im_end|>'"),
        ("a.ml", "let f = a\n|> b"),
        ("a.hs", CODE + "f = a <|> b"),
        ("a.sh", "cat <<EOF\ntext\nEOF\n"),
        ("a.py", "import os\n# Here is the file you asked for:\n"),
        ("a.py", '"""Here is the module.\n"""\n' + CODE),
        ("a.txt", "Here is the file you asked for:\nIt is short.\n"),
        ("a.yaml", "User: admin\nhost: b\n"),
        ("a.sql", "SELECT a FROM b.\nSELECT c."),
        ("src/a.py", "# src/a.py\n" + CODE),
        ("src/a.py", "## src/a.py\n" + CODE),
        ("src/a.ts", "// src/a.ts\n" + CODE),
        ("a.json", '{"content": "x"}'),
        ("a.js", '{"use": 1}'),
        ("a.md", "<<<<<<< HEAD\nx\n=======\ny\n>>>>>>> main\n"),
        ("a.py", "=======\n" + CODE),
        ("a.svg", "<svg>\n</svg>"),
        ("a.css", "/* empty */"),
        ("__init__.py", "# The package."),
    ],
)
def test_contents_that_are_meant(path: str, content: str) -> None:
    assert codes(path, content) == []


def test_edits_may_have_the_marks_of_conflicts() -> None:
    assert codes("a.py", "<<<<<<< SEARCH\nx\n=======\ny\n>>>>>>> REPLACE\n", is_edit=True) == []


@pytest.mark.parametrize(
    ("command", "content", "code"),
    [
        ("pytest -q</command>", None, "transport-end"),
        ("pytest -q</parameter></invoke>", None, "transport-end"),
        ("pytest -q<|im_end|>", None, "transport-end"),
        ("pytest -q<｜end▁of▁sentence｜>", None, "transport-end"),
        ("pytest -q </s>", None, "transport-end"),
        ("look --id /function_calls> block", None, "transport-end"),
        ('{"command": "pytest"}', None, "transport-end"),
        ("a &amp;&amp; b", None, "escaped-command"),
        ("# only words", None, "no-command"),
        ("bash", "ls", "block-for-command"),
        ("/usr/bin/python3", "print()", "block-for-command"),
        ("pytest ::run @ls", None, "two-in-one"),
    ],
)
def test_commands(command: str, content: str | None, code: str) -> None:
    assert [finding.code for finding in find_in_command(command, content)] == [code]


@pytest.mark.parametrize(
    "command",
    [
        "pytest -q",
        "echo '<b>x</b>'",
        "echo <b>x</b>",
        "printf '%s' '<|im_end|>'",
        "echo '`<|im_end|>`'",
        "grep '&amp;' a.html",
        "#!/bin/sh",
        "pytest tests/a.py::test_b",
        "bash run.sh",
        "jq '{\"a\": 1}'",
        "npm i @scope/name",
    ],
)
def test_commands_that_are_meant(command: str) -> None:
    assert list(find_in_command(command)) == []
    assert list(find_in_command("bash", None)) == []


@pytest.mark.parametrize(
    "path",
    [
        "# src/a.py",
        "%PATH%",
        "${HOME}/a.py",
        "a|b.py",
        "`a.py`",
        "a.py ***",
        "::create",
        "src\\a.py",
        "C:/a.py",
        "このファイルを作成します",
        "the file that you want",
        "python",
        "a.py$ create @ a.py",
    ],
)
def test_paths(path: str) -> None:
    assert [finding.code for finding in find_in_path(path)] == ["doubtful-path"]


@pytest.mark.parametrize(
    "path",
    ["a.py", "src/a b.py", "Makefile", "c", "Dockerfile", "src/[id]/page.tsx", "日本語.md", "$a/b"],
)
def test_paths_that_are_meant(path: str) -> None:
    assert list(find_in_path(path)) == []


EDGES = st.sampled_from(
    [
        "</content>",
        "<content>",
        "<|im_end|>",
        "x = 1<|im_end|>",
        "</s>",
        "EOF",
        "# END OF FILE #",
        "*** End of File",
        "--- END ---",
        "[CODE]",
        "User: thanks",
        "assistant",
        "This adds the handler to the server.",
        "これで処理が追加されました。",
        "a.py",
        "**a.py**",
        "## a.py",
        "File: a.py",
        "=======",
        "<<<<<<< HEAD",
        ">>>>>>> main",
        "x = 1",
        "  y = [2]",
        "Text.",
        "",
    ]
)


@given(st.lists(EDGES, min_size=1, max_size=5), st.sampled_from(["", ".md", ".txt", ".ts", ".png"]))
def test_the_quick_test_overlooks_nothing(lines: list[str], suffix: str) -> None:
    path = f"a.py{suffix}"
    content = "\n".join(lines)
    quick = list(find_in_content(path, content))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(transport, "_is_quiet", lambda path, bare: False)
        assert list(find_in_content(path, content)) == quick


@pytest.mark.parametrize("suffix", sorted(LANGUAGES))
def test_ordinary_contents_of_all_languages(suffix: str) -> None:
    assert codes(f"a{suffix}", "alpha(beta);\n\ngamma = delta\n") == []
