"""The models that use an SDK: keys of the environment, clients, and streams that can be ended.

Invariants, which tests/models holds:

1. A key is read when a client is made, is not kept, and is sent to no other address. What else an
   SDK sends of the environment is sent to its own address only.
2. No error of an SDK leaves this package (`failures`).
3. All requests are asynchronous, so that a time limit ends any wait. A caller that does not await
   reads a thread.
"""

from __future__ import annotations

import asyncio
import os
import time
from abc import abstractmethod
from collections.abc import AsyncIterator, Callable, Mapping
from dataclasses import replace
from functools import cache, cached_property, partial
from operator import attrgetter
from typing import Any, ClassVar, TypeVar

from ..core.ground.logs import elapsed_since, log_event
from ..core.replies.contents import ContentError
from ..core.replies.messages import (
    Finish,
    Message,
    Messages,
    ModelError,
    Piece,
    Reply,
    Usage,
    as_messages,
)
from .addresses import read_address
from .failures import Failures
from .forms import DONE, Calls, Form, Formable, Way
from .limits import OverLimit, meter_response
from .providers import Provider, Settings
from .streams import AsyncReplyStream, LoopSource, Source, SourceModel

_Read = TypeVar("_Read")
_NO_KEY = "no-key-needed"
# The headers of a request to another address than the SDK's own, beside that with the key. SDKs
# take more than keys from the environment: tokens, organizations, and any header.
_HARMLESS_HEADERS = {
    "accept",
    "accept-encoding",
    "anthropic-version",
    "connection",
    "content-length",
    "content-type",
    "host",
    "transfer-encoding",
    "user-agent",
}
_CONNECT = 10.0  # seconds to reach a server, if the timeout is not shorter
_LAST_WORDS = 10.0  # seconds to wait for more after the finish reason


