"""The samples of the page: documents in any dialect, with mistakes, and examples of rules."""

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
<p>Smörgåsbord, 寿司, 🍣 and 🏳️‍🌈:
signs beyond the basic plane count two in JavaScript and one in Python.</p>"""


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
_SIGNS = _document(
    Thought("Some signs are longer than others 🙂"), Action("create", "site/index.html", _PAGE)
)

# With this seed, the mistakes of the samples show most of the repairs.
SEED = 10
_BROKEN = (
    "preamble-prose",
    "block-as-code-fence",
    "vitals-variant",
    "decorated-path",
    "capitalised-verb",
)
SAMPLES = (
    Sample("broken", "A broken reply", _PROGRAM, (*_BROKEN, "postamble-prose")),
    Sample("faultless", "The same without mistakes", _PROGRAM),
    Sample("cut-off", "Cut off in the middle", _CHANGE, ("truncate-at-token",)),
    Sample("change", "All kinds of sections", _CHANGE),
    Sample("foreign", "Another format altogether", _PROGRAM, ("foreign-format",)),
    Sample(
        "thinking",
        "A model that thinks aloud",
        _CHANGE,
        ("think-tag", "inter-action-prose", "markdown-headers"),
    ),
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
    rows += [
        write_object(sample, "name", "title", "kinds")
        for sample in SAMPLES
        # A dialect may have none of the sections of a sample.
        if leave_out_unsaid(sample.document, dialect).sections
    ]
    return rows


def name_drawn(number: int) -> str:
    """Return the name of the sample with the drawn text of this number."""
    return f"drawn-{number}"


def draw_texts(dialect: WrittenDialect) -> tuple[str, ...]:
    """Return valid texts with custom sections, drawn from the grammar; none if it has none."""
    if not dialect.table("own"):
        return ()
    try:
        texts = sample_texts(dialect, _DRAFTS, SEED)
    except GrammarError:
        # Nothing can be drawn from one of its terminals: the page works without samples.
        return ()
    custom = []
    for text in texts:
        document = read_strictly(text, dialect)
        if getattr(document, "custom", ()):
            custom.append(text)
    return tuple(custom[-_DRAWN:])


def list_examples(dialect: Dialect) -> list[dict[str, str]]:
    """Return an example of each repair rule that has one in a dialect: rule, summary, text."""
    # A dialect without a section of Sym-Ops: the examples are texts of other dialects.
    if not list_samples(dialect, ()):
        return []
    rows = []
    for rule in load_rules(dialect):
        for example in rule.examples:
            if example.dialect in (dialect.name, dialect.family):
                rows.append({"name": rule.id, "title": rule.summary, "text": example.before})
                break
    return rows


def list_kinds(dialect: Dialect) -> list[dict[str, str]]:
    """Return the kinds of mistake that can be made in a sample in a dialect: name and summary."""
    sayable = {row["name"] for row in list_samples(dialect, ())}
    drafts = [write_draft(sample.document, dialect) for sample in SAMPLES if sample.name in sayable]
    kinds = (
        kind
        for kind in load_kinds().values()
        if any(make(draft, [kind.name], "").kinds for draft in drafts)
    )
    return [{"name": kind.name, "summary": kind.summary} for kind in kinds]


def write_damaged(
    document: Document, dialect: Dialect, kinds: Sequence[str], seed: int
) -> dict[str, Any]:
    """Return the text of a document with mistakes, and the mistake that was made for each kind.

    The mistakes are those of the benchmark. A kind for which there is no place is left out.

    Args:
        document: The document.
        dialect: The dialect of the text.
        kinds: The kinds of mistake.
        seed: The seed; another one puts mistakes in other places or forms.
    """
    damaged = make(write_draft(document, dialect), kinds, str(seed))
    return {"text": damaged.text, "made": dict(zip(damaged.kinds, damaged.functions, strict=True))}


def write_draft(document: Document, dialect: Dialect) -> Draft:
    """Return a document as a writer without mistakes would write it in a dialect."""
    sections = []
    for section in document.sections:
        if isinstance(section, Action):
            section = replace(section, style=USUAL)
        sections.append(section)
    usual = replace(document, sections=tuple(sections))
    return Draft.of(leave_out_unsaid(usual, dialect), describe(dialect))
