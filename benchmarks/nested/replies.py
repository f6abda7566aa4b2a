"""Draw replies that write a file whose content shows sections of the language, or lines that look like its closer.

A dialect without longer fences cannot say such a content, and a model that writes it all the same is not heard
rightly by anybody: the reader may only be alarmed. What the writer meant is kept beside the text.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from random import Random

from symops_lark import Action, Completeness, Document, Result, Span, Thought, render
from symops_lark.core.document import Section
from symops_lark.core.grammar.loading import load_dialect

DIALECTS = ("v1", "v2", "v2_1", "plain")
_HERE = "CONTENT-GOES-HERE"
_PATHS = (
    *("docs/guide.md", "README.md", "notes.rst", "mail.txt", "NOTES", "index.html", "page.vue", "style.css"),
    *("gen.py", "tests/test_reply.py", "app.js", "lib.ts", "main.go", "Main.java", "run.sh", "query.sql"),
    *("ci.yaml", "conf.toml", "data.json"),
)


@dataclass(frozen=True)
class Reply:
    """A text, its dialect, and the actions that its writer meant: type, target, content."""

    text: str
    dialect: str
    meant: frozenset[tuple[str, str, str | None]]
    kind: str


def draw_replies(n: int, seed: int) -> Iterator[Reply]:
    """Yield `n` replies, the same for one seed: three of four hold sections, the others lone delimiters."""
    for number in range(n):
        draws = Random(f"{seed}/{number}")
        yield _draw(draws, DIALECTS[number % len(DIALECTS)])


def _draw(draws: Random, dialect: str) -> Reply:
    path = draws.choice(_PATHS)
    kind, content = _draw_sections(draws, dialect) if draws.random() < 0.75 else _draw_delimiters(draws, dialect)
    before, after = _draw_siblings(draws, "before"), _draw_siblings(draws, "after")
    outer = _action(draws.choice(("create", "create", "edit")), path, _HERE)
    gap = draws.choice(("", "", "\n"))
    parts = [render(Document((action,)), dialect) for action in (*before, outer, *after)]
    text = gap.join(parts)
    if draws.random() < 0.15:
        text = text.replace("create", "Create", 1)
    text = text.replace(_HERE, content, 1)
    if draws.random() < 0.5:
        text = render(Document((Thought("On it", Span(0, 0)),)), dialect) + gap + text
    text = _damage(draws, text)
    rows = {(action.type, action.path, action.content) for action in (*before, *after)}
    rows |= {(outer.type, path, item) for item in _ways_to_read(content, dialect)}
    return Reply(text, dialect, frozenset(rows), kind)


def _ways_to_read(content: str, dialect: str) -> list[str]:
    """Return a content, and what is left without a closer at its end if no other line begins like one.

    Such a reply is, to the letter, one whose writer wrote the closer twice.
    """
    closer = load_dialect(dialect).marks["close"]
    sign = closer[:2] if len(set(closer)) == 1 else closer
    lines = content.split("\n")
    while lines[-1:] == [closer]:
        lines.pop()
    return [content] if any(line.strip().startswith(sign) for line in lines) else [content, "\n".join(lines)]


def _action(verb: str, path: str, content: str | None = None) -> Action:
    return Action(verb, path, content, span=Span(0, 0))


def _draw_siblings(draws: Random, name: str) -> list[Action]:
    few = [_action("create", f"{name}/own.py", "own = 1"), _action("run", f"make {name}")]
    return draws.sample(few, draws.choice((0, 0, 1, 2)))


# ---- contents that hold sections


def _draw_sections(draws: Random, dialect: str) -> tuple[str, str]:
    files: list[Section] = [
        _action(
            draws.choice(("create", "edit")), name, draws.choice(("x = 1", "", "a\n\nb", "print(1)\n", "<p>\n</p>"))
        )
        for name in draws.sample(("a.py", "src/b.js", "c.md"), draws.randint(0, 3))
    ]
    remaining: list[Section] = [
        _action("run", "make all"),
        _action("delete", "old.py"),
        Thought("look first", Span(0, 0)),
    ]
    sections: list[Section] = files + draws.sample(remaining, draws.randint(0 if files else 1, 2))
    draws.shuffle(sections)
    gap = draws.choice(("", "", "\n"))
    inner = gap.join(render(Document((section,)), dialect) for section in sections)
    name = draws.choice(tuple(_WRAPPERS))
    return name, _WRAPPERS[name](draws, inner).removesuffix("\n")


def _prose(draws: Random, inner: str) -> str:
    above = draws.choice(("", "How to reply:\n", "# Replies\n\nWrite this:\n\n"))
    below = draws.choice(("", "End of it.\n", "\nThat is all.\nReally.\n"))
    return above + inner + below


def _fence(draws: Random, inner: str) -> str:
    run = draws.choice(("```", "~~~", "````"))
    info = draws.choice(("", "text", "symops"))
    below = draws.choice(("", "Done.\n", "\nMore below.\n\n- one\n"))
    return draws.choice(("", "Like this:\n", "# Guide\n\n")) + f"{run}{info}\n{inner}{run}\n{below}"


def _wrap(begin: str, end: str) -> Callable[[Random, str], str]:
    def wrapped(draws: Random, inner: str) -> str:
        return f"{begin}\n{inner}{end}\n" + draws.choice(("", "use(REPLY)\n", "\n\nuse(REPLY)\n"))

    return wrapped


def _indented(draws: Random, inner: str) -> str:
    indent = draws.choice(("  ", "    ", "\t"))
    return (
        "reply: |\n" + "".join(f"{indent}{line}\n" if line else "\n" for line in inner.split("\n")[:-1]) + "next: 1\n"
    )


def _two(draws: Random, inner: str) -> str:
    return _fence(draws, inner) + draws.choice(("", "or\n", "\n")) + _prose(draws, inner)


_WRAPPERS: dict[str, Callable[[Random, str], str]] = {
    "bare": lambda draws, inner: inner,
    "prose": _prose,
    "fence": _fence,
    "python string": _wrap('REPLY = """', '"""'),
    "python string, glued": lambda draws, inner: f'REPLY = """{inner}"""\nuse(REPLY)\n',
    "template literal": _wrap("const REPLY = `", "`;"),
    "html": _wrap("<pre>", "</pre>"),
    "here-document": _wrap("cat <<'EOF'", "EOF"),
    "indented": _indented,
    "two": _two,
    "unfinished": lambda draws, inner: inner[: draws.randint(1, len(inner))] + "\n",
}


# ---- contents that hold lines like a closer


def _draw_delimiters(draws: Random, dialect: str) -> tuple[str, str]:
    closer = load_dialect(dialect).marks["close"]
    signs = closer[:1]
    texts = (
        f"{signs} quoted", f"{signs * 2} deeper", f"{closer} {signs} deep", f"{closer} x = f(1)", "plain text", "",
        "    indented", "... y", "1", "- item", "x = 1", signs * 2, signs, "Best,", "# Heading", "On Monday Ann wrote:",
    )  # fmt: skip
    lines = [draws.choice(texts) for _ in range(draws.randint(1, 8))]
    for _ in range(draws.choice((1, 1, 1, 2, 3))):
        lines.insert(draws.randint(0, len(lines)), closer)
    return "closer", "\n".join(lines)


# ---- what else happens to replies


def _damage(draws: Random, text: str) -> str:
    match draws.choice(("none", "none", "none", "prose", "fence", "cut")):
        case "prose":
            return "Sure, here it is.\n\n" + text + "\nLet me know.\n"
        case "fence":
            return "```\n" + text + "```\n"
        case "cut":
            return text.removesuffix("\n")
    return text


def is_sure(action: Action, result: Result) -> bool:
    """Return whether nothing warns of an action."""
    if action.confidence < 0.9 or action.completeness is not Completeness.COMPLETE:
        return False
    return not any(
        finding.severity in ("warning", "error")
        and finding.span.start < action.span.end
        and action.span.start < finding.span.end
        for finding in result.diagnostics
    )
