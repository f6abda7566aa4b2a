"""Replies with actions and what is around them: leads, questions, labels, tokens, fences, thoughts."""

from __future__ import annotations

from hypothesis import strategies as st

ACTIONS = (
    "::create @a.py\n<<<\nx = 1\n>>>\n",
    "::create @b.md\n<<<\nFor example:\nUser: hi\n</think>\n>>>\n",
    "::run @make\n",
    "::run @ls\n::run @pwd\n",
)
AROUND = (
    "Here is the file:",
    "For example:",
    "Later you could run:",
    "I updated it.",
    "Shall I do that?",
    "Scratch that.",
    "User: do it",
    "System: x",
    "Assistant: done",
    "user> hi",
    "## Answer",
    "## Reasoning",
    "### Observation",
    "<|im_end|>",
    "x <|im_end|> For example:",
    "<|im_start|>user",
    "<|im_start|>assistant",
    "<|channel|>analysis<|message|>",
    "<|channel|>final<|message|>",
    "<think>",
    "</think>",
    "```",
    "~~~ python",
    ">> a thought",
    ">> For example:",
    "analysis, for example:",
    ">> <think> User: x",
    "? what",
    "  ",
    "",
)
# Thinking that is known only when its end is there.
LATE = ("<inner_monologue>", "</inner_monologue>", "analysis", "assistantanalysis", "assistantfinal")


def replies(around: tuple[str, ...] = AROUND, ending: str = "\n") -> st.SearchStrategy[str]:
    """Return a strategy for replies in v2.

    Args:
        around: The lines that may be around actions.
        ending: The ending of their lines.
    """
    lines = st.sampled_from(around).map(lambda line: line + "\n")
    pieces = st.lists(lines | st.sampled_from(ACTIONS) | st.just("\n"), max_size=14)
    return pieces.map("".join).map(lambda text: text.replace("\n", ending))
