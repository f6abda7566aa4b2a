"""What the documentation shows is true: commands print what stands there, Python runs, links and names lead somewhere.

`pytest tests/test_documentation.py --accept` writes what the commands print into the documents.

    ```console   commands behind `$ `, each followed by what it prints
    ```python    runs in a process of its own; a ```text fence right behind it is what it prints
    ```text F    the file F, for the commands below it; so with any tag
    ```sh        commands that are not run: make targets that exist, symops with options that exist, pip
    ```yaml      a whole repair rule, whose examples hold
"""

from __future__ import annotations

import os
import re
import shlex
import shutil
import subprocess
import sys
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path
from tempfile import TemporaryDirectory

import click
import pytest
import yaml
from command_line import environment
from documents import DOCUMENTS, FENCE, INDEXES, ROOT, TWIN, Fence, fences, holding, read
from model_server import Request, model_server
from warm_commands import make_command, warm_process

from benchmarks.exports._parsers import node
from symops_lark import dialects, process
from symops_lark.adapters.cli import symops
from symops_lark.core.grammar.compiling.compiler import STARTS
from symops_lark.core.grammar.compiling.dialect_tables import LINE_RULES
from symops_lark.core.grammar.loading import load_grammar
from symops_lark.core.repairs import RepairEngine
from symops_lark.core.repairs.rule import ROLES, VERBS, placeholders
from symops_lark.lab.benchmark.faults.kinds import load_kinds
from symops_lark.lab.benchmark.tasks import load_tasks

FIRST = 'Here you are:\n\n>> Small, and tested.\n::Create "hello.py"\n<<<\nprint("Hello!")\n>>>\n'
TEST = "\n::create @test_hello.py >hello.py\n"
RULE = '{"step": 2, "reason": "Two tests fail."}'
MISSING = "<<<\nimport hello  # it greets\n>>>\n"


def reply_to(request: Request) -> str:
    """What the scripted model of the documents says: it forgets the content of a test until it is asked again."""
    if "Which rule holds" in request.prompt:
        return RULE if {"response_format", "tools"} & request.body.keys() else f"The second.\n\n```json\n{RULE}\n```\n"
    first = FIRST.partition("\n\n")[2].replace('Create "hello.py"', "create @hello.py")
    if "could not be read" in request.prompt:
        return first + TEST + MISSING
    return first + TEST if "a test" in request.prompt else FIRST


@pytest.fixture(scope="module")
def warm() -> Iterator[Path]:
    """The socket of a process that runs commands and programs in forks."""
    with (
        TemporaryDirectory() as folder,
        warm_process(Path(folder), environment(PYTHONIOENCODING="utf-8", NO_COLOR="1")) as path,
    ):
        yield path


@pytest.fixture
def workshop(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, warm: Path) -> Iterator[Path]:
    """A folder with the examples in it, the commands `symops`, `python` and `node` of this installation on the path,
    and a server that speaks for the models."""
    shutil.copytree(ROOT / "examples", tmp_path / "examples")
    commands = tmp_path / ".bin"
    commands.mkdir()
    make_command(commands / "symops", warm, "symops")
    make_command(commands / "program", warm, "python")
    for name, path in {"python": sys.executable, "node": node()}.items():
        (commands / name).write_text(f'#!/bin/sh\nexec {shlex.quote(path)} "$@"\n')
        (commands / name).chmod(0o755)
    with model_server([reply_to] * 20) as server:
        for name, value in {
            "OPENAI_BASE_URL": server.url,
            "OPENAI_API_KEY": "sk-none",
            "ANTHROPIC_BASE_URL": server.url.removesuffix("/v1"),
            "ANTHROPIC_API_KEY": "sk-none",
        }.items():
            monkeypatch.setenv(name, value)
        yield tmp_path


def run(command: list[str], workshop: Path) -> str:
    path = f"{workshop / '.bin'}{os.pathsep}{os.environ['PATH']}"
    done = subprocess.run(
        command,
        cwd=workshop,
        env=environment(PATH=path, PYTHONIOENCODING="utf-8", NO_COLOR="1"),
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        encoding="utf-8",
        timeout=60,
        check=False,
    )
    assert "Traceback" not in done.stdout, done.stdout
    return done.stdout


