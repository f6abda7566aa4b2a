"""An output parser for LangChain: `pip install 'symops-lark[langchain]'`.

chain = prompt | model | SymOpsOutputParser()
for action in chain.invoke(...).document.actions: ...
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from langchain_core.exceptions import OutputParserException
from langchain_core.output_parsers import BaseOutputParser
from langchain_core.outputs import ChatGeneration, Generation
from pydantic import ConfigDict

from ..core.known_processors import known_processor
from ..core.processor import SymOpsProcessor
from ..core.replies.messages import Finish, ModelError
from ..core.replies.sdk import Answer, read_answer
from ..core.result import ProtocolError, Result
from ..models.prompts import system_prompt


class SymOpsOutputParser(BaseOutputParser[Result]):
    """Reads the replies of a chain: strict parsing, then repair, then recovery.

    A truncated answer is detected by its finish reason. To read a reply while it arrives, pass the
    chunks of `chain.stream(...)` to `StreamParser.events`.

    Attributes:
        format: The name of a dialect, a path to a `.lark` file, or "auto".
        processor: A configured pipeline, which is used instead of `format`.
    """

    model_config = ConfigDict(arbitrary_types_allowed=True)

    format: str = "auto"
    processor: SymOpsProcessor | None = None

    def parse(self, text: str) -> Result:
        """Return the result of a text; the errors are those of `parse_result`."""
        return self._read(text)

    def parse_result(self, result: list[Generation], *, partial: bool = False) -> Result:
        """Return the result of the first generation, a message or a text, by its finish reason.

        Raises:
            OutputParserException: No section was found, or the answer cannot be read. The cause is
                a `ProtocolError` or a `ModelError`.
        """
        first = result[0]
        answer = first.message if isinstance(first, ChatGeneration) else first.text
        return self._read(answer, first.generation_info)

    def get_format_instructions(self) -> str:
        """Return the prompt that teaches the dialect; v2 if any dialect is read."""
        format = self.processor.format if self.processor is not None else self.format
        return system_prompt("v2" if format == "auto" else format)

    @property
    def _type(self) -> str:
        # LangChain needs it to serialize a chain.
        return "symops"

    def _read(self, answer: Answer, info: dict[str, Any] | None = None) -> Result:
        processor = self.processor or known_processor(self.format, ())
        try:
            reply = read_answer(answer)
            # Models of texts, and some of messages, give their reason beside the answer.
            if info and reply.finish is Finish.UNKNOWN:
                beside = read_answer({"content": "", "response_metadata": info})
                reply = replace(reply, finish=beside.finish)
        except ModelError as error:
            raise OutputParserException(str(error)) from error
        try:
            return processor.process(reply)
        except ProtocolError as error:
            findings = "\n".join(finding.message for finding in error.diagnostics)
            # A retry parser sends the observation to the model.
            raise OutputParserException(
                str(error),
                observation=findings or str(error),
                llm_output=reply.text,
                send_to_llm=True,
            ) from error
