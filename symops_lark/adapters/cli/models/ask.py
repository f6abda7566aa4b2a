"""`symops ask`: from a request to a validated document, through a model."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any, TextIO

import click

from ....core.ground.json_text import spell_json
from ....core.ground.numbers import counted
from ....core.text.source import Source
from ..colours import paint
from ..options import (
    attempts_option,
    context_options,
    format_option,
    json_option,
    make_processor,
    quiet_option,
    rules_option,
)
from ..texts import complain, echo, write_file, write_json
from ..view import show_document, show_findings, show_sureness, show_title, show_trace, warn_unfinished
from ..visibility import visible, visible_line
from .objects import ask_for_object
from .prompt import read_context, read_request
from .providers import model_options, way_option, with_limits

if TYPE_CHECKING:
    from ....core.processor import SymOpsProcessor
    from ....core.result import Result
    from ....core.streaming import Event
    from ....models import AsyncReplyStream, Message, Messages, Model, Reply, ReplyStream, Usage


@click.command(name="ask")
@click.argument("words", nargs=-1, metavar="[REQUEST]")
@model_options(required=True)
@format_option("v2", "The dialect of the reply.")
@rules_option
@context_options
@click.option("--schema", metavar="FILE", help="Ask for a JSON object that fits this schema, instead of a document.")
@way_option("With --schema: the way to enforce it. Default: set by the provider.")
@click.option("--constrained", is_flag=True, help="Constrain decoding with the dialect's grammar.")
@click.option("--no-examples", is_flag=True, help="Leave out the examples of the prompt.")
@attempts_option
@click.option(
    "--least-confidence",
    type=click.FloatRange(0, 1),
    default=0.5,
    help="Ask again if the confidence is below this value.",
)
@click.option("--differential", is_flag=True, help="Ask again for the broken sections only.")
@click.option("--extract", is_flag=True, help="If everything else fails, treat fenced code as files.")
@click.option(
    "-o",
    "--output",
    metavar="FILE",
    help="Write the document to FILE, in the dialect or as JSON. Default: standard output.",
)
@click.option("--save-reply", metavar="FILE", help="Write the model's reply to FILE as it arrives.")
@quiet_option
@click.option("--trace", is_flag=True, help="Show the effect of each strategy and the text after it.")
@json_option
@click.pass_context
def command(
    click_context: click.Context,
    /,
    words: tuple[str, ...],
    format: str,
    rules: tuple[str, ...],
    context: tuple[str, ...],
    budget: int | None,
    allow: tuple[str, ...],
    schema: str | None,
    constrained: bool,
    no_examples: bool,
    attempts: int,
    least_confidence: float,
    differential: bool,
    extract: bool,
    output: str | None,
    save_reply: str | None,
    quiet: bool,
    trace: bool,
    as_json: bool,
    **settings: Any,
) -> int:
    """Ask a model and print the validated document.

    Without a REQUEST it is read from standard input. The reply is parsed while it arrives. The
    model is asked again for parts that cannot be read; a truncated reply is continued. Keys are
    taken from the environment (OPENAI_API_KEY, ANTHROPIC_API_KEY, …).

    With --schema the answer is a JSON object. The provider enforces the schema if it can; otherwise
    the prompt contains it. The value is printed only if it fits.

    Exit code 0: the document is valid; 1: it has errors or is incomplete, or there is none; 2: bad
    arguments, or the model failed.
    """
    from ....core.result import ProtocolError
    from ....models import load_model
    from ....models.correction import Mode, SelfCorrector
    from ....models.prompts import PromptBuilder

    settings = with_limits(settings)
    if schema is not None:
        _expect_other_files((schema,), output, None)
        return ask_for_object(click_context, schema, words, output, quiet, trace, as_json, settings)
    if settings.pop("way") is not None:
        raise click.UsageError("--way is how a model is held to a schema: give --schema")
    _expect_other_files(context, output, save_reply)
    processor = make_processor(format, rules)
    builder = PromptBuilder(processor.format, budget=budget)
    shown = builder.show_files([read_context(name, allow) for name in context]) if context else None
    for name, note in shown.notes if shown else ():
        complain(f"{name}: {note}")
    free = load_model(**settings)
    asked = free
    if constrained:
        from ....exports.decoding import load_grammar_for

        asked = load_model(**settings, grammar=load_grammar_for(settings["provider"], processor.format))
    messages = tuple(builder.messages(read_request(words), {"files": shown} if shown else None, not no_examples))
    metered = _Metered(asked, quiet)
    reply = _stream(metered, messages, processor, save_reply, quiet)
    mode = Mode.DIFFERENTIAL if differential else Mode.WHOLE
    if attempts:
        # A constrained model always begins a reply, so it could not go on with one that was cut off.
        metered.model = free
        processor.corrector = SelfCorrector(metered, mode, max_attempts=attempts, least_confidence=least_confidence)
    processor.extract = extract
    try:
        result = processor.process(reply, messages)
    except ProtocolError as error:
        echo(show_findings(error.diagnostics, Source(reply.text, "reply")))
        echo(show_trace(error.trace) if trace else [])
        echo("reply | " + visible(line) for line in reply.text.split("\n") if reply.text)
        complain(f"{asked.name}: {error}")
        return 1
    _finish(result, metered, output, as_json, trace, processor)
    unfinished = output is not None and warn_unfinished(visible_line(output), result.document)
    return 0 if result.valid and not unfinished else 1


def _expect_other_files(context: Sequence[str], output: str | None, save_reply: str | None) -> None:
    """Refuse to write over a file that is read, or to write two things into one."""
    written = [name for name in (output, save_reply) if name is not None]
    for name in written:
        real = os.path.realpath(name)
        for other in (*context, *(each for each in written if each is not name)):
            if real == os.path.realpath(other):
                raise click.UsageError(f"{visible_line(name)} is both written and read, or written twice")


class _Metered:
    """A model that tells when it is asked again, and adds up the tokens."""

    def __init__(self, model: Model, quiet: bool) -> None:
        self.model, self.quiet = model, quiet
        self.name = model.name
        self.usage: Usage | None = None

    def count(self, reply: Reply) -> Reply:
        if reply.usage is not None:
            self.usage = reply.usage if self.usage is None else self.usage + reply.usage
        return reply

    def generate(self, messages: Messages) -> Reply:
        from ....models import as_messages

        if not self.quiet:
            first = as_messages(messages)[-1].content.split("\n", 1)[0]
            echo([paint("asking again: ", "yellow") + visible(first)], err=True)
        return self.count(self.model.generate(messages))

    async def agenerate(self, messages: Messages) -> Reply:
        return self.count(await self.model.agenerate(messages))

    def stream(self, messages: Messages) -> ReplyStream:
        return self.model.stream(messages)

    def astream(self, messages: Messages) -> AsyncReplyStream:
        return self.model.astream(messages)


def _stream(
    model: _Metered, messages: Sequence[Message], processor: SymOpsProcessor, save: str | None, quiet: bool
) -> Reply:
    """Let the reply arrive, with progress; what had arrived is used even if the connection breaks."""
    from ....core.replies.messages import ModelError
    from ....core.streaming import StreamParser

    parser = StreamParser(processor, keep=False)
    with (
        open(save or os.devnull, "w", encoding="utf-8", errors="replace") as kept,
        model.model.stream(messages) as stream,
    ):
        try:
            _show_progress(parser.events(_keep(stream, kept)), quiet)
        except ModelError as error:
            if error.partial is None or not error.partial.text:
                raise
            complain(f"{error}; what had arrived is used")
        return model.count(stream.reply)


def _keep(pieces: Iterator[str], file: TextIO) -> Iterator[str]:
    for piece in pieces:
        file.write(piece)
        file.flush()
        yield piece


def _show_progress(events: Iterable[Event], quiet: bool) -> None:
    """Tell about thoughts, and about actions as they are completed."""
    from ....core.document import Completeness, Thought
    from ....core.streaming import (
        ActionFinished,
        ActionStarted,
        ContentDelta,
        SectionContent,
        SectionFinished,
        SectionParsed,
        SectionStarted,
    )

    name, lines = "", 0  # of the action at hand
    for event in events:
        match event:
            case _ if quiet:
                pass
            case SectionParsed(Thought(text)):
                echo([paint(visible(text), "bright_black")], err=True)
            case ActionStarted(_, action):
                name, lines = f"{action.type} {action.path}", 0
            case SectionStarted(section):
                name, lines = section.name, 0
            case ContentDelta() | SectionContent():
                lines += 1
            case ActionFinished(_, completeness, _, place) | SectionFinished(completeness, _, place):
                size = "" if place is None else f", {counted(lines, 'line')}"
                doubt = "" if completeness is Completeness.COMPLETE else f", {completeness}"
                echo([f"{visible_line(name)}{size}{doubt}"], err=True)


def _finish(
    result: Result, model: _Metered, output: str | None, as_json: bool, trace: bool, processor: SymOpsProcessor
) -> None:
    from ....core.rendering.renderer import render

    value = result.to_dict() | {"model": model.name, "usage": model.usage.to_dict() if model.usage else None}
    if output is not None:
        shown = spell_json(value, 2) + "\n" if as_json else render(result.document, processor.format)
        write_file(output, shown)
    elif as_json:
        write_json(value)
        return
    facts = [str(result.phase), result.document.dialect, show_sureness(result.confidence)]
    echo([show_title(model.name, facts)])
    echo(show_document(result.document))
    echo(show_findings(result.diagnostics, Source(result.text, "reply")))
    if model.usage is not None:
        parts = (("in", model.usage.input_tokens), ("out", model.usage.output_tokens))
        told = ", ".join(f"{count} {name}" for name, count in parts if count is not None)
        echo([f"tokens: {told}"] if told else [])
    if trace:
        echo(show_trace(result.trace))
