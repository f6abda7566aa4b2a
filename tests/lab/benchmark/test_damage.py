"""Damage in formats that are no dialects: every neutral mistake can be made, and is the same mistake there."""

from __future__ import annotations

import random
from functools import cache

import pytest

from symops_lark.core.document import Action, Document, Thought, Vitals
from symops_lark.core.formats.loading import formats
from symops_lark.core.grammar.loading import dialects
from symops_lark.core.replies.messages import Reply
from symops_lark.core.strict.parser import parse
from symops_lark.lab.benchmark.faults.dialects import load
from symops_lark.lab.benchmark.faults.documents import draw_documents, write
from symops_lark.lab.benchmark.faults.mistakes import REGISTRY, Draft, applicable, apply_mistakes
from symops_lark.lab.benchmark.fidelity import State, assess
from symops_lark.lab.benchmark.formats import known_formats, load_format

FOREIGN = ("json", "yaml", "markdown", "json-baml", "aider-search-replace", "aider-whole", *formats())
# By the word on a fence: a reply as JSON is no mistake in JSON, and quoted contents hold no delimiter.
IMPOSSIBLE = {"json": {"reply-as-json", "delimiter-in-content"}, "markdown": {"reply-as-file-fences"}}
# Contents with signs or escapes hold no delimiter, and a line of a patch opens nothing.
QUOTED = (
    *("apertus", "deepseek_v3", "functionary", "harmony", "hermes_json", "hunyuan", "json_calls", "kimi_k2", "mistral"),
    *("named_calls", "python_calls", "react", "apply_patch"),
)
UNOPENED = {"opener-missing", "openers-all-missing"}
UNCLOSED = ("yaml", "unified_diff")
VERBLESS = ("aider-search-replace", "aider-whole", *formats())
REFUSALS = known_formats()
INSTALLED = [name for name in FOREIGN if not REFUSALS[name]]
FORMATS = {name: load_format(name) for name in INSTALLED}
PLAIN = Document(
    (
        Thought("Two modules, without any sign that needs an escape."),
        Vitals((("confidence", 0.9), ("focus", 0.8))),
        Action("create", "src/a.py", "answer = 42"),
        Action("edit", "src/b.py", "import a"),
    )
)


@cache
def meant() -> list[Document]:
    return [PLAIN, *(parse(write(document, "v2"), "v2") for document in draw_documents(25, "foreign", "v2"))]


def drafts(name: str) -> list[Draft]:
    return [FORMATS[name].draft(document) for document in meant() if not FORMATS[name].refuse(document)]


@pytest.mark.parametrize("name", INSTALLED)
def test_every_neutral_mistake_can_be_made(name):
    originals = drafts(name)
    never = {item.name for item in applicable(originals[0].dialect)}
    for item in applicable(originals[0].dialect):
        for number, draft in enumerate(originals):
            before = draft.text()
            mistakes = apply_mistakes(draft, [item], random.Random(f"{item.name}/{number}"))
            assert draft.text() == before and (mistakes is None or mistakes.text() != before)
            if mistakes is not None:
                never.discard(item.name)
                break
    assert draft.dialect.foreign is not None
    impossible = IMPOSSIBLE.get(draft.dialect.foreign.info, set())
    if name in QUOTED:
        impossible = impossible | {"delimiter-in-content"}
    if name == "apply_patch":
        impossible = impossible | UNOPENED
    assert never == impossible


@pytest.mark.parametrize("name", INSTALLED)
def test_only_neutral_mistakes_can_be_made(name):
    draft = drafts(name)[0]
    possible = {item.name for item in applicable(draft.dialect)}
    assert len(possible) >= 40
    assert {"preamble", "reply-fenced", "truncated", "think-section", "opener-missing"} <= possible
    assert possible.isdisjoint({"lone-chevron", "mark-missing", "tags-closed", "heads-of-the-other-version"})
    assert ("closer-missing-at-the-end" in possible) is (name not in UNCLOSED)
    assert ("verb-in-capitals" in possible) is (name not in VERBLESS)
    for item in REGISTRY.values():
        assert item.name in possible or apply_mistakes(draft, [item], random.Random(1)) is None


def test_dialects_have_the_mistakes_that_they_had():
    for name in dialects():
        dialect = load(name)
        assert [item.name for item in applicable(dialect)] == [
            item.name for item in REGISTRY.values() if dialect.lines or not item.tagged
        ]


