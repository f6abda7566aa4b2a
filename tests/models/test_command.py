"""A shell command as a model: prompt in, reply out, and nothing of it left running."""

from __future__ import annotations

import asyncio
import os
import shlex
import sys
import threading
import time
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from symops_lark import ModelError
from symops_lark.models import CommandModel, Finish, Limits, Message, Reply, load_model
from symops_lark.models.redaction import redact

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="the commands are those of a POSIX shell")
FOREVER = "sleep 600"


def load(command: str, timeout: float = 60.0) -> CommandModel:
    model = load_model("command", "mine", command=command, timeout=timeout)
    assert isinstance(model, CommandModel)
    return model


def python(code: str) -> str:
    return f"{shlex.quote(sys.executable)} -c {shlex.quote(code)}"


def is_gone(number: int) -> bool:
    """Wait until a process has ended; one that waits for its parent counts as ended."""
    for _ in range(2000):
        try:
            os.kill(number, 0)
            if Path(f"/proc/{number}/stat").read_text().rpartition(")")[2].split()[0] == "Z":
                return True
        except (ProcessLookupError, FileNotFoundError):
            return True
        time.sleep(0.01)
    return False


def test_prompt_goes_in_and_reply_comes_out() -> None:
    assert load("cat").generate(">> Grün ist 緑.\r\n\n") == Reply(
        ">> Grün ist 緑.\r\n\n", Finish.UNKNOWN, None, "command:mine"
    )


def test_a_conversation_is_one_text() -> None:
    turns = [Message("system", "Be brief."), Message("user", "A?")]
    assert load("cat").generate(turns).text == "Be brief.\n\nA?"
    turns += [Message("assistant", "B."), Message("user", "C?")]
    expected = "System:\nBe brief.\n\nUser:\nA?\n\nAssistant:\nB.\n\nUser:\nC?"
    assert load("cat").generate(turns).text == expected


def test_long_texts_pass_while_both_sides_write() -> None:
    text = "ä line of text\n" * 100_000
    assert load(f"{python('import sys; sys.stderr.write(chr(33) * 1_000_000)')}; cat").generate(text).text == text


def test_a_command_may_ignore_its_prompt() -> None:
    assert load("echo no").generate("x" * 1_000_000).text == "no\n"


def test_pieces_arrive_before_the_end(tmp_path: Path) -> None:
    """The command waits in its middle for what only a reader of its first piece can do."""
    gate = tmp_path / "gate"
    os.mkfifo(gate)
    with load(f"printf 'first \\303'; cat {shlex.quote(str(gate))} >/dev/null; printf '\\274 last'").stream("Hi.") as s:
        assert next(s) == "first "
        gate.write_text("go\n")
        assert "".join(s) == "ü last"
        assert s.reply == Reply("first ü last", Finish.UNKNOWN, None, "command:mine")


def test_a_failure_tells_what_the_command_complained_about() -> None:
    with pytest.raises(ModelError, match=r"command:mine ended with exit code 3:\nno such model") as caught:
        load("printf half; echo 'no such model' >&2; exit 3").generate("Hi.")
    assert caught.value.partial == Reply("half", Finish.INTERRUPTED, None, "command:mine")
    with pytest.raises(ModelError, match="ended with signal SIGKILL and wrote no reason"):
        load("kill -9 $$").generate("Hi.")
    with pytest.raises(ModelError, match="ended with signal 35 and wrote no reason"):
        load("kill -35 $$").generate("Hi.")  # of real time: it has no name
    with pytest.raises(ModelError, match=r"exit code 127:\n.*no-such-command"):
        load("no-such-command").generate("Hi.")


def test_only_the_end_of_long_complaints_is_kept() -> None:
    code = "import sys; print('begin', 'x' * 100_000, 'last words', file=sys.stderr); sys.exit(1)"
    with pytest.raises(ModelError, match="last words") as caught:
        load(python(code)).generate("Hi.")
    assert len(str(caught.value)) < 5000 and "begin" not in str(caught.value)


