"""Read repair rules and rule sets from YAML.

Every mistake in a file is reported with file, line and column before any rule runs. Checked rules
are kept in the user's cache, by the contents of all files, so a warm start reads no YAML.
"""

from __future__ import annotations

import os
import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any

from ..grammar.dialect import Dialect
from ..grammar.loading import dialects, load_dialect
from ..grammar.mistakes import load_mistakes
from ..ground import resources
from ..ground.errors import RuleError
from ..ground.kept_tables import KeptTables
from ..recovery.engines.choice import load_engine
from ..text.yaml_file import YamlFile
from .line_patterns import compile_rule_pattern
from .rule import VERBS, Example, Rule, fill_text
from .rule_values import REQUIRED, ROW_NAME, check_required, check_values, check_verb, roles_of

MAX_BYTES = 1_000_000  # of a rule file; the largest installed one has about 5,000

_OPTIONAL = ("summary", "dialects", "touches", "each", "lines", "mistakes", "weak", "without")
_KEYS = frozenset((*REQUIRED, *_OPTIONAL))


def rulesets() -> tuple[str, ...]:
    """Return the names of the installed rule sets; each is for the dialect of its name."""
    folder = resources.find_folder("repair_rules") / "rulesets"
    names = [path.stem for path in folder.glob("*.yaml")]
    names.sort()
    return tuple(names)


def load_rules(dialect: Dialect, folders: Sequence[str | Path] = ()) -> tuple[Rule, ...]:
    """Load the rules for a dialect.

    Args:
        dialect: The dialect.
        folders: Folders with custom rules (`*.yaml` and `*.yml`, at any depth), or single files.

    Returns:
        The installed rules in running order, then the custom rules that serve the dialect. A
        custom rule with the id of an installed one replaces it in its place.

    Raises:
        RuleError: A folder does not exist or has no rules, or a rule is invalid. The message gives
            `file:line:column`, the line and the reason.
    """
    if not folders:
        return _installed(dialect)
    # A dict keeps the place of a key when its value is replaced.
    rules = {rule.id: rule for rule in _installed(dialect)}
    for folder in folders:
        base = Path(folder)
        if not base.exists():
            reason = (
                "there is no such folder or file; name a folder with rules (*.yaml), or one rule"
            )
            raise RuleError(f"{folder}: {reason}")
        files = [base]
        if base.is_dir():
            files = sorted(base.rglob("*.yaml"))
            files += sorted(base.rglob("*.yml"))
        if not files:
            reason = "no rule (*.yaml) is in this folder or below"
            hint = "repair_rules/README.md shows how to write one"
            raise RuleError(f"{folder}: {reason}; {hint}")
        for rule in _read_all(files):
            if not rule.serves(dialect):
                continue
            _check_for_dialect(rule, dialect)
            rules[rule.id] = rule
    return tuple(rules.values())


@lru_cache(maxsize=32)
def _installed(dialect: Dialect) -> tuple[Rule, ...]:
    """Return the installed rules for a dialect, or for its family, in running order."""
    frozen = dialect.frozen("repairs")
    if frozen is not None:
        return tuple(map(Rule.from_data, frozen))
    folder = resources.find_folder("repair_rules")
    listing = folder / "rulesets" / f"{dialect.name}.yaml"
    # Most custom dialects have no rule set: those of their family serve them.
    if not listing.is_file():
        listing = folder / "rulesets" / f"{dialect.family}.yaml"
    return read_ruleset(listing, _read(listing))


def read_ruleset(path: Path, content: bytes) -> tuple[Rule, ...]:
    """Return the installed rules that a rule set names, in running order.

    Args:
        path: The file of the rule set.
        content: Its content, which may not be saved yet.

    Raises:
        RuleError: The file is not a rule set, or names a rule that does not exist.
    """

    def read_file() -> YamlFile:
        return YamlFile(path, "rule set", RuleError, data=content)

    cache = KeptTables("ruleset", (), [content])
    phases = cache.remember(lambda: read_file().data)
    by_file = _by_file()
    rules = []
    for phase, names in phases.items():
        if not isinstance(names, list):
            raise read_file().fail((phase,), f"{phase}: expected a list of rules")
        for index, name in enumerate(names):
            if name not in by_file:
                keys = (phase, str(index))
                raise read_file().fail(keys, f"no rule is called {name!r}")
            rules += by_file[name]
    return tuple(rules)


