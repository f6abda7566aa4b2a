"""What the page reads by exported JavaScript is what the server reads, when places are counted alike."""

from __future__ import annotations

import json
import random
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from highlighters import node
from texts import texts_on_file

import symops_lark.lab.playground
from symops_lark.lab.playground.answers import Answers
from symops_lark.lab.playground.samples import SAMPLES

PAGE = Path(symops_lark.lab.playground.__file__).parent / "page"
SCRIPT = """
import { readFileSync } from "node:fs";
const { read } = await import(process.argv[2] + "/reading.js");
const { differences, inCharacters } = await import(process.argv[2] + "/compare.js");
const parser = await import(process.argv[3]);
const rows = JSON.parse(readFileSync(0, "utf-8"));
console.log(JSON.stringify(rows.map(([text, step, theirs]) => {
  const ours = read(parser, text, step);
  return [differences(inCharacters(ours, text), theirs), differences(ours, theirs).length];
})));
"""
SIGNS = ("🙂", "🏳️‍🌈", "𝒳", "寿", "é", "\r", "\t", "\u200b")


def texts(dialect: str, answers: Answers) -> Iterator[str]:
    """Yield texts on file, and each with signs in it that count two in JavaScript; samples with all their mistakes."""
    rng = random.Random(dialect)
    on_file = [text for _, own, text in texts_on_file() if own == dialect and 0 < len(text) < 1500]
    for text in rng.sample(on_file, min(60, len(on_file))):
        yield text
        for _ in range(4):
            at = rng.randrange(len(text) + 1)
            text = text[:at] + rng.choice(SIGNS) + text[at:]
        yield text
    for sample in SAMPLES:
        fields = {"dialect": dialect, "grammar": None, "sample": sample.name, "kinds": list(sample.kinds), "seed": 3}
        yield answers.answer("write", fields)["text"]


def compare(answers: Answers, told: dict[str, Any], rows: list[tuple[str, int, Any]], folder: Path) -> list[Any]:
    module = answers.answer("open", told)["module"].removeprefix("parsers/")
    (folder / module).write_text(answers.module(module) or "", encoding="utf-8")
    (folder / "package.json").write_text('{"type": "module"}')
    (folder / "ask.mjs").write_text(SCRIPT, encoding="utf-8")
    command = [node(), str(folder / "ask.mjs"), PAGE.as_uri(), (folder / module).as_uri()]
    done = subprocess.run(command, input=json.dumps(rows), capture_output=True, encoding="utf-8", check=False)
    assert done.returncode == 0, done.stderr[-4000:]
    comparison: list[Any] = json.loads(done.stdout)
    return comparison


@pytest.mark.slow
@pytest.mark.alike(6)
@pytest.mark.parametrize("dialect", ["v1", "v2", "v2_1", "plain"])
def test_both_readings_are_alike(dialect: str, tmp_path: Path) -> None:
    answers, fields = Answers(), {"dialect": dialect, "grammar": None}
    rows = []
    for number, text in enumerate(texts(dialect, answers)):
        step = (1, 7, 1000)[number % 3]
        rows.append((text, step, answers.answer("read", {**fields, "text": text, "step": step})))
    comparison = compare(answers, fields, rows, tmp_path)
    for (text, _, _), (differences, _) in zip(rows, comparison, strict=True):
        assert differences == [], text
    counted_otherwise = [uncounted for _, uncounted in comparison if uncounted]
    assert len(counted_otherwise) > 5, "no text needed to be counted anew"


@pytest.mark.slow
def test_whatever_differs_is_found(tmp_path: Path) -> None:
    """Each value of an answer, changed alone, is told with its path."""
    answers, fields = Answers(), {"dialect": "v2", "grammar": None}
    text = "Sure 🙂\n::Create @a.py\n<<<\nx\n>>>\n::run @ls\n"
    answer = answers.answer("read", {**fields, "text": text, "step": 5})
    rows, paths = [], []
    for path, value in leaves(answer):
        changed = json.loads(json.dumps(answer))
        *outer, last = path
        inner = changed
        for key in outer:
            inner = inner[key]
        inner[last] = f"{value}!" if isinstance(value, str) else 77.5
        rows.append((text, 5, changed))
        paths.append(".".join(map(str, path)))
    comparison = compare(answers, fields, rows, tmp_path)
    assert len(paths) > 100
    assert [[row["path"] for row in differences] for differences, _ in comparison] == [[path] for path in paths]


def leaves(value: Any, path: tuple[str | int, ...] = ()) -> Iterator[tuple[tuple[str | int, ...], Any]]:
    if isinstance(value, dict | list):
        items: Any = value.items() if isinstance(value, dict) else enumerate(value)
        for key, inner in items:
            yield from leaves(inner, (*path, key))
    else:
        yield path, value