def run_console(fence: Fence, workshop: Path) -> str:
    commands = [line for line in fence.text.split("\n") if line.startswith("$ ")]
    assert commands, "a console fence without a command"
    items = [f"{line}\n{run(['sh', '-c', line[2:]], workshop)}" for line in commands]
    return "".join(text if text.endswith("\n") else text + "\n" for text in items)


# ---- examples


@pytest.mark.slow
@pytest.mark.parametrize("name", holding("console", "python"))
def test_examples_print_what_stands_there(name: str, workshop: Path, request: pytest.FixtureRequest) -> None:
    text = read(name)
    changes: dict[int, str] = {}
    result = fences(text)
    for index, fence in enumerate(result):
        following = result[index + 1] if index + 1 < len(result) else None
        if fence.file:
            (workshop / fence.file).parent.mkdir(exist_ok=True)
            (workshop / fence.file).write_text(fence.text, encoding="utf-8")
        elif fence.tag == "console":
            changes[index] = run_console(fence, workshop)
        elif fence.tag == "python":
            printed = run([str(workshop / ".bin" / "program"), "-c", fence.text], workshop)
            if (
                following
                and (following.tag, following.file) == ("text", None)
                and not text[fence.end : following.start].replace("```text", "").strip("`\n")
            ):
                changes[index + 1] = printed
            else:
                assert printed == "", "Python prints something that the document does not show"
    if request.config.getoption("--accept"):
        for document in filter(None, (name, TWIN.get(name))):
            accept(document, changes)
    for index, new in changes.items():
        assert new == fences(read(name))[index].text, f"{name}: run pytest with --accept and read what changed"


def accept(name: str, changes: dict[int, str]) -> None:
    """Write new texts into the fences of a document, by their numbers."""
    text = read(name)
    for index, fence in reversed([*enumerate(fences(text))]):
        if index in changes:
            text = text[: fence.start] + changes[index] + text[fence.end :]
    (ROOT / name).write_text(text, encoding="utf-8")


@pytest.mark.parametrize("name", [name for name in DOCUMENTS if name.startswith("docs/") and name not in INDEXES])
def test_every_page_has_examples(name: str) -> None:
    assert name in holding("console", "python")


def test_every_workbench_command_is_shown() -> None:
    pages = (read(name) for name in holding("console"))
    text = "".join(fence.text for page in pages for fence in fences(page) if fence.tag == "console")
    group = symops.get_command(click.Context(symops), "grammar")
    assert isinstance(group, click.Group)
    for command in group.list_commands(click.Context(group)):
        assert f"symops grammar {command}" in text, command


@pytest.mark.parametrize("name", holding("console", "python"))
def test_no_output_names_a_place_of_this_machine(name: str) -> None:
    for fence in fences(read(name)):
        assert not re.search(r"(?<![\w.])/(?:home|tmp|root|usr|work|Users|private)/", fence.text), fence.text


def test_readmes_have_examples_and_the_same_ones() -> None:
    english, japanese = (fences(read(name)) for name in ("README.md", "README.ja.md"))
    assert {fence.tag for fence in english} >= {"console", "python", "sh"}
    assert [(f.tag, f.file, f.text) for f in english] == [(f.tag, f.file, f.text) for f in japanese]


def skeleton(name: str) -> list[str]:
    """Return the parts of a README in their order, without its language: headings, pictures, items, links, fences."""
    text = read(name)
    results = []
    for part in re.finditer(
        r"^```[a-z]+(?:.|\n)*?^```$|^(#+) |^(-) |^([0-9]\.) |docs/pictures/([\w-]+)-dark\.svg|\]\(([^)]+)\)",
        text,
        re.MULTILINE,
    ):
        heading, item, number, picture, link = part.groups()
        results.append(heading or item or number or (picture and picture.replace("-ja", "")) or link or "fence")
    return [TWIN.get(part, part) for part in results]


def test_readmes_have_the_same_parts_in_the_same_order() -> None:
    english, japanese = skeleton("README.md"), skeleton("README.ja.md")
    assert len(english) > 60
    assert english == japanese


