"""Compile what normalizes lines: each rule to a function, and the patterns that the rules need.

The patterns of rules run in RE2, whose time is linear in the line, so a custom rule cannot hang the
program. The patterns for longer delimiters and for numbers are built here from the dialect's marks,
so that no rule needs to know how long a delimiter is or whether actions have numbers.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cached_property
from typing import Any

from ..grammar.dialect import UNSAID, Dialect
from ..patterns.regexes import (
    LinearSet,
    Pattern,
    PatternError,
    compile_linear,
    compile_pattern,
    escape,
    substituter,
)
from .rule import Rule, fill_pattern, fill_template, fill_text

LineChange = Callable[[str], str]


class LinePatterns:
    """The patterns of the line rules of a dialect, compiled on first use.

    A process that reads one reply needs few of the rules, and no set for some dialects.
    """

    def __init__(self, dialect: Dialect, rules: Sequence[Rule]) -> None:
        """Prepare the rules; nothing is compiled.

        Args:
            dialect: The dialect, which gives the marks.
            rules: Its line rules in running order. A rule is named by its index.
        """
        self._dialect = dialect
        self._rules = rules
        self._changes: dict[int, LineChange] = {}
        self._closing_rules: list[int] = []
        for index, rule in enumerate(rules):
            if "close" in rule.lines:
                self._closing_rules.append(index)

    def compile_all(self) -> None:
        """Compile all rules.

        Raises:
            RuleError: The pattern of a rule cannot be used.
        """
        for index in range(len(self._rules)):
            self.change(index)

    def change(self, index: int) -> LineChange:
        """Return the function that applies a rule to a line."""
        change = self._changes.get(index)
        if change is None:
            change = compile_change(self._rules[index], self._dialect)
            self._changes[index] = change
        return change

    def closing_change(self, index: int) -> LineChange:
        """Return the function of a rule that `closing_triggers` names."""
        return self.change(self._closing_rules[index])

    @cached_property
    def triggers(self) -> LinearSet:
        """The set that finds the rules for a line in one pass."""
        return self._make_set(range(len(self._rules)))

    @cached_property
    def closing_triggers(self) -> LinearSet:
        """The same for the rules that may make a line close a block, by their order among them.

        Streams ask that of each line: a smaller set answers it.
        """
        return self._make_set(self._closing_rules)

    def _make_set(self, indexes: Sequence[int]) -> LinearSet:
        patterns = []
        for index in indexes:
            trigger = trigger_of(self._rules[index])
            pattern = fill_pattern(trigger, self._dialect)
            patterns.append(pattern)
        return LinearSet(patterns)


Fences = dict[str, tuple[tuple[Pattern, str], ...]]  # role → (pattern of longer ones, shortest)


def compile_rule_pattern(pattern: str, dialect: Dialect, rule: Rule) -> Any:
    """Compile a pattern of a rule for a dialect.

    Args:
        pattern: A pattern in the syntax of RE2 with placeholders for marks.
        dialect: The dialect, which gives the marks.
        rule: The rule, for errors.

    Raises:
        RuleError: A placeholder is unknown, or RE2 rejects the pattern.
    """
    try:
        return compile_linear(fill_pattern(pattern, dialect))
    except KeyError as error:
        name = error.args[0]
        raise rule.error(f"no placeholder is called {{{name}}}") from None
    except PatternError as error:
        hint = "RE2 syntax: no look-around, no backreferences"
        raise rule.error(f"the pattern cannot be used: {error} ({hint})") from None


def compile_key(rule: Rule, key: str, dialect: Dialect) -> Any:
    """Compile the pattern under a key of a rule's verb.

    Args:
        rule: The rule.
        key: `pattern` or `unless`.
        dialect: The dialect, which gives the marks.

    Returns:
        The compiled pattern; None if the rule has none under this key.
    """
    if not isinstance(rule.argument, dict):
        return None
    if key not in rule.argument:
        return None
    return compile_rule_pattern(rule.argument[key], dialect, rule)


def trigger_of(rule: Rule) -> str:
    """Return a pattern with placeholders; where it does not occur, the rule changes nothing."""
    if rule.verb != "translate_characters":
        return str(rule.argument["pattern"])
    signs = ""
    for character in rule.argument["characters"]:
        # These four have a meaning inside a class.
        if character in r"\]^-":
            signs += "\\"
        signs += character
    return f"[{signs}]"


def compile_change(rule: Rule, dialect: Dialect) -> LineChange:
    """Return the function that applies a rule of one line to a line.

    Raises:
        RuleError: The pattern of the rule cannot be used.
    """
    argument = rule.argument
    if rule.verb == "translate_characters":
        return _compile_characters(rule, dialect)
    template = str(argument["pattern"])
    pattern = compile_rule_pattern(template, dialect, rule)
    if rule.verb == "lowercase":
        return lambda line: _change_group(pattern, line, str.lower)
    if rule.verb == "translate_words":
        return _compile_words(rule, pattern, dialect)
    unfilled = str(argument["with"])
    replacement = fill_template(unfilled, dialect)
    max_count = 1
    if rule.verb == "replace_all":
        max_count = 0  # all matches
    return substituter(pattern, replacement, max_count)


def _compile_characters(rule: Rule, dialect: Dialect) -> LineChange:
    """Return a function that replaces characters by a table, everywhere or at the beginning."""
    # A character that the marks of the dialect consist of is not a mistake in it.
    all_marks = "".join(dialect.marks.values())
    own_characters = set(all_marks)
    characters = rule.argument["characters"]
    replacements = {}
    for character, replacement in characters.items():
        if character in own_characters:
            continue
        replacements[character] = fill_text(str(replacement), dialect)
    table = str.maketrans(replacements)
    if not rule.argument.get("leading"):
        return lambda line: line.translate(table)
    keys = set(replacements)

    def translate_leading(line: str) -> str:
        end = len(line)
        for index, character in enumerate(line):
            if character in keys or character.isspace():
                continue
            end = index
            break
        leading = line[:end]
        return leading.translate(table) + line[end:]

    return translate_leading


def _compile_words(rule: Rule, pattern: Any, dialect: Dialect) -> LineChange:
    """Return a function that replaces the first group by a table of words, in any letters."""
    plain: LineChange = str.lower
    if rule.argument.get("loose"):
        plain = _letters
    words = {}
    for word, replacement in rule.argument["words"].items():
        filled = fill_text(str(word), dialect)
        key = plain(filled)
        mark = fill_text(str(replacement), dialect)
        # A dialect may lack an optional mark: then its words are words of the text.
        if UNSAID not in filled + mark:
            words[key] = mark

    def translate_word(word: str) -> str:
        return words.get(plain(word), word)

    return lambda line: _change_group(pattern, line, translate_word)


def _letters(word: str) -> str:
    """Return only the letters and digits of a word, in lower case."""
    return "".join(filter(str.isalnum, word.lower()))


def _change_group(pattern: Any, line: str, change: LineChange) -> str:
    """Change the text that the first group of a pattern matches."""
    match = pattern.search(line)
    if not match:
        return line
    start = match.start(1)
    end = match.end(1)
    if start < 0:  # the group may have no part in the match
        return line
    changed = change(match[1])
    return line[:start] + changed + line[end:]


# ---- longer delimiters, numbers


def compile_fences(dialect: Dialect) -> Fences:
    """Return, by role, the patterns of the longer delimiters on its lines.

    A delimiter begins its line, perhaps after other signs. After an action or after a content it
    ends the line.

    Returns:
        By role, pairs of the pattern and the shortest delimiter.
    """
    opening = dialect.marks["open"]
    closing = dialect.marks["close"]
    open_first, open_last = _compile_longer(opening)
    close_first, close_last = _compile_longer(closing)
    # A line that closes a block may have its last line of content before the closer.
    return {
        "open": ((open_first, opening),),
        "close": ((close_last, closing), (close_first, closing)),
        "head": ((close_first, closing), (open_last, opening)),
    }


def _compile_longer(mark: str) -> tuple[Pattern, Pattern]:
    """Return patterns of a mark with one to five signs more, at the beginning and at the end.

    The signs are tight or separated by blanks. Groups: `before`, and `tight` or `spread`, the part
    that is the shortest mark.
    """
    # For a mark of three signs: matches four to eight of them in a row, "< < < <", and after up to
    # eight signs that no word contains. Does not match three of them, or nine.
    signs = [escape(sign) for sign in mark]
    first = signs[0]
    last = signs[-1]
    tight_mark = "".join(signs)
    spread_mark = "[ ]+".join(signs)
    tight = rf"(?P<tight>{tight_mark}){last}{{1,5}}"
    spread = rf"(?P<spread>{spread_mark})(?:[ ]+{last}){{1,5}}"
    # No sign may follow: a run that is longer is a rule or a drawing, not a delimiter.
    run = rf"(?:{tight}|{spread})(?![ ]*{last})"
    at_start = rf"\A(?P<before>[^\w{first}]{{0,8}}){run}"
    at_end = rf"(?P<before>(?<!{first})){run}[ \t\r]*\Z"
    return compile_pattern(at_start), compile_pattern(at_end)


def compile_number(dialect: Dialect) -> Pattern:
    """Return the pattern of an action's number with what comes before it.

    Groups: the signs before the number, which hold a sign of some action mark, and the number. The
    number of a list item or the closing delimiter of the block above may come first.
    """
    # Matches "1. $7 create" up to "create", "**$007 run" up to "run"; not "7 create", "$seven".
    signs = set(_ACTION_SIGNS)
    signs.update(dialect.marks["action"])
    joined = "".join(signs)
    sign_class = escape(joined)
    # A longer closer comes before one that it begins with.
    closers = sorted(map(escape, dialect.closers), key=len, reverse=True)
    alternatives = "|".join(closers)
    # "1. ", "(12) ", or a closer.
    listed = rf"(?:\(?[0-9]{{1,3}}[.)][ \t]+|{alternatives})?"
    mark = rf"[^\w\n]*[{sign_class}][^\w\n]*?[ \t]*"
    return compile_pattern(rf"({listed}{mark})([0-9]{{1,6}})[ \t]+(?=[A-Za-z])")


def write_number(text: str, number: str, mark: str) -> str:
    """Write the number of an action after its mark.

    Args:
        text: The normalized lines of a head; one of them begins with the mark.
        number: The digits of the number.
        mark: The mark of actions.
    """
    lines = text.split("\n")
    for index, line in enumerate(lines):
        if line.startswith(mark):
            verb = line[len(mark) :].lstrip()
            lines[index] = f"{mark}{number} {verb}"
            break
    return "\n".join(lines)


_ACTION_SIGNS = ":$：＄∷"  # signs of action marks of any dialect, and their full-width forms
