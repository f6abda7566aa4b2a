"""Servers of models that misbehave: kinds of answers, each against the real SDKs over a loopback connection.

Law: every kind ends with the reply, or with a `ModelError` that keeps what had arrived; no other error, no key in what
is said, no request to another address, and nothing beyond the limits.
"""

from __future__ import annotations

import asyncio
import os
import random
import traceback
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from symops_lark import ModelError
from symops_lark.models import Form, Limits, Model, Reply, Way, load_model

from . import LOST, Figures, _reply_kinds, _transport_kinds, count  # noqa: F401  (what fills KINDS)
from ._kinds import KINDS, SAID, TEXT, Kind
from ._wire import AttackServer

LARGE = 2_000
RAISED, WRONG, SHOWN, ASKED = "other errors", "wrong replies", "key shown", "another address asked"
KEY = "sk-very-secret-0123456789"
PROTOCOLS, WAYS = ("openai", "anthropic"), ("generate", "stream", "agenerate", "astream")
_MOST = 300_000  # bytes


def attack(n: int, seed: int, place: Path) -> Figures:
    """Ask `n` times, kinds in turn; protocols, ways to ask and sizes of the server's writes by chance."""
    figures, draws, names = count(RAISED, WRONG, LOST, SHOWN, ASKED), random.Random(seed), sorted(KINDS)
    with loopback_keys():
        for number in range(n):
            name = names[number % len(names)]
            protocol, way = draws.choice(PROTOCOLS), draws.choice(WAYS)
            pieces, retries = draws.choice((1, 7, 4096)), draws.choice((0, 2))
            form = draws.choice((None, Way.TOOL, Way.SCHEMA))
            figures.tried += 1
            for harm, example in exchange(KINDS[name], protocol, way, pieces=pieces, retries=retries, form=form):
                figures.won(harm, f"{name} ({protocol}, {way}, {form or 'no form'}): {example}")
    return figures


def exchange(
    kind: Kind, protocol: str, way: str, *, pieces: int = 4096, retries: int = 0, form: Way | None = None
) -> list[tuple[str, str]]:
    """Return what is wrong with the outcome of one request; `pieces` is the size of the server's writes in bytes.

    `form` is the way in which a form is asked for, if one is.
    """
    with AttackServer(kind.serve, pieces=pieces) as server:
        settings: dict[str, Any] = {
            "base_url": server.url,
            "timeout": kind.silence,
            "max_retries": retries,
            "limits": Limits(seconds=2 * kind.silence, received=_MOST, unpacked=_MOST),
        }
        model: Any = load_model(protocol, "a-model", way=form, **settings)
        if form is not None:
            model = model.in_form(Form({"type": "object"}))
        try:
            outcome: Reply | Exception = _ask(model, way)
        except Exception as error:  # noqa: BLE001  (that there is none but one is what is looked at)
            outcome = error
    faults = list(_judge(kind, outcome, "stream" in way))
    if server.elsewhere.requests:
        faults.append((ASKED, "with the key"))
    return faults


def _ask(model: Model, way: str) -> Reply:
    match way:
        case "generate":
            return model.generate("Hello.")
        case "stream":
            return model.stream("Hello.").read()
        case "agenerate":
            return asyncio.run(model.agenerate("Hello."))
    return asyncio.run(model.astream("Hello.").read())


def _judge(kind: Kind, outcome: Reply | Exception, streamed: bool) -> Iterator[tuple[str, str]]:
    expected = kind.streamed if streamed else kind.whole
    output = repr(outcome) if isinstance(outcome, Reply) else "".join(traceback.format_exception(outcome))
    if KEY in output or KEY in str(outcome):
        yield SHOWN, "in the error"
    if isinstance(outcome, Reply):
        if "reply" not in expected:
            yield WRONG, f"a reply, where an error is right: {outcome.text[:60]!r}"
        elif outcome.text not in kind.texts:
            yield WRONG, f"another text: {outcome.text[:60]!r}"
    elif not isinstance(outcome, ModelError):
        yield RAISED, f"{type(outcome).__name__}: {outcome}"
    elif "error" not in expected and "partial" not in expected:
        yield LOST, f"an error, where a reply is right: {outcome}"
    elif "partial" in expected and "error" not in expected:
        partial = outcome.partial
        if partial is None or not partial.text.startswith(SAID) or not partial.finish.cut_off:
            yield LOST, f"what had arrived: {outcome}"


@contextmanager
def loopback_keys() -> Iterator[None]:
    """Set the keys of the providers, and ask loopback addresses directly."""
    expected = {"OPENAI_API_KEY": KEY, "ANTHROPIC_API_KEY": KEY, "NO_PROXY": "127.0.0.1", "no_proxy": "127.0.0.1"}
    before = {name: os.environ.get(name) for name in expected}
    os.environ.update(expected)
    try:
        yield
    finally:
        for name, value in before.items():
            os.environ.pop(name, None)
            if value is not None:
                os.environ[name] = value


__all__: Sequence[str] = ("KEY", "KINDS", "PROTOCOLS", "TEXT", "WAYS", "attack", "exchange", "loopback_keys")
