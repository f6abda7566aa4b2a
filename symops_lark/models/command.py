"""A shell command as a model: the prompt is its standard input, and the reply its standard output.

The command runs in a separate process group, which is killed when time is up or the reply is not
read any more. If the command uses the variable SYMOPS_SCHEMA, it finds there the JSON schema that
its reply must fit, if there is one.
"""

from __future__ import annotations

import codecs
import json
import os
import re
import shlex
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

_CHUNK = 65_536  # bytes that are read at once
_MAX_ERRORS = 4_000  # characters of standard error that are kept
_MAX_LINES = 10  # lines of standard error in a message
_MAX_NAME = 40  # characters of the name of a program
_POLL = 0.02  # seconds between two looks at a process that ends
_SCHEMA = "SYMOPS_SCHEMA"
_SHELL = "shell"  # the name of a command whose program is not known
_PROGRAM = re.compile(r"[\w.+][\w.+ -]*")
_HIDING = re.compile(r"[`({]|[;&|<>].", re.DOTALL)  # what may hide the end of a value
_HEIRS = 1.0  # seconds of silence of processes that outlive a command


class CommandModel(Formable, SourceModel):
    """A model that is a shell command.

    The command finds keys in its environment. It does not report why its reply ended, so the finish
    reason is unknown.

    Args:
        command: The command, for the shell.
        timeout: The time for a whole reply, in seconds.
        name: The name of the model. None: `command:` and the name of the program.
        limits: The limits of a reply.

    Raises:
        ModelError: The command is empty.
    """

    def __init__(
        self,
        command: str,
        *,
        timeout: float = 600.0,
        name: str | None = None,
        limits: Limits | None = None,
    ) -> None:
        if not command.strip():
            raise ModelError(
                "the command is empty: give one that reads a prompt and writes a reply"
            )
        self.name = name or f"command:{_program(command)}"
        self.limits = limits or Limits()
        self.timeout = min(timeout, self.limits.seconds)
        self.way = Way.SCHEMA if _SCHEMA in command else Way.PROMPT
        # It may hold a secret, so it is never shown.
        self._command = command

    def _source(self, messages: Messages) -> Source:
        prompt = as_prompt(messages)
        # Empty, and not missing: a variable of the user's would be taken for a schema.
        schema = json.dumps(self._form.schema) if self._form else ""
        return _Run(self, self._command, prompt, os.environ | {_SCHEMA: schema})


def as_prompt(messages: Messages) -> str:
    """Return a conversation as one text; with a reply in it, each turn has its role as a title."""
    conversation = as_messages(messages)
    has_reply = any(message.role == "assistant" for message in conversation)
    turns = []
    for message in conversation:
        title = f"{message.role.capitalize()}:\n" if has_reply else ""
        turns.append(title + message.content)
    return "\n\n".join(turns)


