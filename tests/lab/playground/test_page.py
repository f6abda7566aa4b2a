"""The page of the playground in a browser: it reads, compares, damages, streams, compiles, and works by keyboard."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest
from browser import Browser, browser
from command_line import run
from new_dialects import NEW, write_dialects
from playground_server import serving
from repository import ROOT, TESTS

from symops_lark.lab.playground.answers import Answers

FAINT = (TESTS / "support" / "node" / "contrast.js").read_text(encoding="utf-8").partition("\n")[2]

pytestmark = pytest.mark.slow

AGREES = "Python and JavaScript agree"
TEXTS = (
    (ROOT / "examples" / "broken_reply.txt").read_text(encoding="utf-8"),
    ">> go 🙂\n::create @a.py\n<<<\nx = '𝒳'\n>>>\nrun ls 🙂🙂\n",
    "::run @pytest -q\n",
    "Sorry, I cannot.",
    "",
)
# What the page has said of the text that stands there now, once it has settled.
SETTLED = """(text) => {
  const says = (id) => document.getElementById(id).innerText.trim();
  if (text !== null && document.getElementById("text").value !== text) return null;
  return says("agreement") ? { verdict: says("verdict"), agreement: says("agreement"), banner: says("banner") } : null;
}"""


@pytest.fixture(scope="module")
def address() -> Iterator[str]:
    with serving(Answers()) as server:
        yield server.address


@pytest.fixture(scope="module")
def running() -> Iterator[Browser]:
    with browser() as started:
        yield started


@pytest.fixture
def page(running: Browser, address: str) -> Iterator[Browser]:
    """The page as it is opened; whatever is done, nothing complains and nothing leaves this machine."""
    running.size(width=1280, height=900, dark=False)
    running.open(address=address)
    assert settled(running)["agreement"].endswith(AGREES)
    yield running
    assert running.said() == []
    assert {urlsplit(request).hostname for request in running.requests()} == {"127.0.0.1"}


def settled(page: Browser, text: str | None = None) -> dict[str, str]:
    """Return what the page says once the server has said what it reads."""
    page.run(code="() => new Promise((done) => setTimeout(done, 60))")
    table: dict[str, str] = page.wait(code=SETTLED, given=text)
    return table


def write(page: Browser, text: str) -> dict[str, str]:
    """Return what the page says of a text that is typed into it."""
    forget(page)
    page.fill(at="#text", text=text)
    return settled(page)


def forget(page: Browser) -> None:
    page.run(code="() => { for (const id of ['agreement', 'verdict']) document.getElementById(id).textContent = ''; }")


def shown(page: Browser, tab: str) -> str:
    page.click(at=f"#tab-{tab}")
    text: str = page.text(at=f"#panel-{tab}")
    return text


def value(page: Browser, field: str = "text") -> str:
    text: str = page.run(code="(id) => document.getElementById(id).value", given=field)
    return text


def test_a_broken_reply_is_there_at_once(page: Browser) -> None:
    assert settled(page)["verdict"].startswith("repaired")
    assert "main.py" in shown(page, "result") and "Repairs" in page.run(code="() => document.body.textContent")
    assert "refuses" in shown(page, "strict")
    assert "main.py" in shown(page, "repaired") and page.run(code="() => document.querySelectorAll('mark').length") > 2
    assert "main.py" in shown(page, "recovered")
    assert "still not strict" not in shown(page, "trace") and "repairs, parsed" in page.text(at="#panel-trace")
    assert "action-finished" in shown(page, "events")
    assert page.run(code="() => document.getElementById('sample').selectedOptions[0].text") == "A broken reply"


def test_the_result_is_what_the_command_prints(page: Browser) -> None:
    for text in TEXTS:
        assert write(page, text)["agreement"].endswith(AGREES), text
        shown(page, "json")
        theirs = json.loads(page.text(at="#panel-json pre"))
        assert theirs == json.loads(run("process", "--json", "-f", "v2", stdin=text).stdout)


def test_typing_shows_the_document_and_its_places(page: Browser) -> None:
    write(page, "")
    forget(page)
    page.type(at="#text", text="::delete @old.py\n? Why\n")
    text = settled(page)
    assert text["verdict"].startswith("strict") and text["agreement"].endswith(AGREES)
    assert "old.py" in page.text(at="#panel-result") and "Why" in page.text(at="#panel-result")
    assert value(page, "sample") == "own"
    assert write(page, "::run @ls␍\n::run @ps␍\n")["agreement"].endswith(AGREES)
    shown(page, "json")
    assert json.loads(page.text(at="#panel-json pre"))["text"] == "::run @ls\r\n::run @ps\r\n"
    write(page, "::run @ls\n\nrun the tests now\n")
    shown(page, "strict")
    page.click(at="#panel-strict .place")
    selected = page.run(code="() => { const f = document.activeElement; return [f.id, f.selectionStart]; }")
    assert selected == ["text", 11]


def test_each_damage_changes_the_text_and_what_is_read(page: Browser) -> None:
    forget(page)
    page.choose(at="#sample", value="faultless")
    assert settled(page)["verdict"].startswith("strict")
    before = value(page)
    forget(page)
    page.click(at="[data-kind=missing-sigil]")
    page.wait(code="(text) => document.getElementById('text').value !== text", given=before)
    assert not settled(page, value(page))["verdict"].startswith("strict")
    assert page.run(code="() => document.querySelector('[data-kind=missing-sigil]').ariaPressed") == "true"
    page.click(at="#heal")
    page.wait(code="(text) => document.getElementById('text').value === text", given=before)
    assert page.run(code="() => document.querySelectorAll('.chip[aria-pressed=true]').length") == 0
    from symops_lark.lab.benchmark.faults.kinds import load_kinds

    chips = page.run(code="() => [...document.querySelectorAll('.chip')].map((chip) => chip.dataset.kind)")
    assert set(chips) <= set(load_kinds()) and len(chips) > 50
    page.fill(at="#damage-filter", text="invisible")
    visible = "() => [...document.querySelectorAll('.chip')].filter((c) => c.offsetParent).map((c) => c.dataset.kind)"
    assert page.run(code=visible) == ["invisible-chars"]
    page.fill(at="#damage-filter", text="")
    own = "::create @mine.py\n<<<\nx = 1\n>>>\n"
    write(page, own)
    page.click(at="[data-kind=missing-close-last]")
    page.wait(code="(text) => document.getElementById('text').value !== text", given=own)
    assert "mine.py" in value(page) and ">>>" not in value(page)
    page.click(at="[data-kind=missing-close-last]")
    page.wait(code="(text) => document.getElementById('text').value === text", given=own)


def test_the_slider_streams(page: Browser) -> None:
    write(page, ">> one\n::create @a.py\n<<<\nx = 1\ny = 2\n>>>\n")
    shown(page, "events")
    messages = []
    for there in (0, 3, 7, 22, 34, 42):
        code = """(there) => {
          const slider = document.getElementById("arrived");
          slider.value = there;
          slider.dispatchEvent(new Event("input"));
        }"""
        forget(page)
        page.run(code=code, given=there)
        assert settled(page)["agreement"].endswith(AGREES)
        messages.append(
            page.run(code="() => [...document.querySelectorAll('.events .badge')].map((b) => b.textContent)")
        )
    assert messages[:3] == [[], [], ["thought"]]
    assert messages[3] == ["thought", "action-started"] and messages[4] == ["thought", "action-started", "content"]
    assert messages[5] == ["thought", "action-started", "content", "action-finished"]
    assert "has ended" in page.text(at="#panel-events")
    page.click(at="#play")
    page.wait(code="() => document.getElementById('play-word').textContent === 'Stop'")
    wait = page.wait(code="() => { const v = +document.getElementById('arrived').value; return v > 0 && v < 42 && v; }")
    assert 0 < wait < 42 and "awaited" in page.wait(
        code="() => document.querySelector('#panel-events').innerText.includes('awaited') && 'awaited'"
    )
    page.wait(code="() => document.getElementById('play-word').textContent === 'Stream'")
    assert value(page, "arrived") == "42"


def test_the_grammar_and_the_dialect_can_be_changed(page: Browser) -> None:
    page.click(at="#tab-grammar")
    grammar = value(page, "grammar")
    broken = grammar.replace("thought:  _THOUGHT _SP", "thought:  _THOUGHT ( _SP")
    assert broken != grammar
    line = next(number for number, row in enumerate(broken.split("\n"), 1) if row.startswith("thought:"))
    page.fill(at="#grammar", text=broken)
    page.wait(code="() => document.getElementById('grammar-error').innerText")
    assert f"Line {line}, column" in page.text(at="#grammar-error") and f"v2.lark:{line}:" in page.text(
        at="#grammar-error"
    )
    page.click(at="#grammar-error .place")
    start = page.run(code="() => document.getElementById('grammar').selectionStart")
    assert broken[:start].count("\n") == line - 1
    page.click(at="#tab-reply")
    reply = write(page, "::run @ls\n")  # in the last grammar without mistakes
    assert reply["verdict"].startswith("strict") and reply["agreement"].endswith(AGREES)
    page.click(at="#tab-grammar")
    page.click(at="#reset")
    page.wait(code="() => document.getElementById('grammar-error').innerText === ''")
    assert value(page, "grammar") == grammar

    page.fill(at="#mark_ACTION", text="%%")
    forget(page)
    page.press(key="Tab")
    page.wait(code="() => document.getElementById('grammar').value.includes('%%')")
    page.wait(code="() => /^Compiled/.test(document.getElementById('grammar-status').innerText)")
    settled(page)  # the text is read anew, which must not be taken for what is said of the next one
    page.click(at="#tab-reply")
    reply = write(page, "%%create @a.py\n<<<\nx\n>>>\n")
    assert reply["verdict"].startswith("strict") and reply["agreement"].endswith(AGREES)
    assert not write(page, "::create @a.py\n<<<\nx\n>>>\n")["verdict"].startswith("strict")

    page.choose(at="#dialect", value="v2")
    settled(page)
    forget(page)
    page.choose(at="#sample", value="faultless")
    settled(page)
    forget(page)
    page.choose(at="#dialect", value="plain")
    page.wait(code="() => document.getElementById('text').value.includes('[ACTION_TYPE]')")
    reply = settled(page)
    assert reply["verdict"].startswith("strict") and reply["agreement"].endswith(AGREES)


@pytest.mark.alike(2)
@pytest.mark.parametrize(
    ("name", "labels"),
    [
        ("blocks", {"result": ["note", "A title", ">> not a thought"], "events": ["section-content", "plan"]}),
        ("recipe", {"result": ["ingredient", "200", "flour", "title", "Cake"], "events": ["ingredient · 200 · g"]}),
    ],
)
def test_custom_sections_are_drawn(running: Browser, tmp_path: Path, name: str, labels: dict[str, list[str]]) -> None:
    with serving(Answers(str(write_dialects(tmp_path)[name]))) as server:
        running.size(width=390, height=844, dark=False)
        running.open(address=server.address)
        first = settled(running)
        assert first["agreement"].endswith(AGREES) and "custom section" in first["verdict"]
        assert "\uffff" not in running.run(code="() => document.body.innerHTML")
        assert write(running, NEW[name].text)["agreement"].endswith(AGREES)
        for tab, words in labels.items():
            drawn = shown(running, tab)
            assert [word for word in words if word not in drawn] == []
        assert running.run(code="() => document.documentElement.scrollWidth") == 390
        assert running.said() == []


def test_a_disagreement_is_told(page: Browser) -> None:
    """What the server answers is changed on its way: one field of one section."""
    page.change(part="**/ask/read", **{"from": '"path": "a.py"', "to": '"path": "b.py"'})
    try:
        reply = write(page, "::delete @a.py\n")
    finally:
        page.unchange(part="**/ask/read")
    assert "disagree" in reply["agreement"] and "reads this text otherwise" in reply["banner"]
    assert "sections.0.path" in reply["banner"] and '"b.py" there' in reply["banner"]
    reply = write(page, "::delete @c.py\n")
    assert reply["agreement"].endswith(AGREES) and reply["banner"] == ""


def test_everything_works_by_keyboard_and_has_a_name(page: Browser) -> None:
    focus = "() => document.activeElement.id || document.activeElement.className"
    text = """() => {
      const at = document.activeElement;
      const { outlineStyle, outlineWidth } = getComputedStyle(at.closest("#editor") ?? at);
      return outlineStyle !== "none" && parseFloat(outlineWidth) >= 1;
    }"""
    walked: list[str] = []
    for _ in range(12):
        page.press(key="Tab")
        walked.append(page.run(code=focus))
        assert page.run(code=text), f"the focus on {walked[-1]} cannot be seen"
    fields = ["dialect", "sample", "tab-reply", "text", "play", "arrived", "damage-filter", "again", "heal", "chip"]
    assert [item for item in walked if item in fields][: len(fields)] == fields
    page.run(code="() => document.getElementById('tab-result').focus()")
    keys = {"ArrowRight": "strict", "End": "json", "ArrowLeft": "events", "Home": "result"}
    for key, tab in [*keys.items(), ("ArrowLeft", "json"), ("ArrowRight", "result")]:
        page.press(key=key)
        assert page.run(code=focus) == f"tab-{tab}"
        assert page.run(code="(id) => document.getElementById(id).checkVisibility()", given=f"panel-{tab}")
    page.run(code="() => document.querySelector('[data-kind=foreign-format]').focus()")
    assert "another format" in page.text(at="#damage-note")
    page.press(key="Space")
    page.wait(code="() => document.querySelector('[data-kind=foreign-format]').ariaPressed === 'true'")

    # What can be used or is announced has a name for readers of the screen: a label, a text, or an `aria-label`.
    kinds = "button, input, select, textarea, [role=tabpanel], [role=tablist], section, pre[tabindex]"
    code = """(kinds) => [...document.querySelectorAll(kinds)]
      .filter((each) => !(each.ariaLabel || each.labels?.[0]?.innerText || each.textContent.trim()
        || each.getAttribute("aria-labelledby"))).map((each) => each.outerHTML.slice(0, 80))"""
    for tab in ("result", "strict", "repaired", "recovered", "trace", "events", "json"):
        shown(page, tab)
        assert page.run(code=code, given=kinds) == []
    ids = page.run(code="() => [...document.querySelectorAll('[id]')].map((each) => each.id)")
    assert len(ids) == len(set(ids))


def test_it_fits_and_can_be_read(page: Browser, stride: int) -> None:
    write(page, f"::create @{'long/' * 40}a.py\n<<<\n{'x = 1; ' * 80}\n>>>\n! {'word' * 60}\nrun {'y' * 300}\n")
    sizes = [(390, True), (1280, False), (768, False), (390, False), (768, True), (1280, True)]
    for width, dark in sizes[:2] if stride > 1 else sizes:
        page.size(width=width, height=844, dark=dark)
        page.click(at="#tab-reply")
        for panel in ("result", "strict", "repaired", "recovered", "trace", "events", "json", "grammar", "any"):
            page.click(at=f"#tab-{panel}")
            if panel == "any":
                page.wait(code=REPAIRED, given=None)
            wide, there = page.run(code="() => [document.documentElement.scrollWidth, innerWidth]")
            assert wide <= there == width, panel
            assert page.run(code=FAINT) == [], panel


# What the tab of any grammar says, once it has read a text.
REPAIRED = """(text) => {
  const verdict = document.getElementById("any-verdict").innerText;
  const read = text === null || document.getElementById("any-text").value === text;
  return read && verdict && !verdict.startsWith("Reading") ? verdict : null;
}"""


def test_texts_of_any_grammar_are_repaired(page: Browser) -> None:
    page.click(at="#tab-any")
    assert "price" in page.wait(code=REPAIRED, given=None)
    names = page.run(code="() => [...document.getElementById('any-language').options].map((each) => each.text)")
    assert len(names) == 10
    page.fill(at="#any-grammar", text='start: item ("," item)*\nitem: /[a-z]+/\n')
    page.click(at="#panel-any summary")
    page.fill(at="#any-mistakes", text="")
    page.fill(at="#any-text", text="a,,b")
    page.wait(code="() => document.getElementById('any-answer').innerText.includes('item')")
    answer = page.text(at="#any-answer").lower()
    assert "repairs" in answer and "alternatives" in answer and "start" in answer
    assert page.run(code="() => document.querySelectorAll('.drawing text').length") > 3
    page.click(at="#any-answer > button")
    page.wait(code="() => document.getElementById('any-verdict').innerText === 'valid'")
    page.fill(at="#any-grammar", text="start: MISSING\n")
    page.wait(code="() => document.getElementById('any-verdict').innerText.includes('cannot be used')")
    assert "MISSING" in page.text(at="#any-answer")
    page.click(at="#tab-reply")
    assert page.run(code="() => document.getElementById('readings').checkVisibility()")


def test_long_texts_do_not_hold_the_page_up(page: Browser) -> None:
    """While 200,000 characters are read, the page answers: it is another thread that reads."""
    text = "".join(f"::create @f{number}.py\n<<<\n" + "x = 1\n" * 300 + ">>>\n" for number in range(100))
    page.run(
        code="""(text) => {
          const field = document.getElementById("text");
          field.value = text;
          field.dispatchEvent(new Event("input"));
        }""",
        given=text,
    )
    answer: Any = settled(page, text)
    assert answer["agreement"].endswith(AGREES) or "repaired" not in answer["verdict"]
    page.wait(code="() => document.getElementById('verdict').innerText.includes('100 actions')")
