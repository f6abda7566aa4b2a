"""The lines of a session's log: JSON objects, each sealed together with the seal before it.

Invariant: a program without the user's key can neither write a line nor change, move or remove one
in the middle. A missing end is not found. Without a key the lines are chained by a plain digest:
damage is found, but a forgery is not, and every reader of the log reports this.
"""

from __future__ import annotations

import hashlib
import hmac
import json
import re
from typing import Any

from ...acting.journal.seal import SESSION, NoKeyError, is_signed, load_key, sign
from ...core.ground.errors import SymOpsError
from .arguments import Values

Event = dict[str, Any]
# The last member of a line.
_END = re.compile(rb',"(seal|sum)":"([0-9a-f]{64})"\}\Z')
LONGEST_END = len(b',"seal":""}\n') + 64  # bytes
_ADVICE = "Start a new session; this file can be removed"


class BadLogError(SymOpsError):
    """A session's log was not written by this program.

    Attributes:
        reason_code: The reason, for programs.
    """

    reason_code = "bad_log"


class WrongRootError(BadLogError):
    """A session's log was written for another folder."""

    reason_code = "wrong_root"


class Seals:
    """The seals of one log, as a chain up to the last line.

    Args:
        name: The name of the log, for messages.
        make: Whether to make a key if there is none.
        kind: The kind of the log. A line of one kind is never accepted in another.
        advice: The last sentence of each error.

    Attributes:
        name: The name of the log.
        missing: Why there is no key; empty if there is one.
        last: The seal of the last line.
        count: The number of lines.
    """

    def __init__(
        self, name: str, *, make: bool = False, kind: bytes = SESSION, advice: str = _ADVICE
    ) -> None:
        self.name = name
        self.missing = ""
        self.last = ""
        self.count = 0
        self._kind = kind
        self._advice = advice
        self._key: bytes | None = None
        try:
            self._key = load_key(make=make)
        except NoKeyError as error:
            self.missing = str(error)

    def close(self, event: Values) -> bytes:
        """Return an event as the next line."""
        text = json.dumps(event, separators=(",", ":"), default=str)
        return self.seal(text.encode("ascii"))

    def seal(self, body: bytes) -> bytes:
        """Return the bytes of an object with at least one member as the next line."""
        member = "sum" if self._key is None else "seal"
        self.last = self._seal_of(body)
        self.count += 1
        end = f',"{member}":"{self.last}"}}\n'
        return body[:-1] + end.encode()

    def open(self, line: bytes) -> Event:
        """Return the event of the next line.

        Args:
            line: The line, without its end.

        Raises:
            BadLogError: It is not the line that was written there.
        """
        self.count += 1
        end = _END.search(line)
        if end is None:
            if _is_unsealed(line):
                raise self.refuse("it has no seal: an earlier version wrote it, or it is forged")
            raise self.refuse("it is damaged, or was not written by this program")
        body = line[: end.start()] + b"}"
        seal = end[2].decode()
        # A forger could replace a seal by a digest, which needs no key.
        if end[1] == b"sum" and self._key is not None:
            raise self.refuse("it has no seal, and your key could have sealed it")
        if end[1] == b"seal" and self._key is None:
            raise self.refuse(f"its seal cannot be checked: {self.missing}")
        # The comparison takes the same time for all seals.
        if not self._fits(body, seal):
            problem = "it was changed, moved or forged, or your key is another one now"
            raise self.refuse(f"its seal does not fit: {problem}")
        self.last = seal
        try:
            event = json.loads(body)
        except (ValueError, RecursionError) as error:
            raise self.refuse(f"it is not JSON: {error}") from None
        if not isinstance(event, dict):
            raise self.refuse("it is not an object")
        return event

    def refuse(self, reason: str) -> BadLogError:
        """Return the error for the line that was read last."""
        return self.refuse_file(f"line {self.count}: {reason}")

    def refuse_file(self, reason: str) -> BadLogError:
        """Return the error for the whole file."""
        return BadLogError(f"{self.name}: {reason}. {self._advice}")

    def _fits(self, body: bytes, seal: str) -> bool:
        if self._key is None:
            return hmac.compare_digest(self._seal_of(body), seal)
        return is_signed(self._chain(body), seal, self._key, self._kind)

    def _seal_of(self, body: bytes) -> str:
        data = self._chain(body)
        if self._key is None:
            return hashlib.sha256(self._kind + data).hexdigest()
        return sign(data, self._key, self._kind)

    def _chain(self, body: bytes) -> bytes:
        """Return the bytes that are sealed: a line with the seal before it."""
        return self.last.encode() + b"\n" + body


def _is_unsealed(line: bytes) -> bool:
    """Return whether a line is a whole object, as versions before seals wrote it."""
    try:
        return isinstance(json.loads(line), dict)
    except (ValueError, RecursionError):
        return False