def test_the_first_screen_shows_and_four_doors_follow() -> None:
    """What it is, why, and how to try it; then what four kinds of people can run at once, in ten lines."""
    text = read("README.md")
    pictures = [part.partition("-light.svg")[0] for part in text.split('src="docs/pictures/')[1:]]
    assert pictures == ["process", "check", "damage", "pipeline"]
    assert text.index("<picture>") < 600, "the first picture is on the first screen"
    screen = text.partition("\n## Which part do I need?\n")[0]
    assert len(screen.splitlines()) <= 62
    assert "](https://symops-lark.github.io/symops-lark/)" in screen
    assert {"sh", "python"} <= {fence.tag for fence in fences(screen)}
    assert "\npipx install ." in screen and "\nuvx --from . symops " in screen
    doors = {"Embed": "python", "Design": "console", "Measure": "console", "Do": "console"}
    assert re.findall(r"^## (.*)$", text, re.MULTILINE)[3:7] == list(doors)
    for door, tag in doors.items():
        section = text.split(f"\n## {door}\n")[1].split("\n## ")[0]
        fence = next(fence for fence in fences(section) if fence.tag == tag)
        assert 8 <= len([line for line in fence.text.splitlines() if line.strip()]) <= 16, door
        assert "\nNext: [" in section or "symops do" in section, door
    assert {"make demo", "make test"} <= {
        line.split("  ")[0] for fence in fences(text) for line in fence.text.split("\n")
    }


def test_every_page_is_linked_from_the_readme_or_its_guides() -> None:
    """A reader of GitHub, who has no navigation, comes from the first page to every other one in two steps."""
    pages = {path.relative_to(ROOT / "docs").as_posix() for path in (ROOT / "docs").rglob("*.md")}
    first = set(re.findall(r"\(docs/([\w/-]+\.md)", read("README.md")))
    second = {link for page in first for link in re.findall(r"\]\(([\w/-]+\.md)", read(f"docs/{page}"))}
    assert sorted(pages - first - second) == []


@pytest.mark.parametrize("name", holding("sh"))
def test_set_up_commands_exist(name: str) -> None:
    for fence in fences(read(name)):
        for line in fence.text.splitlines() if fence.tag == "sh" else ():
            words = shlex.split(line, comments=True)
            match words:
                case ["make", target, *_]:
                    assert re.search(rf"^{target}:", read("Makefile"), re.MULTILINE), line
                case ["python", "-m", module, *_]:
                    assert find_spec(module) is not None, line
                case [".venv/bin/python", "-m", "pytest", *rest]:
                    assert all((ROOT / word).exists() for word in rest if word.startswith("tests/")), line
                case ["symops", *rest] | ["uvx", "--from", ".", "symops", *rest]:
                    parse_options(symops, rest)
                case ["pipx", "install", "."]:
                    assert "[project.scripts]\nsymops = " in read("pyproject.toml")
                case _:
                    assert not words, f"{name}: nothing tests {line!r}"


def parse_options(command: click.Command, words: list[str]) -> None:
    """Fail with a `click.UsageError` unless a command line has only commands and options that exist."""
    while isinstance(command, click.Group):
        subcommand = command.get_command(click.Context(command), words[0])
        assert subcommand is not None, words[0]
        command, words = subcommand, words[1:]
    command.make_context(str(command.name), words)


def test_tables_name_their_command() -> None:
    commands = re.findall(r"<!-- table: python -m ([a-z.]+)[^>]*-->", read("docs/why.md"))
    assert commands
    for module in commands:
        assert find_spec(module) is not None, module


# ---- links and names


def links(name: str) -> list[tuple[str, str]]:
    """Return the links of a page that stay in the repository: path and anchor, either of which may be empty."""
    return re.findall(r"\]\((?!https?:)([^)#]*)(?:#([^)]+))?\)", FENCE.sub("", read(name)))


