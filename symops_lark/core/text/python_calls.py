"""Translate calls that are written as in Python to JSON. Nothing is evaluated.

    write_file(path='a.py', content='x')
    [{"name": "write_file", "arguments": {"path": "a.py", "content": "x"}}]

Arguments have names, and their values are literals: texts, numbers, lists, dictionaries, `True`,
`False` and `None`. Anything else is refused: a computed value would have to be guessed.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from ..patterns.regexes import Match, compile_pattern

_TOKEN = compile_pattern(
    r"(?P<blank>[ \t\n]+|#[^\n]*)"
    r"|(?P<call>[A-Za-z_][A-Za-z0-9_.]*)\("
    r"|(?P<key>[A-Za-z_][A-Za-z0-9_]*)[ ]*="
    r"|(?P<constant>True|False|None)(?![A-Za-z0-9_])"
    r"|(?P<number>-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?)(?![A-Za-z0-9_.])"
    r"|(?P<open>[\[({])"
    r"|(?P<close>[\])}])"
    r"|(?P<sign>[,:])"
)
_QUOTE = compile_pattern(r"""(?P<raw>[rR]?)(?P<quote>\"{3}|'{3}|"|')""")
# The content of a text up to its quote. Models write line feeds into any text.
_CONTENTS = {
    '"""': compile_pattern(r'(?:[^\\"]|\\(?:.|\n)|"(?!""))*'),
    "'''": compile_pattern(r"(?:[^\\']|\\(?:.|\n)|'(?!''))*"),
    '"': compile_pattern(r'(?:[^\\"]|\\(?:.|\n))*'),
    "'": compile_pattern(r"(?:[^\\']|\\(?:.|\n))*"),
}
_ESCAPE = compile_pattern(r'\\(?:x[0-9A-Fa-f]{2}|.|\n)|"')
_RAW = compile_pattern(r'[\\"]')
_CONSTANTS: Mapping[str, str] = {"True": "true", "False": "false", "None": "null"}
_CLOSERS: Mapping[str, str] = {"[": "]", "{": "}", "(": "]"}
_PRINT = "print"
# Letters after which JSON means the same, or refuses the escape.
_ESCAPED = '"\\bfnrtuUNavx01234567'


class Translated(NamedTuple):
    """Calls as JSON.

    Attributes:
        json: A list of objects. If the text ends in a call, their ends are missing.
        end: The offset after the last call, or the end of the text.
    """

    json: str
    end: int


def translate_calls(text: str, start: int = 0) -> Translated | None:
    """Return the calls at an offset as JSON, up to the first text that is not one.

    Args:
        text: The text.
        start: The offset.

    Returns:
        The JSON; None if no call is there, or if something in one is not a literal.
    """
    translator = _Translator(text, start)
    if not translator.read() or not translator.pieces:
        return None
    calls = "".join(translator.pieces)
    if translator.closers:
        return Translated(f"[{calls}", len(text))
    return Translated(f"[{calls}]", translator.end)


class _Translator:
    """Translates one token after the other.

    Attributes:
        end: The offset after the last whole call.
        pieces: The translated tokens.
        closers: The ends of what is open, the innermost last.
    """

    def __init__(self, text: str, start: int) -> None:
        self.text = text
        self.place = start
        self.end = start
        self.pieces: list[str] = []
        self.closers: list[str] = []

    def read(self) -> bool:
        """Translate calls up to the first text that is not one; return whether all is literal."""
        while self.place < len(self.text):
            token = _TOKEN.match(self.text, self.place)
            if self.closers:
                is_read = self._read_text() if token is None else self._read_token(token)
                if not is_read:
                    return False
                continue
            if token is None or not (token["call"] or token["blank"] or token["sign"]):
                return True
            self._read_token(token)
        return True

    def _read_token(self, token: Match) -> bool:
        """Translate what is not a text; return whether it may be there."""
        self.place = token.end()
        if token["call"]:
            return self._open_call(token["call"])
        if token["open"]:
            closer = _CLOSERS[token[0]]
            self.pieces.append("[" if closer == "]" else "{")
            self.closers.append(closer)
        elif token["close"]:
            self._close()
        elif token["key"]:
            self.pieces.append(f'"{token["key"]}": ')
        elif token["constant"]:
            self.pieces.append(_CONSTANTS[token[0]])
        elif self.closers and not token["blank"]:
            self.pieces.append(token[0])
        return True

    def _open_call(self, name: str) -> bool:
        # Gemini prints what a call returns.
        if name == _PRINT and not self.closers:
            self.closers.append("")
            return True
        # The result of a call in a call is not a literal.
        if any(self.closers):
            return False
        if self.pieces and self.pieces[-1] != ",":
            self.pieces.append(", ")
        beginning = f'{{"name": "{name}", "arguments": {{'
        self.pieces.append(beginning)
        self.closers.append("}}")
        return True

    def _close(self) -> None:
        # JSON has no comma before an end.
        if self.pieces and self.pieces[-1] == ",":
            self.pieces.pop()
        self.pieces.append(self.closers.pop())
        if not self.closers:
            self.end = self.place

    def _read_text(self) -> bool:
        """Translate a text; return whether one is there. The last one may lack its end."""
        opener = _QUOTE.match(self.text, self.place)
        if opener is None:
            return False
        quote = opener["quote"]
        content = _CONTENTS[quote].match(self.text, opener.end())
        assert content is not None
        self.place = content.end()
        pattern = _RAW if opener["raw"] else _ESCAPE
        text = pattern.sub(_escape, content[0])
        self.pieces.append(f'"{text}')
        if not self.text.startswith(quote, self.place):
            self.place = len(self.text)
            return True
        self.pieces.append('"')
        self.place += len(quote)
        return True


def _escape(match: Match) -> str:
    """Return a sign of a text as JSON writes it."""
    sign = match[0]
    if len(sign) == 1:
        return f"\\{sign}"
    letter = sign[1]
    if letter == "\n":
        # The line continues.
        return ""
    if letter == "'":
        return letter
    if letter == "x" and len(sign) > 2:
        return f"\\u00{sign[2:]}"
    # Python keeps the backslash where it means nothing.
    return sign if letter in _ESCAPED else f"\\{sign}"
