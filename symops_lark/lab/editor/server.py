"""The server: what an editor asks is answered by the other modules.

Theory of operation
    Requests are answered at once, in the thread that reads them: a reply is read in milliseconds.
    Diagnostics are found in other threads. After an edit the server waits for `_PAUSE`, so that it
    does not check every key. A grammar is checked twice: its syntax at once, and all of it,
    which compiles it, after `_LONG_PAUSE` or when it is saved. The bounds of `compiling/bounds`
    hold there as everywhere.

Invariants
    1. Diagnostics are those of the newest text: the result of an older one is dropped.
    2. No request fails. An error of a grammar or a rule is among the diagnostics of its file, so a
       request that meets it has no answer; a bug is reported to the editor's log.
    3. Nothing but the protocol is written to standard output.
"""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from threading import Event
from typing import TypeVar

from lsprotocol import types
from pygls.io_ import StdinAsyncReader, StdoutWriter, run_async
from pygls.lsp.server import LanguageServer
from pygls.protocol import LanguageServerProtocol, lsp_method

from ...core.ground.errors import SymOpsError
from ...core.ground.version import __version__
from ...core.processor import SymOpsProcessor
from .answers import Place, to_range, write_diagnostics, write_hover, write_location, write_proposal
from .completion import find_proposals
from .definitions import find_definitions
from .diagnostics import find_problems
from .edited_file import Kind
from .formatting import format_text
from .hover import find_hover
from .open_texts import OpenText, OpenTexts, to_place
from .positions import UTF_16, Positions
from .readings import dialect_of
from .vocabulary import list_triggers

_PAUSE = 0.15  # seconds without an edit before a text is checked
_LONG_PAUSE = 1.0  # seconds before a grammar is compiled, which takes a second or two
_Answer = TypeVar("_Answer")


class _Protocol(LanguageServerProtocol):
    """The protocol with a store of texts that counts lines as editors do."""

    _server: SymOpsServer

    @lsp_method(types.TEXT_DOCUMENT_DID_OPEN)
    def lsp_text_document__did_open(self, params: types.DidOpenTextDocumentParams) -> None:
        self._server.texts.open(params.text_document)
        self._server.check(params.text_document.uri, pause=0, long_pause=0)

    @lsp_method(types.TEXT_DOCUMENT_DID_CHANGE)
    def lsp_text_document__did_change(self, params: types.DidChangeTextDocumentParams) -> None:
        document = params.text_document
        self._server.texts.change(document, params.content_changes, self._server.encoding)
        self._server.check(document.uri, _PAUSE, _LONG_PAUSE)

    @lsp_method(types.TEXT_DOCUMENT_DID_CLOSE)
    def lsp_text_document__did_close(self, params: types.DidCloseTextDocumentParams) -> None:
        self._server.texts.close(params.text_document.uri)
        self._server.forget(params.text_document.uri)

    @lsp_method(types.EXIT)
    def lsp_exit(self, *_: object) -> None:  # type: ignore[override]  # a generator there
        # pygls would close standard output, which the command line still flushes.
        raise SystemExit


class SymOpsServer(LanguageServer):
    """A language server for one editor.

    Args:
        processor: The pipeline that reads replies.

    Attributes:
        texts: The open texts.
        is_shut_down: Whether the editor announced the end of the server.
    """

    def __init__(self, processor: SymOpsProcessor) -> None:
        super().__init__("symops", __version__, protocol_cls=_Protocol)
        self.processor = processor
        self.texts = OpenTexts()
        self.is_shut_down = False
        self._checks: dict[str, asyncio.Task[None]] = {}
        # The first thread never waits for a grammar to be compiled.
        # One thread each, because checks of the same text gain nothing from running side by side.
        self._quick = ThreadPoolExecutor(1)
        self._thorough = ThreadPoolExecutor(1)
        _register(self)

    @property
    def encoding(self) -> str:
        """The encoding whose code units positions count."""
        encoding = self.workspace.position_encoding or UTF_16
        return str(getattr(encoding, "value", encoding))

    @property
    def has_snippets(self) -> bool:
        """Whether the editor lets the user fill in the words of a form."""
        text_document = self.client_capabilities.text_document
        completion = text_document.completion if text_document else None
        item = completion.completion_item if completion else None
        return bool(item and item.snippet_support)

    def warm_up(self) -> None:
        """Load the dialects before the first request needs them."""
        self._quick.submit(dialect_of, "", self.processor)

    def answer(
        self,
        uri: str,
        find: Callable[[SymOpsServer, Place], _Answer],
        position: types.Position | None = None,
    ) -> _Answer | None:
        """Return what a function finds in an open text; None if it finds nothing or fails.

        Args:
            uri: The address of the text.
            find: The function.
            position: The place of the cursor; None: the request is about the whole text.
        """
        open_text = self.texts.get(uri)
        if open_text is None:
            return None
        positions = Positions(open_text.file.text, self.encoding)
        offset = positions.to_offset(to_place(position)) if position else 0
        try:
            return find(self, Place(open_text.file, positions, offset))
        except SymOpsError:
            return None  # it is among the diagnostics of the file
        except Exception as error:  # noqa: BLE001  (an editor shows no traceback)
            self._report(error)
            return None

    def _report(self, error: Exception) -> None:
        message = f"this is a bug, please report it: {type(error).__name__}: {error}"
        self.window_log_message(types.LogMessageParams(types.MessageType.Error, message))

    # ---- diagnostics

    def check(self, uri: str, pause: float, long_pause: float) -> None:
        """Check a text after a pause, in place of a check that still waits.

        Args:
            uri: The address of the text.
            pause: The seconds to wait.
            long_pause: The further seconds to wait before a grammar is compiled.
        """
        # A check in a thread runs on, but its result is not published.
        self._cancel(uri)
        check = self._check(uri, pause, long_pause)
        self._checks[uri] = asyncio.get_running_loop().create_task(check)

    def forget(self, uri: str) -> None:
        """Remove the diagnostics of a text that was closed."""
        self._cancel(uri)
        self._publish(uri, None, [])

    def _cancel(self, uri: str) -> None:
        task = self._checks.pop(uri, None)
        if task is not None:
            task.cancel()

    async def _check(self, uri: str, pause: float, long_pause: float) -> None:
        await asyncio.sleep(pause)
        open_text = self.texts.get(uri)
        if open_text is None:
            return
        is_grammar = open_text.file.kind is Kind.GRAMMAR
        diagnostics = await self._find(open_text, self._quick, is_quick=True)
        # Without mistakes of syntax the old diagnostics stay until the grammar is compiled.
        if diagnostics or not is_grammar:
            self._publish(uri, open_text.version, diagnostics)
        if is_grammar:
            await asyncio.sleep(long_pause)
            diagnostics = await self._find(open_text, self._thorough, is_quick=False)
            self._publish(uri, open_text.version, diagnostics)

    async def _find(
        self, open_text: OpenText, executor: ThreadPoolExecutor, is_quick: bool
    ) -> list[types.Diagnostic]:
        file = open_text.file
        loop = asyncio.get_running_loop()
        try:
            problems = await loop.run_in_executor(
                executor, find_problems, file, self.processor, is_quick
            )
            return write_diagnostics(file, problems, self.encoding)
        except Exception as error:  # noqa: BLE001  (an editor shows no traceback)
            self._report(error)
            return []

    def _publish(self, uri: str, version: int | None, diagnostics: list[types.Diagnostic]) -> None:
        params = types.PublishDiagnosticsParams(uri, diagnostics, version)
        self.text_document_publish_diagnostics(params)


