"""What there is to begin with: documents, written in any dialect with some kinds of mistake; and examples of rules."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from ...core.document import Question, Thought, Vitals
from ...core.grammar.compiling.compiler import WrittenDialect
from ...core.grammar.dialect import Dialect
from ...core.ground.errors import GrammarError
from ...core.ground.json_objects import write_object
from ...core.repairs.loader import load_rules
from ..benchmark.faults.dialects import describe
from ..benchmark.faults.documents import Action, Document, Section
from ..benchmark.faults.draws import make
from ..benchmark.faults.kinds import load_kinds
from ..benchmark.faults.mistakes import Draft
from ..benchmark.formats.drafts import USUAL, leave_out_unsaid
from ..workbench import read_strictly
from ..workbench.sample import sample_texts

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


_DRAWN = 3  # texts with custom sections
_DRAFTS = 24  # texts of the grammar, of which these are the longest


def list_samples(dialect: Dialect, drawn: Sequence[str]) -> list[dict[str, Any]]:
    """Return the samples of a dialect: name, title, kinds of mistake.

    Args:
        dialect: The dialect.
        drawn: Texts of its grammar; see `draw_texts`.
    """
    rows: list[dict[str, Any]] = [
        {"name": name_drawn(number), "title": f"Custom sections, {number}", "kinds": []}
        for number in range(1, len(drawn) + 1)
    ]
    sayable = (sample for sample in SAMPLES if leave_out_unsaid(sample.document, dialect).sections)
    rows.extend(write_object(sample, "name", "title", "kinds") for sample in sayable)
    return rows


def name_drawn(number: int) -> str:
    """Return the name of the sample with the drawn text of this number."""
    return f"drawn-{number}"


def draw_texts(dialect: WrittenDialect) -> tuple[str, ...]:
    """Return valid texts with custom sections, drawn from the grammar; none if it has no such sections."""
    if not dialect.table("own"):
        return ()
    try:
        texts = sample_texts(dialect, _DRAFTS, SEED)
    except GrammarError:  # a terminal that nothing can be drawn from: the page works without samples
        return ()
    custom = []
    for text in texts:
        document = read_strictly(text, dialect)
        if getattr(document, "custom", ()):
            custom.append(text)
    return tuple(custom[-_DRAWN:])


def list_examples(dialect: Dialect) -> list[dict[str, str]]:
    """Return an example of each repair rule of a dialect that has one in it: rule, summary, text."""
    if not list_samples(dialect, ()):
        return []  # a dialect without a section of Sym-Ops: the examples are texts of others
    found = []
    for rule in load_rules(dialect):
        texts = [each.before for each in rule.examples if each.dialect in (dialect.name, dialect.family)]
        if texts:
            found.append({"name": rule.id, "title": rule.summary, "text": texts[0]})
    return found


def list_kinds(dialect: Dialect) -> list[dict[str, str]]:
    """Return the kinds of mistake that can be made in a dialect, in one of the samples: name and summary."""
    sayable = {row["name"] for row in list_samples(dialect, ())}
    drafts = [write_draft(sample.document, dialect) for sample in SAMPLES if sample.name in sayable]
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
    usual = replace(document, sections=tuple(sections))
    return Draft.of(leave_out_unsaid(usual, dialect), describe(dialect))
