"""What models behind an SDK share: keys from the environment, clients, streams that can be cut, errors for people.

Laws: a key is read when a client is made, kept nowhere else, and sent to no other address; no error of an SDK leaves
this room, not even as the context of another, because it holds the request with its headers. All requests are
asynchronous, so that a limit on time ends whatever they wait for; who does not wait asynchronously reads a thread.
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
from ..core.ground.numbers import counted
from ..core.replies.contents import ContentError
from ..core.replies.messages import Finish, Message, Messages, ModelError, Piece, Reply, Usage, as_messages
from .forms import Calls, Form, Formable, Way
from .limits import OverLimit, meter_response
from .providers import Provider, Settings
from .redaction import excerpt, redact
from .streams import AsyncReplyStream, LoopSource, Source, SourceModel

_Read = TypeVar("_Read")
_NO_KEY = "no-key-needed"
# All that is sent without a key. SDKs take more from the environment than keys: tokens, organizations, whole headers.
_HARMLESS_HEADERS = frozenset(
    (
        *("accept", "accept-encoding", "anthropic-version", "connection", "content-length", "content-type", "host"),
        *("transfer-encoding", "user-agent"),
    )
)
_CONNECT = 10.0  # seconds to reach a server, where the time limit allows as many
_LAST_WORDS = 10.0  # seconds to wait for more once the model has said that it is done
_GARBLED = (ValueError, TypeError, LookupError, AttributeError, ArithmeticError, RecursionError)  # what SDKs fall over
_PASSING = {408, 409, 425, 429}  # status codes that another attempt may not meet


class RemoteModel(Formable, SourceModel):
    """A model behind an SDK. Subclasses say how to ask with it, and how to read what it gives."""

    extra: ClassVar[str]  # what to install, which is also the name of the SDK
    client: ClassVar[str]  # the SDK's class of clients; `Async…` is that of asynchronous ones
    method: ClassVar[str]  # of the client, which asks
    finishes: ClassVar[Mapping[str, Finish]]  # by the protocol's words

    def __init__(self, provider: Provider, settings: Settings) -> None:
        if not settings.model:
            raise ModelError(
                f"the provider `{provider.name}` has many models: name one (`{provider.name}:MODEL` for --source, "
                f"`-p {provider.name} -m MODEL` elsewhere, load_model({provider.name!r}, MODEL) in Python)"
            )
        self.name = f"{provider.name}:{settings.model}"
        self.model = settings.model
        self.base_url = settings.base_url or provider.base_url
        self.settings = settings
        self.key_variable = settings.key_variable or provider.key_variable
        # An address of one's own may need no key, unless its variable is named.
        self._key_is_optional = settings.key_variable is None and bool(settings.base_url or not provider.key_variable)
        self.way = Way.PROMPT if settings.grammar is not None else settings.way or provider.way
        self.wants_strict = provider.wants_strict
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
    def _whole_piece(self, answer: Any) -> Piece:
        """Read a whole answer."""

    @abstractmethod
    def _piece(self, event: Any) -> Piece:
        """Read one event of a stream."""

    @abstractmethod
    def _calls(self, answer: Any) -> bool:
        """Return whether an answer, or an event, calls a tool."""

    def _learn(self, refusal: str, parameters: dict[str, Any]) -> bool:
        """Take note of what a server does not know, by the message it refused the parameters with; False if nothing."""
        return False

    def _finish(self, reason: object) -> Finish | None:
        return self.finishes.get(reason, Finish.UNKNOWN) if reason and isinstance(reason, str) else None

    # ---- forms

    def _form_for(self, way: Way) -> Form | None:
        """Return the form that replies must have, if that is the way to ask for it."""
        return self._form if self.way is way else None

    def _new_calls(self) -> Calls | None:
        form = self._form_for(Way.TOOL)
        return Calls(form.name) if form else None

    def _reply(self, answer: Any) -> Reply:
        piece, calls = self._whole_piece(answer), self._new_calls()
        failure = None
        if calls is not None:
            try:
                piece = calls.read(replace(piece, finish=piece.finish or Finish.UNKNOWN))
            except ContentError as error:
                failure = f"{self._server} answers with {error}"
        reply = Reply(piece.text, piece.finish or Finish.UNKNOWN, piece.usage, piece.model or self.model)
        if failure is not None:
            said = "\n".join(call.input for call in piece.calls)
            raise ModelError(failure, partial=replace(reply, text=said))
        return reply

    # ---- asking

    def generate(self, messages: Messages) -> Reply:
        """Ask and wait for the whole reply."""
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
        try:
            async with asyncio.timeout(self.settings.limits.seconds), self._new_client() as client:
                answer = await self._ask(client, messages, stream=False)
            reply = self._read(self._reply, answer)
            self._refuse_silence(reply.text, self._read(self._calls, answer))
        except (Exception, OverLimit) as error:  # noqa: BLE001  (bugs are raised again)
            failure = self._explain(error)
        else:
            self._log_reply(reply.finish, reply.usage, begun)
            yield reply
            return
        self._log_failure(failure, begun)
        raise failure

    async def _arrivals(self, messages: tuple[Message, ...]) -> AsyncIterator[Piece]:
        clock = asyncio.get_running_loop().time
        begun, last = time.perf_counter(), Piece()
        end, said, calls = clock() + self.settings.limits.seconds, False, self._new_calls()
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
                        said = said or bool(piece.text)
                        last = Piece("", piece.finish or last.finish, piece.usage or last.usage)
                        log_event("models", "debug", "piece", model=self.model, characters=len(piece.text))
                        self._refuse_silence(said, self._read(self._calls, event))
                        if piece.finish is not None:  # the rest is no more than counts of tokens
                            end = min(end, clock() + _LAST_WORDS)
                        yield piece
        except (Exception, OverLimit) as error:  # noqa: BLE001  (bugs are raised again)
            failure = self._explain(error)
        if calls is not None and (kept := calls.give_up()):
            yield Piece(kept)
        if failure is not None:
            self._log_failure(failure, begun)
            raise failure
        self._log_reply(last.finish, last.usage, begun)

    def _log_reply(self, finish: Finish | None, usage: Usage | None, begun: float) -> None:
        tokens = {"tokens_in": usage.input_tokens, "tokens_out": usage.output_tokens} if usage else {}
        facts = {"model": self.model, "milliseconds": elapsed_since(begun), **tokens, "finish": finish}
        log_event("models", "info", "reply", provider=self.name, **facts)

    def _log_failure(self, failure: ModelError, begun: float) -> None:
        facts = {"model": self.model, "milliseconds": elapsed_since(begun), "retryable": failure.retryable}
        log_event("models", "warning", "no reply", provider=self.name, **facts)

    async def _ask(self, client: Any, messages: tuple[Message, ...], *, stream: bool) -> Any:
        while True:
            parameters = self._parameters(messages, stream=stream)
            try:
                return await attrgetter(self.method)(client)(**parameters)
            except self._sdk.APIStatusError as error:
                if error.status_code not in (400, 422) or not self._learn(f"{error.message} {error.body}", parameters):
                    raise

    def _refuse_silence(self, said: object, calls: bool) -> None:
        """Raise an error where a model calls a tool instead of saying something."""
        if calls and not said:
            raise ModelError(f"{self._server} calls a tool instead of answering: this program offers none")

    def _read(self, read: Callable[[Any], _Read], value: Any) -> _Read:
        """Read what an SDK gives; it builds its objects of whatever a server sends, so anything may be missing."""
        try:
            return read(value)
        except ContentError as error:
            failure = ModelError(f"{self._server} answers with {error}")
        except (TypeError, AttributeError, LookupError) as error:
            failure = self._garbled(error)
        raise failure

    # ---- keys and clients

    @cached_property
    def _sdk(self) -> Any:
        try:
            return self._import()
        except ImportError as error:
            missing = error.name or self.extra
        raise ModelError(f"{self.name} needs the library {missing}: pip install 'symops-lark[{self.extra}]'")

    def _new_client(self) -> Any:
        """Return a client, which serves one reply and belongs to the event loop that runs.

        It follows no redirect: the key would go along. What it receives is counted, and unpacked here if at all.
        """
        sdk, limit = self._sdk, self.settings.timeout
        return getattr(sdk, f"Async{self.client}")(
            api_key=self._key(),
            base_url=self.base_url,
            timeout=sdk.Timeout(limit, connect=min(limit, _CONNECT)),
            max_retries=self.settings.max_retries,
            default_headers={"Accept-Encoding": "identity"},
            http_client=sdk.DefaultAsyncHttpxClient(
                verify=_certificates(),
                follow_redirects=False,
                event_hooks={
                    "request": [] if self.settings.send_key else [_leave_out_credentials],
                    "response": [partial(meter_response, self.settings.limits)],
                },
            ),
        )

    def _key(self) -> str:
        """Read the key; raise `ModelError` if it is missing or cannot be one."""
        if not self.settings.send_key:
            return _NO_KEY  # which an SDK wants to have, and does not get to the server
        key = os.environ.get(self.key_variable, "").strip() if self.key_variable else ""
        if not key:
            if self._key_is_optional:
                return _NO_KEY
            raise ModelError(f"{self.name} needs a key: set the environment variable {self.key_variable}")
        if not (key.isascii() and key.isprintable()) or " " in key:
            raise ModelError(f"the environment variable {self.key_variable} holds something that is no key")
        return key

    # ---- errors

    def _explain(self, error: BaseException) -> ModelError:
        """Return the error that tells a person what went wrong, without a key; raise one that is a bug again."""
        import httpx2  # Anthropic's SDK lets errors of this library through

        sdk = self._sdk
        if isinstance(error, ModelError):
            return error
        if isinstance(error, OverLimit):
            return ModelError(f"the reply of {self._server} is longer than allowed: {error}; the limits say how much")
        if isinstance(error, TimeoutError):
            message = f"{self._server} was not done after {self.settings.limits.seconds:g} s"
            return ModelError(f"{message}: allow more time, or ask for less", retryable=True)
        if isinstance(error, sdk.APIStatusError):
            return self._refusal(error)
        if isinstance(error, sdk.APITimeoutError | httpx2.TimeoutException):
            message = f"{self._server} was silent for more than {self.settings.timeout:g} s"
            return ModelError(f"{message}: allow more time, or ask for less", retryable=True)
        if isinstance(error, sdk.APIConnectionError | httpx2.TransportError):
            return self._disconnected(error.__cause__ or error)
        if isinstance(error, sdk.APIError.__base__):  # the base of all errors of the SDK
            return self._broken_off(str(error))
        if isinstance(error, (*_GARBLED, httpx2.InvalidURL, httpx2.HTTPError)):
            return self._garbled(error)
        raise error

    def _disconnected(self, cause: BaseException) -> ModelError:
        import httpx2

        reason = self._tell(str(cause))
        if isinstance(cause, ValueError | httpx2.InvalidURL | UnicodeError):
            return self._garbled(cause)
        message = f"the connection to {self._server} broke off ({reason}): try again"
        if isinstance(cause, httpx2.ConnectError):
            message = f"{self._server} cannot be reached ({reason}): is it running, and is the address right?"
        return ModelError(message, retryable=True)

    def _garbled(self, error: BaseException) -> ModelError:
        kind = type(error).__name__
        return ModelError(f"{self._server} answers in another protocol than {self.extra}'s, or garbled ({kind})")

    def _check(self, answer: Any) -> None:
        """Raise the error that some servers report with the status of a success."""
        if error := getattr(answer, "error", None):
            raise self._broken_off(_message_of(error))

    def _broken_off(self, said: str) -> ModelError:
        return ModelError(f"{self._server} broke off with an error: {self._tell(said)}", retryable=True)

    def _refusal(self, error: Any) -> ModelError:
        status = int(error.status_code)
        if 300 <= status < 400:
            place = self._tell(error.response.headers.get("location", ""))
            why = f"sends requests on to another address (status {status}), which is not followed because of the key"
            return ModelError(f"{self._server} {why}: {place}; if you trust it, give it as the base URL", status=status)
        if status < 400:  # an error in the middle of a stream, which began with success
            status = _STATUS_OF_TYPE.get(str(getattr(error, "type", "")), 500)
        said = self._tell(_message_of(error.body) or str(error.message))
        passing = status in _PASSING or status >= 500
        if status in (401, 403):
            why = f"does not accept the key (status {status}): check the environment variable {self.key_variable}"
            if not self.settings.send_key:
                why = (
                    f"wants a key (status {status}), and none was sent: allow this host if you trust it (--allow-host)"
                )
            elif not self.key_variable:
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
        return counted(self.settings.max_retries + 1, "attempt")

    def _tell(self, text: str) -> str:
        return excerpt(redact(text, self.key_variable or "")) or "nothing"


async def _leave_out_credentials(request: Any) -> None:
    for name in list(request.headers):
        if name.lower() not in _HARMLESS_HEADERS:
            del request.headers[name]


@cache
def _certificates() -> Any:
    """Load the certificates to trust, which takes 50 ms, once instead of for each client."""
    import httpx2

    return httpx2.create_ssl_context()


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
