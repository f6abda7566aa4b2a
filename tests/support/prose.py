"""Measure plain English and density, and check the limits of the packages and documents.

    python tests/support/prose.py [PATH ...] [--words] [--worst N]     print the figures of files and folders
    python tests/support/prose.py --limits                             check the whole repository, as `make lint` does
    python tests/support/prose.py --commit-message FILE                check the message of a commit

Prose is the text that a person reads: documents, docstrings, comments, and string literals that look like sentences.
Code between backquotes is left out. `prose_words.yaml` lists the words to avoid. `prose_not_yet.txt` lists the folders,
modules and documents that do not keep the limits yet: it may only get shorter.
"""

from __future__ import annotations

import argparse
import ast
import io
import re
import sys
import tokenize
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

import yaml

SUPPORT = Path(__file__).resolve().parent
ROOT = SUPPORT.parent.parent
NOT_YET = SUPPORT / "prose_not_yet.txt"
MAX_COLUMNS = 100
MAX_SUBJECT = 72  # characters of a commit subject: what `git log --oneline` shows on a terminal of 80 columns
FEW_LINES = 100  # a folder with fewer lines needs no comments
MANY_ARGUMENTS = 3  # a public function with this many arguments lists them under `Args:`
DOCUMENTS = (
    "*.md",
    "docs/**/*.md",
    "grammars/*.md",
    "repair_rules/*.md",
    "symops_lark/**/README.md",
    "tests/**/README.md",
)

INLINE_FORMS = (ast.IfExp, ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp, ast.NamedExpr, ast.Lambda)
FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)
DOCUMENTED = (ast.Module, ast.ClassDef, *FUNCTIONS)


class Limit(NamedTuple):
    """A measure with its limits: of a folder, and of each of its files."""

    measure: str
    of_folder: float
    of_file: float
    at_least: bool = False

    def is_broken(self, value: float, limit: float) -> bool:
        """Return whether a value is on the wrong side of a limit."""
        return value < limit if self.at_least else value > limit


LIMITS = (
    Limit("listed words per 1,000 words of prose", 2.0, 8.0),
    Limit("odd names, % of assignments", 1.0, 3.0),
    Limit("comments, % of lines", 4.0, 0.0, at_least=True),
    Limit(f"lines over {MAX_COLUMNS} columns, %", 0.0, 0.0),
    Limit("syntax nodes per line of code", 5.5, 6.5),
    Limit("inline forms per 100 lines of code", 7.0, 12.0),
    Limit("public functions with undocumented arguments or errors", 0.0, 0.0),
)


class Hit(NamedTuple):
    """A place that can be written better."""

    line: int
    text: str
    better: str


class Page(NamedTuple):
    """The counts of one file."""

    path: Path
    lines: int
    code_lines: int
    comments: int
    long_lines: int
    nodes: int
    inline_forms: int
    assignments: int
    words: int
    habits: tuple[Hit, ...]
    odd_names: tuple[Hit, ...]
    undocumented: tuple[Hit, ...]


def load_habits(words: dict[str, str]) -> list[tuple[re.Pattern[str], str]]:
    """Return the patterns of words to avoid, each with what to write instead."""
    return [(re.compile(pattern, re.IGNORECASE | re.MULTILINE), better) for pattern, better in words.items()]


WORDS = yaml.safe_load((SUPPORT / "prose_words.yaml").read_text(encoding="utf-8"))
HABITS = load_habits(WORDS["words"])
ODD_NAMES = frozenset(WORDS["names"])
VERBS = frozenset(WORDS["verbs"])


