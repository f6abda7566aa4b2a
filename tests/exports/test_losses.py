"""What an export loses is said before anything is written, and what cannot be kept is refused, with its place."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from grammar_changes import FEATURE_CHANGES, NESTED, V2, put
from wings import need_wing

from symops_lark import SymOpsError, __version__, derive, dialects, export
from symops_lark.core.grammar.loading import load_dialect, load_grammar, recovery_grammar
from symops_lark.exports import ExportError, list_exports, list_tolerant_exports, load_exports
from symops_lark.exports.subset import load_features

PLACE = r"\S+\.lark:\d+:\d+: "
FURTHER = {  # what is no feature of the table, and what every export does with it
    "recursion": put("question: ask choice*", "question: ask _deep?\n_deep: choice _deep choice | choice"),
    "unlike": put("NUMBER:     /[0-9]+/", "NUMBER:     /(?>[0-9]+)/"),
}

NEVER = ("backreference",)  # what no dialect may have


def write(folder: Path, text: str) -> Path:
    path = folder / "mine.lark"
    path.write_text(text, encoding="utf-8")
    return path


@pytest.mark.slow
@pytest.mark.parametrize("name", load_exports())
def test_each_file_says_what_it_is(name: str, tmp_path: Path, stride: int) -> None:
    derived = write(tmp_path, derive("v2", {"_ACTION": '"%%"'}))
    # An installed dialect comes first: the steps of a derived one are counted, which makes the
    # translation of the parser, the same for all dialects, three times as slow.
    chosen: list[str | Path] = ["v1", derived] if stride > 1 else [*dialects(), derived]
    for dialect in chosen:
        for path, text in export(name, dialect).items():
            if path.startswith(("tables.", "cases.")):  # data for runtimes, which has the fingerprint alone
                continue
            for item in ("MIT License", load_grammar(dialect).fingerprint, f"symops-lark {__version__}", "do not edit"):
                assert item in text, (dialect, path, item)


@pytest.mark.slow
@pytest.mark.alike(10)
@pytest.mark.parametrize("code", [code for code in (*FEATURE_CHANGES, *FURTHER) if code not in NEVER])
def test_what_an_export_refuses_the_check_has_said(code: str, tmp_path: Path, stride: int) -> None:
    need_wing("lab")
    from symops_lark.lab.workbench.check import check_grammar

    path = write(tmp_path, (FEATURE_CHANGES | FURTHER)[code](V2))
    report = check_grammar(path, used=False)
    text = "\n".join(finding.message for finding in report.findings)
    constraints = list_exports("constraint")
    names = ", ".join(constraints)
    assert report.compiles
    exports = [name for name in load_exports() if name not in list_exports("parser")]
    if stride > 1:
        exports.remove("conformance")  # made of what `tables` writes, with a long search for cases
    for name in exports:
        try:
            assert export(name, path)
        except ExportError as error:
            assert re.match(PLACE, str(error)), error
            assert f"symops export refuses it for {names}" in text or "refuses the dialect for" in text
        else:
            assert name not in constraints or not (code in load_features() and load_features()[code].refused)


UNLOADABLE = {
    "a backreference": (FEATURE_CHANGES["backreference"](V2), PLACE),
    "a verb of several texts": ('%import .v2\n%override RUN: "kör"i\n', "the verb RUN is not a fixed text"),
    "two blocks": ("%import .v2\n%override action: head BLOCK BLOCK?\n", "may read BLOCK more than once"),
    "ways to write a mark": ("%import .v2\n%override _OPEN: /<<<|{{{/\n", "_OPEN"),
}


@pytest.mark.slow
@pytest.mark.parametrize("case", UNLOADABLE)
def test_what_cannot_be_loaded_no_export_takes(case: str, tmp_path: Path) -> None:
    text, reason = UNLOADABLE[case]
    path = write(tmp_path, text)
    with pytest.raises(SymOpsError, match=reason):
        load_dialect(path).to_data()
    for name in load_exports():
        if name != "lark":  # it writes the grammar as it is
            with pytest.raises(SymOpsError, match=reason):
                export(name, path)


@pytest.mark.slow
def test_a_recovery_grammar_that_nests_is_kept_by_strict_parsers_alone(tmp_path: Path) -> None:
    need_wing("lab")
    from symops_lark.lab.workbench.check.recovery import find_recovery_faults

    path = write(tmp_path, "%import .v2\n")
    (tmp_path / "mine_recovery.lark").write_text(NESTED, encoding="utf-8")
    recovery_faults = find_recovery_faults(recovery_grammar(load_grammar(path)))
    note = next(finding for finding in recovery_faults if finding.code == "nesting")
    assert "symops export refuses it for tolerant parsers (javascript, python)" in note.message
    for name in list_tolerant_exports():
        with pytest.raises(ExportError, match=rf"mine_recovery\.lark:{note.line}:1: .* cannot keep _nested"):
            export(name, path, tolerant=True)
        assert export(name, path)


@pytest.mark.parametrize("name", load_exports())
def test_an_export_is_of_one_dialect(name: str) -> None:
    with pytest.raises(ExportError, match="'auto' has nothing to choose from; name one: plain, v1"):
        export(name, "auto")
