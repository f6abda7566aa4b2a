"""The table of mistakes: each has a sentence and a hint in its recovery grammar, and nobody says it in other words."""

from __future__ import annotations

import ast
import re
from collections import Counter
from collections.abc import Iterable, Iterator
from contextlib import suppress
from pathlib import Path

import pytest

import symops_lark
from symops_lark import parse, recover
from symops_lark.core.grammar import codes
from symops_lark.core.grammar.codes import DRAFT_ACTION, EARLY_CLOSE, LOST_ACTION
from symops_lark.core.grammar.dialect import UNSAID
from symops_lark.core.grammar.loading import derive, load_dialect, load_grammar, recovery_text
from symops_lark.core.grammar.mistakes import Mistake, load_mistakes, read_mistakes
from symops_lark.core.ground.errors import GrammarError, RuleError
from symops_lark.core.ground.resources import find_folder
from symops_lark.core.recovery.engines.automaton_compiler import load_automaton
from symops_lark.core.repairs.loader import all_rules, read_rules
from symops_lark.core.text.source import Span

PACKAGE = Path(symops_lark.__file__).parent
DIALECTS = symops_lark.dialects()
OWN = Path("own_recovery.lark")


@pytest.mark.parametrize("name", DIALECTS)
def test_no_mistake_lacks_a_sentence_and_a_hint(name: str) -> None:
    path, text = recovery_text(load_dialect(name))
    table = read_mistakes(path, text)
    priced = load_automaton(path, text).mistakes
    assert len(priced) >= 90
    assert priced.items() <= {code: mistake.price for code, mistake in table.items()}.items()
    for code, mistake in table.items():
        assert mistake.code == code
        assert re.fullmatch(r"[A-Z][^|]{15,130}\.", mistake.sentence), mistake
        assert re.fullmatch(r"[a-z][^|]{10,130}[^.|]", mistake.hint), mistake


@pytest.mark.parametrize("name", DIALECTS)
def test_placeholders_are_marks_of_every_dialect(name: str) -> None:
    dialect = load_dialect(name)
    raw, table = read_mistakes(*recovery_text(dialect)), load_mistakes(dialect)
    words = {word for item in raw.values() for word in re.findall(r"\{(\w*)", item.sentence + item.hint)}
    assert {"open", "close", "action", "target", "thought"} <= words <= dialect.marks.keys()
    assert not any(brace in element.sentence + element.hint for element in table.values() for brace in "{}")
    assert dialect.marks["open"] in table["missing-opener"].hint


def test_a_code_that_is_none_fails() -> None:
    with pytest.raises(KeyError):
        load_mistakes(load_dialect("v2"))["no-such-mistake"]


CODES = {name: value for name, value in vars(codes).items() if name.isupper()}
WORDS = {"prose", "think"}  # which are words, too: of the lab, and roles of lines
ROLES = {"thought"}  # a code of discourse that is the name of a section and a role, too
# Literals that are no codes, and why.
ALLOWED = {
    ("core/document.py", "prose"): "the default of a field, in a layer below the grammar",
    ("exports/highlighting/lines.py", "unknown-verb"): "the label of a color",
    ("lab/playground/samples.py", "decorated-path"): "a mistake that the lab makes",
}


def test_codes_are_called_what_they_are() -> None:
    assert {code.upper().replace("-", "_"): code for code in CODES.values()} == CODES
    assert list(CODES.values()) and len(set(CODES.values())) == len(CODES)


def nodes_of_modules_with(words: Iterable[str]) -> Iterator[tuple[Path, ast.AST]]:
    """Yield the syntax nodes of the modules that hold one of some words; to parse all of them takes seconds."""
    pattern = re.compile("|".join(map(re.escape, words)))
    for path in PACKAGE.rglob("*.py"):
        text = path.read_text(encoding="utf-8")
        if pattern.search(text):
            for node in ast.walk(ast.parse(text)):
                yield path, node


