"""Reading rules and rule sets from YAML: every mistake in a file is reported as file:line before anything runs."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any

from .. import resources
from ..errors import RuleError
from ..grammar import Dialect, load_dialect
from .rule import CONTENT_VERBS, LINE_VERBS, ROLES, SECTION_ROLES, STRUCTURE_VERBS, TEXT_VERBS, VERBS
from .rule import Example, Rule, fill_pattern

_KEYS = {"id", "phase", "dialects", "summary", "why", "touches", "cost", "lines", "mistakes", "weak", "examples", "unchanged"}
_TOUCHES = ("markup", "content", "everything")


def rulesets() -> tuple[str, ...]:
    """Give the names of the installed rule sets (each is that of the dialect of its name)."""
    folder = resources.find_folder("repair_rules") / "rulesets"
    return tuple(sorted(path.stem for path in folder.glob("*.yaml")))


def load_rules(dialect: Dialect, folders: Sequence[str | Path] = ()) -> tuple[Rule, ...]:
    """Give the rules for a dialect in running order, then the user's rules from further folders.

    A user's rule with the id of an installed one replaces it. Raises `RuleError` as file:line: reason.
    """
    return _load(dialect, tuple(str(folder) for folder in folders))


@lru_cache(maxsize=32)
def _load(dialect: Dialect, folders: tuple[str, ...]) -> tuple[Rule, ...]:
    rules = {rule.id: rule for rule in _installed(dialect)}
    for folder in folders:
        base = Path(folder)
        files = sorted(base.rglob("*.yaml")) + sorted(base.rglob("*.yml")) if base.is_dir() else [base]
        if not files:
            raise RuleError(f"{folder}: no rule (*.yaml) in this folder")
        for path in files:
            rule = read_rule(path)
            if rule.serves(dialect):
                _check_patterns(rule, dialect)
                rules[rule.id] = rule
    return tuple(rules.values())


def _installed(dialect: Dialect) -> list[Rule]:
    folder = resources.find_folder("repair_rules")
    listing = folder / "rulesets" / f"{dialect.name}.yaml"
    if not listing.is_file():
        same = dialect.marks["open"] == dialect.marks["close"]
        listing = folder / "rulesets" / ("v1.yaml" if same else "v2.yaml")
    data, lines = _read_yaml(listing)
    rules = []
    for phase, names in data.items():
        for name in names:
            found = list(folder.glob(f"*/{name}.yaml"))
            if len(found) != 1:
                raise RuleError(f"{listing}:{lines.get(phase, 1)}: no rule is called {name!r}")
            rules.append(read_rule(found[0]))
    return rules


def all_rules() -> tuple[Rule, ...]:
    """Give every installed rule, by id."""
    folder = resources.find_folder("repair_rules")
    files = (path for path in folder.glob("*/*.yaml") if path.parent.name != "rulesets")
    return tuple(read_rule(path) for path in sorted(files, key=lambda path: path.stem))


@lru_cache(maxsize=512)
def read_rule(path: Path) -> Rule:
    """Read and check one rule."""
    data, lines = _read_yaml(path)

    def fail(key: str, reason: str) -> RuleError:
        return RuleError(f"{path}:{lines.get(key, 1)}: {reason}")

    verbs = sorted(VERBS & data.keys())
    unknown = sorted(data.keys() - _KEYS - VERBS)
    if unknown:
        raise fail(unknown[0], f"unknown key {unknown[0]!r}; known: {', '.join(sorted(_KEYS | VERBS))}")
    if len(verbs) != 1:
        raise fail(verbs[-1] if verbs else "id", f"a rule has exactly one verb, this one has {verbs or 'none'}")
    for key in ("id", "phase", "summary", "why", "cost", "examples", "unchanged"):
        if key not in data:
            raise fail("id", f"the key {key!r} is missing")
    if data["id"] != path.stem:
        raise fail("id", f"the id {data['id']!r} is not the file's name {path.stem!r}")
    if data.get("touches", "markup") not in _TOUCHES:
        raise fail("touches", f"touches is one of {', '.join(_TOUCHES)}")
    if isinstance(data["cost"], bool) or not isinstance(data["cost"], int | float) or data["cost"] <= 0:
        raise fail("cost", "cost is a number above 0")
    verb = verbs[0]
    roles = data.get("lines", ())
    roles = SECTION_ROLES if roles == "all" else tuple(roles)
    if verb in LINE_VERBS and (not roles or set(roles) - set(ROLES)):
        raise fail("lines", f"`lines` names the roles that {verb} respells: all, or some of {', '.join(ROLES)}")
    if verb in STRUCTURE_VERBS and not data.get("mistakes"):
        raise fail(verb, f"`mistakes` names the mistakes of the recovery grammar that {verb} answers")
    if verb in TEXT_VERBS | CONTENT_VERBS and data.get("touches", "markup") == "markup":
        raise fail(verb, f"{verb} reaches beyond markup: declare `touches: content` or `touches: everything`")
    for key in ("examples", "unchanged"):
        if not isinstance(data[key], list) or not data[key]:
            raise fail(key, f"{key} is a list with at least one entry")
    return Rule(
        id=data["id"],
        phase=str(data["phase"]),
        path=path,
        dialects=tuple(data.get("dialects", ())),
        summary=" ".join(str(data["summary"]).split()),
        why=" ".join(str(data["why"]).split()),
        touches=data.get("touches", "markup"),
        cost=float(data["cost"]),
        verb=verb,
        argument=data[verb],
        lines=roles,
        mistakes=tuple(data.get("mistakes", ())),
        weak=bool(data.get("weak", False)),
        examples=tuple(_examples(data, fail)),
    )


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


def _check_patterns(rule: Rule, dialect: Dialect) -> None:
    """Compile a user's patterns now, so that a bad one is reported before anything runs."""
    from .engine import compile_pattern

    argument = rule.argument if isinstance(rule.argument, dict) else {}
    for key in ("pattern", "unless"):
        if key in argument:
            compile_pattern(str(argument[key]), dialect, rule)


def _read_yaml(path: Path) -> tuple[dict[str, Any], dict[str, int]]:
    """Read a YAML mapping and the line of each of its keys."""
    import yaml

    try:
        text = path.read_text(encoding="utf-8")
        node = yaml.compose(text, Loader=yaml.SafeLoader)
        data = yaml.safe_load(text)
    except (OSError, UnicodeDecodeError) as error:
        raise RuleError(f"{path}:1: the file cannot be read: {error}") from error
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        reason = getattr(error, "problem", None) or str(error)
        raise RuleError(f"{path}:{mark.line + 1 if mark else 1}: not YAML: {reason}") from error
    if not isinstance(data, dict) or not isinstance(node, yaml.MappingNode):
        raise RuleError(f"{path}:1: a mapping is expected")
    return data, {key.value: key.start_mark.line + 1 for key, _ in node.value}


__all__ = ["all_rules", "fill_pattern", "load_dialect", "load_rules", "read_rule", "rulesets"]
