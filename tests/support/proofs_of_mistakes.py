"""The proofs of mistakes: there is a text of which the cheapest reading assumes it, or that is refused for it."""

from __future__ import annotations

import tempfile
from dataclasses import replace
from functools import cache
from pathlib import Path

from corpus_reader import corpus_files, read_corpus
from new_dialects import NEW, write_dialects
from registries import NotProvedError, Registry

import symops_lark
from symops_lark import Diagnostic, Severity, Span
from symops_lark.core.grammar import codes
from symops_lark.core.grammar.loading import load_dialect
from symops_lark.core.grammar.mistakes import Mistake, load_mistakes
from symops_lark.core.recovery.engines.choice import read_kinds
from symops_lark.core.strict import explain
from symops_lark.core.strict.explain import _LINE_CHECKS, REPORTED_AS

# What no text on file has: lines, by their kinds, of which the cheapest reading assumes the mistake.
LINES = {
    "action-in-open-block": "ACTION_OPEN ACTION ACTION_OPEN ACTION ACTION ACTION ACTION_OPEN ACTION ACTION",
    "attribute-in-content": "ACTION_OPEN ATTRIBUTE",
    "bare-nested-fence": "NEAR_SECTION_HEAD ACTION FENCE ERROR FENCE THINK_OPEN",
    "buried-action": "OPEN NEAR_ACTION CLOSE",
    "closer-after-head": "ACTION_OPEN NEAR_ACTION CLOSE",
    "delimiter-after-action": "ACTION_OPEN ACTION_OPEN ACTION_OPEN CLOSE_ACTION OPEN ACTION_OPEN",
    "fence-after-bare-prose": "THINK_CLOSE BARE_ACTION FENCE CLOSE THINK_OPEN FENCE TEXT",
    "fence-end-after-action": "COMMAND BARE_ACTION FENCE THINK_OPEN NEAR_ACTION FENCE",
    "fence-on-command": "ODD_ACTION FENCE_INFO STUB DELIM",
    "glued-action-in-content": "NEAR_SECTION_HEAD CLOSE_COMMAND",
    "late-opener": "TAG ODD_ACTION BLANK OPEN NEAR_SECTION_HEAD",
    "missing-opener-of-command": "COMMAND THINK_OPEN",
    "missing-opener-of-prose": "SECTION_HEAD PROSE NEAR_CLOSE",
    "near-end": "DELIM NEAR_CLOSE",
    "near-section-lead": "NEAR_SECTION_LEAD",
    "section-in-prose": "TEXT_DELIM FENCE_INFO VITALS FENCE",
    "stray-think-end": "THINK_CLOSE",
    "suspect-closer": "ACTION_OPEN NEAR_ACTION DELIM",
    "unclosed-think": "THINK_OPEN FENCE",
}
# No text is known that has it: of 890,000 drawn sequences of lines each had a cheaper reading. It may only shrink.
UNKNOWN = ("fence-without-prose",)
# What lowers a confidence and is said by other words: a reply, and what makes it whole.
PRICED = {"unclosed-block": ("::create @a.py\n<<<\nx = 1\n", ">>>\n")}


@cache
def _said() -> frozenset[str]:
    """Return the codes that recovery, or a stream, says of a text on file."""
    texts: set[str] = set()
    for case in read_corpus(corpus_files()):
        texts.update(diagnostic.code for diagnostic in symops_lark.recover(case.text, case.dialect).diagnostics)
    with tempfile.TemporaryDirectory() as folder:
        for name, path in write_dialects(Path(folder)).items():
            for text in NEW[name].broken:
                texts.update(
                    single_diagnostic.code for single_diagnostic in symops_lark.recover(text, path).diagnostics
                )
    return frozenset(texts)


@cache
def _refused() -> frozenset[Diagnostic]:
    """Return what the strict parser reports of the texts on file, without places."""
    diagnostics: set[Diagnostic] = set()
    for case in read_corpus(corpus_files()):
        try:
            symops_lark.parse(case.text, case.dialect)
        except symops_lark.ParseError as error:
            diagnostics.update(replace(diagnostic, span=Span(0, 0), expected=()) for diagnostic in error.diagnostics)
    return frozenset(diagnostics)


def _prove_refused(name: str, code: str, folder: Path) -> None:
    assert code in {finding.code for finding in _refused()}, "give it a case with the facet `error` in tests/corpus"


def _prove(name: str, mistake: Mistake, folder: Path) -> None:
    assert mistake.sentence and mistake.hint
    if mistake.code in dict(_LINE_CHECKS):  # the words are what the parser reports, the code may be another one
        diagnose = mistake.diagnose(Span(0, 0), Severity.ERROR)
        assert diagnose in {replace(item, code=mistake.code) for item in _refused()}
        return
    if mistake.code in _said():
        assert mistake.code not in (*LINES, *PRICED, *UNKNOWN), "a text on file has it now: take its row out"
        return
    if mistake.code in PRICED:
        text, remainder = PRICED[mistake.code]
        [broken], [complete] = (symops_lark.recover(element, "v2").actions for element in (text, text + remainder))
        assert broken.confidence < complete.confidence
        return
    if mistake.code in UNKNOWN:
        raise NotProvedError("no text is known of which the cheapest reading assumes it")
    assert mistake.code in LINES, "give the mistake a case with the facet `recovered` in tests/corpus"
    path, _ = read_kinds(load_dialect("v2"), LINES[mistake.code].split())
    assumed = {code for step in path.steps for code in (*step.mistakes, *step.before)} | {*path.at_end}
    assert mistake.code in assumed
    assert path.price >= mistake.price > 0


def _idle(mistake: Mistake) -> Mistake:
    """Return a mistake with the same words that no reading assumes."""
    return replace(mistake, code=f"{mistake.code}-that-no-line-is")


RECOVERED = Registry("mistakes", load_mistakes(load_dialect("v2")), _idle, _prove)
# The codes that the strict parser reports: those that its module names, but for one that has words alone.
STRICT = {
    code: code
    for name, code in vars(codes).items()
    if name.isupper() and name in vars(explain) and code not in REPORTED_AS
}
REFUSED = Registry("diagnostics of the strict parser", STRICT, lambda code: f"{code}-that-no-text-has", _prove_refused)
