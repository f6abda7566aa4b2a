"""The site of the documentation: every page, name and command has its place, and its checks notice what is wrong."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path

import click
import pytest
import yaml
from built_site import write_site
from documents import DOCUMENTS, ROOT, read

import symops_lark
from symops_lark.adapters.cli import symops
from symops_lark.core.ground.schemas import SCHEMAS
from tools.api_pages import PACKAGES
from tools.check_site import find_problems
from tools.gather import Relinker, find_pages


@pytest.fixture(scope="module")
def gathered(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The gathered pages, with those that are generated."""
    folder = tmp_path_factory.mktemp("site")
    write_site(folder)
    return folder


def test_every_page_is_in_the_navigation_once(gathered: Path) -> None:
    text = (gathered / "mkdocs.yml").read_text(encoding="utf-8").partition("\nnav:\n")[2]
    matches = re.findall(r"^ +- (?:[^:\n]+: )?(\S+\.md)$", text, re.MULTILINE)
    pages = [path.relative_to(gathered / "docs").as_posix() for path in (gathered / "docs").rglob("*.md")]
    assert sorted(matches) == sorted(pages)


def test_every_public_name_is_on_one_page(gathered: Path) -> None:
    texts = [path.read_text(encoding="utf-8") for path in (gathered / "docs" / "api").glob("*.md")]
    names = Counter(name for text in texts for name in re.findall("^::: (.*)$", text, re.MULTILINE))
    public = [f"symops_lark.{name}" for name in symops_lark.__all__]
    for path in PACKAGES:
        module = import_module(f"symops_lark.{path}")
        public += [f"{module.__name__}.{name}" for name in module.__all__]
    assert names == Counter(public)


def test_every_package_of_the_reference_is_on_a_page() -> None:
    text = "".join(read(name) for name in DOCUMENTS if name.startswith("docs/reference/"))
    paths = set(re.findall(r"`symops_lark\.([a-z_.]+)`", text))
    modules = [path for path in paths if list((ROOT / "symops_lark").glob(path.replace(".", "/") + "*"))]
    public = {path for path in modules if hasattr(import_module(f"symops_lark.{path}"), "__all__")}
    assert len(public) > 5 and public <= PACKAGES.keys()


def test_every_command_is_on_one_page(gathered: Path) -> None:
    texts = [path.read_text(encoding="utf-8") for path in (gathered / "docs" / "cli").glob("*.md")]
    headings = Counter(heading for text in texts for heading in re.findall("^#+ symops (.*)$", text, re.MULTILINE))
    names = [f"symops {heading}" for heading in headings]
    assert set(headings.values()) == {1}
    assert set(commands_of(symops, "symops")) == set(names)


def commands_of(command: click.Command, name: str) -> Iterator[str]:
    """Yield the commands of a group, and theirs, with the words that call them."""
    if isinstance(command, click.Group):
        context = click.Context(command)
        for word in command.list_commands(context):
            inner = command.get_command(context, word)
            assert inner is not None
            yield f"{name} {word}"
            yield from commands_of(inner, f"{name} {word}")


def test_every_command_and_option_is_on_a_page(gathered: Path) -> None:
    context = click.Context(symops)
    for name in symops.list_commands(context):
        page = (gathered / "docs" / "cli" / f"{name}.md").read_text(encoding="utf-8")
        command = symops.get_command(context, name)
        assert command is not None and page.startswith(f"# symops {name}\n")
        inner = command.list_commands(context) if isinstance(command, click.Group) else []
        assert [f"# symops {name} {child}\n" in page for child in inner] == [True] * len(inner)
        options = [opt for parameter in command.params if isinstance(parameter, click.Option) for opt in parameter.opts]
        assert [option for option in options if option not in page] == []
        assert "Sentinel" not in page


@pytest.mark.parametrize("name", SCHEMAS)
def test_every_member_of_a_schema_is_on_its_page(gathered: Path, name: str) -> None:
    page = (gathered / "docs" / "schemas" / f"{name}.md").read_text(encoding="utf-8")
    tree = symops_lark.schema(name)
    parts = {"": tree, **tree.get("$defs", {})}
    sections = dict(zip(parts, page.split("\n## "), strict=True))
    for part, section in sections.items():
        members = list(parts[part].get("properties", {}))
        rows = re.findall(r"^\| `([^`.\[]+)` \|", section, re.MULTILINE)
        assert rows == members and section.startswith(part)
    assert set(re.findall(r"\(#([^)]+)\)", page)) <= parts.keys()


def test_links_lead_to_pages_or_to_the_repository(tmp_path: Path) -> None:
    (tmp_path / "docs").mkdir()
    for name in ("docs/a.md", "docs/b.md", "README.md", "code.py"):
        (tmp_path / name).write_text("# A\n")
    text = "[b](b.md#x) [home](../README.md) [code](../code.py) [gone](c.md) `[no](c.md)` [web](https://a.b)\n"
    (tmp_path / "docs" / "a.md").write_text(text + "```text reply.txt\n[no](c.md)\n```\n")
    broken: list[str] = []
    page = Relinker(tmp_path, "docs/a.md", find_pages(tmp_path)).relink(broken, "")
    assert broken == ["docs/a.md: c.md leads nowhere"]
    assert "[b](b.md#x) [home](index.md) [code](https://github.com/" in page
    assert page.endswith('```text title="reply.txt"\n[no](c.md)\n```\n')


@pytest.mark.parametrize("name", ["how-to", "reference", "code-intelligence"])
def test_every_former_section_leads_to_its_page(gathered: Path, name: str) -> None:
    page = (gathered / "docs" / f"{name}.md").read_text(encoding="utf-8")
    pages = json.loads(page.partition("const pages = ")[2].partition(";")[0])
    anchors = re.findall(r'<a\s+id="([^"]+)"></a>', page)
    assert list(pages) == anchors
    for anchor, address in pages.items():
        target, _, end = address.removeprefix("../").partition("/#")
        assert end == anchor and (gathered / "docs" / f"{target}.md").exists()


def test_a_built_site_is_checked(tmp_path: Path) -> None:
    (tmp_path / "b").mkdir()
    (tmp_path / "b" / "index.html").write_text('<h1 id="top">B</h1><a href="../">home</a>')
    good = '<a href="b/">b</a><a href="b/#top">b</a><a href="https://a.b/">web</a>'
    (tmp_path / "index.html").write_text(good)
    assert list(find_problems(tmp_path, "/s/")) == []
    bad = '<a href="c/">c</a><a href="b/#no">b</a><a href="/x">x</a><script src="https://a.b/c.js"></script>'
    (tmp_path / "index.html").write_text(bad)
    assert list(find_problems(tmp_path, "/s/")) == [
        "/s/index.html: loads https://a.b/c.js",
        "/s/index.html: there is no file for c/",
        "/s/index.html: there is no anchor for b/#no",
        "/s/index.html: /x leaves the site",
    ]


def test_the_workflow_builds_strictly_and_checks_every_link() -> None:
    recipe = read("Makefile").split("\ndocs:")[1].split("\n\n")[0]
    assert recipe.count("zensical build") == recipe.count("--strict") == 2
    assert recipe.rstrip().endswith("tools.check_site $(SITE)/site /symops-lark/")
    jobs = yaml.safe_load(read(".github/workflows/docs.yml"))["jobs"]
    commands = {name: [step["run"] for step in job["steps"] if "run" in step] for name, job in jobs.items()}
    assert commands["build"] == ["make docs PYTHON=python"]
    assert commands["look"][-1].endswith("pytest tests/test_built_site.py --thorough")
    assert set(jobs["deploy"]["needs"]) == {"build", "look"}