@pytest.mark.parametrize("name", [name for name in DOCUMENTS if links(name)])
def test_links_lead_somewhere(name: str) -> None:
    for path, anchor in links(name):
        target = (ROOT / name).parent / path if path else ROOT / name
        assert target.exists(), path
        if anchor:
            headings = re.findall(r"^#+ (.*)$", FENCE.sub("", target.read_text(encoding="utf-8")), re.MULTILINE)
            assert anchor in {re.sub(r"[^\w -]", "", text.lower()).replace(" ", "-") for text in headings}, anchor


def paths_named(name: str) -> list[str]:
    """Return the paths in this repository that a page names; the changelog and the examples' sources name others."""
    if name in ("CHANGELOG.md", "examples/README.md"):
        return []
    folders = "grammars|repair_rules|symops_lark|tests|benchmarks|examples|docs"
    return re.findall(rf"`((?:{folders})/[\w./-]*)`", FENCE.sub("", read(name)))


@pytest.mark.parametrize("name", [name for name in DOCUMENTS if paths_named(name)])
def test_files_that_are_named_exist(name: str) -> None:
    for path in paths_named(name):
        assert "NAME" in path or (ROOT / path).exists(), path


def test_architecture_shows_every_room_and_fits_on_one_page() -> None:
    text = read("ARCHITECTURE.md")
    package = ROOT / "symops_lark"
    rooms = [path.parent for path in package.glob("*/__init__.py")]
    assert len(rooms) > 8
    for path in rooms:
        assert re.search(rf"^  {path.name}/", text, re.MULTILINE), path.name
    for path in package.glob("*.py"):
        assert path.stem.startswith("__") or re.search(rf"\b{path.stem}\b", text), path.name
    assert text.count("\n") <= 100, "one page"
    # What it names is there.
    matches = set(re.findall(r"`(\w+/[\w/.]+)`", text))
    assert matches
    for name in matches:
        assert (ROOT / name).exists() or (package / name).exists() or (package / f"{name}.py").exists(), name


# ---- the language reference


def test_language_reference_knows_every_dialect_and_every_name_that_is_read() -> None:
    text = read("grammars/README.md")
    marks = {f"_{mark.upper()}" for name in dialects() for mark in load_grammar(name).marks}
    for word in [*dialects(), *STARTS, *LINE_RULES, *(mark for mark in marks if not mark[-1].isdigit())]:
        assert re.search(rf"(?<!\w){word}(?!\w)", text), word


# ---- the repair rules' document


def test_rule_readme_knows_every_verb_role_and_placeholder() -> None:
    text = read("repair_rules/README.md")
    for word in [*VERBS, *ROLES]:
        assert f"`{word}`" in text, word
    for name in dialects():
        for place in (place for place in placeholders(load_grammar(name)) if not re.search("[0-9]", place)):
            base = re.sub(r"^(any|other)_|_(char|last|sign|loose|spread|run|words|bare)$", "", place)
            assert base == place or place.replace(base, "action") in text, place
            assert f"`{{{base}}}`" in text, place


def test_rule_readme_shows_a_rule_that_works(tmp_path: Path) -> None:
    [fence] = [fence for fence in fences(read("repair_rules/README.md")) if fence.tag == "yaml"]
    rule = yaml.safe_load(fence.text)
    (tmp_path / f"{rule['id']}.yaml").write_text(fence.text, encoding="utf-8")
    engine = RepairEngine("v2", folders=[tmp_path])
    for example in rule["examples"]:
        assert engine.repair(example["before"]).text == example["after"]
        assert rule["id"] in {repair.rule for repair in process(example["before"], rules=[tmp_path]).repairs}


def test_the_size_of_the_benchmark_is_as_told() -> None:
    tasks, kinds = len(load_tasks()), len(load_kinds())
    for name, pattern in {
        "docs/measure-a-model.md": r"\n([0-9]+) tasks of up to 12 files [^(]*\(([0-9]+) kinds,",
        "CHANGELOG.md": r"([0-9]+) tasks, ([0-9]+) kinds of mistake",
    }.items():
        match = re.search(pattern, read(name))
        assert match is not None, name
        assert (int(match[1]), int(match[2])) == (tasks, kinds), name
    assert f"{tasks} tasks, one file each" in read("benchmarks/README.md")
