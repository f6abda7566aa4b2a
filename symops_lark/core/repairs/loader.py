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
from .rule import (
    CONTENT_VERBS,
    LINE_VERBS,
    ROLES,
    SECTION_ROLES,
    STRUCTURE_VERBS,
    TEXT_VERBS,
    VERBS,
    Example,
    Rule,
    fill_text,
)
from .rule_values import check_values
from .wrappers import WRAPPERS

MAX_BYTES = 1_000_000  # of a rule file; the largest installed one has about 5,000

_REQUIRED = ("id", "phase", "why", "cost", "examples", "unchanged")
_OPTIONAL = ("summary", "dialects", "touches", "each", "lines", "mistakes", "weak", "without")
_KEYS = frozenset((*_REQUIRED, *_OPTIONAL))
_NAME = r"<(\w+)>"  # a name that a row of `each` replaces
_TOUCHES = ("markup", "content", "everything")
_ARGUMENTS: dict[str, tuple[str, ...]] = {  # the keys that a verb needs
    "replace": ("pattern", "with"),
    "replace_all": ("pattern", "with"),
    "replace_text": ("pattern", "with"),
    "lowercase": ("pattern",),
    "translate_words": ("pattern", "words"),
    "translate_characters": ("characters",),
}


def rulesets() -> tuple[str, ...]:
    """Return the names of the installed rule sets; each is for the dialect of its name."""
    folder = resources.find_folder("repair_rules") / "rulesets"
    return tuple(sorted(path.stem for path in folder.glob("*.yaml")))


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
            files = sorted(base.rglob("*.yaml")) + sorted(base.rglob("*.yml"))
        if not files:
            reason = "no rule (*.yaml) is in this folder or below"
            hint = "repair_rules/README.md shows how to write one"
            raise RuleError(f"{folder}: {reason}; {hint}")
        for rule in _read_all(files):
            if rule.serves(dialect):
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
    cache = KeptTables("ruleset", (), [_read(listing)])
    phases = cache.remember(lambda: YamlFile(listing, "rule set", RuleError).data)
    by_file = _by_file()
    rules: list[Rule] = []
    for phase, names in phases.items():
        for index, name in enumerate(names):
            if name not in by_file:
                file = YamlFile(listing, "rule set", RuleError)
                raise file.fail((phase, str(index)), f"no rule is called {name!r}")
            rules += by_file[name]
    return tuple(rules)


@lru_cache(maxsize=1)
def _by_file() -> dict[str, list[Rule]]:
    """Return the installed rules by the names of their files, which are unique."""
    folder = str(resources.find_folder("repair_rules"))
    paths: list[Path] = []
    # `os` instead of `pathlib`: this runs at every start.
    with os.scandir(folder) as entries:
        kinds = sorted(entry.path for entry in entries if entry.is_dir())
    for kind in kinds:
        if os.path.basename(kind) == "rulesets":
            continue
        names = sorted(name for name in os.listdir(kind) if name.endswith(".yaml"))
        paths += [Path(kind, name) for name in names]
    by_file: dict[str, list[Rule]] = {}
    for rule in _read_all(paths):
        by_file.setdefault(rule.path.stem, []).append(rule)
    return by_file


def all_rules() -> tuple[Rule, ...]:
    """Return every installed rule, sorted by id."""
    rules: list[Rule] = []
    for rules_of_file in _by_file().values():
        rules += rules_of_file
    return tuple(sorted(rules, key=lambda rule: rule.id))


def _read_all(paths: Sequence[Path]) -> tuple[Rule, ...]:
    """Return the rules of several files, from the cache if their contents are unchanged."""
    contents: list[str | bytes] = []
    for path in paths:
        contents += (path.stem, _read(path))
    cache = KeptTables("rules", ("core/grammar", "core/repairs"), contents)
    rows_by_file = cache.remember(
        lambda: [[rule.to_row() for rule in read_rules(path)] for path in paths]
    )
    rules: list[Rule] = []
    for path, rows in zip(paths, rows_by_file, strict=True):
        rules += [Rule.from_row(row, path) for row in rows]
    return tuple(rules)


def read_rules(path: Path) -> tuple[Rule, ...]:
    """Read one file with a rule, or with several by `each`; a changed file is read again.

    Raises:
        RuleError: The file cannot be read, or is invalid.
    """
    return _make_rules(path, _read(path))


