"""The exported parsers, in a bare interpreter and in node, say what this package says."""

from __future__ import annotations

import ast
import json
import re
import subprocess
import sys
from collections.abc import Iterator
from importlib.resources import files as files_of
from itertools import islice
from pathlib import Path

import pytest
from new_dialects import NEW, write_dialects
from texts import DIALECTS, texts_on_file
from wings import need_wing

from benchmarks.exports._chromium import chromium
from benchmarks.exports._parsers import (
    DERIVED,
    answers,
    comparable,
    differences,
    first_difference,
    node,
    respelt,
    shrink,
)
from benchmarks.exports.sizes import LIMITS, measure
from symops_lark import ParseError, StreamParser, derive, export, parse
from symops_lark.core.discourse.transport_table import our_transport
from symops_lark.exports import ExportError, javascript, load_exports
from symops_lark.exports.bundle.gathering import Bundle
from symops_lark.exports.bundle.modules import BundleError
from symops_lark.exports.bundle.translation.names import METHODS, Untranslated
from symops_lark.exports.bundle.translation.statements import Translator

# Texts of which an export once said something else.
FOUND = {"plain": ["[ACTION_TYPE] create\n[ACTION_PATH] a.py\n[CONTENT_START]\nx = 1\n```"]}


def on_file(dialect: str) -> list[str]:
    return [*FOUND.get(dialect, ()), *comparable(text for _, own, text in texts_on_file() if own == dialect)]


def damaged(dialect: str, seed: int, count: int) -> list[str]:
    """Return damaged replies of a dialect, as the benchmark draws them."""
    need_wing("lab")
    from benchmarks.exports.agreement import damaged_texts
    from symops_lark.lab.benchmark.faults.dialects import load

    return [*islice(comparable(damaged_texts(load(dialect), seed)), count)]


def assert_alike(dialect: str | Path, texts: list[str], **every: int) -> None:
    """Check that each runtime says of every so manyeth text what this package says."""
    expected = answers(dialect, texts)
    assert texts
    for runtime, step in every.items():
        assert [*differences(runtime, dialect, texts[::step], expected[::step])] == []


@pytest.mark.slow
@pytest.mark.alike(8)
@pytest.mark.parametrize("dialect", DIALECTS)
def test_the_texts_on_file_are_read_alike(dialect: str) -> None:
    assert_alike(dialect, on_file(dialect), javascript=1, python=3)


