"""Dialects that say new things, through every public verb: a rule's or terminal's name is that of what it says."""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path

import pytest
from command_line import run
from hypothesis import given, settings
from hypothesis import strategies as st
from jsonschema import Draft202012Validator
from new_dialects import NEW, SECTIONS, write_dialects

import symops_lark
from symops_lark import Action, CustomSection, Document, GrammarError, RenderError, Vitals, convert, parse, render
from symops_lark.core.document import Part, Section
from symops_lark.core.grammar.loading import load_dialect, load_grammar
from symops_lark.core.streaming import SectionContent, SectionFinished, SectionStarted, assemble
from symops_lark.core.strict.builder import Builder, build
from symops_lark.core.text.source import Span
from symops_lark.lab.workbench.check import check_grammar

SCHEMA = Path(symops_lark.__file__).parent / "core" / "document.schema.json"


@pytest.fixture(scope="session")
def dialects(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    return write_dialects(tmp_path_factory.mktemp("new"))


def own(sections: Iterable[Section]) -> list[str]:
    """Return the names of what only a dialect of its own says."""
    texts: list[str] = []
    for section in sections:
        match section:
            case CustomSection():
                texts.append(section.name)
            case Vitals():
                texts += [name for name in section if name == "doubt"]
            case Action():
                texts += [name for name, _ in section.attributes]
    return texts


@pytest.mark.parametrize("name", NEW)
def test_dialects_that_say_new_things_through_every_public_verb(
    name: str, dialects: dict[str, Path], tmp_path: Path
) -> None:
    new, path = NEW[name], str(dialects[name])
    text = tmp_path / "reply.txt"
    text.write_text(new.text, encoding="utf-8")
    for words in (
        ["check", text, "--format", path],
        ["parse", text, "--format", path],
        ["process", text, "--format", path],
        ["recover", text, "--format", path],
        ["plan", text, "--root", tmp_path, "--format", path],
        ["convert", text, "--from", path, "--to", path],
        ["stream", "--format", path],
        ["prompt", "--system", "--format", path],
        ["grammar", "show", path, "--marks"],
        ["grammar", "sample", path, "-n", "5"],
        ["grammar", "trace", path, text],
        ["grammar", "diagram", path, "-o", tmp_path / "rules.svg"],
        ["export", "lark", "--format", path, "-o", tmp_path / "lark"],
        ["export", "gbnf", "--format", path, "-o", tmp_path / "gbnf"],
        ["export", "textmate", "--format", path, "-o", tmp_path / "textmate"],
        ["export", "pygments", "--format", path, "-o", tmp_path / "pygments"],
    ):
        done = run(*map(str, words), stdin=new.text if words[0] == "stream" else "")
        # Nobody knows what a verb of the dialect's own does to files: a plan says so.
        likely = (0, 1) if words[0] == "check" or (words[0], name) == ("plan", "verb") else (0,)
        assert done.exit_code in likely, (words, done.stdout, done.stderr)
        if words[0] in ("parse", "process", "recover") and name != "vital":
            assert all(item in done.stdout for item in new.names), done.stdout
    assert run("repair", str(text), "--format", path).stdout == new.text
    assert own(parse(new.text, path).sections) == list(new.names)
    assert render(parse(new.text, path), path) == new.text


@pytest.mark.slow
@pytest.mark.alike(3)
@pytest.mark.parametrize("name", NEW)
def test_a_dialect_is_proven_by_its_use(name: str, dialects: dict[str, Path]) -> None:
    report = check_grammar(dialects[name])
    assert [finding for finding in report.findings if finding.severity != "note"] == []


@pytest.mark.parametrize("name", NEW)
def test_damaged_texts_say_what_they_were_to_say(name: str, dialects: dict[str, Path]) -> None:
    new, path = NEW[name], dialects[name]
    processor = symops_lark.SymOpsProcessor(path)
    for text in new.broken:
        repaired = processor.repair(text)
        assert repaired.document is not None and processor.repair(repaired.text).text == repaired.text
        recovered, processed = processor.recover(text), processor.process(text).document
        assert recovered.price > 0
        answer = set(own(processed.sections))
        assert answer == set(own(recovered.sections)) and answer <= set(new.names)
        assert len(answer) >= min(len(set(new.names)), 2)
        for section in (*recovered.custom, *processed.custom):
            assert section.text.rstrip() == text[section.span.start : section.span.end].rstrip()


@pytest.mark.parametrize("name", NEW)
def test_a_stream_announces_them(name: str, dialects: dict[str, Path]) -> None:
    new, path = NEW[name], dialects[name]
    for text, size in ((new.text, 1), (new.text, 7), (new.text, 10_000)):
        parser = symops_lark.StreamParser(path)
        events = list(parser.events(text[at : at + size] for at in range(0, len(text), size)))
        assert assemble(events).sections == parse(text, path).sections and parser.close().differences == ()
        assert json.dumps([event.to_dict() for event in events])


_LINES = st.sampled_from(
    [">> no thought", "## no title", "%% passed 3", "  >>>", "::create @a.py", "x = 1", "", "<<", "word"]
)


@pytest.mark.slow
@given(lines=st.lists(_LINES, max_size=9), times=st.sampled_from([1, 60]), size=st.sampled_from([1, 3, 10_000]))
@settings(max_examples=10, deadline=None)
def test_a_block_of_a_section_is_announced_while_it_arrives(
    dialects: dict[str, Path], lines: list[str], times: int, size: int
) -> None:
    """A section of a dialect's own is begun, filled line by line, ended: as long as it may be, whatever is in it."""
    content = "\n".join(lines * times)
    text = f"## A title\n<<<\n{content}\n>>>\n%% loud\n<<<\n{content}\n>>>\n::create @a.py\n<<<\nx\n>>>\n"
    parser = symops_lark.StreamParser(dialects["blocks"])
    events = list(parser.events(text[at : at + size] for at in range(0, len(text), size)))
    document = parse(text, dialects["blocks"])
    assert assemble(events) == document and parser.close().differences == ()
    matching_events = [event for event in events if isinstance(event, SectionContent)]
    assert len(matching_events) == 2 * (content.count("\n") + 1)
    for event in matching_events:
        assert text[event.span.start : event.span.end] == event.text
    ends = [event for event in events if isinstance(event, SectionFinished)]
    assert [end.completeness for end in ends] == ["complete"] * 2
    assert [text[end.content_span.start : end.content_span.end] for end in ends] == [content] * 2
    assert [end.span for end in ends] == [section.span for section in document.custom]


def test_a_block_is_announced_before_it_is_whole(dialects: dict[str, Path]) -> None:
    parser = symops_lark.StreamParser(dialects["blocks"])
    parser.receive("## A title\n<<<\nfirst\nsecond\n")
    items = [parser.next_event() for _ in range(3)]
    assert isinstance(items[0], SectionStarted) and items[0].section.part("title") == "A title"
    assert [event.text for event in items[1:]] == ["first", "\nsecond"]  # type: ignore[union-attr]
    result = parser.close(cut_off=True)
    [section] = result.result.document.custom  # type: ignore[union-attr]
    assert section.completeness == "truncated" and 0 < section.confidence < 0.9 and result.differences == ()


@pytest.mark.parametrize(
    ("broken", "completeness"),
    [
        ("## A title\n```\nfirst\n```\n", "complete"),
        ("## A title\n\n<<<\nfirst\n>>>\n", "complete"),
        (" ## A title\n<<\nfirst\n>>>\n", "complete"),
        ("## A title\n<<<\nfirst\n%% quiet\n", "unterminated"),
        ("## A title\n<<<\nfirst\n::run @ls\n", "unterminated"),
    ],
)
def test_broken_blocks_are_told_with_their_confidence(
    dialects: dict[str, Path], broken: str, completeness: str
) -> None:
    """What is put right in a section lowers its confidence, as in an action; a stream says the same of it."""
    parser = symops_lark.StreamParser(dialects["blocks"])
    events = list(parser.events([broken]))
    streamed = parser.close()
    for document in (streamed.result.document, symops_lark.recover(broken, dialects["blocks"])):  # type: ignore[union-attr]
        note = document.custom[0]
        assert note.part("block") == "first" and note.completeness == completeness and 0 < note.confidence < 1
        assert all(item.confidence > note.confidence for item in document.custom[1:])
    assert streamed.differences == ()
    [end] = [event for event in events if isinstance(event, SectionFinished)]
    assert end.completeness == completeness


@pytest.mark.parametrize("name", NEW)
def test_the_schema_knows_them(name: str, dialects: dict[str, Path]) -> None:
    document = parse(NEW[name].text, dialects[name])
    data = json.loads(json.dumps(document.to_dict()))
    Draft202012Validator(json.loads(SCHEMA.read_text(encoding="utf-8"))).validate(data)
    assert Document.from_dict(data) == document
    for text in (NEW[name].text, *NEW[name].broken):
        result = json.loads(json.dumps(symops_lark.process(text, dialects[name]).to_dict()))
        Draft202012Validator(symops_lark.schema("result")).validate(result)


@pytest.mark.parametrize("name", NEW)
def test_what_another_dialect_has_no_words_for_is_announced(name: str, dialects: dict[str, Path]) -> None:
    document = parse(NEW[name].text, dialects[name])
    converted = convert(document, dialects[name], "v2")
    assert own(converted.document.sections) == []
    text = " ".join(loss.message for loss in converted.losses)
    assert all(item in text for item in NEW[name].names)
    if document.custom:
        with pytest.raises(RenderError, match=f"no section {document.custom[0].name}"):
            render(document, "v2")


_TEXTS = st.text(
    st.characters(codec="utf-8", exclude_categories=["Cc", "Zs", "Zl", "Zp", "Cn"]), min_size=1, max_size=8
)


@given(st.lists(st.tuples(_TEXTS, st.lists(_TEXTS, min_size=1, max_size=3), _TEXTS), max_size=4))
@settings(max_examples=10, deadline=None)
def test_what_is_written_is_read_again(dialects: dict[str, Path], rows: list[tuple[str, list[str], str]]) -> None:
    """The law `parse(render(d, x), x) == d` holds of sections that a dialect has of its own, whatever they say."""
    sections: list[Section] = []
    for title, steps, content in rows:
        plan = tuple(
            Part("step", "", (Part("number", str(number)), Part("text", step))) for number, step in enumerate(steps, 1)
        )
        sections.append(CustomSection("plan", (Part("title", title), *plan)))
        sections.append(CustomSection("note", (Part("title", title), Part("block", content))))
    document = Document(tuple(sections))
    assert parse(render(document, dialects["blocks"]), dialects["blocks"]) == document


def test_a_plan_knows_the_verbs_of_a_dialect_that_is_named(tmp_path: Path) -> None:
    """A verb in a group of the grammar does what the group does; of any other it is said what to do about it."""
    path = tmp_path / "mine.lark"
    path.write_text(
        '%import .v2\n%extend _running: BUILD\nBUILD: "build"\n%extend _writing: SAVE\nSAVE: "save"\n'
        '%extend _removing: ERASE\nERASE: "erase"\n%extend _change: MOVE _SP? _TARGET _SP? PATH _SP? _INTO _SP? FILE\n'
        'MOVE: "move"\n_INTO: "=>"\nFILE: /[a-z][a-z.]*/\n',
        encoding="utf-8",
    )
    for name in ("a.txt", "b.txt"):
        (tmp_path / name).write_text("old\n", encoding="utf-8")
    text = "::build @make all > log\n\n::save @a.txt\n<<<\nnew\n>>>\n\n::erase @b.txt\n"
    document = symops_lark.process(text, format=path).document
    plan = symops_lark.plan(document, tmp_path, format=path)
    assert plan.possible and [change.operation for change in plan.changes] == ["run", "replace", "delete"]
    unnamed = symops_lark.plan(document, tmp_path)
    assert [conflict.code for conflict in unnamed.conflicts] == ["unknown-verb"] * 3
    assert "(`--format FILE`, `format=`)" in unnamed.conflicts[0].hint
    (tmp_path / "reply").write_text(text, encoding="utf-8")
    assert run("plan", str(tmp_path / "reply"), "--root", str(tmp_path), "--format", str(path)).exit_code == 0
    moving = symops_lark.process("::move @a.txt => c.txt\n", format=path).document
    [conflict] = symops_lark.plan(moving, tmp_path, format=path).conflicts
    assert conflict.code == "unknown-verb" and "carry it out yourself" in conflict.hint


def test_refusals_name_the_part(dialects: dict[str, Path]) -> None:
    for section, reason in (
        (CustomSection("test_result", (Part("status", "maybe"), Part("count", "1"))), "its status 'maybe'"),
        (CustomSection("test_result", (Part("status", "passed"), Part("kount", "1"))), "no part kount"),
        (CustomSection("test_result", (Part("count", "1"), Part("status", "passed"))), "not in its order"),
        (CustomSection("poem", ()), "no section poem"),
        (Vitals((("joy", 0.5),)), "'joy' is not one of the vitals"),
    ):
        with pytest.raises(RenderError, match=reason):
            render(Document((section,)), dialects["lines"])
    with pytest.raises(RenderError, match="move takes other arguments"):
        render(Document((Action("move", "a.py"),)), dialects["verb"])


@pytest.mark.slow
@pytest.mark.parametrize(
    ("added", "message"),
    [
        (f'%override document: ({SECTIONS} | note)*\nnote: _NOTE _SP BAD _NL\n_NOTE: "##"\nBAD: /(a+)+b/\n', "BAD"),
        ("%override vitals: (VITAL | GLAD) _NL\nGLAD: /::g(yes|no)/\n", "each of its texts ends with a number"),
        (f'%override document: ({SECTIONS} | note)*\nnote: _NOTE _SP TEXT _NL -> memo\n_NOTE: "##"\n', "alias"),
    ],
)
def test_what_could_not_be_used_is_refused_with_its_place(added: str, message: str, tmp_path: Path) -> None:
    path = tmp_path / "mine.lark"
    path.write_text("%import .v2\n" + added, encoding="utf-8")
    with pytest.raises(GrammarError, match=message) as raised:
        parse("## aaaa\n", path)
    assert str(raised.value).startswith(f"{path}:")
    assert not check_grammar(path).compiles


@pytest.mark.slow
def test_use_finds_what_cannot_be_written_again(tmp_path: Path) -> None:
    """Two arguments of one name: the second takes the place of the first, so what is read cannot be said again."""
    path = tmp_path / "mine.lark"
    path.write_text(
        "%import .v2\n%extend _change: SWAP _SP? _TARGET _SP? PATH _SP _WITH _SP FILE _SP _WITH _SP FILE\n"
        'SWAP: "swap"\n_WITH: "=>"\nFILE: /[a-z]+/\n',
        encoding="utf-8",
    )
    report = check_grammar(path)
    [result] = [finding for finding in report.findings if finding.code == "breaks-render"]
    assert report.exit_code == 1 and "swap" in result.example and parse(result.example, path)


@pytest.mark.slow
def test_a_derived_dialect_is_judged_for_what_it_adds(tmp_path: Path) -> None:
    path = tmp_path / "mine.lark"
    path.write_text("%import .v2\n", encoding="utf-8")
    report = check_grammar(path, used=False)
    assert (
        report.findings == ()
        and report.bases == ("v2",)
        and report.inherited == len(check_grammar("v2", used=False).findings)
    )
    path.write_text('%import .v2\n%extend _running: BUILD\nBUILD: "build"\n', encoding="utf-8")
    [finding] = check_grammar(path, used=False).findings
    assert "BUILD" in finding.message and finding.path == load_dialect("v2").path  # type: ignore[attr-defined]


QUOTED = f"""%import .v2
%override document: ({SECTIONS} | note)*
note: "%%" _SP ("create" | WHO) _SP TEXT _NL
WHO: /[a-z]+/
"""


@pytest.mark.parametrize("text", ["%% create it\n", "%% me it\n", "%% creates it\n"])
def test_texts_in_quotes_say_nothing(text: str, tmp_path: Path) -> None:
    path = tmp_path / "quoted.lark"
    path.write_text(QUOTED, encoding="utf-8")
    dialect = load_grammar(path)
    [section] = parse(text, dialect).custom
    [slowly] = build(dialect.lalr.parse(text, "document"), Builder(Span, Span, dialect.marks, dialect.own).makers)
    assert section == slowly and section.part("text") == "it"
    assert section.part("who") == {"create": None}.get(text.split()[1], text.split()[1])
    assert parse(render(parse(text, dialect), dialect), dialect).custom == (section,)


@pytest.mark.parametrize("base", ["v1", "v2"])
@pytest.mark.parametrize("verb", ["+run", "&a [test", "(x|y", "走る"])
def test_a_verb_may_have_any_signs(base: str, verb: str, tmp_path: Path) -> None:
    """In each pattern that has the verbs, a verb is its text; others are read as before."""
    path = tmp_path / "mine.lark"
    path.write_text(f'%import .{base}\n%override TEST: "{verb}"\n', encoding="utf-8")
    marks = load_dialect(path).marks
    said = Document((Action(verb, "make all"), Action("run", "ls"), Action("check", "a b")), "mine")
    text = render(said, path)
    assert verb in text
    for document in (parse(text, path), symops_lark.process("Well.\n" + text, path).document):
        assert [(action.type, action.path) for action in document.actions] == [
            (verb, "make all"),
            ("run", "ls"),
            ("check", "a b"),
        ]
    damaged = text.replace(marks["action"], marks["action"] + " ") + f"So {verb} it is.\n"
    assert symops_lark.process(damaged, path).document.actions[0].type == verb
