"""The baselines: what they write they read, they read anything, and of a damaged reply they keep what is intact."""

from __future__ import annotations

import random
import sys

import pytest
from hypothesis import given, reject, settings
from hypothesis import strategies as st
from strategies import documents, lines

from symops_lark import RenderError, SymOpsError
from symops_lark.core.document import Action, Completeness, Document, ErrorNote, Question, Skipped, Thought, Vitals
from symops_lark.lab.baselines import BASELINES

NAMES = ("json", "markdown", "yaml")
EVERYTHING = Document(
    (
        Thought("I will fix it: first the code."),
        Thought("Then the tests #2."),
        Vitals((("confidence", 0.88), ("mood", 1.0))),
        Vitals((("stamina", 1e-7),)),
        Action("create", "src/a b.py", "def f():\n\treturn '```'  \n\n", ("b.py", "c.py")),
        Action("create", "empty", ""),
        Action("create", "windows.ini", "a=1\r\nb=2"),
        Action("run", "ls > out | wc", "\n  input"),
        Question('Use "x"?', ("yes", "", "no: never")),
        ErrorNote("Slow"),
        ErrorNote("Timeout", "job.py", "after 3 s"),
        Action("delete", "old.py"),
    )
)
CREATE, DELETE = Action("create", "a.py", "x = 1\n"), Action("delete", "b.py")
ENDINGS = st.sampled_from(["", "\n", "\n\n", "\n\n\n", "\n \n", "\r\n", "\r", " "])
CONTENTS = st.builds("{}{}{}".format, ENDINGS, st.text() | st.lists(lines()).map("\n".join), ENDINGS)
TWO = Document((Thought("Two steps."), CREATE, DELETE))


def decode(name: str, text: str) -> Document:
    return BASELINES[name].decode(text)


def test_the_registry_knows_its_modules() -> None:
    assert tuple(BASELINES) == NAMES
    assert all(BASELINES[name].name == name for name in NAMES)
    with pytest.raises(KeyError):
        BASELINES["toml"]


# ---- laws


@pytest.mark.parametrize("name", NAMES)
def test_everything_comes_back(name: str) -> None:
    assert decode(name, BASELINES[name].encode(EVERYTHING)) == EVERYTHING
    assert decode(name, BASELINES[name].encode(Document())) == Document()


@pytest.mark.parametrize("name", ["json", "yaml"])
@given(document=documents("v2"))
def test_json_and_yaml_say_every_document(name: str, document: Document) -> None:
    assert decode(name, BASELINES[name].encode(document)) == document


@pytest.mark.parametrize("name", ["json", "yaml"])
@given(content=st.none() | CONTENTS)
def test_json_and_yaml_say_every_content(name: str, content: str | None) -> None:
    document = Document((Action("create", "a.py", content), DELETE))
    assert decode(name, BASELINES[name].encode(document)) == document


@given(document=documents("v2"))
def test_markdown_says_a_document_or_refuses_it(document: Document) -> None:
    try:
        text = BASELINES["markdown"].encode(document)
    except RenderError as error:
        assert "has a NUL" in str(error), "a dialect's documents have no other fault"
    else:
        assert decode("markdown", text) == document


@given(content=CONTENTS)
def test_markdown_says_every_content_that_does_not_end_with_a_carriage_return(content: str) -> None:
    document = Document((Action("create", "a.py", content), DELETE))
    if content.endswith("\r"):
        with pytest.raises(RenderError, match="section 1: its content ends with a carriage return"):
            BASELINES["markdown"].encode(document)
    else:
        assert decode("markdown", BASELINES["markdown"].encode(document)) == document


@pytest.mark.parametrize("name", NAMES)
def test_numbers_and_attributes_come_back(name: str) -> None:
    attributes = (("mode", "append"), ("note", "a=b, c: `d` #1"), ("empty", ""))
    document = Document((Action("edit", "a.py", "x", ("b.py",), number=3, attributes=attributes), DELETE))
    assert decode(name, BASELINES[name].encode(document)) == document


@pytest.mark.parametrize("name", NAMES)
def test_skipped_text_is_left_out(name: str) -> None:
    text = BASELINES[name].encode(Document((Skipped("Sure!"), *TWO.sections)))
    assert "Sure" not in text and decode(name, text) == TWO


@pytest.mark.parametrize("name", NAMES)
def test_what_no_format_can_say_is_refused(name: str) -> None:
    for section in (Action("create", " "), Action("", "a"), Vitals((("mood", float("nan")),)), Vitals(())):
        with pytest.raises(RenderError, match="section 2"):
            BASELINES[name].encode(Document((Thought("x"), section)))


