"""Recognize tokens of chat templates, and closing tags that nothing opens.

text                        what it is
<|im_end|>  <｜User｜>      a token with bars, of either width
[|endofturn|]  <turn|>      other tokens with bars
</s>  [/INST]  <eos>        a token that has a name alone
x <|> y,  a |> b,  <div>    none
"""

from __future__ import annotations

from ..patterns.regexes import compile_pattern

MAX_DECORATION = 40  # characters before a path that is a line: `**File path:** `
MAX_LINE = 400  # characters; longer lines are data, not pieces of transport
_BARRED = (
    r"(?:<[|｜]{1,2}[0-9A-Za-z_][^<>|｜\s]{0,40}[|｜]{1,2}>|\[\|[a-z_]{1,30}\|\]|<[a-z_]{2,30}\|>)"
)
# A token of a chat template.
TOKEN_PATTERN = (
    rf"(?:{_BARRED}|</?s>|<(?:eos|bos|pad|unk|longcat_s|seed:eos)>|<end_of_(?:turn|utterance)>"
    r"|<start_of_turn>|\[/?INST\]|\[e~\[)"
)
_TOKEN = compile_pattern(TOKEN_PATTERN)
# A line of tokens alone, or of a token and a role: `<|im_start|>user`; not `<s>word</s>`.
_TOKENS = compile_pattern(
    rf"{TOKEN_PATTERN}+|(?:{_BARRED}|<start_of_turn>)[a-z_]{{2,20}}(?:{_BARRED})?"
)
# Signs before a token at the end of a line show that it is mentioned.
_QUOTES = ("`", "'", '"')
_LAST_TOKEN = compile_pattern(rf"(?P<before>[^\n]?)(?P<token>{TOKEN_PATTERN})$")
_LAST_BARRED = compile_pattern(rf"(?P<before>[^\n]?)(?P<token>{_BARRED})$")
# A closing tag, maybe with a prefix: `</content>`, `</x:content>`, DeepSeek's `</｜DSML｜content>`.
CLOSING = compile_pattern(r"</(?P<name>[^\s<>/]{1,60})[ \t]*>")


def is_token(line: str) -> bool:
    """Return whether a line consists of tokens of chat templates."""
    return line.startswith(("<", "[")) and _TOKENS.fullmatch(line) is not None


def count_tokens(text: str) -> int:
    """Return the number of tokens of chat templates in a text."""
    return len(_TOKEN.findall(text))


def token_at_end(text: str, *, is_barred: bool = False) -> str:
    """Return the token of a chat template that a text ends with; empty if it does not.

    Args:
        text: The text. A token begins in its last 400 characters.
        is_barred: Whether only tokens with bars count: others may be tags of markup.

    Returns:
        The token. Empty if it follows a quotation mark, or is the `</s>` of a tag in the text.
    """
    if not text.endswith((">", "]", "[")):
        return ""
    pattern = _LAST_BARRED if is_barred else _LAST_TOKEN
    match = pattern.search(text[-MAX_LINE:])
    if match is None or match["before"] in _QUOTES:
        return ""
    token = str(match["token"])
    if token == "</s>" and is_balanced(text, "s"):
        return ""
    return token


def is_balanced(text: str, name: str) -> bool:
    """Return whether an element is opened in a text as often as it is closed.

    Args:
        text: The text.
        name: The name of the element, with its prefix.
    """
    opening_count = 0
    for sign in (" ", "\t", "\n", ">", "/"):
        opening_count += text.count(f"<{name}{sign}")
    closing_count = text.count(f"</{name}>")
    return opening_count >= closing_count
