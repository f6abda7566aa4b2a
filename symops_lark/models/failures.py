"""Explain the errors of an SDK in words, without keys.

No error of an SDK leaves this package, not even as the context of another one: it has the request
with its headers.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from ..core.ground.numbers import counted
from ..core.replies.messages import ModelError
from .limits import OverLimit
from .providers import Settings
from .redaction import excerpt, redact

# The errors of SDKs that read something else than their protocol.
_GARBLED = (ValueError, TypeError, LookupError, AttributeError, ArithmeticError, RecursionError)
_PASSING = {408, 409, 425, 429}  # status codes that another attempt may not meet
# An error in the middle of a stream has a type, and no status: the stream began with success.
_STATUS_OF_TYPE = {
    "invalid_request_error": 400,
    "authentication_error": 401,
    "permission_error": 403,
    "not_found_error": 404,
    "rate_limit_error": 429,
    "overloaded_error": 529,
}
_TRY = "allow more time, or ask for less"


@dataclass(frozen=True)
class Failures:
    """Explains the errors of requests to one server.

    Attributes:
        server: The server in messages.
        extra: The name of the SDK.
        settings: The settings of the model.
        key_variable: The environment variable with the key, if there is one.
    """

    server: str
    extra: str
    settings: Settings
    key_variable: str | None

    def check(self, request: Mapping[str, Any]) -> None:
        """Check that a request can be written; the SDK would not explain it.

        Args:
            request: The parameters.

        Raises:
            ModelError: It has a text or a number that cannot be sent.
        """
        try:
            json.dumps(request, ensure_ascii=False, allow_nan=False).encode()
            return
        except UnicodeEncodeError:
            reason = "half of a character (an unpaired surrogate), which UTF-8 cannot carry"
        except ValueError:
            reason = "a number that JSON does not have (NaN or infinity)"
        except (TypeError, RecursionError):
            return  # it is for the SDK to say
        # Outside the handler: its error has the request.
        raise ModelError(f"nothing was sent to {self.server}: the request has {reason}")

    def explain(self, error: BaseException, sdk: Any) -> ModelError:
        """Return the error for people; an error that is a bug is raised again.

        Args:
            error: An error of a request.
            sdk: The SDK.
        """
        # Anthropic's SDK lets errors of this library through.
        import httpx2

        settings = self.settings
        match error:
            case ModelError():
                return error
            case OverLimit():
                return ModelError(
                    f"the reply of {self.server} is longer than allowed: {error}"
                    "; the limits say how much"
                )
            case TimeoutError():
                return self._passing(f"was not done after {settings.limits.seconds:g} s: {_TRY}")
            case sdk.APIStatusError():
                return self._refusal(error)
            case sdk.APITimeoutError() | httpx2.TimeoutException():
                return self._passing(f"was silent for more than {settings.timeout:g} s: {_TRY}")
            case sdk.APIConnectionError() | httpx2.TransportError():
                return self._disconnected(error.__cause__ or error)
        # The base of all errors of the SDK.
        if isinstance(error, sdk.APIError.__base__):
            return self.broken_off(str(error))
        if isinstance(error, (*_GARBLED, httpx2.InvalidURL, httpx2.HTTPError)):
            return self.garbled(error)
        raise error

    def garbled(self, error: BaseException) -> ModelError:
        """Return the error for an answer that the SDK could not read."""
        return ModelError(
            f"{self.server} answers in another protocol than {self.extra}'s, or garbled "
            f"({type(error).__name__})"
        )

    def broken_off(self, body: object) -> ModelError:
        """Return the error for an error in the middle of an answer.

        Args:
            body: The error as the server sent it.
        """
        return self._passing(f"broke off with an error: {self._show(_message_of(body))}")

    def _passing(self, problem: str) -> ModelError:
        """Return an error that another attempt may not meet."""
        return ModelError(f"{self.server} {problem}", retryable=True)

    def _disconnected(self, cause: BaseException) -> ModelError:
        import httpx2

        if isinstance(cause, ValueError | httpx2.InvalidURL):
            return self.garbled(cause)
        reason = self._show(str(cause))
        if isinstance(cause, httpx2.ConnectError):
            return self._passing(
                f"cannot be reached ({reason}): is it running, and is the address right?"
            )
        message = f"the connection to {self.server} broke off ({reason}): try again"
        return ModelError(message, retryable=True)

    def _refusal(self, error: Any) -> ModelError:
        status = int(error.status_code)
        if 300 <= status < 400:
            place = self._show(error.response.headers.get("location", ""))
            return ModelError(
                f"{self.server} sends requests on to another address (status {status}), which is "
                f"not followed because of the key: {place}; if you trust it, give it as the base "
                "URL",
                status=status,
            )
        if status < 400:
            status = _STATUS_OF_TYPE.get(str(getattr(error, "type", "")), 500)
        is_passing = status in _PASSING or status >= 500
        reason = self._show(_message_of(error.body) or str(error.message))
        message = f"{self.server} {self._name_status(status, is_passing)}; it says: {reason}"
        return ModelError(message, status=status, retryable=is_passing)

    def _name_status(self, status: int, is_passing: bool) -> str:
        """Return the meaning of a status, with a hint."""
        attempts = counted(self.settings.max_retries + 1, "attempt")
        if status in (401, 403):
            if not self.settings.send_key:
                return (
                    f"wants a key (status {status}), and none was sent: allow this host if you "
                    "trust it (--allow-host)"
                )
            if not self.key_variable:
                return (
                    f"wants a key (status {status}): set an environment variable and name it "
                    "(key_variable)"
                )
            return (
                f"does not accept the key (status {status}): check the environment variable "
                f"{self.key_variable}"
            )
        if status == 404:
            return f"knows no model {self.settings.model!r}, or its address is another (status 404)"
        if status == 429:
            return (
                f"allows no more requests for now (status 429, {attempts}): wait, or look at your "
                "plan"
            )
        if is_passing:
            return f"has failed (status {status}, {attempts}): try again later"
        return f"refuses the request (status {status})"

    def _show(self, text: str) -> str:
        """Return a text of the server: on one line, and without keys."""
        return excerpt(redact(text, self.key_variable or "")) or "nothing"


def _message_of(body: object) -> str:
    """Return the message in the body of an error; servers nest it at different depths."""
    while isinstance(body, dict):
        body = body.get("error") or body.get("message") or body.get("detail") or ""
    return body if isinstance(body, str) else str(body or "")
