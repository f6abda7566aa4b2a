"""The proof of a check: it reports its own example, `process` hands that on, and a clean document has nothing of it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from registries import Registry

from symops_lark import Diagnostic, Document, process
from symops_lark.core.grammar.loading import load_dialect
from symops_lark.core.result import ProtocolError
from symops_lark.core.validator import CHECKS as OF_SECTIONS
from symops_lark.core.validator import VALUE_CHECKS
from symops_lark.core.validator.check import Check, Verbs


def _create(content: str, path: str = "a.py") -> str:
    return f"::create @{path}\n<<<\n{content}\n>>>\n"


CLEAN = f">> go\n\n::c0.9 ::m0.5\n\n{_create('x = 1')}\n::run @pytest -q\n"
FENCED = "```python\nx = 1\n```"
# By the check: the code of its finding, a dialect, and a reply that has it.
EXAMPLES = {
    "check_emptiness": ("empty-document", "v2", "\n"),
    "check_vitals": ("vitals-out-of-range", "v2", "::c1.5 ::m0.5\n"),
    "check_verbs": ("unknown-verb", "v2", "::polish @a.py\n<<<\nx = 1\n>>>\n"),
    "check_content": ("missing-content", "v2", "::create @a.py\n"),
    "check_targets": ("duplicate-target", "v2", _create("x = 1") + _create("x = 2")),
    "check_repetition": ("repeated-command", "v2", "::run @ls\n::run @ls\n"),
    "check_attributes": ("repeated-attribute", "v2_1", "::1. create @a.py\n  @lang: a\n  @lang: b\n<<<\nx\n>>>END\n"),
    "check_numbers": ("number-gap", "v2_numbered", "::1. run @ls\n::3. run @make\n"),
    "check_dependencies": ("dangling-dependency", "v2", "::create @a.py >b.py\n<<<\nx = 1\n>>>\n"),
    "check_early_close": ("early-close", "v2", "::create @a.md\n<<<\none\n>>>\ntwo\nthree\n>>>\n"),
    "check_marks": ("marked-unfinished", "v2", _create("x = 1") + "\n! Truncated @a.py\n"),
    "check_paths": ("doubtful-path", "v2", _create("x = 1", "a.py and b.py")),
    "check_templates": ("echoed-template", "v2", _create("x = 1", "path/to/file.py")),
    "check_commands": ("doubtful-command", "v2", "::test @npm test<|endoftext|>\n"),
    "check_heredocs": ("here-document", "v2", "::run @cat > a.py <<EOF\n"),
    "check_calls": ("transport-end", "v2", "::run @npm test</command>\n"),
    "check_entities": ("escaped-command", "v2", "::run @make &amp;&amp; make test\n"),
    "check_second_actions": ("two-in-one", "v2", "::run @make $ run @ ls\n"),
    "check_comments": ("no-command", "v2", "::run @# make it\n"),
    "check_blocks": ("block-for-command", "v2", "::run @bash\n<<<\nls\n>>>\n"),
    "check_binaries": ("text-for-binary", "v2", _create("a cat", "a.png")),
    "check_edges": ("transport-line", "v2", _create("x = 1\n</content>")),
    "check_objects": ("call-for-content", "v2", _create('{"content": "x = 1"}')),
    "check_fence": ("fenced-content", "v2", _create(FENCED, "notes")),
    "check_left_out": ("left-out-code", "v2", _create("x = 1\n# ... rest of the code unchanged")),
    "check_placeholders": ("placeholder-content", "v2", _create("[full content of the file]")),
    "check_line_numbers": ("line-numbers", "v2", _create("1: import os\n2:\n3: x = 1")),
    "check_html": ("escaped-html", "v2", _create("def f() -&gt; int:\n    return 1")),
    "check_escapes": ("escaped-lines", "v2", _create(r"x = 1\ny = 2")),
    "check_diffs": ("diff-as-content", "v2", _create("--- a/a.py\n+++ b/a.py\n-x\n+y")),
    "check_quotes": ("smart-quotes", "v2", _create("print(‘hi’)")),
    "check_layout": ("odd-layout", "v2", _create("    import os\n\n    x = 1")),
    "check_versions": ("written-twice", "v2", _create("x = 1") + _create("x = 2")),
    "check_language_lines": ("language-line", "v2", _create("python\nx = 1")),
    "check_escaped_quotes": ("escaped-quotes", "v2", _create('print(\\"a\\")')),
}


def _read(text: str, dialect: str) -> tuple[Document, tuple[Diagnostic, ...]]:
    try:
        result = process(text, dialect)
    except ProtocolError as error:
        return error.document, error.diagnostics
    return result.document, result.diagnostics


def _prove(name: str, check: Check, folder: Path) -> None:
    assert name in EXAMPLES, "give the check an example in tests/support/proofs_of_checks.py"
    code, dialect, text = EXAMPLES[name]
    document, findings = _read(text, dialect)
    verbs = load_dialect(dialect).verbs
    assert code in {finding.code for finding in check(document, verbs)}
    assert code in {finding.code for finding in findings}, "the public functions do not say it"
    assert list(check(_read(CLEAN, "v2")[0], load_dialect("v2").verbs)) == []


def _idle(check: Check) -> Check:
    def find_nothing(document: Document, verbs: Verbs) -> Iterator[Diagnostic]:
        yield from ()

    return find_nothing


CHECKS = Registry("checks", {item.__name__: item for item in (*OF_SECTIONS, *VALUE_CHECKS)}, _idle, _prove)
