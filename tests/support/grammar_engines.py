"""The real engines that exported grammars are for, as judges of texts: each says whether it would let a text be said.

llama.cpp's own engine is reached in its library, as its own validator of grammars does it; a release whose library
shows these functions no longer is told by `MISSING`.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    from symops_lark.exports.automata.automaton import Automaton

END_OF_TEXT = 256
_INIT = "_Z23llama_grammar_init_implPK11llama_vocabPKcS3_bPS3_mPKim"
_CLONE = "_Z24llama_grammar_clone_implRK13llama_grammar"
_FREE = "_Z23llama_grammar_free_implP13llama_grammar"
_ACCEPT = "_Z20llama_grammar_acceptP13llama_grammarj"
_STACKS = "_Z24llama_grammar_get_stacksP13llama_grammar"


class Engine(Protocol):
    """An engine with a grammar."""

    def accepts(self, text: str) -> bool:
        """Return whether the text can be said, and can end there."""


class Followed:
    """The language of a dialect as the automaton that grammars are made of, followed letter by letter."""

    def __init__(self, language: Automaton) -> None:
        self._language = language

    def accepts(self, text: str) -> bool:
        return self._follow(text) in self._language.accepting

    def begins(self, text: str) -> bool:
        """Return whether a text of the language begins so: the automaton is minimal, so each state has an end."""
        return self._follow(text) is not None

    def _follow(self, text: str) -> int | None:
        state: int | None = 0
        for letter in map(self._language.alphabet.letter, text):
            ways = self._language.moves[state].items() if state is not None else ()
            state = next((target for target, letters in ways if letters >> letter & 1), None)
        return state


class LlamaCpp:
    """llama.cpp's engine with a GBNF grammar."""

    def __init__(self, grammar: str) -> None:
        self._library = _load_llama()
        nothing = ctypes.c_size_t(0)
        arguments = (None, grammar.encode(), b"root", False, None, nothing, None, nothing)
        self._grammar = ctypes.c_void_p(getattr(self._library, _INIT)(*arguments))
        if not self._grammar:
            raise ValueError("llama.cpp does not read the grammar")

    def accepts(self, text: str) -> bool:
        library, accept = self._library, getattr(self._library, _ACCEPT)
        state = ctypes.c_void_p(getattr(library, _CLONE)(self._grammar))
        stacks = (ctypes.c_size_t * 3).from_address(
            getattr(library, _STACKS)(state)
        )  # a std::vector: begin, end, capacity
        try:
            for character in text:
                accept(state, ord(character))
                if stacks[0] == stacks[1]:
                    return False
            pairs = ((ctypes.c_size_t * 2).from_address(at) for at in range(stacks[0], stacks[1], 24))
            return any(begin == end for begin, end in pairs)  # nothing more needs to come
        finally:
            getattr(library, _FREE)(state)


class Llguidance:
    """llguidance with a Lark grammar, its tokens single bytes unless a vocabulary is given."""

    def __init__(self, grammar: str, tokenizer: Any = None) -> None:
        from llguidance import LLMatcher

        self.matcher = LLMatcher(tokenizer or _bytes_as_tokens(), LLMatcher.grammar_from_lark(grammar), log_level=0)
        if self.matcher.is_error():
            raise ValueError(self.matcher.get_error())

    def accepts(self, text: str) -> bool:
        self.matcher.reset()
        tokens = list(text.encode())
        return self.matcher.try_consume_tokens(tokens) == len(tokens) and bool(self.matcher.is_accepting())


class XGrammar:
    """XGrammar's engine with an EBNF grammar."""

    def __init__(self, grammar: str) -> None:
        import xgrammar

        vocabulary = [bytes([byte]) for byte in range(256)] + [b"</s>"]
        tokens = xgrammar.TokenizerInfo(vocabulary, stop_token_ids=[END_OF_TEXT])
        self._compiled = xgrammar.GrammarCompiler(tokens).compile_grammar(grammar)
        self._matcher = xgrammar.GrammarMatcher(self._compiled, terminate_without_stop_token=False)

    def accepts(self, text: str) -> bool:
        self._matcher.reset()
        return all(map(self._matcher.accept_token, text.encode())) and self._matcher.accept_token(END_OF_TEXT)


@cache
def _load_llama() -> ctypes.CDLL:
    package = find_spec("xllamacpp")
    folder = Path(str(package and package.origin)).parent
    library = ctypes.CDLL(str(next(folder.glob("*.so"))))
    for name in (_INIT, _CLONE, _STACKS):
        getattr(library, name).restype = ctypes.c_void_p
    for name in (_CLONE, _FREE, _STACKS):
        getattr(library, name).argtypes = [ctypes.c_void_p]
    getattr(library, _ACCEPT).argtypes = [ctypes.c_void_p, ctypes.c_uint32]
    return library


@cache
def _bytes_as_tokens() -> Any:
    from llguidance import LLTokenizer, TokenizerWrapper

    class Bytes:
        eos_token_id, bos_token_id, special_token_ids = END_OF_TEXT, None, (END_OF_TEXT,)
        tokens = (*(bytes([byte]) for byte in range(256)), b"<end>")

        def __call__(self, text: str | bytes) -> list[int]:
            return list(text.encode() if isinstance(text, str) else text)

    return LLTokenizer(TokenizerWrapper(Bytes()))


def _find_missing() -> dict[str, str]:
    """Return why engines cannot be had here, by name."""
    table = {
        name: f"the library {name} is not installed"
        for name in ("llguidance", "xgrammar", "xllamacpp")
        if not find_spec(name)
    }
    if "xllamacpp" not in table:
        try:
            library = _load_llama()
            absent = [name for name in (_INIT, _CLONE, _FREE, _ACCEPT, _STACKS) if not hasattr(library, name)]
        except (OSError, StopIteration) as error:
            absent = [str(error)]
        if absent:
            table["xllamacpp"] = f"the library of xllamacpp does not show {', '.join(absent)}"
    return table


MISSING = _find_missing()
ENGINES: dict[str, Callable[[str], Engine]] = {"llguidance": Llguidance, "xgrammar": XGrammar, "xllamacpp": LlamaCpp}


def library_of(export: str) -> str:
    """Return the library that an export is run in."""
    from symops_lark.exports import load_exports

    return load_exports()[export].ENGINE


def start_engine(export: str, grammar: str) -> Engine:
    """Return the engine of an export with a grammar; raises `ValueError` if it does not read the grammar."""
    return ENGINES[library_of(export)](grammar)