class _Run:
    """One run of a command.

    Three threads feed it, read its output and collect its errors, since any of these may block.
    """

    def __init__(
        self, model: CommandModel, command: str, prompt: str, variables: Mapping[str, str]
    ) -> None:
        self._command = command
        self._prompt = prompt
        self._variables = variables
        self._name = model.name
        self._timeout = model.timeout
        self._limit = model.limits.received
        self._process: subprocess.Popen[bytes] | None = None
        self._cancelled = False
        self._ended = False
        self._lock = Lock()
        self._output: SimpleQueue[bytes | None] = SimpleQueue()  # None is the end
        self._errors = b""

    def pieces(self) -> Iterator[Piece]:
        process = self._start()
        if process is None:
            return
        assert process.stdin and process.stdout and process.stderr
        collector = Thread(target=self._collect, args=(process.stderr,), daemon=True)
        collector.start()
        Thread(target=_feed, args=(process.stdin, self._prompt), daemon=True).start()
        Thread(target=self._read, args=(process.stdout,), daemon=True).start()
        end = time.monotonic() + self._timeout
        decoder = codecs.getincrementaldecoder("utf-8")("replace")
        try:
            room = self._limit
            while (data := self._next(process, end)) is not None:
                yield Piece(decoder.decode(data[:room]))
                room -= len(data)
                if room < 0:
                    raise ModelError(
                        f"{self._name} wrote more than {show_size(self._limit)} and was stopped"
                        ": is it the right one?"
                    )
            yield Piece(decoder.decode(b"", True))
            if self._cancelled:
                return
            self._wait(process, end)
            # Processes that outlive the command end with it.
            self.cancel()
            if process.returncode:
                # Its last words may still be on their way.
                collector.join(1)
                raise self._failure(process.returncode)
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
            # A group of processes, so that all of them can be killed.
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
                reason = getattr(error, "strerror", None) or "not a command"
            else:
                return self._process
        # Outside the handler: the error of the system has the command, and must not be its context.
        raise ModelError(f"{self._name} cannot be started: {reason}")

    def _next(self, process: subprocess.Popen[bytes], end: float) -> bytes | None:
        """Wait for the next output of the command; None at its end.

        Processes that outlive the command may keep its output open: they are not waited for long.
        """
        ended = False
        while (left := end - time.monotonic()) > 0 or not self._output.empty():
            with suppress(Empty):
                return self._output.get(timeout=max(0.0, min(left, _HEIRS)))
            if ended:
                return None
            ended = has_ended(process)
        raise self._timed_out()

    def _wait(self, process: subprocess.Popen[bytes], end: float) -> None:
        """Wait until the command has ended; it may close its output long before."""
        while not has_ended(process):
            if time.monotonic() > end + _POLL:
                raise self._timed_out()
            time.sleep(_POLL)

    def _timed_out(self) -> ModelError:
        return ModelError(
            f"{self._name} was not done after {self._timeout:g} s and was stopped: allow more time",
            retryable=True,
        )

    def _failure(self, code: int) -> ModelError:
        cause = f"exit code {code}"
        if code < 0:
            cause = f"signal {-code}"
            # Signals of real time have no names.
            with suppress(ValueError):
                cause = f"signal {signal.Signals(-code).name}"
        # A program may print its key when it fails. A part of a key would not be recognized, so
        # the text is cut afterwards.
        errors = redact(self._errors.decode("utf-8", "replace"))[-_MAX_ERRORS:]
        last_lines = errors.strip().splitlines()[-_MAX_LINES:]
        reason = "\n".join(last_lines)
        detail = f":\n{reason}" if reason else " and wrote no reason"
        return ModelError(f"{self._name} ended with {cause}{detail}")

    def _read(self, pipe: IO[bytes]) -> None:
        room = self._limit
        with pipe:
            while room >= 0 and (data := pipe.read(_CHUNK)):
                self._output.put(data)
                room -= len(data)
        self._output.put(None)

    def _collect(self, pipe: IO[bytes]) -> None:
        """Keep the end of standard error."""
        with pipe:
            # A character has at most four bytes.
            while data := pipe.read(_CHUNK):
                self._errors = (self._errors + data)[-4 * _MAX_ERRORS :]


def _feed(pipe: IO[bytes], prompt: str) -> None:
    """Write the prompt; a command need not read all of it."""
    data = memoryview(prompt.encode("utf-8", "replace"))
    with suppress(OSError), pipe:
        while data:
            data = data[pipe.write(data) :]


def _program(command: str) -> str:
    """Return the name of the program in a command, without the variables that are set for it.

    A value may be a secret. Where it may end at another place than it seems to, there is no name.
    """
    # Quotes that are not closed are an error of the shell.
    words: list[str] = []
    with suppress(ValueError):
        words = shlex.split(command)
    for word in words:
        if "=" not in word:
            name = os.path.basename(word.strip("();"))
            return excerpt(name, _MAX_NAME) if _PROGRAM.fullmatch(name) else _SHELL
        if _HIDING.search(word):
            break
    return _SHELL


def _load(provider: Provider, settings: Settings) -> CommandModel:
    if settings.command is None:
        raise ModelError(
            "the provider `command` needs a command: one that reads a prompt and writes a reply"
        )
    name = f"{provider.name}:{settings.model}" if settings.model else None
    model = CommandModel(
        settings.command, timeout=settings.timeout, name=name, limits=settings.limits
    )
    if settings.way not in (None, Way.PROMPT, model.way):
        raise ModelError(
            f"a command finds the schema of its replies in the variable {_SCHEMA}"
            ", which this one does not use"
        )
    model.way = settings.way or model.way
    return model


PROVIDERS = (
    Provider(
        "command", "any shell command: prompt on standard input, reply on standard output", _load
    ),
)
