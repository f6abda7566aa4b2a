"""Formats: what they write they read, they never raise, they harm nothing, and their fingerprints tell them apart."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from numbering import unnumbered
from strategies import documents, replies

import symops_lark
from symops_lark.core.document import Action, Completeness, Document, Thought, Vitals
from symops_lark.core.formats.loading import formats
from symops_lark.core.grammar.dialect import UNSAID
from symops_lark.core.grammar.loading import dialects
from symops_lark.core.ground.errors import GrammarError, RenderError, SymOpsError
from symops_lark.core.ground.resources import find_folder
from symops_lark.core.processor import MAX_CHARACTERS
from symops_lark.core.replies.messages import Finish, ModelError, Reply
from symops_lark.core.strict.parser import parse
from symops_lark.lab.benchmark.faults import documents as made
from symops_lark.lab.benchmark.faults.dialects import load
from symops_lark.lab.benchmark.fidelity import State, assess
from symops_lark.lab.benchmark.formats import Format, known_formats, load_format
from symops_lark.lab.benchmark.records import Attempt, Case
from symops_lark.lab.benchmark.sources.simulated import Simulated
from symops_lark.lab.benchmark.sources.transcripts import Transcripts
from symops_lark.lab.benchmark.tasks import load_tasks
from symops_lark.models.scripted import ScriptedModel

INSTALLED = [name for name, missing in known_formats().items() if not missing]
NAIVE = ("v1-naive", "v2-naive")  # they do not read all that they write, as the original notes do not
EXACT = [name for name in INSTALLED if name not in NAIVE]
# They say actions alone, and prose is around these.
ACTIONS_ONLY = ("aider-search-replace", "aider-whole", *formats())
FORMATS = {name: load_format(name) for name in INSTALLED}
TWO_FILES = Document(
    (
        Thought("A module and its test."),
        Vitals((("confidence", 0.9),)),
        Action("create", "src/a.py", 'def a():\n    return "a\\n"\n\n\nprint(a())'),
        Action("create", "tests/test_a.py", "from src.a import a\n\nassert a()"),
    )
)


def read(format: Format, text: str, finish: Finish = Finish.STOP) -> list[Attempt]:
    return list(format.read(Reply(text, finish)))


def test_every_kind_of_format_is_there():
    encoded = {"json", "yaml", "markdown", "json-baml"}
    assert {*dialects(), *encoded, *NAIVE, *ACTIONS_ONLY} == set(known_formats())
    assert {*dialects(), *encoded, *NAIVE, *formats()} <= set(INSTALLED)


@pytest.mark.parametrize("name", EXACT)
@given(data=st.data())
@settings(max_examples=4)
def test_what_a_format_writes_it_reads(name, data):
    format = FORMATS[name]
    document = data.draw(documents(name if name in dialects() else "v2_1"))
    assume(document.sections and not format.refuse(document))
    first = read(format, format.write(document))[-1 if name in formats() else 0]
    assert first.phase == "strict" or name in formats()
    if name not in ACTIONS_ONLY:
        assert first.document is not None and unnumbered(first.document) == unnumbered(document)
    elif document.actions:
        usual = {item.code for item in first.diagnostics}
        assert assess(format.draft(document).expected, first.document, first.diagnostics, usual).state is State.RIGHT


@pytest.mark.alike(6)
@pytest.mark.slow
@pytest.mark.parametrize("name", EXACT)
@given(document=documents("v2"))
@settings(max_examples=5)
def test_a_draft_says_the_same(name, document):
    format = FORMATS[name]
    assume(document.actions and not format.refuse(document))
    draft = format.draft(document)
    # A content that quotes marks of the format is right, and doubted.
    first = read(format, draft.text())[-1 if name in formats() else 0]
    usual = {item.code for item in first.diagnostics}
    assert assess(draft.expected, first.document, first.diagnostics, usual).state is State.RIGHT
    if name not in dialects():
        assert draft.text() == format.write(document)


@pytest.mark.parametrize("name", INSTALLED)
@given(text=st.one_of(replies(), st.text()), cut=st.booleans(), written=st.booleans(), at=st.integers(0, 400))
@settings(max_examples=6)
def test_no_text_makes_a_format_raise(name, text, cut, written, at):
    format = FORMATS[name]
    if written:
        whole_reply = format.write(TWO_FILES)
        text = whole_reply[: at % len(whole_reply)] + text + whole_reply[at % len(whole_reply) :]
    attempts = read(format, text, Finish.LENGTH if cut else Finish.UNKNOWN)
    assert [attempt.phase for attempt in attempts] == list(format.phases[: len(attempts)])
    assert all(attempt.document is None for attempt in attempts[:-1] if not attempt.accepted) or name not in dialects()
    assert not any(attempt.accepted for attempt in attempts[:-1])
    format.collides(text)


@pytest.mark.parametrize("name", INSTALLED)
def test_faultless_texts_come_to_no_harm(name):
    format = FORMATS[name]
    assert format.refuse(TWO_FILES) == ""
    assert format.harms(format.write(TWO_FILES)) == ""
    assert format.harms("Sure! Here it is.") == "strict" or name.startswith("aider") or name in ("markdown", *NAIVE)


@pytest.mark.parametrize("name", EXACT)
def test_nothing_harms_a_faultless_document(name):
    format = FORMATS[name]
    dialect = load(name if name in dialects() else "v2")
    drawn = made.draw_documents(8, "harm", dialect)
    intended = [parse(made.write(document, dialect), dialect.format) for document in drawn]
    texts = [format.write(document) for document in intended if not format.refuse(document)]
    harms = [format.harms(text) for text in texts]
    assert "" in harms
    # A content that quotes marks of the format is doubted.
    assert set(harms) == {""} or (name in formats() and set(harms) == {"", "strict"})


@pytest.mark.parametrize(
    ("name", "content", "collides"),
    [
        ("v1", "a\n--\nb", True),
        ("v1", "a\n  --\nb --", False),
        ("v1", "<<<", False),
        ("v2", "a\n>>>\nb", True),
        ("v2", "a\n<<< \nb", True),
        ("v2", ">>> x = 1\n--", False),
        ("v2_end_marked", ">>>END", True),
        ("v2", ">>>END", False),
        ("plain", "[CONTENT_END]", True),
        ("json", '"\n}\n```\n>>>', False),
        ("yaml", "- kind: action", False),
        ("markdown", "a\n```\nb", True),
        ("markdown", "```python", False),
        ("v2-naive", ">>>", True),
        ("aider-search-replace", "a\n=======\nb", True),
        ("aider-search-replace", "```\n==", False),
        ("aider-whole", "```python", True),
        ("aider-whole", " ```", False),
    ],
)
def test_collisions(name, content, collides):
    if name not in INSTALLED:
        pytest.skip(known_formats()[name])
    assert FORMATS[name].collides(content) is collides
    if name in ("v1", "v2", "v2_end_marked", "plain", "aider-search-replace", "aider-whole"):
        assert bool(FORMATS[name].refuse(Document((Action("create", "a.txt", content),)))) is collides


@pytest.mark.parametrize("name", INSTALLED)
def test_a_format_is_taught_with_examples_that_it_reads(name):
    format = FORMATS[name]
    messages = format.teach("Write a file.")
    assert messages[0].role == "system" and messages[-1].content == "Write a file."
    output = messages[0].content.split("<reply>\n")[1].split("</reply>")[0]
    turns = [message.content + "\n" for message in messages if message.role == "assistant"]
    assert turns
    for reply in [output, *turns] if name not in NAIVE else [turns[0]]:
        first = read(format, reply)[0]
        assert first.accepted or not first.document or not first.document.actions
        assert first.accepted or name in ACTIONS_ONLY


@pytest.mark.slow
def test_the_same_requests_are_shown_in_all_formats():
    table = {name: {m.content for m in FORMATS[name].teach("x") if m.role == "user"} for name in INSTALLED}
    assert table["json"] == table["yaml"] == table["markdown"] == table["v2"] == table["json-baml"]
    assert all(requests <= table["v2"] for requests in table.values())


@pytest.mark.slow
def test_fingerprints_tell_formats_apart_and_stay():
    table = {name: load_format(name).fingerprint for name in INSTALLED}
    assert len(set(table.values())) == len(table)
    assert table == {name: format.fingerprint for name, format in FORMATS.items()}


@pytest.mark.slow
def test_fingerprints_change_with_rules_and_grammar(tmp_path: Path):
    rule = tmp_path / "rules" / "colon-lost.yaml"
    rule.parent.mkdir()
    rule.write_text(
        "id: colon-lost\nphase: line\nsummary: A line says so.\nwhy: To see it in a test.\ncost: 1\nlines: [head]\n"
        "replace: {pattern: '^make (\\S+)$', with: '{action}create {target}\\1'}\n"
        "examples: [{before: 'make a.py', after: '::create @a.py'}]\nunchanged: ['make']\n",
        encoding="utf-8",
    )
    plain, ruled = FORMATS["v2"], load_format("v2", rules=[rule.parent])
    assert plain.rules != ruled.rules and plain.fingerprint != ruled.fingerprint
    text = "make a.py\n<<<\nx = 1\n>>>\n"
    assert read(plain, text)[-1].document != read(ruled, text)[-1].document
    path = tmp_path / "mine.lark"
    path.write_text(symops_lark.derive("v2", {"_ACTION": '"%%"'}), encoding="utf-8")
    mine = load_format(str(path))
    assert mine.name == str(path) and mine.fingerprint != plain.fingerprint and mine.rules == plain.rules
    assert "%%create @src/a.py" in mine.write(TWO_FILES) and "%%create @src/a.py" in mine.draft(TWO_FILES).text()
    assert read(mine, mine.write(TWO_FILES))[0].document == TWO_FILES


def test_unknown_names_are_answered_with_near_ones(tmp_path: Path):
    with pytest.raises(SymOpsError, match=r"no format is called 'jsn'; did you mean json"):
        load_format("jsn")
    with pytest.raises(GrammarError, match=r"nowhere.lark"):
        load_format(str(tmp_path / "nowhere.lark"))


def test_dialects_pass_the_phases_of_the_pipeline():
    format = FORMATS["v2"]
    whole_reply = format.write(TWO_FILES)
    assert [(a.phase, a.accepted) for a in read(format, whole_reply)] == [("strict", True)]
    phases = [(a.phase, a.accepted) for a in read(format, whole_reply.replace("::create", "$ create"))]
    assert phases == [("strict", False), ("repaired", True)]
    assert [a.accepted for a in read(format, whole_reply.replace("\n", "\r"))] == [False, True]
    foreign = '[{"action": "create", "path": "a.py", "content": "1"}]'
    assert [a.accepted for a in read(format, foreign)] == [False, False, True]
    assert not read(format, "Nothing to be done.")[-1].accepted
    assert read(format, "x" * (MAX_CHARACTERS + 1)) == [Attempt("strict", None)]


def test_the_model_is_asked_where_a_reply_is_broken_or_cut_off():
    format = FORMATS["v2"]
    whole_reply = format.write(TWO_FILES)
    messages = format.teach("Write two files.")
    for text, finish in (("I would rather talk about it.", Finish.STOP), ("::create @a.py\n", Finish.STOP)):
        attempts = list(format.read(Reply(text, finish), messages, ScriptedModel([whole_reply])))
        assert attempts[-1].phase == "corrected" and attempts[-1].document == TWO_FILES and attempts[-1].accepted
    half = whole_reply[: whole_reply.index("assert a()")]
    attempts = list(format.read(Reply(half, Finish.LENGTH), messages, ScriptedModel([whole_reply[len(half) - 30 :]])))
    assert attempts[-1].phase == "corrected" and attempts[-1].document == TWO_FILES
    assert [a.phase for a in format.read(Reply(whole_reply, Finish.STOP), messages, ScriptedModel([]))] == ["strict"]


@pytest.mark.parametrize("name", ["json", "yaml", "markdown"])
def test_a_reply_that_is_known_to_be_cut_off_is_marked(name):
    format = FORMATS[name]
    text = format.write(TWO_FILES)
    cut = read(format, text[: text.rindex("assert")], Finish.LENGTH)[-1]
    assert cut.document is not None and cut.document.actions[-1].completeness is Completeness.TRUNCATED


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("json", '{"sections": [{"kind": "action", "type": "run", "path": "ls", "why": "x"}]}'),
        ("json", '{"sections": [{"kind": "action", "type": "run"}]}'),
        ("json", '{"sections": []} thanks'),
        ("json", '{"sections": {}}'),
        ("json", '[{"kind": "thought", "text": "x"}]'),
        ("json", "[" * 100_000),
        ("yaml", "- kind: thought\n  text: x\n  more: y\n"),
        ("yaml", "kind: thought\ntext: x\n"),
        ("yaml", "Sure:\n- kind: thought\n  text: x\n"),
        ("yaml", "- kind: action\n  type: run\n  path: 1.0\n"),
        ("markdown", "Sure!\n\n## run `ls`\n"),
        ("markdown", "## Run `ls`\n"),
        ("markdown", "**run `ls`**\n"),
        ("json-baml", '{"sections": [{"kind": "action", "type": "Run", "path": "ls"}]}'),
    ],
)
def test_what_is_not_exactly_the_format_is_no_generation(name, text):
    assert read(FORMATS[name], text)[0].document is None


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("json", '{"sections": [{"kind":"action", "type":"run", "path":"ls", "dependencies": [], "content": null}]}'),
        ("yaml", "- {kind: action, type: run, path: ls}\n"),
        ("markdown", "\n## run `ls`\n\n\n"),
    ],
)
def test_other_spellings_of_the_format_are_generation(name, text):
    assert read(FORMATS[name], text)[0].document == Document((Action("run", "ls"),))


def test_the_format_of_a_user_is_measured_by_its_grammar_file_alone(tmp_path: Path):
    path = tmp_path / "team.lark"
    path.write_text(
        "// A head that opens its content, and a tag that closes it.\n"
        'document: write*\nwrite: "=== " PATH _NL CONTENT "=== end" _NL\n'
        "PATH: /[^ \\n]+/\nCONTENT: /([^\\n]*\\n)*/\n_NL: /\\n/\n",
        encoding="utf-8",
    )
    format = load_format(str(path))
    reply = format.write(TWO_FILES)
    assert "=== src/a.py\n" in reply and "A module and its test." in reply
    assert read(format, reply)[0].accepted and format.name == str(path)
    assert format.collides("a\n=== end\nb") and not format.collides("a")
    assert format.draft(Document((Action("create", "a", "x\n=== end\ny"),))).text().count("=== end") == 2


@pytest.mark.parametrize("name", sorted(formats()))
def test_transcripts_in_a_format_of_another_agent_are_known_by_it(name, tmp_path: Path):
    format = FORMATS[name]
    (tmp_path / "reply.txt").write_text(format.write(TWO_FILES), encoding="utf-8")
    assert Transcripts(tmp_path, ()).formats == (name,)


def test_what_a_dialect_has_no_marks_for_is_left_out_of_its_tasks(tmp_path: Path) -> None:
    grammar = (find_folder("grammars") / "plain.lark").read_text(encoding="utf-8")
    for part in (
        " depends_line*",
        "depends_line: _DEPENDS _SP DEPENDENCY (_SP? _COMMA _SP? DEPENDENCY)* _NL\n",
        '_DEPENDS: "[ACTION_DEPENDS]"\n',
        '_MOOD: "[MOOD]"\n',
        " | _MOOD",
    ):
        assert part in grammar
        grammar = grammar.replace(part, "")
    path = tmp_path / "team.lark"
    path.write_text(grammar, encoding="utf-8")
    team, plain = load_format(str(path)), load_format("plain")
    for task in load_tasks():
        text = team.draft(task.document).text()
        assert UNSAID not in text
        assert "[ACTION_DEPENDS]" not in text and "[MOOD]" not in text
        assert len(team.draft(task.document).expected) == len(plain.draft(task.document).expected)


OWN = r"""
document: (_GAP | note)*
note: _NOTE _SP TITLE _NL
_NOTE: "##"
TITLE: /[a-z]+/
_GAP: /[ \t]*\r?\n/
_SP: /[ \t]+/
_NL: /[ \t]*\r?\n/
"""


@pytest.mark.slow
def test_a_dialect_without_actions_has_no_reply_to_a_task(tmp_path: Path) -> None:
    """An empty reply would count as a wrong one, by no fault of its writer."""
    path = tmp_path / "own.lark"
    path.write_text(OWN, encoding="utf-8")
    own = load_format(str(path))
    for task in load_tasks():
        with pytest.raises(RenderError, match="cannot say a"):
            own.draft(task.document)
        source = Simulated("mid")
        with pytest.raises(ModelError, match="has no way to write this"):
            source.give(Case(own.name, task.name, 0), own, task)
