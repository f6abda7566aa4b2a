"""An editor for tests: pygls' own client, which starts the real server as a process."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Coroutine
from pathlib import Path
from threading import Thread
from typing import Any, TypeVar

from command_line import environment
from lsprotocol import types
from pygls.lsp.client import LanguageClient
from wings import need_wing

PATIENCE = 60.0  # seconds: a loaded machine compiles a grammar slowly
_Result = TypeVar("_Result")


class Editor:
    """A client with one server. Its methods wait for the answer."""

    def __init__(self, *options: str, encodings: tuple[str, ...] = (), snippets: bool = False) -> None:
        need_wing("adapters")  # which has the command
        self.published: dict[tuple[str, int | None], list[types.Diagnostic]] = {}
        self.messages: list[str] = []
        self._options = options
        self._encodings = encodings
        self._snippets = snippets
        self._loop = asyncio.new_event_loop()
        self._thread = Thread(target=self._loop.run_forever, daemon=True)

    def __enter__(self) -> Editor:
        self._thread.start()
        self.capabilities = self._wait(self._start()).capabilities
        return self

    def __exit__(self, *_: object) -> None:
        self._wait(self._end())
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()

    def _wait(self, work: Coroutine[Any, Any, _Result]) -> _Result:
        async def bounded() -> _Result:
            return await asyncio.wait_for(work, PATIENCE)

        return asyncio.run_coroutine_threadsafe(bounded(), self._loop).result()

    async def _start(self) -> types.InitializeResult:
        self._client = LanguageClient("tests", "1")
        self._news = asyncio.Event()

        def publish(params: types.PublishDiagnosticsParams) -> None:
            self.published[params.uri, params.version] = list(params.diagnostics)
            self._news.set()

        def log(params: types.LogMessageParams | types.ShowMessageParams) -> None:
            self.messages.append(params.message)

        self._client.feature(types.TEXT_DOCUMENT_PUBLISH_DIAGNOSTICS)(publish)
        self._client.feature(types.WINDOW_LOG_MESSAGE)(log)
        self._client.feature(types.WINDOW_SHOW_MESSAGE)(log)
        arguments = ("-m", "symops_lark", "lsp", *self._options)
        await self._client.start_io(sys.executable, *arguments, env=environment())
        item = types.ClientCompletionItemOptions(snippet_support=self._snippets)
        capabilities = types.ClientCapabilities(
            text_document=types.TextDocumentClientCapabilities(
                completion=types.CompletionClientCapabilities(completion_item=item)
            ),
            general=types.GeneralClientCapabilities(position_encodings=self._encodings or None),
        )
        result = await self._client.initialize_async(types.InitializeParams(capabilities))
        self._client.initialized(types.InitializedParams())
        return result

    async def _end(self) -> None:
        await self._client.shutdown_async(None)
        self._client.exit(None)
        process = self._client._server
        assert process is not None
        self.exit_code = await process.wait()
        await self._client.stop()  # type: ignore[no-untyped-call]

    # ---- texts

    def open(self, path: Path, text: str, language: str = "symops") -> str:
        item = types.TextDocumentItem(path.as_uri(), language, 1, text)
        self._do(self._client.text_document_did_open, types.DidOpenTextDocumentParams(item))
        return path.as_uri()

    def change(self, uri: str, version: int, *changes: tuple[types.Range, str]) -> None:
        edits = [types.TextDocumentContentChangePartial(place, text) for place, text in changes]
        document = types.VersionedTextDocumentIdentifier(version, uri)
        self._do(self._client.text_document_did_change, types.DidChangeTextDocumentParams(document, edits))

    def save(self, uri: str) -> None:
        params = types.DidSaveTextDocumentParams(types.TextDocumentIdentifier(uri))
        self._do(self._client.text_document_did_save, params)

    def close(self, uri: str) -> None:
        params = types.DidCloseTextDocumentParams(types.TextDocumentIdentifier(uri))
        self._do(self._client.text_document_did_close, params)

    def _do(self, notify: Any, params: Any) -> None:
        async def work() -> None:
            notify(params)

        self._wait(work())

    # ---- answers

    def diagnostics(self, uri: str, version: int | None = 1) -> list[types.Diagnostic]:
        """Return the first diagnostics of a version, once they are there, and forget them."""

        async def work() -> list[types.Diagnostic]:
            while (uri, version) not in self.published:
                self._news.clear()
                await self._news.wait()
            return self.published.pop((uri, version))

        return self._wait(work())

    def hover(self, uri: str, line: int, character: int) -> types.Hover | None:
        return self._wait(self._client.text_document_hover_async(types.HoverParams(*_place(uri, line, character))))

    def complete(self, uri: str, line: int, character: int) -> list[types.CompletionItem]:
        params = types.CompletionParams(*_place(uri, line, character))
        answer = self._wait(self._client.text_document_completion_async(params))
        assert not isinstance(answer, types.CompletionList)
        return list(answer or ())

    def define(self, uri: str, line: int, character: int) -> list[types.Location]:
        params = types.DefinitionParams(*_place(uri, line, character))
        answer = self._wait(self._client.text_document_definition_async(params))
        assert not isinstance(answer, types.Location)
        return [place for place in answer or () if isinstance(place, types.Location)]

    def format(self, uri: str) -> list[types.TextEdit]:
        options = types.FormattingOptions(tab_size=4, insert_spaces=True)
        params = types.DocumentFormattingParams(types.TextDocumentIdentifier(uri), options)
        answer = self._wait(self._client.text_document_formatting_async(params))
        return list(answer or ())


def _place(uri: str, line: int, character: int) -> tuple[types.TextDocumentIdentifier, types.Position]:
    return types.TextDocumentIdentifier(uri), types.Position(line, character)


def span(first: tuple[int, int], last: tuple[int, int]) -> types.Range:
    return types.Range(types.Position(*first), types.Position(*last))
