"""Recorded replies: folders of files, JSON lines, what is known of them, and a thousand of them with one command."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from command_line import run as symops
from compliance_runs import TASKS, V2, read_records

from symops_lark import SymOpsError
from symops_lark.lab.benchmark.measures.cost import tokens_per_action
from symops_lark.lab.benchmark.records import Record
from symops_lark.lab.benchmark.report.findings import tokens_per_action as write_finding
from symops_lark.lab.benchmark.runlog import read_log
from symops_lark.lab.benchmark.runner import Setup, run
from symops_lark.lab.benchmark.settings import RunSettings

V1 = "$ create @ add.py\n--\nx = 1\n--\n"
BROKEN = V2.replace("::create", "::Create")


def settings_for(path: Path, **more: object) -> RunSettings:
    return RunSettings(**{"source": "transcripts", "options": (("path", str(path)),), **more})  # type: ignore[arg-type]


def replay(path: Path, **more: object) -> dict[str, Record]:
    """Run over transcripts; give the records by `format/name`, with the repetition where it is not the first."""
    out = path.parent / f"{path.name}-{len(list(path.parent.iterdir()))}.jsonl"
    records = run(settings_for(path, **more), out, tasks=TASKS)
    table = {f"{r.case.format}/{r.case.task}{f' {r.case.repetition}' if r.case.repetition else ''}": r for r in records}
    assert len(table) == len(records)
    return table


def fill(folder: Path, **files: str | bytes) -> Path:
    """Write files; in their names, `__` is a slash and `_` a dot."""
    for name, text in files.items():
        path = folder / name.replace("__", "/").replace("_", ".")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text.encode() if isinstance(text, str) else text)
    return folder


def test_a_folder_with_nothing_said(tmp_path: Path) -> None:
    """Formats are told from the texts; what is in none counts for the format that most are in."""
    result = replay(fill(tmp_path / "in", a_txt=V2, b_md=V1, c=BROKEN, d_txt="I cannot help with that.", _hidden="x"))
    assert sorted(result) == ["v1/b.md", "v2/a.txt", "v2/c", "v2/d.txt"]
    assert [result[name].phases[0].accepted for name in sorted(result)] == [True, True, False, False]
    assert result["v2/c"].phases[-1].accepted and not result["v2/d.txt"].phases[-1].accepted
    assert all(record.expected is None and record.phases[-1].state is None for record in result.values())


def test_folders_sidecars_and_the_option_say_the_format(tmp_path: Path) -> None:
    path = fill(tmp_path / "in", v1__x_txt=V2, v2__x_txt=V2, other__y_txt=V1, z_txt=V2, z_toml='format = "plain"')
    assert sorted(replay(path)) == ["plain/z.txt", "v1/other/y.txt", "v1/x.txt", "v2/x.txt"]
    chosen = replay(path, formats=("v2",))
    assert sorted(chosen) == ["v2/other/y.txt", "v2/x.txt"], "what is said to be in another format is left out"


def test_a_known_task_says_what_was_meant(tmp_path: Path) -> None:
    """Replies of one model to one task in one format are its repetitions, so that they can be compared in pairs."""
    facts = json.dumps({"task": "one", "model": "m-1", "finish": "length", "temperature": 0.3})
    path = fill(
        tmp_path / "in",
        a_txt=V2,
        a_json=facts,
        b_txt=V2.replace("+", "-"),
        b_txt_toml='task = "one"\nmodel = "m-1"',
        c_txt=V2,
        c_toml='task = "unknown"',
    )
    result = replay(path)
    assert sorted(result) == ["v2/one", "v2/one 1", "v2/unknown"]
    assert [result[name].phases[-1].state for name in sorted(result)] == ["right", "wrong-without-alarm", None]
    assert (result["v2/one"].model, result["v2/one"].finish) == ("m-1", "length")
    assert sorted(replay(path, tasks=("one",))) == ["v2/one", "v2/one 1"]


def test_json_lines(tmp_path: Path) -> None:
    path = tmp_path / "replies.jsonl"
    rows = [{"text": V2, "id": "first", "licence": "MIT"}, {"text": V1, "format": "v1"}, {"text": V2, "task": "one"}]
    path.write_text("\n".join(map(json.dumps, rows)) + "\n\n")
    assert sorted(replay(path)) == ["v1/replies.jsonl:2", "v2/first", "v2/one"]


@pytest.mark.parametrize(
    ("files", "told"),
    [
        ({"a_jsonl": '{"text": "x"}\n{"text": 1}\n'}, "a.jsonl:2: this line has no `text`"),
        ({"a_jsonl": '{"text": "x"\n'}, "a.jsonl:1: this is not JSON"),
        ({"a_txt": "x", "a_toml": "format ="}, "a.toml: cannot be read"),
        ({"a_txt": "x", "a_toml": 'format = "v22"'}, "a.toml: no format is called 'v22'"),
        ({"a_txt": "x", "a_json": '{"finish": "done"}'}, "a.json: 'finish' is 'done'; there are stop,"),
        ({"a_txt": "x", "a_json": '{"task": 7}'}, "a.json: 'task' is 7; it must be a text"),
        ({"a_toml": 'task = "one"'}, "there are no replies"),
    ],
)
def test_what_is_wrong_is_told_with_its_place(tmp_path: Path, files: dict[str, str], told: str) -> None:
    fill(tmp_path / "in", **files)
    with pytest.raises(SymOpsError) as caught:
        replay(tmp_path / "in")
    assert told in str(caught.value)


def test_it_is_printed_what_was_assumed_and_models_have_rows_of_their_own(tmp_path: Path) -> None:
    rows = [{"text": V2, "model": model} for model in ("big", "small", "big")] + [{"text": "Sorry.", "model": "small"}]
    path = tmp_path / "replies.jsonl"
    path.write_text("\r\n".join(map(json.dumps, rows)))
    done = symops("bench", "run", "--source", str(path), "--jobs", "1", "--out", str(tmp_path / "run.jsonl"))
    assert "formats were detected from the texts: v2 (3)\n" in done.stderr
    assert "1 reply in no format, counted as v2\n" in done.stderr
    assert [line.split()[:5] for line in done.stdout.splitlines()[2:5]] == [
        ["model", "format", "n", "tasks", "valid"],
        ["big", "v2", "2", "2", "100.0%"],
        ["small", "v2", "2", "2", "50.0%"],
    ]


def test_a_format_is_not_guessed_from_one_of_many(tmp_path: Path) -> None:
    path = fill(tmp_path / "in", a_txt=V2, **{f"{number}_txt": f"Prose {number}." for number in range(9)})
    with pytest.raises(SymOpsError, match=r"9 of 10 replies are in no format, so theirs cannot be guessed: name the"):
        replay(path)
    assert {record.case.format for record in replay(path, formats=("v2",)).values()} == {"v2"}


def test_several_formats_need_the_format_of_each_reply(tmp_path: Path) -> None:
    path = fill(tmp_path / "in", v1__x_txt=V1, y_txt=V2)
    with pytest.raises(
        SymOpsError, match=r"1 reply has no `format`, and several formats are named: name one of v1, v2"
    ):
        replay(path, formats=("v1", "v2"))
    path = fill(tmp_path / "in", y_toml='format = "v2"')
    assert sorted(replay(path, formats=("v1", "v2"))) == ["v1/x.txt", "v2/y.txt"]


def test_files_that_are_no_text_are_records_with_an_error(tmp_path: Path) -> None:
    result = replay(fill(tmp_path / "in", a_txt=V2, b_txt=b"one\ntwo \xff"))
    assert result["v2/a.txt"].error == "" and result["v2/b.txt"].phases == ()
    assert "b.txt: not UTF-8: byte 0xff at offset 8 (line 2)" in result["v2/b.txt"].error


def test_provenance_is_the_hash_of_the_data(tmp_path: Path) -> None:
    first = replay(fill(tmp_path / "one", a_txt=V2, b_txt=V2))["v2/a.txt"]
    same = replay(fill(tmp_path / "same", a_txt=V2, b_txt=V2))["v2/a.txt"]
    second = replay(fill(tmp_path / "other", a_txt=V2, b_txt=V2 + "\n"))["v2/a.txt"]
    text = replay(fill(tmp_path / "said", a_txt=V2, b_txt=V2, b_toml='model = "x"'))["v2/a.txt"]
    assert first.provenance.kind == "replayed" and first.provenance == same.provenance and first.key == same.key
    assert len({str(record.provenance) for record in (first, second, text)}) == 3


def test_data_that_changed_is_another_run(tmp_path: Path) -> None:
    path = fill(tmp_path / "in", a_txt=V2)
    run(settings_for(path), tmp_path / "run.jsonl", tasks=())
    fill(path, b_txt=V2)
    with pytest.raises(SymOpsError, match=r"provenance\.detail\.hash was"):
        run(settings_for(path), tmp_path / "run.jsonl", tasks=())


@pytest.mark.slow
def test_a_thousand_transcripts_with_one_command(tmp_path: Path) -> None:
    folder = tmp_path / "in"
    folder.mkdir()
    for number in range(1000):
        (folder / f"{number:04}.txt").write_text(f">> reply {number}\n" + (BROKEN if number % 4 == 0 else V2))
    out = tmp_path / "run.jsonl"
    done = symops("bench", "run", "--source", str(folder), "--format", "v2", "--jobs", "1", "--out", str(out))
    assert done.exit_code == 0, done.output
    assert "v2      1000  1000   75.0% (72.2%–77.7%)  100.0% (99.6%–100.0%)" in done.stdout
    log = read_log(out)
    assert len(log.records) == 1000 and len({record.key for record in log.records}) == 1000


@pytest.mark.slow
def test_workers_need_no_folder(tmp_path: Path) -> None:
    """What a source of this machine gives is sent to the workers, who may be elsewhere."""
    path = fill(tmp_path / "in", **{f"{number}_txt": V2 for number in range(60)})
    run(settings_for(path), tmp_path / "one.jsonl", Setup(jobs=1), tasks=())
    run(settings_for(path), tmp_path / "two.jsonl", Setup(jobs=2), tasks=())
    assert read_records(tmp_path / "one.jsonl") == read_records(tmp_path / "two.jsonl")


@pytest.mark.slow
def test_two_models_in_one_file_are_compared_in_pairs(tmp_path: Path) -> None:
    """Each model has repetitions of its own, so the same task is in both."""
    rows = [{"text": text, "model": model, "task": "csv-cleaner"} for model in ("alpha", "beta") for text in (V2, V2)]
    path, log = tmp_path / "replies.jsonl", tmp_path / "run.jsonl"
    path.write_text("\n".join(map(json.dumps, [*rows, {"text": V2, "model": "alpha"}])))
    report = tmp_path / "report.md"
    done = symops("bench", "run", "-s", str(path), "-f", "v2", "-j", "1", "-o", str(log), "--report", str(report))
    assert done.exit_code == 0, done.stderr
    compared = symops("bench", "compare", str(log), str(log), "--first", "alpha", "--second", "beta")
    assert "2 pairs of the same task and repetition (of 1 task)" in compared.stdout, compared.stdout + compared.stderr
    text = report.read_text()
    assert "3 replies to 1 task, each up to 2 times." in text
    assert "What was meant is known of 2 of 3" in text


@pytest.mark.slow
def test_tokens_besides_contents_are_those_of_whole_replies(tmp_path: Path) -> None:
    """A reply that was refused lacks the contents, so taking them off would leave less than nothing."""
    rows = [{"text": text, "task": "one"} for text in (V2, "I cannot do that.")]
    path = tmp_path / "replies.jsonl"
    path.write_text("\n".join(map(json.dumps, rows)))
    records = list(replay(path, formats=("v2",)).values())
    figures = list(tokens_per_action(records))
    bare = next(figure for figure in figures if figure.name == "besides contents")
    assert bare.n == 1 and bare.value is not None and bare.value > 0
    assert "; without 1 reply that did not come out right)." in write_finding(figures)


@pytest.mark.parametrize("option", ["-n 9", "--max-tokens 5", "--temperature 0.5", "--attempts 2", "--seed 3"])
def test_options_of_models_are_refused_for_recorded_replies(tmp_path: Path, option: str) -> None:
    """They had no effect, and the name of the log and its header said otherwise."""
    path = tmp_path / "replies.jsonl"
    path.write_text(json.dumps({"text": V2}))
    out = tmp_path / "run.jsonl"
    done = symops("bench", "run", "-s", str(path), *option.split(), "-j", "1", "-o", str(out))
    assert done.exit_code == 2 and not out.exists()
    assert "does not use" in done.stderr or "no model can be asked again" in done.stderr


@pytest.mark.parametrize("quiet", [(), ("--quiet",)])
def test_a_misspelt_task_and_a_misspelt_field_are_reported(tmp_path: Path, quiet: tuple[str, ...]) -> None:
    rows = [{"text": V2, "task": "csv-cleanr"}, {"text": V2, "modle": "m"}, {"text": V2, "modle": "m"}]
    path = tmp_path / "replies.jsonl"
    path.write_text("\n".join(map(json.dumps, rows)))
    done = symops("bench", "run", "-s", str(path), "-f", "v2", "-j", "1", "-o", str(tmp_path / "run.jsonl"), *quiet)
    assert ("3 of 3" in done.stderr) == (not quiet)
    assert "replies.jsonl:1: there is no task 'csv-cleanr'; did you mean csv-cleaner? 1 reply is" in done.stderr
    assert "replies.jsonl:2: the field 'modle' is ignored (2 times); there are text, id, format" in done.stderr