def _read(path: Path) -> bytes:
    try:
        return resources.read_bounded(path, MAX_BYTES)
    except OSError:
        return b""  # `YamlFile` reports why it cannot be read


@lru_cache(maxsize=512)
def _make_rules(path: Path, content: bytes) -> tuple[Rule, ...]:
    """Return the rules of a file: one for each row of `each`, or one.

    `content` is only the key of the cache: `YamlFile` reads the file again.
    """
    file = YamlFile(path, "rule", RuleError, limit=MAX_BYTES)
    verb = _find_verb(file)
    check_values(file)
    _check_required(file)
    _check_verb(file, verb)
    # Without `each`, one row that replaces nothing.
    rows = file.data.get("each", [{}])
    if not rows:
        message = "each: expected a mapping for every rule, which replaces each <name> in the file"
        raise file.fail(("each",), message)
    rules = [_make_rule(file, verb, _fill_row(file.data, row)) for row in rows]
    if len({rule.id for rule in rules}) < len(rules):
        raise file.fail(("id",), "with `each`, the id needs a <name> that differs in every row")
    return tuple(rules)


def _find_verb(file: YamlFile) -> str:
    """Return the verb of a rule file, whose keys must all be known."""
    verbs = sorted(VERBS & file.data.keys())
    unknown = sorted(file.data.keys() - _KEYS - VERBS)
    if unknown:
        expected = ", ".join(sorted(_KEYS | VERBS))
        raise file.fail_at_key((unknown[0],), f"unknown key {unknown[0]!r}; known: {expected}")
    if len(verbs) != 1:
        place = verbs[-1] if verbs else "id"
        message = f"a rule has exactly one verb, this one has {verbs or 'none'}"
        raise file.fail_at_key((place,), message)
    return verbs[0]


def _check_required(file: YamlFile) -> None:
    """Raise `RuleError` for mistakes in keys that all verbs have."""
    data = file.data
    for key in _REQUIRED:
        if key not in data:
            raise file.fail_at_key(("id",), f"the key {key!r} is missing")
    if re.sub(_NAME, r"\1", str(data["id"])) != file.name:
        message = f"the id {data['id']!r} is not the file's name {file.name!r}"
        raise file.fail(("id",), message)
    if data.get("touches", "markup") not in _TOUCHES:
        raise file.fail(("touches",), f"touches: expected one of {', '.join(_TOUCHES)}")
    if data["cost"] <= 0:
        raise file.fail(("cost",), "cost: expected a number above 0")
    for key in ("examples", "unchanged"):
        if not isinstance(data[key], list) or not data[key]:
            raise file.fail((key,), f"{key}: expected a list with at least one entry")


def _check_verb(file: YamlFile, verb: str) -> None:
    """Raise `RuleError` where a verb lacks a key that it needs."""
    data = file.data
    roles = _roles(data)
    if verb in LINE_VERBS and (not roles or set(roles) - set(ROLES)):
        choices = ", ".join(ROLES)
        message = f"{verb} needs `lines` (the roles of its lines): `all`, or some of {choices}"
        raise file.fail(("lines",), message)
    if verb in STRUCTURE_VERBS and not data.get("mistakes"):
        message = f"{verb} needs `mistakes` (mistakes of a recovery grammar) that it answers"
        raise file.fail((verb,), message)
    touches = data.get("touches", "markup")
    if verb in TEXT_VERBS | CONTENT_VERBS and touches == "markup":
        declare = "declare `touches: content` or `touches: everything`"
        raise file.fail((verb,), f"{verb} changes more than markup: {declare}")
    if verb == "unwrap_text" and data[verb] not in WRAPPERS:
        choices = ", ".join(sorted(WRAPPERS))
        raise file.fail((verb,), f"unwrap_text: expected one of {choices}")
    needed = _ARGUMENTS.get(verb, ())
    if needed and set(needed) - data[verb].keys():
        keys = " and ".join(f"`{key}`" for key in needed)
        raise file.fail((verb,), f"{verb} needs {keys}")


def _roles(data: dict[str, Any]) -> tuple[str, ...]:
    roles = data.get("lines", ())
    return SECTION_ROLES if roles == "all" else tuple(roles)