@lru_cache(maxsize=1)
def _by_file() -> dict[str, list[Rule]]:
    """Return the installed rules by the names of their files, which are unique."""
    folder = str(resources.find_folder("repair_rules"))
    paths = []
    # `os` instead of `pathlib`: this runs at every start.
    with os.scandir(folder) as entries:
        kinds = sorted(entry.path for entry in entries if entry.is_dir())
    for kind in kinds:
        if os.path.basename(kind) == "rulesets":
            continue
        names = sorted(os.listdir(kind))
        paths += [Path(kind, name) for name in names if name.endswith(".yaml")]
    by_file: dict[str, list[Rule]] = {}
    for rule in _read_all(paths):
        # Without the folder: rule sets name rules in all folders.
        name = rule.path.stem
        rules = by_file.setdefault(name, [])
        rules.append(rule)
    return by_file


def all_rules() -> tuple[Rule, ...]:
    """Return every installed rule, sorted by id."""
    rules = []
    for rules_of_file in _by_file().values():
        rules += rules_of_file
    rules.sort(key=lambda rule: rule.id)
    return tuple(rules)


def _read_all(paths: Sequence[Path]) -> tuple[Rule, ...]:
    """Return the rules of several files, from the cache if their contents are unchanged."""
    contents: list[str | bytes] = []
    for path in paths:
        contents += (path.stem, _read(path))
    cache = KeptTables("rules", ("core/grammar", "core/repairs"), contents)
    rows_by_file = cache.remember(lambda: [_rows_of(path) for path in paths])
    rules = []
    for path, rows in zip(paths, rows_by_file, strict=True):
        rules += [Rule.from_row(row, path) for row in rows]
    return tuple(rules)


def _rows_of(path: Path) -> list[dict[str, Any]]:
    """Return the rules of a file as JSON objects, for the cache."""
    rules = read_rules(path)
    return [rule.to_row() for rule in rules]


def read_rules(path: Path, content: bytes | None = None) -> tuple[Rule, ...]:
    """Read one file with a rule, or with several by `each`; a changed file is read again.

    Args:
        path: The file.
        content: Its content, if it was read before or is not saved yet.

    Raises:
        RuleError: The file cannot be read, or is invalid.
    """
    if content is None:
        content = _read(path)
    return _make_rules(path, content)


def _read(path: Path) -> bytes:
    try:
        return resources.read_bounded(path, MAX_BYTES)
    except OSError:
        return b""


@lru_cache(maxsize=512)
def _make_rules(path: Path, content: bytes) -> tuple[Rule, ...]:
    """Return the rules of a file: one for each row of `each`, or one."""
    # Without a content the file cannot be read, and `YamlFile` reports why.
    file = YamlFile(path, "rule", RuleError, limit=MAX_BYTES, data=content or None)
    verb = _find_verb(file)
    check_values(file)
    check_required(file)
    check_verb(file, verb)
    # Without `each`, one row that replaces nothing.
    rows = file.data.get("each", [{}])
    if not rows:
        message = "each: expected a mapping for every rule, which replaces each <name> in the file"
        raise file.fail(("each",), message)
    rules = {}
    for row in rows:
        data = _fill_row(file.data, row)
        rule = _make_rule(file, verb, data)
        rules[rule.id] = rule
    if len(rules) < len(rows):
        raise file.fail(("id",), "with `each`, the id needs a <name> that differs in every row")
    return tuple(rules.values())


def _find_verb(file: YamlFile) -> str:
    """Return the verb of a rule file, whose keys must all be known."""
    keys = file.data.keys()
    verbs = sorted(VERBS & keys)
    unknown = sorted(keys - _KEYS - VERBS)
    if unknown:
        key = unknown[0]
        expected = ", ".join(sorted(_KEYS | VERBS))
        raise file.fail_at_key((key,), f"unknown key {key!r}; known: {expected}")
    if not verbs:
        raise file.fail_at_key(("id",), "a rule has exactly one verb, this one has none")
    if len(verbs) > 1:
        raise file.fail_at_key((verbs[-1],), f"a rule has exactly one verb, this one has {verbs}")
    return verbs[0]


def _fill_row(value: Any, row: Mapping[str, Any]) -> Any:
    """Return a value with each `<name>` replaced that a row has, in all texts inside it."""
    if isinstance(value, str):
        return re.sub(ROW_NAME, lambda match: str(row.get(match[1], match[0])), value)
    if isinstance(value, dict):
        return {key: _fill_row(item, row) for key, item in value.items()}
    if isinstance(value, list):
        return [_fill_row(item, row) for item in value]
    return value


def _make_rule(file: YamlFile, verb: str, data: dict[str, Any]) -> Rule:
    summary = str(data.get("summary", ""))
    if not summary:
        summary = _summary(data["id"])
    if not summary:
        message = "the key 'summary' is missing, and no mistake of the recovery grammar has this id"
        raise file.fail(("id",), message)
    why = str(data["why"])
    return Rule(
        id=data["id"],
        phase=str(data["phase"]),
        path=Path(file.source.name),
        dialects=tuple(data.get("dialects", ())),
        # YAML may break a text into lines.
        summary=" ".join(summary.split()),
        why=" ".join(why.split()),
        touches=data.get("touches", "markup"),
        cost=float(data["cost"]),
        verb=verb,
        argument=data[verb],
        lines=roles_of(data),
        mistakes=tuple(data.get("mistakes", ())),
        weak=bool(data.get("weak", False)),
        without=tuple(data.get("without", ())),
        examples=tuple(_examples(file, data)),
    )