def _register(server: SymOpsServer) -> None:
    """Register the requests that the server answers."""

    @server.feature(types.INITIALIZED)
    def initialized(params: types.InitializedParams) -> None:
        server.warm_up()

    @server.feature(types.SHUTDOWN)
    def shut_down(_: None) -> None:
        server.is_shut_down = True

    @server.feature(types.TEXT_DOCUMENT_DID_SAVE)
    def saved(params: types.DidSaveTextDocumentParams) -> None:
        # The text on the disk counts for the files that import it.
        for uri in server.texts.find_importers(params.text_document.uri):
            server.check(uri, pause=0, long_pause=0)

    @server.feature(types.TEXT_DOCUMENT_HOVER)
    def hover(params: types.HoverParams) -> types.Hover | None:
        return server.answer(params.text_document.uri, _answer_hover, params.position)

    options = types.CompletionOptions(trigger_characters=list_triggers(server.processor))

    @server.feature(types.TEXT_DOCUMENT_COMPLETION, options)
    def complete(params: types.CompletionParams) -> list[types.CompletionItem] | None:
        return server.answer(params.text_document.uri, _answer_completion, params.position)

    @server.feature(types.TEXT_DOCUMENT_DEFINITION)
    def define(params: types.DefinitionParams) -> list[types.Location] | None:
        return server.answer(params.text_document.uri, _answer_definition, params.position)

    @server.feature(types.TEXT_DOCUMENT_FORMATTING)
    def format(params: types.DocumentFormattingParams) -> list[types.TextEdit] | None:
        return server.answer(params.text_document.uri, _answer_formatting)


def _answer_hover(server: SymOpsServer, place: Place) -> types.Hover | None:
    hover = find_hover(place.file, place.offset, server.processor)
    return write_hover(place, hover) if hover else None


def _answer_completion(server: SymOpsServer, place: Place) -> list[types.CompletionItem]:
    proposals = find_proposals(place.file, place.offset, server.processor)
    return [write_proposal(place, proposal, server.has_snippets) for proposal in proposals]


def _answer_definition(server: SymOpsServer, place: Place) -> list[types.Location]:
    targets = find_definitions(place.file, place.offset, server.processor)
    return [write_location(target, server.encoding) for target in targets]


def _answer_formatting(server: SymOpsServer, place: Place) -> list[types.TextEdit]:
    text = place.file.text
    formatted = format_text(place.file, server.processor)
    if formatted == text:
        return []
    return [types.TextEdit(to_range(place.positions, 0, len(text)), formatted)]


def serve(processor: SymOpsProcessor) -> int:
    """Serve one editor over standard input and output, until it ends the server.

    Args:
        processor: The pipeline that reads replies.

    Returns:
        The exit code that the protocol asks for: 0 after a shutdown, else 1.

    Raises:
        KeyboardInterrupt: A person interrupted it. A thread still reads standard input then.
    """
    server = SymOpsServer(processor)
    server.protocol.set_writer(StdoutWriter(sys.stdout.buffer))
    reader = StdinAsyncReader(sys.stdin.buffer, ThreadPoolExecutor(1))
    # Not by `start_io`: after an interrupt it waits until the editor ends standard input.
    with suppress(SystemExit, BrokenPipeError):
        asyncio.run(
            run_async(Event(), reader, server.protocol, error_handler=server.report_server_error)
        )
    return int(not server.is_shut_down)
