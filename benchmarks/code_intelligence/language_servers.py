"""Ask language servers where a definition is used: pyright, typescript-language-server, gopls.

One small client of the Language Server Protocol 3.17 serves for all three. A server that is not
installed is left out, and the caller reports it.
"""

from __future__ import annotations

import json
import shutil
import subprocess
from collections.abc import Iterable
from importlib.resources import files
from importlib.util import find_spec
from pathlib import Path
from types import TracebackType
from typing import Any, NamedTuple, Self
from urllib.parse import unquote, urlparse

from benchmarks.exports._parsers import node

# The commands, and the names that the protocol has for the languages.
COMMANDS = {
    "python": ("pyright-langserver", "--stdio"),
    "typescript": ("typescript-language-server", "--stdio"),
    "go": ("gopls",),
    "rust": ("rust-analyzer",),
}
_IDS = {
    ".py": "python", ".ts": "typescript", ".tsx": "typescriptreact", ".js": "javascript", ".go": "go", ".rs": "rust",
}  # fmt: skip
_CAPABILITIES = {
    "workspace": {"configuration": True, "workspaceFolders": True},
    "experimental": {"serverStatusNotification": True},  # of rust-analyzer: it tells when all files are read
}


class Use(NamedTuple):
    """Where a name is: a path below the root, or a whole one outside of it, a line and a column from 1."""

    path: str
    line: int
    column: int


class LanguageServer:
    """A running server for one folder.

    Args:
        root: The folder.
        command: The program and its arguments.
        paths: The files to open at the start, relative to the root. A server may know only these.
    """

    def __init__(self, root: Path, command: Iterable[str], paths: Iterable[str]) -> None:
        self._root = root.resolve()
        # A pipe for errors that nobody reads would fill up and stop the server.
        arguments = list(command)
        self._process = subprocess.Popen(
            arguments, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, cwd=root
        )
        self._number = 0
        folder = {"uri": self._root.as_uri(), "name": "root"}
        self._ask(
            "initialize",
            {"processId": None, "rootUri": folder["uri"], "capabilities": _CAPABILITIES, "workspaceFolders": [folder]},
        )
        self._send({"method": "initialized", "params": {}})
        self._opened: set[str] = set()
        if "rust-analyzer" in arguments[0]:
            self._wait_for_status()
        for path in paths:
            self._open(path)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, _: TracebackType | None) -> None:
        self._process.kill()
        self._process.communicate()

    def references(self, place: Use) -> set[Use]:
        """Return the uses of the definition at a place, without the definition."""
        return self._places("references", place, context={"includeDeclaration": False})

    def definitions(self, place: Use) -> set[Use]:
        """Return the definitions of the name at a place."""
        return self._places("definition", place)

    def _open(self, path: str) -> None:
        """Show a file to the server; some answer nothing about files that no editor has open."""
        if path in self._opened:
            return
        self._opened.add(path)
        language, text = _IDS.get(Path(path).suffix, "javascript"), (self._root / path).read_text("utf-8")
        document = {"uri": self._uri(path), "version": 1, "languageId": language, "text": text}
        self._send({"method": "textDocument/didOpen", "params": {"textDocument": document}})

    def _places(self, method: str, place: Use, **options: Any) -> set[Use]:
        self._open(place.path)
        before = self._line(place.path, place.line)[: place.column - 1]
        # Columns of the protocol count UTF-16 units.
        position = {"line": place.line - 1, "character": len(before.encode("utf-16-le")) // 2}
        document = {"uri": self._uri(place.path)}
        locations = self._ask(f"textDocument/{method}", {"textDocument": document, "position": position, **options})
        places = set()
        for location in locations or ():
            file = Path(unquote(urlparse(location["uri"]).path)).resolve()
            is_inside = file.is_relative_to(self._root)
            path, start = (
                file.relative_to(self._root).as_posix() if is_inside else str(file),
                location["range"]["start"],
            )
            units = self._line(path, start["line"] + 1).encode("utf-16-le")[: 2 * start["character"]]
            places.add(Use(path, start["line"] + 1, len(units.decode("utf-16-le")) + 1))
        return places

    def _line(self, path: str, number: int) -> str:
        lines = (self._root / path).read_text("utf-8").split("\n")
        return lines[number - 1] if number <= len(lines) else ""

    def _uri(self, path: str) -> str:
        return (self._root / path).as_uri()

    def _ask(self, method: str, params: dict[str, Any]) -> Any:
        """Send a request and return its result; requests of the server are answered on the way."""
        self._number += 1
        self._send({"id": self._number, "method": method, "params": params})
        while True:
            message = self._receive()
            self._answer(message)
            if "method" not in message and message.get("id") == self._number:
                if "error" in message:
                    raise SystemExit(f"{method}: {message['error'].get('message')}")
                return message.get("result")

    def _wait_for_status(self) -> None:
        """Wait until the server has read all files."""
        is_quiet = False
        while not is_quiet:
            message = self._receive()
            self._answer(message)
            is_quiet = message.get("method") == "experimental/serverStatus" and message["params"]["quiescent"]

    def _answer(self, message: dict[str, Any]) -> None:
        """Answer what the server asks: `workspace/configuration` wants one value for each item; null is the default."""
        if "method" in message and "id" in message:
            items = message.get("params", {}).get("items", ())
            self._send({"id": message["id"], "result": [None for _ in items] or None})

    def _send(self, message: dict[str, Any]) -> None:
        assert self._process.stdin
        data = json.dumps({"jsonrpc": "2.0", **message}).encode()
        self._process.stdin.write(b"Content-Length: %d\r\n\r\n%s" % (len(data), data))
        self._process.stdin.flush()

    def _receive(self) -> dict[str, Any]:
        assert self._process.stdout
        length = 0
        while line := self._process.stdout.readline().strip():
            name, _, value = line.partition(b":")
            if name.lower() == b"content-length":
                length = int(value)
        if not length:
            raise SystemExit(f"{self._process.args!r} ended: {self._process.poll()}")
        message: dict[str, Any] = json.loads(self._process.stdout.read(length))
        return message


def find_command(language: str) -> list[str] | None:
    """Return the command of the server for a language; None if it is not installed."""
    name, *arguments = COMMANDS[language]
    if language == "python" and find_spec("pyright") is not None:
        # The command of the package on PyPI may look for a newer one in the network.
        return [node(), str(files("pyright") / "dist" / "langserver.index.js"), *arguments]
    program = shutil.which(name)
    return [program, *arguments] if program else None
