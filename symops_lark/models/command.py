"""Any shell command as a model: the prompt on its standard input, the reply on its standard output.

The command runs in a process group of its own, which is killed as a whole when time is up or nobody listens any more.
One that names the variable SYMOPS_SCHEMA finds there the JSON schema that its reply must follow, if there is one.
"""

from __future__ import annotations

import codecs
import json
import os
import signal
import subprocess
import time
from collections.abc import Iterator, Mapping
from contextlib import suppress
from queue import Empty, SimpleQueue
from threading import Lock, Thread
from typing import IO

from ..core.ground.process_groups import has_ended, kill_group
from ..core.replies.messages import Finish, Messages, ModelError, Piece, as_messages
from .forms import Formable, Way
from .limits import Limits, show_size
from .providers import Provider, Settings
from .redaction import excerpt, redact
from .streams import Source, SourceModel

_READ, _TAIL = 65_536, 4_000  # bytes at once, characters of complaints
_GRACE = 0.02
_SCHEMA = "SYMOPS_SCHEMA"
_HEIRS = 1.0  # seconds of silence of processes that a command leaves behind


class CommandModel(Formable, SourceModel):
    """A model that is a shell command; `timeout` is the time in seconds for a whole reply, `limits` say how long it is.

    The command finds keys in its environment. It does not say why its reply ended, so the finish reason is unknown.
    """

    def __init__(
        self, command: str, *, timeout: float = 600.0, name: str | None = None, limits: Limits | None = None
    ) -> None:
        if not command.strip():
            raise ModelError("the command is empty: give one that reads a prompt and writes a reply")
        self.name = name or f"command:{_program(command)}"
        self.limits = limits or Limits()
        self.timeout = min(timeout, self.limits.seconds)
        self.way = Way.SCHEMA if _SCHEMA in command else Way.PROMPT
        self._command = command  # may hold a secret: never shown

    def _source(self, messages: Messages) -> Source:
        prompt = as_prompt(messages)
        told = {_SCHEMA: json.dumps(self._form.schema) if self._form else ""}
        return _Run(self._command, prompt, self.name, self.timeout, self.limits.received, os.environ | told)


def as_prompt(messages: Messages) -> str:
    """Write a conversation as one text; turns have headings once the model has spoken."""
    conversation = as_messages(messages)
    if any(message.role == "assistant" for message in conversation):
        return "\n\n".join(f"{message.role.capitalize()}:\n{message.content}" for message in conversation)
    return "\n\n".join(message.content for message in conversation)


