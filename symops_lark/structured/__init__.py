"""JSON that fits a schema, out of any model's reply: found, checked, repaired only where nothing can be lost."""

from .asking import Answer, Attempt, Status, aask_json, ask_json
from .extraction import Extraction, extract_json
from .refusals import RefusalError, Refusals, find_refusal, load_refusals
from .schemas import Problem, SchemaError, find_problems
from .suffix import prompt_suffix

__all__ = [
    "Answer",
    "Attempt",
    "Extraction",
    "Problem",
    "RefusalError",
    "Refusals",
    "SchemaError",
    "Status",
    "aask_json",
    "ask_json",
    "extract_json",
    "find_problems",
    "find_refusal",
    "load_refusals",
    "prompt_suffix",
]