class RemoteModel(Formable, SourceModel):
    """A model that is asked with an SDK. A subclass writes its requests, and reads its answers.

    Attributes:
        extra: The extra to install, which is also the name of the SDK.
        client: The SDK's class of clients; `Async` before it is that of asynchronous ones.
        method: The method of the client that asks.
        finishes: The finish reasons by the protocol's words.
        home: The SDK's own address.
        key_header: The name of the header with the key, and its value with `{}` for the key.
    """

    extra: ClassVar[str]
    client: ClassVar[str]
    method: ClassVar[str]
    finishes: ClassVar[Mapping[str, Finish]]
    home: ClassVar[str]
    key_header: ClassVar[tuple[str, str]]

    def __init__(self, provider: Provider, settings: Settings) -> None:
        if not settings.model:
            name = provider.name
            raise ModelError(
                f"the provider `{name}` has many models: name one (`{name}:MODEL` for --source, "
                f"`-p {name} -m MODEL` elsewhere, load_model({name!r}, MODEL) in Python)"
            )
        self.name = f"{provider.name}:{settings.model}"
        self.model = settings.model
        self.base_url = settings.base_url or provider.base_url
        self.settings = settings
        self.key_variable = settings.key_variable or provider.key_variable
        # A custom address may need no key, unless its variable is named.
        has_usual_key = provider.key_variable and not settings.base_url
        self._key_is_optional = settings.key_variable is None and not has_usual_key
        # A grammar leaves no room for another form.
        self.way = Way.PROMPT if settings.grammar is not None else settings.way or provider.way
        self.wants_strict = provider.wants_strict
        self._server = f"{self.name} at {self.base_url}" if self.base_url else self.name
        self._failures = Failures(self._server, self.extra, settings, self.key_variable)
        # A missing key or library is reported now, before a request.
        self._key()
        self._sdk  # noqa: B018

    # ---- the part of a subclass

    @abstractmethod
    def _import(self) -> Any:
        """Import the SDK, by a statement that the import contracts can see."""

    @abstractmethod
    def _parameters(self, messages: tuple[Message, ...], *, stream: bool) -> dict[str, Any]:
        """Write a request."""

    @abstractmethod
    def _whole_piece(self, answer: Any) -> Piece:
        """Read a whole answer."""

    @abstractmethod
    def _piece(self, event: Any) -> Piece:
        """Read one event of a stream."""

    @abstractmethod
    def _calls(self, answer: Any) -> bool:
        """Return whether an answer, or an event, ends because a tool is called."""

    def _learn(self, refusal: str, parameters: dict[str, Any]) -> bool:
        """Record which parameter a server does not know; return whether that is a new fact.

        Args:
            refusal: The message by which it refused the parameters.
            parameters: The parameters.
        """
        return False

    def _finish(self, reason: object) -> Finish | None:
        if not reason or not isinstance(reason, str):
            return None
        return self.finishes.get(reason, Finish.UNKNOWN)

    # ---- forms

    def _form_for(self, way: Way) -> Form | None:
        """Return the form of replies, if the model is asked for it by this way."""
        return self._form if self.way is way else None

    def _new_calls(self) -> Calls | None:
        form = self._form_for(Way.TOOL)
        return Calls(form.name) if form else None

    def _reply(self, answer: Any) -> Reply:
        piece = self._whole_piece(answer)
        calls = self._new_calls()
        failure = None
        if calls is not None:
            try:
                piece = calls.read(replace(piece, finish=piece.finish or Finish.UNKNOWN))
            except ContentError as error:
                failure = f"{self._server} answers with {error}"
        finish = piece.finish or Finish.UNKNOWN
        reply = Reply(piece.text, finish, piece.usage, piece.model or self.model)
        if failure is not None:
            # The inputs may show what the model tried to answer.
            inputs = "\n".join(call.input for call in piece.calls)
            raise ModelError(failure, partial=replace(reply, text=inputs))
        self._refuse_silence(piece.text, self._calls(answer) or (piece.calls and finish in DONE))
        return reply

    # ---- asking

    def generate(self, messages: Messages) -> Reply:
        """Ask, and wait for the whole reply."""
        conversation = as_messages(messages)
        [reply] = LoopSource(lambda: self._whole(conversation)).pieces()
        return reply

    async def agenerate(self, messages: Messages) -> Reply:
        """Ask and wait for the whole reply; to cancel the task ends the request."""
        [reply] = [reply async for reply in self._whole(as_messages(messages))]
        return reply

    def _source(self, messages: Messages) -> Source:
        conversation = as_messages(messages)
        return LoopSource(lambda: self._arrivals(conversation))

    def astream(self, messages: Messages) -> AsyncReplyStream:
        """Return the reply in pieces as they arrive, for `async for`."""
        return AsyncReplyStream(self._arrivals(as_messages(messages)), self.model)

    async def _whole(self, messages: tuple[Message, ...]) -> AsyncIterator[Reply]:
        """Yield the one reply that is not streamed."""
        begun = time.perf_counter()
        reply = Reply("")
        failure = None
        try:
            async with asyncio.timeout(self.settings.limits.seconds), self._new_client() as client:
                answer = await self._ask(client, messages, stream=False)
            reply = self._read(self._reply, answer)
        except (Exception, OverLimit) as error:  # noqa: BLE001  (bugs are raised again)
            failure = self._failures.explain(error, self._sdk)
        self._finish_request(begun, failure, reply.finish, reply.usage)
        yield reply

    async def _arrivals(self, messages: tuple[Message, ...]) -> AsyncIterator[Piece]:
        """Yield the pieces of a reply that is streamed.

        There are three cases. Without a form that is a tool, the texts are the reply, and calls
        without a text are an error. With one that is called, the input of the call is the reply. If
        it is not called, the texts are the reply, which were kept until the end.
        """
        clock = asyncio.get_running_loop().time
        begun = time.perf_counter()
        end = clock() + self.settings.limits.seconds
        last = Piece()
        has_text = has_calls = False
        calls = self._new_calls()
        failure = None
        try:
            async with self._new_client() as client:
                async with asyncio.timeout_at(end):
                    events = await self._ask(client, messages, stream=True)
                async with events:
                    arriving = aiter(events)
                    while True:
                        async with asyncio.timeout_at(end):
                            event = await anext(arriving, None)
                        if event is None:
                            break
                        piece = self._read(self._piece, event)
                        if calls is not None:
                            piece = self._read(calls.read, piece)
                        has_text = has_text or bool(piece.text)
                        has_calls = has_calls or bool(piece.calls)
                        last = Piece("", piece.finish or last.finish, piece.usage or last.usage)
                        log_event(
                            "models", "debug", "piece", model=self.model, characters=len(piece.text)
                        )
                        is_silent = has_calls and piece.finish in DONE
                        is_silent = is_silent or self._read(self._calls, event)
                        self._refuse_silence(has_text, is_silent)
                        # Only counts of tokens may follow.
                        if piece.finish is not None:
                            end = min(end, clock() + _LAST_WORDS)
                        # Calls beside a text are left out, as in a whole reply.
                        yield replace(piece, calls=())
        except (Exception, OverLimit) as error:  # noqa: BLE001  (bugs are raised again)
            failure = self._failures.explain(error, self._sdk)
        # Texts beside a call are the reply, if the call never came.
        text = calls.give_up() if calls is not None else ""
        if text:
            yield Piece(text)
        self._finish_request(begun, failure, last.finish, last.usage)

    def _finish_request(
        self, begun: float, failure: ModelError | None, finish: Finish | None, usage: Usage | None
    ) -> None:
        """Log the end of a request, and raise its failure.

        It is raised here, outside the handler: the error of the SDK must not be its context.
        """
        facts = {"provider": self.name, "model": self.model, "milliseconds": elapsed_since(begun)}
        if failure is not None:
            log_event("models", "warning", "no reply", **facts, retryable=failure.retryable)
            raise failure
        if usage:
            facts |= {"tokens_in": usage.input_tokens, "tokens_out": usage.output_tokens}
        log_event("models", "info", "reply", **facts, finish=finish)

    async def _ask(self, client: Any, messages: tuple[Message, ...], *, stream: bool) -> Any:
        while True:
            parameters = self._parameters(messages, stream=stream)
            self._failures.check(parameters)
            try:
                return await attrgetter(self.method)(client)(**parameters)
            except self._sdk.APIStatusError as error:
                # Each turn of the loop leaves out a parameter that the server refused.
                refusal = f"{error.message} {error.body}"
                if error.status_code not in (400, 422) or not self._learn(refusal, parameters):
                    raise

    def _refuse_silence(self, text: object, calls: object) -> None:
        """Raise an error if a model calls a tool and writes no text."""
        if calls and not text:
            raise ModelError(
                f"{self._server} calls a tool instead of answering: this program offers none"
            )

    def _check(self, answer: Any) -> None:
        """Raise the error that some servers report with the status of a success."""
        error = getattr(answer, "error", None)
        if error:
            raise self._failures.broken_off(error)

    def _read(self, read: Callable[[Any], _Read], value: Any) -> _Read:
        """Read an object of an SDK; if a server sent something else, members may be missing."""
        try:
            return read(value)
        except ContentError as error:
            failure = ModelError(f"{self._server} answers with {error}")
        except (TypeError, AttributeError, LookupError) as error:
            failure = self._failures.garbled(error)
        # Outside the handler, so that the error of the SDK is not its context.
        raise failure

    # ---- keys and clients

    @cached_property
    def _sdk(self) -> Any:
        try:
            return self._import()
        except ImportError as error:
            missing = error.name or self.extra
        raise ModelError(
            f"{self.name} needs the library {missing}: pip install 'symops-lark[{self.extra}]'"
        )

    def _new_client(self) -> Any:
        """Return a client for one reply, which belongs to the running event loop.

        It follows no redirect, since the key would be sent as well. The bytes that it receives are
        counted, and decompressed by the counter.
        """
        sdk = self._sdk
        limit = self.settings.timeout
        key = self._key()
        headers = {}
        if self.settings.send_key:
            name, value = self.key_header
            headers[name] = value.format(key)
        return getattr(sdk, f"Async{self.client}")(
            api_key=key,
            base_url=self.base_url,
            timeout=sdk.Timeout(limit, connect=min(limit, _CONNECT)),
            max_retries=self.settings.max_retries,
            default_headers={"Accept-Encoding": "identity"},
            http_client=sdk.DefaultAsyncHttpxClient(
                verify=_certificates(),
                follow_redirects=False,
                event_hooks={
                    "request": [] if self._is_home() else [partial(_set_credentials, headers)],
                    "response": [partial(meter_response, self.settings.limits)],
                },
            ),
        )

    def _is_home(self) -> bool:
        """Return whether the SDK's variables are meant for the server that is asked."""
        if not self.settings.send_key:
            return False
        # The SDK takes another address of its own from the environment, too.
        return not self.base_url or read_address(self.base_url) == read_address(self.home)

    def _key(self) -> str:
        """Return the key of the environment.

        Raises:
            ModelError: It is missing, or cannot be a key.
        """
        # An SDK requires a key, even if it is not sent.
        if not self.settings.send_key:
            return _NO_KEY
        key = os.environ.get(self.key_variable, "").strip() if self.key_variable else ""
        if not key:
            if self._key_is_optional:
                return _NO_KEY
            raise ModelError(
                f"{self.name} needs a key: set the environment variable {self.key_variable}"
            )
        # A header cannot have such characters, and the message of the SDK would show the key.
        if not (key.isascii() and key.isprintable()) or " " in key:
            raise ModelError(
                f"the environment variable {self.key_variable} has a value that is not a key"
            )
        return key


async def _set_credentials(headers: Mapping[str, str], request: Any) -> None:
    """Leave out all headers of a request that may be credentials, and set others."""
    for name in list(request.headers):
        if name.lower() not in _HARMLESS_HEADERS:
            del request.headers[name]
    request.headers.update(headers)


@cache
def _certificates() -> Any:
    """Load the trusted certificates once: it takes 50 ms."""
    import httpx2

    return httpx2.create_ssl_context()
