"""What the grammar file of a format may have, what is written for its hidden terminals, and where it is wrong."""

from __future__ import annotations

from pathlib import Path

import pytest

from symops_lark import read_format
from symops_lark.core.formats.grammar import compile_format
from symops_lark.core.ground.errors import GrammarError

TERMINALS = "PATH: /[a-z.]+/\nCONTENT: /(.|\\n)*/\n_NL: /[ \\t]*\\n/\n"


def save(tmp_path: Path, text: str) -> Path:
    path = tmp_path / "team.lark"
    path.write_text(text, encoding="utf-8")
    return path


def deletion(tmp_path: Path, rule: str, *terminals: str) -> Path:
    """Return a format that deletes files, with some terminals beside those that the rule needs."""
    names = [line for line in TERMINALS.splitlines() if line.partition(":")[0] in rule]
    return save(tmp_path, "\n".join(["document: delete*", f"delete: {rule}", *names, *terminals]) + "\n")


@pytest.mark.parametrize(
    ("pattern", "text"),
    [
        ("/=+>/", "=>"),
        ("/[ ]*/", ""),
        ("/[ ]+/", " "),
        ("/[ \\n]+/", " "),
        ("/[\\t ]/", " "),
        ("/\\n+/", "\n"),
        ("/(ab|c)+d/", "cd"),
    ],
)
def test_of_a_hidden_terminal_the_shortest_text_is_written(pattern: str, text: str, tmp_path: Path) -> None:
    path = deletion(tmp_path, '"rm" _SIGN PATH _NL', f"_SIGN: {pattern}")
    assert compile_format(path).shortest == {"_SIGN": text, "_NL": "\n"}


def test_the_ends_of_lines_are_written_as_line_feeds_where_they_can_be(tmp_path: Path) -> None:
    path = deletion(tmp_path, '"rm" _WS PATH ";" _END', "_WS: /[ \\n]*/", "_END: /[ \\n]*/")
    assert compile_format(path).shortest == {"_WS": "\n", "_END": ""}
    path = deletion(tmp_path, '"rm" _WS PATH ";"', "_WS: /[ ]*/")
    assert compile_format(path).shortest == {"_WS": ""}


def test_the_comment_at_the_beginning_is_the_description(tmp_path: Path) -> None:
    path = save(tmp_path, '// Notes of a team,\n//  in two lines.\ndocument: delete*\ndelete: "rm " PATH\nPATH: /x/\n')
    written = compile_format(path)
    assert (written.name, written.description) == ("team", "Notes of a team, in two lines.")
    assert list(written.sections) == ["delete"]
    data = written.to_data()
    assert [section["rule"] for section in data["sections"]] == ["delete"]
    assert data["name"] == "team" and data["shortest"] == {}


@pytest.mark.parametrize(
    ("rule", "texts"),
    [
        ('"rm " PATH | "del " PATH', ["rm x", "del x"]),
        ('("rm " | "del ") PATH', ["rm x", "del x"]),
        ('"rm " ["-f "] PATH', ["rm x", "rm -f x"]),
        ('"rm " "-f "? PATH', ["rm x", "rm -f x"]),
        ('"rm " ("-f ")* PATH', ["rm x", "rm -f x", "rm -f -f x"]),
        ('"rm " ("-f ")+ PATH', ["rm -f x", "rm -f -f x"]),
        ('rm PATH\nrm: sign | long\nsign: "rm "\nlong: "delete " "the file "?', ["rm x", "delete the file x"]),
    ],
)
def test_rules_are_written_out(rule: str, texts: list[str], tmp_path: Path) -> None:
    path = deletion(tmp_path, rule)
    for text in texts:
        assert [action.path for action in read_format(f"{text}\n", path).actions] == ["x"]
    assert read_format("remove x\n", path).actions == ()


def test_rules_may_be_nested(tmp_path: Path) -> None:
    rules = [f'r{depth}: "{depth}" r{depth + 1}' for depth in range(4)]
    path = deletion(tmp_path, "r0", *rules, "r4: PATH", "PATH: /[a-z.]+/")
    assert [action.path for action in read_format("0123x\n", path).actions] == ["x"]


@pytest.mark.parametrize(
    ("text", "line", "message"),
    [
        ("document: delete*\n" + TERMINALS, 1, "the grammar cannot be compiled"),
        # Where the name of the rule has a sign before it, the file is named.
        ('document: delete*\n!delete: "rm " _NL\n' + TERMINALS, 1, "the section delete needs the terminals PATH"),
        ('document: write*\nwrite: "put "? PATH CONTENT "end"\n' + TERMINALS, 2, "may begin without any mark"),
        ('document: write*\nwrite: ("put ")* PATH CONTENT "end"\n' + TERMINALS, 2, "may begin without any mark"),
        ('document: write*\nwrite: " " PATH CONTENT "end"\n' + TERMINALS, 2, "may begin without any mark"),
        ('document: write*\nwrite: ("put " | _NL) PATH CONTENT "end"\n' + TERMINALS, 2, "may begin without any mark"),
        ('document: delete*\ndelete: "rm " PATH~2 _NL\n' + TERMINALS, 2, "a format cannot have this in a rule: expr"),
        ('document: delete*\ndelete: "rm " _NL\n' + TERMINALS, 2, "the section delete needs the terminals PATH"),
        ('document: edit*\nedit: "x " PATH _NL\n' + TERMINALS, 2, "PATH and SEARCH and REPLACE, or PATH and PATCH"),
    ],
)
def test_a_wrong_rule_is_refused_at_its_line(text: str, line: int, message: str, tmp_path: Path) -> None:
    path = save(tmp_path, text)
    with pytest.raises(GrammarError) as caught:
        compile_format(path)
    assert str(caught.value).startswith(f"{path}:{line}:")
    assert message in str(caught.value)


@pytest.mark.parametrize("opener", ['"put "+', '("put " | "add ")', '" put"', "_SIGN", '_NL "put "', "FENCE", "_SIGN+"])
def test_a_mark_may_begin_a_section_in_many_ways(opener: str, tmp_path: Path) -> None:
    text = f'document: write*\nwrite: {opener} PATH _NL CONTENT "end"\n_SIGN: /=>/\nFENCE: /`+/\n' + TERMINALS
    assert list(compile_format(save(tmp_path, text)).sections) == ["write"]
