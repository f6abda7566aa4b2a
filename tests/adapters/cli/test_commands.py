"""The commands: what they print, as text and as JSON, and what they do to files."""

from __future__ import annotations

import json
import stat
import subprocess
from pathlib import Path

import pytest
from command_line import BROKEN, CRLF, GOOD, REPAIRED, fill, run, write_rule

from symops_lark import Document, convert, parse, process
from symops_lark.core.ground.errors import WorkspaceError


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return fill(tmp_path)


# ---- process


def test_process_shows_actions_repairs_and_sureness(folder: Path) -> None:
    result = run("process", "broken.txt")
    assert result.exit_code == 0
    assert result.stdout.startswith("broken.txt: repaired, v2, confidence 0.7")
    for part in ("1. create  a.py  1 line", "complete", "line 5: capital-verb:", "cost 1", "thoughts\n  go"):
        assert part in result.stdout
    assert "\x1b" not in result.stdout


def test_process_shows_sizes_dependencies_and_vitals() -> None:
    result = run("process", stdin=GOOD)
    assert result.exit_code == 0
    for part in (
        "<stdin>: strict, v2, confidence 1.00 (sure)",
        "2 lines",
        "empty",
        "no content",
        "depends on src/a.py, c.py",
        "confidence 0.9",
        "mood 0.5",
        "dangling-dependency",
    ):
        assert part in result.stdout


def test_process_shows_half_a_file_as_half_a_file(folder: Path) -> None:
    assert "TRUNCATED" in run("process", "half.txt").stdout
    assert "UNTERMINATED" in run("process", "half.txt", "--not-cut-off").stdout


def test_process_as_json_is_the_result(folder: Path) -> None:
    result = run("process", "--json", "broken.txt")
    assert json.loads(result.stdout) == process(BROKEN).to_dict()
    several = json.loads(run("process", "--json", "broken.txt", "good.txt").stdout)
    assert [value["file"] for value in several] == ["broken.txt", "good.txt"]
    assert [value["phase"] for value in several] == ["repaired", "strict"]


def test_process_trace(folder: Path) -> None:
    output = run("process", "--trace", "broken.txt").stdout
    assert "phase strict: failed:" in output and "phase repaired:" in output and "self-correction" not in output
    assert "  | ::Create" in output and "  | ::create @a.py" in output


def test_process_of_prose_makes_nothing(folder: Path) -> None:
    result = run("process", "prose.txt", "good.txt")
    assert result.exit_code == 1
    assert result.stderr == "symops: prose.txt: no phase found a section in the reply\n"
    assert "good.txt: strict" in result.stdout
    value = json.loads(run("process", "--json", "prose.txt").stdout)
    assert value["error"] and value["diagnostics"] and "sections" in value["document"]


def test_process_of_a_document_with_errors(folder: Path) -> None:
    result = run("process", stdin="::create @a.py\n")
    assert result.exit_code == 1
    assert "missing-content" in result.stdout


def test_process_takes_the_users_rules(folder: Path) -> None:
    write_rule(folder / "mine")
    assert run("process", stdin="%%run @ls\n").exit_code == 1
    result = run("process", "--rules", "mine", stdin="%%run @ls\n")
    assert result.exit_code == 0 and "my-rule" in result.stdout


# ---- parse, recover


def test_parse(folder: Path) -> None:
    assert "good.txt: strict, v2" in run("parse", "good.txt").stdout
    value = json.loads(run("parse", "--json", "good.txt").stdout)
    assert Document.from_dict(value) == parse(GOOD)


def test_parse_of_a_broken_text_draws_the_place(folder: Path) -> None:
    result = run("parse", "broken.txt")
    assert result.exit_code == 1
    assert "broken.txt:1:1: error:" in result.stderr and "^^^" in result.stderr and "hint:" in result.stderr
    assert json.loads(run("parse", "--json", "broken.txt").stdout)["diagnostics"]


@pytest.mark.parametrize(("format", "code"), [("auto", 0), ("v2", 0), ("v1", 1)])
def test_formats(folder: Path, format: str, code: int) -> None:
    assert run("parse", "--format", format, "good.txt").exit_code == code


def test_auto_tells_v1_from_v2() -> None:
    assert ": strict, v1" in run("parse", stdin=convert(GOOD, "v2", "v1").text).stdout


def test_format_may_be_a_file(folder: Path) -> None:
    from symops_lark.core.grammar.loading import load_grammar

    (folder / "mine.lark").write_text(load_grammar("v2").text.replace('_TARGET:   "@"', '_TARGET:   "at:"'))
    assert run("parse", "--format", "mine.lark", stdin="::run at:ls\n").exit_code == 0
    assert run("process", "--format", "mine.lark", stdin="Hello\n::run at:ls\n").exit_code == 0
    rendered = run("render", "--format", "v2", "--to", "mine.lark", stdin="::run @ls\n")
    assert rendered.stdout == "::run at:ls\n"