class _Run:
    def __init__(
        self, command: str, prompt: str, name: str, timeout: float, most: int, variables: Mapping[str, str]
    ) -> None:
        self._command, self._prompt, self._name, self._timeout, self._most = command, prompt, name, timeout, most
        self._variables = variables
        self._process: subprocess.Popen[bytes] | None = None
        self._cancelled = self._ended = False
        self._lock = Lock()
        self._output: SimpleQueue[bytes | None] = SimpleQueue()  # None is the end
        self._errors = b""

    def pieces(self) -> Iterator[Piece]:
        process = self._start()
        if process is None:
            return
        assert process.stdin and process.stdout and process.stderr
        complaints = Thread(target=self._collect, args=(process.stderr,), daemon=True)
        complaints.start()
        Thread(target=_feed, args=(process.stdin, self._prompt), daemon=True).start()
        Thread(target=self._read, args=(process.stdout,), daemon=True).start()
        end = time.monotonic() + self._timeout
        decoder = codecs.getincrementaldecoder("utf-8")("replace")
        try:
            room = self._most
            while (data := self._next(process, end)) is not None:
                yield Piece(decoder.decode(data[:room]))
                room -= len(data)
                if room < 0:
                    size = show_size(self._most)
                    raise ModelError(f"{self._name} wrote more than {size} and was stopped: is it the right one?")
            yield Piece(decoder.decode(b"", True))
            if self._cancelled:
                return
            self._wait(process, end)
            self.cancel()  # whom it leaves behind ends with it
            if code := process.returncode:
                complaints.join(1)
                raise self._failure(code)
            yield Piece(finish=Finish.UNKNOWN)
        finally:
            self.cancel()

    def cancel(self) -> None:
        with self._lock:
            self._cancelled = True
            if self._process is not None and not self._ended:
                self._ended = True
                kill_group(self._process)
        self._output.put(None)

    def _start(self) -> subprocess.Popen[bytes] | None:
        """Start the command, unless the run was cancelled before."""
        with self._lock:
            if self._cancelled:
                return None
            pipe = subprocess.PIPE
            try:
                self._process = subprocess.Popen(
                    self._command,
                    shell=True,
                    stdin=pipe,
                    stdout=pipe,
                    stderr=pipe,
                    bufsize=0,
                    start_new_session=True,
                    env=self._variables,
                )
            except (OSError, ValueError) as error:
                failure = f"{self._name} cannot be started: {getattr(error, 'strerror', None) or 'not a command'}"
            else:
                return self._process
        raise ModelError(failure)

    def _next(self, process: subprocess.Popen[bytes], end: float) -> bytes | None:
        """Wait for what the command writes next; None at its end.

        A command that has ended may leave others behind that hold its output open: they are not waited for long.
        """
        ended = False
        while (left := end - time.monotonic()) > 0 or not self._output.empty():
            with suppress(Empty):
                return self._output.get(timeout=max(0.0, min(left, _HEIRS)))
            if ended:
                return None
            ended = has_ended(process)
        raise self._late()

    def _wait(self, process: subprocess.Popen[bytes], end: float) -> None:
        """Wait until the command has ended; it may close its output long before."""
        while not has_ended(process):
            if time.monotonic() > end + _GRACE:
                raise self._late()
            time.sleep(_GRACE)

    def _late(self) -> ModelError:
        return ModelError(
            f"{self._name} was not done after {self._timeout:g} s and was stopped: allow more time", retryable=True
        )

    def _failure(self, code: int) -> ModelError:
        how = f"exit code {code}" if code > 0 else f"signal {signal.Signals(-code).name}"
        said = self._errors.decode("utf-8", "replace")[-_TAIL:]
        tail = redact("\n".join(said.strip().splitlines()[-10:]))
        return ModelError(f"{self._name} ended with {how}" + (f":\n{tail}" if tail else " and wrote no reason"))

    def _read(self, pipe: IO[bytes]) -> None:
        room = self._most
        with pipe:
            while room >= 0 and (data := pipe.read(_READ)):
                self._output.put(data)
                room -= len(data)
        self._output.put(None)

    def _collect(self, pipe: IO[bytes]) -> None:
        """Keep the end of what the command complains about."""
        with pipe:
            while data := pipe.read(_READ):
                self._errors = (self._errors + data)[-4 * _TAIL :]


def _feed(pipe: IO[bytes], prompt: str) -> None:
    """Write the prompt; a command that does not want all of it is free to close."""
    rest = memoryview(prompt.encode("utf-8", "replace"))
    with suppress(OSError), pipe:
        while rest:
            rest = rest[pipe.write(rest) :]


def _program(command: str) -> str:
    """Find the name of the program in a command, past the variables that are set for it."""
    words = [word for word in command.split() if "=" not in word]
    return excerpt(os.path.basename(words[0].strip("\"'()")), 40) if words else "shell"


def _load(provider: Provider, settings: Settings) -> CommandModel:
    if settings.command is None:
        raise ModelError("the provider `command` needs a command: one that reads a prompt and writes a reply")
    name = f"{provider.name}:{settings.model}" if settings.model else None
    model = CommandModel(settings.command, timeout=settings.timeout, name=name, limits=settings.limits)
    if settings.way not in (None, Way.PROMPT, model.way):
        raise ModelError(
            f"a command is told the schema of its replies by the variable {_SCHEMA}, which this one does not name"
        )
    model.way = settings.way or model.way
    return model


PROVIDERS = (Provider("command", "any shell command: prompt on standard input, reply on standard output", _load),)
