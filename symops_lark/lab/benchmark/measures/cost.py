"""What a reply costs: model tokens, requests, time."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cache, lru_cache

from ....models.prompts.tokens import ESTIMATE, list_encodings, load_counter
from ...measuring.statistics import quantile
from ..figures import Figure, by_format, each, ends_right, phases_of, ratio, share
from ..records import Record, plain

_ENCODINGS = ("o200k_base", "cl100k_base", "llama3", "qwen3")
# The columns of tokens per action, each with the reason why it can be empty.
_ALL = "in all"
_MARKUP = "besides contents"
_FAULTLESS = "besides contents, if faultless"
_COLUMNS = {
    _ALL: "there are no actions",
    _MARKUP: "no reply is known to hold the contents",
    _FAULTLESS: "no reply is known as faultless",
}
# The median, and the time that 19 of 20 replies stay below.
_QUANTILES = {"p50": 0.5, "p95": 0.95}


def tokens_per_action(records: Sequence[Record]) -> Iterator[Figure]:
    """Model tokens for each action.

    The tokens of the raw replies, over the actions that were meant (or, where that is not known,
    that came out; replies that have none are left out): in all, and without the tokens of the
    contents by themselves, so that markup, paths and thoughts are left. The latter is of the
    replies that came out right alone: others do not hold what was meant. In replies known to be
    faultless the same is what the format itself takes. Lines end with line feeds here, whatever was
    drawn. Intervals by drawing tasks. No tokenizer of a current Claude model is public.
    """
    for format, group in by_format(records):
        for tokenizer in _tokenizers():
            # The task of a reply, its tokens, its actions.
            tries: dict[str, list[tuple[str, int, int]]] = {name: [] for name in _COLUMNS}
            for record in group:
                # The actions that came out, if it is not known which were meant.
                actions: Sequence[object] | None = record.expected
                if actions is None:
                    actions = record.actions
                if not actions:
                    continue
                for name, tokens in _count_columns(record, tokenizer).items():
                    tries[name].append((record.case.task, tokens, len(actions)))
            for name, why in _COLUMNS.items():
                rows = tries[name]
                yield ratio(format, name, rows, axis="tokenizer", part=tokenizer, why=why)


def _count_columns(record: Record, tokenizer: str) -> dict[str, int]:
    """Return the tokens of a reply for each column that it belongs to."""
    # Contents are counted with line feeds as well, so they can be taken off.
    tokens = _count(record.model_text, tokenizer)
    counts = {_ALL: tokens}
    # A reply that was refused or cut off lacks the contents that would be taken off.
    if record.expected is None or not ends_right(record):
        return counts
    for item in record.expected:
        contents = item.get("contents")
        if contents and contents[0]:
            tokens -= _count(plain(contents[0]), tokenizer)
    counts[_MARKUP] = tokens
    if record.faults == ():
        counts[_FAULTLESS] = tokens
    return counts


# Cached, because loading an encoding takes up to a second.
@cache
def _tokenizers() -> tuple[str, ...]:
    return tuple(name for name in _ENCODINGS if name in list_encodings()) or (ESTIMATE,)


_counter = cache(load_counter)


# Contents of a task are the same in each format and repetition.
@lru_cache(maxsize=100_000)
def _count(text: str, tokenizer: str) -> int:
    return _counter(tokenizer).count(text)


def asked_again(records: Sequence[Record]) -> Iterator[Figure]:
    """Asked again.

    The share of cases in which the model was asked more than once, and the mean number of times
    that it was asked.
    """
    for format, group in by_format(records):
        yield share(format, "asked again", each(group, lambda record: record.attempts > 1))
        mean = sum(record.attempts for record in group) / len(group)
        yield Figure(format, "times asked", mean, len(group), unit="number")


def usage(records: Sequence[Record]) -> Iterator[Figure]:
    """Tokens as the provider counts them.

    All attempts of a case together: what went in, prompt and all, and what came out. Prices change
    and are not known here; a bill is these numbers times them.
    """
    for format, group in by_format(records):
        for place, name in enumerate(("in", "out")):
            counts = [record.usage[place] for record in group]
            reported = [count for count in counts if count is not None]
            n = len(reported)
            total = None
            mean = None
            why = "no provider counted"
            if reported:
                total = sum(reported)
                mean = total / n
                why = ""
            yield Figure(format, f"{name} (mean)", mean, n, unit="number", why=why)
            yield Figure(format, f"{name} (sum)", total, n, unit="number", why=why)


def speed(records: Sequence[Record]) -> Iterator[Figure]:
    """Tokens a second.

    Of replies that were asked for in this run: the tokens that came out, through the seconds from
    the first piece of the reply to its end, all replies together. These are times of one machine in
    one run; they differ from run to run.
    """
    for format, group in by_format(records):
        tokens = 0
        seconds = 0.0
        n = 0
        for record in group:
            count = record.usage[1]
            # The time is that of the first reply, the tokens are those of all.
            if record.attempts == 1 and count and record.writing:
                tokens += count
                seconds += record.writing
                n += 1
        if n:
            yield Figure(format, "a second", tokens / seconds, n, unit="number")
        else:
            why = "no reply was waited for, or no provider counted"
            yield Figure(format, "a second", None, 0, unit="number", why=why)


def latency(records: Sequence[Record]) -> Iterator[Figure]:
    """Latency of each phase.

    Milliseconds that a phase took, of the replies that it had something to do with: the median, and
    the time that 19 of 20 stay below. These are times of one machine in one run; they differ from
    run to run.
    """
    for format, group in by_format(records):
        for phase in phases_of(group):
            times = _times(group, phase)
            why = ""
            value = None
            if not times:
                why = "the phase had nothing to do"
            for name, at in _QUANTILES.items():
                if times:
                    value = quantile(times, at)
                yield Figure(
                    format,
                    name,
                    value,
                    len(times),
                    unit="milliseconds",
                    axis="phase",
                    part=phase,
                    why=why,
                )


def _times(records: Sequence[Record], phase: str) -> list[float]:
    """Return the milliseconds that a phase took, of the replies that it worked on."""
    times = []
    for record in records:
        for row in record.phases:
            if row.phase == phase and row.seconds is not None:
                times += [1000 * row.seconds]
    return times