@pytest.mark.slow
@pytest.mark.parametrize("name", ["v1", "v2", "plain"])
def test_mistakes_of_any_kinds_meet_or_decline(name):
    dialect = load(name)
    kinds, rng, count = applicable(dialect), random.Random(name), 0
    for document in draw_documents(150, "meet", dialect):
        for _ in range(6):
            count += (
                apply_mistakes(Draft.of(document, dialect), rng.sample(kinds, rng.choice((2, 3, 4))), rng) is not None
            )
    assert count > 200


# What a mistake makes of the small document: what must be in the text, and what became of what was meant.
MADE = [
    ("json", "closer-missing-at-the-end", '"content": "import a\n    }', State.PATHS_ONLY),
    ("json", "opener-missing", '"content": answer = 42"', State.RIGHT),
    ("json", "text-behind-closer", '"answer = 42" ', State.RIGHT),
    ("json", "fence-inside-block", '"content": "```python\\nanswer = 42\\n```"', State.RIGHT),
    ("json", "verb-in-capitals", '"type": "CREATE"', State.PARTIAL),
    ("json", "path-emphasised", '"path": "*', State.PARTIAL),
    ("json", "think-section", "<think", State.RIGHT),
    ("json", "no-break-spaces", '"path":\u00a0"', None),
    ("json", "full-width-delimiters", '"content": \uff02', None),
    ("json", "newlines-escaped", '{\\n  "sections"', None),
    ("yaml", "markers-indented", "kind: action", None),
    ("yaml", "opener-missing", "content: \n    answer = 42", State.RIGHT),
    ("yaml", "fence-inside-block", "|-\n    ```python\n    answer = 42\n    ```", State.RIGHT),
    ("yaml", "reply-blockquoted", "> - kind: thought", None),
    ("markdown", "closer-missing-at-the-end", "import a\n", State.RIGHT),
    ("markdown", "verb-capitalised", "## Create `src/a.py`", State.RIGHT),
    ("markdown", "reply-fenced", "````", None),
    ("aider-search-replace", "opener-missing", "```python\n=======", None),
    ("aider-search-replace", "closer-missing-at-the-end", "import a\n```", State.NO_ANSWER),
    ("aider-search-replace", "blank-before-opener", "\n\n<<<<<<< SEARCH", None),
    ("aider-whole", "blank-before-opener", "src/a.py\n\n", State.NO_ANSWER),
    ("aider-whole", "truncated-in-content", "```python\n", None),
]


@pytest.mark.parametrize(("name", "fault", "shown", "state"), MADE)
def test_a_mistake_is_the_same_in_every_format(name, fault, shown, state):
    if name not in INSTALLED:
        pytest.skip(REFUSALS[name])
    format, result = FORMATS[name], []
    for seed in range(60):
        mistakes = apply_mistakes(format.draft(PLAIN), [REGISTRY[fault]], random.Random(seed))
        if mistakes is not None and shown in mistakes.text():
            last = list(format.read(Reply(mistakes.text())))[-1]
            document = last.document if last.accepted else None
            result.append(assess(mistakes.expected, document, last.diagnostics).state)
    assert result
    assert state is None or set(result) == {state}


@pytest.mark.parametrize("name", INSTALLED)
@pytest.mark.parametrize("fault", ["truncated", "truncated-in-content"])
def test_what_is_expected_of_a_cut_off_reply_is_a_beginning(name, fault):
    for number, draft in enumerate(drafts(name)[:12]):
        mistakes = apply_mistakes(draft, [REGISTRY[fault]], random.Random(number))
        if mistakes is None:
            continue
        assert draft.text().startswith(mistakes.text())
        for got, item in zip(mistakes.expected, draft.expected, strict=False):
            content = item.contents[0]
            for text in filter(None, got.contents):
                marks = (draft.marks.open, f"{content}\n{draft.marks.close}", f"{content}{draft.marks.close}")
                assert any(element.startswith(text.rstrip("\n")) for element in (content or "", *marks))


@pytest.mark.parametrize("name", INSTALLED)
def test_the_same_seed_makes_the_same_damage(name):
    draft, names = drafts(name)[0], ("preamble", "path-in-link", "postamble")
    mistakes = [REGISTRY[item] for item in names]
    items = [apply_mistakes(draft, mistakes, random.Random("seed")) for _ in range(3)]
    texts = {damaged and damaged.text() for damaged in items}
    assert len(texts) == 1 and not texts & {draft.text(), None}
