"""Law: whatever number of parts a rule reads, each part's text is in the document, or the dialect is refused."""

from __future__ import annotations

import re
from pathlib import Path
from typing import NamedTuple

import pytest
from command_line import run

from symops_lark import GrammarError, ParseError, parse

COUNTS = (0, 1, 2, 3)


class Kind(NamedTuple):
    """How a rule is written that reads a part several times, and a text of it; `{}` is the repeated part."""

    rule: str
    part: str
    text: str
    part_of_text: str
    terminals: str = ""
    base: str = "v2"


_OWN = "%override document: (_GAP | thought | vitals | action | question | error | extra)*\n"
_EXTRA = '_EXTRA: "%%"\nITEM: /[a-z0-9]+/\n_BAR: "|"\n'
KINDS = {
    "thought text": Kind("thought: _THOUGHT{} _NL", " _SP ITEM", ">>{}\n", " said{}", _EXTRA),
    "question text": Kind("ask: _QUESTION{} _NL", " _SP ITEM", "?{}\n", " said{}", _EXTRA),
    "questions": Kind("question:{} choice*", " ask", "{}", "? said{}\n"),
    "choice text": Kind("choice: _SP NUMBER _DOT{} _NL", " _SP ITEM", "? what\n 1.{}\n", " said{}", _EXTRA),
    "choice without a number": Kind("choice: _SP _BAR{} _NL", " _SP ITEM", "? what\n |{}\n", " said{}", _EXTRA),
    "error words": Kind("error: _ERROR{} _NL", " _SP WORD", "!{}\n", " said{}"),
    "error's other words": Kind("error: _ERROR _SP WORD{} _NL", " _BAR ITEM", "! x{}\n", "|said{}", _EXTRA),
    "error's messages": Kind("error: _ERROR _SP WORD{} _NL", " _BAR MESSAGE", "! x{}\n", "|said{}", _EXTRA),
    "verbs": Kind("head: _mark{} _TARGET PATH _NL", " VERB _SP", "::{}@a.py\n", "said{} "),
    "numbers": Kind("head: _mark{} VERB _SP _TARGET PATH _NL", " NUMBER _BAR", "::{}make @a.py\n", "7770{}|", _EXTRA),
    "paths": Kind("head: _mark VERB{} _NL", " _SP _TARGET FILE", "::make{}\n", " @said{}", "FILE: /[a-z0-9]+/\n"),
    "paths of the head": Kind("head: _mark VERB{} _NL", " _SP _TARGET PATH", "::make{}\n", " @said{}"),
    "commands": Kind("head: _mark RUN{} _NL", " _SP _TARGET COMMAND", "::run{}\n", " @said{}"),
    "dependencies": Kind("head: _mark VERB _SP _TARGET PATH{} _NL", " _DEPENDS DEPENDENCY", "::make @a{}\n", ">said{}"),
    "path lines": Kind("action: verb_line{}", " path_line", "::make\n{}", "  @path:said{}\n", "", "v2_attributes"),
    "path lines below a head": Kind(
        "action: head{} BLOCK?", " path_line", "::make @a.py\n{}", "  @path:said{}\n", "", "v2_attributes"
    ),
    "attributes' values": Kind(
        "attribute: _SP _TARGET KEY{} _NL", " _SP TEXT", "::make @a.py\n  @why:{}\n", " said{}", "", "v2_attributes"
    ),
    "contents": Kind("action: head{}", " BLOCK", "::make @a.py\n{}", "<<<\nsaid{}\n>>>\n"),
    "heads": Kind("action:{} BLOCK?", " head", "{}", "::make @said{}\n"),
    "arguments": Kind("head: _mark VERB _SP _TARGET PATH{} _NL", " _BAR ITEM", "::make @a{}\n", "|said{}", _EXTRA),
    "command lines": Kind(
        "action: (verb_line path_line | run_line{}) depends_line* BLOCK?",
        " command_line",
        "[ACTION_TYPE] run\n{}",
        "[ACTION_PATH] said{}\n",
        "",
        "plain",
    ),
    "parts of sections": Kind("extra: _EXTRA{} _NL", " _SP ITEM", "%%{}\n", " said{}", _OWN + _EXTRA),
    "rules of sections": Kind("extra: _EXTRA{} _NL", " item", "%%{}\n", " said{}", _OWN + _EXTRA + "item: _SP ITEM\n"),
    "contents of sections": Kind("extra: _EXTRA _NL{}", " BLOCK", "%%\n{}", "<<<\nsaid{}\n>>>\n", _OWN + _EXTRA),
}
TELLING = {"arguments", "paths"}  # an argument of one name given twice is told: `repeated-attribute`


