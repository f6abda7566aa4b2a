"""What reads replies runs by tables alone: without Lark and YAML, and with the same results."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from texts import DIALECTS, texts_on_file

from symops_lark import GrammarError, ProtocolError, SymOpsProcessor
from symops_lark.core.grammar.dialect import Dialect
from symops_lark.core.recovery.engines.automaton import Automaton
from symops_lark.core.recovery.engines.choice import load_engine
from symops_lark.core.repairs.loader import load_rules
from symops_lark.exports.tables import freeze

# Without a grammar at hand there are no rules of users, no detection of dialects, and no Earley.
READER = """
import json, sys
from symops_lark.core.formats.loading import formats
from symops_lark.core.formats.tools import load_tools
from symops_lark import ProtocolError, SymOpsProcessor
formats(), load_tools()  # from kept tables, which are found by the version of Lark
if "bare" in sys.argv:
    assert not sys.modules.keys() & {"lark", "yaml"}
    sys.modules["lark"] = sys.modules["yaml"] = None  # importing one of them is an error
from symops_lark.core.grammar.dialect import Dialect

tables, texts = json.load(sys.stdin)
processor = SymOpsProcessor(Dialect.from_data(tables))
for text in texts:
    try:
        print(json.dumps(processor.process(text).to_dict()))
    except ProtocolError as error:
        print(json.dumps([str(error), error.document.to_dict()]))
"""


def read(processor: SymOpsProcessor, text: str) -> object:
    try:
        return processor.process(text).to_dict()
    except ProtocolError as error:
        return [str(error), error.document.to_dict()]


def find_texts(name: str) -> list[str]:
    texts = [text for _, dialect, text in texts_on_file() if (dialect == name and text.isprintable()) or "\n" in text]
    return [text for text in dict.fromkeys(texts) if text.encode("utf-8", "replace").decode() == text][:150]


def run_reader(name: str, texts: list[str], cache: Path, *words: str) -> list[str]:
    done = subprocess.run(
        [sys.executable, "-c", READER, *words],
        input=json.dumps([freeze(name), texts]),
        env={**os.environ, "XDG_CACHE_HOME": str(cache)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert not done.returncode, done.stderr
    return done.stdout.splitlines()


@pytest.fixture(scope="module")
def cache(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder with the kept tables of speakers and formats.

    Tests that run beside fill the common folder, and its oldest tables go.
    """
    folder = tmp_path_factory.mktemp("cache")
    run_reader(DIALECTS[0], find_texts(DIALECTS[0]), folder)
    return folder


@pytest.mark.slow
@pytest.mark.alike(6)
@pytest.mark.parametrize("name", DIALECTS)
def test_tables_alone_read_every_text_on_file_alike(name: str, cache: Path) -> None:
    texts = find_texts(name)
    assert len(texts) > 50
    processor = SymOpsProcessor(name)
    expected = [json.loads(json.dumps(read(processor, text))) for text in texts]
    lines = run_reader(name, texts, cache, "bare")
    assert len(lines) == len(texts)
    for text, line, value in zip(texts, lines, expected, strict=True):
        assert json.loads(line) == value, text


def test_tables_are_json_and_say_the_same_again() -> None:
    tables = json.loads(json.dumps(freeze("v2")))
    repeated = Dialect.from_data(tables)
    assert {name: tables[name] for name in repeated.to_data()} == repeated.to_data()
    engine = load_engine(repeated)
    assert isinstance(engine, Automaton) and engine.to_data() == tables["recovery"]
    assert [rule.to_data() for rule in load_rules(repeated)] == tables["repairs"]


def test_a_recovery_grammar_with_nesting_has_no_tables(tmp_path: Path) -> None:
    (tmp_path / "mine.lark").write_text("%import .v2\n", encoding="utf-8")
    nested = "%import .v2_recovery\n\n%extend document: _nested\n_nested: OPEN _nested CLOSE | OPEN CLOSE\n"
    (tmp_path / "mine_recovery.lark").write_text(nested, encoding="utf-8")
    with pytest.raises(GrammarError, match="nesting"):
        freeze(tmp_path / "mine.lark")