def measure_python(path: Path) -> Page:
    """Count the prose and the density of a module."""
    text = path.read_text(encoding="utf-8")
    rows = text.split("\n")
    tree = ast.parse(text)
    nodes = list(ast.walk(tree))
    docstrings = list(docstrings_of(nodes))
    comments = list(comments_of(text))
    pieces = [*docstrings, *messages_of(nodes, docstrings), *comments]
    blank = sum(not row.strip() for row in rows)
    comment_lines = sum(row.strip().startswith("#") for row in rows)
    docstring_lines = sum(
        bool(row.strip()) for node in docstrings for row in rows[node.lineno - 1 : node.end_lineno or node.lineno]
    )
    names = [node for node in nodes if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)]
    return Page(
        path=path,
        lines=len(rows),
        code_lines=max(1, len(rows) - blank - comment_lines - docstring_lines),
        comments=len(comments),
        long_lines=sum(len(row) > MAX_COLUMNS for row in rows),
        nodes=sum(isinstance(node, ast.expr | ast.stmt) for node in nodes),
        inline_forms=sum(isinstance(node, INLINE_FORMS) for node in nodes),
        assignments=len(names),
        words=sum(len(without_code(piece.value).split()) for piece in pieces),
        habits=tuple(hit for piece in pieces for hit in habits_in(piece.value, piece.lineno)),
        odd_names=tuple(Hit(name.lineno, name.id, "name the thing") for name in names if name.id in ODD_NAMES),
        undocumented=tuple(undocumented_in(tree)),
    )


def measure_markdown(path: Path) -> Page:
    """Count the listed words of a document, without its code."""
    text = path.read_text(encoding="utf-8")
    fence = re.compile(r"^([ \t]*(`{3,}|~{3,})).*?^[ \t]*\2[`~]*[ \t]*$", re.MULTILINE | re.DOTALL)
    prose = fence.sub(lambda match: "\n" * match[0].count("\n"), text)
    prose = re.sub(r"\]\([^)\n]*\)|<[^>\n]*>", "", prose)  # targets of links, HTML
    words = len(without_code(prose).split())
    empty = Page(path, text.count("\n"), 1, 0, 0, 0, 0, 0, words, (), (), ())
    return empty._replace(habits=tuple(habits_in(prose, 1)))


def measure(path: Path) -> Page:
    """Count one file."""
    return measure_python(path) if path.suffix == ".py" else measure_markdown(path)


class Piece(NamedTuple):
    """A piece of prose in a module."""

    lineno: int
    end_lineno: int
    value: str


def docstrings_of(nodes: Sequence[ast.AST]) -> Iterator[Piece]:
    """Yield the docstrings of modules, classes and functions."""
    for node in nodes:
        if not isinstance(node, DOCUMENTED) or not node.body:
            continue
        match node.body[0]:
            case ast.Expr(value=ast.Constant(value=str(text)) as constant):
                yield Piece(constant.lineno, constant.end_lineno or constant.lineno, text)


def messages_of(nodes: Sequence[ast.AST], docstrings: Sequence[Piece]) -> Iterator[Piece]:
    """Yield the string literals that look like sentences, not like patterns."""
    places = {piece.lineno for piece in docstrings}
    for node in nodes:
        if not isinstance(node, ast.Constant) or not isinstance(node.value, str) or node.lineno in places:
            continue
        has_words = len(re.findall(r"[a-z]{2,}", node.value)) >= 4
        is_pattern = re.search(r"[\\^$|{]\(|\(\?", node.value)
        if has_words and not is_pattern:
            yield Piece(node.lineno, node.end_lineno or node.lineno, node.value)


def comments_of(text: str) -> Iterator[Piece]:
    """Yield the comments of a module, at the end of a line or on their own."""
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type == tokenize.COMMENT:
            yield Piece(token.start[0], token.end[0], token.string)


def without_code(text: str) -> str:
    """Return a text without what is between backquotes; the lines keep their numbers."""
    return re.sub(r"```.*?```|`[^`]*`", lambda match: "\n" * match[0].count("\n"), text, flags=re.DOTALL)


def habits_in(text: str, first_line: int) -> Iterator[Hit]:
    """Yield the words to avoid in a text, and what to write instead."""
    prose = without_code(text)
    for pattern, better in HABITS:
        for match in pattern.finditer(prose):
            yield Hit(first_line + prose.count("\n", 0, match.start()), match[0].strip(), better)