@pytest.mark.slow
def test_no_literal_is_a_code() -> None:
    """Law: the package has each code once, in `grammar/codes` or in the recovery grammar."""
    existing = {*CODES.values(), *(code for name in DIALECTS for code in load_mistakes(load_dialect(name)))} - ROLES
    assert len(existing) > 150
    literals = {
        (str(path.relative_to(PACKAGE)), node.value)
        for path, node in nodes_of_modules_with(f'"{code}"' for code in existing)
        if path not in (PACKAGE / "core/grammar/codes.py", PACKAGE / "core/grammar/mistakes.py")
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and node.value in existing
    }
    assert {pair for pair in literals if pair[1] not in WORDS} | {*ALLOWED} == {*ALLOWED}
    installed = {row for row in ALLOWED if (PACKAGE / row[0]).exists()}
    assert installed <= literals, "a row of ALLOWED is not needed any more"
    assert not {path for path, code in literals if code in WORDS and path.startswith("core/")} - {
        "core/document.py",
        "core/recovery/lines/roles.py",
        "core/repairs/rule.py",
        "core/streaming/blocks.py",
    }


@pytest.mark.slow
def test_codes_that_are_looked_up_are_in_the_table() -> None:
    """A mistake is looked up by a constant of `codes`: it is in the table of every dialect."""
    nodes = [node for _, node in nodes_of_modules_with(CODES)]
    looked_up = {
        CODES[node.slice.id]
        for node in nodes
        if isinstance(node, ast.Subscript) and isinstance(node.slice, ast.Name) and node.slice.id in CODES
    }
    noticed = {
        CODES[node.args[0].id]
        for node in nodes
        if isinstance(node, ast.Call)
        and isinstance(node.func, ast.Attribute)
        and node.func.attr in ("notice", "diagnose")
        and node.args
        and isinstance(node.args[0], ast.Name)
        and node.args[0].id in CODES
    }
    assert {"stray-text", "unclosed-block"} <= looked_up
    assert {"missing-opener", "unreadable-section"} <= noticed
    for name in DIALECTS:
        table = load_mistakes(load_dialect(name))
        assert looked_up | noticed | {EARLY_CLOSE, DRAFT_ACTION, LOST_ACTION} <= table.keys()


def _plainly(sentence: str) -> str:
    return " ".join(sentence.lower().rstrip(".").split())


@pytest.mark.slow
def test_no_sentence_stands_twice() -> None:
    """Neither in the table, nor in a rule or a check of the strict parser, nor in any module beside it."""
    table = [mistake.sentence for mistake in read_mistakes(*recovery_text(load_dialect("v2"))).values()]
    rules = [
        line.removeprefix("summary:")
        for path in find_folder("repair_rules").glob("*/*.yaml")
        for line in path.read_text(encoding="utf-8").split("\n")
        if line.startswith("summary:")
    ]
    assert len(table) >= 98 and len(rules) >= 80
    count = Counter(map(_plainly, [*table, *rules]))
    literals = {
        _plainly(node.value)
        for path in PACKAGE.rglob("*.py")
        if path != PACKAGE / "core" / "grammar" / "mistakes.py"  # its docstring shows one
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.Constant) and isinstance(node.value, str)
    }
    count.update(literals)
    assert {sentence for sentence in map(_plainly, [*table, *rules]) if count[sentence] > 1} == set()


def test_hints_are_not_copied() -> None:
    hints = Counter(mistake.hint for mistake in read_mistakes(*recovery_text(load_dialect("v2"))).values())
    assert {hint: number for hint, number in hints.items() if number > 3} == {}


CLOSERLESS = "::create @a.py\n<<<\nx = 1\n\n::create @b.py\n<<<\ny = 2\n>>>\n"


def test_recovery_stream_and_parser_say_it_in_the_same_words() -> None:
    table = load_mistakes(load_dialect("v2"))
    [closer] = symops_lark.recover(CLOSERLESS, "v2").diagnostics
    assert (closer.code, closer.message) == ("missing-closer", "the closing delimiter is missing; the block ends here")
    assert closer.hint == table["missing-closer"].hint == "write `>>>` after the content"
    noticed = [
        event.diagnostic
        for event in symops_lark.StreamParser("v2").events([CLOSERLESS])
        if isinstance(event, symops_lark.core.streaming.Noticed)
    ]
    assert [(d.code, d.message, d.hint) for d in noticed] == [(closer.code, closer.message, closer.hint)]
    with pytest.raises(symops_lark.ParseError) as caught:
        symops_lark.parse("hello\n", "v2")
    [stray] = caught.value.diagnostics
    assert stray == table["stray-text"].diagnose(stray.span, symops_lark.Severity.ERROR, stray.expected)


