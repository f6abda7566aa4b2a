"""Documents for the laws: whatever these strategies make, the dialect they were made for can say.

What a path, a command or a word may be comes from the dialect's terminals, so that this file spells no language.
"""

from __future__ import annotations

from functools import lru_cache

from hypothesis import strategies as st

from symops_lark.core.document import VITAL_NAMES, Action, Document, ErrorNote, Question, Section, Thought, Vitals
from symops_lark.core.grammar.compiling.compiler import WrittenDialect
from symops_lark.core.grammar.loading import dialects, load_grammar

# What contents, thoughts and commands hold that looks like markup, in these dialects and elsewhere.
LOOK_ALIKES = (
    "::create @a.py >b",
    "$ create @ a.py",
    ">> not a thought",
    "~ nor this",
    "<<",
    "<<<<",
    "<<< x",
    " <<<",
    ">>>>",
    ">>> x = 1",
    " >>>",
    "---",
    "-- SQL",
    " --",
    "-",
    "```",
    "```python",
    "~~~",
    "<<<<<<< HEAD",
    "=======",
    ">>>>>>> main",
    "::c0.9",
    "#c0.9",
    "# heading",
    "@decorator",
    "? what",
    "! no @ way",
    "> quote",
    "1. first",
    '"',
    "std::vector<int> x;",
    "--- a/x",
    "+++ b/x",
    "",
    " ",
    "\t",
    "<think>",
    "[REPORT]",
    "\ufeff",
    "\u2028",
    "\x0c",
    "ＦＵＬＬ",
    "→",
    ">>>END",
    ">>> END",
    "::1 create @a.py",
    "  @path: a.py",
    "  @deps: a, b",
    "@key: x",
    "[REASONING] no",
    "[ACTION_TYPE] create",
    "[ACTION_PATH] a.py",
    " [CONTENT_END]",
    "[content_end]",
    "[CONTENT_END].",
)
PATHS = ("a.py", "src/auth.py", "docs/my file.md", "Makefile", ".env", "a,b.txt", "設定/x.yaml", "C:\\x\\y.txt", "x@y")
COMMANDS = ("pytest -q tests", "ls > out.txt 2>&1", "echo a, b", 'git commit -m "x"', "make", "a @ b")


@lru_cache
def _terminal(dialect: WrittenDialect, name: str) -> str:
    return str(next(pattern for result, pattern, *_ in dialect.table("lalr")["terminals"] if result == name))


def _matching(dialect: WrittenDialect, name: str) -> st.SearchStrategy[str]:
    return st.from_regex(_terminal(dialect, name), fullmatch=True)


def _joined(pieces: st.SearchStrategy[str], most: int) -> st.SearchStrategy[str]:
    endings = st.sampled_from(("\n", "\r\n"))
    return st.builds(lambda parts, ending: ending.join(parts), st.lists(pieces, max_size=most), endings)


@lru_cache
def lines() -> st.SearchStrategy[str]:
    """Any line of a text, without its ending."""
    free = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\n"), max_size=20)
    return st.one_of(st.sampled_from(LOOK_ALIKES), free)


@lru_cache
def thoughts(dialect: WrittenDialect) -> st.SearchStrategy[str]:
    """One line of reasoning; where it has a line of its own, it does not begin with a mark."""
    if "lines" not in dialect.forms:
        return texts()
    marks = tuple(mark for name, mark in dialect.marks.items() if name not in ("comma", "dot", "at"))
    return texts().filter(lambda text: not text.startswith(marks))


@lru_cache
def texts() -> st.SearchStrategy[str]:
    """One line of prose, as it stands behind a mark."""
    return lines().map(lambda line: line.replace("\r", "").strip(" \t")).filter(bool)