def undocumented_in(tree: ast.Module) -> Iterator[Hit]:
    """Yield public functions whose docstring leaves out arguments or errors."""
    bodies = [tree.body]
    bodies += [node.body for node in tree.body if isinstance(node, ast.ClassDef) and not node.name.startswith("_")]
    for function in (node for body in bodies for node in body if isinstance(node, FUNCTIONS)):
        docstring = ast.get_docstring(function)
        if function.name.startswith("_") or docstring is None:
            continue
        parameters = function.args
        by_name = [*parameters.posonlyargs, *parameters.args, *parameters.kwonlyargs]
        arguments = [argument.arg for argument in by_name if argument.arg not in ("self", "cls")]
        section = docstring.partition("Args:")[2]
        missing = [name for name in arguments if not re.search(rf"\b{name}\b", section)]
        if len(arguments) >= MANY_ARGUMENTS and missing:
            yield Hit(function.lineno, function.name, f"list {', '.join(missing)} under `Args:`")
        errors = sorted(set(raised_by(function)))
        section = docstring.partition("Raises:")[2]
        missing = [name for name in errors if name not in section]
        if missing:
            yield Hit(function.lineno, function.name, f"list {', '.join(missing)} under `Raises:`")


def raised_by(function: ast.FunctionDef | ast.AsyncFunctionDef) -> Iterator[str]:
    """Yield the classes that a function raises itself, not those of nested functions."""
    nodes: list[ast.AST] = list(function.body)
    while nodes:
        node = nodes.pop()
        if isinstance(node, (*FUNCTIONS, ast.ClassDef, ast.Lambda)):
            continue
        match node:
            case ast.Raise(exc=ast.Call(func=ast.Name(id=name))) if name[:1].isupper():
                yield name
        nodes += ast.iter_child_nodes(node)


def figures(pages: Sequence[Page]) -> list[float]:
    """Return the measures of LIMITS for some files together, in the same order."""
    words = max(1, sum(page.words for page in pages))
    assignments = max(1, sum(page.assignments for page in pages))
    lines = max(1, sum(page.lines for page in pages))
    code_lines = max(1, sum(page.code_lines for page in pages))
    return [
        1000 * sum(len(page.habits) for page in pages) / words,
        100 * sum(len(page.odd_names) for page in pages) / assignments,
        100 * sum(page.comments for page in pages) / lines,
        100 * sum(page.long_lines for page in pages) / lines,
        sum(page.nodes for page in pages) / code_lines,
        100 * sum(page.inline_forms for page in pages) / code_lines,
        float(sum(len(page.undocumented) for page in pages)),
    ]


def files_of(paths: Sequence[Path]) -> list[Path]:
    """Return the modules and documents at some paths."""
    files: list[Path] = []
    for path in paths:
        files += [path] if path.is_file() else sorted({*path.rglob("*.py"), *path.rglob("*.md")})
    return files


def groups(root: Path, alone: Sequence[str] = ()) -> dict[str, list[Path]]:
    """Return the files that share limits: the modules of one folder, or one document.

    Args:
        root: The repository.
        alone: Modules that do not count for their folder.
    """
    modules: dict[str, list[Path]] = defaultdict(list)
    for path in sorted((root / "symops_lark").rglob("*.py")):
        name = path.relative_to(root).as_posix()
        folder = path.parent.relative_to(root).as_posix()
        modules[name if name in alone else folder].append(path)
    documents = {path for pattern in DOCUMENTS for path in root.glob(pattern)}
    return modules | {path.relative_to(root).as_posix(): [path] for path in sorted(documents)}


def broken_limits(pages: Sequence[Page]) -> Iterator[str]:
    """Yield the limits that a group of files breaks, as a whole or in one file."""
    is_document = pages[0].path.suffix == ".md"
    is_small = sum(page.lines for page in pages) < FEW_LINES
    limits = LIMITS[:1] if is_document else LIMITS
    for limit, value in zip(limits, figures(pages), strict=False):
        if limit.at_least and is_small:
            continue
        if limit.is_broken(value, limit.of_folder):
            sign = "at least" if limit.at_least else "at most"
            yield f"{limit.measure}: expected {sign} {limit.of_folder:g}, got {value:.2f}"
    for page in pages if not is_document else ():
        for limit, value in zip(limits, figures([page]), strict=True):
            if limit.is_broken(value, limit.of_file):
                yield f"{page.path.name}: {limit.measure}: expected at most {limit.of_file:g}, got {value:.2f}"


def read_not_yet() -> list[str]:
    """Return the folders and documents that do not keep the limits yet."""
    rows = NOT_YET.read_text(encoding="utf-8").splitlines()
    return [row for row in rows if row and not row.startswith("#")]