@pytest.mark.slow
def test_keys_are_not_shown(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SOME_API_KEY", "key-0123456789")
    model = CommandModel("KEY=secret-in-command sh -c 'echo bad key $SOME_API_KEY >&2; exit 1'")
    assert repr(model) == "<CommandModel command:sh>"
    with pytest.raises(ModelError, match=r"bad key \$SOME_API_KEY") as caught:
        model.generate("Hi.")
    assert "0123456789" not in str(caught.value) and "secret-in-command" not in str(caught.value)
    # A part of a key would not be recognized where the text is cut.
    for length in range(3_980, 4_001):
        code = f"import os, sys; sys.exit('x' * 9_000 + os.environ['SOME_API_KEY'] + 'y' * {length})"
        with pytest.raises(ModelError, match=r"y{3980}") as caught:
            load(python(code)).generate("Hi.")
        assert "56789" not in str(caught.value), length


@pytest.mark.parametrize(
    ("command", "name"),
    [
        ('TOKEN="correct horse battery" ./ask', "ask"),
        ("A=1 TOKEN=correct\\ horse; '/opt/my tools/ask it' -x", "ask it"),
        ("ask; echo", "ask"),
        ("(ask)", "ask"),
        # Where a value ends is not known without a shell.
        ("TOKEN=$(pass show horse) ./ask", "shell"),
        ("TOKEN=`pass show horse` ./ask", "shell"),
        ("TOKEN=${OTHER:-correct horse battery} ./ask", "shell"),
        ("TOKEN=correct;ask horse", "shell"),
        ("TOKEN='correct horse", "shell"),
        ("TOKEN=correct", "shell"),
        ("<horse ask", "shell"),
    ],
)
def test_the_name_of_a_program_has_nothing_of_its_variables(command: str, name: str) -> None:
    assert CommandModel(command).name == f"command:{name}"


@given(st.text(st.characters(exclude_characters="\0", exclude_categories=["Cs"])))
def test_a_quoted_value_is_never_in_the_name(value: str) -> None:
    assert CommandModel(f"TOKEN={shlex.quote(value)} ./ask").name in ("command:ask", "command:shell")


@pytest.mark.parametrize("name", ["A_KEY", "A_KEY_2", "KEYS", "DB_PASSWD", "pgpassword", "A_PASSPHRASE", "TOKEN1"])
def test_names_of_secrets(monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    monkeypatch.setenv(name, "0123456789")
    monkeypatch.setenv("KEYBOARD", "layout-us")
    assert redact("0123456789 layout-us") == f"${name} layout-us"


@pytest.mark.slow
@pytest.mark.parametrize("way", ["generate", "agenerate"])
def test_a_late_command_is_killed_with_its_children(way: str) -> None:
    model = load(f"{FOREVER} & echo $!; wait", timeout=0.5)
    with pytest.raises(ModelError, match=r"not done after 0.5 s") as caught:
        model.generate("Hi.") if way == "generate" else asyncio.run(model.agenerate("Hi."))
    assert caught.value.retryable
    if caught.value.partial is not None:  # on a slow machine not even that was written
        assert is_gone(int(caught.value.partial.text))


@pytest.mark.slow
def test_a_command_that_closes_its_output_has_to_end_as_well() -> None:
    with pytest.raises(ModelError, match=r"not done after 0.3 s"):
        load(f"exec >&-; {FOREVER}", timeout=0.3).generate("Hi.")


def test_leaving_a_stream_kills_the_command_with_its_children() -> None:
    with load(f"{FOREVER} & echo $!; echo $$; wait").stream("Hi.") as stream:
        text = ""
        while text.count("\n") < 2:
            text += next(stream)
    child, shell = map(int, text.split())
    assert is_gone(child) and is_gone(shell)
    assert stream.reply.finish is Finish.INTERRUPTED and list(stream) == []


def test_a_stream_can_be_closed_by_another_thread() -> None:
    stream = load(f"echo $$; {FOREVER}").stream("Hi.")
    first = next(stream)
    texts: list[str] = []
    reader = threading.Thread(target=lambda: texts.extend(stream), daemon=True)
    reader.start()
    stream.close()
    reader.join(20)
    assert not reader.is_alive() and is_gone(int(first)) and texts == []


def test_a_cancelled_task_kills_the_command() -> None:
    async def cancel() -> int:
        stream = load(f"echo $$; {FOREVER}").astream("Hi.")
        number = int(await anext(stream))
        task = asyncio.create_task(stream.read())
        await asyncio.sleep(0)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        return number

    assert is_gone(asyncio.run(cancel()))


def test_asynchronous_pieces() -> None:
    async def read() -> tuple[str, Reply]:
        async with load("cat").astream("Hi.") as stream:
            return "".join([piece async for piece in stream]), stream.reply

    assert asyncio.run(read()) == ("Hi.", Reply("Hi.", Finish.UNKNOWN, None, "command:mine"))


@pytest.mark.parametrize("command", [None, "", "  "])
def test_a_command_must_be_one(command: str | None) -> None:
    with pytest.raises(ModelError, match="command"):
        load_model("command", command=command)


def test_a_command_that_cannot_be_started() -> None:
    with pytest.raises(ModelError, match="cannot be started"):
        load("echo \0").generate("Hi.")


def test_name_is_that_of_the_program() -> None:
    assert load_model("command", command="A=1 /usr/bin/cat -u").name == "command:cat"


def test_a_command_that_writes_without_end_is_stopped_and_its_text_is_kept() -> None:
    model = CommandModel("echo $$; yes", limits=Limits(received=100_000))
    with pytest.raises(ModelError, match=r"wrote more than 100,000 bytes") as caught:
        model.generate("Hi.")
    partial = caught.value.partial
    assert partial is not None and partial.finish is Finish.INTERRUPTED and len(partial.text) == 100_000
    assert is_gone(int(partial.text.split()[0]))


@pytest.mark.parametrize("way", ["generate", "agenerate"])
@pytest.mark.parametrize("holds", ["", ">/dev/null 2>&1"])
def test_whom_a_command_leaves_behind_ends_with_it(way: str, holds: str) -> None:
    """Its reply is whole when the command has ended, also where a process of its own holds the output open."""
    model = load(f"{FOREVER} {holds} & echo $!")
    reply = model.generate("Hi.") if way == "generate" else asyncio.run(model.agenerate("Hi."))
    assert reply.finish is Finish.UNKNOWN and is_gone(int(reply.text))
