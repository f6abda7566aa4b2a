"""The module of an npm package that reads the formats of other agents gives what this package gives."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Sequence
from pathlib import Path
from random import Random
from types import ModuleType
from typing import Any

import pytest
from format_samples import SAMPLES
from hypothesis import given
from hypothesis import strategies as st

from benchmarks.exports._parsers import comparable, first_difference, node
from symops_lark import ProtocolError, export, process
from symops_lark.core.formats.documents import read_format
from symops_lark.core.formats.loading import formats
from symops_lark.core.formats.tools import _join_words, load_tools
from symops_lark.core.text.json_ends import decode, load_value
from symops_lark.exports.bundle.format_tables import write_formats
from symops_lark.exports.bundle.translation.names import Untranslated
from symops_lark.exports.javascript import refuse_unknown_helpers
from symops_lark.exports.standalone import json_values, tool_names

ASK = """
import { readFileSync } from "node:fs";
const parser = await import(process.argv[1]);
const rows = JSON.parse(readFileSync(0, "utf8"));
const documents = rows.map(([text, name]) => parser.readFormat(text, name));
const read = (text) => { try { return parser.process(text); } catch (error) { return error.message; } };
const results = rows.map(([text]) => read(text));
process.stdout.write(JSON.stringify({ documents, results, formats: parser.formats }));
"""
AROUND = ("", "I will change it.\n\n", "Done.\n")


@pytest.fixture(scope="module")
def package(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a package with the module."""
    folder = tmp_path_factory.mktemp("package")
    for name, text in export("javascript", "v2", tolerant=True).items():
        folder.joinpath(name).write_text(text, "utf-8")
    return folder


def ask(package: Path, rows: Sequence[tuple[str, str | None]]) -> dict[str, Any]:
    """Return what the module reads of each text in the named format."""
    path = package / "formats.js"
    command = [node(), "--input-type=module", "-e", ASK, path.as_uri()]
    process = subprocess.run(command, input=json.dumps(rows), capture_output=True, text=True, check=True)
    answer: dict[str, Any] = json.loads(process.stdout)
    return answer


def replies(often: int) -> list[tuple[str, str | None]]:
    """Return samples alone, between sentences, and so often cut off, and with a character less or twice."""
    random = Random(5)
    texts: list[tuple[str, str | None]] = []
    for sample in SAMPLES:
        before = random.choice(AROUND)
        text = f"{before}{sample.text}\n{random.choice(AROUND)}"
        texts += [(sample.text, sample.format), (text, None), (text.replace("\n", "\r\n"), None)]
        for _ in range(often):
            place = random.randrange(len(text))
            damaged = (
                text[:place],
                text[:place] + text[place + 1 :],
                text[:place] + text[place : place + 1] + text[place:],
            )
            texts += [(damage, random.choice((None, sample.format))) for damage in damaged]
    plain = set(comparable(text for text, _ in texts))
    return [row for row in texts if row[0] in plain]


@pytest.mark.slow
def test_the_module_reads_as_this_package_does(package: Path, stride: int) -> None:
    rows = replies(2 if stride > 1 else 6)
    answer = ask(package, rows)
    assert answer["formats"] == sorted(formats())
    for (text, name), document in zip(rows, answer["documents"], strict=True):
        expected = json.loads(json.dumps(read_format(text, name).to_dict()))
        assert not first_difference(expected, document), text
    for (text, _), result in zip(rows, answer["results"], strict=True):
        assert not first_difference(json.loads(json.dumps(processed(text))), result), text
    actions = [section for document in answer["documents"] for section in document["sections"]]
    assert len(actions) > len(rows)


@pytest.mark.parametrize("code", ["$partial(a, b)", "a = $strings.upper(b) + $whitespace"])
def test_a_function_that_javascript_lacks_is_refused_when_it_is_translated(code: str) -> None:
    with pytest.raises(Untranslated, match=r"JavaScript has no helper for \$(partial|whitespace)$"):
        refuse_unknown_helpers(code, set())
    refuse_unknown_helpers(code, {"$partial", "$whitespace"})
    refuse_unknown_helpers('$str("$partial")', set())


@pytest.mark.slow
def test_the_module_of_python_reads_as_this_package_does(stride: int) -> None:
    parser: Any = ModuleType("symops_v2_formats")
    code = export("python", "v2", tolerant=True)["symops_v2_formats.py"]
    exec(compile(code, "symops_v2_formats.py", "exec"), parser.__dict__)
    assert tuple(sorted(formats())) == parser.FORMATS

    def processed_there(text: str) -> object:
        try:
            return parser.process(text).to_dict()
        except parser.ProtocolError as error:
            return str(error)

    for text, name in replies(1 if stride > 1 else 6):
        expected = json.loads(json.dumps(read_format(text, name).to_dict()))
        assert not first_difference(expected, json.loads(json.dumps(parser.read_format(text, name).to_dict()))), text
        result = json.loads(json.dumps(processed_there(text)))
        assert not first_difference(json.loads(json.dumps(processed(text))), result), text
    with pytest.raises(ValueError, match="there is no format mine; there are apertus, apply_patch"):
        parser.read_format("", "mine")


def processed(text: str) -> object:
    """Return the result of a reply, or the message of its error."""
    try:
        return process(text, "v2").to_dict()
    except ProtocolError as error:
        return str(error)


@pytest.mark.slow
def test_only_the_tolerant_package_has_the_module() -> None:
    assert len(export("python", "v2")) == 2
    strict = export("javascript", "v2")
    assert "formats.js" not in strict
    assert "./formats" not in json.loads(strict["package.json"])["exports"]
    tolerant = export("javascript", "v1", tolerant=True)
    assert json.loads(tolerant["package.json"])["exports"]["./formats"]["default"] == "./formats.js"
    assert "formats.js" not in tolerant["index.js"]


def test_the_tables_have_all_formats_and_no_trees() -> None:
    data = json.loads(write_formats())
    assert [row["name"] for row in data["formats"]] == sorted(formats())
    assert "trees" not in json.dumps(data)
    assert data["tools"]["tools"] == load_tools().tools


JSON_VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-9, 9) | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
)


@given(JSON_VALUES, st.text(max_size=3), st.integers(0, 40))
def test_the_decoder_of_exports_accepts_what_python_accepts(value: object, after: str, cut: int) -> None:
    whole_encoded = json.dumps(value) + after
    for text in (whole_encoded, whole_encoded[:cut], json.dumps(value, ensure_ascii=False, indent=1)):
        assert outcome(json_values.decode, text) == outcome(decode, text)


def outcome(function: Any, text: str) -> object:
    """Return the value and its end, without numbers, which no format asks for; or that there is none."""
    try:
        value, end = function(text, 0)
    except (ValueError, RecursionError):
        return "none"
    return without_numbers(value), end


def without_numbers(value: Any) -> object:
    if isinstance(value, dict):
        return {key: without_numbers(inner) for key, inner in value.items()}
    if isinstance(value, list):
        return [without_numbers(inner) for inner in value]
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    return bool(value) if is_number else value


def test_a_value_that_text_follows_is_refused() -> None:
    assert load_value(' {"a": 1}\n') == {"a": 1}
    with pytest.raises(ValueError, match="text follows"):
        load_value("{} {}")


@given(st.lists(st.text(), max_size=4))
def test_words_are_quoted_as_python_does_it(words: list[str]) -> None:
    assert tool_names._join_words(words) == _join_words(words)