def test_recover(folder: Path) -> None:
    result = run("recover", "broken.txt", "half.txt")
    assert result.exit_code == 0
    assert "broken.txt: recovered, v2, price " in result.stdout and "TRUNCATED" in result.stdout
    value = json.loads(run("recover", "--json", "broken.txt").stdout)
    assert value["price"] > 0 and value["diagnostics"] and value["document"]["sections"]
    assert run("recover", "prose.txt").exit_code == 1


# ---- repair


def test_repair_prints_the_text_exactly(folder: Path) -> None:
    assert run("repair", "broken.txt").stdout == REPAIRED
    assert run("repair", stdin=CRLF).stdout_bytes == CRLF.encode()


def test_repair_diff_can_be_applied(folder: Path) -> None:
    diff = run("repair", "--diff", "broken.txt").stdout_bytes
    assert diff.startswith(b"--- broken.txt\n+++ broken.txt\n@@")
    subprocess.run(["patch", "-s", "broken.txt"], input=diff, check=True)
    assert (folder / "broken.txt").read_text() == REPAIRED


def test_repair_diff_of_a_long_text(folder: Path) -> None:
    """Its time is not quadratic, and `patch` applies it."""
    broken = "".join(f"::creat @f{number}.py\n<<<\nx = {number}\n>>\n" for number in range(20))
    (folder / "long.txt").write_text(">> go\n" * 5 + broken + ">> end\n" * 5)
    repaired = run("repair", "long.txt").stdout
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("symops_lark.adapters.cli.view._MOST_COMPARED", 20)
        diff = run("repair", "--diff", "long.txt").stdout_bytes
    assert (
        diff.startswith(b"--- long.txt\n+++ long.txt\n@@ -6,83 +6,83 @@\n ::creat @f0.py\n") and diff.count(b"@@") == 2
    )
    subprocess.run(["patch", "-s", "long.txt"], input=diff, check=True)
    assert (folder / "long.txt").read_text() == repaired


def test_repair_diff_of_a_text_without_a_last_newline() -> None:
    diff = run("repair", "--diff", stdin=">> a\n\nHello.\r\n>> b").stdout_bytes
    assert b"-Hello.\r\n" in diff and b" >> b\n\\ No newline at end of file\n" in diff


def test_a_text_without_repairs_is_explained(folder: Path) -> None:
    result = run("repair", "--explain", "--format", "v2", stdin="::run @ls\n")
    assert (result.exit_code, result.stdout) == (0, "<stdin>: 0 repairs, cost 0\n")


def test_repair_explain(folder: Path) -> None:
    output = run("repair", "--explain", "broken.txt").stdout
    assert "broken.txt:5:1: capital-verb: " in output and "why: " in output and "(cost 1)" in output
    assert '- ::Create "a.py"' in output and "+ ::create @a.py" in output


def test_repair_json_and_failure(folder: Path) -> None:
    value = json.loads(run("repair", "--json", "broken.txt").stdout)
    assert value["text"] == REPAIRED and value["changed"] and value["repairs"][0]["why"]


def test_repair_prints_one_text_only(folder: Path) -> None:
    result = run("repair", "broken.txt", "good.txt")
    assert result.exit_code == 2 and "only one text can be printed" in result.stderr
    assert run("repair", "--diff", "broken.txt", "good.txt").exit_code == 0


# ---- check


def test_check_of_a_clean_text() -> None:
    result = run("check", stdin=GOOD.replace(", c.py", ""))
    assert (result.exit_code, result.stdout) == (0, "<stdin>: no findings (v2)\n")


def test_check_draws_findings(folder: Path) -> None:
    result = run("check", "broken.txt")
    assert result.exit_code == 1
    assert "broken.txt:1:1: error: " in result.stdout and "broken.txt:5:1: note: " in result.stdout
    assert '    5 | ::Create "a.py"\n      | ^^^' in result.stdout


def test_check_finds_what_the_validator_finds(folder: Path) -> None:
    result = run("check", "good.txt")
    assert result.exit_code == 1 and "dangling-dependency" in result.stdout
    [value] = [json.loads(run("check", "--json", "good.txt").stdout)]
    assert not value["clean"] and value["diagnostics"][0]["code"] == "dangling-dependency"


def test_the_hint_of_an_unexpected_text_names_another_command() -> None:
    assert "`symops repair --explain` shows" in run("check", "--format", "v2", stdin="::cre\u00e4te @a.py\n").stdout


