"""What models behind an SDK share: keys from the environment, clients, streams that can be cut, errors for people.

Laws: a key is read when a client is made, and kept nowhere else; no error of an SDK leaves this room, not even as the
context of another, because it holds the request with its headers.
"""

from __future__ import annotations

import os
import socket
import weakref
from abc import abstractmethod
from collections.abc import AsyncIterator, Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from functools import cache, cached_property
from operator import attrgetter
from typing import Any, ClassVar, TypeVar

from .base import Finish, Message, ModelError, Piece, Reply, as_messages
from .providers import Provider, Settings
from .redaction import excerpt, redact
from .streams import AsyncReplyStream, Source, SourceModel

_Read = TypeVar("_Read")
_NO_KEY = "no-key-needed"
_CONNECT = 10.0  # seconds to reach a server, where the time limit allows as many
_PASSING = {408, 409, 425, 429}  # status codes that another attempt may not meet


class RemoteModel(SourceModel):
    """A model behind an SDK. Subclasses say how to ask with it, and how to read what it gives."""

    extra: ClassVar[str]  # what to install, which is also the name of the SDK
    client: ClassVar[str]  # the SDK's class of clients; `Async…` is that of asynchronous ones
    method: ClassVar[str]  # of the client, which asks
    finishes: ClassVar[Mapping[str, Finish]]  # by the protocol's words

    def __init__(self, provider: Provider, settings: Settings) -> None:
        if not settings.model:
            raise ModelError(f"the provider `{provider.name}` has many models: name one")
        self.name = f"{provider.name}:{settings.model}"
        self.model = settings.model
        self.base_url = settings.base_url or provider.base_url
        self.settings = settings
        self.key_variable = settings.key_variable or provider.key_variable
        # An address of one's own may need no key, unless its variable is named.
        self._key_is_optional = settings.key_variable is None and bool(settings.base_url or not provider.key_variable)
        self._key()
        self._sdk  # noqa: B018 - a missing library is told now

    # ---- what a subclass says

    @abstractmethod
    def _import(self) -> Any:
        """Import the SDK, where the walls between the rooms can see it."""

    @abstractmethod
    def _parameters(self, messages: tuple[Message, ...], *, stream: bool) -> dict[str, Any]:
        """Write a request."""

    @abstractmethod
    def _reply(self, answer: Any) -> Reply:
        """Read a whole answer."""

    @abstractmethod
    def _piece(self, event: Any) -> Piece:
        """Read one event of a stream."""

    def _learn(self, refusal: str, parameters: dict[str, Any]) -> bool:
        """Take note of what a server does not know, by the message it refused the parameters with; False if nothing."""
        return False

    def _finish(self, reason: str | None) -> Finish | None:
        return self.finishes.get(reason, Finish.UNKNOWN) if reason else None

    # ---- asking

    def generate(self, messages: Sequence[Message] | str) -> Reply:
        """Ask and wait for the whole reply."""
        conversation = as_messages(messages)
        try:
            return self._read(self._reply, self._ask(conversation, stream=False))
        except Exception as error:  # noqa: BLE001  (bugs are raised again)
            failure = self._explain(error)
        raise failure

    async def agenerate(self, messages: Sequence[Message] | str) -> Reply:
        """Ask and wait for the whole reply; to cancel the task ends the request."""
        conversation = as_messages(messages)
        try:
            async with self._new_client(asynchronous=True) as client:
                return self._read(self._reply, await self._ask_async(client, conversation, stream=False))
        except Exception as error:  # noqa: BLE001  (bugs are raised again)
            failure = self._explain(error)
        raise failure

    def _source(self, messages: Sequence[Message] | str) -> Source:
        return _Request(self, as_messages(messages))

    def astream(self, messages: Sequence[Message] | str) -> AsyncReplyStream:
        """Return the reply in pieces as they arrive, for `async for`."""
        return AsyncReplyStream(self._arrivals(as_messages(messages)), self.model)

    def _ask(self, messages: tuple[Message, ...], *, stream: bool) -> Any:
        while True:
            parameters = self._parameters(messages, stream=stream)
            try:
                return attrgetter(self.method)(self._shared_client)(**parameters)
            except self._sdk.APIStatusError as error:
                if not self._may_ask_again(error, parameters):
                    raise

    async def _ask_async(self, client: Any, messages: tuple[Message, ...], *, stream: bool) -> Any:
        while True:
            parameters = self._parameters(messages, stream=stream)
            try:
                return await attrgetter(self.method)(client)(**parameters)
            except self._sdk.APIStatusError as error:
                if not self._may_ask_again(error, parameters):
                    raise

    async def _arrivals(self, messages: tuple[Message, ...]) -> AsyncIterator[Piece]:
        try:
            async with (
                self._new_client(asynchronous=True) as client,
                await self._ask_async(client, messages, stream=True) as events,
            ):
                async for event in events:
                    yield self._read(self._piece, event)
                return
        except Exception as error:  # noqa: BLE001  (bugs are raised again)
            failure = self._explain(error)
        raise failure

    def _read(self, read: Callable[[Any], _Read], value: Any) -> _Read:
        """Read what an SDK gives; it builds its objects of whatever a server sends, so anything may be missing."""
        try:
            return read(value)
        except (TypeError, AttributeError, LookupError) as error:
            failure = self._garbled(error)
        raise failure

    def _may_ask_again(self, error: Any, parameters: dict[str, Any]) -> bool:
        return error.status_code in (400, 422) and self._learn(f"{error.message} {error.body}", parameters)

    # ---- keys and clients

    @cached_property
    def _sdk(self) -> Any:
        try:
            return self._import()
        except ImportError as error:
            missing = error.name or self.extra
        raise ModelError(f"{self.name} needs the library {missing}: pip install 'symops-lark[{self.extra}]'")

    @cached_property
    def _shared_client(self) -> Any:
        client = self._new_client(asynchronous=False)
        weakref.finalize(self, client.close)
        return client

    def _new_client(self, *, asynchronous: bool) -> Any:
        """Return a client; asynchronous ones serve one reply each, because they belong to the event loop that runs."""
        sdk, limit = self._sdk, self.settings.timeout
        http = sdk.DefaultAsyncHttpxClient if asynchronous else sdk.DefaultHttpxClient
        return getattr(sdk, f"Async{self.client}" if asynchronous else self.client)(
            api_key=self._key(),
            base_url=self.base_url,
            timeout=sdk.Timeout(limit, connect=min(limit, _CONNECT)),
            max_retries=self.settings.max_retries,
            http_client=http(verify=_certificates()),
        )

    def _key(self) -> str:
        """Read the key; raise `ModelError` if it is missing or cannot be one."""
        key = os.environ.get(self.key_variable, "").strip() if self.key_variable else ""
        if not key:
            if self._key_is_optional:
                return _NO_KEY
            raise ModelError(f"{self.name} needs a key: set the environment variable {self.key_variable}")
        if not (key.isascii() and key.isprintable()) or " " in key:
            raise ModelError(f"the environment variable {self.key_variable} holds something that is no key")
        return key

    # ---- errors

    def _explain(self, error: Exception) -> ModelError:
        """Return the error that tells a person what went wrong, without a key; raise one that is a bug again."""
        import httpx2  # Anthropic's SDK lets errors of this library through

        sdk = self._sdk
        if isinstance(error, ModelError):
            return error
        if isinstance(error, sdk.APIStatusError):
            return self._refusal(error)
        if isinstance(error, sdk.APITimeoutError | httpx2.TimeoutException):
            message = f"{self._server} was silent for more than {self.settings.timeout:g} s"
            return ModelError(f"{message}: allow more time, or ask for less", retryable=True)
        if isinstance(error, sdk.APIConnectionError | httpx2.TransportError):
            cause = error.__cause__ or error
            reason = self._tell(str(cause))
            message = f"the connection to {self._server} broke off ({reason}): try again"
            if isinstance(cause, httpx2.ConnectError):
                message = f"{self._server} cannot be reached ({reason}): is it running, and is the address right?"
            return ModelError(message, retryable=True)
        if isinstance(error, sdk.APIError.__base__):  # the base of all errors of the SDK
            return self._broken_off(str(error))
        if not isinstance(error, ValueError):
            raise error
        return self._garbled(error)

    def _garbled(self, error: Exception) -> ModelError:
        kind = type(error).__name__
        return ModelError(f"{self._server} answers in another protocol than {self.extra}'s, or garbled ({kind})")

    def _check(self, answer: Any) -> None:
        """Raise the error that some servers report with the status of a success."""
        if error := getattr(answer, "error", None):
            raise self._broken_off(_message_of(error))

    def _broken_off(self, said: str) -> ModelError:
        return ModelError(f"{self._server} broke off with an error: {self._tell(said)}", retryable=True)

    def _refusal(self, error: Any) -> ModelError:
        """Explain a status code."""
        status = int(error.status_code)
        if status < 400:  # an error in the middle of a stream, which began with success
            status = _STATUS_OF_TYPE.get(str(getattr(error, "type", "")), 500)
        said = self._tell(_message_of(error.body) or str(error.message))
        passing = status in _PASSING or status >= 500
        if status in (401, 403):
            why = f"does not accept the key (status {status}): check the environment variable {self.key_variable}"
            if not self.key_variable:
                why = f"wants a key (status {status}): set an environment variable and name it (key_variable)"
        elif status == 404:
            why = f"knows no model {self.model!r}, or its address is another (status 404)"
        elif status == 429:
            why = f"allows no more requests for now (status 429, {self._attempts}): wait, or look at your plan"
        elif passing:
            why = f"has failed (status {status}, {self._attempts}): try again later"
        else:
            why = f"refuses the request (status {status})"
        return ModelError(f"{self._server} {why}; it says: {said}", status=status, retryable=passing)

    @property
    def _server(self) -> str:
        return f"{self.name} at {self.base_url}" if self.base_url else self.name

    @property
    def _attempts(self) -> str:
        count = self.settings.max_retries + 1
        return "1 attempt" if count == 1 else f"{count} attempts"

    def _tell(self, text: str) -> str:
        return excerpt(redact(text, self.key_variable or "")) or "nothing"


