"""Read JSON that fits a schema from the reply of any model.

It is found, checked, and repaired only where nothing can be lost.
"""

from .answers import Answer, Attempt, Status
from .arriving import Member, ObjectStream
from .asking import AnswerStream, aask_json, ask_json, stream_json
from .attempts import prompt_suffix
from .extraction import Extraction, extract_json
from .notations import schema_to_gbnf, schema_to_lark
from .refusals import RefusalError, Refusals, find_refusal, load_refusals, our_refusals
from .schema.problems import Problem, SchemaError
from .schema.projection import Loss, Projection, from_strict, project, strict_projection, to_strict
from .schema.schemas import find_problems

__all__ = [
    "Answer",
    "AnswerStream",
    "Attempt",
    "Extraction",
    "Loss",
    "Member",
    "ObjectStream",
    "Problem",
    "Projection",
    "RefusalError",
    "Refusals",
    "SchemaError",
    "Status",
    "aask_json",
    "ask_json",
    "extract_json",
    "find_problems",
    "find_refusal",
    "from_strict",
    "load_refusals",
    "our_refusals",
    "project",
    "prompt_suffix",
    "schema_to_gbnf",
    "schema_to_lark",
    "stream_json",
    "strict_projection",
    "to_strict",
]