def test_a_rule_named_after_a_mistake_says_what_the_table_says(tmp_path: Path) -> None:
    table = load_mistakes(load_dialect("v2"))
    rules = [rule for rule in all_rules() if rule.summary == (table.get(rule.id) or Mistake("", "")).sentence]
    assert len(rules) >= 9
    assert not [rule.id for rule in all_rules() if re.search(r"\{\w+\}", rule.summary)]
    text = rules[0].path.read_text(encoding="utf-8")
    own = tmp_path / rules[0].path.name
    own.write_text(text, encoding="utf-8")
    assert read_rules(own)[0].summary == rules[0].summary
    own.write_text(text + "summary: Mine.\n", encoding="utf-8")
    assert read_rules(own)[0].summary == "Mine."
    other_path = tmp_path / "no-such-mistake.yaml"
    other_path.write_text(text.replace(f"id: {rules[0].id}\n", "id: no-such-mistake\n"), encoding="utf-8")
    with pytest.raises(RuleError, match=r"no-such-mistake\.yaml:1:5: error: the key 'summary' is missing"):
        read_rules(other_path)


# ---- the reader


def test_a_sentence_belongs_to_the_rule_below_it() -> None:
    text = "//! One thing\n//! is wrong. | do it\n//! right\n_one_thing.-700: TEXT\nfine.-3: TEXT\nsilent.-900: TEXT\n"
    mistake, silent = Mistake("one-thing", "One thing is wrong.", "do it right", 700), Mistake("silent", "", "", 900)
    assert read_mistakes(OWN, text) == {"one-thing": mistake, "silent": silent}
    at = Span(3, 4)
    assert mistake.diagnose(at).to_dict() == {
        "code": "one-thing",
        "severity": "warning",
        "message": "one thing is wrong",
        "span": at.to_dict(),
        "expected": [],
        "hint": "do it right",
    }


@pytest.mark.parametrize("behind", ["", "\n", "// a comment\nrule.-700: TEXT\n", "%declare TEXT\n"])
def test_a_sentence_without_a_rule_is_refused(behind: str) -> None:
    with pytest.raises(GrammarError, match=r"own_recovery\.lark:2: expected a rule right below the sentence"):
        read_mistakes(OWN, "//! One thing is wrong.\n" + behind)


def test_what_is_imported_keeps_its_sentences(tmp_path: Path) -> None:
    (tmp_path / "base.lark").write_text("//! It is wrong.\nwrong.-500: TEXT\n")
    for text, expected in {
        "%import .base.document\n": {"wrong"},
        "%import .base (document, wrong)\n": {"wrong"},
        "%import .base.wrong -> odd_one\n": {"wrong", "odd-one"},
        "%import .base\n%override wrong.-600: TEXT\n": {"wrong"},
    }.items():
        mistakes = read_mistakes(tmp_path / "own_recovery.lark", text)
        assert mistakes.keys() == expected
        assert {mistake.sentence for mistake in mistakes.values()} <= {"It is wrong.", ""}
    assert read_mistakes(OWN, "%import .v2_recovery.document\n").keys() >= {"missing-closer", "near-action"}


def test_a_recovery_grammar_of_ones_own(tmp_path: Path) -> None:
    """It takes over our words where it has none; a mistake that nobody knows says its name."""
    (tmp_path / "mine.lark").write_text('%import .v2\n%override _CLOSE: "<END>"\n')
    ours = (find_folder("grammars") / "v2_recovery.lark").read_text(encoding="utf-8")
    theirs = re.sub(r"//!.*\n", "", ours).replace("missing_closer.-7000", "//! Nobody closes it.\nmissing_closer.-7500")
    path = tmp_path / "mine_recovery.lark"
    path.write_text(theirs.replace("near_thought", "odd_thought"), encoding="utf-8")
    mine = load_dialect(tmp_path / "mine.lark")
    table = load_mistakes(mine)
    assert table["missing-closer"] == Mistake("missing-closer", "Nobody closes it.", "", 7500, ("no-closer",))
    assert table["odd-thought"] == Mistake("odd-thought", "odd thought", "", 400)
    assert table["near-closer"].hint == "write `<END>` alone on the line"
    [diagnostic] = symops_lark.recover(CLOSERLESS.replace(">>>", "<END>"), mine).diagnostics
    assert (diagnostic.message, diagnostic.hint) == ("nobody closes it", "")


