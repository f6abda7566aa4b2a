"""Tags of mistakes: what readers do about a mistake, whoever wrote its grammar."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from command_line import run
from wings import need_wing

import symops_lark
from symops_lark.core.grammar.loading import load_dialect
from symops_lark.core.grammar.mistakes import TAGS, Mistake, load_mistakes, load_tagged, read_mistakes
from symops_lark.core.ground.errors import GrammarError
from symops_lark.core.ground.resources import find_folder

OURS = (find_folder("grammars") / "v2_recovery.lark").read_text(encoding="utf-8")
OWN = Path("own_recovery.lark")


def write_dialect(folder: Path, recovery: str) -> Path:
    """Write a dialect that is v2 with another recovery grammar."""
    (folder / "mine.lark").write_text("%import .v2\n", encoding="utf-8")
    (folder / "mine_recovery.lark").write_text(recovery, encoding="utf-8")
    return folder / "mine.lark"


def rename(rule: str, tags: str) -> str:
    """Return our recovery grammar with another name for a mistake, and other tags, so that it is not one of ours."""
    comment, grammar = rf"(//! [^|\n]+ \| [^|\n]+)(?: \| [^\n]+)?(\n{rule}\.)", re.sub(r"[ ]+\n", "\n", OURS)
    tagged, count = re.subn(comment, rf"\1{tags and f' | {tags}'}\2", grammar)
    assert count == 1
    return re.sub(rf"\b{rule}\b", "odd_thing", tagged)


def read(text: str, dialect: str | Path) -> list[Any]:
    """Return what is read of a text: its actions with completeness and confidence, and the codes of the mistakes."""
    document = symops_lark.recover(text, dialect)
    codes = [finding.code.replace("odd-thing", "…") for finding in document.diagnostics]
    return [(action.path, str(action.completeness), action.confidence) for action in document.actions] + codes


# By tag: a mistake of ours that has it, a text with that mistake, and an action that is only so because of the tag.
CASES: dict[str, tuple[str, str, tuple[str, str, float]]] = {
    "suspect": (
        "lone_delimiter_in_content",
        "::create @a.py\n<<<\ndef f():\n>>>\n    return 1\n>>>\n",
        ("a.py", "suspect", 0.6302),
    ),
    "heads": (
        "action_in_content",
        "::create @a.md\n<< <\nBegin with\n::create @b.md\nand go on.\n>>>\n\n::run @make\n",
        ("make", "suspect", 0.8574),
    ),
    "left-over": (
        "leftover_text",
        "::create @a.py\n<<<\nx = 1\n>>>\nThen I ::run @pytest to check.\n",
        ("a.py", "suspect", 0.8574),
    ),
    "no-closer": (
        "missing_closer",
        "::create @a.py\n<<<\nx = 1\n\n::create @b.py\n<<<\ny = 2\n>>>\n",
        ("b.py", "complete", 0.95),
    ),
    "between": (
        "leftover_text",
        "::create @a.py\n<<<\nx = 1\n>>>>\n\nThis is all that is needed here.\n",
        ("a.py", "suspect", 0.8229),
    ),
    "stray-fence": (
        "stray_fence",
        "```\n::create @a.md\n<<<\n```python\nx = 1\n```\n",
        ("a.md", "unterminated", 0.6302),
    ),
    "fence-closer": (
        "fence_for_closer",
        "```\n::create @a.md\n<<<\n````python\nx = 1\n````\n```\n",
        ("a.md", "suspect", 0.6466),
    ),
}


def test_every_tag_has_a_case() -> None:
    assert tuple(CASES) == TAGS


@pytest.mark.parametrize("tag", TAGS)
def test_a_tag_changes_how_a_text_is_read(tag: str, tmp_path: Path) -> None:
    """A mistake of a custom grammar with the tags of one of ours is treated as ours, and without the tag it is not."""
    rule, text, expected = CASES[tag]
    code = rule.replace("_", "-")
    tags = load_mistakes(load_dialect("v2"))[code].tags
    assert tag in tags
    ours = [item.replace(code, "…") if isinstance(item, str) else item for item in read(text, "v2")]
    for folder in ("with", "without"):
        (tmp_path / folder).mkdir()
    tagged = write_dialect(tmp_path / "with", rename(rule, ", ".join(tags)))
    assert "odd-thing" in load_tagged(load_dialect(tagged))[tag]
    assert read(text, tagged) == ours
    assert expected in ours
    joined = ", ".join(single_tag for single_tag in tags if single_tag != tag)
    assert expected not in read(text, write_dialect(tmp_path / "without", rename(rule, joined)))


def test_a_mistake_of_ones_own_makes_its_action_suspect(tmp_path: Path) -> None:
    """In a grammar that builds on ours, in which a command in a content is doubtful."""
    own = """%import .v2_recovery