def _fill_row(value: Any, row: Mapping[str, Any]) -> Any:
    """Return a value with each `<name>` replaced that a row has, in all texts inside it."""
    if isinstance(value, str):
        return re.sub(_NAME, lambda match: str(row.get(match[1], match[0])), value)
    if isinstance(value, dict):
        return {key: _fill_row(item, row) for key, item in value.items()}
    if isinstance(value, list):
        return [_fill_row(item, row) for item in value]
    return value


def _make_rule(file: YamlFile, verb: str, data: dict[str, Any]) -> Rule:
    summary = str(data.get("summary", "")) or _summary(data["id"])
    if not summary:
        message = "the key 'summary' is missing, and no mistake of the recovery grammar has this id"
        raise file.fail(("id",), message)
    return Rule(
        id=data["id"],
        phase=str(data["phase"]),
        path=Path(file.source.name),
        dialects=tuple(data.get("dialects", ())),
        summary=" ".join(summary.split()),
        why=" ".join(str(data["why"]).split()),
        touches=data.get("touches", "markup"),
        cost=float(data["cost"]),
        verb=verb,
        argument=data[verb],
        lines=_roles(data),
        mistakes=tuple(data.get("mistakes", ())),
        weak=bool(data.get("weak", False)),
        without=tuple(data.get("without", ())),
        examples=tuple(_examples(file, data)),
    )


def _summary(id: str) -> str:
    """Return the sentence of the mistake that a rule is named after; empty without one."""
    mistake = load_mistakes(load_dialect("v2")).get(id)
    return mistake.sentence if mistake else ""


def _examples(file: YamlFile, data: dict[str, Any]) -> Iterator[Example]:
    # The first dialect that the rule serves, unless an example names another one.
    default = (data.get("dialects") or ["v2"])[0]
    for index, item in enumerate(data["examples"]):
        if {"before", "after"} - item.keys():
            raise file.fail(("examples", str(index)), "expected `before` and `after`")
        yield Example(item.get("dialect", default), item["before"], item["after"])
    for item in data["unchanged"]:
        text = item["text"] if isinstance(item, dict) else item
        dialect = item.get("dialect", default) if isinstance(item, dict) else default
        yield Example(dialect, text, text)


def _check_for_dialect(rule: Rule, dialect: Dialect) -> None:
    """Compile a custom rule now, so that a mistake is reported before anything runs."""
    arguments = {"with": rule.argument}
    if isinstance(rule.argument, dict):
        arguments = rule.argument
    patterns: dict[str, Any] = {}
    for key in ("pattern", "unless"):
        if key in arguments:
            patterns[key] = compile_rule_pattern(str(arguments[key]), dialect, rule)
    pattern: Any = patterns.get("pattern")
    if rule.verb in ("lowercase", "translate_words") and not pattern.groups:
        reason = f"the pattern of {rule.verb} has no group: put ( ) around what it changes"
        raise rule.error(reason)
    replacement = arguments.get("with")
    if isinstance(replacement, str):
        _check_replacement(rule, replacement, pattern, dialect)
    mistakes = _all_mistakes(dialect)
    for mistake in rule.mistakes:
        if mistake not in mistakes:
            raise rule.error(f"no recovery grammar has a mistake {mistake!r}")


def _check_replacement(rule: Rule, replacement: str, pattern: Any, dialect: Dialect) -> None:
    """Raise `RuleError` if a replacement names a mark or a group that does not exist."""
    try:
        fill_text(replacement, dialect)
    except KeyError as error:
        raise rule.error(f"no mark is called {{{error.args[0]}}}") from None
    group_count = pattern.groups if pattern is not None else 0
    for group in re.findall(r"\\(?:g<)?([0-9]+)", replacement):
        if int(group) > group_count:
            raise rule.error(f"the pattern has no group {group}, it has {group_count}")
    if pattern is None:
        return
    for name in re.findall(r"\\g<([^0-9>][^>]*)>", replacement):
        if name not in pattern.groupindex:
            raise rule.error(f"the pattern has no group called {name!r}")


def _all_mistakes(dialect: Dialect) -> Collection[str]:
    """Return the mistakes of all installed recovery grammars and of a dialect's own.

    A rule may serve several dialects, so it may name mistakes that this one does not have.
    """
    mistakes: set[str] = set()
    for relative in (*map(load_dialect, dialects()), dialect):
        mistakes.update(load_engine(relative).mistakes)
    return mistakes