@pytest.mark.parametrize(
    ("section", "reason"),
    [
        (Thought("a\nb"), "text has a line break"),
        (Thought("a "), "text begins or ends with a blank"),
        (Question("x", ("a", "b ")), "choices begins or ends with a blank"),
        (ErrorNote("x", None, "a\rb"), "message has a line break"),
        (Action("create", "a\0b"), "path has a NUL"),
        (Action("Create It", "a"), "would be read differently"),
        (Vitals(()), "the vitals have no value"),
    ],
)
def test_markdown_refuses_with_the_reason(section: Thought, reason: str) -> None:
    with pytest.raises(RenderError, match=f"section 2: .*{reason}"):
        BASELINES["markdown"].encode(Document((Thought("x"), section)))


@pytest.mark.parametrize("name", NAMES)
@given(text=st.text() | st.text("{}[]\"':,`#*->|!&%@\\ \t\n\rkindactiopeh01", max_size=80))
def test_any_text_is_read(name: str, text: str) -> None:
    assert isinstance(decode(name, text), Document)


@pytest.mark.parametrize("name", NAMES)
@settings(deadline=None)
@given(document=documents("v2"), seed=st.integers(0, 2**32))
def test_any_damaged_text_is_read(name: str, document: Document, seed: int) -> None:
    chance = random.Random(seed)
    try:
        text = BASELINES[name].encode(document)
    except RenderError:
        reject()
    for _ in range(chance.randint(1, 5)):
        start, end = sorted(chance.randint(0, len(text)) for _ in range(2))
        piece = chance.choice(["", "\n", "```\n", '"', "'", "\t", "{", "]", "- kind: action\n", "# ", "\ud800", "\x00"])
        text = text[:start] + piece + text[min(end, start + 8) :]
    assert isinstance(decode(name, text), Document)


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize(
    "piece", ["[", "{", '{"kind":', "- ", "> ", "1. ", "`", "` `` ", '"', "\\", "- kind: action\n", "*", "&a ", "\n "]
)
def test_repetitions_are_read(name: str, piece: str) -> None:
    assert decode(name, piece * 3000).actions == ()
    assert isinstance(decode(name, BASELINES[name].encode(TWO) + piece * 3000), Document)


# ---- whole replies that are packed differently


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("before", ["", "Sure! Here is what I will create:\n\n"])
@pytest.mark.parametrize("after", ["", "\n\nLet me know if I should run `pytest` as well."])
@pytest.mark.parametrize("fenced", [False, True])
def test_a_packed_reply_is_read(name: str, before: str, after: str, fenced: bool) -> None:
    text = BASELINES[name].encode(TWO)
    text = f"```{name}\n{text}```" if fenced else text
    assert decode(name, before + text + after) == TWO
    assert {a.completeness for a in decode(name, before + text + after).actions} == {Completeness.COMPLETE}


PROSE = """\
# Plan

## Create the parser

I would create `a.py`, run `pytest` and delete `b.py`: {"path": "a.py"}.

## Summary of `changes`
## Next steps

- create: a.py
- run: pytest

```python
x = 1
```

**Note:** nothing else, kind of.
"""


@pytest.mark.parametrize("name", NAMES)
def test_prose_is_no_action(name: str) -> None:
    assert decode(name, PROSE) == Document()


@pytest.mark.parametrize("name", NAMES)
def test_each_cut_keeps_the_actions_before_it(name: str) -> None:
    """A reply that is cut off anywhere: the intact action is kept, and no action has more than was written."""
    text = BASELINES[name].encode(TWO)
    index = text.index("x = 1") + len("x = 1")
    for end in range(len(text)):
        actions = decode(name, text[:end]).actions
        if end > text.index("b.py") + 5:
            assert actions == (CREATE, DELETE)
        for action in actions[:1]:
            assert (action.type, action.path) == ("create", "a.py") or name == "yaml"
            assert CREATE.content is not None and CREATE.content.startswith(action.content or "")
            if name != "yaml" and end < index and action.content is not None:
                assert action.completeness is Completeness.TRUNCATED


# ---- JSON


HEAD = '{"sections": [{"kind": "action", "type": "create", "path": "a.py"'