def test_check_of_prose(folder: Path) -> None:
    assert run("check", "prose.txt").exit_code == 1


def test_check_explains_the_discourse() -> None:
    reply = "For example:\n\n::run @ls\n\nUser: do it\n\n::run @make\n"
    output = run("check", "--explain-discourse", stdin=reply).stdout
    assert "example      ::run @ls\n            not-asked, by words: " in output
    assert "  line 5    user       final     turn 1  asserted     User: do it\n" in output
    value = json.loads(run("check", "--explain-discourse", "--json", stdin=reply).stdout)
    passages = value["passages"]
    assert "".join(reply[passage["span"]["start"] : passage["span"]["end"]] for passage in passages) == reply
    assert [single_passage["code"] for single_passage in passages if single_passage["stance"] == "example"] == [
        "not-asked"
    ]


def test_check_fix_writes_the_file_and_keeps_its_mode(folder: Path) -> None:
    path = folder / "broken.txt"
    path.chmod(0o640)
    (folder / "link.txt").symlink_to("broken.txt")
    result = run("check", "--fix", "--yes", "link.txt")
    assert result.exit_code == 0 and "repairs made, no findings" in result.stdout
    assert path.read_text() == REPAIRED and stat.S_IMODE(path.stat().st_mode) == 0o640
    assert (folder / "link.txt").is_symlink()
    names = [".symops", "broken.txt", "good.txt", "half.txt", "link.txt", "prose.txt"]
    assert sorted(p.name for p in folder.iterdir()) == names


def test_check_fix_leaves_good_texts_alone(folder: Path) -> None:
    path = folder / "crlf.txt"
    path.write_bytes(CRLF.replace(", c.py", "").encode())
    before = path.stat().st_mtime_ns
    assert run("check", "--fix", "crlf.txt").exit_code == 0
    assert path.stat().st_mtime_ns == before


def test_check_fix_of_standard_input_prints_the_text() -> None:
    result = run("check", "--fix", stdin=BROKEN)
    assert result.exit_code == 0 and result.stdout == REPAIRED and "repairs made" in result.stderr
    repeated_output = run("check", "--fix", stdin=CRLF)
    assert repeated_output.stdout_bytes == CRLF.encode()
    assert json.loads(run("check", "--fix", "--json", stdin=BROKEN).stdout)["text"] == REPAIRED


def test_check_fix_that_cannot_write(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object) -> None:
        raise WorkspaceError("broken.txt: cannot be written: Permission denied")

    monkeypatch.setattr("symops_lark.acting.execution.carry_out", refuse)
    result = run("check", "--fix", "--yes", "broken.txt")
    assert result.exit_code == 1 and result.stderr == "symops: broken.txt: cannot be written: Permission denied\n"
    assert (folder / "broken.txt").read_text() == BROKEN


# ---- render, convert


def test_render_from_json_of_other_commands(folder: Path) -> None:
    for verb in ("parse", "process", "recover"):
        assert run("render", stdin=run(verb, "--json", "good.txt").stdout).stdout == GOOD
    v1 = run("render", "--to", "v1", stdin=run("parse", "--json", "good.txt").stdout).stdout
    assert v1 == convert(GOOD, "v2", "v1").text


def test_render_from_text_is_canonical() -> None:
    loose = "::  create  @ a.py  > b.py\n<<< \nx\n>>>\t\n>> t"
    assert run("render", stdin=loose).stdout == "::create @a.py >b.py\n<<<\nx\n>>>\n\n>> t\n"
    assert run("render", stdin=BROKEN).exit_code == 1


def test_render_says_what_it_leaves_out(folder: Path) -> None:
    result = run("render", stdin=run("recover", "--json", "broken.txt").stdout)
    assert result.exit_code == 0 and result.stdout == ">> go\n\n::create @a.py\n<<<\nx = 1\n>>>\n"
    assert "warning: text that belongs to no section (stray-text) is left out [lost-text]" in result.stderr


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("{", "<stdin>:1:2: not JSON: "),
        ("{}", "<stdin>: not a document: sections: missing: expected a list"),
        ('{"sections": 1}', "sections: expected a list, got a number"),
        ('{"sections": [], "dialect": null}', "dialect: expected a string, got null"),
        ('{"sections": [1]}', "sections[0]: expected an object whose `kind` is one of thought, "),
        ('{"sections": [{"kind": "thought", "text": "a"}, {"kind": "poem"}]}', "sections[1]: expected an object"),
        ('{"sections": [{"text": "a"}]}', "sections[0]: expected an object whose"),
        ('{"sections": [{"kind": "thought", "text": 1}]}', "sections[0].text: expected a string"),
        ('{"sections": [{"kind": "thought", "text": "a", "colour": "red"}]}', "sections[0].colour: no such key"),
        (
            '{"sections": [{"kind": "action", "type": "a", "path": "b", "dependencies": "c"}]}',
            ".dependencies: expected a",
        ),
        ('{"sections": [{"kind": "vitals", "values": {"mood": "high"}}]}', "values.mood: expected a number"),
        (
            '{"sections": [{"kind": "action", "type": "a", "path": "b", "completeness": "half"}]}',
            "sections[0].completeness: expected one of complete, unterminated, truncated, suspect, got",
        ),
    ],
)
def test_render_of_wrong_json(text: str, message: str) -> None:
    result = run("render", stdin=text)
    assert result.exit_code == 2 and message in result.stderr and result.stderr.startswith("symops: ")