%override body_command: odd_command | body_near_command
//! A command is read as content. | write `{close}` above it if it is to be run{tags}
odd_command.-600: body_exact_command
"""
    text = "::create @a.sh\n<< <\nset -e\n::run @make\nexit\n>>>\n"
    states = []
    for name, tags in (("with", " | suspect"), ("without", "")):
        (tmp_path / name).mkdir()
        result = symops_lark.process(text, write_dialect(tmp_path / name, own.replace("{tags}", tags)))
        states.append(str(result.document.actions[0].completeness))
    assert states == ["suspect", "complete"]


@pytest.mark.slow
def test_what_is_missing_before_a_line_of_a_block_counts(tmp_path: Path) -> None:
    """A rule without a line is a mistake before the next one."""
    own = """%import .v2_recovery
%extend _line: _example
_example: body_inner_head body_inner_open _line* (body_inner_close | missing_inner_closer)
body_inner_head: ACTION
body_inner_open: OPEN
body_inner_close: CLOSE
//! An example is never closed. | close it{tags}
missing_inner_closer.-3000:
"""
    text = "::create @a.md\n<<<\nAs in:\n::create @b.py\n<<<\nx = 1\n>>>\n"
    states = []
    for name, tags in (("with", " | suspect"), ("without", "")):
        (tmp_path / name).mkdir()
        document = symops_lark.recover(text, write_dialect(tmp_path / name, own.replace("{tags}", tags)))
        assert [finding.code for finding in document.diagnostics][:1] == ["missing-inner-closer"]
        states.append([str(action.completeness) for action in document.actions])
    assert states == [["suspect"], ["complete"]]


# ---- inheritance


@pytest.mark.parametrize(
    ("rule", "tags"),
    [
        ("%override missing_closer.-6000: _open", ("no-closer",)),
        ("//! It is not closed.\n%override missing_closer.-6000: _open", ("no-closer",)),
        ("//! It is not closed. | close it\n%override missing_closer.-6000: _open", ("no-closer",)),
        ("//! It is not closed. | close it | suspect\n%override missing_closer.-6000: _open", ("suspect",)),
        ("//! It is not closed. | close it |\n%override missing_closer.-6000: _open", ()),
    ],
)
def test_tags_are_inherited_as_words_are(rule: str, tags: tuple[str, ...], tmp_path: Path) -> None:
    mistake = load_mistakes(load_dialect(write_dialect(tmp_path, f"%import .v2_recovery\n\n{rule}\n")))[
        "missing-closer"
    ]
    assert (mistake.tags, mistake.price) == (tags, 6000)
    assert mistake.sentence == ("It is not closed." if "//!" in rule else load("v2")["missing-closer"].sentence)


def test_a_comment_with_a_name_changes_words_and_tags_alone(tmp_path: Path) -> None:
    own = "%import .v2_recovery\n//! prose = You chat. | be brief | suspect\n//! stray-text = | |\n"
    table, ours = load_mistakes(load_dialect(write_dialect(tmp_path, own))), load("v2")
    assert table["prose"] == Mistake("prose", "You chat.", "be brief", ours["prose"].price, ("suspect",))
    assert table["stray-text"] == replace(ours["stray-text"], tags=())


def load(name: str) -> Any:
    return load_mistakes(load_dialect(name))


def test_words_and_tags_of_a_grammar_between_are_inherited(tmp_path: Path) -> None:
    (tmp_path / "base.lark").write_text("//! It is wrong. | right it | suspect\nwrong.-500: TEXT\n", encoding="utf-8")
    text = "%import .base.wrong -> odd_one\n%override wrong.-600: TEXT\n"
    mistakes = read_mistakes(tmp_path / "own_recovery.lark", text)
    assert mistakes["wrong"] == Mistake("wrong", "It is wrong.", "right it", 600, ("suspect",))
    assert mistakes["odd-one"] == Mistake("odd-one", "It is wrong.", "right it", 500, ("suspect",))


@pytest.mark.slow
def test_tables_have_the_tags() -> None:
    need_wing("exports")
    from symops_lark.exports.tables import freeze

    dialect = load_dialect("v2")
    frozen = type(dialect).from_data(freeze("v2"))
    assert load_mistakes(frozen) == load_mistakes(dialect)
    assert load_tagged(frozen) == load_tagged(dialect)
    assert all(load_tagged(dialect).values())


# ---- the reader


def test_a_comment_may_name_its_mistake() -> None:
    text = (
        "//! odd-line = A line is odd. | write it well | suspect, heads\n//! odd-end = It ends oddly.\n"
        "//! It is\n//! wrong. | | suspect\nwrong.-300: TEXT\n//!last-one =  The last one."
    )
    assert read_mistakes(OWN, text) == {
        "odd-line": Mistake("odd-line", "A line is odd.", "write it well", 0, ("suspect", "heads")),
        "odd-end": Mistake("odd-end", "It ends oddly."),
        "wrong": Mistake("wrong", "It is wrong.", "", 300, ("suspect",)),
        "last-one": Mistake("last-one", "The last one."),
    }


@pytest.mark.parametrize("following", ["//! odd-line = A line is odd.\n", ""])
def test_a_sentence_above_no_rule_is_refused(following: str) -> None:
    with pytest.raises(GrammarError, match=r"own_recovery\.lark:2: expected a rule right below the sentence"):
        read_mistakes(OWN, f"//! One thing is wrong.\n{following}")
    with pytest.raises(GrammarError, match=r"own_recovery\.lark:2: expected a rule right below the sentence"):
        read_mistakes(OWN, "//! One thing is wrong.")


HINT = "        hint: write `//! Sentence. | hint | tag, tag`; the hint and the tags may be left out"
WRONG = {
    "//! It is wrong. | right it | suspekt, heads": (
        f"2:31: unknown tag 'suspekt': expected {', '.join(TAGS)}",
        "    2 | //! It is wrong. | right it | suspekt, heads",
        "      |                               ^",
        HINT,
    ),
    "//! a | b | suspect | d": (
        "2:21: expected a sentence, a hint and tags, got 4 fields (write no ` | ` within one)",
        "    2 | //! a | b | suspect | d",
        "      |                     ^",
        HINT,
    ),
    "//! It is wrong.\n//!  | right it | heads,\n//! sus pect": (
        f"4:5: unknown tag 'sus pect': expected {', '.join(TAGS)}",
        "    4 | //! sus pect",
        "      |     ^",
        HINT,
    ),
}


@pytest.mark.parametrize("comment", WRONG)
def test_a_wrong_comment_is_refused(comment: str) -> None:
    with pytest.raises(GrammarError) as caught:
        read_mistakes(OWN, f"// mine\n{comment}\nwrong.-300: TEXT\n")
    place, *drawn = WRONG[comment]
    assert str(caught.value).split("\n") == [f"own_recovery.lark:{place}", *drawn]


def test_of_a_long_line_a_part_is_shown() -> None:
    with pytest.raises(GrammarError) as caught:
        read_mistakes(OWN, f"//! {'x' * 5000} | y | odd, {'heads, ' * 5000}\nwrong.-300: TEXT\n")
    place, output, caret, _ = str(caught.value).split("\n")
    assert place.startswith("own_recovery.lark:1:5012: unknown tag 'odd'")
    assert len(output) < 210
    assert output[caret.index("^") :].startswith("odd, heads")


@pytest.mark.parametrize("verb", [["recover", "--format"], ["process", "--format"], ["grammar", "check"]])
def test_the_command_line_shows_an_unknown_tag(verb: list[str], tmp_path: Path) -> None:
    path = write_dialect(
        tmp_path, "%import .v2_recovery\n//! It is wrong. | right it | suspekt\n%override prose.-300: PROSE\n"
    )
    (tmp_path / "reply.txt").write_text("Hello.\n::run @ls\n", encoding="utf-8")
    files = [str(path), str(tmp_path / "reply.txt")] if verb[0] != "grammar" else [str(path)]
    done = run(*verb, *files)
    assert done.exit_code not in (0, None)
    assert isinstance(done.exception, SystemExit)
    assert "unknown tag 'suspekt'" in done.output
    assert "mine_recovery.lark:2:31: " in done.output
    assert "    2 | //! It is wrong. | right it | suspekt" in done.output