@pytest.mark.parametrize(
    "text",
    [
        HEAD + r', "content": "x = 1\n",},],}',
        HEAD + r', "content": "x = 1\n"}',
        HEAD + ', "content": "x = 1\n"}]}',
        r"{'sections': [{'kind': 'action', 'type': 'create', 'path': 'a.py', 'content': 'x = 1\n'}]}",
        r'{sections: [{kind: "action", type: "create", path: "a.py", content: "x = 1\n"}]}',
        r'[{"type": "create", "kind": "Action", "path": "a.py", "content": "x = 1\n", "dependencies": null}]',
        r'{"kind": "action", "verb": "create", "file": "a.py", "content": "x = 1\n"}',
        '{"reply": ' + HEAD + r', "content": "x = 1\n"}]}}',
        "```json\n" + HEAD + ', "content": "x = 1\\n"}\n```\nI hope this helps: {it}!',
    ],
)
def test_damaged_json_is_read(text: str) -> None:
    assert decode("json", text).actions == (CREATE,)
    assert decode("json", text).actions[0].completeness is Completeness.COMPLETE


def test_several_json_objects_are_read() -> None:
    text = '{"kind": "thought", "text": "a"}\n{"kind": "action", "type": "delete", "path": "b.py"}\n'
    assert decode("json", text).sections == (Thought("a"), DELETE)


@pytest.mark.parametrize("end", ["", "\\", "\\u00", "  "])
def test_a_cut_json_content_is_truncated(end: str) -> None:
    [action] = decode("json", HEAD + r', "content": "x = \"1\"' + end).actions
    assert (action.content, action.completeness) == ('x = "1"' + end.strip("\\u0"), Completeness.TRUNCATED)


def test_half_a_json_path_is_no_action() -> None:
    assert decode("json", HEAD.removesuffix('py"')).actions == ()
    assert decode("json", HEAD + ",").actions[0].completeness is Completeness.TRUNCATED


def test_a_json_content_that_is_no_text_is_suspect() -> None:
    [action] = decode("json", HEAD + ', "content": {"name": "x"}}]}').actions
    assert (action.content, action.completeness) == (None, Completeness.SUSPECT)


# ---- YAML

CREATE_YAML = "- kind: action\n  type: create\n  path: a.py\n  content: |\n    x = 1\n"
DELETE_YAML = "- kind: action\n  type: delete\n  path: b.py\n"


def test_yaml_contents_are_literal_blocks() -> None:
    text = BASELINES["yaml"].encode(TWO)
    assert "- kind: thought\n  text: Two steps.\n" in text and CREATE_YAML in text
    make = BASELINES["yaml"].encode(Document((Action("create", "Makefile", "all:\n\techo  \n\n"),)))
    assert "content: |+\n    all:\n    \techo  \n\n" in make


@pytest.mark.parametrize(
    "text",
    [
        "sections:\n  " + CREATE_YAML.replace("\n", "\n  ") + "\n",
        CREATE_YAML.replace("    ", "\t\t").replace("  ", "\t"),
        CREATE_YAML.replace("- kind", "-\tkind"),
        CREATE_YAML + "\nThat is all: done.\n",
        "- kind: thought\n  text: first: the code\n" + CREATE_YAML,
        '- kind: thought\n  text: "Quoted" at the beginning\n' + CREATE_YAML,
        "- kind: thought\n  text: `a.py` and @b\n" + CREATE_YAML,
        CREATE_YAML + "- kind: thought\n  text: 'cut off",
        CREATE_YAML.replace("x = 1", "x = 1").replace("\n", "\r\n"),
        '[{kind: action, type: create, path: a.py, content: "x = 1\\n"}]',
        "```yaml\n" + CREATE_YAML + "```\n\nand\n\n```yaml\n- kind: thought\n  text: that is all\n```\n",
    ],
)
def test_damaged_yaml_is_read(text: str) -> None:
    assert decode("yaml", text).actions == (CREATE,)
    assert decode("yaml", text).actions[0].completeness is Completeness.COMPLETE


def test_bare_yaml_values_are_kept() -> None:
    text = "- kind: thought\n  text: do: it\n- kind: action\n  type: run\n  path: !x & y\n- kind: thought\n  text: no\n"
    assert decode("yaml", text).sections == (Thought("do: it"), Action("run", "!x & y"), Thought("no"))


def test_a_yaml_content_without_indentation_is_suspect() -> None:
    text = CREATE_YAML.replace("    x = 1", "x = 1") + DELETE_YAML
    create, delete = decode("yaml", text).actions
    assert (create.content, create.completeness) == ("", Completeness.SUSPECT)
    assert (delete, delete.completeness) == (DELETE, Completeness.COMPLETE)


