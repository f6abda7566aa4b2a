"""Format a file: repair a reply, and clean the ends of the lines of a grammar."""

from __future__ import annotations

import re

from ...core.processor import SymOpsProcessor
from ...core.validator import is_acceptable
from .edited_file import EditedFile, Kind

# The lookbehind lets a match begin at the first of several blanks only, which takes linear time.
_BLANKS = re.compile(r"(?<![ \t])[ \t]+(?=\r?\n|\Z)")
_ENDINGS = ("\r\n", "\n", "\r")  # of lines; the first one that a file has is its ending


def format_text(file: EditedFile, processor: SymOpsProcessor) -> str:
    """Return the formatted text of a file.

    A reply is repaired, as by `symops check --fix`. Of a grammar, blanks at the ends of lines and
    empty lines at the end go. YAML stays as it is: blanks in the examples of a rule have a meaning.

    Args:
        file: The file.
        processor: The pipeline that repairs replies.
    """
    match file.kind:
        case Kind.REPLY:
            # Text without any section is not a reply yet, and the rules would tear it apart.
            if not is_acceptable(processor.read(file.text).document):
                return file.text
            return processor.repair(file.text).text
        case Kind.GRAMMAR | Kind.FORMAT:
            # The endings of lines stay, because the editor decides them.
            ending = next((ending for ending in _ENDINGS if ending in file.text), "\n")
            return _BLANKS.sub("", file.text).rstrip() + ending
    return file.text
