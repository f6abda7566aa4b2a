"""The lines of a session's log: JSON objects, each sealed together with the seal of the line before it.

Law: whoever has not read the user's key can neither write a line nor change, move or take out one in the middle. A
missing end is not found. Where there is no key the lines are chained by a plain digest: damage is found, a forgery is
not, and everything that reads the log says so.
"""

from __future__ import annotations

import hashlib
import hmac
import json
import re
from collections.abc import Mapping
from typing import Any

from ...acting.journal.seal import SESSION, NoKeyError, is_signed, load_key, sign
from ...core.ground.errors import SymOpsError

Event = dict[str, Any]
_END = re.compile(rb',"(seal|sum)":"([0-9a-f]{64})"\}\Z')
LONGEST_END = len(b',"seal":""}\n') + 64  # bytes
_ADVICE = "Start a new session; this file can be removed"


class BadLogError(SymOpsError):
    """A session's log is not what this program wrote; `reason_code` names the reason for machines."""

    reason_code = "bad_log"


class WrongRootError(BadLogError):
    """A session's log was written for another folder."""

    reason_code = "wrong_root"


class Seals:
    """The seals of one log: the key, or why there is none (`missing`), and the chain up to the last line.

    `kind` is the kind of log, so that a line of one kind is never taken for one of another; `advice` ends each error.
    """

    def __init__(self, shown: str, *, make: bool = False, kind: bytes = SESSION, advice: str = _ADVICE) -> None:
        self.shown, self.missing, self.last, self.count = shown, "", "", 0
        self._kind, self._advice = kind, advice
        self._key: bytes | None = None
        try:
            self._key = load_key(make=make)
        except NoKeyError as error:
            self.missing = str(error)

    def close(self, event: Mapping[str, Any]) -> bytes:
        """Return an event as the next line."""
        return self.seal(json.dumps(event, separators=(",", ":"), default=str).encode("ascii"))

    def seal(self, body: bytes) -> bytes:
        """Return the bytes of an object with at least one member as the next line."""
        name, self.last = ("sum", self._sum(body)) if self._key is None else ("seal", self._sign(body, self._key))
        self.count += 1
        return body[:-1] + f',"{name}":"{self.last}"}}\n'.encode()

    def open(self, line: bytes) -> Event:
        """Return the event of the next line; raise `BadLogError` if it is not the one that was written there."""
        self.count += 1
        end = _END.search(line)
        if end is None:
            if _is_unsealed(line):
                raise self.refuse("it has no seal: an earlier version wrote it, or somebody forged it")
            raise self.refuse("it is damaged, or was not written by this program")
        body, seal = line[: end.start()] + b"}", end[2].decode()
        if end[1] == b"sum" and self._key is not None:
            raise self.refuse("it has no seal, and your key could have sealed it")
        if end[1] == b"seal" and self._key is None:
            raise self.refuse(f"its seal cannot be checked: {self.missing}")
        if not self._fits(body, seal):
            raise self.refuse("its seal does not fit: it was changed, moved or forged, or your key is another one now")
        self.last = seal
        try:
            event = json.loads(body)
        except (ValueError, RecursionError) as error:
            raise self.refuse(f"it is not JSON: {error}") from None
        if not isinstance(event, dict):
            raise self.refuse("it is not an object")
        return event

    def refuse(self, why: str) -> BadLogError:
        """Return the error for the line that was read last."""
        return BadLogError(f"{self.shown}: line {self.count}: {why}. {self._advice}")

    def refuse_file(self, why: str) -> BadLogError:
        """Return the error for the file as a whole."""
        return BadLogError(f"{self.shown}: {why}. {self._advice}")

    def _fits(self, body: bytes, seal: str) -> bool:
        if self._key is None:
            return hmac.compare_digest(self._sum(body), seal)
        return is_signed(self.last.encode() + b"\n" + body, seal, self._key, self._kind)

    def _sign(self, body: bytes, key: bytes) -> str:
        return sign(self.last.encode() + b"\n" + body, key, self._kind)

    def _sum(self, body: bytes) -> str:
        return hashlib.sha256(self._kind + self.last.encode() + b"\n" + body).hexdigest()


def _is_unsealed(line: bytes) -> bool:
    """Return whether a line is a whole object, as versions before seals wrote it."""
    try:
        return isinstance(json.loads(line), dict)
    except (ValueError, RecursionError):
        return False