def test_a_cut_quoted_yaml_content_is_truncated() -> None:
    text = '- kind: action\n  type: create\n  path: a.py\n  content: "x = 1\\r\\n\\x0'
    [action] = decode("yaml", text).actions
    assert (action.content, action.completeness) == ("x = 1\r\n", Completeness.TRUNCATED)


def test_characters_that_yaml_forbids_are_kept() -> None:
    text = CREATE_YAML.replace("x = 1", "x = '\x1b\x85\u2028\ud800'")
    assert decode("yaml", text).actions[0].content == "x = '\x1b\x85\u2028\ud800'\n"


# ---- Markdown

FENCE = "```\nx = 1\n\n```\n"


@pytest.mark.parametrize(
    "head",
    [
        "## create `a.py`",
        "# create `a.py`",
        "#### Create: `a.py`",
        "**create `a.py`**",
        "**Create `a.py`:**",
        "## **create `a.py`**",
        "## create a.py",
        "create `a.py`\n---",
        "## Action: create `a.py`",
        "### Step 1: Create `a.py`",
        "- create\n\n## create `a.py` ##",
    ],
)
@pytest.mark.parametrize(
    "tail",
    [FENCE, "\n" + FENCE, "```python\nx = 1\n\n```\nDone.", FENCE.replace("```", "~~~"), "\nThe module:\n\n" + FENCE],
)
def test_damaged_markdown_is_read(head: str, tail: str) -> None:
    [action] = decode("markdown", f"{head}\n{tail}\n## Summary\n").actions
    assert (action.type, action.path, action.content) == ("create", "a.py", "x = 1\n")
    assert action.completeness is Completeness.COMPLETE


def test_fences_in_lists_are_read() -> None:
    text = "1. **create `a.py`**\n\n   ```py\n   if x:\n       y\n   ```\n2. **delete `b.py`**\n"
    assert decode("markdown", text).sections == (Action("create", "a.py", "if x:\n    y"), DELETE)


def test_bare_dependencies_are_read() -> None:
    text = "## create `a.py`\n**Depends on:** b.py, `c d.py`\n" + FENCE
    assert decode("markdown", text).sections == (Action("create", "a.py", "x = 1\n", ("b.py", "c d.py")),)


def test_an_open_fence_at_the_end_is_truncated() -> None:
    [action] = decode("markdown", "## create `a.py`\n\n```\nx = 1\nprint(").actions
    assert (action.content, action.completeness) == ("x = 1\nprint(", Completeness.TRUNCATED)
    [action] = decode("markdown", "Sure:\n\n```markdown\n## create `a.py`\n\n```\nx = 1\n").actions
    assert (action.content, action.completeness) == ("x = 1", Completeness.TRUNCATED)


def test_a_fence_that_a_content_closed_is_suspect() -> None:
    [action] = decode("markdown", "## create `a.md`\n\n```\nRun\n```sh\nmake\n```\nand go\n```\n").actions
    assert action.completeness is Completeness.SUSPECT


def test_output_of_a_command_is_not_its_content() -> None:
    text = "## run `pytest -q`\n\nIt should print:\n\n```\nok\n```\n"
    assert decode("markdown", text).sections == (Action("run", "pytest -q"),)


def test_a_repair_leaves_no_mark_in_pairs() -> None:
    """Pairs are lists in a list: the characters that show the effect of a repair were kept in them."""
    head = '{"sections": [{"kind": "action", "type": "run", "path": "x", "attributes": '
    newline = decode("json", head + '[["a", "b\\n"], ["a", "c"]],,}')
    assert newline.actions[0].attributes == (("a", "b\n"), ("a", "c"))
    cut = decode("json", head + '[["a", "b"], ["a", "c')
    assert cut.actions[0].attributes == () and cut.actions[0].completeness is Completeness.TRUNCATED


# ---- libraries


@pytest.mark.parametrize(("name", "library"), [("json", "json_repair"), ("markdown", "markdown_it"), ("yaml", "yaml")])
def test_a_missing_library_is_named(name: str, library: str, monkeypatch: pytest.MonkeyPatch) -> None:
    from symops_lark.lab.baselines import markdown_reading

    monkeypatch.setitem(sys.modules, library, None)
    markdown_reading._parser.cache_clear()
    with pytest.raises(SymOpsError, match=rf"{library}.*pip install 'symops-lark\[baselines\]'"):
        decode(name, "x")