@cache
def _certificates() -> Any:
    """Load the certificates to trust, which takes 50 ms, once instead of for each client."""
    import httpx2

    return httpx2.create_ssl_context()


class _Request:
    """One request whose reply is streamed."""

    def __init__(self, model: RemoteModel, messages: tuple[Message, ...]) -> None:
        self._model, self._messages = model, messages
        self._events: Any = None

    def pieces(self) -> Iterator[Piece]:
        model = self._model
        try:
            with model._ask(self._messages, stream=True) as self._events:
                for event in self._events:
                    yield model._read(model._piece, event)
                return
        except Exception as error:  # noqa: BLE001  (bugs are raised again)
            failure = model._explain(error)
        raise failure

    def cancel(self) -> None:
        """Shut the connection, which wakes a thread that waits for its bytes; whoever reads closes the rest."""
        if self._events is not None:
            network = self._events.response.extensions.get("network_stream")
            connection = network.get_extra_info("socket") if network else None
            if connection is not None:
                with suppress(OSError):
                    socket.socket.shutdown(connection, socket.SHUT_RDWR)


_STATUS_OF_TYPE = {
    "invalid_request_error": 400,
    "authentication_error": 401,
    "permission_error": 403,
    "not_found_error": 404,
    "rate_limit_error": 429,
    "overloaded_error": 529,
}


def _message_of(body: object) -> str:
    """Find the message in the body of an error, however deep a server puts it."""
    while isinstance(body, dict):
        body = body.get("error") or body.get("message") or body.get("detail") or ""
    return body if isinstance(body, str) else str(body or "")
