"""Error-correcting parsing for any grammar of Lark: trees of broken texts at the least price."""

from .edits import Edit, InsertedToken
from .parser import CorrectedParse, ErrorCorrectingParser

__all__ = ["CorrectedParse", "Edit", "ErrorCorrectingParser", "InsertedToken"]
