"""What there is to begin with: documents, written in any dialect with some kinds of mistake; and examples of rules."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from ...core.grammar.dialect import Dialect
from ...core.repairs.loader import load_rules
from ..benchmark.faults.dialects import describe
from ..benchmark.faults.documents import Action, Document, Question, Section, Thought, Vitals
from ..benchmark.faults.draws import make
from ..benchmark.faults.kinds import load_kinds
from ..benchmark.faults.mistakes import Draft
from ..benchmark.formats.drafts import USUAL

_SCRIPT = '''def write_hello(name):
    """Write "hello" to the file."""
    with open(name, "w") as file:
        file.write("hello")


if __name__ == "__main__":
    write_hello("output.txt")'''
_SCRIPT_TEST = """from main import write_hello


def test_hello(tmp_path):
    write_hello(tmp_path / "output.txt")
    assert (tmp_path / "output.txt").read_text() == "hello\""""
_PAGE = """<!doctype html>
<title>Grüße 👋</title>
<p>Smörgåsbord, 寿司, 🍣 and 🏳️‍🌈: signs beyond the basic plane count two in JavaScript and one in Python.</p>"""


@dataclass(frozen=True, slots=True)
class Sample:
    """A document under a name, and the kinds of mistake in its text."""

    name: str
    title: str
    document: Document
    kinds: tuple[str, ...] = ()


def _document(*sections: Section) -> Document:
    return Document(sections)


_PROGRAM = _document(
    Thought("One script does it; only the standard library is needed."),
    Vitals((("confidence", 0.9), ("focus", 0.95))),
    Action("create", "main.py", _SCRIPT),
    Action("create", "requirements.txt", "# nothing is required", ("main.py",)),
    Action("run", "python main.py"),
)
_CHANGE = _document(
    Thought("The test comes first."),
    Thought("Then what it needs, and what is no longer needed goes."),
    Action("create", "tests/test_main.py", _SCRIPT_TEST),
    Action("edit", "main.py", _SCRIPT, ("tests/test_main.py",)),
    Action("delete", "old_main.py"),
    Action("test", "pytest -q"),
    Question("Which version of Python is the oldest to support?", ("3.11", "3.12")),
    Vitals((("confidence", 0.75), ("mood", 0.6), ("focus", 0.9), ("stamina", 0.8))),
)
_SIGNS = _document(Thought("Some signs are longer than others 🙂"), Action("create", "site/index.html", _PAGE))

SEED = 10  # what the samples' mistakes are drawn from
_BROKEN = ("preamble-prose", "block-as-code-fence", "vitals-variant", "decorated-path", "capitalised-verb")
SAMPLES = (
    Sample("broken", "A broken reply", _PROGRAM, (*_BROKEN, "postamble-prose")),
    Sample("faultless", "The same without mistakes", _PROGRAM),
    Sample("cut-off", "Cut off in the middle", _CHANGE, ("truncate-at-token",)),
    Sample("change", "All kinds of sections", _CHANGE),
    Sample("foreign", "Another format altogether", _PROGRAM, ("foreign-format",)),
    Sample("thinking", "A model that thinks aloud", _CHANGE, ("think-tag", "inter-action-prose", "markdown-headers")),
    Sample("signs", "Signs beyond the basic plane", _SIGNS, ("whole-fence-wrap",)),
)


def list_examples(dialect: Dialect) -> list[dict[str, str]]:
    """Return an example of each repair rule of a dialect that has one in it: rule, summary, text."""
    found = []
    for rule in load_rules(dialect):
        texts = [each.before for each in rule.examples if each.dialect in (dialect.name, dialect.family)]
        if texts:
            found.append({"name": rule.id, "title": rule.summary, "text": texts[0]})
    return found


def list_kinds(dialect: Dialect) -> list[dict[str, str]]:
    """Return the kinds of mistake that can be made in a dialect, in one of the samples: name and summary."""
    drafts = [write_draft(sample.document, dialect) for sample in SAMPLES]
    kinds = (kind for kind in load_kinds().values() if any(make(draft, [kind.name], "").kinds for draft in drafts))
    return [{"name": kind.name, "summary": kind.summary} for kind in kinds]


def write_damaged(document: Document, dialect: Dialect, kinds: Sequence[str], seed: int) -> dict[str, Any]:
    """Return the text of a document with mistakes of some kinds in it, and which mistake was made of each.

    It is damaged as the benchmark damages its replies; another `seed` makes mistakes in other places or forms. A kind
    for which there is no place is not made.
    """
    damaged = make(write_draft(document, dialect), kinds, str(seed))
    return {"text": damaged.text, "made": dict(zip(damaged.kinds, damaged.functions, strict=True))}


def write_draft(document: Document, dialect: Dialect) -> Draft:
    """Return a document as a writer without mistakes would write it in a dialect."""
    sections = (replace(each, style=USUAL) if isinstance(each, Action) else each for each in document.sections)
    return Draft.of(replace(document, sections=tuple(sections)), describe(dialect))
