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
    FloatRange,
    attempts_option,
    context_options,
    format_option,
    json_option,
    make_processor,
    quiet_option,
    rules_option,
)
from ..texts import complain, echo, write_file, write_json
from ..view import (
    show_document,
    show_findings,
    show_sureness,
    show_title,
    show_trace,
    warn_unfinished,
)
from ..visibility import visible, visible_line
from .objects import ask_for_object
from .prompt import read_request, show_context
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
@click.option(
    "--schema",
    metavar="FILE",
    help="Ask for a JSON object that fits this schema, instead of a document.",
)
@way_option("With --schema: the way to enforce it. Default: set by the provider.")
@click.option("--constrained", is_flag=True, help="Constrain decoding with the dialect's grammar.")
@click.option("--no-examples", is_flag=True, help="Leave out the examples of the prompt.")
@attempts_option
@click.option(
    "--least-confidence",
    type=FloatRange(0, 1),
    default=0.5,
    help="Ask again if the confidence is below this value.",
)
@click.option("--differential", is_flag=True, help="Ask again for the broken sections only.")
@click.option(
    "--extract", is_flag=True, help="If everything else fails, treat fenced code as files."
)
@click.option(
    "-o",
    "--output",
    metavar="FILE",
    help="Write the document to FILE, in the dialect or as JSON. Default: standard output.",
)
@click.option("--save-reply", metavar="FILE", help="Write the model's reply to FILE as it arrives.")
@quiet_option
@click.option(
    "--trace", is_flag=True, help="Show the effect of each strategy and the text after it."
)
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
    \f

    Args:
        click_context: The options, with where each was set.
        words: The request.
        format: The dialect of the reply.
        rules: Folders with custom repair rules.
        context: Files that the prompt shows.
        budget: Maximum number of tokens of these files.
        allow: Globs of files that are shown although they may hold secrets.
        schema: The file of a JSON Schema; the answer is then an object.
        constrained: Whether the dialect's grammar constrains the first reply.
        no_examples: Whether the prompt has no examples.
        attempts: Number of times to ask again.
        least_confidence: Ask again below this confidence, from 0 to 1.
        differential: Whether only broken sections are asked for again.
        extract: Whether fenced code becomes files if nothing else is found.
        output: The file for the document.
        save_reply: The file for the reply.
        quiet: Whether no progress is shown.
        trace: Whether the effect of each strategy is shown.
        as_json: Whether the output is JSON.
        settings: The values of `model_options`, and `way`.

    Raises:
        UsageError: The options contradict each other.
    """
    from ....core.result import ProtocolError
    from ....models import load_model
    from ....models.correction import Mode, SelfCorrector
    from ....models.prompts import PromptBuilder

    settings = with_limits(settings)
    if schema is not None:
        _expect_other_files([schema], output, None)
        return ask_for_object(click_context, settings)
    # Only a schema can be enforced in several ways.
    if settings.pop("way") is not None:
        raise click.UsageError("--way is how a model is held to a schema: give --schema")
    _expect_other_files(context, output, save_reply)

    # Everything that can be wrong is loaded before the model is asked, which may cost money.
    processor = make_processor(format, rules)
    builder = PromptBuilder(processor.format, budget=budget)
    shown_context = show_context(builder, context, allow)
    model = load_model(**settings)
    asked_first = model
    if constrained:
        from ....exports.decoding import load_grammar_for

        grammar = load_grammar_for(settings["provider"], processor.format)
        asked_first = load_model(**settings, grammar=grammar)
    messages = tuple(builder.messages(read_request(words), shown_context, not no_examples))

    metered = _Metered(asked_first, quiet)
    reply = _stream(metered, messages, processor, save_reply, quiet)
    if attempts:
        # A constrained model always begins a reply: it could not continue a truncated one.
        metered.model = model
        processor.corrector = SelfCorrector(
            metered,
            Mode.DIFFERENTIAL if differential else Mode.WHOLE,
            max_attempts=attempts,
            least_confidence=least_confidence,
        )
    processor.extract = extract
    try:
        result = processor.process(reply, messages)
    except ProtocolError as error:
        echo(show_findings(error.diagnostics, Source(reply.text, "reply")))
        echo(show_trace(error.trace) if trace else [])
        # Without a document, the reply is all that there is to look at.
        if reply.text:
            echo(f"reply | {visible(line)}" for line in reply.text.split("\n"))
        complain(f"{asked_first.name}: {error}")
        return 1
    # The findings show as well why a valid document was asked for again.
    _write(result, metered, output, as_json, trace, processor)
    unfinished = output is not None and warn_unfinished(visible_line(output), result.document)
    return int(unfinished or not result.valid)


def _expect_other_files(context: Sequence[str], output: str | None, save_reply: str | None) -> None:
    """Refuse to write over a file that is read, or to write two things into one."""
    outputs = [name for name in (output, save_reply) if name is not None]
    # The real paths: two names, or a link, may lead to one file.
    paths = [os.path.realpath(name) for name in (*outputs, *context)]
    for name, path in zip(outputs, paths, strict=False):
        if paths.count(path) > 1:
            raise click.UsageError(
                f"{visible_line(name)} is both written and read, or written twice"
            )


class _Metered:
    """A model that announces when it is asked again, and adds up the tokens."""

    def __init__(self, model: Model, quiet: bool) -> None:
        self.model = model
        self.quiet = quiet
        self.name = model.name
        self.usage: Usage | None = None

    def count(self, reply: Reply) -> Reply:
        """Add the tokens of a reply, and return it."""
        if reply.usage is not None:
            self.usage = reply.usage if self.usage is None else self.usage + reply.usage
        return reply

    # Only a corrector calls it: the first reply is streamed.
    def generate(self, messages: Messages) -> Reply:
        from ....models import as_messages

        if not self.quiet:
            first_line = as_messages(messages)[-1].content.split("\n", 1)[0]
            echo([paint("asking again: ", "yellow") + visible(first_line)], err=True)
        return self.count(self.model.generate(messages))

    # The protocol of models has these, too.
    async def agenerate(self, messages: Messages) -> Reply:
        return self.count(await self.model.agenerate(messages))

    def stream(self, messages: Messages) -> ReplyStream:
        return self.model.stream(messages)

    def astream(self, messages: Messages) -> AsyncReplyStream:
        return self.model.astream(messages)


def _stream(
    model: _Metered,
    messages: Sequence[Message],
    processor: SymOpsProcessor,
    save: str | None,
    quiet: bool,
) -> Reply:
    """Receive the reply, with progress; if the connection breaks, its beginning is used."""
    from ....core.replies.messages import ModelError
    from ....core.streaming import StreamParser

    # The reply keeps its text: the parser is only for the progress.
    parser = StreamParser(processor, keep=False)
    with (
        open(save or os.devnull, "w", encoding="utf-8", errors="replace") as file,
        model.model.stream(messages) as stream,
    ):
        try:
            _show_progress(parser.events(_save(stream, file)), quiet)
        except ModelError as error:
            # Without a beginning there is nothing to repair.
            if error.partial is None or not error.partial.text:
                raise
            complain(f"{error}; what had arrived is used")
        return model.count(stream.reply)


def _save(pieces: Iterator[str], file: TextIO) -> Iterator[str]:
    for piece in pieces:
        file.write(piece)
        # Written at once, so that the file can be followed, and is there after a crash.
        file.flush()
        yield piece


def _show_progress(events: Iterable[Event], quiet: bool) -> None:
    """Show thoughts, and actions as they are completed. All events are consumed."""
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

    name = ""
    lines = 0  # of the current content
    for event in events:
        # Events are made while the reply arrives: the loop has to run to its end.
        if quiet:
            continue
        match event:
            case SectionParsed(Thought(text)):
                echo([paint(visible(text), "bright_black")], err=True)
            case ActionStarted(_, action):
                name, lines = f"{action.type} {action.path}", 0
            case SectionStarted(section):
                name, lines = section.name, 0
            case ContentDelta() | SectionContent():
                lines += 1
            case ActionFinished(_, state, _, span) | SectionFinished(state, _, span):
                # Without a span there is no content, and nothing to count.
                size = "" if span is None else f", {counted(lines, 'line')}"
                doubt = "" if state is Completeness.COMPLETE else f", {state}"
                echo([f"{visible_line(name)}{size}{doubt}"], err=True)


def _write(
    result: Result,
    model: _Metered,
    output: str | None,
    as_json: bool,
    trace: bool,
    processor: SymOpsProcessor,
) -> None:
    from ....core.rendering.renderer import render

    usage = model.usage.to_dict() if model.usage else None
    value = {**result.to_dict(), "model": model.name, "usage": usage}
    if output is not None:
        # The file has only the document; the findings are printed as well.
        json_text = spell_json(value, 2) + "\n" if as_json else None
        write_file(output, json_text or render(result.document, processor.format))
    elif as_json:
        write_json(value)
        return
    facts = [str(result.phase), result.document.dialect, show_sureness(result.confidence)]
    echo([show_title(model.name, facts)])
    echo(show_document(result.document))
    echo(show_findings(result.diagnostics, Source(result.text, "reply")))
    _show_usage(model.usage)
    if trace:
        echo(show_trace(result.trace))


def _show_usage(usage: Usage | None) -> None:
    """Print the numbers of tokens that the provider reported, if any."""
    if usage is None:
        return
    parts = []
    for count, name in ((usage.input_tokens, "in"), (usage.output_tokens, "out")):
        if count is not None:
            parts.append(f"{count} {name}")
    if parts:
        echo([f"tokens: {', '.join(parts)}"])
