"""Dialects with marks drawn at random."""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path

from hypothesis import HealthCheck, Phase, assume, settings
from hypothesis import strategies as st

from symops_lark import derive
from symops_lark.core.grammar.compiling.compiler import WrittenDialect
from symops_lark.core.grammar.dialect import Dialect
from symops_lark.core.grammar.loading import load_grammar
from symops_lark.core.grammar.marks import find_mark_faults

# Marks of several kinds: signs, letters in signs, words. Most sets of different ones do not collide.
LEADING = ("§", "¤", "@@", "%%", ";;", "##", "⟦", "⟧", "=>", "&", "^^", "~~", "☞", "§§", "|", "+", "THINK", "DO", "ASK")
DELIMITERS = ("[[", "]]", "{{", "}}", "⟦⟦", "⟧⟧", "BEGIN", "END", "<<|", "|>>", "=====", "@begin", "@end", "«««", "»»»")
COMMAS = (",", ";", "|", "}", "😀", "%%", "[", "!;", "::m")
TARGETS = ("@", "§", "=>", "¤", "at:", "->", "#")
# Every example compiles a grammar: few of them, and a failing one is not made simpler.
QUICK = settings(max_examples=3, deadline=None, phases=(Phase.generate,), suppress_health_check=list(HealthCheck))


def definitions(base: str) -> st.SearchStrategy[dict[str, str]]:
    """Marks for all sections and delimiters of a base, drawn without repetition."""
    marks = load_grammar(base).marks
    leading = [f"_{name.upper()}" for name in ("thought", "action", "question", "error") if name in marks]
    leading += [f"_{name.upper()}" for name in ("confidence", "mood", "focus", "stamina") if name in marks]

    def choose(drawn: tuple[list[str], list[str], str, str, bool]) -> dict[str, str]:
        signs, delimiters, target, comma, same = drawn
        chosen = dict(zip(leading, signs, strict=False))
        if "vital" in marks:
            chosen["_VITAL"] = chosen["_ACTION"] if same else signs[len(leading)]
        chosen["_OPEN"], chosen["_CLOSE"] = delimiters[0], delimiters[0 if load_grammar(base).family == "v1" else 1]
        if "end_close" in marks:
            chosen["_END_CLOSE"] = chosen["_CLOSE"] + "OF"
        if "lines" in load_grammar(base).forms:
            chosen = {name: f"[{mark}]" for name, mark in chosen.items()}
        else:
            chosen["_TARGET"] = target
        if "comma" in marks:
            chosen["_COMMA"] = comma
        return {name: f'"{mark}"' for name, mark in chosen.items()}

    signs = st.lists(st.sampled_from(LEADING), min_size=len(leading) + 1, max_size=len(leading) + 1, unique=True)
    delimiters = st.lists(st.sampled_from(DELIMITERS), min_size=2, max_size=2, unique=True)
    return st.tuples(signs, delimiters, st.sampled_from(TARGETS), st.sampled_from(COMMAS), st.booleans()).map(choose)


@lru_cache(maxsize=64)
def derived(base: str, chosen: tuple[tuple[str, str], ...]) -> Dialect:
    return WrittenDialect(Path("derived.lark"), derive(base, dict(chosen)))


def draw_dialect(base: str, data: st.DataObject) -> Dialect:
    """Draw marks that do not collide, and derive."""
    chosen = data.draw(definitions(base))
    marks = load_grammar(base).marks | {name[1:].lower(): body[1:-1] for name, body in chosen.items()}
    assume(not find_mark_faults(marks))
    return derived(base, tuple(sorted(chosen.items())))
