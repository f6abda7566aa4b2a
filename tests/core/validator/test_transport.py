"""Transport: what is found at the edges of contents, in commands and in paths, with its twins."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from symops_lark.core.discourse.tables import END, our_tables
from symops_lark.core.discourse.transport_table import our_transport
from symops_lark.core.document import Action, Document
from symops_lark.core.grammar.loading import load_dialect
from symops_lark.core.ground.file_types import LANGUAGES
from symops_lark.core.validator import VALUE_CHECKS
from symops_lark.core.validator.signs import select_checks
from symops_lark.core.validator.tags import is_token

VERBS = load_dialect("v2").verbs
CODE = "x = 1\ny = 2\n"
CONFLICT = "\n<<<<<<< HEAD\nx\n=======\ny\n>>>>>>> main\n"


def codes(path: str, content: str | None, verb: str = "create") -> list[str]:
    """Return the codes of all checks, and check that those with a sign find the same."""
    document = Document((Action(verb, path, content),), "v2")
    findings = [finding for check in VALUE_CHECKS for finding in check(document, VERBS)]
    signs = select_checks(document, VERBS)
    selected = [check for check in VALUE_CHECKS if check in signs]
    assert [finding for check in selected for finding in check(signs[check], VERBS)] == findings
    return [finding.code for finding in findings]


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
        ("a.py", CODE + "<|im_end|>", "control-token"),
        ("a.py", CODE + "z = 3<|eot_id|>", "control-token"),
        ("a.py", CODE + "<｜end▁of▁sentence｜>", "control-token"),
        ("a.py", "<|assistant|>\n" + CODE, "control-token"),
        ("a.py", "<|im_end|>", "control-token"),
        ("a.py", "<|im_start|>assistant\n" + CODE, "control-token"),
        ("a.py", "<start_of_turn>model\n" + CODE, "control-token"),
        ("a.py", "<![CDATA[\n" + CODE + "]]>", "cdata-content"),
        ("a.py", "<![CDATA[\n" + CODE, "cdata-content"),
        ("a.py", CODE + "]]>", "cdata-content"),
        ("a.py", "</content>", "transport-line"),
        ("a.py", "*** Begin Patch\n*** Add File: a.py\n+x\n*** End Patch", "transport-line"),
        ("a.py", "Your code goes here.\n" + CODE, "placeholder-content"),
        ("a.tsx", CODE + "{/* ... rest of the page ... */}", "left-out-code"),
        ("a.md", "# A\n\nText.\n<|im_end|>", "control-token"),
        ("a.py", CODE + "</s>", "control-token"),
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
        ("a.py", "x\n<<<<<<< HEAD\nx\n=======\ny\n>>>>>>> main\n", "conflict-marks"),
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
        ("a.txt", "<|im_start|>user\n{{ prompt }}\n<|im_end|>\n</s>"),  # a template of a chat
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
        ("a.py", f"A = '''{CONFLICT}'''\n"),
        ("a.svg", "<svg>\n</svg>"),
        ("a.css", "/* empty */"),
        ("__init__.py", "# The package."),
        ("a.html", "<s>\n<p>a</p>\n</s>"),  # struck text
        ("a.jsx", "<s>\na\n</s>"),
        ("a.html", "<s>done</s>\n<p>\n</p>\n<s>done</s>"),
        ("a.xml", "<![CDATA[\na\n]]>"),
        ("a.yaml", '{"name": "a"}'),
        ("a.py", '"<![CDATA["\n]]>'.replace("]]>", "x")),
        ("a.py", "<<<<<<< HEAD\nx\n>>>>>>> main\n"),  # without the line between the halves
        ("a.tsx", "{/* the page */}"),
    ],
)
def test_contents_that_are_meant(path: str, content: str) -> None:
    assert codes(path, content) == []


@pytest.mark.parametrize(
    "content",
    [
        "<<<<<<< SEARCH\nx\n=======\ny\n>>>>>>> REPLACE\n",
        "*** Begin Patch\n*** Update File: a.py\n@@\n-x\n+y\n*** End Patch",
        "<old_text>\nx\n</old_text>\n<new_text>\ny\n</new_text>",
    ],
)
def test_edits_may_be_in_a_notation(content: str) -> None:
    assert codes("a.py", content, "edit") == []
    assert codes("a.py", content + "\n</content>", "edit") == ["transport-line"]


@pytest.mark.parametrize(
    ("command", "content", "code"),
    [
        ("pytest -q</command>", None, "transport-end"),
        ("pytest -q</parameter></invoke>", None, "transport-end"),
        ("pytest -q<|im_end|>", None, "doubtful-command"),
        ("pytest -q<｜end▁of▁sentence｜>", None, "doubtful-command"),
        ("pytest -q </s>", None, "doubtful-command"),
        ("look --id /function_calls> block", None, "transport-end"),
        ('{"command": "pytest"}', None, "transport-end"),
        ("a &amp;&amp; b", None, "escaped-command"),
        ("# only words", None, "no-command"),
        ("bash", "ls", "block-for-command"),
        ("/usr/bin/python3", "print()", "block-for-command"),
        ("# make", None, "no-command"),
        ("pytest ::run @ls", None, "two-in-one"),
        ("pytest $ create @ a.py", None, "two-in-one"),
    ],
)
def test_commands(command: str, content: str | None, code: str) -> None:
    assert codes(command, content, "run") == [code]


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
        "make --test @file",
        "echo $test $file a.py::test @x",
        "echo '&lt;' && a & b",
        "echo <s>x</s>",
    ],
)
def test_commands_that_are_meant(command: str) -> None:
    assert codes(command, None, "run") == []
    assert codes("bash", None, "run") == []


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
    assert codes(path, "x") == ["doubtful-path"]


@pytest.mark.parametrize(
    "path", ["a.py", "src/a b.py", "Makefile", "h", "log", "src/[id]/page.tsx", "日本語.md", "$a/b", "a/*.py"]
)
def test_paths_that_are_meant(path: str) -> None:
    assert codes(path, "x") == []


def test_a_folder_may_have_the_name_of_a_language() -> None:
    assert codes("python", None, "delete") == []
    assert codes("src/python", "x") == []


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
def test_signs_overlook_nothing(lines: list[str], suffix: str) -> None:
    codes(f"a.py{suffix}", "\n".join(lines))  # `codes` compares both


TABLE = our_transport()
PIECES = sorted({*TABLE.last, "<|im_end|>", "[/INST]", "</s>", "</content>", "</x:parameter>", "]]>"})
SUFFIXES = st.sampled_from([".py", ".ts", ".go", ".md", ".html", ".sh", ".yaml", ""])


@pytest.mark.parametrize("piece", PIECES)
def test_every_piece_is_found_once(piece: str) -> None:
    assert len(codes("a.py", f"{CODE}{piece}\n")) == 1
    assert len(codes("a.py", f"{CODE}  {piece} \r\n")) == 1


@pytest.mark.parametrize("line", sorted({*TABLE.first, *TABLE.bare_labels}))
def test_every_line_at_the_beginning_is_found_once(line: str) -> None:
    assert codes("a.py", f"{line}\n{CODE}") == ["transport-line"]


@given(st.sampled_from(PIECES), SUFFIXES, st.sampled_from(["'", '"', "`"]))
def test_a_piece_in_a_string_is_not_found(piece: str, suffix: str, quote: str) -> None:
    assert codes(f"a{suffix}", f"{CODE}END = {quote}{piece}{quote}\n") == []
    assert codes(f"a{suffix}", f"{CODE}print({quote}{piece}{quote})\n") == []


@given(st.sampled_from(PIECES), SUFFIXES, st.sampled_from(["#", "//", "--", "%", "/*", "<!--"]))
def test_a_piece_in_a_comment_is_not_found(piece: str, suffix: str, sign: str) -> None:
    end = {"/*": " */", "<!--": " -->"}.get(sign, " ends it")
    assert codes(f"a{suffix}", f"{CODE}{sign} {piece}{end}\n") == []
    assert codes(f"a{suffix}", f"{sign} {piece}{end}\n{CODE}") == []


@given(st.sampled_from(PIECES), SUFFIXES)
def test_a_piece_in_the_middle_is_not_found(piece: str, suffix: str) -> None:
    assert codes(f"a{suffix}", f"{CODE}{piece}\n{CODE}") == []


@given(st.sampled_from(sorted(TABLE.elements)), SUFFIXES)
def test_a_closing_tag_with_its_opening_one_is_not_found(name: str, suffix: str) -> None:
    assert codes(f"a{suffix}", f"{CODE}<{name} a='b'>\n{CODE}</{name}>\n") == []
    assert codes(f"a{suffix}", f"{CODE}<{name}>\n{CODE}</{name}>\n") == []


def test_the_end_of_a_here_document_is_not_found() -> None:
    for line in TABLE.here_document:
        assert codes("a.sh", f"cat <<'{line}'\ntext\n{line}\n") == []


def test_the_tokens_that_end_replies_are_known_by_their_form() -> None:
    ends = [token for token, (kind, _) in our_tables().tokens.items() if kind == END]
    assert len(ends) > 20 and [token for token in ends if not is_token(token)] == []


@pytest.mark.parametrize("suffix", sorted(LANGUAGES))
def test_ordinary_contents_of_all_languages(suffix: str) -> None:
    assert codes(f"a{suffix}", "alpha(beta);\n\ngamma = delta\n") == []


@pytest.mark.parametrize(
    "unit", ["</a>", "<a>b</a>", "<|a|>", "[|a|]", " ::run @", "&amp;", "<a ", "Word. ", "=======\n", "<<<<<<< a\n"]
)
def test_checks_take_time_linear_in_pieces(unit: str) -> None:
    """A square would take minutes."""
    content = unit * (300_000 // len(unit))
    for path in ("a.py", "a.md"):
        codes(path, content)
        codes(path, f"{CODE}{content}{CODE}{content}")
    codes(content.replace("\n", " "), None, "run")
