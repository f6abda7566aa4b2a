"""What a reply takes: model tokens, questions, time."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cache, lru_cache

from ....models.prompts.tokens import ESTIMATE, list_encodings, load_counter
from ...measuring.statistics import quantile
from ..figures import Figure, by_format, came_right, each, phases_of, ratio, share
from ..records import Record, plain

_ENCODINGS = ("o200k_base", "cl100k_base", "llama3", "qwen3")
_Try = tuple[str, int, int]  # the task of a reply, its tokens, its actions


def tokens_per_action(records: Sequence[Record]) -> Iterator[Figure]:
    """Model tokens for each action.

    The tokens of the raw replies, over the actions that were meant (or, where nobody knows, that came out; replies
    that have none are left out): in all, and without the tokens of the contents by themselves, so that markup,
    paths and thoughts are left. The latter is of the replies that came out right alone: others do not hold what was
    meant. In replies known to be faultless the same is what the format itself takes. Lines end with line feeds
    here, whatever was drawn. Intervals by drawing tasks. No tokenizer of a current Claude model is public.
    """
    for format, group in by_format(records):
        for tokenizer in _tokenizers():
            label = {"axis": "tokenizer", "part": tokenizer}
            every, markup, clean = list[_Try](), list[_Try](), list[_Try]()
            for record in group:
                actions = len(record.expected if record.expected is not None else record.actions)
                if not actions:
                    continue
                whole = _count(record.model_text, tokenizer)
                every.append((record.case.task, whole, actions))
                if record.expected is None or not came_right(record.final):
                    continue  # a reply that was refused or cut off lacks the contents that would be taken off
                contents = [(item.get("contents") or [None])[0] for item in record.expected]
                bare = whole - sum(_count(plain(text), tokenizer) for text in contents if text)
                markup.append((record.case.task, bare, actions))
                if record.faults == ():
                    clean.append(markup[-1])
            yield ratio(format, "in all", every, why="there are no actions", **label)
            yield ratio(format, "besides contents", markup, why="no reply is known to hold the contents", **label)
            yield ratio(format, "besides contents, if faultless", clean, why="no reply is known as faultless", **label)


@cache
def _tokenizers() -> tuple[str, ...]:
    return tuple(name for name in _ENCODINGS if name in list_encodings()) or (ESTIMATE,)


_counter = cache(load_counter)
_count = lru_cache(maxsize=100_000)(lambda text, tokenizer: _counter(tokenizer).count(text))


def asked_again(records: Sequence[Record]) -> Iterator[Figure]:
    """Asked again.

    The share of cases in which the model was asked more than once, and the mean number of times that it was asked.
    """
    for format, group in by_format(records):
        yield share(format, "asked again", each(group, lambda record: record.attempts > 1))
        mean = sum(record.attempts for record in group) / len(group)
        yield Figure(format, "times asked", mean, len(group), unit="number")


def usage(records: Sequence[Record]) -> Iterator[Figure]:
    """Tokens as the provider counts them.

    All attempts of a case together: what went in, prompt and all, and what came out. Prices change and are not
    known here; a bill is these numbers times them.
    """
    for format, group in by_format(records):
        for at, name in enumerate(("in", "out")):
            told = [count for record in group if (count := record.usage[at]) is not None]
            value = sum(told) / len(told) if told else None
            why = "" if told else "no provider counted"
            yield Figure(format, f"{name} (mean)", value, len(told), unit="number", why=why)
            yield Figure(format, f"{name} (sum)", sum(told) if told else None, len(told), unit="number", why=why)


def speed(records: Sequence[Record]) -> Iterator[Figure]:
    """Tokens a second.

    Of replies that were asked for in this run: the tokens that came out, through the seconds from the first piece of
    the reply to its end, all replies together. These are times of one machine in one run; they differ from run to run.
    """
    for format, group in by_format(records):
        told = [(record.usage[1] or 0, record.writing or 0.0) for record in group if record.attempts == 1]
        told = [(tokens, seconds) for tokens, seconds in told if tokens and seconds]
        value = sum(tokens for tokens, _ in told) / sum(seconds for _, seconds in told) if told else None
        why = "" if told else "no reply was waited for, or no provider counted"
        yield Figure(format, "a second", value, len(told), unit="number", why=why)


def latency(records: Sequence[Record]) -> Iterator[Figure]:
    """Latency of each phase.

    Milliseconds that a phase took, of the replies that it had something to do with: the median, and the time that
    19 of 20 stay below. These are times of one machine in one run; they differ from run to run.
    """
    for format, group in by_format(records):
        for phase in phases_of(group):
            times = [
                row.seconds * 1000
                for record in group
                for row in record.phases
                if row.phase == phase and row.seconds is not None
            ]
            why = "" if times else "the phase had nothing to do"
            for name, at in (("p50", 0.5), ("p95", 0.95)):
                value = quantile(times, at) if times else None
                yield Figure(format, name, value, len(times), unit="milliseconds", axis="phase", part=phase, why=why)