def _summary(id: str) -> str:
    """Return the sentence of the mistake that a rule is named after; empty without one."""
    dialect = load_dialect("v2")
    mistake = load_mistakes(dialect).get(id)
    if mistake is None:
        return ""
    return mistake.sentence


def _examples(file: YamlFile, data: dict[str, Any]) -> Iterator[Example]:
    # The first dialect that the rule serves, unless an example names another one.
    default = "v2"
    if data.get("dialects"):
        default = data["dialects"][0]
    for index, item in enumerate(data["examples"]):
        if {"before", "after"} - item.keys():
            keys = ("examples", str(index))
            raise file.fail(keys, "expected `before` and `after`")
        dialect = item.get("dialect", default)
        before = item["before"]
        after = item["after"]
        yield Example(dialect, before, after)
    for item in data["unchanged"]:
        text = item
        dialect = default
        if isinstance(item, dict):
            text = item["text"]
            dialect = item.get("dialect", default)
        yield Example(dialect, text, text)


def _check_for_dialect(rule: Rule, dialect: Dialect) -> None:
    """Compile a custom rule now, so that a mistake is reported before anything runs."""
    arguments = {"with": rule.argument}
    if isinstance(rule.argument, dict):
        arguments = rule.argument
    patterns: dict[str, Any] = {}
    for key in ("pattern", "unless"):
        if key in arguments:
            text = str(arguments[key])
            patterns[key] = compile_rule_pattern(text, dialect, rule)
    pattern: Any = patterns.get("pattern")
    changes_group = rule.verb in ("lowercase", "translate_words")
    if changes_group and not pattern.groups:
        raise rule.error(f"the pattern of {rule.verb} has no group: put ( ) around what it changes")
    words = arguments.get("words") or {}
    characters = arguments.get("characters") or {}
    for text in (*words, *words.values(), *characters.values()):
        _check_marks(rule, str(text), dialect)
    replacement = arguments.get("with")
    if isinstance(replacement, str):
        _check_replacement(rule, replacement, pattern, dialect)
    mistakes = _all_mistakes(dialect)
    for mistake in rule.mistakes:
        if mistake not in mistakes:
            raise rule.error(f"no recovery grammar has a mistake {mistake!r}")


def _check_marks(rule: Rule, text: str, dialect: Dialect) -> None:
    """Raise `RuleError` if a text has a placeholder for a mark that does not exist."""
    try:
        fill_text(text, dialect)
    except KeyError as error:
        mark = error.args[0]
        raise rule.error(f"no mark is called {{{mark}}}") from None


def _check_replacement(rule: Rule, replacement: str, pattern: Any, dialect: Dialect) -> None:
    """Raise `RuleError` if a replacement names a mark or a group that does not exist.

    It does so too for an escape that does not exist: the first line with a match would fail.
    """
    _check_marks(rule, replacement, dialect)
    group_count = 0
    if pattern is not None:
        group_count = pattern.groups
    groups = re.findall(r"\\(?:g<)?([0-9]+)", replacement)
    for group in groups:
        if int(group) > group_count:
            raise rule.error(f"the pattern has no group {group}, it has {group_count}")
    if pattern is None:
        return
    escape = _ODD_ESCAPE.search(replacement)
    if escape is not None:
        raise rule.error(
            f"the replacement has the escape {escape['escape']}: it may have \\1, \\g<name>, \\n, "
            "\\t, and \\\\ for a backslash"
        )
    names = re.findall(r"\\g<([^0-9>][^>]*)>", replacement)
    for name in names:
        if name not in pattern.groupindex:
            raise rule.error(f"the pattern has no group called {name!r}")


# A backslash that begins no escape, after escapes in pairs; with what follows it, for the message.
_ODD_ESCAPE = re.compile(r"(?<!\\)(?:\\\\)*(?P<escape>\\(?![\\nt1-9]|g<[^>]+>)(?:.|\Z))", re.DOTALL)


def _all_mistakes(dialect: Dialect) -> Collection[str]:
    """Return the mistakes of all installed recovery grammars and of a dialect's own.

    A rule may serve several dialects, so it may name mistakes that this one does not have.
    """
    mistakes: set[str] = set()
    for relative in (*map(load_dialect, dialects()), dialect):
        engine = load_engine(relative)
        mistakes.update(engine.mistakes)
    return mistakes
