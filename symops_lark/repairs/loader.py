"""Reading rules and rule sets from YAML: every mistake in a file is reported as file:line before anything runs."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any

from .. import resources
from ..errors import RuleError
from ..grammar.dialect import Dialect
from ..grammar.loading import dialects, load_dialect
from ..grammar.mistakes import load_mistakes
from ..recovery.engines import load_engine
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

_REQUIRED = ("id", "phase", "why", "cost", "examples", "unchanged")
_KEYS = {*_REQUIRED, "summary", "dialects", "touches", "lines", "mistakes", "weak", "without"}
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
    """Give the names of the installed rule sets (each is that of the dialect of its name)."""
    folder = resources.find_folder("repair_rules") / "rulesets"
    return tuple(sorted(path.stem for path in folder.glob("*.yaml")))


def load_rules(dialect: Dialect, folders: Sequence[str | Path] = ()) -> tuple[Rule, ...]:
    """Give the rules for a dialect in running order, then the user's rules from further folders.

    A user's rule with the id of an installed one replaces it. Raises `RuleError` as file:line: reason.
    """
    if not folders:
        return _installed(dialect)
    rules = {rule.id: rule for rule in _installed(dialect)}
    for folder in folders:
        base = Path(folder)
        files = sorted(base.rglob("*.yaml")) + sorted(base.rglob("*.yml")) if base.is_dir() else [base]
        if not files:
            raise RuleError(f"{folder}: no rule (*.yaml) in this folder")
        for path in files:
            rule = read_rule(path)
            if rule.serves(dialect):
                _check(rule, dialect)
                rules[rule.id] = rule
    return tuple(rules.values())


@lru_cache(maxsize=32)
def _installed(dialect: Dialect) -> tuple[Rule, ...]:
    folder = resources.find_folder("repair_rules")
    listing = folder / "rulesets" / f"{dialect.name}.yaml"
    if not listing.is_file():
        listing = folder / "rulesets" / f"{dialect.family}.yaml"
    data, lines = _read_yaml(listing)
    rules = []
    for phase, names in data.items():
        for name in names:
            found = list(folder.glob(f"*/{name}.yaml"))
            if len(found) != 1:
                raise RuleError(f"{listing}:{lines.get(phase, 1)}: no rule is called {name!r}")
            rules.append(read_rule(found[0]))
    return tuple(rules)


def all_rules() -> tuple[Rule, ...]:
    """Give every installed rule, by id."""
    folder = resources.find_folder("repair_rules")
    files = (path for path in folder.glob("*/*.yaml") if path.parent.name != "rulesets")
    return tuple(read_rule(path) for path in sorted(files, key=lambda path: path.stem))


def read_rule(path: Path) -> Rule:
    """Read and check one rule; a file that has changed is read again."""
    return _make_rule(path, _read_text(path))


@lru_cache(maxsize=512)
def _make_rule(path: Path, text: str) -> Rule:
    data, lines = _parse_yaml(path, text)

    def fail(key: str, reason: str) -> RuleError:
        return RuleError(f"{path}:{lines.get(key, 1)}: {reason}")

    verbs = sorted(VERBS & data.keys())
    unknown = sorted(data.keys() - _KEYS - VERBS)
    if unknown:
        raise fail(unknown[0], f"unknown key {unknown[0]!r}; known: {', '.join(sorted(_KEYS | VERBS))}")
    if len(verbs) != 1:
        raise fail(verbs[-1] if verbs else "id", f"a rule has exactly one verb, this one has {verbs or 'none'}")
    for key in _REQUIRED:
        if key not in data:
            raise fail("id", f"the key {key!r} is missing")
    if data["id"] != path.stem:
        raise fail("id", f"the id {data['id']!r} is not the file's name {path.stem!r}")
    if data.get("touches", "markup") not in _TOUCHES:
        raise fail("touches", f"touches is one of {', '.join(_TOUCHES)}")
    if isinstance(data["cost"], bool) or not isinstance(data["cost"], int | float) or data["cost"] <= 0:
        raise fail("cost", "cost is a number above 0")
    summary = str(data.get("summary", "")) or _summary(data["id"])
    if not summary:
        raise fail("id", "the key 'summary' is missing, and no mistake of the recovery grammar has this id")
    verb = verbs[0]
    roles = data.get("lines", ())
    roles = SECTION_ROLES if roles == "all" else tuple(roles)
    if verb in LINE_VERBS and (not roles or set(roles) - set(ROLES)):
        raise fail("lines", f"`lines` names the roles that {verb} respells: all, or some of {', '.join(ROLES)}")
    if verb in STRUCTURE_VERBS and not data.get("mistakes"):
        raise fail(verb, f"`mistakes` names the mistakes of the recovery grammar that {verb} answers")
    if verb in TEXT_VERBS | CONTENT_VERBS and data.get("touches", "markup") == "markup":
        raise fail(verb, f"{verb} reaches beyond markup: declare `touches: content` or `touches: everything`")
    wanted = _ARGUMENTS.get(verb, ())
    if wanted and (not isinstance(data[verb], dict) or set(wanted) - data[verb].keys()):
        raise fail(verb, f"{verb} wants {' and '.join(f'`{key}`' for key in wanted)} below it")
    for key in ("examples", "unchanged"):
        if not isinstance(data[key], list) or not data[key]:
            raise fail(key, f"{key} is a list with at least one entry")
    return Rule(
        id=data["id"],
        phase=str(data["phase"]),
        path=path,
        dialects=tuple(data.get("dialects", ())),
        summary=" ".join(summary.split()),
        why=" ".join(str(data["why"]).split()),
        touches=data.get("touches", "markup"),
        cost=float(data["cost"]),
        verb=verb,
        argument=data[verb],
        lines=roles,
        mistakes=tuple(data.get("mistakes", ())),
        weak=bool(data.get("weak", False)),
        without=tuple(data.get("without", ())),
        line=lines.get(verb, 1),
        examples=tuple(_examples(data, fail)),
    )


def _summary(id: str) -> str:
    """What the recovery grammar says of the mistake that a rule is named after; nothing if it is none of its own."""
    mistake = load_mistakes(load_dialect("v2")).get(id)
    return mistake.sentence if mistake else ""


def _examples(data: dict[str, Any], fail: Any) -> list[Example]:
    default = (data.get("dialects") or ["v2"])[0]
    out = []
    for item in data["examples"]:
        if not isinstance(item, dict) or {"before", "after"} - item.keys():
            raise fail("examples", "an example has `before` and `after`")
        out.append(Example(item.get("dialect", default), item["before"], item["after"]))
    for item in data["unchanged"]:
        text, dialect = (item["text"], item.get("dialect", default)) if isinstance(item, dict) else (item, default)
        out.append(Example(dialect, text, text))
    return out


def _check(rule: Rule, dialect: Dialect) -> None:
    """Try a user's patterns and replacements now, so that a bad one is reported before anything runs."""
    named = rule.argument if isinstance(rule.argument, dict) else {"with": rule.argument}
    patterns = {
        key: compile_rule_pattern(str(named[key]), dialect, rule) for key in ("pattern", "unless") if key in named
    }
    replacement = named.get("with")
    if isinstance(replacement, str):
        try:
            fill_text(replacement, dialect)
        except KeyError as error:
            raise RuleError(f"{rule.path}:{rule.line}: no mark is called {{{error.args[0]}}}") from None
        groups = patterns["pattern"].groups if "pattern" in patterns else 0
        for group in re.findall(r"\\(?:g<)?([0-9]+)", replacement):
            if int(group) > groups:
                raise RuleError(f"{rule.path}:{rule.line}: the pattern has no group {group}, it has {groups}")
    relatives = [*map(load_dialect, dialects()), dialect]
    known = {name for other in relatives for name in load_engine(other).mistakes}
    for mistake in rule.mistakes:
        if mistake not in known:
            raise RuleError(f"{rule.path}:{rule.line}: no recovery grammar has a mistake {mistake!r}")


def _read_text(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise RuleError(f"{path}:1: the file cannot be read: {error}") from error


def _read_yaml(path: Path) -> tuple[dict[str, Any], dict[str, int]]:
    return _parse_yaml(path, _read_text(path))


def _parse_yaml(path: Path, text: str) -> tuple[dict[str, Any], dict[str, int]]:
    """Read a YAML mapping and the line of each of its keys."""
    import yaml

    try:
        node = yaml.compose(text, Loader=yaml.SafeLoader)
        data = yaml.safe_load(text)
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        reason = getattr(error, "problem", None) or str(error)
        raise RuleError(f"{path}:{mark.line + 1 if mark else 1}: not YAML: {reason}") from error
    if not isinstance(data, dict) or not isinstance(node, yaml.MappingNode):
        raise RuleError(f"{path}:1: a mapping is expected")
    return data, {key.value: key.start_mark.line + 1 for key, _ in node.value}