@lru_cache
def contents(dialect: WrittenDialect) -> st.SearchStrategy[str]:
    """The content of a block: any lines but a lone delimiter, none of which has to end.

    Where there are fences of several lengths, delimiters of some of them may stand alone.
    """
    delimiters = {mark for pair in dialect.fences.items() for mark in (pair[0], *pair[1])}
    line = lines()
    if "fences" in dialect.forms:
        line |= st.sampled_from(sorted(delimiters))

    def fits(content: str) -> bool:
        lone = {line.rstrip(" \t\r") for line in content.split("\n")}
        return any(not lone & {opener, *closers} for opener, closers in dialect.fences.items())

    return _joined(line, 6).filter(lambda content: fits(content) and not content.endswith("\r"))


@lru_cache
def actions(dialect: WrittenDialect) -> st.SearchStrategy[Action]:
    """Actions with and without blocks and dependencies, numbers and attributes."""
    running = dialect.verbs["running"]
    changing = dialect.verbs["writing"] + dialect.verbs["removing"]
    content = st.none() | contents(dialect)
    verbs = st.sampled_from((*changing, "rename", "created", "run-all", "x"))
    verbs |= st.from_regex("[a-z]{3,8}", fullmatch=True)
    names = st.sampled_from(("b.py", "lib/c d.py")) | _matching(dialect, "DEPENDENCY")
    dependencies = st.lists(names, max_size=3).map(tuple)
    none: st.SearchStrategy[tuple[str, ...]] = st.just(())
    table: dict[str, st.SearchStrategy[object]] = {}
    if "numbers" in dialect.forms:
        table["number"] = st.none() | st.integers(0, 10**6)
    if "attributes" in dialect.forms:
        keys = st.sampled_from(("priority", "Note", "a-b", "paths"))
        keys |= _matching(dialect, "KEY").map(lambda key: key[:-1])
        keys = keys.filter(lambda key: key not in ("path", "deps"))
        values = st.dictionaries(keys, texts() | st.just(""), max_size=2)
        table["attributes"] = values.map(lambda found: tuple(found.items()))
    return st.one_of(
        st.builds(
            Action,
            st.sampled_from(running),
            st.sampled_from(COMMANDS) | _matching(dialect, "COMMAND"),
            content,
            dependencies if dialect.forms & {"attributes", "lines"} else none,
            **table,
        ),
        st.builds(
            Action,
            verbs.filter(lambda verb: verb not in running),
            st.sampled_from(PATHS) | _matching(dialect, "PATH"),
            content,
            dependencies,
            **table,
        ),
    )


@lru_cache
def sections(dialect: WrittenDialect) -> st.SearchStrategy[Section]:
    """Sections of every kind but skipped text."""
    word, message = _matching(dialect, "WORD"), _matching(dialect, "MESSAGE")
    value = st.floats(0, 1) | st.sampled_from((0.0, 0.5, 0.85, 1.0))
    vitals = st.dictionaries(st.sampled_from(sorted(VITAL_NAMES.values())), value, min_size=1)
    choices = st.lists(texts() | st.just(""), max_size=3).map(tuple)
    return st.one_of(
        st.builds(Thought, thoughts(dialect)),
        vitals.map(lambda values: Vitals(tuple(values.items()))),
        actions(dialect),
        st.builds(Question, st.one_of(texts(), st.just(""), st.just(" blanks stay ")), choices),
        st.builds(ErrorNote, word, st.none() | word, st.none() | message),
    )


@lru_cache
def documents(format: str | WrittenDialect = "v2") -> st.SearchStrategy[Document]:
    """Documents that a dialect can say."""
    dialect = load_grammar(format)
    return st.lists(sections(dialect), max_size=6).map(lambda found: Document(tuple(found), dialect.name))


@lru_cache
def documents_of_any_dialect() -> st.SearchStrategy[Document]:
    """Documents of all installed dialects; `document.dialect` says which."""
    return st.one_of([documents(name) for name in dialects()])


@lru_cache
def replies() -> st.SearchStrategy[str]:
    """Any text at all, made of lines that look like markup, of whole documents, and of what stands between."""
    from symops_lark.core.rendering.renderer import render

    pieces = st.one_of(lines(), documents_of_any_dialect().map(lambda document: render(document, document.dialect)))
    return _joined(pieces, 12)