def check_repository(root: Path, not_yet: Sequence[str]) -> Iterator[str]:
    """Yield what is wrong in the repository: a broken limit, or a place that is still listed without need."""
    existing = groups(root, not_yet)
    for name in not_yet:
        if name not in existing:
            yield f"{NOT_YET.name}: {name} does not exist: remove the line"
    for name, paths in existing.items():
        problems = list(broken_limits([measure(path) for path in paths]))
        if name in not_yet and not problems:
            yield f"{NOT_YET.name}: {name} keeps the limits: remove the line"
        elif name not in not_yet:
            yield from (f"{name}: {problem}" for problem in problems)


def check_message(message: str) -> Iterator[str]:
    """Yield what is wrong with the message of a commit."""
    rows = [row for row in message.split("\n") if not row.startswith("#")]
    subject = rows[0] if rows else ""
    if len(subject) > MAX_SUBJECT:
        yield f"the subject has {len(subject)} characters: at most {MAX_SUBJECT}"
    if subject.endswith("."):
        yield "the subject ends with a full stop: remove it"
    verb = subject.rpartition(": ")[2].partition(" ")[0]
    if verb.capitalize() not in VERBS:
        yield f"the subject does not begin with an imperative verb: {verb!r} (see `verbs` in prose_words.yaml)"
    if not any(row.strip() for row in rows[1:]) and verb != "Merge":
        yield "the body is empty: say why the change is made"
    for hit in habits_in("\n".join(rows), 1):
        yield f"line {hit.line}: {hit.text!r}: write {hit.better}"


def print_figures(paths: Sequence[Path], worst: int) -> None:
    """Print the measures of some files together, the most frequent hits, and the worst files."""
    pages = [measure(path) for path in files_of(paths)]
    print(f"{len(pages)} files, {sum(page.words for page in pages):,} words of prose")
    for limit, value in zip(LIMITS, figures(pages), strict=True):
        sign = ">=" if limit.at_least else "<="
        verdict = "BROKEN" if limit.is_broken(value, limit.of_folder) else ""
        print(f"  {limit.measure:56} {value:8.2f}   {sign} {limit.of_folder:<5g} {verdict}")
    words = Counter(hit.text.lower() for page in pages for hit in page.habits)
    print("words:", ", ".join(f"{word} {count}" for word, count in words.most_common(12)))
    names = Counter(hit.text for page in pages for hit in page.odd_names)
    print("names:", ", ".join(f"{name} {count}" for name, count in names.most_common(12)))
    for page in sorted(pages, key=_distance, reverse=True)[:worst]:
        values = " ".join(f"{value:7.2f}" for value in figures([page]))
        print(f"{values}  {page.path}")


def _distance(page: Page) -> float:
    """Return how far a file is from its limits, summed over the measures."""
    pairs = zip(LIMITS, figures([page]), strict=True)
    return sum(value / (limit.of_file or 1) for limit, value in pairs if not limit.at_least)


def main() -> int:
    """Run the command line; return the exit code."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("paths", nargs="*", type=Path, help="files and folders (default: the package)")
    parser.add_argument("--words", action="store_true", help="print each place that can be written better")
    parser.add_argument("--worst", type=int, default=10, help="print this many of the worst files (default: 10)")
    parser.add_argument(
        "--limits", action="store_true", help="check the whole repository; exit code 1 if a limit is broken"
    )
    parser.add_argument("--commit-message", type=Path, metavar="FILE", help="check the message of a commit")
    options = parser.parse_args()
    paths = options.paths or [ROOT / "symops_lark"]
    problems: list[str] = []
    if options.commit_message:
        problems = list(check_message(options.commit_message.read_text(encoding="utf-8")))
    elif options.limits:
        problems = list(check_repository(ROOT, read_not_yet()))
    elif options.words:
        for page in map(measure, files_of(paths)):
            for hit in sorted(page.habits + page.odd_names + page.undocumented):
                print(f"{page.path}:{hit.line}: {hit.text!r}: {hit.better}")
    else:
        print_figures(paths, options.worst)
    for problem in problems:
        print(problem, file=sys.stderr)
    return int(bool(problems))


if __name__ == "__main__":
    sys.exit(main())
