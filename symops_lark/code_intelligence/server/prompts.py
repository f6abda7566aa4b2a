"""What clients are told: how the tools belong together, and prompts for people to start with."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

INSTRUCTIONS = """\
Look at the code before you write. start_session takes the user's request word for word and gives a session_id, which \
every other tool wants. Say its slots by set_query_frame, each with its quote. explore searches and opens the code of \
the request in one call; where it does not do, use query, search_text, find_definitions, find_references … Then \
submit_understanding with what you found; its answer says what is still missing. An issue that the request does not \
state is shown by a line of the code, quoted in the slot. Before you \
create, edit or delete a file, ask check_write_target, and write only if it allows it: it counts what this server \
showed in this session, not what you say. A refusal names its reason_code and the way on. At the end record_outcome \
says whether it worked."""


@dataclass(frozen=True, slots=True)
class Prompt:
    """A prompt with its arguments, each with what people are told of it; the text names them as `{name}`."""

    name: str
    title: str
    description: str
    arguments: Mapping[str, str]
    text: str

    def fill(self, given: Mapping[str, str]) -> str:
        """Return the text with the arguments in it, whatever braces they hold."""
        text = self.text
        for name in self.arguments:
            text = text.replace("{" + name + "}", given[name], 1)
        return text


_INVESTIGATE = Prompt(
    "change_with_evidence",
    "Change code, with evidence",
    "Work on a request so that every write rests on code that was looked at.",
    {"request": "What you want, in your own words and language."},
    """\
Work on the request at the end of this message with the tools of the server symops.

1. start_session with the request word for word, and the intent: IMPLEMENT, MODIFY, INVESTIGATE or QUESTION.
2. set_query_frame with what the request says, each slot with its quote.
3. explore, and read the files that it opened. Explore further with the tools that the answers recommend.
4. submit_understanding with its `understanding`; go on exploring until it is accepted.
5. check_write_target for every file before you change it. If it is refused, do what the answer says.
6. record_outcome when the change is tested.

The request:
{request}""",
)
_EXPLAIN = Prompt(
    "explain_session",
    "Explain a session",
    "Say what a session found, what the gate refused and why.",
    {"session_id": "The id of the session."},
    "Read the session {session_id} with get_session_status of the server symops, and tell in a few sentences what was "
    "asked, what was found and by which tool calls, and which refusals there were, with the reason for each.",
)
PROMPTS: Mapping[str, Prompt] = {prompt.name: prompt for prompt in (_INVESTIGATE, _EXPLAIN)}


def describe_prompts() -> list[dict[str, Any]]:
    """Return the prompts as clients see them, as JSON."""
    return [
        {
            "name": prompt.name,
            "title": prompt.title,
            "description": prompt.description,
            "arguments": [
                {"name": name, "description": told, "required": True} for name, told in prompt.arguments.items()
            ],
        }
        for prompt in PROMPTS.values()
    ]
