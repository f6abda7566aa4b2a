"""What is wrapped around a whole reply: what is unwrapped, and what only looks like it."""

from __future__ import annotations

import pytest

from symops_lark import parse, repair
from symops_lark.core.repairs.edits import apply_edits
from symops_lark.core.repairs.wrappers import WRAPPERS

SAID = [
    ("blockquote", "> a\n> b", "a\nb"),
    ("blockquote", "Here:\n   > a\n >  b\n>\n> c\nDone.", "Here:\na\n b\n\nc\nDone."),
    ("blockquote", ">a\n> b\n", "a\n b\n"),
    ("json-string", '"a\\nb"', "a\nb"),
    ("json-string", ' "\\"a\\"\\t\\u00e9\\n\\ud83d\\ude00" \n', ' "a"\té\n😀 \n'),
    ("escaped-newlines", "a\\nb\\nc", "a\nb\nc"),
    ("escaped-newlines", "Here:\na\\r\\nb\\n\\tc\nDone.", "Here:\na\nb\n\tc\nDone."),
    ("escaped-newlines", 'a\\nsay(\\"b\\")\\n', 'a\nsay("b")\n'),
    ("escaped-newlines", 'a\\nsay("b", \\"c\\")\\n', 'a\nsay("b", \\"c\\")\n'),
    ("escaped-newlines", "a\\nb\\\\n\\n", "a\nb\\n\n"),
    ("escaped-newlines", "a\\nb\\.c\\n", "a\nb\\.c\n"),
    ("escaped-newlines", "\\na\\nb", "\na\nb"),
    ("indentation", "  a\n    b\n\n  c\n", "a\n  b\n\nc\n"),
    ("indentation", "    a\n  b\n", "  a\nb\n"),
    ("indentation", "\n\ta\n\t\tb", "\na\n\tb"),
    ("indentation", "  a\n \n   \n  b", "a\n \n \nb"),
    ("indentation", " \ta\n  b", "\ta\n b"),
    ("html", "a &lt;b&gt; &amp;amp; &quot;&apos;&#39;&#x27;", "a <b> &amp; \"'''"),
    ("byte-level", "aĠbĊcĉdč", "a b\nc\td\r"),
    ("byte-level", "CafÃ©ĠæĹ¥ĠðŁĺĢĠÄł", "Café 日 😀 Ġ"),
    ("byte-level", "éĠÃ(Ġað", "é Ã( að"),
    ("byte-level", "íłĤĠÃ©©ĠàĢĢĠôĽģģ", "íłĤ Ã©© àĢĢ ôĽģģ"),  # surrogate, too long, not shortest, too high
    ("byte-level", "aĠb\ncĠd\n", "a b\nc d\n"),
    ("colours", "\x1b[1ma\x1b[0m b", "a b"),
    ("colours", "\x1b[?25la", "a"),
]
NOT_SAID = [
    ("blockquote", "> a"),
    ("blockquote", "a\nb"),
    ("blockquote", "> a\nb\n> c"),
    ("blockquote", "    > a\n    > b"),
    ("json-string", '"'),
    ("json-string", '"a b"'),
    ("json-string", '"a\\nb'),
    ("json-string", 'a\\nb"'),
    ("json-string", '"a\\nb" "c"'),
    ("json-string", '"a\\n\\q"'),
    ("escaped-newlines", "a\\nb"),
    ("escaped-newlines", "a\\nb\\nc\nd\\ne\\nf"),
    ("escaped-newlines", '{"a": "b\\nc\\n"}'),
    ("escaped-newlines", '  "text": "b\\nc\\n"'),
    ("escaped-newlines", ' [ "b\\nc\\n"]'),
    ("indentation", "a\n  b"),
    ("indentation", "  a\nb"),
    ("indentation", "  a\n\tb"),
    ("indentation", "\n\n"),
    ("indentation", ""),
    ("html", "a b"),
    ("html", "a &lt; <b>"),
    ("html", "a &lt; b > c"),
    ("html", "a &lt; b & c"),
    ("byte-level", "Ġgantija Ċirku"),
    ("byte-level", "Ġgantija\nĊirku"),
    ("byte-level", "aĠb"),
    ("byte-level", "the letters Ġ and Ċ"),
    ("byte-level", "ab"),
    ("colours", "a [1m b"),
]


@pytest.mark.parametrize(("name", "text", "inside"), SAID)
def test_a_wrapper_is_taken_off(name: str, text: str, inside: str) -> None:
    result = WRAPPERS[name](text)
    assert result is not None
    assert apply_edits(text, result.edits)[0] == inside
    assert all(result.start <= edit.start <= edit.end <= result.end for edit in result.edits)


@pytest.mark.parametrize(("name", "text"), NOT_SAID)
def test_what_looks_like_a_wrapper_stays(name: str, text: str) -> None:
    assert WRAPPERS[name](text) is None


@pytest.mark.parametrize(
    ("name", "text", "stretch"),
    [
        ("blockquote", "Here:\n> a\n> b\nDone.", "> a\n> b"),
        ("json-string", ' "a\\nb" ', '"a\\nb"'),
        ("escaped-newlines", "Here:\na\\nb\\nc\nDone.", "a\\nb\\nc"),
        ("html", " &lt; ", " &lt; "),
        ("colours", "a\x1b[0m ", "a\x1b[0m "),
        ("byte-level", " aĠbĊc\n", " aĠbĊc\n"),
    ],
)
def test_the_wrapper_has_its_place(name: str, text: str, stretch: str) -> None:
    result = WRAPPERS[name](text)
    assert result is not None
    assert text[result.start : result.end] == stretch


@pytest.mark.parametrize("line", ["\rprose", "\r::run @ls", "\r:: run @ls", "a\rb", "\r\ra", "\r\r>> b"])
def test_a_line_with_a_carriage_return_after_a_thought_is_one_thought(line: str) -> None:
    once = repair(f">> think\n{line}\n", "v2").text
    assert once == repair(once, "v2").text and "\r" not in once
    assert len(parse(once, "v2").thoughts) == 2
