"""Read texts without a configuration: the public functions of the core.

Each of them uses a `SymOpsProcessor` with default settings, which is kept for further calls.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from .document import Document
from .grammar.dialect import Dialect
from .grammar.loading import load_dialect
from .known_processors import known_processor
from .other_formats import find_other
from .processor import SymOpsProcessor
from .replies.sdk import Answer
from .result import Result
from .strict.parser import parse as parse_strictly

if TYPE_CHECKING:
    from .rendering.converter import Converted
    from .rendering.writer import RenderOptions
    from .repairs.repaired import Repaired


def process(
    raw_output: Answer,
    format: str | Path | Dialect = "auto",
    *,
    rules: Sequence[str | Path] = (),
    cut_off: bool | None = None,
    readings: int = 1,
) -> Result:
    """Turn a model's reply into a validated document: strict, else repaired, else recovered.

    Args:
        raw_output: The reply: a string, or a response object of OpenAI, Anthropic or LangChain.
            None counts as empty.
        format: A dialect, its name, or a path to a `.lark` file. "auto" for the dialect that fits
            the reply best.
        rules: Folders and files of custom repair rules, beside those of the dialect.
        cut_off: Whether the reply was truncated. None: use the finish reason of a response object,
            else detect it from the last line. A path that is cut off looks like another one.
        readings: The number of readings in `Result.readings`, 1 to 20. 1: none is searched for.

    Returns:
        The document with its phase, confidence (0 to 1), repairs and diagnostics. Spans refer to
        `Result.text`.

    Raises:
        ProtocolError: No section was found, or the reply is too long. `error.document` holds the
            best partial document.
        ModelError: The response has no text.
        TypeError: The value is not a response of a known client.
        GrammarError: There is no such dialect, or its grammar is wrong.
        RuleError: A repair rule is wrong.
        ValueError: The number of readings is out of range.
    """
    processor = known_processor(format, _as_texts(rules))
    return processor.process(raw_output, cut_off=cut_off, readings=readings)


def parse(text: str, format: str | Path | Dialect = "auto", *, name: str = "<reply>") -> Document:
    """Parse a text by the grammar of a dialect, all or nothing.

    An error section after an action may record that the action is incomplete. Its `completeness` is
    set by that.

    Args:
        text: The text.
        format: A dialect, its name, or a path to a `.lark` file. "auto" for the dialect that fits
            the text best.
        name: The name of the text in errors.

    Returns:
        The document. Each action has the confidence 1.

    Raises:
        ParseError: The text is not in the dialect. The message names the line and the column.
        GrammarError: There is no such dialect, or its grammar is wrong.
    """
    if format != "auto":
        agent_format = find_other(format)
        # Not a dialect, so the parser of dialects cannot read it.
        if agent_format is not None:
            from .formats.results import parse_format

            return parse_format(text, agent_format, name)
        return parse_strictly(text, format, name=name)
    # The detection has parsed the text, if it is valid in any dialect: it is not parsed again.
    detection = known_processor("auto", ()).detect(text)
    if detection.document is not None and detection.dialect is not None:
        return detection.document
    # This raises: the error is that of the most likely dialect.
    return parse_strictly(text, detection.dialect or load_dialect("v2"), name=name)


def convert(
    text_or_document: str | Document,
    source: str | Path | Dialect = "auto",
    target: str | Path | Dialect = "v2",
    forms: RenderOptions | None = None,
) -> Converted:
    """Convert a text or a document to another dialect.

    Numbers and attributes that the target does not have are left out.

    Args:
        text_or_document: A text of the dialect `source`, or a document.
        source: The dialect of the text; "auto" to detect it.
        target: The dialect to write.
        forms: The choice among the forms of the target. None for its usual ones.

    Returns:
        The text, and the losses: diagnostics with spans in the text that was given.

    Raises:
        ParseError: The text is not in its dialect.
        RenderError: The target cannot express the document.
        GrammarError: There is no such dialect, or its grammar is wrong.
    """
    if isinstance(text_or_document, Document):
        document = text_or_document
    else:
        document = parse(text_or_document, source)
    # Imported here: reading a text needs nothing that writes one.
    agent_format = find_other(target)
    if agent_format is not None:
        from .formats.results import convert_to_format

        return convert_to_format(document, agent_format)
    from .rendering.converter import convert_document

    return convert_document(document, target, forms)


def render(
    document: Document, format: str | Path | Dialect = "v2", forms: RenderOptions | None = None
) -> str:
    """Return a document as canonical text in a dialect, or in the format of another agent.

    Skipped text is not a section and is left out. An incomplete action is followed by an error
    section that marks it as incomplete, and that `parse` reads. The formats of other agents have
    no such section, so it is refused there, and they have actions alone.

    Args:
        document: The document.
        format: The dialect or format: its name, its grammar file, or itself.
        forms: Which of several forms of a dialect to write. None: the shortest ones.

    Returns:
        The text; empty for a document without sections.

    Raises:
        RenderError: The dialect cannot express the document; the error names dialects that can.
        GrammarError: There is no such dialect.
    """
    agent_format = find_other(format, forms=forms)
    if agent_format is not None:
        from .formats.writer import write_format

        return write_format(document, agent_format)
    from .rendering.renderer import render as render_in

    return render_in(document, format, forms)


def repair(
    text: str, format: str | Path | Dialect = "auto", *, rules: Sequence[str | Path] = ()
) -> Repaired:
    """Repair a text by the rules of a dialect; a valid text is returned unchanged.

    After an incomplete action, an error section records its state, so that `parse` and `plan` know
    it.

    Args:
        text: The text.
        format: A dialect, its name, or a path to a `.lark` file. "auto" to detect it.
        rules: Folders and files of custom repair rules, beside those of the dialect.

    Returns:
        The repaired text with its repairs.

    Raises:
        ProtocolError: The text is too long.
        GrammarError: There is no such dialect, or its grammar is wrong.
        RuleError: A repair rule is wrong.
    """
    return known_processor(format, _as_texts(rules)).repair(text)


def recover(
    text: str,
    format: str | Path | Dialect = "auto",
    *,
    rules: Sequence[str | Path] = (),
    cut_off: bool | None = None,
    engine: str | None = None,
) -> Document:
    """Return the minimum-cost parse of any text.

    The repair rules recognize lines that are nearly exact. Actions that `process` doubts are
    suspect here, too.

    Args:
        text: The text.
        format: A dialect, its name, or a path to a `.lark` file. "auto" to detect it.
        rules: Folders and files of custom repair rules, beside those of the dialect.
        cut_off: Whether the text was truncated; None to detect it from the last line.
        engine: "automaton" or "earley"; both give the same documents. None: the automaton where the
            recovery grammar is left-linear.

    Returns:
        The document. For a valid text it is that of `parse`, at price 0.

    Raises:
        GrammarError: There is no such dialect, its grammar is wrong, or the engine cannot run its
            recovery grammar.
        RuleError: A repair rule is wrong.
    """
    processor = known_processor(format, _as_texts(rules))
    return processor.recover(text, cut_off=cut_off, engine=engine)


def detect_dialect(text: str, processor: SymOpsProcessor | None = None) -> Dialect:
    """Return the dialect whose minimum-cost parse of a text is cheapest.

    Args:
        text: The text.
        processor: Knows further dialects and rules. None for the installed ones.

    Returns:
        The dialect; v2 if the text is in none.
    """
    return (processor or SymOpsProcessor()).detect(text).dialect or load_dialect("v2")


# Rules are a part of the key under which a processor is kept: a tuple of strings is hashable.
def _as_texts(rules: Sequence[str | Path]) -> tuple[str, ...]:
    return tuple(str(path) for path in rules)