@pytest.mark.alike(6)
@pytest.mark.slow
@pytest.mark.parametrize("dialect", ["v1", "v2", "v2_1", "plain"])
def test_damaged_replies_are_read_alike(dialect: str, stride: int) -> None:
    assert_alike(dialect, damaged(dialect, 7, 500 // stride), javascript=1, python=3)


def transported() -> Iterator[str]:
    """Yield a reply for each line of the transport at both edges of some files, and for commands with such ends."""
    table = our_transport()
    lines = [*table.last, *table.first, *table.bare_labels, *(f"</{name}>" for name in table.elements)]
    lines += [
        "<|im_end|>",
        "x = 1<｜end▁of▁sentence｜>",
        "</s>",
        "]]>",
        "<![CDATA[",
        "User: thanks",
        "𝒙</content>",
        "a.py",
    ]
    lines += [
        "This adds the handler to the server.",
        "これで処理が追加されました。",
        "**a.py**",
        "File: `a.py`",
        "## a.py",
    ]
    lines += ['{"content": "x"}', "<content>1: x", "<<<<<<< HEAD\n=======\n>>>>>>> main", "{/* rest of the page */}"]
    for line in sorted(lines):
        for path in ("a.py", "a.ts", "a.md", "a.html", "a.png", "python", "src\\a.py"):
            yield f"::create @{path}\n<<<\n{line}\nx = 1\n{line}\n>>>\n::edit @b.go\n<<<\n{line}\n>>>\n"
        yield f"::run @make {line}\n::run @make <a {line}\n::test @{line}\n"
    yield "::run @bash\n<<<\nls\n>>>\n::run @a &amp;&amp; b\n::run @a $ run @ b\n::run @a\u00a0::run @b\n::run @# a\n"


@pytest.mark.slow
def test_pieces_of_the_transport_are_read_alike(stride: int) -> None:
    assert_alike("v2", [*comparable(transported())][::stride], javascript=1, python=3)


@pytest.mark.slow
@pytest.mark.alike(6)
@pytest.mark.parametrize("dialect", ["v1", "v2", "v2_1", "plain"])
def test_a_browser_reads_alike(dialect: str) -> None:
    if chromium() is None:
        pytest.skip("Chromium is not installed: there is no `chromium` on the path")
    assert_alike(dialect, [*on_file(dialect)[:60], *damaged(dialect, 8, 20)], chromium=1)


@pytest.mark.slow
def test_a_derived_dialect_is_exported_too(tmp_path: Path, stride: int) -> None:
    path = tmp_path / "at.lark"
    path.write_text(derive("v2", DERIVED), encoding="utf-8")
    texts = [*on_file("v2")[:60], *damaged("v2", 9, 20)]
    # Python takes a second to compile a module, whose code is the same for each dialect.
    runtimes = {"javascript": 1} if stride > 1 else {"javascript": 1, "python": 3}
    assert_alike(path, [*map(respelt, texts)], **runtimes)


@pytest.mark.slow
@pytest.mark.alike(2)
@pytest.mark.parametrize("name", ["blocks", "verb"])
def test_dialects_that_say_new_things_are_exported_too(name: str, tmp_path: Path) -> None:
    path = write_dialects(tmp_path)[name]
    assert_alike(path, [NEW[name].text, *NEW[name].broken], javascript=1, python=1)


@pytest.mark.slow
def test_differences_are_found_and_made_small() -> None:
    """A parser that errs in one word: the least text is that word."""
    text = "::run @ls\n" * 40 + ">> a word\n" + "prose\n" * 40
    assert shrink(text, lambda texts: [text for text in texts if "word" in text]) == "word"
    [(difference, how)] = differences("javascript", "v2", [">> x\n", ">> y\n"], answers("v2", [">> x\n", ">> z\n"]))
    assert difference == ">> y\n" and "here" in how and "z" in how


STREAM = """
import { pathToFileURL } from "node:url";
const { StreamParser } = await import(pathToFileURL(%s));
const rows = JSON.parse(process.argv[2]).map((pieces) => {
  const stream = new StreamParser(), events = [];
  for (const piece of pieces) { stream.receive(piece); events.push(...stream.events()); }
  const closed = stream.close();
  return [[...events, ...stream.events()], closed];
});
console.log(JSON.stringify(rows));
"""


@pytest.mark.slow
def test_streams_announce_the_same(tmp_path: Path) -> None:
    rows = [[text[at : at + 7] for at in range(0, len(text), 7)] for text in on_file("v2")[:80]]
    expected = []
    for pieces in rows:
        stream = StreamParser("v2")
        events = [event.to_dict() for event in stream.events(pieces)]
        expected.append([events, stream.close().to_dict()])
    for name, text in export("javascript", "v2", tolerant=True).items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    (tmp_path / "ask.mjs").write_text(STREAM % json.dumps(str(tmp_path / "index.js")), encoding="utf-8")
    command = [node(), str(tmp_path / "ask.mjs"), json.dumps(rows)]
    data = json.loads(subprocess.run(command, capture_output=True, check=True, text=True, encoding="utf-8").stdout)
    for pieces, ours_, theirs in zip(rows, json.loads(json.dumps(expected)), data, strict=True):
        assert first_difference(ours_, theirs) == "", "".join(pieces)


def run_python(folder: Path, code: str) -> str:
    command = [sys.executable, "-I", "-S", "-c", f"import sys; sys.path.insert(0, {str(folder)!r})\n{code}"]
    return subprocess.run(command, capture_output=True, check=True, text=True, encoding="utf-8").stdout


@pytest.mark.slow
def test_the_strict_module_parses_and_no_more(tmp_path: Path) -> None:
    for name, text in export("python", "v2").items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    valid = "::run @ls\n"
    code = f"import symops_v2 as s\nprint(s.__all__, s.parse({valid!r}).actions)\ntry: s.parse('no')\n"
    code += "except s.ParseError as error: print(error)"
    python = run_python(tmp_path, code)
    assert "['parse', 'ParseError']" in python and "path='ls'" in python
    with pytest.raises(ParseError) as raised:
        parse("no", "v2")
    assert str(raised.value) in python


@pytest.mark.slow
def test_exported_modules_import_the_standard_library_alone() -> None:
    text = export("python", "v2", tolerant=True)["symops_v2.py"]
    modules = {
        name.split(".")[0]
        for node in ast.walk(ast.parse(text))
        for name in (
            [alias.name for alias in node.names]
            if isinstance(node, ast.Import)
            else [node.module or ""]
            if isinstance(node, ast.ImportFrom)
            else []
        )
    }
    assert modules <= sys.stdlib_module_names and not modules & {"inspect", "dataclasses", "typing"}


@pytest.mark.slow
@pytest.mark.alike(3)
@pytest.mark.parametrize("dialect", DIALECTS)
def test_a_package_of_one_dialect_is_small(dialect: str) -> None:
    sizes = measure(dialect)
    assert {part: size for part, size in sizes.items() if size > LIMITS[part]} == {}
    assert sizes["parse"] < sizes["./strict"] < sizes["tolerant"]


@pytest.mark.slow
@pytest.mark.parametrize("name", ["python", "javascript"])
@pytest.mark.parametrize("tolerant", [False, True])
def test_files_say_what_they_are(name: str, tolerant: bool) -> None:
    files = export(name, "v1", tolerant=tolerant)
    for path, text in files.items():
        assert "/work" not in text and "/tmp" not in text and "/home" not in text, path
        if path.endswith((".py", ".js", ".d.ts")):
            assert "do not edit" in text and "MIT License" in text and "fingerprint" in text
    assert files == export(name, "v1", tolerant=tolerant)


@pytest.mark.slow
def test_types_name_what_is_exported() -> None:
    files = export("javascript", "v2", tolerant=True)
    text = files["index.js"]
    exported = {*re.findall(r"export (?:const|class) (\w+)", text)}
    exported |= {name.strip() for names in re.findall(r"export \{([^}]*)\}", text) for name in names.split(",")}
    declared = {*re.findall(r"export (?:function|class|const) (\w+)", files["index.d.ts"])}
    assert exported == declared


def test_what_there_is_not_is_told() -> None:
    with pytest.raises(ExportError, match=r"there is no export 'cobol'; there are .*javascript.*python"):
        export("cobol")
    with pytest.raises(ExportError, match=r"lark has no tolerant form; .* javascript, python"):
        export("lark", tolerant=True)
    assert all(single_export.SUMMARY for single_export in load_exports().values())


def test_a_definition_that_cannot_be_carried_is_an_error() -> None:
    with pytest.raises(BundleError, match="knows no name"):
        Bundle([("symops_lark.core.text.source", "nothing")])


def test_the_methods_that_are_known_are_those_of_the_runtime() -> None:
    files = (files_of(javascript).joinpath(name).read_text(encoding="utf-8") for name in ("runtime.js", "methods.js"))
    code = "\n".join(files) + "\nconsole.log([$strings, $lists, $dicts, $sets].flatMap(Object.keys).join(' '));"
    output = subprocess.run([node(), "-e", code], capture_output=True, check=True, text=True, encoding="utf-8").stdout
    assert {*output.split()} == METHODS


@pytest.mark.parametrize("code", ["text.capitalize()", "text.splitlines()", "table.__getitem__", "values.popitem()"])
def test_what_the_runtime_lacks_is_no_part_of_the_subset(code: str) -> None:
    """A method of Python that JavaScript was not given is told when the export is made, not by its users."""
    statements = ast.parse(f"def f(text, table, values):\n    return {code}\n").body
    with pytest.raises(Untranslated, match=re.escape(code)):
        Translator(statements, {"f": "f"}).module(statements)


@pytest.mark.parametrize(
    ("code", "wanted"),
    [
        ("text.strip()", "$strings.strip($plain("),
        ("text.get(1)", "$dicts.get("),
        ("text.count(1)", "$call("),  # lists and texts have it
        ("text.split()", "$call("),  # texts and patterns have it
    ],
)
def test_a_method_of_one_kind_is_called_directly(code: str, wanted: str) -> None:
    statements = ast.parse(f"def f(text):\n    return {code}\n").body
    assert wanted in Translator(statements).module(statements)
    # A class of the bundle may have a method of that name.
    name = code.split(".")[1].split("(")[0]
    statements += ast.parse(f"class Own:\n    def {name}(self, value=None):\n        return 1\n").body
    assert "$call(" in Translator(statements).module(statements)


@pytest.mark.parametrize("loop", ["for item in items:", "while items:"])
def test_the_else_of_a_loop_is_no_part_of_the_subset(loop: str) -> None:
    statements = ast.parse(f"def f(items):\n    {loop}\n        break\n    else:\n        return 1\n").body
    with pytest.raises(Untranslated):
        Translator(statements, {"f": "f"}).module(statements)


@pytest.mark.parametrize(
    ("code", "wanted"),
    [
        ("values and table", "$true("),  # an empty list is true in JavaScript
        ("rows(values) and table", "$true("),
        ("text.strip() and table", "&&"),
        ("told(values) or table", "||"),
        ("(not values and table) == 1", "&&"),
    ],
)
def test_conditions_are_asked_as_python_asks_them(code: str, wanted: str) -> None:
    text = "def told(values):\n    return len(values) > 1\n\ndef rows(values):\n    return values[1:]\n"
    statements = ast.parse(f"{text}\ndef f(text, table, values):\n    return {code}\n").body
    created = Translator(statements).module(statements).rsplit("function", 1)[1]
    assert wanted in created and ("$true" in created) is (wanted == "$true(" or "not values" in code)
