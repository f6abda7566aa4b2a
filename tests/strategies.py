"""Documents for the laws: whatever these strategies make, the dialect they were made for can say.

What a path, a command or a word may be comes from the dialect's terminals, so that this file spells no language.
"""

from __future__ import annotations

from functools import lru_cache

from hypothesis import strategies as st

from symops_lark.document import VITAL_NAMES, Action, Document, ErrorNote, Question, Section, Thought, Vitals
from symops_lark.grammar import Dialect, dialects, load_dialect

# What contents, thoughts and commands hold that looks like markup, in these dialects and elsewhere.
LOOK_ALIKES = (
    "::create @a.py >b", "$ create @ a.py", ">> not a thought", "~ nor this", "<<", "<<<<", "<<< x", " <<<", ">>>>",
    ">>> x = 1", " >>>", "---", "-- SQL", " --", "-", "```", "```python", "~~~", "<<<<<<< HEAD", "=======",
    ">>>>>>> main", "::c0.9", "#c0.9", "# heading", "@decorator", "? what", '! no @ way', "> quote", "1. first",
    '"', "std::vector<int> x;", "--- a/x", "+++ b/x", "", " ", "\t", "<think>", "[REPORT]", "\ufeff", "\u2028", "\x0c",
    "ＦＵＬＬ", "→",
)  # fmt: skip
PATHS = ("a.py", "src/auth.py", "docs/my file.md", "Makefile", ".env", "a,b.txt", "設定/x.yaml", "C:\\x\\y.txt", "x@y")
COMMANDS = ("pytest -q tests", "ls > out.txt 2>&1", "echo a, b", 'git commit -m "x"', "make", "a @ b")


@lru_cache
def _terminal(dialect: Dialect, name: str) -> str:
    return str(next(t.pattern.to_regexp() for t in dialect.parser.terminals if t.name == name))


def _matching(dialect: Dialect, name: str) -> st.SearchStrategy[str]:
    return st.from_regex(_terminal(dialect, name), fullmatch=True)


def _joined(pieces: st.SearchStrategy[str], most: int) -> st.SearchStrategy[str]:
    endings = st.sampled_from(("\n", "\r\n"))
    return st.builds(lambda parts, ending: ending.join(parts), st.lists(pieces, max_size=most), endings)


def lines() -> st.SearchStrategy[str]:
    """Any line of a text, without its ending."""
    free = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\n"), max_size=20)
    return st.one_of(st.sampled_from(LOOK_ALIKES), free)


def texts() -> st.SearchStrategy[str]:
    """One line of prose, as it stands behind a mark."""
    return lines().map(lambda line: line.replace("\r", "").strip(" \t")).filter(bool)


def contents(dialect: Dialect) -> st.SearchStrategy[str]:
    """The content of a block: any lines but a lone delimiter, none of which has to end."""
    delimiters = (dialect.marks["open"], dialect.marks["close"])
    line = lines().filter(lambda line: line.rstrip(" \t\r") not in delimiters)
    return _joined(line, 6).filter(lambda content: not content.endswith("\r"))


def actions(dialect: Dialect) -> st.SearchStrategy[Action]:
    """Actions with and without blocks and dependencies."""
    running = dialect.verbs["running"]
    changing = dialect.verbs["writing"] + dialect.verbs["removing"]
    content = st.none() | contents(dialect)
    verbs = st.sampled_from((*changing, "rename", "created", "run-all", "x"))
    verbs |= st.from_regex("[a-z]{3,8}", fullmatch=True)
    return st.one_of(
        st.builds(Action, st.sampled_from(running), st.sampled_from(COMMANDS) | _matching(dialect, "COMMAND"), content),
        st.builds(
            Action,
            verbs.filter(lambda verb: verb not in running),
            st.sampled_from(PATHS) | _matching(dialect, "PATH"),
            content,
            st.lists(st.sampled_from(("b.py", "lib/c d.py")) | _matching(dialect, "DEPENDENCY"), max_size=3).map(tuple),
        ),
    )


def sections(dialect: Dialect) -> st.SearchStrategy[Section]:
    """Sections of every kind but skipped text."""
    word, message = _matching(dialect, "WORD"), _matching(dialect, "MESSAGE")
    value = st.floats(0, 1) | st.sampled_from((0.0, 0.5, 0.85, 1.0))
    vitals = st.dictionaries(st.sampled_from(sorted(VITAL_NAMES.values())), value, min_size=1)
    choices = st.lists(texts() | st.just(""), max_size=3).map(tuple)
    return st.one_of(
        st.builds(Thought, texts()),
        vitals.map(lambda values: Vitals(tuple(values.items()))),
        actions(dialect),
        st.builds(Question, st.one_of(texts(), st.just(""), st.just(" blanks stay ")), choices),
        st.builds(ErrorNote, word, st.none() | word, st.none() | message),
    )


def documents(format: str | Dialect = "v2") -> st.SearchStrategy[Document]:
    """Documents that a dialect can say."""
    dialect = load_dialect(format)
    return st.lists(sections(dialect), max_size=6).map(lambda found: Document(tuple(found), dialect.name))


def documents_of_any_dialect() -> st.SearchStrategy[Document]:
    """Documents of all installed dialects; `document.dialect` says which."""
    return st.one_of([documents(name) for name in dialects()])


def replies() -> st.SearchStrategy[str]:
    """Any text at all, made of lines that look like markup, of whole documents, and of what stands between."""
    from symops_lark.renderer import render

    pieces = st.one_of(lines(), documents_of_any_dialect().map(lambda document: render(document, document.dialect)))
    return _joined(pieces, 12)