def write(folder: Path, kind: Kind, count: int) -> Path:
    how = "" if kind.rule.startswith("extra") else "%override "
    path = folder / "mine.lark"
    path.write_text(
        f"%import .{kind.base}\n{kind.terminals}{how}{kind.rule.format(kind.part * count)}\n", encoding="utf-8"
    )
    return path


@pytest.mark.parametrize("count", COUNTS)
@pytest.mark.parametrize("name", KINDS)
def test_each_part_is_in_the_document_or_the_dialect_is_refused(name: str, count: int, tmp_path: Path) -> None:
    kind = KINDS[name]
    text = kind.text.format("".join(kind.part_of_text.format(number) for number in range(count)))
    try:
        document = parse(text, write(tmp_path, kind, count))
    except (ParseError, GrammarError):
        document = None  # nothing is taken for read
    output = str(document and document.to_dict())
    sections = document.sections if document else ()
    message = name in TELLING and any(getattr(action, "repeated_attributes", ()) for action in sections)
    texts = [match[0] for match in re.finditer(r"(said|777)[0-9]", text)]
    assert len(texts) == count
    assert document is None or message or all(part in output for part in texts), output


@pytest.mark.parametrize("name", [name for name in KINDS if name not in TELLING])
def test_one_or_two_parts_are_judged_by_loading(name: str, tmp_path: Path) -> None:
    """The law above is not kept by refusing everything: some count of each kind is read."""
    kind, loaded = KINDS[name], []
    for count in COUNTS:
        text = kind.text.format("".join(kind.part_of_text.format(number) for number in range(count)))
        try:
            loaded.append(parse(text, write(tmp_path, kind, count)))
        except (ParseError, GrammarError):
            continue
    assert loaded or name in ("choice without a number", "error's other words")


@pytest.mark.slow
@pytest.mark.parametrize(
    ("base", "action", "part"),
    [
        ("v2_attributes", "(head path_line | verb_line path_line) _further_line* BLOCK?", "a path"),
        ("v2_attributes", "verb_line path_line path_line BLOCK?", "a path"),
        ("v2_attributes", "head verb_line BLOCK?", "a head"),
        ("plain", "(verb_line path_line | run_line command_line command_line) depends_line* BLOCK?", "a path"),
    ],
)
def test_check_tells_the_refusal_with_its_place(base: str, action: str, part: str, tmp_path: Path) -> None:
    path = tmp_path / "mine.lark"
    path.write_text(f"%import .{base}\n%override action: {action}\n", encoding="utf-8")
    with pytest.raises(GrammarError, match=rf"mine\.lark:2:\d+: .*'action' may read {part} more than once"):
        parse("x\n", path)
    result = run("grammar", "check", str(path))
    assert (
        result.exit_code == 2 and f"{path}:2:" in result.output and f"may read {part} more than once" in result.output
    )
    assert "Traceback" not in result.output


def test_a_second_path_at_run_time_is_told() -> None:
    """The language has attributes of any name: a path beside a path is one, and none of its texts is lost."""
    (action,) = parse("::create\n  @path: a.py\n  @path: b.py\n  @path: c.py\n", "v2_1").actions
    assert (action.path, dict(action.attributes), action.repeated_attributes) == ("a.py", {"path": "c.py"}, ("path",))
