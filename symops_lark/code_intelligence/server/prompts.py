"""The instructions for clients on how the tools belong together, and prompts for people."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

# Clients send this text to their models in every conversation, so it is short.
INSTRUCTIONS = """\
Look at the code before you write. `start` takes the user's request word for word and gives a \
session_id, which every other tool wants. `explore` searches and opens the code of the request \
in one call; where it does not do, fill the slots of the request by `look` and `open`, then \
`submit` what you understood; its answer says what is still missing. An issue that the request \
does not state is shown by a line of the code, quoted in the slot. Before you create, edit or \
delete a file, ask `status` with its path, and write only if it allows it: it counts what this \
server showed in this session, not what you say. A refusal names its reason_code and the way on. \
At the end `outcome` says whether it worked. Tools with longer names (start_session, query, \
find_definitions, submit_understanding, check_write_target …) do the same step by step."""


class PromptError(Exception):
    """There is no such prompt, or it lacks arguments."""


@dataclass(frozen=True, slots=True)
class Prompt:
    """A prompt.

    Attributes:
        name: Its name for clients.
        title: Its name for people.
        description: Its purpose.
        arguments: The description of each argument, by name.
        text: The text, with the arguments as `{name}`.
    """

    name: str
    title: str
    description: str
    arguments: Mapping[str, str]
    text: str


# The long tools: a client may list either set, and both are answered.
_INVESTIGATE = Prompt(
    name="change_with_evidence",
    title="Change code, with evidence",
    description="Work on a request so that every write rests on code that was looked at.",
    arguments={"request": "What you want, in your own words and language."},
    text="""\
Work on the request at the end of this message with the tools of the server symops.

1. start_session with the request word for word, and the intent: IMPLEMENT, MODIFY, INVESTIGATE or \
QUESTION.
2. set_query_frame with what the request says, each slot with its quote.
3. explore, and read the files that it opened. Explore further with the tools that the answers \
recommend.
4. submit_understanding with its `understanding`; continue to explore until it is accepted.
5. check_write_target for every file before you change it. If it is refused, do what the answer \
says.
6. record_outcome when the change is tested.

The request:
{request}""",
)
_EXPLAIN = Prompt(
    name="explain_session",
    title="Explain a session",
    description="Say what a session found, what the gate refused and why.",
    arguments={"session_id": "The id of the session."},
    text=(
        "Read the session {session_id} with get_session_status of the server symops, and explain in"
        " a few sentences what was asked, what was found and by which tool calls, and which"
        " refusals there were, with the reason for each."
    ),
)
PROMPTS = {prompt.name: prompt for prompt in (_INVESTIGATE, _EXPLAIN)}


def describe_prompts() -> list[dict[str, Any]]:
    """Return the prompts as clients see them, as JSON."""
    descriptions: list[dict[str, Any]] = []
    for prompt in PROMPTS.values():
        arguments: list[dict[str, Any]] = []
        for name, text in prompt.arguments.items():
            arguments.append({"name": name, "description": text, "required": True})
        descriptions.append(
            {
                "name": prompt.name,
                "title": prompt.title,
                "description": prompt.description,
                "arguments": arguments,
            }
        )
    return descriptions


def fill_prompt(name: str, arguments: Mapping[str, str] | None) -> dict[str, Any]:
    """Return a prompt with its arguments, as a client receives it.

    Args:
        name: The name of the prompt.
        arguments: The values of its arguments.

    Raises:
        PromptError: There is no such prompt, or it lacks arguments.
    """
    prompt = PROMPTS.get(name)
    if prompt is None:
        names = ", ".join(PROMPTS)
        raise PromptError(f"no such prompt; there are {names}")
    values = arguments or {}
    missing = [argument for argument in prompt.arguments if not values.get(argument)]
    if missing:
        names = ", ".join(missing)
        raise PromptError(f"the prompt {name} wants {names}")
    text = prompt.text
    for argument in prompt.arguments:
        # Not `format`: requests contain braces.
        text = text.replace("{" + argument + "}", values[argument], 1)
    content = {"type": "text", "text": text}
    return {"description": prompt.description, "messages": [{"role": "user", "content": content}]}
