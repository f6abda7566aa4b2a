"""Rules of users in exported parsers: they do there what they do here, or the export is refused with their place."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from typing import Any

import pytest
import yaml
from command_line import run
from texts import texts_on_file

from benchmarks.exports._parsers import comparable, first_difference, node, ours, parser
from symops_lark import SymOpsProcessor, export
from symops_lark.core.grammar.loading import load_grammar
from symops_lark.core.patterns.pattern_syntax import spell_as_re
from symops_lark.core.patterns.regexes import compile_linear
from symops_lark.core.repairs.rule import VERBS
from symops_lark.exports import ExportError, javascript
from symops_lark.exports.bundle.patterns import spell_out, spell_template
from symops_lark.exports.own_rules import find_traps
from symops_lark.exports.standalone import regexes

HEAD = "::create @a.py\n<<<\nx = 1\n>>>\n"
# For each verb: what stands in the rule, and a text that the rule puts right and no installed one does.
EACH: dict[str, tuple[dict[str, Any], str]] = {
    "replace": (
        {"replace": {"pattern": r"^tool[ \t]+({verb})\b", "with": r"{action}\1"}, "lines": ["head"]},
        f"tool {HEAD[2:]}",
    ),
    "replace_all": ({"replace_all": {"pattern": "¤", "with": ""}, "lines": "all"}, HEAD.replace("create", "¤¤cre¤ate")),
    "lowercase": ({"lowercase": {"pattern": r"^{action}(CrEaTe¤)"}, "lines": ["head"]}, ""),
    "translate_words": (
        {
            "translate_words": {
                "pattern": r"^{action}(ŝreibi|kreu)\b",
                "words": {"ŝreibi": "create", "kreu": "create"},
            },
            "lines": ["head"],
        },
        HEAD.replace("create", "ŝreibi"),
    ),
    "translate_characters": (
        {"translate_characters": {"characters": {"⋮": ":", "ⓐ": "a"}}, "lines": "all"},
        HEAD.replace("::", "⋮⋮"),
    ),
    "write_line": ({"write_line": "{close}", "mistakes": ["missing-closer"]}, HEAD.replace(">>>\n", HEAD)),
    "insert_line": ({"insert_line": "{open}", "mistakes": ["missing-opener"]}, HEAD.replace("<<<\n", "")),
    "prefix_lines": ({"prefix_lines": "  ", "mistakes": ["wrapped-thought"]}, ""),
    "drop_lines": ({"drop_lines": True, "mistakes": ["prose"]}, f"Sure!\n{HEAD}"),
    "unwrap_fence": ({"unwrap_fence": True, "touches": "content"}, HEAD.replace("x = 1", "```py\nx = 1\n```")),
    "dedent": ({"dedent": True, "touches": "content"}, "  ::create @a.py\n  <<<\n  x = 1\n  >>>\n"),
    "replace_text": (
        {"replace_text": {"pattern": "(?m)^%%(.*)%%$", "with": r"\1", "unless": "never"}, "touches": "everything"},
        f"%%::run @ls%%\n{HEAD}",
    ),
    "unwrap_text": ({"unwrap_text": "colours", "touches": "everything"}, HEAD.replace("::", "\x1b[1m::\x1b[0m")),
}
# Patterns of RE2 that mean something else, or nothing, in `re` or in JavaScript, unless they are spelt anew.
PATTERNS = [
    r"\w+",
    r"\W",
    r"[^\W\d]+",
    r"[\S]+",
    r"\bé",
    r"\B.",
    r"\pL+",
    r"\p{Lu}",
    r"[^\PL]+",
    r"(?i)STRASSE|K",
    r"(?i:k)a",
    r"x$",
    r"(?m)y$",
    r"(?im)^Y",
    r"(?i)^(?:[α-ω]+|straße|[а-я]+)[ \t]+",
    r"(?i)σ|ß|ǆ|θ|[^а-я]",
    r"(?:x$)|(?m:y$)",
    r"(?s)a.b",
    r"\x{e9}",
    r"\Qa.b\E",
    r"[[:alpha:][:digit:]]+",
    r"(?P<n>a)(b)?",
    r"(?<n>a)b?",
    r"a{2,3}?",
    r"a{,2}",
    r"x*",
    r"\d+\z",
    r"[\]\[]",
    r"\A",
]
TEXTS = [
    "é1_x ÀB K Kk ſtrasse straSSe",
    "a.b\na\nb aab aaaa a{,2} [x]",
    "x\ny\nY 12\n3",
    "",
    "x",
    "a\u2028b\u0130 \u3042 ab y\r\nx",
    "СОЗДАТЬ run @ls",
    "ΑΒς run",
    "STRAẞE ς ẞ ǅ ϑ ϴ",
]


def write_rule(folder: Path, name: str, said: dict[str, Any]) -> None:
    rule = {
        "id": name,
        "phase": "symbols",
        "summary": f"What {name} says.",
        "why": "A test wants it.",
        "cost": 1,
        "examples": [{"before": "a", "after": "b"}],
        "unchanged": [HEAD],
        **said,
    }
    (folder / f"{name}.yaml").write_text(yaml.safe_dump(rule, allow_unicode=True), encoding="utf-8")


def test_each_verb_is_tried() -> None:
    assert EACH.keys() == VERBS


@pytest.mark.slow
@pytest.mark.parametrize("runtime", ["python", "javascript"])
def test_rules_of_users_do_the_same_in_exports(runtime: str, tmp_path: Path) -> None:
    folder, out = tmp_path / "rules", tmp_path / "out"
    folder.mkdir()
    out.mkdir()
    for verb, (key, _) in EACH.items():
        write_rule(folder, f"own-{verb.replace('_', '-')}", key)
    processor, plain = SymOpsProcessor("v2", rules=[folder]), SymOpsProcessor("v2")
    texts = [text for _, text in EACH.values() if text]
    texts += [*comparable(text for _, own, text in texts_on_file() if own == "v2" and len(text) < 2_000)][:60]
    different = 0
    with parser(runtime, "v2", out, [folder]) as exported:
        for text in texts:
            expected = ours(processor, text)
            different += expected != ours(plain, text)
            assert first_difference(expected, exported.process(text)) == "", text
    assert different > 3, "the rules do nothing"


NODE = """
const rows = JSON.parse(process.argv[2]).map(([pattern, template, texts]) => {
  const made = $compile_linear(pattern);
  return texts.map((text) => [made.sub(template, text), [...made.finditer(text)].map((found) => found.span())]);
});
console.log(JSON.stringify(rows));
"""


def found(compiled: Any, template: str) -> list[list[Any]]:
    return [[compiled.sub(template, text), [[*match.span()] for match in compiled.finditer(text)]] for text in TEXTS]


@pytest.mark.slow
def test_patterns_mean_the_same_in_exports(tmp_path: Path) -> None:
    template = r"<\g<0>|\x41\n\\>"
    expected = [found(compile_linear(pattern), template) for pattern in PATTERNS]
    items = [spell_out(spell_as_re(pattern)) for pattern in PATTERNS]
    for pattern, text, ours_ in zip(PATTERNS, items, expected, strict=True):
        assert found(regexes.compile_linear(text), spell_template(template)) == ours_, pattern
    script = "".join(
        (Path(javascript.__file__).parent / name).read_text(encoding="utf-8")
        for name in ("runtime.js", "methods.js", "regex.js")
    )
    (tmp_path / "ask.mjs").write_text(script + NODE, encoding="utf-8")
    rows = [[text, spell_template(template), TEXTS] for text in items]
    command = [node(), str(tmp_path / "ask.mjs"), json.dumps(rows)]
    output = subprocess.run(command, capture_output=True, check=True, text=True, encoding="utf-8").stdout
    for pattern, ours_, theirs in zip(PATTERNS, expected, json.loads(output), strict=True):
        assert theirs == ours_, pattern


def test_patterns_of_users_must_be_allowed(tmp_path: Path) -> None:
    write_rule(tmp_path, "own", EACH["replace"][0])
    for name in ("python", "javascript"):
        with pytest.raises(ExportError, match=r"own\.yaml:\d+:\d+: error: in an export .*--allow-re"):
            export(name, tolerant=True, rules=[tmp_path])
    assert find_traps(load_grammar("v2"), [tmp_path]) == ()
    with pytest.raises(ExportError, match="tolerant forms alone"):
        export("python", rules=[tmp_path], allow_re=True)
    write_rule(tmp_path, "own", EACH["translate_characters"][0])  # no pattern: nothing to allow
    assert "own" in export("python", tolerant=True, rules=[tmp_path])["symops_v2.py"]


def test_texts_that_keep_a_pattern_busy_are_shown(tmp_path: Path) -> None:
    trap = {"pattern": "^(?:a|a)+!", "with": ""}
    write_rule(tmp_path, "trap", {"replace": trap, "lines": ["head"]})
    attack = r"trap\.yaml:\d+:\d+: \w+: in an export .*on 'a' \+ 'a' \* 30 \+ .*, each repetition doubles the attempts"
    with pytest.raises(ExportError, match=attack):
        export("javascript", tolerant=True, rules=[tmp_path])
    out = tmp_path / "out"
    args = ("export", "python", "--tolerant", "--rules", str(tmp_path), "-o", str(out))
    assert run(*args).exit_code == 2 and not out.exists()
    alone = run("export", "python", "--tolerant", "-o", str(out), "--allow-re")
    assert alone.exit_code == 2 and "--allow-re is for patterns of custom rules" in alone.stderr and not out.exists()
    output = run(*args, "--allow-re")
    assert output.exit_code == 0 and ": warning: in an export a text keeps this pattern busy" in output.stderr
    assert (out / "symops_v2.py").is_file()


@pytest.mark.parametrize(
    ("said", "why"),
    [
        ({"pattern": r"\101", "with": ""}, "base eight"),
        ({"pattern": r"a(?i)b", "with": ""}, "cannot run this"),
        ({"pattern": r"\p{Greek}", "with": ""}, "RE2 alone"),
        ({"pattern": r"[[:^alpha:]]", "with": ""}, "no class is called"),
    ],
)
def test_what_no_export_can_run_is_refused(said: dict[str, str], why: str, tmp_path: Path) -> None:
    write_rule(tmp_path, "own", {"replace": said, "lines": ["head"]})
    with pytest.raises(ExportError, match=rf"own\.yaml:\d+:\d+: error: .*{why}"):
        export("python", tolerant=True, rules=[tmp_path], allow_re=True)


def test_the_former_find_losses_gives_the_warnings_of_rules(tmp_path: Path) -> None:
    with pytest.warns(DeprecationWarning, match=r"symops_lark\.exports\.find_losses is now"):
        from symops_lark.exports import find_losses
    write_rule(tmp_path, "trap", {"replace": {"pattern": "^(?:a|a)+!", "with": ""}, "lines": ["head"]})
    v2 = load_grammar("v2")
    assert find_losses("gbnf") == find_losses("python", v2) == ()
    traps = find_losses("python", rules=[tmp_path])
    assert traps == find_traps(v2, [tmp_path]) and "keeps this pattern busy" in traps[0]


def test_ends_of_lines_are_told_from_the_end_of_the_text() -> None:
    assert spell_out("(?:a$)(?m:b$)(?-m:c$)$") == r"(?:a\Z)(?m:b$)(?-m:c\Z)\Z"
    assert spell_out("(?im)a$") == "(?im)a$"
