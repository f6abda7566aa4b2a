"""Reading rules and rule sets from YAML: every mistake in a file is shown, with its place, before anything runs."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping, Sequence
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
from .line_repairer import compile_rule_pattern
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

MOST_BYTES = 1_000_000

_REQUIRED = ("id", "phase", "why", "cost", "examples", "unchanged")
_KEYS = {*_REQUIRED, "summary", "dialects", "touches", "each", "lines", "mistakes", "weak", "without"}
_NAME = r"<(\w+)>"  # what `each` fills
_TOUCHES = ("markup", "content", "everything")
_ARGUMENTS: dict[str, tuple[str, ...]] = {
    "replace": ("pattern", "with"),
    "replace_all": ("pattern", "with"),
    "replace_text": ("pattern", "with"),
    "lowercase": ("pattern",),
    "translate_words": ("pattern", "words"),
    "translate_characters": ("characters",),
}


def rulesets() -> tuple[str, ...]:
    """Return the names of the installed rule sets (each is that of the dialect of its name)."""
    folder = resources.find_folder("repair_rules") / "rulesets"
    return tuple(sorted(path.stem for path in folder.glob("*.yaml")))


def load_rules(dialect: Dialect, folders: Sequence[str | Path] = ()) -> tuple[Rule, ...]:
    """Return the rules for a dialect in running order, then the user's rules from further folders.

    A user's rule with the id of an installed one replaces it. Raises `RuleError` as
    `file:line:column` with the line and the reason.
    """
    if not folders:
        return _installed(dialect)
    rules = {rule.id: rule for rule in _installed(dialect)}
    for folder in folders:
        base = Path(folder)
        files = sorted(base.rglob("*.yaml")) + sorted(base.rglob("*.yml")) if base.is_dir() else [base]
        if not base.exists():
            raise RuleError(
                f"{folder}: there is no such folder or file; name a folder with rules (*.yaml), or one rule"
            )
        if not files:
            raise RuleError(
                f"{folder}: no rule (*.yaml) is in this folder or below; repair_rules/README.md says how to write one"
            )
        for rule in _read_all(files):
            if rule.serves(dialect):
                _check(rule, dialect)
                rules[rule.id] = rule
    return tuple(rules.values())


@lru_cache(maxsize=32)
def _installed(dialect: Dialect) -> tuple[Rule, ...]:
    if (frozen := dialect.frozen("repairs")) is not None:
        return tuple(map(Rule.from_data, frozen))
    folder = resources.find_folder("repair_rules")
    listing = folder / "rulesets" / f"{dialect.name}.yaml"
    if not listing.is_file():
        listing = folder / "rulesets" / f"{dialect.family}.yaml"
    kept = KeptTables("ruleset", (), [_read(listing)])
    phases = kept.remember(lambda: YamlFile(listing, "rule set", RuleError).data)
    rules: list[Rule] = []
    for phase, names in phases.items():
        for index, name in enumerate(names):
            if name not in (known := _by_file()):
                raise YamlFile(listing, "rule set", RuleError).fail((phase, str(index)), f"no rule is called {name!r}")
            rules += known[name]
    return tuple(rules)


@lru_cache(maxsize=1)
def _by_file() -> dict[str, list[Rule]]:
    """Return the installed rules by the names of their files, which are those of no two."""
    folder = str(resources.find_folder("repair_rules"))
    kinds = sorted(entry.path for entry in os.scandir(folder) if entry.is_dir() and entry.name != "rulesets")
    paths = [Path(kind, name) for kind in kinds for name in sorted(os.listdir(kind)) if name.endswith(".yaml")]
    found: dict[str, list[Rule]] = {}
    for rule in _read_all(paths):
        found.setdefault(rule.path.stem, []).append(rule)
    return found


def all_rules() -> tuple[Rule, ...]:
    """Return every installed rule, by id."""
    return tuple(sorted((rule for several in _by_file().values() for rule in several), key=lambda rule: rule.id))


def _read_all(paths: Sequence[Path]) -> tuple[Rule, ...]:
    """Return the rules of several files, from the cache or read."""
    contents = [part for path in paths for part in (path.stem, _read(path))]
    kept = KeptTables("rules", ("core/grammar", "core/repairs"), contents)
    rows = kept.remember(lambda: [[rule.to_row() for rule in read_rules(path)] for path in paths])
    return tuple(Rule.from_row(row, path) for path, several in zip(paths, rows, strict=True) for row in several)


def read_rules(path: Path) -> tuple[Rule, ...]:
    """Return the rules of one file, checked; a file that has changed is read again."""
    return _make_rules(path, _read(path))


def _read(path: Path) -> bytes:
    try:
        return resources.read_bounded(path, MOST_BYTES)
    except OSError:
        return b""  # `YamlFile` says why it cannot be read


@lru_cache(maxsize=512)
def _make_rules(path: Path, content: bytes) -> tuple[Rule, ...]:
    """Return the rules of a file with a content: one for each row of `each`, or one."""
    file = YamlFile(path, "rule", RuleError, limit=MOST_BYTES)
    verb = _find_verb(file)
    check_values(file)
    _check_values(file)
    _check_verb(file, verb)
    rows = file.data.get("each", [{}])
    if not rows:
        raise file.fail(("each",), "each is a list with a mapping for every rule: what a <name> stands for in it")
    rules = tuple(_make_rule(file, verb, _fill_row(file.data, row)) for row in rows)
    if len({rule.id for rule in rules}) < len(rules):
        raise file.fail(("id",), "with `each`, the id has a <name> that differs in every row")
    return rules


def _find_verb(file: YamlFile) -> str:
    verbs = sorted(VERBS & file.data.keys())
    unknown = sorted(file.data.keys() - _KEYS - VERBS)
    if unknown:
        known = ", ".join(sorted(_KEYS | VERBS))
        raise file.fail_at_key((unknown[0],), f"unknown key {unknown[0]!r}; known: {known}")
    if len(verbs) != 1:
        place = verbs[-1] if verbs else "id"
        raise file.fail_at_key((place,), f"a rule has exactly one verb, this one has {verbs or 'none'}")
    return verbs[0]


def _check_values(file: YamlFile) -> None:
    """Raise `RuleError` for what is wrong whatever the verb."""
    data = file.data
    for key in _REQUIRED:
        if key not in data:
            raise file.fail_at_key(("id",), f"the key {key!r} is missing")
    if re.sub(_NAME, r"\1", str(data["id"])) != file.name:
        raise file.fail(("id",), f"the id {data['id']!r} is not the file's name {file.name!r}")
    if data.get("touches", "markup") not in _TOUCHES:
        raise file.fail(("touches",), f"touches is one of {', '.join(_TOUCHES)}")
    if data["cost"] <= 0:
        raise file.fail(("cost",), "cost is a number above 0")
    for key in ("examples", "unchanged"):
        if not isinstance(data[key], list) or not data[key]:
            raise file.fail((key,), f"{key} is a list with at least one entry")


def _check_verb(file: YamlFile, verb: str) -> None:
    """Raise `RuleError` where a verb lacks what it needs."""
    data, roles = file.data, _roles(file.data)
    if verb in LINE_VERBS and (not roles or set(roles) - set(ROLES)):
        raise file.fail(("lines",), f"`lines` names the roles that {verb} respells: all, or some of {', '.join(ROLES)}")
    if verb in STRUCTURE_VERBS and not data.get("mistakes"):
        raise file.fail((verb,), f"`mistakes` names the mistakes of the recovery grammar that {verb} answers")
    if verb in TEXT_VERBS | CONTENT_VERBS and data.get("touches", "markup") == "markup":
        message = f"{verb} reaches beyond markup: declare `touches: content` or `touches: everything`"
        raise file.fail((verb,), message)
    if verb == "unwrap_text" and data[verb] not in WRAPPERS:
        raise file.fail((verb,), f"unwrap_text is one of {', '.join(sorted(WRAPPERS))}")
    wanted = _ARGUMENTS.get(verb, ())
    if wanted and set(wanted) - data[verb].keys():
        raise file.fail((verb,), f"{verb} wants {' and '.join(f'`{key}`' for key in wanted)} below it")


def _roles(data: dict[str, Any]) -> tuple[str, ...]:
    roles = data.get("lines", ())
    return SECTION_ROLES if roles == "all" else tuple(roles)


def _fill_row(value: Any, row: Mapping[str, Any]) -> Any:
    """Return a value with what a row says in place of each `<name>` that the row knows."""
    if isinstance(value, str):
        return re.sub(_NAME, lambda match: str(row.get(match[1], match[0])), value)
    if isinstance(value, dict):
        return {key: _fill_row(item, row) for key, item in value.items()}
    return [_fill_row(item, row) for item in value] if isinstance(value, list) else value


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
    """Return what the recovery grammar says of the mistake that a rule is named after; nothing if it is none."""
    mistake = load_mistakes(load_dialect("v2")).get(id)
    return mistake.sentence if mistake else ""


def _examples(file: YamlFile, data: dict[str, Any]) -> Iterator[Example]:
    default = (data.get("dialects") or ["v2"])[0]
    for index, item in enumerate(data["examples"]):
        if {"before", "after"} - item.keys():
            raise file.fail(("examples", str(index)), "an example has `before` and `after`")
        yield Example(item.get("dialect", default), item["before"], item["after"])
    for item in data["unchanged"]:
        text, dialect = (item["text"], item.get("dialect", default)) if isinstance(item, dict) else (item, default)
        yield Example(dialect, text, text)


def _check(rule: Rule, dialect: Dialect) -> None:
    """Try a user's patterns and replacements now, so that a bad one is reported before anything runs."""
    named = rule.argument if isinstance(rule.argument, dict) else {"with": rule.argument}
    patterns = {
        key: compile_rule_pattern(str(named[key]), dialect, rule) for key in ("pattern", "unless") if key in named
    }
    if rule.verb in ("lowercase", "translate_words") and not patterns["pattern"].groups:
        raise rule.error(f"the pattern of {rule.verb} has no group: put ( ) around what it changes")
    replacement = named.get("with")
    if isinstance(replacement, str):
        try:
            fill_text(replacement, dialect)
        except KeyError as error:
            raise rule.error(f"no mark is called {{{error.args[0]}}}") from None
        groups = patterns["pattern"].groups if "pattern" in patterns else 0
        for group in re.findall(r"\\(?:g<)?([0-9]+)", replacement):
            if int(group) > groups:
                raise rule.error(f"the pattern has no group {group}, it has {groups}")
        for name in re.findall(r"\\g<([^0-9>][^>]*)>", replacement) if "pattern" in patterns else ():
            if name not in patterns["pattern"].groupindex:
                raise rule.error(f"the pattern has no group called {name!r}")
    relatives = [*map(load_dialect, dialects()), dialect]
    known = {name for other in relatives for name in load_engine(other).mistakes}
    for mistake in rule.mistakes:
        if mistake not in known:
            raise rule.error(f"no recovery grammar has a mistake {mistake!r}")