def test_json_and_bytes_that_utf8_cannot_carry() -> None:
    document = '{"sections": [{"kind": "thought", "text": "\\ud800"}]}'
    result = run("render", stdin=document)
    assert result.exit_code == 2 and "U+D800 at offset 3" in result.stderr
    assert json.loads(run("render", "--json", stdin=document).stdout)["text"] == ">> \ud800\n"


def test_convert(folder: Path) -> None:
    v1 = run("convert", "--to", "v1", "good.txt").stdout
    assert v1 == convert(GOOD, "v2", "v1").text
    assert run("convert", "--from", "v1", "--to", "v2", stdin=v1).stdout == GOOD
    value = json.loads(run("convert", "--to", "v1", "--json", "good.txt").stdout)
    assert (value["source"], value["target"], value["text"], value["losses"]) == ("v2", "v1", v1, [])
    assert Document.from_dict(value["document"]) == parse(GOOD)


def test_convert_refuses_what_the_target_cannot_say() -> None:
    result = run("convert", "--to", "v1", stdin="::create @a.sql\n<<<\n--\n>>>\n")
    assert result.exit_code == 1 and result.stdout == ""
    assert result.stderr.startswith("symops: v1 cannot say section 1, create 'a.sql': line 1 of its content is `--`")


# ---- rules, grammar


def test_rules_list(folder: Path) -> None:
    output = run("rules", "list").stdout
    assert "capital-verb" in output and "The verb is not written in lower case." in output
    write_rule(folder / "mine")
    assert "my-rule" in run("rules", "list", "--rules", "mine", "--format", "v2").stdout
    assert {rule["id"] for rule in json.loads(run("rules", "list", "--json").stdout)} >= {"capital-verb", "stray-text"}


def test_rules_show() -> None:
    output = run("rules", "show", "capital-verb").stdout
    for part in ("why: Models write", "cost: 1", "before (v2)", "::Create @a.py", "after (v2)", "unchanged (v2)"):
        assert part in output
    assert json.loads(run("rules", "show", "--json", "capital-verb").stdout)["lowercase"]
    result = run("rules", "show", "capitalverb")
    assert result.exit_code == 2 and "did you mean capital-verb" in result.stderr


@pytest.mark.slow
def test_rules_test(folder: Path) -> None:
    result = run("rules", "test")
    assert result.exit_code == 0 and "no failures" in result.stdout
    assert run("rules", "test", "capital-verb", "stray-text").stdout.startswith("2 rules, ")


def test_rules_test_of_the_users_folder(folder: Path) -> None:
    write_rule(folder / "mine")
    assert run("rules", "test", "--rules", "mine").stdout == "1 rule, 2 examples, no failures\n"
    write_rule(folder / "wrong", after="::run @pwd\\n")
    result = run("rules", "test", "--rules", "wrong")
    assert result.exit_code == 1 and "-::run @pwd" in result.stdout and "+::run @ls" in result.stdout
    assert json.loads(run("rules", "test", "--json", "--rules", "wrong").stdout)["failures"][0]["rule"] == "my-rule"


def test_grammar() -> None:
    from symops_lark.core.grammar.loading import load_grammar, recovery_text

    output = run("grammar", "list").stdout
    assert "v1  Sym-Ops v1" in output and "v2.lark" in output
    assert run("grammar", "show", "v2").stdout == load_grammar("v2").text
    assert run("grammar", "show", "v2", "--recovery").stdout == recovery_text(load_grammar("v2"))[1]
    assert "open       <<<" in run("grammar", "show", "v2", "--marks").stdout
    rows = json.loads(run("grammar", "list", "--json").stdout)
    assert {row["name"]: row["marks"]["action"] for row in rows}["v2"] == "::"
    assert "create" in json.loads(run("grammar", "show", "v1", "--json").stdout)["verbs"]["writing"]