# ---- confidence


def test_an_empty_block_is_doubtful_whatever_the_verb_is_called(tmp_path: Path) -> None:
    path = tmp_path / "making.lark"
    path.write_text(derive("v2", {"CREATE": '"make"'}), encoding="utf-8")
    for content in ("", "x = 1\n"):
        text = f"Sure!\n::create @a.py\n<<<\n{content}>>>\n"
        usual = symops_lark.process(text, "v2")
        result = symops_lark.process(text.replace("create", "make"), path)
        assert result.confidence == usual.confidence
        assert usual.confidence == pytest.approx(0.9 if not content else 0.95)


@pytest.mark.parametrize("import_line", ["%import .cir_recovery.prose -> my_prose", "%import .other"])
def test_a_circle_of_imports_is_an_error_of_the_grammar(import_line: str, tmp_path: Path) -> None:
    (tmp_path / "cir.lark").write_text("%import .v2\n", encoding="utf-8")
    (tmp_path / "other.lark").write_text("%import .cir_recovery\n", encoding="utf-8")
    text = f"%import .v2_recovery\n{import_line}\n"
    (tmp_path / "cir_recovery.lark").write_text(text, encoding="utf-8")
    with suppress(GrammarError):  # but no RecursionError
        assert recover("hello\n:create @a.py\n", tmp_path / "cir.lark")


@pytest.mark.slow
def test_digits_of_a_custom_vital_are_those_of_numbers(tmp_path: Path) -> None:
    """`\\d` is any digit of Unicode for the lexer, and a number may begin with none of them."""
    path = tmp_path / "mine.lark"
    path.write_text("%import .v2\n%extend vitals: PULSE _NL\nPULSE: /%%\\d+/\n", encoding="utf-8")
    with pytest.raises(GrammarError, match=r"write \[0-9\] for its digits"):
        parse("%%\u0663\n", path)


@pytest.mark.parametrize(
    ("old", "new", "text"),
    [
        (r"/[cmfs][0-9]+(\.[0-9]+)?/", r"/[cmfs][-9]+(\.[0-9]+)?/", "::c-"),
        (r"/[cmfs][0-9]+(\.[0-9]+)?/", r"/[cmfs][0-9]+%/", "::c0%"),
        (r"/[cmfs][0-9]+(\.[0-9]+)?/", r"/[cmfs][0-9.]*/", "::c"),
    ],
)
def test_a_vital_without_a_number_is_told(old: str, new: str, text: str, tmp_path: Path) -> None:
    grammar = load_grammar("v2").text
    assert old in grammar
    path = tmp_path / "mine.lark"
    path.write_text(grammar.replace(old, new), encoding="utf-8")
    with pytest.raises(GrammarError, match=f"each of its texts ends with a number, but not {text!r}"):
        parse(">> a\n", path)


def test_no_words_name_marks_that_a_dialect_does_not_have(tmp_path: Path) -> None:
    """The substitutes of such marks are for code: no person can write them."""
    path = tmp_path / "own.lark"
    path.write_text(
        'document: (_GAP | note)*\nnote: _NOTE _NL BLOCK\n_NOTE: "##"\n_OPEN: "{{"\n_CLOSE: "}}"\n'
        "BLOCK: _OPEN _NL _LINE* _CLOSE _NL\n_LINE: /[a-z]*\\n/\n_GAP: /[ \\t]*\\n/\n_NL: /[ \\t]*\\n/\n",
        encoding="utf-8",
    )
    mistakes = load_mistakes(load_dialect(path)).values()
    assert not [mistake for mistake in mistakes if UNSAID in mistake.sentence + mistake.hint]
    assert any("}}" in mistake.hint for mistake in mistakes)
    with pytest.raises(symops_lark.ParseError) as caught:
        parse("{{\nx\n}}\n", path)
    assert UNSAID not in str(caught.value) + repr(caught.value.diagnostics)
