"""Lines that stand for left-out code: each beginning and phrase of them, and comments that say something else."""

from __future__ import annotations

import pytest

from symops_lark.core.edits.left_out import (
    find_left_out,
    leaves_out,
    may_stand_for_code,
    stands_for_code,
    surely_stands_for_code,
)

# The beginnings of comments in some languages, and the brackets around such a line.
LEADS = [
    "#",
    "##",
    "//",
    "/*",
    "{/*",
    "*",
    "--",
    ";",
    "%",
    "<!--",
    "{#",
    "(*",
    "REM",
    "Rem",
    "rem",
    "...",
    "…",
    "(",
    "[",
    "（",
    "【",
    "<",
    "～",
    "〜",
]
PHRASES = """
other methods here
existing handlers go ...
remaining routes stay the same
... rest
… existing
...   the original
rest of the code
remainder of your module
imports unchanged
body as before
unchanged code
keep the rest
leave it as is
everything else stays
everything else is untouched
omitted for brevity
same as before
no changes needed
[snip]
<snip>
... snipped
... continues
… (12 more lines)
12 more lines ...
... 其他的代码
(unchanged)
（omitted）
continued from above
cont'd
以下省略
（中略）
変更なし
残りはそのまま
既存のコード
〜 略 〜
修正なし
其余不变
保持原样
现有的代码
Rest unverändert
reste inchangé
bestehender Code
vorhandener Code
código existente
без изменений
나머지 코드 생략
기존 코드
이하 생략
""".strip().splitlines()


@pytest.mark.parametrize("lead", [*LEADS, '"', "'"])
def test_a_comment_may_begin_in_many_ways(lead: str) -> None:
    line = f"  \t{lead} rest of the code"
    assert may_stand_for_code(line)
    assert list(find_left_out(line)) == ([] if lead == '"' else [(1, line.strip())])
    assert leaves_out(line) == (lead != '"')


@pytest.mark.parametrize("phrase", PHRASES)
def test_each_phrase_may_stand_for_code(phrase: str) -> None:
    assert may_stand_for_code(f"# {phrase}")
    assert may_stand_for_code(f"// {phrase.upper()}") or not phrase.isascii()
    assert not may_stand_for_code(f"x = 1  # {phrase}")


@pytest.mark.parametrize(
    "line", ["rest of the code", "remove rest of the code", "REMOVE existing code", "_# existing code"]
)
def test_other_lines_are_no_comments(line: str) -> None:
    assert not may_stand_for_code(line) and not stands_for_code(line) and not leaves_out(line)


@pytest.mark.parametrize(
    "line", ["# the other file", "# functions", "# ... or so", "# more lines", "# 12 files", "# a rest"]
)
def test_ordinary_comments_stand_for_nothing(line: str) -> None:
    assert not may_stand_for_code(line) and not stands_for_code(line)


@pytest.mark.parametrize("line", ["# ...", "  // …", "/* ... */", "<!-- … -->", "-- ...", "; ...  ", "#..."])
def test_dots_alone_may_be_a_pause(line: str) -> None:
    assert may_stand_for_code(line) and stands_for_code(line)
    assert not surely_stands_for_code(line) and not leaves_out(line)


def test_braces_may_stand_for_code() -> None:
    for line in ("{ existing code }", "  {{ rest of the page }};", "{ Unchanged parts },"):
        assert may_stand_for_code(line) and not stands_for_code(line)
    for line in ("{ rest }", "{rest: 1}", "{ existing code } x", "{ existing {code} }"):
        assert not may_stand_for_code(line)


@pytest.mark.parametrize(
    "line",
    [
        "# the rest of the code remains the same",  # eight words
        "# no changes needed",
        "# imports as before",
        "# everything else intact",
        "# Existing code",
        "# unchanged",
        # Dots are evidence enough for other words.
        "# ... frobnicate the rest of the code",
        "# … frobnicate the rest of the code",
        "# Some existing code for widgets ...",  # five words
        "# Some existing code for widgets…",
        "' Some existing code ...",
        # In a language without blanks between words, the end decides.
        "# 以下省略",
        "# 残りは省略します。",
        "// 既存のコード",
        "# 其余代码不变",
        "' rest of the code",
        "'' rest of the user's code ...",
    ],
)
def test_a_line_that_states_nothing_else_is_sure(line: str) -> None:
    is_statement = line != "# unchanged"  # one word is no statement
    assert surely_stands_for_code(line) == stands_for_code(line) == leaves_out(f"a\n\t{line}\nb") == is_statement
    assert list(find_left_out(f"a\n\t{line}\nb")) == ([(2, line)] if is_statement else [])


@pytest.mark.parametrize(
    "line",
    [
        "# all the rest of the code remains the same",  # nine words
        "# Some existing code for more widgets ...",  # six words
        "# frobnicate the existing code",
        "# keep the existing code fast",
        "# same as above",
        "# rest of the code: later",
        "# rest of the code: unchanged",
        "# ... rest of x = 1",
        "'rest of the file',",
        '"""rest of the file',
        "# 残りのclassは省略",
        "# 既存のコードを読む",
        "# existing code für alle",
        "# --- 12 (unchanged) x",
    ],
)
def test_a_line_that_says_more_is_not_sure(line: str) -> None:
    assert may_stand_for_code(line)
    assert not surely_stands_for_code(line) and not stands_for_code(line) and not leaves_out(f"{line}\n")


def test_only_the_beginning_of_a_line_is_read() -> None:
    for count, is_read in ((294, True), (295, False)):
        line = "# ..." + " " * count + "x"  # the last character is the 300th, or the one after it
        assert may_stand_for_code(line) == stands_for_code(line) == (not is_read)
    for length, is_sure in ((299, True), (300, False), (301, False)):
        assert surely_stands_for_code("# ... rest ".ljust(length, "-")) == is_sure
    assert not surely_stands_for_code("#" + "-" * 10) and not surely_stands_for_code("# 12")


def test_all_lines_are_found() -> None:
    content = "# rest of the code\nx = 1\n  // existing code \n\n# words\n# 以下省略"
    assert list(find_left_out(content)) == [(1, "# rest of the code"), (3, "// existing code"), (6, "# 以下省略")]
    assert leaves_out(content) and not leaves_out("x = 1\n# words\n") and not leaves_out("")
